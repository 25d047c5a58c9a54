"""An app that was named and is not there: nothing is done in another."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.agents.policies.missing_app import absent_app
from camphor.app import NOT_UNDERSTOOD, Assistant, predicted_calls, run_to_end
from camphor.device.device import Device
from camphor.models.base import ScriptedModel
from camphor.types import Call

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test",
    "owner": "Kathi Huber",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Vienna",
    "location": {"city": "Linz"},
    "apps": {
        "contacts": {"people": [{"name": "Lena Auer", "phone": "+43 660 555 0101"}]},
        "imessage": {"messages": []},
        "calendar": {"events": []},
        "podcasts": {"history": []},
    },
}
PROTON = {
    "name": "proton_send",
    "kind": "action",
    "description": "Send an email.",
    "parameters": {"type": "object", "properties": {"to": {"type": "string"}}, "required": []},
}
MESSAGE = ["task_completion", ' [send_imessage_message(receiver="Lena", content="I am late")]']
EVENT = ["task_completion", ' [create_calendar_event(time="tomorrow at 9", event_title="Vet")]']
PODCAST = ["task_completion", ' [play_podcasts(title="Boleros")]']


def answer(query: str, words: list[str]) -> tuple[list[str], str]:
    with Device.create(None, PHONE) as device:
        answered = run_to_end(Assistant(device, ScriptedModel(words)), query, consent=True)
    return [call.name for call in predicted_calls(answered)], answered.response


@pytest.mark.parametrize(
    ("query", "words", "app"),
    [
        ("mail Lena that I am late", MESSAGE, "mail"),
        ("write Lena an e-mail, I am late", MESSAGE, "mail"),
        ("Remind me of the vet tomorrow at 9", EVENT, "reminders"),
    ],
)
def test_nothing_is_done_in_another_app(query: str, words: list[str], app: str) -> None:
    assert answer(query, words) == ([], f"There is no {app} app on this phone, so I did nothing.")


@pytest.mark.parametrize(
    ("query", "words", "done"),
    [
        ("text Lena that I am late, she asked in her mail", MESSAGE, "send_imessage_message"),
        ("tell Lena that I am late", MESSAGE, "send_imessage_message"),
        ("don't remind me, just put the vet down tomorrow at 9", EVENT, "create_calendar_event"),
        ("Boleros, but the talking, not my music", PODCAST, "play_podcasts"),
        ("tell Lena that I am late instead of a mail", MESSAGE, "send_imessage_message"),
    ],
)
def test_what_can_be_done_is(query: str, words: list[str], done: str) -> None:
    assert answer(query, words)[0] == [done]


@pytest.mark.parametrize("claim", ["There's no podcast app on this phone.", "Sorry, Podcasts isn't on this phone."])
def test_an_app_that_is_there_is_not_denied(claim: str) -> None:
    assert answer("play me something quiet, would you", ["task_completion", " []", claim])[1] == NOT_UNDERSTOOD


def test_an_app_that_is_missing_may_be_said_to_be() -> None:
    claim = "Sorry, there's no mail app on this phone, and it has 3 others."
    told = "There is no mail app on this phone, so I cannot do that."
    assert answer("put it in a nice letter for Lena", ["task_completion", " []", claim])[1] == told


def test_an_app_that_is_missing_can_be_downloaded() -> None:
    phone = {**PHONE, "apps": {**PHONE["apps"], "appstore": {"history": []}}}
    words = ["task_completion", ' [download_appstore_app(app_name="Instagram")]']
    with Device.create(None, phone) as device:
        assert run_to_end(Assistant(device, ScriptedModel(words)), "get me Instagram, please", consent=True).proposed


def said(query: str, name: str, **values: str) -> str:
    apps = {**PHONE["apps"], "club": {"description": "Club", "tools": [PROTON], "records": {}}}
    with Device.create(None, {**PHONE, "apps": apps if "proton" in query else PHONE["apps"]}) as device:
        return absent_app(query, [Call(name, values)], device.toolbox)


def test_words_of_the_message_ask_for_no_app() -> None:
    assert said("tell Lena that the mail has come", "send_imessage_message", content="The mail has come") == ""
    assert "no mail app" in said("mail Lena that it has come", "send_imessage_message", content="It has come")


def test_an_app_that_is_not_built_in_may_do() -> None:
    assert said("mail Lena by proton that it has come", "send_imessage_message", content="It has come") == ""


def test_a_follow_up_may_take_the_other_way() -> None:
    with Device.create(None, PHONE) as device:
        assistant = Assistant(device, ScriptedModel([*MESSAGE, *MESSAGE]))
        run_to_end(assistant, "mail Lena that I am late", consent=True)
        assert run_to_end(assistant, "then tell her, if there is no mail", consent=True).proposed
