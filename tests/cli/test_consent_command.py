"""`camphor consent`: rules are made, listed and taken back; what cannot be agreed to for good is refused."""

from __future__ import annotations

import json

import pytest

from tests.doubles.command import Camphor, one_line


def test_a_rule_is_made_listed_and_taken_back(camphor: Camphor) -> None:
    assert "Alice Johnson" in camphor("consent", "always", "send_imessage_message", "--person", "alice").out
    camphor("consent", "never", "create_instagram_post")
    rules = json.loads(camphor("consent", "list", "--json").out)
    assert [(rule["tool"], rule["person"], rule["word"]) for rule in rules] == [
        ("create_instagram_post", "", "never"),
        ("send_imessage_message", "Alice Johnson", "always"),
    ]
    assert camphor("consent", "revoke", "create_instagram_post").status == 0
    assert "send_imessage_message" in camphor("consent", "list").out


def test_everything_stops_until_go(camphor: Camphor) -> None:
    assert camphor("consent", "stop").status == 0
    assert "*" in camphor("consent", "list").out
    assert camphor("consent", "go").status == 0
    ran = camphor("consent", "go")
    assert (ran.status, "not stopped" in one_line(ran.err)) == (2, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["always", "cancel_calendar_event"], "asked about each time"),
        (["always", "get_calendar_event"], "only reads"),
        (["never", "no_such_thing"], "no tool no_such_thing"),
        (["never", "send_imessage_message", "--person", "Nobody Atall"], "is no contact"),
        (["revoke", "send_imessage_message"], "no such rule"),
    ],
)
def test_what_is_wrong_is_one_line(camphor: Camphor, words: list[str], told: str) -> None:
    ran = camphor("consent", *words)
    assert ran.status in (1, 2)
    assert told in one_line(ran.err)
