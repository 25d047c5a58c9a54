"""Which records a question is about: features of every record, and a linear model over them.

The weights are learned from questions written by hand whose records are known (`camphor lab train-answers`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.answering.lexicon import stem, word_list
from camphor.agents.answering.question import Operation, ParsedQuestion, cues
from camphor.agents.answering.stretch import Stretch
from camphor.agents.answering.tables import FieldKind, Row, Table, record_text
from camphor.device.people import find_people
from camphor.device.text import near, text_of, words
from camphor.retrieval.reading.reader import Reader

Vector = npt.NDArray[np.float32]
FEATURES = (
    "coverage", "whole", "title", "cue", "likely", "looked_up", "found", "in_time", "out_of_time", "person",
    "other_person", "fields", "fits", "unfit", "web", "single", "phrase", "newest", "coming", "sentence", "named",
)  # fmt: skip
_UNKNOWN = 4.0
"""What a word tells that no record has."""


@dataclass(frozen=True)
class Candidate:
    """A record that an answer may rest on."""

    table: Table
    row: Row
    features: Vector
    matched: frozenset[str]
    """The stems of the question that it has."""
    score: float = 0.0
    says: tuple[float, ...] = ()
    """How likely it says no, yes and neither to a question of yes or no, where it was read."""
    kinds: tuple[float, ...] = ()
    """How likely the question, read with it, is of each of the reader's kinds."""

    @property
    def read(self) -> bool:
        """Whether it was read together with the question."""
        return bool(self.says)


@dataclass(frozen=True)
class Sight:
    """All that a question can be answered from.

    Attributes:
        tables: the lists. people: contacts.
        looked_up: "app.list" of look-ups that the language model chose, with what they found.
        likely: log-odds by "app.list" that a question of these words is about that list.
    """

    tables: Sequence[Table]
    people: Sequence[Mapping[str, Any]]
    now: datetime
    looked_up: Mapping[str, Sequence[Mapping[str, Any]]]
    likely: Mapping[str, float]
    common: Mapping[str, float]
    """How much a stem tells by how seldom people use it in any query, 0 to 1; one that is not there tells all."""
    similar: Mapping[str, Vector] | None = None

    @cached_property
    def texts(self) -> dict[tuple[str, int], frozenset[str]]:
        return {
            (table.key, row.ordinal): told
            for table in self.tables
            for row, told in zip(table.rows, table.told, strict=True)
        }

    @cached_property
    def rarity(self) -> dict[str, float]:
        """How much a stem tells: the logarithm of one over the share of records that have it."""
        have: Counter[str] = Counter()
        for each in self.texts.values():
            have.update(each)
        return {word: math.log((len(self.texts) + 1) / (count + 0.5)) for word, count in have.items()}


@lru_cache(maxsize=16384)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words(text))


def alike(question: ParsedQuestion, sight: Sight) -> dict[str, dict[str, float]]:
    """For each stem of the question the stems in records that stand for it, and how well: itself, a slip, a synonym."""
    known = sight.rarity
    found: dict[str, dict[str, float]] = {}
    missing = []
    for each in question.content:
        found[each] = {each: 1.0} if each in known else {}
        found[each] |= {other: 0.8 for other in cues()["alike"].get(each, ()) if other in known}
        if not found[each]:
            missing.append(each)
    for each in missing:
        for other in known:
            if (
                len(each) > 3
                and len(other) > 3
                and (other.startswith(each) or each.startswith(other) or (len(each) > 5 and near(each, other)))
            ):
                found[each][other] = 0.85
    return found


def _written(question: ParsedQuestion) -> dict[str, str]:
    """The stems of a question with their words as written; one that begins the sentence has no capital of its own."""
    as_said = {word.casefold(): word for word in re.findall(r"[^\W_]+", question.text)[1:] if word != "I"}
    return {each: as_said.get(word, word) for each, word in question.content.items()}


def persons(question: ParsedQuestion, sight: Sight) -> list[Mapping[str, Any]]:
    """The contacts that a question names, by name or by what they are."""
    said = words(question.text)
    named: list[Mapping[str, Any]] = []
    for person in sight.people:
        names = [word for word in words(str(person.get("name", ""))) if len(word) > 2]
        if any(word in said for word in names) and not person.get("is_self"):
            named.append(person)
    if len(named) > 1:
        full = [each for each in named if all(word in said for word in words(str(each.get("name", ""))))]
        named = full or named
    if not named:
        for word in (form for each in said for form in dict.fromkeys((each, each.removesuffix("s")))):
            if word not in _NO_RELATION and len(word) > 2:
                named += [
                    each
                    for each in find_people(word, [each for each in sight.people if each.get("relationship")])
                    if each not in named and _related(word, each)
                ]
    return named


_NO_RELATION = word_list("no_relation")


def _related(word: str, person: Mapping[str, Any]) -> bool:
    return not any(
        word.startswith(part[:4]) for part in words(str(person.get("name", ""))) if len(part) > 3
    ) or word in words(str(person.get("name", "")))


def rank(question: ParsedQuestion, sight: Sight, weights: Vector) -> list[Candidate]:
    """Every record with its score, the best first."""
    candidates = features_of(question, sight)
    scored = [
        Candidate(each.table, each.row, each.features, each.matched, float(each.features @ weights))
        for each in candidates
    ]
    return sorted(scored, key=lambda each: -each.score)


LOOKED_UP = [FEATURES.index("looked_up"), FEATURES.index("found")]
READ = 16
"""Records that are read with the question."""
_UNREAD = -20.0
_OUTSIDE = 1.0
"""How much likelier what the web says must be than what the phone holds."""


def read_again(question: ParsedQuestion, ranked: Sequence[Candidate], now: datetime, reader: Reader) -> list[Candidate]:
    """The records by the log-odds that the answer rests on each, as the reader says; far down they are unread."""
    first, rest = ranked[:READ], ranked[READ:]
    if not first:
        return []
    features = np.array([each.features for each in first], np.float32)
    features[:, LOOKED_UP] = 0.0  # that a language model found a record makes it no likelier an answer, only nearer
    told = reader.read(question.text, [record_text(each.table, each.row, now) for each in first], features)
    read = [
        replace(each, score=score - _OUTSIDE * (each.table.app == "web"), says=tuple(says), kinds=tuple(kinds))
        for each, score, says, kinds in zip(
            first, told.scores.tolist(), told.says.tolist(), told.kinds.tolist(), strict=True
        )
    ]
    unread = [replace(each, score=_UNREAD) for each in rest]
    return sorted(read, key=lambda each: -each.score) + unread


@dataclass(frozen=True)
class _Terms:
    """The words of a question against all records of a phone.

    Attributes:
        like: for each stem those in records that stand for it, and how well. worth: how much each tells.
        unknown: the same, where no record has it. named: contacts that are named.
        lists: in how many lists' words each stem is. said: stems of all the question's words.
    """

    question: ParsedQuestion
    sight: Sight
    like: Mapping[str, Mapping[str, float]]
    worth: Mapping[str, float]
    unknown: Mapping[str, float]
    named: Sequence[Mapping[str, Any]]
    lists: Counter[str]
    said: frozenset[str]

    def tells(self, word: str) -> float:
        return self.worth[word] or self.unknown[word]


def _terms(question: ParsedQuestion, sight: Sight) -> _Terms:
    like = alike(question, sight)
    rarity, common = sight.rarity, sight.common
    worth = {
        each: max((rarity[other] * share for other, share in found.items()), default=0.0)
        for each, found in like.items()
    }
    unknown = {
        each: (1.6 if written[:1].isupper() else 1.0) * _UNKNOWN * common.get(each, 1.0)
        for each, written in _written(question).items()
    }
    worth = {each: value * (0.35 + 0.65 * common.get(each, 1.0)) for each, value in worth.items()}
    lists: Counter[str] = Counter(word for table in sight.tables for word in table.stems)
    said = question.stems
    return _Terms(question, sight, like, worth, unknown, persons(question, sight), lists, said)


def features_of(question: ParsedQuestion, sight: Sight) -> list[Candidate]:
    """Every record with its features, float32, (len(FEATURES),)."""
    terms = _terms(question, sight)
    found = []
    for table in sight.tables:
        shared = _of_table(terms, table)
        own = table.spoken
        whens = [table.when(row.record) for row in table.rows]
        latest = max((when for when in whens if when), default=None)
        for place, (row, when) in enumerate(zip(table.rows, whens, strict=True)):
            values = shared.copy()
            matched = _matching(terms, table, row, own, values)
            _of_record(terms, table, row, when, values)
            values[17] = float(latest is not None and when == latest)
            if sight.similar is not None and (similar := sight.similar.get(table.key)) is not None:
                values[19] = float(similar[place])
            found.append(Candidate(table, row, values, frozenset(matched)))
    return found


def _of_table(terms: _Terms, table: Table) -> Vector:
    """The features that all records of a list share; the others are 0."""
    question, sight = terms.question, terms.sight
    values = np.zeros(len(FEATURES), np.float32)
    values[3] = min(sum(1 / terms.lists[word] for word in terms.said & table.stems) / 1.5, 2.0)
    values[4] = sight.likely.get(table.key, 0.0)
    values[5] = float(sight.looked_up.get(table.key) is not None)
    values[11] = min(sum(bool(each.words & question.asked) for each in table.fields), 3) / 3
    fits = _fits(question, table)
    values[12], values[13] = float(fits > 0), float(fits < 0)
    values[14] = float(table.app == "web")
    values[15] = float(len(table.rows) == 1 and table.app != "web")
    values[20] = float(bool(question.asked & table.explicit))
    return values


def _matching(terms: _Terms, table: Table, row: Row, own: Set[str], values: Vector) -> dict[str, float]:
    """The stems of the question that a record has, and how well; fills in the features of that.

    Args:
        own: stems that speak of the list and its fields.
    """
    content, text = terms.question.content, terms.sight.texts[table.key, row.ordinal]
    matched = {
        each: max(share for other, share in stands.items() if other in text)
        for each, stands in terms.like.items()
        if any(other in text for other in stands)
    }
    rarity = terms.sight.rarity
    total = sum(terms.tells(each) if each not in own or each in rarity else 1.0 for each in content) or 1.0
    explained = sum(terms.worth[each] * share for each, share in matched.items())
    by_table = sum(min(terms.tells(each), 1.0) for each in content if each not in matched and each in own)
    title = _stems(str(row.record.get(table.title.name, ""))) if table.title else ()
    values[0] = (explained + 0.5 * by_table) / total if content else 0.0
    values[1] = float(bool(content) and len(matched) == len(content))
    values[2] = sum(terms.worth[each] for each in matched if each in title) / total
    return matched


def _of_record(terms: _Terms, table: Table, row: Row, when: datetime | None, values: Vector) -> None:
    """Fill in what a record is by itself: found by a look-up, inside the time, of the person named, still to come."""
    question, sight = terms.question, terms.sight
    looked = sight.looked_up.get(table.key)
    values[6] = float(looked is not None and row.record in looked)
    if question.stretch and when:
        of_time = inside(question, table, row, sight.now)
        values[7], values[8] = float(of_time), float(not of_time)
    if terms.named:
        text = sight.texts[table.key, row.ordinal]
        there = any(_mentions(text, person) for person in terms.named)
        values[9], values[10] = float(there), float(not there)
    values[16] = _phrase(question, text_of(dict(row.record)))
    values[18] = float(when is not None and when >= sight.now)


def inside(question: ParsedQuestion, table: Table, row: Row, now: datetime) -> bool:
    """Whether a record with a time is of the time that a question names."""
    assert question.stretch is not None
    first, last = table.when(row.record), table.ends(row.record)
    assert first is not None
    stretch = question.stretch
    whole = len(str(row.record.get(table.time.name, ""))) == 10 if table.time else False  # a day without an hour

    def meets(stretch: Stretch) -> bool:
        if whole:
            return stretch.first.date() <= (last or first).date() and first.date() <= stretch.last.date()
        return stretch.meets(first, last or first)

    # "on Friday" of what was is the Friday before
    before = question.weekday and stretch.first > now and (question.past or not _ahead(table, now))
    return meets(stretch) or (before and meets(stretch.shifted(-7)))


def _ahead(table: Table, now: datetime) -> bool:
    return any((when := table.when(row.record)) and when > now for row in table.rows)


def _mentions(text: Set[str], person: Mapping[str, Any]) -> bool:
    names = _stems(str(person.get("name", "")))
    return bool(names) and (names[0] in text or (len(names) > 1 and names[-1] in text and len(names[-1]) > 3))


def _fits(question: ParsedQuestion, table: Table) -> int:
    """Whether a list has the kind of field that the question's operation takes: 1, 0 for all the same, -1."""
    if question.operation in (Operation.UNTIL, Operation.FREE, Operation.NEXT):
        return 1 if table.name in ("events", "reminders") or (table.time and not table.said) else -1
    if question.operation in (Operation.SUM, Operation.MEAN, Operation.MOST, Operation.LEAST):
        return 1 if table.of(FieldKind.NUMBER) else -1
    if question.operation is Operation.DURATION:
        return 1 if table.of(FieldKind.END) or table.field("seconds") else 0
    return 0


def _phrase(question: ParsedQuestion, text: str) -> float:
    """The longest run of the question's words that stands in the record as it is, of three words at most."""
    said, there = words(question.text), f" {' '.join(words(text))} "
    best = 0
    for size in (3, 2):
        if best:
            break
        for at in range(len(said) - size + 1):
            run = said[at : at + size]
            if sum(stem(word) in question.content for word in run) >= 2 and f" {' '.join(run)} " in there:
                best = size
                break
    return best / 3
