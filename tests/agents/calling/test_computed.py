import pytest

from camphor.agents.calling.definitions import short_definition
from camphor.agents.calling.prompts import CallForm, render_answer
from camphor.agents.calling.times import settle_times
from camphor.device.android.toolbox import android_toolbox
from camphor.errors import ArgumentError
from camphor.types import Call

TOOLS = android_toolbox()
ALARM = Call("ACTION_SET_ALARM", {"EXTRA_HOUR": 14, "EXTRA_MINUTES": 30, "EXTRA_DAYS": ["Saturday", "Sunday"]})
SAID = {"0.EXTRA_HOUR": "2:30 pm", "0.EXTRA_MINUTES": "2:30 pm", "0.EXTRA_DAYS": "on weekends"}


def test_the_model_copies_and_code_computes() -> None:
    text = render_answer((ALARM,), TOOLS, CallForm.COMPACT, SAID)
    assert 'EXTRA_HOUR="2:30 pm", EXTRA_MINUTES="2:30 pm", EXTRA_DAYS="on weekends"' in text
    copied = Call("ACTION_SET_ALARM", {key.removeprefix("0."): words for key, words in SAID.items()})
    assert settle_times((copied,), TOOLS, None) == (ALARM,)


def test_the_papers_forms_have_the_values() -> None:
    assert "EXTRA_HOUR=14, EXTRA_MINUTES=30" in render_answer((ALARM,), TOOLS, CallForm.CODE_SHORT, SAID)


@pytest.mark.parametrize(
    ("words", "length"), [("an hour and a half", "1 hours 30 minutes"), ("90 secs", "1 minutes 30 seconds")]
)
def test_lengths_are_computed(words: str, length: str) -> None:
    plan = settle_times((Call("ACTION_SET_TIMER", {"duration": words}),), TOOLS, None)
    assert plan[0].arguments["duration"] == length


def test_values_stay_as_they_are() -> None:
    assert settle_times((ALARM,), TOOLS, None) == (ALARM,)
    minutes = Call("ACTION_SET_ALARM", {"EXTRA_HOUR": "7", "EXTRA_MINUTES": "5"})
    assert settle_times((minutes,), TOOLS, None)[0].arguments["EXTRA_HOUR"] == 7


@pytest.mark.parametrize("name", ["EXTRA_HOUR", "EXTRA_DAYS"])
def test_words_that_say_none_are_refused(name: str) -> None:
    with pytest.raises(ArgumentError, match=name):
        settle_times((Call("ACTION_SET_ALARM", {name: "purple"}),), TOOLS, None)


def test_definitions_say_what_is_copied() -> None:
    assert "EXTRA_HOUR: hour, EXTRA_MINUTES: minute" in short_definition(TOOLS.get("ACTION_SET_ALARM"))
    assert "duration: duration" in short_definition(TOOLS.get("ACTION_SET_TIMER"))
