"""`camphor health talk` as a person meets it, with a scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.resources import as_file, files

from camphor.device.device import Device
from tests.doubles.command import Camphor

Script = Callable[[Sequence[str]], str]


def replies(user: str) -> list[str]:
    plan = "It is a case for a doctor.</reason><action>Go on.</action>"
    return [
        plan,
        f'[get_input_from_user(user_id="{user}", questions="Since when has it been sore?")]',
        plan,
        f'[store_symptoms(user_id="{user}", symptoms="sore knee", timestamp="2026-05-11T18:20:00")]',
        plan,
        f'[notify_user(user_id="{user}", message="Your symptoms are recorded.")]',
        "The user is informed.</reason><action><END></action>",
    ]


def test_talk_asks_tells_and_keeps(camphor: Camphor, script: Script) -> None:
    with as_file(files("camphor") / "demo" / "health.device.json") as path, Device.from_file(path) as phone:
        profile, now = phone.export()["apps"]["clinic"]["profile"], phone.now.isoformat()
    written = [text.replace("2026-05-11T18:20:00", now) for text in replies(profile["user_id"])]
    done = camphor("health", "talk", "my knee is sore", "--strategy", "planner", "--model", script(written), "--json",
                   stdin="for a week\n")  # fmt: skip
    assert done.status == 0, done.err
    told = json.loads(done.out)
    assert "Since when" in done.err
    assert "Your symptoms are recorded." in done.err
    assert told["emergency"] == []
    assert [call["name"] for call in told["done"]] == ["store_symptoms"]
    answered = [state["value"]["result"] for state in told["interaction_trajectory"] if state["from"] == "observation"]
    assert answered == ["for a week", True, True]
    kept = camphor("health", "complaints", "list", "--json")
    assert json.loads(kept.out)[-1]["symptoms"] == "“my knee is sore” (1)\n“for a week” (2)"


def test_interview_needs_no_model_and_keeps_own_words(camphor: Camphor) -> None:
    said = "a week\n3\nno\nno\nno\nno\nno\n"
    done = camphor("health", "talk", "my knee aches and clicks", "--json", stdin=said)
    assert done.status == 0, done.err
    told = json.loads(done.out)
    assert "Since when?" in done.err
    assert (told["ended"], told["booked"]) == ("declined", None)
    assert told["said"][:2] == [
        {"message": 1, "said": "my knee aches and clicks", "asked": ""},
        {"message": 2, "said": "a week", "asked": "Since when?"},
    ]
    assert {each["said"] for each in told["said"]} <= {"my knee aches and clicks", *said.split("\n")}


def test_a_model_is_for_the_planner(camphor: Camphor, script: Script) -> None:
    done = camphor("health", "talk", "my knee aches", "--model", script([]))
    assert done.status == 2
    assert "--strategy planner" in done.err


def test_emergency_says_what_to_do_and_asks_no_model(camphor: Camphor) -> None:
    done = camphor("health", "talk", "I have chest pain and can't breathe")
    assert done.status == 1
    assert "Call 999 now" in done.out
    assert "camphor health sos start" in done.err


def test_what_is_no_diagnosis_is_said(camphor: Camphor) -> None:
    done = camphor("health", "talk", "is this mole cancer?", stdin="")
    assert "only a doctor" in done.out
    assert done.status == 0


def test_nothing_said_ends_at_once(camphor: Camphor) -> None:
    done = camphor("health", "talk", stdin="")
    assert (done.status, done.out) == (0, "")


def test_danger_is_heard_on_a_phone_without_a_clinic(camphor: Camphor) -> None:
    assert camphor("device", "new", "bare", "--owner", "Leah", "--timezone", "Europe/London").status == 0
    done = camphor("health", "talk", "crushing chest pain and my left arm is numb", "-d", "bare")
    assert done.status == 1
    assert "Call 999 now" in done.out
    assert "camphor health sos start -d bare" in done.err
