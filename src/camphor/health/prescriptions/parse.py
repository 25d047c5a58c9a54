"""A prescription out of lines of text: its medicines, each field with what was read and how sure that is.

What is sure is a value; what is in doubt is None, with what it may be, for the person to settle. Nothing is filled in
that was not read, except times of day, which follow from how often and from the person's meals, and are shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from camphor.errors import UsageError
from camphor.health.prescriptions.bounds import bounded
from camphor.health.prescriptions.certain import (
    differing,
    lost,
    name_doubt,
    named_there,
    strength_doubts,
    strength_of,
    strengths_of,
)
from camphor.health.prescriptions.directions import ALL, MASSES, SHOWN_IN, Directions, Doubt
from camphor.health.prescriptions.drugs import SURE, DrugMatch, find, plain
from camphor.health.prescriptions.lines import (
    NOT_READ,
    NUMBERING,
    TextLine,
    looked_alike,
    named,
    names_in,
    others_named,
    version_of,
    without_pack,
)
from camphor.health.prescriptions.pages import FoundMedicine, PrescriptionPage, numbered, unended
from camphor.health.prescriptions.plans import (
    SETTLED,
    dose_text,
    food_text,
    length_text,
    most_text,
    plan_of,
    route_text,
    unplannable,
    when_text,
)
from camphor.health.prescriptions.reading import read_directions
from camphor.health.scheduler.schedule import DayTimes, DosePlan

FIELDS = ("name", "strength", "dose", "form", "route", "when", "food", "most", "duration")
LONGEST_TEXT = 20_000
"""Characters of a prescription that are read."""
_MOST_LINES = 400
NOTHING = "none"
"""What a person says of a field of which the prescription says nothing."""
_MAY_BE_NOTHING = ("strength", "dose", "form", "route", "food", "most", "duration")


@dataclass(frozen=True)
class MedicineField:
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

    fields: dict[str, MedicineField]
    plan: DosePlan | None
    ingredients: tuple[str, ...] = ()
    lines: tuple[TextLine, ...] = ()
    note: str = ""
    said: Directions = field(default_factory=lambda: Directions(""))

    @property
    def name(self) -> str:
        return self.fields["name"].value or self.fields["name"].read

    @property
    def doubts(self) -> dict[str, MedicineField]:
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
        fields = {**self.fields, name: MedicineField(value, value)}
        if name == "name":
            match = find(value)
            return replace(self, fields=fields, ingredients=match.drug.ingredients if match.drug else ())
        said = SETTLED[name](self.said, value) if name in SETTLED else self.said
        if name == "when":
            fields["when"] = MedicineField(when_text(said) or value, value)
        made = replace(self, fields=fields, said=said)
        return replace(made, plan=made._planned(day))

    def _planned(self, day: DayTimes) -> DosePlan | None:
        doubtful = any(self.fields[each].doubtful for each in ("dose", "when", "most", "duration"))
        return None if doubtful or not self.said.says_when or unplannable(self.said) else plan_of(self.said, day)

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {name: each.to_json() for name, each in self.fields.items()}
        told |= {"plan": self.plan.to_json() if self.plan else None, "ingredients": list(self.ingredients)}
        return {**told, "read": [line.text for line in self.lines], "note": self.note}


@dataclass(frozen=True)
class Prescription:
    """What was read: its medicines, and lines with figures that were not understood."""

    medicines: tuple[Prescribed, ...]
    lines: tuple[TextLine, ...] = ()
    not_understood: tuple[TextLine, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


def parse(lines: Sequence[TextLine], day: DayTimes | None = None) -> Prescription:
    """The prescription that lines of text say.

    Raises:
        UsageError: there are more than 20,000 characters or 400 lines.
    """
    if sum(len(line.text) for line in lines) > LONGEST_TEXT or len(lines) > _MOST_LINES:
        raise UsageError(
            f"The text has more than {LONGEST_TEXT:,} characters or {_MOST_LINES} lines: give the prescription alone"
        )
    lines = numbered([_mended(line) for line in lines])
    lines = [without_pack(line, below.text) for line, below in zip_longest(lines, lines[1:], fillvalue=TextLine(""))]
    page = PrescriptionPage()
    for line in lines:
        page.take(line)
    page.end()
    if any(line.other is not None for line in lines):
        page.doubt_beside(lines)
    told = tuple(_medicine(each, day or DayTimes()) for each in page.found)
    unread = [*page.unread, *(each for each in page.unused(lines) if each not in page.unread)]
    return Prescription(told, tuple(lines), tuple(sorted(unread, key=lines.index)))


def _mended(line: TextLine) -> TextLine:
    return line if line.other is None else replace(line, text=looked_alike(line.text), other=looked_alike(line.other))


def parse_text(text: str, day: DayTimes | None = None) -> Prescription:
    """The prescription that typed text says, one medicine a line or after a semicolon. Raises: as `parse`."""
    return parse([TextLine(each.strip()) for each in re.split(r"[\n;]", text) if each.strip()], day)


def read_checked(text: str) -> Directions:
    """The directions of one medicine, with a doubt for each bound of that medicine that they go beyond."""
    said = read_directions(text)
    drug = match.drug if (match := named(said, 1.0)) else None
    return bounded(said, drug.ingredients if drug else (), drug.name if drug else "")[0]


def _medicine(found: FoundMedicine, day: DayTimes) -> Prescribed:
    seen = min(_clear(line) for line in found.lines)
    match = found.match
    said, note = _said([line.text for line in found.lines], match)
    name = _name_field(match, found.lines[0].text)
    if any(line.other is not None for line in found.lines):
        said, name = _pictured(found, _counted(found, said), name, seen)
    if seen < SURE:  # and what was not seen may be there
        said = replace(said, doubts=(*said.doubts, Doubt("the picture is not clear there", _ANY, confirms=True)))
    if found.unsure:
        said = replace(said, doubts=(*said.doubts, Doubt(found.unsure, _ANY, confirms=True)))
    values = _values(said)
    fields = {"name": name}
    for each in FIELDS[1:]:
        fields[each] = _sure(values[each], said.read.get(_READ.get(each, each), ""), seen)
    for each, doubted in _doubted(said, values).items():
        fields[each] = MedicineField(None, _read(said, each), 0.5 * seen, *doubted)
    ingredients = match.drug.ingredients if match.drug else ()
    made = Prescribed(fields, None, ingredients, tuple(found.lines), note, said)
    if not fields["when"].doubtful and (why := unplannable(said)):
        made.fields["when"] = MedicineField(None, _read(said, "when"), 0.5 * seen, (), why)
        if said.steps:
            made.fields["dose"] = MedicineField(None, values["dose"], 0.5 * seen, (), "the dose changes over time")
    return replace(made, plan=made._planned(day))


def _counted(found: FoundMedicine, said: Directions) -> Directions:
    """Directions in which the one mass beside the name of a tablet is its strength, of which one is taken.

    "Tab. Folic acid 5 mg", and below it "OD": 5 mg are taken, either way.
    """
    amount = said.amount
    if amount is None or amount.unit not in MASSES or said.strength or said.by_time or said.steps:
        return said
    masses = [_STRENGTH.findall(line.text) for line in found.lines]
    alone = len(masses[0]) == 1 and not any(masses[1:]) and not said.doubtful("amount")
    listed = strengths_of(found.match.drug.ingredients) if found.match.drug else None
    if alone and said.form in ("tablet", "capsule") and strength_of(masses[0][0]) in (listed or ()):
        one = replace(amount, low=1.0, high=1.0, unit=said.form)
        return replace(said, amount=one, strength=masses[0][0])
    return said


def _clear(line: TextLine) -> float:
    """How clear a line is. Of the figures of a picture that are a strength, the known ones tell whether they are so."""
    if line.other is None or line.letters <= line.seen:
        return line.seen
    said = read_directions(line.text)
    figures = said.amount or said.says_when or said.most or said.days or not said.strength
    return line.seen if figures else line.letters


def _pictured(
    found: FoundMedicine, said: Directions, name: MedicineField, seen: float
) -> tuple[Directions, MedicineField]:
    """What was read of a medicine in a picture, with a doubt of all that is not certain by both readings."""
    match = found.match
    first = [line.text for line in found.lines]
    second = [line.text if line.other is None else line.other for line in found.lines]
    head = NUMBERING.sub("", first[0], count=1)
    doubts: list[Doubt] = []
    if second != first:
        other = _said(second, match)[0]
        doubts += differing(said, other, _values(said), _values(other))
    if said.steps:
        doubts.append(Doubt("the dose changes over time: compare each part with the paper", ("steps",), confirms=True))
    doubts += strength_doubts(head, said, match)
    doubts += [Doubt(why, _ANY, confirms=True) for why in lost(first[1:], said)]
    if another := others_named("\n".join(first[1:]), _substances(head, match)):
        doubts.append(Doubt(f"{another!r} is another medicine", _ANY, confirms=True))
    if match.drug is None:
        name = replace(name, read=named_there(head, match) if f"{match.read}/" in head else match.read)
    elif told := name_doubt(head, match, named(read_directions(NUMBERING.sub("", second[0], count=1)), 1.0)):
        name = MedicineField(None, named_there(head, match), 0.5 * seen, *told)
    return replace(said, doubts=(*said.doubts, *doubts)), name


def _substances(head: str, match: DrugMatch) -> set[str]:
    """The ingredients of a medicine, and of all that is named in its line."""
    own = set(match.drug.ingredients) if match.drug else set()
    return own.union(*(drug.ingredients for _, drug in names_in(head)))


def _said(lines: Sequence[str], match: DrugMatch) -> tuple[Directions, str]:
    """What lines say of a medicine, with a doubt of each bound that it goes beyond; and a note, as `bounded`."""
    text = _wrapped([NUMBERING.sub("", line, count=1).replace(NOT_READ, "").strip() for line in lines])
    said = read_directions(text)
    if not said.strength and (told := _strength(text if said.stop else lines[0], said)):
        unsure = Doubt("it may be the strength or what is taken", ("strength",), (told,))
        doubts = (*said.doubts, unsure) if said.amount and said.doubtful("amount") else said.doubts
        said = replace(said, strength=told, doubts=doubts)
    elif not said.strength and said.doubtful("amount") and re.search(r"\d", text.partition("\n")[0]):
        said = replace(said, doubts=(*said.doubts, Doubt("a figure beside the name was not read", ("strength",))))
    drug = match.drug
    return bounded(said, drug.ingredients if drug else (), drug.name if drug else "")


def _values(said: Directions) -> dict[str, str]:
    """The fields beside the name, as they are shown."""
    return {
        "strength": said.strength,
        "dose": dose_text(said),
        "form": said.form,
        "route": route_text(said),
        "when": when_text(said),
        "food": food_text(said),
        "most": most_text(said),
        "duration": length_text(said),
    }


_ANY = (*ALL, "strength")


def _wrapped(lines: Sequence[str]) -> str:
    """Lines as one text, in which a sentence that goes on in the next line has no end between."""
    text = lines[0]
    directed = len(lines) > 1 and read_directions(text).says_when
    for line in lines[1:]:
        goes_on = line[:1].islower() or (line.isupper() and line[:1].isalpha()) or unended(text)
        text += (" " if directed and goes_on and text[-1:] not in ".;:!" else "\n") + line
        directed = True
    return text


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
        touched = dict.fromkeys(SHOWN_IN.get(each, each) for each in doubt.fields if each != "steps") or {"dose": None}
        for name in touched:
            candidates, why = found.get(name, ((), ""))
            own = doubt.candidates if len(touched) == 1 or name in ("strength", "dose") else ()
            if doubt.confirms:
                own = (values[name],) if values[name] else (NOTHING,) if name in _MAY_BE_NOTHING else ()
            found[name] = (tuple(dict.fromkeys((*candidates, *own))), f"{why}; {doubt.why}" if why else doubt.why)
    return found


def _name_field(match: DrugMatch, line: str) -> MedicineField:
    if match.drug is not None:
        substance = " + ".join(match.drug.ingredients)
        version = version_of(line, match)
        name = f"{match.read} {version}".strip()
        shown = name if plain(match.read) == plain(substance) else f"{name} ({substance})"
        return MedicineField(shown, match.read, match.confidence)
    why = "it is near a known name and not the same" if match.candidates else "it is in no list of medicines known here"
    if match.candidates and plain(match.candidates[0]) == plain(match.read):
        why = "the picture is not clear enough to tell it from names that are alike"
    return MedicineField(None, match.read, match.confidence, match.candidates, why)


def _sure(value: str, read: str, seen: float) -> MedicineField:
    if value and seen < SURE:
        return MedicineField(None, read, seen, (value,), "the picture is not clear there")
    return MedicineField(value, read, seen)
