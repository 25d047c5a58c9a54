"""A second opinion on which actions a query's words could ask for."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from camphor.agents.bounds import USUAL, Limits
from camphor.agents.events import Answered, CallsProposed
from camphor.agents.policies.action_classifier import LONGEST, Plausibility, plausible, read_plausibility
from camphor.agents.prompts import Form
from camphor.app import Assistant
from camphor.device.device import Device
from camphor.errors import ModelMissing
from camphor.models.base import ScriptedModel
from camphor.types import Call, Turn

DEMO = json.loads(files("camphor.demo").joinpath("ines-dublin.device.json").read_text(encoding="utf-8"))
BIRTHDAY = "when is Alice's birthday, and what is her address"
TOLD_BY_AN_ORDER = "tell me Alice's birthday and her address"


DOWNLOAD = ["task_completion", ' [download_appstore_app(app_name="Alice")]', "On 2 May."]


def kept(query: str, *names: str) -> list[str]:
    return [call.name for call in plausible([Call(name) for name in names], query)]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("put me through to my mother, please", "call_contacts"),
        ("tell Alice I am on my way", "send_imessage_message"),
        ("poke me at six to water the basil", "create_reminders"),
        ("scrap the dentist on Friday, will you", "cancel_calendar_event"),
        ("bring up the way to the airport on the map", "show_maps_place"),
    ],
)
def test_what_is_asked_for_stays(query: str, wanted: str) -> None:
    assert kept(query, wanted) == [wanted]


@pytest.mark.parametrize("query", [BIRTHDAY, "how many steps have I made since Monday"])
def test_what_no_word_asks_for_goes(query: str) -> None:
    assert kept(query, "download_appstore_app", "create_instagram_post") == []


def test_actions_of_other_apps_are_let_be() -> None:
    assert kept(BIRTHDAY, "reserve_rothar_bike", "download_appstore_app") == ["reserve_rothar_bike"]


@pytest.mark.parametrize("query", ["", "the usual", "do it again", "zorp blick to frummel wumpf", "送一条短信给爱丽丝"])
def test_too_few_words_or_unknown_ones_are_not_judged(query: str) -> None:
    assert read_plausibility().ruled_out(query) == frozenset()


def test_the_query_of_thousands_of_words_is_judged_by_its_beginning() -> None:
    model = read_plausibility()
    longer = f"{BIRTHDAY}{' ' * LONGEST}download the app Signal"
    assert model.ruled_out(longer) == model.ruled_out(BIRTHDAY) != model.ruled_out(" ".join(longer.split()))


def answer(query: str, limits: Limits, *history: Turn) -> tuple[list[str], str]:
    with Device.create(None, DEMO) as device:
        assistant = Assistant(device, ScriptedModel(DOWNLOAD), history, limits=limits)
        events = list(assistant.run(query))
    written = [call.name for event in events if isinstance(event, CallsProposed) for call in event.calls]
    assert isinstance(events[-1], Answered)
    return written, events[-1].response


def test_such_a_call_is_not_made_and_the_question_is_answered_without_it() -> None:
    written, told = answer(TOLD_BY_AN_ORDER, USUAL)
    assert written == []
    assert "2 May 1990" in told


def test_of_a_question_no_action_is_written_at_all() -> None:
    written, told = answer(BIRTHDAY, USUAL.without("action_classifier", "missing_app"))
    assert written == []
    assert "2 May 1990" in told


def test_a_follow_up_leaves_unsaid_what_it_asks_for() -> None:
    earlier = Turn("get me Signal, or what Alice has", response="Which one?")
    assert answer(BIRTHDAY, USUAL.without("topic_shift"), earlier)[0] == ["download_appstore_app"]


@pytest.mark.parametrize("content", [b"", b"not a model"])
def test_a_broken_file_is_said_to_be_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "broken.npz").write_bytes(content)
    with pytest.raises(ModelMissing, match="train-plausible"):
        read_plausibility(tmp_path / "broken.npz")


def test_a_model_is_the_same_after_it_was_written(tmp_path: Path) -> None:
    shipped = read_plausibility()
    shipped.save(tmp_path / "again.npz")
    again = read_plausibility(tmp_path / "again.npz")
    assert isinstance(again, Plausibility)
    assert (again.scores(BIRTHDAY) == shipped.scores(BIRTHDAY)).all()
    assert again.about == shipped.about


def test_a_large_model_is_not_overruled() -> None:
    with Device.create(None, DEMO) as device:
        assistant = Assistant(device, ScriptedModel(DOWNLOAD), form=Form.INSTRUCTED)
        assert any(isinstance(event, CallsProposed) for event in assistant.run(BIRTHDAY))
