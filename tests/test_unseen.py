"""What `--yes` does of a capable model's actions: a query is read again by the shipped model first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from camphor.agents.prompts import Form
from camphor.agents.strategies.single_agent import single_agent
from camphor.app import Assistant, run_to_end, shipped_model
from camphor.device.device import Device
from camphor.models.base import LanguageModel, ScriptedModel
from camphor.models.chat import ChatCall, ChatReply, ScriptedChat
from tests.doubles.command import Camphor
from tests.doubles.model_server import Said, model_server
from tests.doubles.small_phone import small_phone

QUERY = "a ping tomorrow evening at seven, bins"
PHONE = small_phone(
    [
        {"name": "Nuala Keane", "phone_number": "555-300-0000", "is_self": True},
        {"name": "Orla Keane", "phone_number": "555-300-0001", "relationship": "sister"},
    ],
    "2026-03-12T08:45:00",
)


@pytest.fixture
def device() -> Iterator[Device]:
    with Device.create(None, PHONE) as made:
        yield made


def reminder(time: str, content: str = "Bins") -> ChatReply:
    return ChatReply(calls=(ChatCall("1", "create_reminders", json.dumps({"time": time, "content": content})),))


def assistant(device: Device, *replies: ChatReply, **more: Any) -> Assistant:
    return Assistant(
        device, ScriptedChat([*replies, ChatReply("There.")]), form=Form.FULL, strategy=single_agent, **more
    )


def test_the_right_hour_is_done_and_another_is_left_to_the_person(device: Device) -> None:
    wrong = run_to_end(assistant(device, reminder("2026-03-13T20:00:00")), QUERY, consent=True)
    assert device.records("reminders", "reminders") == []
    assert "Not done without your yes" in wrong.response
    right = run_to_end(assistant(device, reminder("2026-03-13T19:00:00")), QUERY, consent=True)
    assert [each["time"] for each in device.records("reminders", "reminders")] == ["2026-03-13T19:00:00"], (
        right.response
    )


def test_a_query_is_read_again_once_and_only_where_its_words_do_not_settle_it(device: Device) -> None:
    opened: list[str] = []

    def second() -> LanguageModel:
        opened.append("second")
        return shipped_model()

    plain = "remind me tomorrow at 7 pm to put the bins out"
    run_to_end(
        assistant(device, reminder("2026-03-13T19:00:00", "Put the bins out"), second=second), plain, consent=True
    )
    assert opened == []
    two = "remind me of the bins tomorrow at 7 pm, and to feed the cat at 8 pm"
    call = ChatReply(
        calls=(*reminder("2026-03-13T19:00:00").calls, *reminder("2026-03-13T20:00:00", "Feed the cat").calls)
    )
    run_to_end(assistant(device, call, second=second), two, consent=True)
    assert opened == ["second"]


def test_a_person_who_sees_an_action_needs_no_second_reading(device: Device) -> None:
    def second() -> LanguageModel:
        raise AssertionError("read again")

    run_to_end(assistant(device, reminder("2026-03-13T20:00:00"), second=second), QUERY, consent=False)
    done = run_to_end(assistant(device, reminder("2026-03-13T19:00:00"), second=None), QUERY, consent=True)
    assert "Reminder set" in done.response


def test_a_second_model_that_fails_leaves_all_to_the_person(device: Device) -> None:
    broken = assistant(device, reminder("2026-03-13T19:00:00"), second=lambda: ScriptedModel([]))
    told = run_to_end(broken, "let me be told of the bins tomorrow at seven", consent=True)
    assert "Not done without your yes" in told.response


@pytest.mark.parametrize(("time", "done"), [("2026-03-13T19:00:00", 1), ("2026-03-13T07:00:00", 0)])
def test_the_command_reads_again(camphor_at: Camphor, device: Device, tmp_path: Any, time: str, done: int) -> None:
    path = tmp_path / "phone.device.json"
    path.write_text(json.dumps(PHONE), encoding="utf-8")
    call = {"id": "1", "type": "function", "function": {"name": "create_reminders"}}
    call["function"]["arguments"] = json.dumps({"time": time, "content": "Bins"})  # type: ignore[index]
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}).encode()
    with model_server() as server:
        server.says(*[Said(body)] * 3)
        ran = camphor_at("ask", QUERY, "--yes", "--json", "--model", f"{server.url}#scripted", "--device", str(path))
    [action] = json.loads(ran.out)["actions"]
    assert (action["outcome"] == "done") is bool(done), ran.out


@pytest.fixture
def camphor_at(tmp_path: Any) -> Camphor:
    return Camphor(tmp_path / "home")
