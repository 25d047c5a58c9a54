"""Reads the bank of implicit queries (`bank/README.md`) and checks every wording."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from camphor.errors import DatasetError
from camphor_lab.datasets.context.intents import ANY, INTENTS, QueryIntent
from camphor_lab.datasets.files import read_toml

ROOT = Path(__file__).parent / "bank"
SPLITS = ("train", "test")
VALUES = ("grocery", "packing", "tweak", "playlist")
_PRONOUNS = ("they", "them", "their")
_SLOT = re.compile(r"\{(\w*)\}")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_MARKED = re.compile(r"<([^<>]*)>")


@dataclass(frozen=True)
class QueryPhrase:
    """One wording of an intent; `kinds` are all kinds of threads that it could mean."""

    intent: QueryIntent
    kinds: tuple[str, ...]
    text: str

    @property
    def slots(self) -> frozenset[str]:
        return frozenset(_SLOT.findall(self.text))


@dataclass(frozen=True)
class Wording:
    """A phrase with its alternatives chosen and its slots filled; `kept` are words that must stay as they are."""

    text: str
    marked: str
    kept: tuple[str, ...]


@dataclass(frozen=True)
class QueryBank:
    """The phrases of one split, and what fills its slots."""

    split: str
    phrases: tuple[QueryPhrase, ...]
    values: Mapping[str, tuple[str, ...]]

    def of(self, intent: str) -> list[QueryPhrase]:
        return [phrase for phrase in self.phrases if phrase.intent.name == intent]


def read_bank(split: str, folder: Path = ROOT) -> QueryBank:
    """One split of a bank, checked.

    Raises:
        DatasetError: a file cannot be read, or wordings are wrong: says all that is wrong.
    """
    files = sorted((folder / split).glob("*.toml"))
    if not files:
        raise DatasetError(str(folder / split), None, "holds no .toml files with wordings")
    phrases: list[QueryPhrase] = []
    values: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for path in files:
        for name, table in _load(path).items():
            if name == "values":
                values.update({key: (*values.get(key, ()), *_texts(path, key, some)) for key, some in table.items()})
            elif name not in INTENTS:
                problems.append(f"{path.name}: there is no intent {name}")
            else:
                for phrase in _phrases(path, INTENTS[name], table):
                    phrases.append(phrase)
                    problems += (f"{path.name}, {name}: {phrase.text!r} {each}" for each in _problems(phrase))
    needed = {slot for phrase in phrases for slot in phrase.slots if slot in VALUES}
    problems += (f"no values for {{{slot}}}" for slot in sorted(needed - set(values)))
    if problems:
        shown = "\n  ".join(problems[:40])
        raise DatasetError(str(folder / split), None, f"{len(problems)} problems:\n  {shown}")
    return QueryBank(split, tuple(phrases), values)


def _load(path: Path) -> dict[str, Any]:
    found = read_toml(path)
    loose = next((name for name, table in found.items() if not isinstance(table, dict)), None)
    if loose:
        raise DatasetError(str(path), None, f"{loose}: expected a table of lists")
    return found


def _texts(path: Path, key: str, found: Any) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(text, str) and text.strip() for text in found):
        raise DatasetError(str(path), None, f"{key}: expected a list of texts")
    return tuple(found)


def _phrases(path: Path, intent: QueryIntent, table: Mapping[str, Any]) -> Iterator[QueryPhrase]:
    for key, texts in table.items():
        kinds = intent.kinds if key == ANY else tuple(key.split())
        unknown = [kind for kind in kinds if kind not in intent.kinds]
        if unknown:
            raise DatasetError(str(path), None, f"{intent.name}: it has no kind {unknown[0]}")
        for text in _texts(path, f"{intent.name}, {key}", texts):
            yield QueryPhrase(intent, kinds, text)


def _problems(phrase: QueryPhrase) -> Iterator[str]:
    needed = {slot for slot, _ in phrase.intent.slots}
    for slot in sorted(phrase.slots - needed - set(_PRONOUNS)):
        yield f"has {{{slot}}}, which this intent does not take"
    bare = _CHOICE.sub("", phrase.text)
    for slot in sorted(needed - set(_SLOT.findall(bare))):
        yield f"lacks {{{slot}}}"
    if "<" in phrase.text and (not phrase.intent.text or not _MARKED.search(phrase.text)):
        yield "marks words, and no plan copies them"
    if _CHOICE.search(bare) or any(sign in bare for sign in "[]"):
        yield "has brackets that do not match"


def fill(phrase: QueryPhrase, words: Mapping[str, str], rng: Random) -> Wording:
    """A wording: alternatives drawn, slots replaced by `words`."""
    text = _CHOICE.sub(lambda found: rng.choice(found[1].split("|")), phrase.text)
    text = re.sub(r"\s+([,.;:?!])", r"\1", " ".join(text.split()))
    text = _SLOT.sub(lambda found: words[found[1]], text)
    begin = 1 if text.startswith("<") else 0
    text = text[:begin] + text[begin : begin + 1].upper() + text[begin + 1 :]
    found = _MARKED.search(text)
    marked = found[1] if found else text if phrase.intent.text else ""
    plain = text.replace("<", "").replace(">", "")
    kept = [words[slot] for slot in phrase.slots if slot not in _PRONOUNS]
    return Wording(plain, marked, tuple(filter(None, (marked, *kept))))
