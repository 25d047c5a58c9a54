"""An app that was named and is not there: nothing is done in another."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.app import NOT_UNDERSTOOD, Assistant, predicted_calls, run_to_end
from camphor.device.device import Device
from camphor.models.scripted import ScriptedModel

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
        ("Boleros, but the talking, no song", PODCAST, "play_podcasts"),
    ],
)
def test_what_can_be_done_is(query: str, words: list[str], done: str) -> None:
    assert answer(query, words)[0] == [done]


@pytest.mark.parametrize("claim", ["There's no podcast app on this phone.", "Sorry, Podcasts isn't on this phone."])
def test_an_app_that_is_there_is_not_denied(claim: str) -> None:
    assert answer("play me something quiet, would you", ["task_completion", " []", claim])[1] == NOT_UNDERSTOOD


def test_an_app_that_is_missing_may_be_said_to_be() -> None:
    claim = "There's no mail app on this phone."
    assert answer("put it in a nice letter for Lena", ["task_completion", " []", claim])[1] == claim
