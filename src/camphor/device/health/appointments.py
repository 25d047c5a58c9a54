"""A person's appointments, taken and given back, with the free slot that suits; past complaints like those of now."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any, Literal, TypeVar

from camphor.device.arithmetic import Point, distance_km, point_of
from camphor.device.health.slots import FORM, Slot, VisitWishes, best_slot, read_slot, slot_of
from camphor.device.records import AppRecords
from camphor.device.text import COMMON, Record, interval, keyword, near, text_of, words
from camphor.errors import ArgumentError, UnknownValue

_MOST_CANDIDATES = 5
_STEM = 6
_FAR = 1e6  # km: a place that is not known comes last
_WORDS = tomllib.loads(files(__package__).joinpath("clinic.toml").read_text(encoding="utf-8"))
_HEAD = {words(name): words(head) for head, names in _WORDS["specialists"].items() for name in names.split(",")}


@dataclass(frozen=True)
class Own:
    """An appointment of the person's: its place in the list, and the record."""

    ordinal: int
    record: Record


class Appointments:
    """The appointments and slots of a clinic app, at a moment.

    Args:
        records: the app's. now: the device's clock, naive local time.
    """

    def __init__(self, records: AppRecords, now: datetime) -> None:
        self._records = records
        self._now = now

    # finding

    def find(self, tool: str, kind: str, wishes: VisitWishes, here: Point | None = None) -> tuple[Record, Slot] | None:
        """The specialist of a kind with the free slot that suits best, of equals the nearest; None where none is free.

        Raises:
            UnknownValue: no such specialist. ArgumentError: there are free slots, and none when the person can come.
        """
        specialists = self.of_kind(tool, kind)
        busy = self._busy()
        rows = self._records.rows("slots")
        free = {
            place: [slot for slot in self._free(rows, str(each.get("specialist_id"))) if not _meets(slot, busy)]
            for place, each in enumerate(specialists)
        }
        every = sorted({slot for slots in free.values() for slot in slots})
        best = best_slot(every, wishes)
        if best is None:
            if every:
                raise ArgumentError(tool, "user_schedule", _said(wishes), f"a time with a free slot: {_list(every)}")
            return None
        among = [each for place, each in enumerate(specialists) if best in free[place]]
        return min(among, key=lambda each: _away(each, here)), best

    def of_kind(self, tool: str, kind: str) -> list[Record]:
        """The specialists of a kind, by any of its names. Raises UnknownValue: there is none; says which there are."""
        specialists = self._records.find("specialists")
        wanted = _kind(kind)
        found = [each for each in specialists if _kind(str(each.get("specialization") or "")) == wanted]
        found = found or [each for each in specialists if _begins(wanted, _kind(str(each.get("specialization") or "")))]
        if not found:
            kinds = sorted({str(each["specialization"]) for each in specialists if each.get("specialization")})
            expected = f"one of {', '.join(kinds)}" if kinds else "a specialist, and this phone knows none"
            raise UnknownValue(tool, "specialization", kind, expected)
        return found

    def free_slots(self, specialist_id: str) -> list[Slot]:
        """A specialist's free slots that are still to come, in order."""
        return self._free(self._records.rows("slots"), specialist_id)

    def _free(self, rows: Sequence[tuple[int, Record]], specialist_id: str) -> list[Slot]:
        # thousands of slots are read through faster than they are looked up by words
        theirs = (row for _, row in rows if row.get("specialist_id") == specialist_id and not row.get("taken"))
        found = (slot_of(row) for row in theirs if str(row.get("date")) >= self._now.date().isoformat())
        return sorted({slot for slot in found if slot and slot.start > self._now})

    # taking one, and giving it back

    def takeable(self, tool: str, specialist_id: str, written: str) -> tuple[Record, Slot, Own | None]:
        """The specialist, the slot, and the person's own appointment where there is one already.

        Raises:
            UnknownValue: no such specialist. ArgumentError: a time not of the form, in the past, not free, or at which
                the person has another appointment; says which slots are free.
        """
        specialist = self._specialist(tool, specialist_id)
        slot = _read(tool, written)
        own = self._own(specialist_id, slot)
        if own:
            return specialist, slot, own
        free = self.free_slots(specialist_id)
        candidates = f"a free slot of {specialist.get('name')}: {_list(_near(free, slot))}"
        if slot.start <= self._now:
            past = f"a time after now, {self._now:%H:%M, %d/%m/%Y}"
            raise ArgumentError(tool, "appointment_time_date", written, f"{past}; {candidates}")
        if slot not in free:
            raise ArgumentError(tool, "appointment_time_date", written, candidates)
        for other in self.active():
            theirs = slot_of(other.record)
            if theirs and theirs.overlaps(slot):
                clash = f"a time without an appointment: {other.record.get('name')} is at {theirs}; {candidates}"
                raise ArgumentError(tool, "appointment_time_date", written, clash)
        return specialist, slot, None

    def take(self, tool: str, specialist_id: str, written: str, state: Literal["booked", "confirmed"]) -> Record:
        """Books or confirms a slot; one that is the person's already is never taken twice. Raises: as `takeable`."""
        specialist, slot, own = self.takeable(tool, specialist_id, written)
        if own:
            if state == "booked" or own.record.get("state") == state:
                return own.record
            changed = {**own.record, "state": state}
            self._records.change("appointments", own.ordinal, changed)
            return changed
        self._mark(specialist_id, slot, taken=True)
        record: dict[str, Any] = {
            "specialist_id": specialist_id,
            "name": specialist.get("name"),
            "specialization": specialist.get("specialization"),
            "date": slot.date,
            "time": slot.time,
            "symptoms": "",
            "state": state,
        }
        return self._records.add("appointments", record)

    def own(self, tool: str, specialist_id: str, written: str) -> Own:
        """The person's appointment with a specialist at a time. Raises ArgumentError: there is none; those that are."""
        slot = _read(tool, written)
        found = self._own(specialist_id, slot)
        if found:
            return found
        told = [f"{each.record.get('specialist_id')} at {slot_of(each.record)}" for each in self.active()]
        known = "; ".join(told[-_MOST_CANDIDATES:]) or "there is none"
        raise ArgumentError(tool, "appointment_time_date", written, f"a booked appointment: {known}")

    def cancel(self, own: Own) -> Record:
        """Cancels an appointment; its slot is free again where it still lies ahead."""
        cancelled = {**own.record, "state": "cancelled"}
        self._records.change("appointments", own.ordinal, cancelled)
        slot = slot_of(own.record)
        if slot and slot.start > self._now:
            self._mark(str(own.record.get("specialist_id")), slot, taken=False)
        return cancelled

    def active(self) -> list[Own]:
        """The person's appointments that are not cancelled, in the order of the list."""
        rows = self._records.rows("appointments")
        return [Own(ordinal, row) for ordinal, row in rows if row.get("state") != "cancelled"]

    def _own(self, specialist_id: str, slot: Slot) -> Own | None:
        same = (each for each in self.active() if each.record.get("specialist_id") == specialist_id)
        return next((each for each in same if slot_of(each.record) == slot), None)

    def _busy(self) -> list[Slot]:
        return [slot for each in self.active() if (slot := slot_of(each.record))]

    def _specialist(self, tool: str, specialist_id: str) -> Record:
        specialists = self._records.find("specialists", *keyword(specialist_id))
        found = next((each for each in specialists if each.get("specialist_id") == specialist_id), None)
        if found is None:
            every = specialists or self._records.find("specialists")
            told = [f"{each['specialist_id']} ({each.get('name')})" for each in every if each.get("specialist_id")]
            known = "; ".join(told[:_MOST_CANDIDATES]) or "this phone knows none"
            raise UnknownValue(tool, "specialist_id", specialist_id, f"the id of a specialist: {known}")
        return found

    def _mark(self, specialist_id: str, slot: Slot, taken: bool) -> None:
        on_day = self._records.rows("slots", *keyword(specialist_id), *interval(slot.date))
        for ordinal, row in on_day:
            if row.get("specialist_id") == specialist_id and slot_of(row) == slot:
                self._records.change("slots", ordinal, {**row, "taken": taken})


def _read(tool: str, written: str) -> Slot:
    try:
        return read_slot(written)
    except ValueError as error:
        raise ArgumentError(tool, "appointment_time_date", written, f"a time {error}") from None


def _kind(text: str) -> tuple[str, ...]:
    said = words(re.sub(r"\bdr\b\.?", " ", text, flags=re.IGNORECASE))
    return _HEAD.get(said, said)


def _begins(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Cardiology and cardiologist begin alike; urologist and neurologist do not."""
    return bool(one) and bool(other) and len(one[0]) >= _STEM and one[0][:_STEM] == other[0][:_STEM]


def _meets(slot: Slot, busy: Sequence[Slot]) -> bool:
    return any(slot.overlaps(other) for other in busy)


def _away(specialist: Record, here: Point | None) -> float:
    there = point_of(specialist)
    return distance_km(here, there) if here and there else _FAR


def _near(free: Sequence[Slot], slot: Slot) -> list[Slot]:
    """The free slots of that day, or the next ones."""
    return [each for each in free if each.date == slot.date] or list(free)


def _list(slots: Sequence[Slot]) -> str:
    return "; ".join(str(slot) for slot in slots[:_MOST_CANDIDATES]) or f"none is free (written as {FORM})"


def _said(wishes: VisitWishes) -> str:
    hours = f"{wishes.wanted.first:%H:%M}-{wishes.wanted.last:%H:%M}" if wishes.wanted else ""
    return ", ".join(filter(None, [hours, wishes.day.isoformat() if wishes.day else ""]))


# past complaints that are alike


ComplaintRecord = TypeVar("ComplaintRecord", bound=Mapping[str, Any])

MOST_ALIKE = 5

_HEAD_OF = {
    word: line.split()[0] for line in _WORDS["complaints"]["same"].strip().splitlines() for word in line.split()
}
_GENERAL = frozenset(words(_WORDS["complaints"]["general"]))


def alike(complaints: Iterable[ComplaintRecord], symptoms: str, most: int = MOST_ALIKE) -> list[ComplaintRecord]:
    """The complaints that share a symptom with the text, those that share most first, of equals the latest.

    Args:
        complaints: records with `symptoms` and `date`, in any order.
    """
    wanted = _meanings(symptoms)
    found = []
    for record in complaints:
        there = _meanings(text_of(record.get("symptoms")))
        shared = {word for word in wanted if any(_same(word, other) for other in there)}
        telling = shared - _GENERAL
        if telling:
            found.append(((len(telling), len(shared), str(record.get("date") or "")), record))
    found.sort(key=lambda pair: pair[0], reverse=True)
    return [record for _, record in found[:most]]


def _meanings(text: str) -> set[str]:
    return {_HEAD_OF.get(word, word) for word in words(text) if word not in COMMON}


def _same(word: str, other: str) -> bool:
    return word == other or (word not in _GENERAL and (near(word, other) or f"{word}s" == other or f"{other}s" == word))
