"""Plans that a person puts right, and the request's words for their times."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.agents.calling.caller import Caller
from camphor.agents.calling.corrections import editable, predicted, read_correction
from camphor.agents.calling.prompts import CallForm
from camphor.errors import ToolError
from camphor.models.base import ScriptedModel
from camphor.tools.plans import Reference
from camphor.tools.readers import from_function
from camphor.tools.tool import Kind, Toolbox
from camphor.types import Agent

NOW = datetime(2026, 5, 6, 7, 20)  # a Wednesday
QUERY = "Dinner with Ana  tomorrow at 8 PM, and tell her"


def find(name: str) -> str:
    """Find a number.

    Args:
        name: whose.

    Returns:
        str: the number.
    """
    return name


def plan_dinner(title: str, begin_time: datetime) -> None:
    """Put a dinner in the calendar.

    Args:
        title: what.
        begin_time: when it begins.
    """


def tell(number: str, text: str) -> None:
    """Send a message.

    Args:
        number: to whom.
        text: what.
    """


TOOLS = Toolbox(from_function(each, kind=Kind.ACTION, agent=Agent.TASK) for each in (find, plan_dinner, tell))


def test_a_correction_is_read_with_the_words_of_its_times() -> None:
    text = 'plan_dinner(title="Ana", begin_time="Tomorrow at 8 pm")\nwho = find("Ana")\ntell(number=who, text="Dinner")'
    read = read_correction(text, QUERY, TOOLS, NOW)
    assert read.plan[0].arguments["begin_time"] == "2026-05-07T20:00:00"
    assert read.plan[2].arguments["number"] == Reference(1)
    assert read.said == {"0.begin_time": "Tomorrow at 8 pm"}


def test_words_that_are_not_the_requests_are_not_kept() -> None:
    read = read_correction('plan_dinner(title="Ana", begin_time="in two days at noon")', QUERY, TOOLS, NOW)
    assert read.plan[0].arguments["begin_time"] == "2026-05-08T12:00:00"
    assert read.said == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("call Ana", "no call"),
        ("cook()", "cook"),
        ('find(name="Ana"', "line 1"),
        ("find()", "name"),
        ('plan_dinner(title="Ana", begin_time="at some point")', "begin_time"),
        ("tell(number=result4, text='x')", "result4"),
    ],
)
def test_what_cannot_be_used_is_told(text: str, told: str) -> None:
    with pytest.raises(ToolError, match=told):
        read_correction(text, QUERY, TOOLS, NOW)


def test_nothing_to_call_is_a_correction() -> None:
    assert read_correction("# none", QUERY, TOOLS, NOW).plan == ()


@pytest.mark.parametrize("form", [CallForm.COMPACT, CallForm.JSON])
def test_a_prediction_is_edited_in_the_words_that_the_model_copied(form: CallForm) -> None:
    code = 'plan_dinner(title="Ana", begin_time="tomorrow at 8 pm")'
    listed = '[{"id": 0, "name": "plan_dinner", "arguments": {"title": "Ana", "begin_time": "tomorrow at 8 pm"}}]'
    planned = Caller(ScriptedModel([listed if form.is_json else code]), TOOLS, form).plan(QUERY, NOW)
    assert predicted(planned, QUERY, form, TOOLS).said == {"0.begin_time": "tomorrow at 8 pm"}
    lines = editable(planned, QUERY, form, TOOLS)
    assert lines == [f"result0 = {code}"]
    assert read_correction("\n".join(lines), QUERY, TOOLS, NOW).plan == planned.plan


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        ("no idea", []),
        ("# none", []),
        ('find(name="Ana")\ncook(dish="x")', ['result0 = find(name="Ana")', 'result1 = cook(dish="x")']),
        (
            'plan_dinner(title="Ana", begin_time="some day")',
            ['result0 = plan_dinner(title="Ana", begin_time="some day")'],
        ),
    ],
)
def test_an_answer_that_cannot_be_used_is_edited_as_far_as_it_can_be_read(answer: str, lines: list[str]) -> None:
    planned = Caller(ScriptedModel([answer]), TOOLS).plan(QUERY, NOW)
    assert planned.plan == ()
    assert editable(planned, QUERY, CallForm.COMPACT, TOOLS) == lines
