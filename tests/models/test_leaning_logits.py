"""What speaks for a name is added where the name is written, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from camphor.models.constraint import Leaning

PIECES = [" [", " []", "plan", "play", "_trip", "_day", "_music", '("', " plan", " play", ")]", ";", "plan_trip("]
NATS = (("plan_trip", 3.0), ("plan_day", 1.0), ("play_music", -2.0))


def added(written: str, *tokens: str) -> list[float]:
    """What is added to the logits of these tokens, where all are allowed."""
    leaning = Leaning(NATS, lambda token: PIECES[token].encode())
    logits = np.zeros(len(PIECES), np.float32)
    weighed = leaning.weigh(written, logits, np.ones(len(PIECES), np.bool_))
    assert not logits.any()  # they are not changed in place
    return [float(weighed[PIECES.index(token)]) for token in tokens]


@pytest.mark.parametrize(("written", "lead"), [(" [", ""), (' [play_music(title="a; [b");', " ")])
def test_a_beginning_gets_the_most_of_its_names(written: str, lead: str) -> None:
    assert added(written, f"{lead}plan", f"{lead}play") == [3.0, -2.0]


def test_later_tokens_add_what_is_missing_so_that_each_name_has_its_own_sum() -> None:
    assert added(" [plan", "_trip", "_day") == [0.0, -2.0]
    assert added(" [plan_day", '("') == [0.0]


def test_a_token_that_holds_the_whole_name_gets_all_at_once() -> None:
    assert added(" [", "plan_trip(") == [3.0]


@pytest.mark.parametrize("written", [' [play_music(title="', " [play_music(", ' [play_music(title="plan"'])
def test_values_are_as_they_were(written: str) -> None:
    assert added(written, *PIECES) == [0.0] * len(PIECES)


def test_no_call_is_as_likely_as_before() -> None:
    assert added("", " [", " []") == [0.0, 0.0]
    assert added(' [play_music(title="a"', ")]", ";") == [0.0, 0.0]


def test_what_the_grammar_does_not_allow_is_not_looked_at() -> None:
    leaning = Leaning(NATS, lambda token: PIECES[token].encode())
    allowed = np.zeros(len(PIECES), np.bool_)
    assert not leaning.weigh(" [", np.zeros(len(PIECES), np.float32), allowed).any()
