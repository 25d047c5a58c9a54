"""Export for a doctor: a FHIR bundle of the person, vitals, medicines, appointments and complaints.

Version R5, or R4 in the form of R4B, which is the same for these resources. A kind that is measured all the time is one
observation a day with its statistics; a blood pressure is one each time it was measured. Codes are LOINC, units UCUM.
The whole bundle is validated by fhir.resources before it is given out. It holds what was measured and noted; nothing in
it is a diagnosis.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from importlib.resources import files
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import numpy as np

from camphor.agents.health.interview.record import read
from camphor.device.health.doses import Medicine
from camphor.errors import MissingExtra
from camphor.health.monitor.baseline import NIGHT, of_day, span
from camphor.health.monitor.vitals import ASLEEP, MEASURES, SIMULATED, SIMULATED_DOSES, Vital, epoch, simulated
from camphor.health.report.day import Reports, Visit, visits_of
from camphor.health.report.measured import CURVES, EVENING, night_of, total_of
from camphor.health.report.words import PRESSURE, whole_text
from camphor.health.scheduler.reminders import DoseReminders
from camphor.health.scheduler.schedule import DosePlan

LOINC, UCUM = "http://loinc.org", "http://unitsofmeasure.org"
_CATEGORY = "http://terminology.hl7.org/CodeSystem/observation-category"
_STATISTICS = (
    "http://terminology.hl7.org/CodeSystem/observation-statistics",
    "http://hl7.org/fhir/observation-statistics",
)
"""R4 and R5 name the same codes differently."""
_TEST_DATA = {
    "system": "http://terminology.hl7.org/CodeSystem/v3-ActReason", "code": "HTEST", "display": "test health data",
}  # fmt: skip
_SPACE = uuid5(NAMESPACE_URL, "urn:camphor:fhir")
_METHOD = "Readings of the person's own devices by minutes, of those that can be true; not calibrated for diagnosis"

Resource = dict[str, Any]


class Version(StrEnum):
    R5 = "r5"
    R4 = "r4"


@dataclass(frozen=True)
class Code:
    """A LOINC code, its name, and the UCUM unit of its value."""

    code: str
    display: str
    unit: str = ""
    category: str = "vital-signs"


_CODES = tomllib.loads(files(__package__).joinpath("codes.toml").read_text(encoding="utf-8"))
CODES: Mapping[Vital, Code] = {Vital(kind): Code(**told) for kind, told in _CODES["kinds"].items()}
GLUCOSE_MOLES, PANEL, RESTING, SLEEP, SYMPTOM = (
    Code(**_CODES["others"][name]) for name in ("glucose_moles", "panel", "resting", "sleep", "symptom")
)
_GENDERS = {"female": "female", "male": "male", "other": "other"}


def export(
    reports: Reports,
    last: date,
    count: int,
    version: Version,
    told: Callable[[int, int], None] = lambda number, total: None,
) -> str:
    """The bundle of the `count` days up to `last`, as JSON; appointments to come are in it too.

    Args:
        told: is told how many of how many days are done.

    Raises:
        MissingExtra: fhir.resources is not installed. StoreError: what is kept cannot be read.
    """
    model = _model(version)
    made = _Bundle(reports, version)
    first = last - timedelta(days=count - 1)
    resources = [made.patient()]
    for number in range(count):
        told(number, count)
        resources += made.vitals(first + timedelta(days=number))
    resources += [*made.medicines(first, last), *made.appointments(first), *made.complaints(first, last)]
    bundle = {
        "resourceType": "Bundle",
        "id": str(made.id("bundle", first, last, reports.device.now)),
        "type": "collection",
        "timestamp": made.instant(reports.now),
        "entry": [{"fullUrl": f"urn:uuid:{each['id']}", "resource": each} for each in resources],
    }
    checked = model.model_validate_json(whole_text(json.dumps(bundle, ensure_ascii=False)))
    text: str = checked.model_dump_json()
    return text


def _model(version: Version) -> Any:
    try:
        if version is Version.R5:
            from fhir.resources import bundle

            return bundle.Bundle
        from fhir.resources.R4B import bundle as older
    except ImportError as error:
        raise MissingExtra("fhir.resources, which checks the export,", "health") from error
    return older.Bundle


class _Bundle:
    """The resources of one phone in one version."""

    def __init__(self, reports: Reports, version: Version) -> None:
        self.reports, self.zone, self.r5 = reports, reports.zone, version is Version.R5
        self.store, self.device = reports.vitals, reports.device
        self._seen: dict[tuple[str, datetime], int] = {}
        self.subject = {"reference": f"urn:uuid:{self.id('patient')}"}
        if self.device.owner:
            self.subject["display"] = self.device.owner

    def id(self, *what: object) -> UUID:
        """The same for the same thing of this phone, so that a later export updates an earlier one."""
        return uuid5(_SPACE, "/".join([self.device.id, self.device.owner, *map(str, what)]))

    def instant(self, at: float) -> str:
        return datetime.fromtimestamp(at, self.zone or UTC).isoformat(timespec="seconds")

    def patient(self) -> Resource:
        profile = self.device.fact("clinic", "profile")
        found: Resource = {"resourceType": "Patient", "id": str(self.id("patient"))}
        if self.device.owner:
            found["name"] = [{"text": self.device.owner}]
        if profile.get("user_id"):
            found["identifier"] = [{"type": {"text": "user_id of the clinic app"}, "value": str(profile["user_id"])}]
        found["gender"] = _GENDERS.get(str(profile.get("sex") or "").strip().casefold(), "unknown")
        born = _day(profile.get("birthday"))
        return {**found, "birthDate": born} if born else found

    # vitals

    def vitals(self, day: date) -> Iterator[Resource]:
        """The observations of a day."""
        begin, end = span(day, self.zone)
        until = min(end, self.reports.now)
        if until <= begin:
            return
        for kind in CURVES:
            if kind not in PRESSURE:
                yield from self._marked(self._statistics(kind, day, begin, until), (kind,), begin, until)
        yield from self._marked(self._pressures(begin, until), PRESSURE, begin, until)
        yield from self._marked(self._resting(day), (Vital.HEART_RATE,), begin, until)
        if until == end:  # the sum of a day that is not over is no day's sum
            for kind in (Vital.STEPS, Vital.EXERCISE):
                yield from self._marked(self._sum(kind, day, begin, until), (kind,), begin, until)
        yield from self._marked(self._sleep(day, begin, until), ASLEEP, begin - EVENING, until)

    def _marked(
        self, resources: Iterator[Resource], kinds: Sequence[Vital], begin: float, until: float
    ) -> Iterator[Resource]:
        """The resources, marked as test data where readings that they may be made of were made up."""
        sources = (source for kind in kinds for source in self.store.sources(kind, begin, until))
        made_up = any(map(simulated, sources))
        for each in resources:
            yield {**each, "meta": {"security": [_TEST_DATA]}, "note": [{"text": SIMULATED}]} if made_up else each

    def _statistics(self, kind: Vital, day: date, begin: float, until: float) -> Iterator[Resource]:
        minutes = self.store.minutes(kind, begin, until)
        if not len(minutes.at):
            return
        code = GLUCOSE_MOLES if MEASURES[kind].unit == "mmol/L" else CODES[kind]
        figures = {"average": minutes.mean.mean(), "minimum": minutes.mean.min(), "maximum": minutes.mean.max()}
        parts = [
            {"code": _statistic(name), "valueQuantity": _quantity(float(figure), code.unit, kind)}
            for name, figure in figures.items()
        ]
        count = {"value": len(minutes.at), "unit": "minutes", "system": UCUM, "code": "1"}
        parts.append({"code": _statistic("count"), "valueQuantity": count})
        found = self._observation(code, ("statistics", kind, day), self._period(begin, until))
        yield {**found, "component": parts, "device": self._worn(kind, begin, until)}

    def _pressures(self, begin: float, until: float) -> Iterator[Resource]:
        """Each measurement of a cuff: both pressures of a minute, or the one that there is."""
        columns = {kind: self.store.minutes(kind, begin, until) for kind in PRESSURE}
        for at in np.unique(np.concatenate([column.at for column in columns.values()])).tolist():
            parts = [
                {"code": _concept(CODES[kind]), "valueQuantity": _quantity(float(value), CODES[kind].unit, kind)}
                for kind, column in columns.items()
                for value in column.mean[column.at == at]
            ]
            found = self._observation(PANEL, ("pressure", at), {"effectiveDateTime": self.instant(at)})
            yield {**found, "component": parts}

    def _resting(self, day: date) -> Iterator[Resource]:
        value = of_day(self.store, Vital.HEART_RATE, day, self.zone)
        if value is not None:
            begin, end = (epoch(datetime.combine(day, each), self.zone) for each in NIGHT)
            found = self._observation(RESTING, ("resting", day), self._period(begin, end))
            told = "Mean of the minutes from midnight to 7 o'clock without steps in the ten minutes before"
            yield {**found, "valueQuantity": _quantity(value, "/min", Vital.HEART_RATE), "method": {"text": told}}

    def _sum(self, kind: Vital, day: date, begin: float, until: float) -> Iterator[Resource]:
        total = total_of(self.store, kind, begin, until)
        if total is not None:
            found = self._observation(CODES[kind], ("sum", kind, day), self._period(begin, until))
            yield {**found, "valueQuantity": _quantity(total, CODES[kind].unit, kind)}

    def _sleep(self, day: date, begin: float, until: float) -> Iterator[Resource]:
        night = [each for each in night_of(self.store, begin, until) if each.kind in ASLEEP]
        if not night:
            return
        sums = {kind: sum(each.seconds for each in night if each.kind is kind) / 60 for kind in ASLEEP}
        period = self._period(night[0].at, max(each.at + each.seconds for each in night))
        parts = [
            {"code": _concept(CODES[kind]), "valueQuantity": _quantity(minutes, "min", kind)}
            for kind, minutes in sums.items()
            if minutes
        ]
        found = self._observation(SLEEP, ("sleep", day), period)
        total = _quantity(sum(sums.values()), "min", Vital.SLEEP_LIGHT)
        yield {**found, "valueQuantity": total, "component": parts}

    def _observation(self, code: Code, key: tuple[object, ...], when: Mapping[str, Any]) -> Resource:
        return {
            "resourceType": "Observation",
            "id": str(self.id(*key)),
            "status": "final",
            "category": [{"coding": [{"system": _CATEGORY, "code": code.category}]}],
            "code": _concept(code),
            "subject": self.subject,
            **when,
            **({} if code is SYMPTOM else {"method": {"text": _METHOD}}),
        }

    def _period(self, begin: float, end: float) -> dict[str, Any]:
        return {"effectivePeriod": {"start": self.instant(begin), "end": self.instant(end)}}

    def _worn(self, kind: Vital, begin: float, until: float) -> dict[str, str]:
        return {"display": ", ".join(filter(None, self.store.sources(kind, begin, until))) or "a wearable"}

    # medicines, appointments, complaints

    def medicines(self, first: date, last: date) -> Iterator[Resource]:
        """The medicines that camphor reminds of or did, and those of the health app that are not among them."""
        known = self.reports.doses.medicines(stopped=True)
        DoseReminders.of(
            self.device, self.reports.doses
        ).plan()  # where none run, doses that were missed are not there yet
        for medicine in known:
            yield self._medicine(medicine, first, last)
        names = {each.name.casefold() for each in known}
        for number, record in enumerate(self.device.records("health", "medications")):
            name = str(record.get("name") or "").strip()
            if name and name.casefold() not in names:
                said = ", ".join(str(record[key]) for key in ("dose", "frequency") if record.get(key))
                days = (_day(record.get("start")), _day(record.get("end")))
                yield self._statement(("medication", number, name), name, said, days, "As the health app has it")

    def _medicine(self, medicine: Medicine, first: date, last: date) -> Resource:
        facts = medicine.facts
        name = f"{medicine.name} {facts.get('strength') or ''}".strip()
        plan = DosePlan.from_json(medicine.plan)
        times = ", ".join(f"{each:%H:%M}" for each in plan.clock)
        told = [facts.get("dose"), facts.get("when") or times, facts.get("route"), facts.get("food")]
        said = ", ".join(str(each) for each in told if each)
        end = medicine.stopped
        if end is None and plan.length:
            end = (datetime.fromisoformat(medicine.start) + timedelta(days=plan.length - 1)).isoformat()
        note = self._kept(medicine, first, last)
        key = ("medicine", medicine.id, medicine.name)
        note = f"{note}. {SIMULATED_DOSES}" if medicine.simulated else note
        days = (_day(medicine.start), _day(end))
        found = self._statement(key, name, said, days, note, medicine.stopped is not None)
        return {**found, "meta": {"security": [_TEST_DATA]}} if medicine.simulated else found

    def _kept(self, medicine: Medicine, first: date, last: date) -> str:
        begin, end = span(first, self.zone)[0], span(last, self.zone)[1]
        doses = [each for each in self.reports.doses.between(begin, end, medicine.id) if each.at <= self.reports.now]
        states = [each.state.value for each in doses]
        missed = sum(each.missed(self.reports.now) for each in doses)
        taken, skipped = states.count("taken"), states.count("skipped")
        return f"Doses from {first} to {last}, as the person noted: taken {taken}, left out {skipped}, missed {missed}"

    def _statement(
        self,
        key: tuple[object, ...],
        name: str,
        said: str,
        days: tuple[str | None, str | None],
        note: str,
        stopped: bool = False,
    ) -> Resource:
        found: Resource = {"resourceType": "MedicationStatement", "id": str(self.id(*key)), "subject": self.subject}
        over = days[1] is not None and days[1] < self.reports.today.isoformat()
        if self.r5:
            found |= {"status": "recorded", "medication": {"concept": {"text": name}}}
        else:
            status = "stopped" if stopped else "completed" if over else "active"
            found |= {"status": status, "medicationCodeableConcept": {"text": name}}
        period = {name: day for name, day in zip(("start", "end"), days, strict=True) if day}
        if period and period.get("start", "") <= period.get("end", "9999"):
            found["effectivePeriod"] = period
        if said:
            found["dosage"] = [{"text": said}]
        return {**found, "note": [{"text": note}]}

    def appointments(self, first: date) -> Iterator[Resource]:
        """The appointments of the days and those to come."""
        for visit in visits_of(self.device):
            if visit.begin.date() >= first:
                same = self._seen[visit.name, visit.begin] = self._seen.get((visit.name, visit.begin), 0) + 1
                yield self._appointment(visit, same)

    def _appointment(self, visit: Visit, same: int) -> Resource:
        start, end = (self.instant(epoch(each, self.zone)) for each in (visit.begin, visit.end))
        cancelled = visit.state == "cancelled"
        found: Resource = {
            "resourceType": "Appointment",
            "id": str(self.id("appointment", visit.name, visit.begin, same)),
            "status": "cancelled" if cancelled else "booked",
            "start": start,
            "end": end,
            "participant": [
                {"actor": self.subject, "status": "declined" if cancelled else "accepted"},
                {
                    "actor": {"display": visit.name or visit.specialization or "not named"},
                    "status": "accepted" if visit.state == "confirmed" else "needs-action",
                },
            ],
        }
        if self.r5:
            found["subject"] = self.subject
        if visit.specialization:
            found["specialty"] = [{"text": visit.specialization}]
        if visit.symptoms:
            reason = {"text": " ".join(visit.symptoms.split())}
            found |= {"reason": [{"concept": reason}]} if self.r5 else {"reasonCode": [reason]}
        return found

    def complaints(self, first: date, last: date) -> Iterator[Resource]:
        """What the person complained of, word for word; what was asked and answered are components."""
        for number, (day, words) in enumerate(sorted(self.reports.complaints(first, last))):
            when = {"effectiveDateTime": day.isoformat()}
            found = self._observation(SYMPTOM, ("complaint", day, number), when)
            quotes = read(words)
            told = " ".join(each.said for each in quotes if not each.asked) or words
            asked = [{"code": {"text": each.asked}, "valueString": each.said} for each in quotes if each.asked]
            yield {**found, "valueString": told, **({"component": asked} if asked else {})}


def _concept(code: Code) -> dict[str, Any]:
    return {"coding": [{"system": LOINC, "code": code.code, "display": code.display}], "text": code.display}


def _statistic(name: str) -> dict[str, Any]:
    return {"coding": [{"system": system, "code": name} for system in _STATISTICS]}


def _quantity(value: float, unit: str, kind: Vital) -> dict[str, Any]:
    told = {"{steps}/(24.h)": "steps a day", "mm[Hg]": "mmHg", "Cel": "°C"}.get(unit, unit)
    measure = MEASURES[kind]
    if measure.scale != 1:  # as the person is used to see it
        told, unit = measure.unit, {"°F": "[degF]", "lb": "[lb_av]", "st": "[stone_av]"}.get(measure.unit, measure.unit)
    shown = round(measure.shown(value), measure.decimals + 1)
    return {"value": shown, "unit": told, "system": UCUM, "code": unit}


def _day(value: Any) -> str | None:
    """A date as FHIR writes it; None where it is none."""
    try:
        return datetime.fromisoformat(str(value)).date().isoformat()
    except ValueError:
        return None
