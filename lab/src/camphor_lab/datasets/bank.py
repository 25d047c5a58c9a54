"""Reads the hand-written language (`bank/`) and divides it by hash: a sentence is for training or for the test."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from camphor.device.text import words
from camphor_lab.datasets.files import read_toml

ROOT = Path(__file__).parent / "bank"
SLOT = re.compile(r"\{(\w+)\}")
TEST_SHARE = 0.2
# Lists of what is said, written, searched, played, ordered or cancelled: no value of one split stands in the other.
SAID = ("ask", "excuse", "new", "note", "post", "quote", "search", "task", "tell", "thing", "to")
APART = frozenset((*SAID, "apps", "events", "items", "medications", "podcasts", "songs"))


def split_of(text: str) -> str:
    """`train` or `test`, for good: four of five sentences are for training."""
    return "test" if hashlib.sha1(text.encode()).digest()[0] < 256 * TEST_SHARE else "train"


def choose_split(lines: Iterable[str], split: str) -> tuple[str, ...]:
    """The lines of one split; a list so short that a split would be empty gives its line nearest to the border."""
    ordered = sorted(set(lines), key=lambda line: hashlib.sha1(line.encode()).digest())
    test = [line for line in ordered if split_of(line) == "test"] or ordered[:1]
    if split == "test":
        return tuple(test)
    train = [line for line in ordered if line not in test]
    return tuple(train or ordered)


def split_of_value(line: str) -> str:
    """The split of a content line, by the first thing that it makes a person write: equal values share a split."""
    value = read_said(line.partition(" => ")[0].partition("|")[0] if " -> " not in line else line).written[0]
    return split_of("value:" + " ".join(words(value)))


def split_of_app(name: str, app: Mapping[str, Any]) -> str:
    """The split that an invented app belongs to as a whole: by its `split` key, or by a hash of its name."""
    return str(app.get("split") or split_of(f"app:{name}"))


@dataclass(frozen=True)
class Utterance:
    """What is said, and the right ways to write it; the first is the best."""

    said: str
    written: tuple[str, ...]


def read_said(line: str) -> Utterance:
    said, arrow, written = line.partition(" -> ")
    if not arrow:
        return Utterance(said, (said[:1].upper() + said[1:],))
    return Utterance(said, tuple(part.strip() for part in written.split(" | ")))


def slots_of(line: str) -> set[str]:
    return set(SLOT.findall(line))


def fill(line: str, values: Mapping[str, str]) -> str:
    """Put values into a line's slots; a slot without a value stays as it is."""
    return SLOT.sub(lambda found: values.get(found.group(1), found.group(0)), line)


class Bank:
    """One split's view of the language.

    Args:
        split: `train` or `test`. Sentence skeletons, personas, invented apps and the values of `APART` differ between
            them; the rest is shared.
    """

    def __init__(self, split: str) -> None:
        self.split = split
        raw = load()
        self.content: Mapping[str, list[str]] = {
            kind: [line for line in lines if kind not in APART or split_of_value(line) == split]
            for kind, lines in raw["content"].items()
        }
        self.apps: Mapping[str, dict[str, Any]] = {
            name: app for name, app in raw["apps"].items() if split_of_app(name, app) == split
        }
        self.personas: Mapping[str, dict[str, list[str]]] = raw["personas"]
        self._requests: Mapping[str, dict[str, Any]] = raw["requests"]
        self._views: dict[tuple[str, str], tuple[str, ...]] = {}

    def table(self, situation: str) -> Mapping[str, Any]:
        return self._requests.get(situation, {})

    def situations(self, prefix: str = "") -> list[str]:
        return sorted(name for name in self._requests if name.startswith(prefix))

    def lines(self, situation: str, key: str) -> tuple[str, ...]:
        view = self._views.get((situation, key))
        if view is None:
            view = choose_split(self._requests.get(situation, {}).get(key, ()), self.split)
            self._views[situation, key] = view
        return view

    def pick(self, rng: Random, situation: str, key: str) -> str:
        """A line of a situation.

        Raises:
            LookupError: the bank has none.
        """
        lines = self.lines(situation, key)
        if not lines:
            raise LookupError(f"the bank has no {key} lines for {situation}")
        return rng.choice(lines)

    def say(self, rng: Random, kind: str) -> Utterance:
        return read_said(rng.choice(self.content[kind]))


@lru_cache(maxsize=1)
def load() -> dict[str, Any]:
    """The whole bank, merged over its files."""
    merged: dict[str, Any] = {"content": {}, "requests": {}, "apps": {}, "personas": {}}
    for path in sorted(ROOT.glob("*/*.toml")):
        tables = read_toml(path)
        folder = path.parent.name
        if folder == "apps":
            merged["apps"].update(tables.get("apps", {}))
            continue
        merged["personas"].update(tables.pop("personas", {}))
        if path.name.startswith("joins"):
            tables = {"joins": tables}
        _merge(merged[folder], tables)
    return merged


def _merge(into: dict[str, Any], tables: Mapping[str, Any]) -> None:
    for name, value in tables.items():
        if isinstance(value, list):
            into[name] = [*into.get(name, []), *value]
        elif isinstance(value, dict):
            _merge(into.setdefault(name, {}), value)
        else:
            into[name] = value


A_SHARE = 4 / 700  # of a test split, for one skeleton
LEAST = 4  # uses of a skeleton that are always allowed


class Spread:
    """What has been used so far.

    Args:
        most: uses of one skeleton; None: any number (training may repeat itself).
        used: uses before.
    """

    def __init__(self, most: int | None, used: Mapping[str, int] | None = None) -> None:
        self.most = most
        self._used: Counter[str] = Counter(used or {})

    def open(self, lines: Iterable[str]) -> tuple[str, ...]:
        """The skeletons that may still be used."""
        if self.most is None:
            return tuple(lines)
        return tuple(line for line in lines if self._used[line] < self.most)

    def fits(self, lines: Iterable[str]) -> bool:
        """True where all of the skeletons may still be used."""
        return self.most is None or all(self._used[line] < self.most for line in lines)

    def add(self, lines: Iterable[str]) -> None:
        self._used.update(lines)


def most_of(items: int) -> int:
    """How often one skeleton may stand in a test split that has so many items by now."""
    return max(LEAST, int(items * A_SHARE))


def strings(value: Any) -> Iterable[str]:
    """Every text in a device file: what a look-up shows can be copied from there."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)
