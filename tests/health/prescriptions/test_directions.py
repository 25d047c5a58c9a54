"""Prescriptions as text: what is understood, what is in doubt rather than guessed, what a changing dose comes to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from camphor.errors import UsageError
from camphor.health.prescriptions.drugs import find
from camphor.health.prescriptions.lines import TextLine
from camphor.health.prescriptions.parse import Prescribed, parse, parse_text
from camphor.health.prescriptions.plans import plan_of, unplannable
from camphor.health.prescriptions.reading import read_directions
from camphor.health.scheduler.schedule import DayTimes, DosePlan, dues, gap


def only(text: str) -> Prescribed:
    (medicine,) = parse_text(text).medicines
    return medicine


def told(medicine: Prescribed) -> dict[str, str | None]:
    return {name: each.value for name, each in medicine.fields.items() if each.value != ""}


@pytest.mark.parametrize(
    ("line", "fields", "plan"),
    [
        (
            "1. Amoxicillin 500 mg cap 1-1-1 x 7 days after food",
            {"strength": "500 mg", "dose": "1 capsule", "food": "after food", "duration": "7 days"},
            {"times": ["08:00", "13:00", "20:00"], "days": 7},
        ),
        (
            "3. Metformin 850mg tab 1 tab BD with meals for 3months",
            {"name": "Metformin", "strength": "850 mg", "dose": "1 tablet", "food": "with food", "duration": "90 days"},
            {"times": ["08:00", "20:00"], "days": 90},
        ),
        (
            "Paracetamol 1 g PO qid prn (max 4 g/day)",
            {"dose": "1 g", "route": "by mouth"},
            {"times": [], "as_needed": True, "most_a_day": 4},
        ),
        (
            "Panadol 500 mg 2 tabs prn max 8 tabs/day",
            {"name": "Panadol (paracetamol)", "dose": "2 tablets"},
            {"times": [], "as_needed": True, "most_a_day": 4},
        ),
        ("Ibuprofen 400 mg q8h x10d", {"duration": "10 days"}, {"times": ["06:00", "14:00", "22:00"], "days": 10}),
        ("Ibuprofen 400 mg q6h prn", {}, {"times": [], "as_needed": True, "most_a_day": 4, "least_hours": 6.0}),
        ("Atorvastatin 20mg nocte", {"when": "at bedtime"}, {"times": ["22:00"]}),
        ("Cetirizine 10mg ON", {"when": "at bedtime"}, {"times": ["22:00"]}),
        ("Take 2 puffs of salbutamol prn", {"name": "salbutamol", "dose": "2 puffs"}, {"times": [], "as_needed": True}),
        (
            "Methotrexate 15 mg once weekly on Monday",
            {"dose": "15 mg", "when": "on Monday"},
            {"times": ["08:00"], "weekdays": [0]},
        ),
        ("Ferrous sulfate 200 mg every other day", {}, {"times": ["08:00"], "every_days": 2}),
        ("Carbamazepine 200 mg every 36 hours", {}, {"times": [], "every_hours": 36.0}),
        ("Pantoprazole 40 mg OD before breakfast x 14 days", {"food": "before food"}, {"times": ["07:30"], "days": 14}),
        ("Ramipril 2.5 mg at 8 am and 20:00", {}, {"times": ["08:00", "20:00"]}),
        ("Amoxicillin 250 mg/5 ml susp 5 ml bd 5/7", {"dose": "5 ml"}, {"times": ["08:00", "20:00"], "days": 5}),
        (
            "Vitamin D3 60,000 IU once a week x 8 weeks",
            {"dose": "60000 units"},
            {"times": ["08:00"], "every_days": 7, "days": 56},
        ),
        ("½ tablet bisoprolol 5 mg om", {"dose": "0.5 tablets", "strength": "5 mg"}, {"times": ["08:00"]}),
        ("Azithromycin 500 mg stat", {"when": "a single dose"}, {"times": [], "once": True}),
        ("Furosemide 40 mg tab 2-1-0", {}, {"times": ["08:00", "13:00"], "amounts": ["2 tablets", "1 tablet"]}),
        (
            "Co-amoxiclav 500/125 mg 1 tab bd 2/52",
            {"strength": "500/125 mg", "dose": "1 tablet"},
            {"times": ["08:00", "20:00"], "days": 14},
        ),
    ],
)  # fmt: skip
def test_directions_are_understood(line: str, fields: dict[str, str], plan: dict[str, object]) -> None:
    medicine = only(line)
    assert not medicine.doubts
    assert fields.items() <= told(medicine).items()
    assert medicine.plan is not None
    assert medicine.plan.to_json() == plan


@pytest.mark.parametrize(
    ("line", "field", "candidates"),
    [
        ("Amoxicillin 5OO mg tds", "dose", ("500 mg",)),
        ("Amoxicillin S00mg tds", "strength", ("500 mg",)),
        ("Amoxicillin ?00 mg tds", "dose", ()),
        ("Metronidazole mg tds", "dose", ()),
        ("Warfarin 1.0 mg od", "dose", ("1 mg", "10 mg")),
        ("Digoxin .125 mg od", "dose", ("0.125 mg", "125 mg")),
        ("Metformn 500 mg BD", "name", ("metformin",)),
        ("paracetam0l 500 mg BD", "name", ("paracetamol",)),
        ("Xyzabcol 20 mg od", "name", ()),
        ("Prednisolone eye drops 1% 1 drop OD", "when", ()),
        ("Doxycycline 100 mg twice weekly", "when", ()),
        ("Amoxicillin 500 mg", "when", ()),
        ("Amoxicillin 500 mg 1-0-1 at 26:00", "when", ()),
        ("Amoxicillin 500 mg bd tds", "when", ()),
        ("Warfarin 3 mg as directed", "when", ()),
    ],
)
def test_what_is_doubtful_is_shown_and_never_guessed(line: str, field: str, candidates: tuple[str, ...]) -> None:
    medicine = only(line)
    doubt = medicine.doubts[field]
    assert doubt.value is None
    assert doubt.candidates == candidates
    assert doubt.why
    assert field != "when" or medicine.plan is None


def test_directions_on_the_next_line_belong_to_the_medicine_above() -> None:
    text = (
        "Harbour Clinic\nPatient: Ines Marques  BP 120/80\nRx\n1. Amoxicillin 500 mg\n   Take 1 capsule three times "
        "a day for 7 days\n2) Tab. Metformin 850 mg BD\nReview in 2 weeks"
    )
    first, second = parse_text(text).medicines
    assert (first.name, first.fields["dose"].value, first.fields["duration"].value) == (
        "Amoxicillin",
        "1 capsule",
        "7 days",
    )
    assert second.name == "Metformin"
    assert not first.doubts
    assert not second.doubts


def test_two_lines_that_differ_are_a_doubt() -> None:
    assert "when" in only("Cetirizine 10 mg nocte\nTake one tablet twice daily").doubts


def test_what_no_medicine_was_found_for_is_shown() -> None:
    prescription = parse_text("take 1 tablet bd\nAmoxicillin 500 mg tds")
    assert [line.text for line in prescription.not_understood] == ["take 1 tablet bd"]


def test_an_unclear_picture_makes_every_value_a_doubt_and_an_alike_name_too() -> None:
    (unclear,) = parse([TextLine("Amoxicillin 500 mg tds", 0.7)]).medicines
    assert {"name", "dose", "when"} <= unclear.doubts.keys()
    assert unclear.doubts["dose"].candidates == ("500 mg",)
    assert find("prednisone", 0.9).drug is None
    assert find("prednisone", 0.9).candidates == ("prednisone", "prednisolone")
    assert find("prednisone").drug is not None


def test_the_person_settles_a_doubt() -> None:
    day = DayTimes()
    medicine = only("Metformn 5OO mg twice weekly for 14 days")
    for name, value in (("name", "Metformin"), ("strength", "500 mg"), ("dose", "500 mg"), ("when", "1-0-1")):
        assert name in medicine.doubts
        medicine = medicine.corrected(name, value, day)
    assert not medicine.doubts
    assert medicine.ingredients == ("metformin",)
    assert medicine.plan is not None
    assert medicine.plan.to_json() == {"times": ["08:00", "20:00"], "days": 14}
    longer = medicine.corrected("duration", "3 weeks", day)
    assert longer.plan is not None
    assert (longer.plan.days, len(longer.plan.times)) == (21, 2)
    with pytest.raises(UsageError, match="twice daily"):
        medicine.corrected("when", "now and then", day)
    with pytest.raises(UsageError, match="is no field"):
        medicine.corrected("colour", "blue", day)


def test_a_text_without_end_is_refused() -> None:
    with pytest.raises(UsageError, match="give the prescription alone"):
        parse_text("Amoxicillin 500 mg tds\n" * 2000)


START = datetime(2026, 11, 18)


def doses(text: str, start: datetime = START, days: int = 60) -> list[tuple[str, str]]:
    """Days of November and December, and amounts."""
    said = read_directions(text)
    assert not said.doubts, said.doubts
    plan = DosePlan.from_json(plan_of(said, DayTimes()).to_json())
    last = start + timedelta(days=days)
    return [(f"{each.wall:%d %b %H}", each.amount) for each in dues(plan, start, start, last, UTC)]


def test_each_part_follows_the_one_before() -> None:
    told = doses("8 tablets daily for 7 days, then 4 tablets daily for 7 days")
    assert told[:7] == [(f"{day} Nov 08", "8 tablets") for day in range(18, 25)]
    assert [amount for _, amount in told[7:]] == ["4 tablets"] * 7
    assert (told[7][0], told[-1][0]) == ("25 Nov 08", "01 Dec 08")


def test_the_last_part_may_go_on_and_how_often_may_change() -> None:
    told = doses("2 tablets twice a day for 3 days, then 1 tablet once a day", days=9)
    assert [amount for _, amount in told] == ["2 tablets"] * 6 + ["1 tablet"] * 6


def test_a_course_that_begins_in_the_evening_has_all_its_doses() -> None:
    told = doses("2 tablets twice a day for 3 days, then 1 tablet once a day for 2 days", START + timedelta(hours=13))
    assert [amount for _, amount in told] == ["2 tablets"] * 6 + ["1 tablet"] * 2
    assert told[0][0] == "18 Nov 20"


def test_a_day_in_the_middle_is_planned_alone() -> None:
    plan = plan_of(read_directions("8 tablets daily for 7 days, then 4 tablets daily for 7 days"), DayTimes())
    day = START + timedelta(days=8)
    assert [each.amount for each in dues(plan, START, day, day + timedelta(days=1), UTC)] == ["4 tablets"]
    assert (plan.length, gap(plan)) == (14, timedelta(days=1))


@pytest.mark.parametrize(
    "text", ["2 tablets on day one, then", "2 tablets daily, then 1 tablet daily", "2 tablets on Mondays, 1 on Fridays"]
)
def test_what_does_not_say_each_part_is_not_planned(text: str) -> None:
    said = read_directions(text)
    assert said.doubts or unplannable(said)


def test_a_plan_of_parts_says_nothing_beside_them() -> None:
    part = plan_of(read_directions("1 tablet daily for 7 days"), DayTimes())
    with pytest.raises(UsageError):
        DosePlan(times=part.times, parts=(part,))
    with pytest.raises(UsageError):
        DosePlan(parts=(plan_of(read_directions("1 tablet daily"), DayTimes()), part))
