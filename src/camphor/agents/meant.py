"""How a language model that learnt it judges whether a query means an item of the phone, beside the ranker's score.

The ranker weighs what it knows of thousands of items and reads none of them; the model reads the query together with
one item after the other, of the few that the ranker puts first, and writes "yes" or "no". What the queries say and when
stands before the item, so that it is evaluated once for all of them. Only a query that leaves something unsaid is read
so: each item takes a tenth of a second.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from camphor.agents.display import show_record
from camphor.agents.prompts import END, SYSTEM, open_turn
from camphor.agents.relevant import LEFT_UNSAID
from camphor.agents.verdict import verdict_of
from camphor.device.when import show_time
from camphor.models.base import LanguageModel, learnt_by
from camphor.models.weights import JUDGING
from camphor.types import Prompt, Segment

if TYPE_CHECKING:
    from camphor.retrieval.context.query import UseSituation
    from camphor.retrieval.context.relevance import Judge, Relevant

ASKED = "Is this what the person means?"
MEANT, OTHER = "yes", "no"
LONGEST = 170
"""Characters of a record that are read: about 50 tokens."""
JUDGED = 1.0
"""What a verdict's log-odds weigh beside the logarithm of the ranker's share."""
_LONGEST_SCREEN, _LONGEST_VALUE = 80, 90
_SAYS_NOTHING = frozenset(("url", "recipients", "email", "phone_number"))


def meant_prompt(query: str, situation: UseSituation, item: str) -> Prompt:
    """What the model reads of a query and an item (`item_line`); the next thing that it writes is the verdict."""
    place = f", {situation.place}" if situation.place else ""
    screen = f"\nScreen: {' '.join(situation.screen.split())[:_LONGEST_SCREEN]}" if situation.screen.strip() else ""
    asked = f"{ASKED}\n{query}\nNow: {show_time(situation.now, 0)}{place}{screen}"
    return (Segment(SYSTEM, special=True), Segment(asked), Segment(END + "\n", special=True), *open_turn(item))


def item_line(app: str, record: Mapping[str, Any], use: str, year: int) -> str:
    """An item as the model reads it: its app, its record cut to `LONGEST`, and its use (`use_line`) if it is known."""
    short = {name: _short(value) for name, value in record.items() if name not in _SAYS_NOTHING}
    shown = f"{app}: {show_record(short, year)[:LONGEST]}"
    return f"{shown}\nused: {use}" if use else shown


def _short(value: Any) -> Any:
    long = isinstance(value, str) and len(value) > _LONGEST_VALUE
    return f"{value[:_LONGEST_VALUE]}..." if long else value


def judging(model: LanguageModel) -> Judge | None:
    """How a model judges the items that a ranker puts first; None of one that did not learn to."""
    if JUDGING not in learnt_by(model):
        return None

    def judge(query: str, situation: UseSituation, items: Sequence[Relevant]) -> Sequence[Relevant]:
        if not items or not items[0].known or items[0].unsaid < LEFT_UNSAID:
            return items
        lines = (item_line(item.app, item.record, item.use, situation.now.year) for item in items)
        verdicts: list[float] = []
        for line in lines:
            verdict = verdict_of(model, meant_prompt(query, situation, line), MEANT, OTHER)
            if verdict is None:
                return items  # without a verdict of each they are as sure as they were
            verdicts.append(verdict)
        return weighed(items, verdicts)

    return judge


def weighed(items: Sequence[Relevant], verdicts: Sequence[float]) -> Sequence[Relevant]:
    """Items as sure as ranker and verdicts together make them; in all as likely as before."""
    shares = [item.sure * math.exp(JUDGED * verdict) for item, verdict in zip(items, verdicts, strict=True)]
    whole = sum(item.sure for item in items) / (sum(shares) or 1.0)
    return [replace(item, sure=share * whole) for item, share in zip(items, shares, strict=True)]
