"""What a query tells of its person in passing, before any agent hears it, and whether it wishes for more than that."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from camphor.agents.memory.hearing import Hears
from camphor.agents.memory.told_facts import Told, ToldFact, read_fact_model, relations
from camphor.agents.parts import Part, PartKind, parts_of
from camphor.device.text import words
from camphor.device.when import WhenError, parse_range

_MOST_COVERED = 0.6
"""The share of a part's words from which on a fact is all that it says."""
_LONGEST_TIME = 5  # words
_FEWEST = 3  # words that say something by themselves
WORTH_HEARING = 0.03
"""The chance of a clause from which the language model is asked as well: to ask it costs what it had in its cache."""
HEARD, SHIFT = 1.0, 0.0
"""Weight of the log-odds of the language model's hearing beside the reader's own, and what is added to their sum."""
BESIDE = 0.4
"""The chance from which a clause is kept beside one that is surely a fact."""
_QUOTED = re.compile(
    r"\"[^\"]{12,}\"|“[^”]{12,}”|«[^»]{12,}»|(?<!\w)'(?:[^']|(?<=\w)'(?=\w)){12,}'(?!\w)|(?<!\w)‘[^’]{12,}’(?!\w)"
)


@dataclass(frozen=True)
class Listened:
    """What was heard. `facts`: to be kept. `goes_on`: whether the agents are to hear the query as well."""

    facts: tuple[ToldFact, ...] = ()
    goes_on: bool = True


def listen(query: str, answering: bool = False, hears: Hears | None = None) -> Listened:
    """What a query tells.

    Args:
        answering: whether it answers a question of the assistant, which then hears it in any case.
        hears: a second hearing, of texts that may tell something by the first; None where no model learnt to hear.

    Raises:
        ModelMissing: the reader of facts cannot be read.
    """
    floor = read_fact_model().floor
    facts = tuple(_secret(fact) for fact in read(query).facts if not _quoted(fact, query))
    if hears is not None:
        facts = _heard_again(facts, query, hears)
    if any(fact.chance >= floor for fact in facts):  # who tells one thing of themselves often tells the next
        floor = min(floor, BESIDE)
    facts = tuple(fact for fact in facts if fact.chance >= floor)
    goes_on = answering or _wishes_beside(query, facts)
    told = [_named(fact, query) for fact in facts]
    # a clause that another one was kept with says nothing further
    alone = (fact for fact in told if not any(each.start <= fact.start < fact.end < each.end for each in told))
    return Listened(tuple(alone), goes_on)


@lru_cache(maxsize=64)
def read(query: str) -> Told:
    """A query as the model that ships reads it, whatever its chances."""
    return read_fact_model().read(query)


def relation_of(text: str) -> str:
    """The likeliest relation of a fact that was kept without the reader's help."""
    return max(read(text).facts, key=lambda fact: fact.chance).relation.name


def is_secret(text: str) -> bool:
    """Whether a sentence tells a password or the like."""
    return bool(set(_tables()["secret"]["words"].split()) & set(words(text)))


def is_undo(query: str) -> bool:
    """Whether a query takes back what was just kept."""
    return bool(re.fullmatch(_tables()["undo"]["pattern"].strip(), " ".join(words(query.replace("’", "'")))))


def until_of(text: str, now: datetime) -> str:
    """The last day on which a fact holds, ISO 8601: that behind "until"; "" where none can be read or it has passed."""
    until = "|".join(_tables()["until"]["words"].split())
    found = re.search(rf"\b(?:{until})\b(?P<when>.+)", text, re.IGNORECASE)
    said = found["when"].split() if found else []
    for count in range(min(_LONGEST_TIME, len(said)), 0, -1):
        with suppress(WhenError):
            day = parse_range(" ".join(said[:count]).strip(" ,.;!"), now).rsplit("/", 1)[-1][:10]
            return day if day >= now.date().isoformat() else ""
    return ""


@lru_cache(maxsize=1)
def _tables() -> Mapping[str, Any]:
    return tomllib.loads((Path(__file__).parent / "relations.toml").read_text(encoding="utf-8"))


def _heard_again(facts: tuple[ToldFact, ...], query: str, hears: Hears) -> tuple[ToldFact, ...]:
    """The facts with their chances by both hearings. Neither a wish or question nor a secret is heard again: a verdict
    on the whole text must not swallow the one, nor let the other through to a model unrefused."""
    asking = _asking(query)
    again = [
        fact.chance >= WORTH_HEARING
        and fact.relation.mark != "secret"
        and not any(part.start < fact.end and fact.start < part.end for part in asking)
        for fact in facts
    ]
    if not any(again) or (heard := hears(query)) is None:
        return facts
    return tuple(
        replace(fact, chance=_together(fact.chance, heard)) if heard_too else fact
        for fact, heard_too in zip(facts, again, strict=True)
    )


def _together(chance: float, heard: float) -> float:
    """The chance by both hearings."""
    own = math.log(max(chance, 1e-6) / max(1 - chance, 1e-6))
    return 1 / (1 + math.exp(-(own + HEARD * heard + SHIFT)))


def _quoted(fact: ToldFact, query: str) -> bool:
    """Whether a fact stands in somebody else's mouth: inside of quotation marks."""
    return any(found.start() <= fact.start and fact.end <= found.end() for found in _QUOTED.finditer(query))


def _secret(fact: ToldFact) -> ToldFact:
    return replace(fact, relation=relations()["secret"]) if is_secret(fact.text) else fact


def _named(fact: ToldFact, query: str) -> ToldFact:
    """A fact about "she", or of a word or two, with the clause before it: alone it could not be understood."""
    said = words(fact.text.replace("’", "'"))
    alone = len(said) >= _FEWEST and said[0] not in _tables()["pronouns"]["words"].split()
    if alone or not fact.start:
        return fact
    before = [part for part in parts_of(query) if part.end <= fact.start]
    start = before[-1].start if before else fact.start
    return replace(fact, text=query[start : fact.end], start=start)


def _asking(query: str) -> list[Part]:
    """The parts of a query that wish for something or ask."""
    return [part for part in parts_of(query) if part.kind in (PartKind.WISH, PartKind.QUESTION)]


def _wishes_beside(query: str, facts: Sequence[ToldFact]) -> bool:
    """Whether some part of a query that is no fact asks for something."""
    for part in _asking(query):
        covered = sum(max(0, min(part.end, fact.end) - max(part.start, fact.start)) for fact in facts)
        if covered < _MOST_COVERED * (part.end - part.start):
            return True
    return False
