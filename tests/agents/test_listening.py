"""What a query tells in passing, by the model that ships: kept with what it needs to be understood."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.agents.memory.hearing import NOTHING, TELLS, Hears, written
from camphor.agents.memory.listening import is_secret, is_undo, listen, until_of
from camphor.agents.verdict import MOST, log_odds
from camphor.models.base import Reply

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


def hearing(odds: float | None) -> Hears:
    return lambda text: odds


@pytest.mark.parametrize(
    "query",
    [
        "I work nights now, set my alarm for 4pm",
        "I moved to Cork last week, remind me to call Ana at 5",
        "My dentist is Dr Ode now. Call her at 5 and text Ana that I'll be late",
    ],
)
def test_a_second_hearing_swallows_no_wish(query: str) -> None:
    heard = listen(query, hears=hearing(MOST))
    assert heard.goes_on
    assert not any(word in fact.text for fact in heard.facts for word in ("alarm", "remind", "text Ana"))


def test_a_second_hearing_speaks_for_and_against() -> None:
    assert kept(CHANGED)
    assert not listen(CHANGED, hears=hearing(-3 * MOST)).facts
    assert listen(CHANGED, hears=hearing(None)) == listen(CHANGED)


def test_a_secret_is_refused_whatever_is_heard_and_no_model_is_shown_it() -> None:
    asked: list[str] = []

    def hears(text: str) -> float:
        asked.append(text)
        return -MOST

    (fact,) = listen("the wifi password is hunter2", hears=hears).facts
    assert fact.relation.mark == "secret"
    assert listen("what's the weather", hears=hears).facts == ()
    assert asked == []


@pytest.mark.parametrize(
    ("text", "logprob", "least", "most"),
    [
        ("tells", -0.1, 2.2, 2.3),
        ("t", -0.1, 2.2, 2.3),
        ("nothing", -0.1, -2.3, -2.2),
        ("nothing", -2.0, 0.0, 0.0),  # the likeliest of many unlikely ones is no proof of the other
        ("tells", 0.0, MOST, MOST),
        ("nothing", 0.0, -MOST, -MOST),
    ],
)
def test_the_first_word_is_the_verdict(text: str, logprob: float, least: float, most: float) -> None:
    odds = log_odds(Reply(text, mean_logprob=logprob), TELLS, NOTHING)
    assert odds is not None
    assert least <= odds <= most


@pytest.mark.parametrize(("text", "logprob"), [("personal", -0.1), ("", -0.1), ("tells", None), ("task", 0.0)])
def test_what_is_no_verdict_is_no_evidence(text: str, logprob: float | None) -> None:
    assert log_odds(Reply(text, mean_logprob=logprob), TELLS, NOTHING) is None


def test_facts_are_written_behind_the_verdict() -> None:
    facts = [("change", "hours", "I'm on earlies now"), ("new", "pet", "a dog called Bo")]
    assert written(facts) == "tells change hours: I'm on earlies now; new pet: a dog called Bo"
    assert written([]) == "nothing"
