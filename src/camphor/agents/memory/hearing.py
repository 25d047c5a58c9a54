"""How a language model that learnt it is asked what a person tells of themselves, beside the small reader's hearing.

The two hear differently: the small one clause by clause (`told_facts`), the large one a whole text, with its jokes and
quotations; together they miss and mistake less than either (docs/LOG.md). The model writes

    tells change hours: I'm on earlies from now on

the effect, relation and words of each fact, several behind one another with a semicolon, or "nothing". So the first
word is the verdict, and how likely it was tells how sure the model is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from camphor.agents.prompts import END, SYSTEM, open_turn
from camphor.models.base import Reply
from camphor.types import Prompt, Segment

Hears = Callable[[str], float | None]
"""The log-odds that a text tells something that lasts, as a language model hears it; None where it says neither."""

ASKED = "What does the person tell of themselves that lasts?"
TELLS, NOTHING = "tells", "nothing"
MOST = 6.0
"""Log-odds beyond which a verdict is no surer: a model that was tuned on few lines is too sure of itself."""


def hearing_prompt(text: str) -> Prompt:
    """What the model reads; the next thing it writes is the verdict."""
    return (Segment(SYSTEM, special=True), Segment(ASKED), Segment(END + "\n", special=True), *open_turn(text))


def log_odds(verdict: Reply) -> float | None:
    """How sure a model was of the beginning of its verdict: above 0 where that is `TELLS`, below where it is `NOTHING`,
    within `MOST`; None where it is neither."""
    said = verdict.text.strip()
    if not said or verdict.mean_logprob is None or not any(word.startswith(said) for word in (TELLS, NOTHING)):
        return None
    against = -math.expm1(verdict.mean_logprob)  # the chance of all else
    odds = MOST if against <= 0 else min(max(verdict.mean_logprob - math.log(against), 0.0), MOST)
    return odds if TELLS.startswith(said) else -odds


def written(facts: Sequence[tuple[str, str, str]]) -> str:
    """Facts as the model writes them, each an effect, a relation and a clause of the text."""
    told = "; ".join(f"{effect} {relation}: {clause}" for effect, relation, clause in facts)
    return f"{TELLS} {told}" if told else NOTHING
