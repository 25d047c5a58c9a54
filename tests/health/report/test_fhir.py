"""The export for a doctor, read back and validated by fhir.resources."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from fhir.resources.bundle import Bundle
from fhir.resources.R4B.bundle import Bundle as BundleR4

from camphor.agents.health.interview.record import Quote, written
from camphor.device.health.doses import DoseState, Medicine
from camphor.health.monitor.vitals import Vital, series
from camphor.health.report.day import Reports
from camphor.health.report.fhir import CODES, Version, export
from camphor.health.scheduler.reminders import DoseReminders
from tests.doubles.reports import DAY, at, heart, reports, steady, take, weeks_before

BOTH = pytest.mark.parametrize("version", list(Version))


def full(now: str = "2026-03-12T21:00:00", **changes: Any) -> Reports:
    of = reports(now, **changes)
    weeks_before(of, DAY, 2)
    moments = [at(f"2026-03-12T{hour:02d}:00", of) for hour in (8, 14)]
    night = {Vital.SLEEP_LIGHT: series(Vital.SLEEP_LIGHT, [at("2026-03-12T01:00", of)], [200.0])}
    night[Vital.SLEEP_DEEP] = series(Vital.SLEEP_DEEP, [at("2026-03-12T05:00", of)], [61.0])
    take(of, {Vital.HEART_RATE: heart(of, DAY, 0, 12), Vital.STEPS: steady(of, Vital.STEPS, DAY, 9, 11, 40),
              Vital.SYSTOLIC: series(Vital.SYSTOLIC, moments, [120, 131]),
              Vital.DIASTOLIC: series(Vital.DIASTOLIC, moments, [80, 85]), **night})  # fmt: skip
    for kind, value in ((Vital.OXYGEN, 97), (Vital.TEMPERATURE, 36.6), (Vital.RESPIRATORY_RATE, 14), (Vital.HRV, 40),
                        (Vital.GLUCOSE, 100)):  # fmt: skip
        take(of, {kind: steady(of, kind, DAY, 8, 9, value)})
    plan = {"times": ["08:00"], "days": 7}
    medicine = Medicine("Amoxicillin", plan, "2026-03-11T00:00:00", {"strength": "500 mg", "dose": "1 capsule"})
    of.doses.add("typed", "", [medicine], of.device.now)
    DoseReminders.of(of.device, of.doses).plan()
    first, *_ = of.doses.between(0, of.now)
    of.doses.decide(first.id, DoseState.TAKEN, first.at)
    return of


def resources(text: str, kind: str, code: str = "") -> list[dict[str, Any]]:
    found = [each["resource"] for each in json.loads(text)["entry"] if each["resource"]["resourceType"] == kind]
    return [each for each in found if not code or each["code"]["coding"][0]["code"] == code]


@BOTH
def test_a_bundle_is_valid_and_has_everything(version: Version) -> None:
    text = export(full("2026-03-13T08:00:00"), DAY, 3, version)
    (BundleR4 if version is Version.R4 else Bundle).model_validate_json(text)
    codes = {each["code"]["coding"][0]["code"] for each in resources(text, "Observation")}
    assert codes == {"8867-4", "59408-5", "85354-9", "8310-5", "9279-1", "80404-7", "99504-3", "41950-7", "40443-4",
                     "93832-4", "75325-1"}  # fmt: skip
    assert [len(resources(text, kind)) for kind in ("Patient", "MedicationStatement", "Appointment")] == [1, 2, 3]
    urls = [each["fullUrl"] for each in json.loads(text)["entry"]]
    assert len(set(urls)) == len(urls)
    (patient,) = resources(text, "Patient")
    assert (patient["gender"], patient["birthDate"], patient["name"]) == (
        "female",
        "1984-09-30",
        [{"text": "Leah Lima"}],
    )
    about = {each["subject"]["reference"] for each in resources(text, "Observation")}
    assert about == {f"urn:uuid:{patient['id']}"}


def test_figures_have_units_and_local_times() -> None:
    text = export(full(), DAY, 1, Version.R5)
    first, second = resources(text, "Observation", "85354-9")
    assert first["effectiveDateTime"] == "2026-03-12T08:00:00Z"
    assert [part["valueQuantity"]["value"] for part in (*first["component"], *second["component"])] == [
        120,
        80,
        131,
        85,
    ]
    assert {part["valueQuantity"]["code"] for part in first["component"]} == {"mm[Hg]"}
    (oxygen,) = resources(text, "Observation", "59408-5")
    told = {part["code"]["coding"][0]["code"]: part["valueQuantity"] for part in oxygen["component"]}
    assert told["average"]["value"] == 97
    assert told["count"]["value"] == 60
    assert "valueQuantity" not in oxygen
    (sleep,) = resources(text, "Observation", "93832-4")
    assert sleep["valueQuantity"]["value"] == 261
    assert {each.unit for each in CODES.values()} == {
        "/min", "%", "mm[Hg]", "Cel", "ms", "mg/dL", "kg", "{steps}/(24.h)", "min"}  # fmt: skip


def test_a_summer_day_has_its_offset() -> None:
    of = reports("2026-07-02T08:00:00")
    day = DAY.replace(month=7, day=1)
    take(of, {Vital.OXYGEN: steady(of, Vital.OXYGEN, day, 8, 9, 97)})
    (oxygen,) = resources(export(of, day, 1, Version.R4), "Observation", "59408-5")
    assert oxygen["effectivePeriod"]["start"] == "2026-07-01T00:00:00+01:00"


def test_the_sum_of_a_day_that_is_not_over_is_left_out_and_nothing_is_made_up() -> None:
    text = export(full(), DAY, 3, Version.R5)
    assert resources(text, "Observation", "41950-7") == []
    assert len(resources(text, "Observation", "59408-5")) == 1
    empty = export(reports(apps={}), DAY, 30, Version.R5)
    assert [each["resource"]["resourceType"] for each in json.loads(empty)["entry"]] == ["Patient"]


@BOTH
def test_medicines_say_how_they_are_taken_and_were(version: Version) -> None:
    statements = resources(export(full(), DAY, 3, version), "MedicationStatement")
    amoxicillin = next(each for each in statements if "Amoxicillin" in json.dumps(each))
    assert amoxicillin["dosage"] == [{"text": "1 capsule, 08:00"}]
    assert amoxicillin["effectivePeriod"] == {"start": "2026-03-11", "end": "2026-03-17"}
    assert "taken 1, left out 0, missed 1" in amoxicillin["note"][0]["text"]
    ramipril = next(each for each in statements if "Ramipril" in json.dumps(each))
    assert ramipril["dosage"] == [{"text": "5 mg, daily"}]
    assert amoxicillin["status"] == ("recorded" if version is Version.R5 else "active")


@BOTH
def test_appointments_are_in_it_with_their_state(version: Version) -> None:
    states = [(each["status"], each["participant"][1]["status"]) for each in
              resources(export(full(), DAY, 3, version), "Appointment")]  # fmt: skip
    assert states == [("booked", "accepted"), ("booked", "needs-action"), ("cancelled", "needs-action")]


@BOTH
def test_a_complaint_is_told_word_for_word_with_what_was_asked_beside_it(version: Version) -> None:
    asked = [Quote(2, "two weeks", "Since when?"), Quote(3, "no", "Is it swollen?")]
    said = [Quote(1, "My knee aches. No fever."), *asked]
    clinic = {"complaints": [{"date": DAY.isoformat(), "symptoms": written(said)}]}
    text = export(reports(apps={"clinic": clinic}), DAY, 2, version)
    (found,) = resources(text, "Observation", "75325-1")
    assert found["valueString"] == "My knee aches. No fever."
    assert [(each["code"]["text"], each["valueString"]) for each in found["component"]] == [
        ("Since when?", "two weeks"),
        ("Is it swollen?", "no"),
    ]


def test_a_later_export_has_the_same_ids_for_the_same_things() -> None:
    first = {each["fullUrl"] for each in json.loads(export(full(), DAY, 2, Version.R5))["entry"]}
    later = full("2026-03-14T09:00:00")
    second = {each["fullUrl"] for each in json.loads(export(later, DAY + timedelta(days=2), 4, Version.R5))["entry"]}
    assert first <= second


@BOTH
def test_odd_records_are_no_reason_to_have_no_export(version: Version) -> None:
    apps = {
        "health": {"medications": [{"name": "  "}, {"name": "X", "start": "some day", "end": "2020-01-01"},
                                   {"name": "Y", "start": "2026-01-01", "end": "2025-01-01"}]},
        "clinic": {
            "profile": {"birthday": "long ago", "sex": "unknown", "user_id": 7},
            "complaints": [{"date": DAY.isoformat(), "symptoms": each} for each in ("  \t", "Le\ud83d\x07")],
            "appointments": [{"date": DAY.isoformat(), "time": "10:00-10:30"}] * 2,
        },
    }  # fmt: skip
    text = export(reports(apps=apps, owner=""), DAY, 2, version)
    assert len(resources(text, "Appointment")) == 2
    assert len(resources(text, "Observation", "75325-1")) == 1
