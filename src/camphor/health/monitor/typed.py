"""Readings that a person types: `142/91 pulse 68`, `7.8 mmol/L`, `12 st 13 lb`, `38.2 °C`, `oxygen 94 %`.

Nothing is guessed: a number without a name or a unit that tells what it is, is asked for, and so is the unit of what
people measure in several. What cannot be true is a slip of the finger and is not kept.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.resources import files
from typing import TYPE_CHECKING

from camphor.errors import UsageError
from camphor.health.monitor.detect import judged
from camphor.health.monitor.imported import Imported, conversion
from camphor.health.monitor.plausible import AHEAD, Quality
from camphor.health.monitor.tables import NAMES
from camphor.health.monitor.vitals import CHOICES, MEASURES, OWN, Vital, epoch, local

if TYPE_CHECKING:
    from camphor.health.monitor.monitor import Monitor

SOURCE = "typed by hand"
EXAMPLES = "142/91 pulse 68, glucose 7.8 mmol/L, 82 kg, 38.2 °C or oxygen 94 %"
KINDS = (
    Vital.SYSTOLIC, Vital.DIASTOLIC, Vital.HEART_RATE, Vital.OXYGEN, Vital.GLUCOSE, Vital.WEIGHT, Vital.TEMPERATURE,
    Vital.RESPIRATORY_RATE,
)  # fmt: skip
_WORDS = tomllib.loads(files(__package__).joinpath("typed.toml").read_text(encoding="utf-8"))
_BETWEEN = frozenset(_WORDS["pressure"]["between"])
_EMPTY = frozenset(_WORDS["empty"]["words"])
_PRESSURE = frozenset(_WORDS["pressure"]["names"])
_NAMES = {
    **{name: kind for name, kind in NAMES.items() if kind in KINDS},
    **{name: Vital(kind) for kind, names in _WORDS["names"].items() for name in names},
}
_PART = re.compile(r"(?P<number>\d+(?:[.,]\d+)?)|/(?=\s*\d)|[^\d\s,;:=][^\s,;:=]*")
_LONGEST = 200
_MOST_WORDS = 3
_CLOCK = re.compile(r"(\d{1,2})[:.](\d{2})")


@dataclass(frozen=True)
class Typed:
    """One reading. value: in the kind's own unit; unit: as typed, "" where none was; written: value and unit so."""

    kind: Vital
    value: float
    unit: str
    written: str

    @property
    def says(self) -> str:
        return f"{MEASURES[self.kind].name} {self.written}"


def typed(text: str) -> tuple[Typed, ...]:
    """The readings of a line. Raises UsageError: a part of it is not understood, or leaves open what it is."""
    parts = [match[0].casefold() for match in _PART.finditer(text)]
    parts = [each for each in parts if each not in _EMPTY]
    if not any(map(_is_number, parts)) or len(text) > _LONGEST:
        raise UsageError(f"There is no reading in {text[:40]!r}: type it as {EXAMPLES}")
    found: list[Typed] = []
    place = 0
    while place < len(parts):
        begin = place
        while place < len(parts) and not _is_number(parts[place]):
            place += 1
        name = " ".join(parts[begin:place])
        if place == len(parts):
            raise UsageError(f"{name[:40]!r} has no number behind it: type it as {EXAMPLES}")
        new, place = _pair(name, parts, place) or _single(name, parts, place)
        found += new
    if len({each.kind for each in found}) < len(found):
        raise UsageError("Two readings of the same kind: type them one after the other")
    return tuple(found)


def _is_number(part: str) -> bool:
    return part[0].isdigit()


def _pair(name: str, parts: Sequence[str], place: int) -> tuple[list[Typed], int] | None:
    """Both blood pressures, and where the rest begins; None where no pair stands there."""
    if len(parts) < place + 3 or parts[place + 1] not in _BETWEEN or not _is_number(parts[place + 2]):
        return None
    if name and name not in _PRESSURE:
        raise UsageError(f"{name[:40]!r} is no blood pressure, of which alone two numbers are told")
    unit, after = _unit(parts, place + 3, (Vital.SYSTOLIC,))
    kinds = ((Vital.SYSTOLIC, parts[place]), (Vital.DIASTOLIC, parts[place + 2]))
    return [_made(kind, number, unit) for kind, number in kinds], after


def _single(name: str, parts: Sequence[str], place: int) -> tuple[list[Typed], int]:
    """One reading, and where the rest begins."""
    number = parts[place]
    if name and name not in _NAMES:
        raise UsageError(f"{name[:40]!r} is no vital sign that is known here: type it as {EXAMPLES}")
    kind = _NAMES.get(name)
    unit, after = _unit(parts, place + 1, KINDS if kind is None else (kind,))
    if kind is None and unit not in _WORDS["meant"]:
        kinds = [each for each in KINDS if unit and conversion(each, unit) is not None]
        kind = kinds[0] if len(kinds) == 1 else None
    elif kind is None:
        kind = Vital(_WORDS["meant"][unit])
    if not name:
        kind, after = _name_behind(kind, unit, parts, after)
    if kind is None:
        raise UsageError(f"{f'{number} {unit}'.strip()} may be anything: say what it is, as {EXAMPLES}")
    pounds = parts[after : after + 2] if conversion(kind, unit) is conversion(Vital.WEIGHT, "st") else []
    if len(pounds) == 2 and _is_number(pounds[0]) and pounds[1] in ("lb", "lbs", "pounds", "pound"):
        convert = conversion(Vital.WEIGHT, "lb")
        assert convert is not None
        value = convert(14 * _value(number) + _value(pounds[0]))
        return [Typed(kind, value, "st", f"{number} st {pounds[0]} lb")], after + 2
    return [_made(kind, number, unit)], after


def _name_behind(kind: Vital | None, unit: str, parts: Sequence[str], place: int) -> tuple[Vital | None, int]:
    """The kind that is named behind its number, as in `94 % oxygen`, and where the rest begins.

    Args:
        kind: what its unit says. A name in front of another number is of that one.
    """
    for count in range(_MOST_WORDS, 0, -1):
        after = place + count
        named = _NAMES.get(" ".join(parts[place:after])) if after <= len(parts) else None
        if named is None or (kind not in (None, named) and after < len(parts) and _is_number(parts[after])):
            continue
        if unit and conversion(named, unit) is None:
            continue
        return named, after
    return kind, place


def _unit(parts: Sequence[str], place: int, kinds: Sequence[Vital]) -> tuple[str, int]:
    """The unit of one of these kinds that stands there, "" for none, and where the rest begins."""
    for count in range(_MOST_WORDS, 0, -1):
        text = " ".join(parts[place : place + count])
        if len(parts) >= place + count and any(conversion(kind, text) is not None for kind in kinds):
            return text, place + count
    return "", place


def _made(kind: Vital, number: str, unit: str) -> Typed:
    if not unit and kind in CHOICES:
        name, choices = OWN[kind].name, " or ".join(f"{number} {each}" for each in CHOICES[kind])
        raise UsageError(f"The unit of {name} {number} is not told: type {choices}")
    convert = conversion(kind, unit) if unit else float
    assert convert is not None
    return Typed(kind, convert(_value(number)), unit, _written(kind, number, unit))


def _written(kind: Vital, number: str, unit: str) -> str:
    """A reading with its unit as it is usually written."""
    same = conversion(kind, unit)
    usual = next((each for each in (OWN[kind].unit, *CHOICES.get(kind, ())) if conversion(kind, each) is same), unit)
    shown = usual if unit else OWN[kind].unit
    return f"{number}{'' if shown == '%' else ' '}{shown}"


def _value(number: str) -> float:
    return float(number.replace(",", "."))


@dataclass(frozen=True)
class Noted:
    """What was kept: when, what, and what is to be doubted of it."""

    at: datetime
    readings: tuple[Typed, ...]
    doubts: tuple[str, ...]


def note(monitor: Monitor, text: str, now: datetime, at: str = "") -> Noted:
    """Keeps the readings of a line, judged as those of a file are.

    Args:
        now: local time of the phone; at: when they were measured, as `measured_at` reads it.

    Raises:
        UsageError: it is not understood, or cannot be true: then nothing of it is kept.
    """
    readings, moment = typed(text), measured_at(at, now)
    seconds, clock = epoch(moment, monitor.zone), epoch(now, monitor.zone)
    found = Imported(units={each.kind: each.unit for each in readings if each.unit})
    for each in readings:
        found.add(each.kind, SOURCE, seconds, each.value)
    columns = found.sources()[SOURCE]
    quality = {kind: int(column.quality[0]) for kind, column in judged(columns, clock).items()}
    wrong = [each.says for each in readings if quality[each.kind] == Quality.IMPOSSIBLE]
    if wrong:
        raise UsageError(f"{' and '.join(wrong)} cannot be true, so nothing was kept: look again, and type it anew")
    monitor.take(columns, SOURCE, clock, past=True)
    monitor.store.show_in(found.shown())
    doubted = tuple(each.says for each in readings if quality[each.kind] == Quality.SUSPICIOUS)
    return Noted(local(seconds, monitor.zone), readings, doubted)


def measured_at(text: str, now: datetime) -> datetime:
    """When it was measured: `08:30` of today, or `2026-05-18 08:30`; now for "". Naive local time.

    Raises:
        UsageError: it is no moment, or lies ahead.
    """
    said = text.strip()
    if not said:
        return now
    try:
        if match := _CLOCK.fullmatch(said):
            moment = now.replace(hour=int(match[1]), minute=int(match[2]), second=0, microsecond=0)
        else:
            moment = datetime.fromisoformat(said)
    except ValueError as error:
        raise UsageError(f"{said[:40]!r} is no time: write it as 08:30 or {now:%Y-%m-%d}T08:30") from error
    if moment.tzinfo is not None or (len(said) <= len("2026-05-18") and not match):
        raise UsageError(f"{said[:40]!r} is no time of the phone: write it as 08:30 or {now:%Y-%m-%d}T08:30")
    if moment > now + timedelta(seconds=AHEAD):
        raise UsageError(f"{moment:%H:%M on %d %B %Y} lies ahead: say when it was measured, as 08:30")
    return moment


def lines_of(noted: Noted) -> Iterator[str]:
    """What the person is told of it."""
    yield f"Noted at {noted.at:%H:%M on %d %B %Y}: {', '.join(each.says for each in noted.readings)}"
    if noted.doubts:
        yield f"Hardly anybody has {' and '.join(noted.doubts)}: look again whether it is so"
