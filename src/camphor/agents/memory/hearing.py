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

Hears = Callable[[str], float]
"""The log-odds that a text tells something that lasts, as a language model hears it."""

ASKED = "What does the person tell of themselves that lasts?"
TELLS, NOTHING = "tells", "nothing"
_LEAST = 1e-6  # chance


def hearing_prompt(text: str) -> Prompt:
    """What the model reads; the next thing it writes is the verdict."""
    return (Segment(SYSTEM, special=True), Segment(ASKED), Segment(END + "\n", special=True), *open_turn(text))


def log_odds(verdict: Reply) -> float:
    """How sure a model was of the first word that it wrote: above 0 where that tells something, below where nothing."""
    chance = math.exp(verdict.mean_logprob or 0.0)
    odds = math.log(max(chance, _LEAST) / max(1 - chance, _LEAST))
    return -odds if verdict.text.strip().startswith(NOTHING) else odds


def written(facts: Sequence[tuple[str, str, str]]) -> str:
    """Facts as the model writes them, each an effect, a relation and a clause of the text."""
    told = "; ".join(f"{effect} {relation}: {clause}" for effect, relation, clause in facts)
    return f"{TELLS} {told}" if told else NOTHING
