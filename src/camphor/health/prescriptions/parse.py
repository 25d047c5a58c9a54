"""A prescription out of lines of text: its medicines, each field with what was read and how sure that is.

What is sure is a value; what is in doubt is None, with what it may be, for the person to settle. Nothing is filled in
that was not read, except times of day, which follow from how often and from the person's meals, and are shown.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from camphor.errors import UsageError
from camphor.health.prescriptions.bounds import bounded
from camphor.health.prescriptions.directions import ALL, MEALS, Directions, Doubt, read_directions
from camphor.health.prescriptions.drugs import SURE, DrugMatch, find, plain
from camphor.health.prescriptions.lexing import words
from camphor.health.prescriptions.plans import (
    dose_text,
    food_text,
    length_text,
    most_text,
    plan_of,
    route_text,
    unplannable,
    when_text,
)
from camphor.health.prescriptions.scanning import harmless, is_drug, small
from camphor.health.scheduler.schedule import DayTimes, Plan

NOT_READ = "(something is written here that could not be read)"
FIELDS = ("name", "strength", "dose", "form", "route", "when", "food", "most", "duration")
LONGEST_TEXT = 20_000
"""Characters of a prescription that are read."""
_MOST_LINES = 400
_NUMBERING = re.compile(
    r"^\s*(?:r[x/]\s*[:.]?\s*|[℞P]x?\s+|sig\s?:\s*)?(?:\(?\d{1,2}\s*[.):](?!\d)\s*|[-•*]\s+)?(?:r[x/]\s*[:.]?\s*)?",
    re.IGNORECASE,
)
_TOUCHES = {
    "amount": "dose",
    "unit": "dose",
    "by_time": "dose",
    "strength": "strength",
    "times": "when",
    "at": "when",
    "days": "when",
    "as_needed": "when",
    "stop": "when",
    "max": "most",
    "gap_hours": "most",
    "for_days": "duration",
    "ongoing": "duration",
    "site": "route",
}
NOTHING = "none"
"""What a person says of a field of which the prescription says nothing."""
_MAY_BE_NOTHING = ("strength", "dose", "form", "route", "food", "most", "duration")


@dataclass(frozen=True)
class Line:
    """One line as it was read; `seen` says how clear it was, 0 to 1, 1 for typed text."""

    text: str
    seen: float = 1.0


@dataclass(frozen=True)
class Field:
    """What is known of one field: `value` as shown, "" where nothing was said, None where it is in doubt.

    `read`: the words it was read from; `candidates`: what a doubtful one may be; `why`: what the doubt is.
    """

    value: str | None = ""
    read: str = ""
    confidence: float = 1.0
    candidates: tuple[str, ...] = ()
    why: str = ""

    @property
    def doubtful(self) -> bool:
        return self.value is None

    def to_json(self) -> dict[str, Any]:
        told = {"value": self.value, "read": self.read, "confidence": round(self.confidence, 3)}
        return {**told, "candidates": list(self.candidates), "why": self.why} if self.doubtful else told


@dataclass(frozen=True)
class Prescribed:
    """One medicine of a prescription. `said`: its directions, as read or as the person put them right; `plan` is None
    while what it is made of is in doubt; `lines`: all that was read of it; `note`: what else to know or to check."""

    fields: dict[str, Field]
    plan: Plan | None
    ingredients: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    note: str = ""
    said: Directions = field(default_factory=lambda: Directions(""))

    @property
    def name(self) -> str:
        return self.fields["name"].value or self.fields["name"].read

    @property
    def doubts(self) -> dict[str, Field]:
        return {name: each for name, each in self.fields.items() if each.doubtful}

    def corrected(self, name: str, value: str, day: DayTimes) -> Prescribed:
        """With a field as the person says it; "none" for one of which nothing is said.

        Raises:
            UsageError: there is no such field, or the words do not say when a medicine is taken.
        """
        if name not in FIELDS:
            raise UsageError(f"{name[:40]!r} is no field of a medicine: write one of {', '.join(FIELDS)}")
        value = value.strip()
        if name in _MAY_BE_NOTHING and value.casefold() == NOTHING:
            value = ""
        fields = {**self.fields, name: Field(value, value)}
        if name == "name":
            match = find(value)
            return replace(self, fields=fields, ingredients=match.drug.ingredients if match.drug else ())
        said = _SETTLED[name](self.said, value) if name in _SETTLED else self.said
        if name == "when":
            fields["when"] = Field(when_text(said) or value, value)
        made = replace(self, fields=fields, said=said)
        return replace(made, plan=made._planned(day))

    def _planned(self, day: DayTimes) -> Plan | None:
        doubtful = any(self.fields[each].doubtful for each in ("dose", "when", "most", "duration"))
        return None if doubtful or not self.said.says_when or unplannable(self.said) else plan_of(self.said, day)

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {name: each.to_json() for name, each in self.fields.items()}
        told |= {"plan": self.plan.to_json() if self.plan else None, "ingredients": list(self.ingredients)}
        return {**told, "read": [line.text for line in self.lines], "note": self.note}


def _settled_when(said: Directions, value: str) -> Directions:
    read = read_directions(value)
    why = next((each.why for each in read.doubts if "times" in each.fields and each.fields != DOSE), "")
    why = why or unplannable(read) or ("" if read.says_when else "it says no times that can be understood")
    if why:
        raise UsageError(f"{value[:60]!r}: {why}: write for example  twice daily  or  08:00 and 20:00")
    meals = tuple(each for each in (*read.at, *said.at) if each in MEALS)
    at = (*(each for each in read.at if each not in MEALS), *dict.fromkeys(meals))
    scheme = replace(said, by_time=read.by_time, read={**said.read, **read.read}) if read.by_time else said
    by_time = read.by_time or (said.by_time if {each for each, _ in said.by_time} == set(at) - set(MEALS) else ())
    return replace(
        scheme,
        often=read.often,
        at=at,
        by_time=by_time,
        weekdays=read.weekdays,
        as_needed=read.as_needed,
        steps=(),
        stop=False,
        days=read.days or said.days,
    )


def _settled_length(said: Directions, value: str) -> Directions:
    if not value:
        return replace(said, days=None, ongoing=False)
    if value == "until it is stopped":
        return replace(said, days=None, ongoing=True)
    read = read_directions(value)
    if not (read.days or read.ongoing):
        raise UsageError(f"{value[:60]!r} is no length of time: write for example  7 days  or  ongoing")
    return replace(said, days=read.days, ongoing=read.ongoing)


def _settled_dose(said: Directions, value: str) -> Directions:
    read = read_directions(f"{value} once a day" if value else "")
    same = read.by_time == () and read.amount is not None
    return replace(said, amount=read.amount if same else None, by_time=() if value else said.by_time, steps=())


def _settled_most(said: Directions, value: str) -> Directions:
    if not value:
        return replace(said, most=None, gap_hours=None)
    read = read_directions(value)
    if read.most is None and read.gap_hours is None:
        raise UsageError(
            f"{value[:60]!r} says no limit: write for example  max 8 tablets in 24 hours  or  at least 4 hours between "
            "doses"
        )
    return replace(said, most=read.most, gap_hours=read.gap_hours)


def _settled_food(said: Directions, value: str) -> Directions:
    meals = tuple(each for each in read_directions(value).at if each in MEALS) if value else ()
    return replace(said, at=(*(each for each in said.at if each not in MEALS), *meals))


DOSE = ("amount", "unit", "by_time", "steps")
_SETTLED = {
    "when": _settled_when,
    "duration": _settled_length,
    "dose": _settled_dose,
    "most": _settled_most,
    "food": _settled_food,
}


@dataclass(frozen=True)
class Prescription:
    """What was read: its medicines, and lines with figures that were not understood."""

    medicines: tuple[Prescribed, ...]
    lines: tuple[Line, ...] = ()
    not_understood: tuple[Line, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


@dataclass
class _Found:
    lines: list[Line]
    match: DrugMatch
    unsure: str = ""


def parse(lines: Sequence[Line], day: DayTimes | None = None) -> Prescription:
    """The prescription that lines of text say.

    Raises:
        UsageError: there are more than 20,000 characters or 400 lines.
    """
    if sum(len(line.text) for line in lines) > LONGEST_TEXT or len(lines) > _MOST_LINES:
        raise UsageError(
            f"The text has more than {LONGEST_TEXT:,} characters or {_MOST_LINES} lines: give the prescription alone"
        )
    page = _Page()
    for line in lines:
        page.take(line)
    page.end()
    told = tuple(_medicine(each, day or DayTimes()) for each in page.found)
    return Prescription(told, tuple(lines), tuple(sorted(page.unread, key=lines.index)))


class _Page:
    """Lines, one after the other, as they come to belong to medicines.

    Directions belong to the medicine above them; where some stand before any medicine, as on a bottle's label, to the
    one below.
    """

    def __init__(self) -> None:
        self.found: list[_Found] = []
        self.unread: list[Line] = []
        self._current: _Found | None = None  # whose directions may follow
        self._before: list[Line] = []  # directions of a medicine that is named below them
        self._above = False  # whether directions stand above their medicine
        self._apart = False  # whether what is no medicine stood since: bare figures are then of a letterhead
        self._beside = False  # whether the line before was of the medicine

    def take(self, line: Line) -> None:
        if not line.text.strip():
            self._beside = False
            return
        if is_letterhead(line.text) or is_caution(line.text) or is_supply(line.text):
            self._apart, self._beside = not is_caution(line.text), False
            return
        if not line.seen:
            self.unread.append(line)
            if self._current is not None and self._beside:  # it may say what no other line does
                self._current.lines.append(line)
            return
        said = read_directions(_NUMBERING.sub("", line.text, count=1))
        match = _named(said, line.seen)
        marked = is_marked(line.text)
        taken = _taken(read_directions(_MARKS.sub("", line.text)) if marked else said)
        figures = said.strength or said.form or (said.doubts and re.search(r"\d", line.text))
        below = self._current is not None and self._beside and not (said.strength or said.form)
        if match is not None and (match.drug or match.candidates or not (marked or below)):
            if said.says_when:  # what stands above is of no medicine
                self._leave()
            self._name(line, match)
        elif (match and below) or taken or ((said.says_something or (figures and not self._apart)) and not marked):
            self._direct(line, said)
        elif self._before and not _unexplained(said):
            self._before.append(line)
        elif _unexplained(said) or figures:
            if _unexplained(said):
                self._current = None  # what stands below may be another medicine's
            self._leave()
            self.unread.append(line)

    def _name(self, line: Line, match: DrugMatch) -> None:
        self._current = _Found([line, *self._before], match)
        self.found.append(self._current)
        self._apart, self._beside = False, True
        self._above = self._above or bool(self._before)
        self._before = []

    def _direct(self, line: Line, said: Directions) -> None:
        if self._current is not None and not (self._above and self._apart):
            self._current.lines.append(line)
            self._beside = True
        elif self._before or ((self._above or not self.found) and _dosed(said)):
            self._before.append(line)
        else:
            self.unread.append(line)

    def _leave(self) -> None:
        self.unread.extend(self._before)
        self._before = []

    def end(self) -> None:
        """After the last line: what is left belongs to the last medicine, where directions stood above it."""
        if self._above:
            self.found[-1].lines.extend(self._before)
            for each in self.found if len(self.found) > 1 else ():
                each.unsure = "it is not clear which directions are of which medicine"
        else:
            self._leave()


def parse_text(text: str, day: DayTimes | None = None) -> Prescription:
    """The prescription that typed text says, one medicine a line or after a semicolon. Raises: as `parse`."""
    return parse([Line(each.strip()) for each in re.split(r"[\n;]", text) if each.strip()], day)


def read_checked(text: str) -> Directions:
    """The directions of one medicine, with a doubt for each bound of that medicine that they go beyond."""
    said = read_directions(text)
    drug = match.drug if (match := _named(said, 1.0)) else None
    return bounded(said, drug.ingredients if drug else (), drug.name if drug else "")[0]


def is_letterhead(text: str) -> bool:
    """Whether a line is part of a letterhead, a date, a telephone number or a heading, and no medicine."""
    told = plain(text).split()
    if any(is_drug(each) for each in told):
        return False
    openers = [each.split() for each in words()["letterhead"]["openers"]]
    if any(told[: len(each)] == each for each in openers):
        return True
    if any(each in _addresses() for each in told) and (is_marked(text) or not _doses(text)):
        return not _taken(read_directions(_MARKS.sub("", text)))
    return not _MARKS.sub("", text).strip(" .,;:()|-#")


_MARKS = re.compile(
    r"(?:\b\d{1,2}[/.-](?:\d{1,2}|[A-Za-z]{3})[/.-](?:\d\d){1,2}\b|\b\d{4}-\d\d-\d\d\b)"  # a date
    r"(?:(?: at)? \d{1,2}:\d\d(?: ?[AP]M)?)?"
    r"|(?<!\d)(?:\+|\(?0)\d[\d ()-]{6,}\d|\(?\d{3}\)?[ .-]?\d{3}[ .-]\d{4}\b"  # a telephone number
    r"|\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b|\b[A-Z]{2},? \d{4,5}\b|\b[A-Z]\d\d [A-Z\d]{4}\b"  # a postcode
    r"|\b[A-Z]{2,}\d+[A-Z]*\d{3,}\b|\b\d{5,}\b"  # the number of a form, a licence, a person
)


def is_marked(text: str) -> bool:
    """Whether a line has a date, a telephone number, a postcode or another long number."""
    return bool(_MARKS.search(text))


def _taken(said: Directions) -> bool:
    """Whether a text says for certain how something is taken, and not only a number."""
    return bool(said.often or said.at or said.as_needed or said.steps or said.stop or said.most or said.by_time)


def _dosed(said: Directions) -> bool:
    """Whether a text says how much is taken, and not only a number."""
    counted = said.amount is not None and bool(said.amount.unit or said.says_when)
    return counted or bool(said.by_time or said.steps or said.stop)


def is_caution(text: str) -> bool:
    """Whether a line is a printed warning that changes nothing in the directions."""
    told = plain(text)
    if not any(f"{told} ".startswith(f"{each} ") for each in page_words()["cautions"]["openers"]):
        return False
    said = read_directions(text)
    return not (said.often or said.most or said.at) and not (is_drug(told.split()[0]))


def _doses(text: str) -> bool:
    said = read_directions(text)
    # "14 High Street": a bare number is no dose
    counted = said.amount is not None and bool(said.amount.unit)
    return bool(counted or said.often or said.at or said.strength or said.stop)


def is_supply(text: str) -> bool:
    """Whether a line says how much is handed out, or how often again: "28 tablets", "Qty: 45", "Refills 3"."""
    told = page_words()["supply"]
    words_ = plain(text).split()
    if any(words_[: len(each)] == each for each in (opener.split() for opener in told["openers"])):
        said = read_directions(_MARKS.sub("", text))
        says = (
            said.often
            or (said.at and not is_marked(text))
            or said.weekdays
            or said.as_needed
            or said.steps
            or said.stop
            or said.most
        )
        return not says and not any(is_drug(each) for each in words_)
    packed = "".join(text.split()).casefold()
    return bool(re.fullmatch(rf"\(?{_COUNT}(?:x{_COUNT})?({_counted()})\)?", packed))


_COUNT = r"\d+(?:\.\d+)?"


@cache
def _counted() -> str:
    return "|".join(map(re.escape, page_words()["supply"]["counted"]))


@cache
def page_words() -> dict[str, Any]:
    """The word lists of layout.toml."""
    text = (files("camphor") / "health" / "prescriptions" / "layout.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _addresses() -> frozenset[str]:
    return frozenset(words()["letterhead"]["addresses"])


def _unexplained(said: Directions) -> bool:
    """Whether a line has words that nothing explains: a name that is not known, say."""
    told = [each for each in plain(said.text).split() if not any(letter.isdigit() for letter in each)]
    return any(len(each) > 3 and not (small(each) or harmless(each)) for each in told)


def _named(said: Directions, seen: float) -> DrugMatch | None:
    """The medicine's name in a line; None where the line names none."""
    head = [each for each in said.head.split() if not small(each.casefold()) or each.casefold() == "co"]
    told = head or [each for each in re.findall(r"[^\W\d_][\w-]*", said.text) if is_drug(each)]
    if said.stop and not told:
        told = [
            each
            for each in re.findall(r"[^\W\d_][\w-]{2,}", said.text)
            if not (small(each.lower()) or harmless(each.lower()))
            and each.casefold() not in said.read.get("stop", "").casefold()
        ]
    for length in range(min(6, len(told)), 0, -1):
        for start in range(len(told) - length + 1):
            match = find(" ".join(told[start : start + length]), seen)
            if match.drug is not None:
                return match
    near = [
        match
        for length in (2, 1)
        for start in range(len(told) - length + 1)
        if (match := find(" ".join(told[start : start + length]), seen)).candidates
    ]
    if near:
        return max(near, key=lambda each: each.confidence)
    # a name that is not in the list still stands before what is said of it
    strange = [each for each in told if not harmless(each.casefold()) and len(each) > 2]
    if strange and (said.strength or said.form or said.says_something):
        return DrugMatch(" ".join(told), None, 0.5 * seen)
    return None


def _medicine(found: _Found, day: DayTimes) -> Prescribed:
    text = _wrapped([_NUMBERING.sub("", line.text, count=1).replace(NOT_READ, "").strip() for line in found.lines])
    seen = min(line.seen for line in found.lines)
    ingredients = found.match.drug.ingredients if found.match.drug else ()
    said = read_directions(text)
    if not said.strength and (told := _strength(found.lines[0].text, said)):
        unsure = Doubt("it may be the strength or what is taken", ("strength",), (told,))
        doubts = (*said.doubts, unsure) if said.amount and said.doubtful("amount") else said.doubts
        said = replace(said, strength=told, doubts=doubts)
    elif not said.strength and said.doubtful("amount") and re.search(r"\d", text.partition("\n")[0]):
        said = replace(said, doubts=(*said.doubts, Doubt("a figure beside the name was not read", ("strength",))))
    said, note = bounded(said, ingredients, found.match.drug.name if found.match.drug else "")
    if seen < SURE:  # and what was not seen may be there
        said = replace(said, doubts=(*said.doubts, Doubt("the picture is not clear there", _ANY, confirms=True)))
    if found.unsure:
        said = replace(said, doubts=(*said.doubts, Doubt(found.unsure, _ANY)))
    values = {
        "strength": said.strength,
        "dose": dose_text(said),
        "form": said.form,
        "route": route_text(said),
        "when": when_text(said),
        "food": food_text(said),
        "most": most_text(said),
        "duration": length_text(said),
    }
    fields = {"name": _name_field(found.match)}
    for name in FIELDS[1:]:
        fields[name] = _sure(values[name], said.read.get(_READ.get(name, name), ""), seen)
    for name, doubted in _doubted(said, values).items():
        fields[name] = Field(None, _read(said, name), 0.5 * seen, *doubted)
    made = Prescribed(fields, None, ingredients, tuple(found.lines), note, said)
    if not fields["when"].doubtful and (why := unplannable(said)):
        made.fields["when"] = Field(None, _read(said, "when"), 0.5 * seen, (), why)
        if said.steps:
            made.fields["dose"] = Field(None, values["dose"], 0.5 * seen, (), "the dose changes over time")
    return replace(made, plan=made._planned(day))


_ANY = (*ALL, "strength")


def _wrapped(lines: Sequence[str]) -> str:
    """Lines as one text, in which a sentence that goes on in the next line has no end between."""
    text = lines[0]
    directed = len(lines) > 1 and read_directions(text).says_when
    for line in lines[1:]:
        last = text.rsplit(maxsplit=1)[-1].casefold() if text else ""
        goes_on = line[:1].islower() or (line.isupper() and line[:1].isalpha()) or last in _ends()
        text += (" " if directed and goes_on and last[-1:] not in ".;:!" else "\n") + line
        directed = True
    return text


@cache
def _ends() -> frozenset[str]:
    return frozenset(page_words()["wrapped"]["ends"])


_STRENGTH = re.compile(
    r"(?<![\w.,?/-])\d+(?:[.,]\d+)*\s?(?:mg|mcg|micrograms?|g|units?|iu|mmol|meq|%)(?:\s?/\s?(?:\d+(?:\.\d+)?\s?)?(?:ml|dose|h|hours?|g|mg))?"
    r"(?![\w/])",
    re.IGNORECASE,
)


def _strength(line: str, said: Directions) -> str:
    """The one mass in the line of the name, where it is not what is taken: of a medicine to be stopped, say."""
    found = {each[0] for each in _STRENGTH.finditer(line)}
    masses = {each.unit for each in (said.amount, *(step.amount for step in said.steps)) if each}
    taken = masses & {"mg", "mcg", "g", "unit", "mmol", "meq"} and not said.doubtful("amount")
    return found.pop() if len(found) == 1 and not taken else ""


_READ = {"dose": "amount", "when": "times", "duration": "for_days", "food": "at", "most": "most", "route": "site"}


def _read(said: Directions, name: str) -> str:
    return said.read.get(_READ.get(name, name), "") or (said.text[:200] if name in ("dose", "when") else "")


def _doubted(said: Directions, values: dict[str, str]) -> dict[str, tuple[tuple[str, ...], str]]:
    """The fields that a doubt touches: what each may be, and why."""
    found: dict[str, tuple[tuple[str, ...], str]] = {}
    for doubt in said.doubts:
        touched = dict.fromkeys(_TOUCHES[each] for each in doubt.fields if each != "steps") or {"dose": None}
        for name in touched:
            candidates, why = found.get(name, ((), ""))
            own = doubt.candidates if len(touched) == 1 or name in ("strength", "dose") else ()
            if doubt.confirms:
                own = (values[name],) if values[name] else (NOTHING,) if name in _MAY_BE_NOTHING else ()
            found[name] = (tuple(dict.fromkeys((*candidates, *own))), f"{why}; {doubt.why}" if why else doubt.why)
    return found


def _name_field(match: DrugMatch) -> Field:
    if match.drug is not None:
        substance = " + ".join(match.drug.ingredients)
        shown = match.read if plain(match.read) == plain(substance) else f"{match.read} ({substance})"
        return Field(shown, match.read, match.confidence)
    why = "it is near a known name and not the same" if match.candidates else "it is in no list of medicines known here"
    if match.candidates and plain(match.candidates[0]) == plain(match.read):
        why = "the picture is not clear enough to tell it from names that are alike"
    return Field(None, match.read, match.confidence, match.candidates, why)


def _sure(value: str, read: str, seen: float) -> Field:
    if value and seen < SURE:
        return Field(None, read, seen, (value,), "the picture is not clear there")
    return Field(value, read, seen)
