"""A stranger's mail under a contact's name: its address is never used without the person's own word."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.command import Camphor
from tests.doubles.terminal import Terminal

STRANGER = "fernanda@rent-payments.example"
QUERY = "Email Fernanda that the rent is paid"
LOOK = ["personal_context", '[get_mail_event(theme="Fernanda")]', "task_completion"]
PHONE: dict[str, Any] = {
    "format": "camphor.device/1", "id": "tenant", "owner": "Ines Marques", "now": "2026-03-12T08:45:00",
    "apps": {
        "contacts": {"people": [{"name": "Fernanda Costa", "phone_number": "086 555 0101", "relationship": "Owner"}]},
        "mail": {"messages": [{"sender": f"Fernanda Costa <{STRANGER}>", "recipients": ["ines@example.org"],
                               "subject": "New account", "date": "2026-03-11T10:00:00", "body": "Please pay here."}]},
        "imessage": {"messages": []},
    },
}  # fmt: skip


@pytest.fixture
def tenant(camphor: Camphor, tmp_path: Path) -> str:
    file = tmp_path / "tenant.device.json"
    file.write_text(json.dumps(PHONE), encoding="utf-8")
    assert camphor("device", "import", str(file)).status == 0
    return "tenant"


def journal(camphor: Camphor, name: str) -> list[Any]:
    entries = json.loads(camphor("device", "show", name, "--journal", "--json").out)
    return [entry["call"]["arguments"] for entry in entries]


@pytest.mark.parametrize("receiver", ["Fernanda", "Fernanda Costa", f"Fernanda Costa <{STRANGER}>", STRANGER])
def test_yes_never_covers_it(
    camphor: Camphor, script: Callable[[Sequence[str]], str], tenant: str, receiver: str
) -> None:
    replies = [*LOOK, f'[send_mail(receiver="{receiver}", content="The rent is paid")]']
    ran = camphor("ask", QUERY, "--yes", "--device", tenant, "--model", script(replies))
    assert ran.status == 1
    assert "Not done without your yes" in ran.out
    assert f"{STRANGER} is no contact's" in ran.err
    assert "--yes is no answer to that" in ran.err
    assert journal(camphor, tenant) == []


def test_an_address_that_was_said_is_covered(
    camphor: Camphor, script: Callable[[Sequence[str]], str], tenant: str
) -> None:
    replies = [*LOOK, f'[send_mail(receiver="{STRANGER}", content="The rent is paid")]']
    query = f"Email {STRANGER} that the rent is paid"
    ran = camphor("ask", query, "--yes", "--device", tenant, "--model", script(replies))
    assert ran.status == 0, ran.err
    assert [each["receiver"] for each in journal(camphor, tenant)] == [STRANGER]


def test_the_card_shows_the_bare_address_and_says_where_it_stands(
    camphor: Camphor, script: Callable[[Sequence[str]], str], tenant: str, terminal: Callable[..., Terminal]
) -> None:
    replies = [*LOOK, '[send_mail(receiver="Fernanda", content="The rent is paid")]']
    shown = terminal("ask", QUERY, "--device", tenant, "--model", script(replies))
    shown.wait_for("Do it?")
    card = shown.text[shown.text.index("→") :]
    assert f"Fernanda ({STRANGER})" not in card
    assert "stands in the header of a mail (“New account”) beside the name Fernanda Costa" in card
    shown.type("yes\n")
    assert shown.end() == 0
    assert [each["receiver"] for each in journal(camphor, tenant)] == [STRANGER]
