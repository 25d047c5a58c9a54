"""The words that lives are made of (`bank/lives`), of one split: a topic of training never stands in a test life.

Lists named `topics`, `titles`, `albums` and `contents` are divided by a hash; forms, senders, rooms and streets
are shared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from camphor_lab.datasets.bank import SLOT, choose_split
from camphor_lab.datasets.files import read_toml

ROOT = Path(__file__).parent / "bank" / "lives"
APART = ("topics", "titles", "albums", "contents")
Topic = Mapping[str, str]


class LifeWords:
    """One split's words.

    Args:
        split: `train` or `test`.
    """

    def __init__(self, split: str) -> None:
        self.split = split
        self._views: dict[tuple[str, str], tuple[str, ...]] = {}
        self._topics: dict[str, tuple[Topic, ...]] = {}

    def lines(self, table: str, key: str = "topics") -> Sequence[str]:
        """The lines of a table. Raises: LookupError: there are none."""
        view = self._views.get((table, key))
        if view is None:
            lines = load()[table][key]
            view = self._views[table, key] = choose_split(lines, self.split) if key in APART else tuple(lines)
        return view

    def topics(self, table: str, key: str = "topics") -> Sequence[Topic]:
        """A table's topics as fields; a table without `fields` has `what` alone."""
        kept = self._topics.get(table)
        if kept is None:
            names = str(load()[table].get("fields", "what")).split("|")
            kept = tuple(dict(zip(names, line.split("|"), strict=True)) for line in self.lines(table, key))
            self._topics[table] = kept
        return kept

    def suits(self, table: str, pronoun: str, age: int) -> Callable[[Topic], bool]:
        """Whether a topic of a table suits a person's age and sex; its list `limits` names those that suit not all."""
        limits = dict(line.split("|", 1) for line in load()[table].get("limits", ()))

        def suits(topic: Topic) -> bool:
            who, ages = limits.get(next(iter(topic.values())), "any|0-120").split("|")
            low, high = map(int, ages.split("-"))
            return who in ("any", pronoun) and low <= age <= high

        return suits

    def pick(self, rng: Random, table: str, key: str) -> str:
        return rng.choice(self.lines(table, key))


def one(rng: Random, text: str) -> str:
    """One of the alternatives that " / " divides."""
    return rng.choice(text.split(" / "))


def some(rng: Random, text: str, most: int) -> list[str]:
    """Some of the alternatives, at most so many, in any order."""
    parts = text.split(" / ")
    return rng.sample(parts, min(len(parts), most))


def fill(form: str, values: Mapping[str, Any]) -> str:
    """Puts values into a form's slots; a slot in capitals ("{What}") takes its value with a capital letter.

    Raises:
        KeyError: a slot has no value.
    """

    def value(slot: str) -> str:
        text = str(values[slot if slot in values else slot.lower()])
        return text[:1].upper() + text[1:] if slot[0].isupper() else text

    return SLOT.sub(lambda found: value(found.group(1)), form)


@lru_cache(maxsize=1)
def load() -> dict[str, Any]:
    """All tables of `bank/lives`; each stands in one file."""
    tables: dict[str, Any] = {}
    for path in sorted(ROOT.glob("*.toml")):
        tables.update(read_toml(path))
    return tables
