"""What a query tells in passing, by the model that ships: kept with what it needs to be understood."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.agents.memory.listening import is_secret, is_undo, listen, until_of

NOW = datetime(2026, 3, 12, 8, 45)
CHANGED = "I've switched pharmacies, it's the Boots on Dean St now"


def kept(query: str) -> list[str]:
    return [fact.text for fact in listen(query).facts]


def test_a_clause_that_points_back_is_kept_with_the_one_before_and_once() -> None:
    assert kept(CHANGED) == [CHANGED]
    assert not listen(CHANGED).goes_on


@pytest.mark.parametrize(
    "query", ["text Bo that I moved to Leeds", "what's on today", "my train's late", "I could eat a horse", "ring mum"]
)
def test_what_is_wished_asked_or_so_only_today_leaves_nothing_behind(query: str) -> None:
    assert kept(query) == []


def test_what_somebody_else_is_quoted_with_is_not_kept() -> None:
    assert kept(f"she said '{CHANGED}'") == []
    assert kept(f'the note says "{CHANGED}"') == []


def test_an_answer_to_a_question_is_heard_by_the_agents_too() -> None:
    assert listen(CHANGED, answering=True).goes_on


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("mum's staying with us till Sunday", "2026-03-15"),
        ("I'm on nights until 20 March", "2026-03-20"),
        ("I'm on nights until the cows come home", ""),
        ("I worked there until 1 March", ""),
        ("I'm on nights", ""),
    ],
)
def test_the_last_day(text: str, until: str) -> None:
    assert until_of(text, NOW) == until


def test_secrets_and_what_takes_back() -> None:
    assert is_secret("my PIN is 4821")
    assert not is_secret("I pinned it to the wall")
    assert is_undo("No, take that out again.")
    assert not is_undo("take the bins out again")
