"""How a language model that learnt it judges whether a query means an item of the phone, beside the ranker's score.

The ranker weighs what it knows of thousands of items and reads none of them; the model reads the query together with
one item after the other, of the few that the ranker puts first, and writes "yes" or "no". What the queries say and when
stands before the item, so that it is evaluated once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from camphor.agents.display import show_record
from camphor.agents.prompts import END, SYSTEM, open_turn
from camphor.device.when import show_time
from camphor.retrieval.context.query import UseSituation
from camphor.types import Prompt, Segment

Judges = Callable[[str], float | None]

ASKED = "Is this what the person means?"
MEANT, OTHER = "yes", "no"
LONGEST = 170
"""Characters of a record that are read: about 50 tokens."""
_LONGEST_SCREEN, _LONGEST_VALUE = 80, 90
_SAYS_NOTHING = frozenset(("url", "recipients", "email", "phone_number"))


def meant_prompt(query: str, situation: UseSituation, item: str) -> Prompt:
    """What the model reads of a query and an item (`item_line`); the next thing that it writes is the verdict."""
    place = f", {situation.place}" if situation.place else ""
    screen = f"\nScreen: {' '.join(situation.screen.split())[:_LONGEST_SCREEN]}" if situation.screen.strip() else ""
    asked = f"{ASKED}\n{query}\nNow: {show_time(situation.now, 0)}{place}{screen}"
    return (Segment(SYSTEM, special=True), Segment(asked), Segment(END + "\n", special=True), *open_turn(item))


def item_line(app: str, record: Mapping[str, Any], use: str, year: int) -> str:
    """An item as the model reads it: its app, its record cut to `LONGEST`, and its use (`use_line`), if that is known."""
    short = {
        name: value if not isinstance(value, str) or len(value) <= _LONGEST_VALUE else f"{value[:_LONGEST_VALUE]}..."
        for name, value in record.items()
        if name not in _SAYS_NOTHING
    }
    shown = f"{app}: {show_record(short, year)[:LONGEST]}"
    return f"{shown}\nused: {use}" if use else shown
