"""How a language model that learnt it is asked what a person tells of themselves, beside the small reader's hearing.

The two hear differently: the small one clause by clause (`told_facts`), the large one a whole text, with its jokes and
quotations; together they miss and mistake less than either (docs/LOG.md). The model writes

    tells change hours: I'm on earlies from now on

the effect, relation and words of each fact, several behind one another with a semicolon, or "nothing". So the first
word is the verdict, and how likely it was tells how sure the model is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from camphor.agents.prompts import END, SYSTEM, open_turn
from camphor.agents.verdict import verdict_of
from camphor.models.base import LanguageModel, learnt_by
from camphor.models.weights import HEARING
from camphor.types import Prompt, Segment

Hears = Callable[[str], float | None]
"""The log-odds that a text tells something that lasts, as a language model hears it; None where it says neither."""

ASKED = "What does the person tell of themselves that lasts?"
TELLS, NOTHING = "tells", "nothing"


def hearing_prompt(text: str) -> Prompt:
    """What the model reads; the next thing it writes is the verdict."""
    return (Segment(SYSTEM, special=True), Segment(ASKED), Segment(END + "\n", special=True), *open_turn(text))


def hearing_of(model: LanguageModel) -> Hears | None:
    """How a model hears; None of one that did not learn to."""
    if HEARING not in learnt_by(model):
        return None
    return lambda text: verdict_of(model, hearing_prompt(text), TELLS, NOTHING)


def written(facts: Sequence[tuple[str, str, str]]) -> str:
    """Facts as the model writes them, each an effect, a relation and a clause of the text."""
    told = "; ".join(f"{effect} {relation}: {clause}" for effect, relation, clause in facts)
    return f"{TELLS} {told}" if told else NOTHING
