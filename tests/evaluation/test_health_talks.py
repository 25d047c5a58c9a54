"""Scripted talks: the person of a script, and figures that a lying record cannot pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.health.case import HealthStrategy
from camphor.agents.health.interview.record import Quote, written
from camphor.device.device import Device
from camphor.errors import DatasetError
from camphor.models.base import ScriptedModel
from camphor_lab.evaluation.health_data import RunOptions
from camphor_lab.evaluation.health_lines import phone
from camphor_lab.evaluation.health_talks import (
    Denied,
    HealthTalks,
    ScriptedPerson,
    ScriptedTalk,
    ScriptedTurn,
    evaluate_talks,
    invented,
    loops,
    play_talk,
    stands_as_had,
)

KNEE = {
    "id": "knee",
    "turns": [
        "My knee aches and clicks on the stairs. No fever.",
        {"to": "severity", "say": "4"},
        "sorry, the left one",
        {"to": "duration", "say": "two weeks"},
        {"to": "offer", "say": "yes please"},
    ],
    "said_symptoms": ["aches and clicks", "the left one"],
    "denied": [{"symptom": "fever", "words": "No fever"}],
    "expect": {"specialists": ["orthopedist", "rheumatologist", "general physician"], "books": True, "ends": "booked"},
}
CAT = {
    "id": "cat",
    "turns": ["my cat is limping"],
    "said_symptoms": [],
    "denied": [{"symptom": "limping", "words": "my cat is limping"}],
    "expect": {"specialists": [], "books": False, "ends": ["told", "dropped"]},
}


def file_of(folder: Path, *talks: dict[str, Any]) -> Path:
    path = folder / "talks.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in talks), encoding="utf-8")
    return path


def test_interview_is_played_and_scored(tmp_path: Path) -> None:
    dataset = HealthTalks(file_of(tmp_path, KNEE, CAT))
    report = evaluate_talks(dataset, None, HealthStrategy.INTERVIEW, RunOptions("health-talks"))
    metrics = report["metrics"]
    assert (metrics["talks"], metrics["errors"], metrics["calls"]) == (2, 0, 0)
    assert [metrics[name] for name in ("invented", "denied", "loops", "open")] == [0, 0, 0, 0]
    assert [metrics[name] for name in ("kept", "ends", "books", "specialist")] == [1, 1, 1, 1]
    knee, cat = report["items"]
    assert knee["record"][0] == knee["record"][1]  # the complaint, and what the appointment is for
    assert cat["record"] == []


def test_planner_is_scored_on_what_it_wrote_and_on_what_was_kept() -> None:
    plan = "It is a case for a doctor.</reason><action>Go on.</action>"
    model = ScriptedModel([
        plan, '[store_symptoms(user_id="USER000001", symptoms="knee pain, fever", timestamp="2026-03-10T10:00:00")]',
        plan, '[notify_user(user_id="USER000001", message="Your symptoms are recorded.")]',
        "Told.</reason><action><END></action>",
    ])  # fmt: skip
    talk = ScriptedTalk(
        "t", (ScriptedTurn("My knee aches. No fever."),), (), (Denied("fever", "No fever"),), (), False, ("told",)
    )
    with Device.create(None, phone()) as device:
        found = play_talk(talk, device, model, HealthStrategy.PLANNER).timing
    assert found["record"] == ["“My knee aches. No fever.” (1)"]
    assert found["written"] == ["knee pain, fever"]
    assert invented(found["written"][0], found["messages"]) == ["pain"]
    assert stands_as_had(found["written"][0], talk.denied[0])
    assert not stands_as_had(found["record"][0], talk.denied[0])
    assert found["calls"] == 5


@pytest.mark.parametrize(
    ("record", "foreign"),
    [
        (written([Quote(1, "my knee aches")]), []),
        (written([Quote(1, "my knee hurts")]), ["my knee hurts"]),
        (written([Quote(1, "my knee aches"), Quote(2, "no", "Since when?")]), []),
        (written([Quote(1, "my knee aches"), Quote(2, "no", "Do you have gout?")]), ["Do you have gout?"]),
        ("my knee aches, fever", ["fever"]),
    ],
)
def test_what_was_not_said_is_found(record: str, foreign: list[str]) -> None:
    assert invented(record, ["oh, my knee aches", "no"]) == foreign


@pytest.mark.parametrize(
    ("record", "had"),
    [
        ("sore throat, fever", True),
        ("sore throat, no fever", False),
        ("no fever at first, now a fever", True),
        (written([Quote(2, "no", "Is there a fever?")]), False),
        (written([Quote(1, "Sore throat, no fever.")]), False),
        (written([Quote(1, "Sore throat, fever.")]), True),
    ],
)
def test_a_denied_symptom_that_stands_as_had_is_found(record: str, had: bool) -> None:
    assert stands_as_had(record, Denied("fever", "no fever")) is had


def test_what_goes_round_is_found() -> None:
    assert list(loops(["Since when?", "Since when?"], [], [])) == ["Since when?"]
    assert list(loops([], ["Told."] * 2, [])) == ["Told."]
    assert list(loops([], [], ["swollen knee, swollen knee, swollen knee"])) == ["swollen knee"]
    assert list(loops(["Since when?", "How old are you?"], ["Booked."], ["my knee is swollen"])) == []


def test_the_person_says_a_turn_where_it_fits() -> None:
    person = ScriptedPerson(
        ScriptedTalk(
            "t",
            (ScriptedTurn("a"), ScriptedTurn("b"), ScriptedTurn("c", "age"), ScriptedTurn("d", "offer")),
            (),
            (),
            (),
            True,
            (),
        )
    )
    offer = "Dr. Moss is free on Wed 11 Mar, 09:00-09:30. Shall I book it?"
    assert person.ask("Is it happening now?") == "no"
    assert [person.ask(offer), person.ask(offer)] == ["d", "No, thank you."]
    assert [person.ask("Since when?"), person.ask("Since when?")] == ["b", "I don't know."]
    assert person.ask("That is noted. How old are you?") == "c"


@pytest.mark.parametrize(
    "change",
    [
        {"turns": []},
        {"turns": [{"to": "mood", "say": "x"}]},
        {"turns": ["a", {"to": "mood", "say": "b"}]},
        {"denied": [1]},
    ],
)
def test_a_talk_that_breaks_the_form_is_told_with_its_line(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(DatasetError, match="scripted talk"):
        HealthTalks(file_of(tmp_path, {**KNEE, **change}))
