"""A prescription out of lines of text: its medicines, each field with what was read and how sure that is.

What is sure is a value; what is in doubt is None, with what it may be, for the person to settle. Nothing is filled in
that was not read, except times of day, which follow from how often and from the person's meals, and are shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from camphor.errors import UsageError
from camphor.health.prescriptions.directions import FORMS, Directions, amount_text, number_of, read_directions
from camphor.health.prescriptions.drugs import SURE, DrugMatch, find, plain
from camphor.health.prescriptions.plans import plan_of, when_text
from camphor.health.scheduler.schedule import DayTimes, Plan

FIELDS = ("name", "strength", "dose", "form", "route", "when", "food", "duration")
LONGEST_TEXT = 20_000
"""Characters of a prescription that are read."""
_MOST_LINES = 400
_NOT_DRUGS = re.compile(
    r"\s*(?:dr\b|doctor|patient|name\b|date|age\b|sex\b|d\.?o\.?b|address|tel\b|phone|fax|e-?mail|diagnos|dx\b|clinic|hospital|"
    r"surgery|pharmacy|sign|reg\b|nhs|mrn|weight|height|bp\b|pulse|temp|review|follow|next visit|next app|allerg|gmc|"
    r"prescri|valid|page|issued|mr\b|mrs\b|ms\b|complaint|c/o|advice|investigat|advised)",
    re.IGNORECASE,
)
_NUMBERING = re.compile(
    r"^\s*(?:r[x/]\s*[:.]?\s*|℞\s*)?(?:\(?\d{1,2}\s*[.):](?!\d)\s*|[-•*]\s+)?(?:r[x/]\s*[:.]?\s*)?", re.IGNORECASE
)
_HEAD_NOISE = frozenset({
    "take", "apply", "use", "inhale", "instil", "sig", "s", "t", "c", "put", "give", "dissolve", "chew", "one", "of",
    "the", "a", "and", "tab", "cap", "inj",
})  # fmt: skip
_AN_AMOUNT = re.compile(
    r"[\d.,]+(?:/[\d.,]+)? *(?:mg|mcg|ug|g|gm|micrograms?|milligrams?|grams?|iu|mmol|meq)", re.IGNORECASE
)
_FORM_WORD = re.compile(rf"^(?:{'|'.join(FORMS)})\.?$", re.IGNORECASE)


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
    """One medicine of a prescription. `plan` is None while `when` is in doubt; `lines`: all that was read of it."""

    fields: dict[str, Field]
    plan: Plan | None
    ingredients: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    note: str = ""

    @property
    def name(self) -> str:
        return self.fields["name"].value or self.fields["name"].read

    @property
    def doubts(self) -> dict[str, Field]:
        return {name: each for name, each in self.fields.items() if each.doubtful}

    def corrected(self, name: str, value: str, day: DayTimes) -> Prescribed:
        """With a field as the person says it.

        Raises:
            UsageError: there is no such field, or the words do not say when a medicine is taken.
        """
        if name not in FIELDS:
            raise UsageError(f"{name[:40]!r} is no field of a medicine: write one of {', '.join(FIELDS)}")
        said = Field(value.strip(), value.strip())
        fields = {**self.fields, name: said}
        if name == "name":
            match = find(said.value or "")
            return replace(self, fields=fields, ingredients=match.drug.ingredients if match.drug else ())
        if name in ("when", "duration"):
            when = value if name == "when" else (self.fields["when"].read if self.plan else "")
            length = value if name == "duration" else self.fields["duration"].read
            read = read_directions(f"{when} {_with_for(length)}")
            if name == "when" and (not read.when or "when" in read.doubts):
                why = read.doubts["when"][0] if "when" in read.doubts else "says no times that can be understood"
                raise UsageError(f"{value[:60]!r}: {why}: write for example  twice daily  or  08:00 and 20:00")
            if name == "duration" and not (read.days or read.ongoing):
                raise UsageError(f"{value[:60]!r} is no length of time: write for example  7 days  or  ongoing")
            read.food = self.fields["food"].value or read.food
            plan = plan_of(read, day, self.fields["dose"].value or "") if read.when else self.plan
            if name == "when":
                fields["when"] = replace(said, value=when_text(read))
            return replace(self, fields=fields, plan=plan)
        return replace(self, fields=fields)

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {name: each.to_json() for name, each in self.fields.items()}
        told |= {"plan": self.plan.to_json() if self.plan else None, "ingredients": list(self.ingredients)}
        return {**told, "read": [line.text for line in self.lines], "note": self.note}


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
    directions: list[Directions] = field(default_factory=list)


def parse(lines: Sequence[Line], day: DayTimes | None = None) -> Prescription:
    """The prescription that lines of text say.

    Raises:
        UsageError: there are more than 20,000 characters or 400 lines.
    """
    if sum(len(line.text) for line in lines) > LONGEST_TEXT or len(lines) > _MOST_LINES:
        raise UsageError(
            f"The text has more than {LONGEST_TEXT:,} characters or {_MOST_LINES} lines: give the prescription alone"
        )
    found: list[_Found] = []
    unread = []
    for line in lines:
        if not line.text.strip() or _NOT_DRUGS.match(line.text):
            continue
        bare = _NUMBERING.sub("", line.text, count=1)
        said = read_directions(bare)
        match = _named(bare, said, line.seen)
        if match is not None:
            found.append(_Found([line], match, [said]))
        elif found and line.seen and (said.any or said.strength):
            found[-1].lines.append(line)
            found[-1].directions.append(said)
        elif said.any or said.strength or said.doubts or not line.seen:
            unread.append(line)
    return Prescription(tuple(_medicine(each, day or DayTimes()) for each in found), tuple(lines), tuple(unread))


def parse_text(text: str, day: DayTimes | None = None) -> Prescription:
    """The prescription that typed text says, one medicine a line or after a semicolon. Raises: as `parse`."""
    return parse([Line(each.strip()) for each in re.split(r"[\n;]", text) if each.strip()], day)


def _named(bare: str, said: Directions, seen: float) -> DrugMatch | None:
    """The medicine's name in a line; None where the line names none."""
    words = _head_words(bare, said)
    for length in range(min(6, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            match = find(" ".join(words[start : start + length]), seen)
            if match.drug is not None:
                return match
    doubts = [
        match
        for length in (2, 1)
        for start in range(len(words) - length + 1)
        if (match := find(" ".join(words[start : start + length]), seen)).candidates
    ]
    if doubts:
        return max(doubts, key=lambda each: each.confidence)
    # a name that is not in the list still stands before a strength or a number of tablets
    said_much = bool(said.strength or "strength" in said.doubts or said.form) and said.any
    if words and said_much and len(words[0]) > 3 and len(words) <= 4:
        return DrugMatch(" ".join(words), None, 0.5 * seen)
    return None


def _head_words(bare: str, said: Directions) -> list[str]:
    """The words before the first direction, or, where a dose comes first, those after it."""
    for piece in re.split(r" {2,}", said.left):
        words = [each.strip(".,:;()[]") for each in re.split(r"\s+|(?<=\w)[()]", piece)]
        found = [each for each in words if each and not _FORM_WORD.match(each)]
        while found and (found[0].casefold() in _HEAD_NOISE or found[0].isdigit()):
            found.pop(0)
        if any(re.search(r"[^\W\d_]{3}", each) for each in found):
            return found
    return []


def _medicine(found: _Found, day: DayTimes) -> Prescribed:
    said = _merged(found.directions)
    seen = min(line.seen for line in found.lines)
    fields = {name: _plain_field(said, name, seen) for name in FIELDS}
    fields["name"] = _name_field(found.match)
    # "Metformin 850 mg BD": what is taken each time is that strength; of a cream or a patch it is not
    alone = said.strength if _AN_AMOUNT.fullmatch(said.strength) else ""
    dose = said.dose or ("" if "strength" in said.doubts else alone)
    if said.counts and not said.dose:
        unit = said.form if said.form in ("tablet", "capsule", "sachet") else ""
        dose = _per_slot(said.counts, unit) or dose
    fields["dose"] = _sure(dose, said.read.get("dose") or said.read.get("strength", ""), seen)
    if not dose and "strength" in said.doubts:
        why, candidates = said.doubts["strength"]
        fields["dose"] = Field(None, said.read.get("strength", ""), 0.5 * seen, candidates, why)
    elif not dose:
        fields["dose"] = Field(None, "", 0.0, (), "no dose was read")
    when = when_text(said)
    fields["when"] = _sure(when, said.read.get("when", ""), seen)
    plan = None
    if not when and "when" not in said.doubts:
        fields["when"] = Field(None, "", 0.0, (), "it was not read when it is to be taken")
    elif not fields["when"].doubtful and "when" not in said.doubts:
        plan = plan_of(said, day, dose)
    for name, (why, candidates) in said.doubts.items():
        if name != "strength" or not fields["strength"].doubtful:
            fields[name] = Field(None, said.read.get(name, ""), 0.5 * seen, candidates, why)
    if fields["duration"].doubtful:
        plan = None
    ingredients = found.match.drug.ingredients if found.match.drug else ()
    return Prescribed(fields, plan, ingredients, tuple(found.lines), f"at most {said.most} a day" if said.most else "")


def _name_field(match: DrugMatch) -> Field:
    if match.drug is not None:
        substance = " + ".join(match.drug.ingredients)
        shown = match.read if plain(match.read) == plain(substance) else f"{match.read} ({substance})"
        return Field(shown, match.read, match.confidence)
    why = "it is near a known name and not the same" if match.candidates else "it is in no list of medicines known here"
    if match.candidates and plain(match.candidates[0]) == plain(match.read):
        why = "the picture is not clear enough to tell it from names that are alike"
    return Field(None, match.read, match.confidence, match.candidates, why)


def _plain_field(said: Directions, name: str, seen: float) -> Field:
    if name == "duration":
        value = "until it is stopped" if said.ongoing else (f"{said.days} days" if said.days else "")
        return _sure(value, said.read.get("duration", ""), seen)
    return _sure(getattr(said, name, ""), said.read.get(name, ""), seen)


def _sure(value: str, read: str, seen: float) -> Field:
    if value and seen < SURE:
        return Field(None, read, seen, (value,), "the picture is not clear there")
    return Field(value, read, seen)


def _merged(all_said: Sequence[Directions]) -> Directions:
    """The directions of a medicine's lines as one: the first that says something of a field holds."""
    first, *rest = all_said
    for other in rest:
        # "Amoxicillin 500 mg" and on the next line "take 1 tablet ..."
        if first.when and other.when and (when_text(first) != when_text(other)):
            first.doubts.setdefault("when", ("two lines say different things about when", ()))
        for name, value in vars(other).items():
            if name == "read":
                first.read = {**value, **first.read}
            elif name == "doubts":
                first.doubts = {**value, **first.doubts}
            elif name != "left" and not getattr(first, name):
                setattr(first, name, value)
    return first


def _per_slot(counts: Sequence[str], unit: str) -> str:
    amounts = sorted({each for each in counts if number_of(each)})
    if len(amounts) != 1:
        return " - ".join(counts)
    return amount_text(amounts[0], unit) if unit else ""


def _with_for(length: str) -> str:
    return f"for {length}" if re.match(r"\s*\d+ *[a-z]", length, re.IGNORECASE) else length
