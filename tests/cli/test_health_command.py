"""`camphor health` for what the clinic app keeps, as a person meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.device.health.database import HealthDatabase
from tests.doubles.command import Camphor, one_line


def listed(camphor: Camphor, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(camphor("health", *words, "--json").out)
    return found


def test_an_appointment_is_booked_listed_and_cancelled(camphor: Camphor) -> None:
    before = listed(camphor, "appointments", "list")
    booked = camphor("health", "appointments", "book", "dermatologist", "--symptoms", "itchy patches", "--yes")
    assert (booked.status, booked.out) == (0, "Booked: Dr. Owen Pritchard (Dermatologist) at 18:00-18:20, 21/05/2026\n")
    (new,) = [each for each in listed(camphor, "appointments", "list") if each not in before]
    assert (new["date"], new["symptoms"], new["state"]) == ("2026-05-21", "itchy patches", "booked")
    assert camphor("health", "appointments", "cancel", str(new["number"])).status == 0
    assert listed(camphor, "appointments", "list") == before
    assert len(listed(camphor, "appointments", "list", "--all")) == 5
    again = camphor("health", "appointments", "cancel", str(new["number"]))
    assert "health appointments list" in one_line(again.err)
    journal = json.loads(camphor("device", "show", "nadia-bristol", "--journal", "--json").out)
    assert [each["call"]["name"] for each in journal] == ["book_appointment", "save_appointment_history"]


def test_nothing_is_booked_unasked(camphor: Camphor) -> None:
    refused = camphor("health", "appointments", "book", "cardiologist")
    assert refused.status == 1
    assert "Dr. Lucia Ferrante" in one_line(refused.err)
    assert len(listed(camphor, "appointments", "list")) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("appointments", "book", "astrologer", "--yes"),
            "No astrologer offers slots on this phone: there are",
        ),
        (("appointments", "book", "cardiologist", "--day", "2026-05-30", "--yes"), "09:30-10:15, 22/05/2026"),
        (("appointments", "cancel", "99"), "no appointment 99"),
        (("contacts", "add", "Ann", "abc"), "no phone number"),
        (("contacts", "add", "tom reed", "+44 7700 900199"), "already"),
        (("contacts", "remove", "0"), "from 1 to 3"),
        (("complaints", "remove", "8"), "from 1 to 7"),
        (("complaints", "remove", "1", "--device", "ines-dublin"), "the list is empty"),
        (("contacts", "remove", "1", "--device", "ines-dublin"), "the list is empty"),
        (("appointments", "cancel", "1", "--device", "ines-dublin"), "no appointment on this phone"),
        (("appointments", "book", "dentist", "--device", "ines-dublin"), "offers slots to book"),
        (("appointments", "add", "Dr. Ode", "2026-05-20"), "no time of day"),
        (("appointments", "add", "Dr. Ode", "some day"), "not a time that can be understood"),
        (("appointments", "add", "Dr. Ode", "2026-05-27T08:50"), "from 08:45 to 09:15"),
    ],
)
def test_bad_input_is_told_in_one_line(camphor: Camphor, words: tuple[str, ...], told: str) -> None:
    ran = camphor("health", *words)
    assert ran.status == 2
    assert told in one_line(ran.err)


def test_complaints_are_noted_searched_and_deleted(camphor: Camphor) -> None:
    assert camphor("health", "complaints", "add", "sore", "throat").out == "Noted: sore throat\n"
    (found,) = listed(camphor, "complaints", "list", "trouble", "swallowing")
    assert found == {"number": 8, "date": "2026-05-18", "symptoms": "sore throat"}
    assert camphor("health", "complaints", "remove", "8").out == "Deleted: sore throat\n"
    assert listed(camphor, "complaints", "list", "trouble", "swallowing") == []


def test_a_contact_without_a_number_is_pointed_out(camphor: Camphor) -> None:
    assert "Without a phone number, and so not told by message: Leon Reed" in camphor("health", "contacts", "list").out
    assert camphor("health", "contacts", "remove", "3").out == "Removed: Leon Reed\n"
    assert camphor("health", "contacts", "add", "Leon Reed", "+44 7700 900177").status == 0
    assert "Without" not in camphor("health", "contacts", "list").out


def test_a_phone_of_ones_own_begins_empty(camphor: Camphor) -> None:
    camphor("device", "new", "mine", "--apps", "contacts,clinic")
    assert listed(camphor, "contacts", "list", "--device", "mine") == []
    assert camphor("health", "complaints", "add", "a cough", "--device", "mine").status == 0
    assert len(listed(camphor, "complaints", "list", "--device", "mine")) == 1


def test_anothers_health_does_not_stay_behind_a_phone(camphor: Camphor, tmp_path: Path) -> None:
    camphor("health", "contacts", "list")
    out = tmp_path / "nadia.device.json"
    camphor("device", "export", "nadia-bristol", "--out", str(out))
    store = camphor.home / "devices" / "nadia-bristol.camphor"
    with HealthDatabase.of(store) as base:
        base.prepare("pulse", ("CREATE TABLE pulse_seen (note TEXT);",))
    camphor("device", "import", str(out), "--replace")
    with HealthDatabase.of(store) as base:
        assert base.version("pulse") == 1  # the same person's phone
    camphor("device", "new", "nadia-bristol", "--owner", "Somebody Else", "--replace")
    with HealthDatabase.of(store) as base:
        assert base.version("pulse") == 0


@pytest.mark.parametrize("group", ["appointments", "complaints", "contacts", "doctors", "clinics", "numbers"])
def test_an_empty_list_of_a_phone_without_a_clinic_says_how_to_fill_it(camphor: Camphor, group: str) -> None:
    assert camphor("device", "new", "bare", "--owner", "Leah").status == 0
    done = camphor("health", group, "list", "-d", "bare")
    assert (done.status, done.err) == (0, "")
    assert f"camphor health {group} add" in done.out
    assert json.loads(camphor("health", "contacts", "list", "-d", "bare", "--json").out) == []


@pytest.mark.parametrize(
    ("said", "begins"),
    [("next thursday at 9:30", "2026-05-28"), ("2026-05-28T10:30+02:00", "2026-05-28"), ("2020-05-28T09:30", "2020")],
)
def test_when_an_appointment_is_may_be_said_in_words(camphor: Camphor, said: str, begins: str) -> None:
    done = camphor("health", "appointments", "add", "Dr. Ode", said)
    assert done.status == 0, done.err
    assert f"Kept: Dr. Ode, 09:30-10:00 on Thursday {begins}" in done.out
    assert ("over by the phone's clock" in done.out) == (begins == "2020")
