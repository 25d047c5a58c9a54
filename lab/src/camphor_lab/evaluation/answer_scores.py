"""The verdict on one answer: right, abstained, false, or wrong without being false.

An answer is *false* when it states what is not so: a piece that must not be there, a figure, time, day, number or
address that stands neither in the gold records nor in the query, or that nothing is there where there is something. It
is *abstained* when it says that it does not know or asks back, and *incomplete* when it says too little. What a right
answer has to say is the item's `answer` (data/README.md, "Answers").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from camphor.device.text import words
from camphor_lab.evaluation.stated import ABSTAINS, AFFIRMS, DENIES, NEGATES, UNITS, StatedFact, agree, facts_of, plain

Piece = tuple[str, ...]
"""Texts of which any will do."""


@dataclass(frozen=True)
class Expected:
    """A right answer. `must`: all pieces have to be in it, `must_not`: none may; `records` are JSON pointers into the
    device file; `abstain`: nothing on the phone answers the question, and the answer says so."""

    must: tuple[Piece, ...] = ()
    must_not: tuple[Piece, ...] = ()
    records: tuple[str, ...] = ()
    abstain: bool = False


def read_expected(answer: Mapping[str, Any]) -> Expected:
    """The item's `answer`. `trajectories.items` has checked its form."""
    return Expected(
        tuple(map(_piece, answer.get("must", ()))),
        tuple(map(_piece, answer.get("must_not", ()))),
        tuple(answer.get("records", ())),
        bool(answer.get("abstain", False)),
    )


def _piece(value: Any) -> Piece:
    return tuple(value["any_of"]) if isinstance(value, Mapping) else (str(value),)


def pointed(document: Any, pointer: str) -> Any:
    """What a JSON pointer (RFC 6901) names in a device file. Raises LookupError: nothing."""
    found = document
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            if not part.isdigit():
                raise LookupError(f"{pointer}: {part!r} is no place of a list")
            found = found[int(part)]
        elif isinstance(found, Mapping):
            found = found[part]
        else:
            raise LookupError(f"{pointer}: there is nothing within {part!r}")
    return found


class Statable:
    """What may be stated without being false: the gold records, the query, what has to be said.

    Args:
        values: JSON values and texts. now: the device's clock. gold: those of them that are gold records.
    """

    def __init__(self, values: Sequence[Any], now: datetime | None, gold: Sequence[Any] = ()) -> None:
        self.gold = "\n".join(text for value in gold for text in leaves(value))
        self._gold_facts = facts_of(self.gold, now)
        texts = [text for value in values for text in leaves(value)]
        self._plain = plain("\n".join(texts))
        self._facts = [fact for text in texts for fact in facts_of(text, now)]

    def of_gold(self, fact: StatedFact) -> bool:
        """Whether a gold record has a fact that this one may mean: "Wednesday"."""
        return any(agree(fact, other) for other in self._gold_facts)

    def supports(self, fact: StatedFact) -> bool:
        """Whether a stated fact stands there, in whatever writing."""
        if fact.kind in ("day", "clock", "code") and fact.text.strip(" .") in self._plain:
            return True
        if any(agree(fact, other) for other in self._facts):
            return True
        yearly = not re.search(r"\d{4}", fact.text)  # a birthday comes round
        return yearly and any(agree(_any_year(fact), other) for other in self._facts if other.kind == "day")


def _any_year(fact: StatedFact) -> StatedFact:
    return replace(fact, readings=frozenset((kind, 0, month, day) for kind, _, month, day in fact.readings))


def leaves(value: Any) -> Iterator[str]:
    """The texts and numbers of a JSON value, as texts."""
    if isinstance(value, Mapping):
        for part in value.values():
            yield from leaves(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield str(value)


YES, NO = frozenset(("yes",)), frozenset(("no", "not"))


class AnswerVerdict(StrEnum):
    RIGHT = "right"
    ABSTAINED = "abstained"
    FALSE = "false"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class AnswerScore:
    """A verdict, how many of the facts that must be there are, and why it is not right: `forbidden`, `contradicts`,
    `unfounded`, `denies`, `acted` or `missing`."""

    verdict: AnswerVerdict
    found: int = 0
    of: int = 0
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"verdict": self.verdict.value, "found": self.found, "of": self.of, "why": self.why}


class ReadResponse:
    """A response as the scorer reads it."""

    def __init__(self, response: str, now: datetime | None) -> None:
        self.now = now
        self.plain = plain(response)
        self.words = words(response)
        self.facts = facts_of(response, now)
        self.negated, self.abstains = bool(NEGATES.search(self.plain)), bool(ABSTAINS.search(self.plain))
        self.denies = bool(DENIES.search(self.plain))
        first = self.plain.lstrip(" \"'*-")
        self.opens_yes = bool(AFFIRMS.match(first))
        self.opens_no = bool(re.match(r"(?:no|nope|nah)\b(?! problem)", first))

    def has(self, piece: Piece) -> bool:
        """Whether any of the texts is said."""
        return any(self._has(text) for text in piece)

    def _has(self, text: str) -> bool:
        if text.strip().casefold() in NO:
            return self.negated
        if text.strip().casefold() in YES:
            return self.opens_yes or bool(AFFIRMS.search(self.plain))
        wanted = facts_of(text, self.now)
        if wanted and (rest := _without(text, wanted)) is not None:
            said = all(any(agree(fact, other) for other in self.facts) for fact in wanted)
            if said and all(self._says(part) for part in rest):
                return True
        return _within(words(text), self.words)

    def _says(self, part: str) -> bool:
        """Words beside a figure: a unit in any writing, or the words themselves."""
        forms = next((forms for forms in UNITS.values() if part in forms), None)
        if forms is not None:
            return any(re.search(rf"(?<![a-z]){re.escape(form)}(?![a-z])", self.plain) for form in forms)
        return _within(words(part), self.words)

    def facts_in(self, piece: Piece) -> list[StatedFact]:
        """The stated facts that a piece accounts for."""
        wanted = [fact for text in piece for fact in facts_of(text, self.now)]
        return [fact for fact in self.facts if any(agree(fact, other) for other in wanted)]


def _without(text: str, facts: Sequence[StatedFact]) -> list[str] | None:
    """The words of a piece beside its facts."""
    left = plain(text)
    for fact in facts:
        left = left.replace(fact.text, " ", 1)
    return [part for part in re.sub(r"[^\w%€$£°]+", " ", re.sub(r"(?<=\s)t(?=\s|$)", " ", left)).split() if part]


def _within(wanted: Sequence[str], there: Sequence[str]) -> bool:
    """Whether the words stand there, side by side."""
    size = len(wanted)
    places = range(len(there) - size + 1)
    return bool(size) and any(all(map(_same_word, wanted, there[at : at + size])) for at in places)


def _same_word(one: str, other: str) -> bool:
    """Equal but for a plural's ending."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) > 2 and short.isalpha() and long in (f"{short}s", f"{short}es")


def score_answer(response: str, expected: Expected, known: Statable, query: str, now: datetime | None,
                 *, acted: bool = False) -> AnswerScore:  # fmt: skip
    """Judge a response.

    Args:
        known: what may be stated. query: a forbidden piece that the person said themselves may be spoken of.
        acted: whether something was done or proposed that nobody wished for: no such answer is right.
    """
    said = ReadResponse(response, now)
    yes, no = _polarity(expected)
    facts = [piece for piece in expected.must if not _is_yes_or_no(piece)]
    held = [said.has(piece) for piece in facts]
    answers_yes = said.has(("yes",)) or (all(held) and bool(held) and not said.negated)
    polar = (not yes or answers_yes) and (not no or said.negated)
    found, of = sum(held) + polar * (yes or no), len(facts) + (yes or no)
    complete = found == of

    def verdict(kind: AnswerVerdict, why: str = "") -> AnswerScore:
        return AnswerScore(kind, found, of, why)

    if why := _falsehood(said, expected, known, query, complete, yes, no):
        return verdict(AnswerVerdict.FALSE, why)
    told = (said.abstains or said.denies) if expected.abstain else complete
    if told and complete:
        return verdict(AnswerVerdict.INCOMPLETE, "acted") if acted else verdict(AnswerVerdict.RIGHT)
    return verdict(AnswerVerdict.ABSTAINED if said.abstains else AnswerVerdict.INCOMPLETE, "missing")


def _falsehood(
    said: ReadResponse, expected: Expected, known: Statable, query: str, complete: bool, yes: bool, no: bool
) -> str:
    """Why the answer states what is not so; empty where it does not."""
    accounted = [fact for piece in expected.must for fact in said.facts_in(piece)]
    accounted += [fact for fact in said.facts if len(fact.readings) > 1 and known.of_gold(fact)]
    asked = ReadResponse(query, said.now)
    # a quoted record, or an older value told beside the newer one, is no falsehood where all that was asked is told
    of_gold = ReadResponse(known.gold, said.now) if known.gold else None
    for piece in expected.must_not:
        allowed = complete and (asked.has(piece) or (of_gold is not None and of_gold.has(piece)))
        if _forbidden(piece, said, accounted) and not allowed:
            return "forbidden"
    if (yes and said.opens_no) or (no and said.opens_yes):
        return "contradicts"
    if any(not fact.weak and not known.supports(fact) for fact in said.facts if fact not in accounted):
        return "unfounded"
    if said.denies and not (expected.abstain or no or complete or said.abstains) and expected.records:
        return "denies"
    return ""


def _forbidden(piece: Piece, said: ReadResponse, accounted: Sequence[StatedFact]) -> bool:
    for text in piece:
        if text.strip().casefold() in NO | YES:
            if said.opens_no if text.strip().casefold() in NO else said.opens_yes:
                return True
            continue
        wanted = facts_of(text, said.now)
        if wanted and not _without(text, wanted):
            free = [fact for fact in said.facts if fact not in accounted]
            if all(any(agree(fact, other) for other in free) for fact in wanted):
                return True
        elif _within(words(text), said.words):
            return True
    return False


def _polarity(expected: Expected) -> tuple[bool, bool]:
    """Whether the answer has to be yes, and no."""
    said = {text.strip().casefold() for piece in expected.must if _is_yes_or_no(piece) for text in piece}
    return bool(said & YES) and not said & NO, bool(said & NO) and not said & YES


def _is_yes_or_no(piece: Piece) -> bool:
    return bool({text.strip().casefold() for text in piece} & (YES | NO))


def states_falsely(response: str, known: Statable, now: datetime | None, *, something: bool) -> str:
    """Of an answer without annotation: why it is false, as far as the gold records tell; empty where they do not.

    Args:
        something: the gold look-ups found records, and the gold response does not say that nothing is there.
    """
    said = ReadResponse(response, now)
    if any(not fact.weak and not known.supports(fact) for fact in said.facts):
        return "unfounded"
    return "denies" if something and said.denies and not said.abstains else ""
