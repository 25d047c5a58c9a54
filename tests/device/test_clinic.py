"""The clinic app: what each tool does on a phone, and what it refuses."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from camphor.device.apps import BUILT_IN_APPS, tools_of
from camphor.device.apps.clinic import Clinic
from camphor.device.device import Device
from camphor.device.format import read
from camphor.device.journal import State
from camphor.errors import UsageError
from camphor.tools.tool import Kind
from camphor.types import Call
from tests.doubles.clinic import ARROYO, DOCUMENT, LIND, OKORO, USER, clinic_phone, error_of, tell

TUESDAY = {**USER, "specialist_id": ARROYO, "appointment_time_date": "11:00-11:30, 03/09/2024"}


@pytest.fixture
def phone() -> Device:
    return clinic_phone()


def test_it_brings_the_papers_tools_and_no_other_phone_has_them() -> None:
    kinds = {tool.name: tool.kind for tool in tools_of("clinic")}
    assert len(kinds) == 14
    acting = {name for name, kind in kinds.items() if kind is Kind.ACTION}
    assert acting == {
        "book_appointment", "confirm_appointment", "save_appointment_history", "store_symptoms", "follow_up_with_user",
        "notify_user", "send_message",
    }  # fmt: skip
    assert "clinic" not in BUILT_IN_APPS


def test_the_papers_appointment_is_found_confirmed_and_saved(phone: Device) -> None:
    symptoms = "fatigue, chills, body aches, sore throat"
    past = tell(phone, "retrieve_past_complaints", **USER, symptoms=symptoms)
    assert {"date": "2024-06-02", "symptoms": "mild body aches, slight fever"} in past.records
    found = tell(phone, "get_available_specialists", symptoms=symptoms, specialization="general physician")
    assert found.records == (
        {
            "specialist_id": LIND,
            "name": "Dr. Eva Lind (General Physician)",
            "available_slot": {"date": "2024-09-05", "time": "15:00-15:30"},
        },
    )
    slot = {"specialist_id": LIND, "appointment_time_date": "15:00-15:30, 05/09/2024"}
    assert tell(phone, "confirm_appointment", **USER, **slot).error is None
    assert tell(phone, "save_appointment_history", **USER, **slot, symptoms=symptoms).error is None
    assert tell(phone, "store_symptoms", **USER, symptoms=symptoms, timestamp="2024-09-02T10:57:00").error is None
    (kept,) = tell(phone, "get_appointment_history", **USER).records
    assert (kept["state"], kept["symptoms"], kept["date"]) == ("confirmed", symptoms, "2024-09-05")
    assert phone.records("clinic", "complaints")[-1] == {"date": "2024-09-02", "symptoms": symptoms}
    taken = [each for each in phone.records("clinic", "slots") if each["taken"] and each["specialist_id"] == LIND]
    assert [each["date"] for each in taken] == ["2024-09-05"]


def test_a_slot_is_taken_once_however_often_it_is_booked_and_confirmed(phone: Device) -> None:
    for name in ("book_appointment", "book_appointment", "confirm_appointment", "book_appointment"):
        assert tell(phone, name, **TUESDAY).error is None
    (kept,) = phone.records("clinic", "appointments")
    assert kept["state"] == "confirmed"
    short = {**TUESDAY, "appointment_time_date": "11:00-11:30, 03/09/24"}
    assert tell(phone, "confirm_appointment", **short).records == (kept,)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("11:30-12:00, 03/09/2024", "11:00-11:30, 03/09/2024"),  # taken by somebody
        ("10:00-10:30, 06/09/2024", "15:00-15:30, 05/09/2024"),  # never offered
        ("08:00-08:30, 02/09/2024", "a time after now"),  # in the past, though free
        ("11:00-11:30, 09/03/2024", "a time after now"),
        ("11:00-11:30, 09/30/2024", "day before month"),
        ("Tuesday at eleven", "HH:MM-HH:MM, DD/MM/YYYY"),
        ("11:30-11:00, 03/09/2024", "ends after it begins"),
        ("31:00-31:30, 03/09/2024", "HH:MM-HH:MM, DD/MM/YYYY"),
    ],
)
def test_a_slot_that_is_not_free_is_refused_with_those_that_are(phone: Device, written: str, told: str) -> None:
    where = {**USER, "specialist_id": ARROYO, "appointment_time_date": written}
    for name in ("book_appointment", "confirm_appointment"):
        assert told in error_of(phone, name, **where)
    assert not phone.journal()


def test_a_person_is_not_at_two_places_at_once(phone: Device) -> None:
    where = {**USER, "specialist_id": OKORO, "appointment_time_date": "15:15-15:45, 05/09/2024"}
    tell(phone, "book_appointment", **where)
    clash = error_of(phone, "book_appointment", **USER, specialist_id=LIND,
                     appointment_time_date="15:00-15:30, 05/09/2024")  # fmt: skip
    assert "Dr. Ada Okoro is at 15:15-15:45, 05/09/2024" in clash
    found = tell(phone, "get_available_specialists", symptoms="cough", specialization="general physician").records[0]
    assert found["available_slot"] == {"date": "2024-09-03", "time": "11:00-11:30"}


@pytest.mark.parametrize("said", ["GP", "General Practitioner", "family doctor", "General Physician"])
def test_a_specialist_has_several_names(phone: Device, said: str) -> None:
    assert tell(phone, "get_available_specialists", symptoms="cough", specialization=said).error is None


def test_an_unknown_specialist_is_refused_with_those_there_are(phone: Device) -> None:
    kinds = error_of(phone, "get_available_specialists", symptoms="cough", specialization="astrologer")
    assert "one of general physician, neurologist" in kinds
    assert "neurologist" in error_of(phone, "get_available_specialists", symptoms="pain", specialization="urologist")
    ids = error_of(phone, "book_appointment", **{**TUESDAY, "specialist_id": "AECJ999999"})
    assert f"{ARROYO} (Dr. Diego Arroyo)" in ids


def test_what_the_person_says_about_the_time_holds(phone: Device) -> None:
    asked: dict[str, Any] = {"symptoms": "cough", "specialization": "general physician"}
    morning = tell(phone, "get_available_specialists", **asked, user_schedule={"time_range": "09:00-12:00"})
    assert morning.records[0]["available_slot"] == {"date": "2024-09-03", "time": "11:00-11:30"}
    day = tell(phone, "get_available_specialists", **asked, user_schedule={"date": "20/09/2024"})
    assert day.records[0]["specialist_id"] == LIND
    none = error_of(phone, "get_available_specialists", **asked, user_schedule={"date": "2024-09-04"})
    assert "11:00-11:30, 03/09/2024" in none
    odd = error_of(phone, "get_available_specialists", **asked, user_schedule={"time_range": "noonish"})
    assert "HH:MM-HH:MM" in odd


def test_no_free_slot_at_all_is_an_empty_answer() -> None:
    phone = clinic_phone(slots=[])
    seen = tell(phone, "get_available_specialists", symptoms="cough", specialization="general physician")
    assert (seen.records, seen.error) == ((), None)


def test_a_cancelled_appointment_gives_its_slot_back(phone: Device) -> None:
    tell(phone, "book_appointment", **TUESDAY)
    with phone.changing(Clinic) as clinic:
        clinic.appointments.cancel(clinic.appointments.active()[0])
    assert phone.records("clinic", "appointments")[0]["state"] == "cancelled"
    assert tell(phone, "book_appointment", **TUESDAY).error is None
    assert [each["state"] for each in phone.records("clinic", "appointments")] == ["cancelled", "booked"]


def test_changes_outside_calls_are_kept_whole_or_not_at_all(phone: Device) -> None:
    tell(phone, "book_appointment", **TUESDAY)
    before = phone.export()

    def cut_off() -> None:
        with phone.changing(Clinic) as clinic:
            clinic.appointments.cancel(clinic.appointments.active()[0])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        cut_off()
    assert phone.export() == before
    bare = Device.create(None, {**copy.deepcopy(DOCUMENT), "apps": {}})
    with pytest.raises(UsageError, match="no app clinic"), bare.changing(Clinic):
        pass


def test_only_an_appointment_that_was_made_is_saved(phone: Device) -> None:
    assert "there is none" in error_of(phone, "save_appointment_history", **TUESDAY, symptoms="cough")


@pytest.mark.parametrize(
    ("symptoms", "dates"),
    [
        ("fatigue, chills", ["2024-08-01"]),
        ("high temperature", ["2024-06-02"]),
        ("tiredness, feverish, sore throat", ["2024-08-01", "2024-06-02"]),
        ("pain in the shoulder", []),  # pain alone is no likeness
        ("aching knees", ["2024-07-15"]),
        ("", []),
    ],
)
def test_past_complaints_are_found_by_what_people_call_the_same(symptoms: str, dates: list[str]) -> None:
    found = tell(clinic_phone(), "retrieve_past_complaints", **USER, symptoms=symptoms or "-")
    assert [each["date"] for each in found.records] == dates


def test_past_complaints_of_some_days(phone: Device) -> None:
    asked = {**USER, "symptoms": "fever, fatigue"}
    late = tell(phone, "retrieve_past_complaints", **asked, date_range={"start_date": "2024-07-01"})
    assert [each["date"] for each in late.records] == ["2024-08-01"]
    turned = {"start_date": "2024-07-01", "end_date": "2024-06-01"}
    assert "not before" in error_of(phone, "retrieve_past_complaints", **asked, date_range=turned)


@pytest.mark.parametrize(
    ("timestamp", "told"), [("soon", "YYYY-MM-DD"), ("2024-09-04T10:00:00", "not after now"), ("2024-13-01", "YYYY-MM")]
)
def test_a_time_of_complaint_that_cannot_be_is_refused(phone: Device, timestamp: str, told: str) -> None:
    assert told in error_of(phone, "store_symptoms", **USER, symptoms="cough", timestamp=timestamp)


def test_another_person_is_refused(phone: Device) -> None:
    assert "JICC571413" in error_of(phone, "get_appointment_history", user_id="JICC571414")
    assert "JICC571413" in error_of(phone, "book_appointment", **{**TUESDAY, "user_id": "me"})
    assert tell(clinic_phone(profile={}), "get_appointment_history", user_id="anybody").error is None


def test_only_a_person_answers_questions(phone: Device) -> None:
    assert "a person to answer" in error_of(phone, "get_input_from_user", **USER, questions="Since when?")
    assert tell(phone, "notify_user", **USER, message="Booked.").error is None
    assert phone.records("clinic", "notices") == [{"time": "2024-09-02T10:57:00", "message": "Booked."}]


def test_a_follow_up_is_noted_for_the_next_day(phone: Device) -> None:
    tell(phone, "follow_up_with_user", **USER, current_symptoms="a cough", preferred_contact_method="call")
    (notice,) = phone.records("clinic", "notices")
    assert (notice["time"], notice["method"]) == ("2024-09-03T10:57", "call")
    odd = error_of(phone, "follow_up_with_user", **USER, current_symptoms="a cough", preferred_contact_method="fax")
    assert "chat" in odd


def test_the_nearest_free_ambulance_is_called_assigned_and_released(phone: Device) -> None:
    (here,) = tell(phone, "get_location").records
    (found,) = tell(phone, "search_ambulance", location=here).records
    assert found == {"ambulance_id": "AMBnear", "phone_no": "+353 1 496 0002"}
    assert tell(phone, "get_assigned_ambulance", **USER).records == ()
    sent = tell(phone, "send_message", phone_no="+35314960002", text="Ambulance needed").records[0]
    assert sent["recipients"] == [{"phone_no": "+35314960002"}]
    assert tell(phone, "get_assigned_ambulance", **USER).records == (found,)
    tell(phone, "send_message", phone_no=found["phone_no"], text="No longer needed")
    assert tell(phone, "get_assigned_ambulance", **USER).records == (found,)  # what a text says decides nothing
    with phone.changing(Clinic) as clinic:
        assert [each["ambulance_id"] for each in clinic.release_ambulances()] == ["AMBnear"]
    assert tell(phone, "get_assigned_ambulance", **USER).records == ()


def test_no_place_and_no_ambulance_are_empty_answers() -> None:
    document = copy.deepcopy(DOCUMENT)
    document["location"] = {"city": "Dublin"}
    document["apps"]["clinic"]["ambulances"] = []
    phone = Device.create(None, document)
    assert tell(phone, "get_location").records == ()
    assert tell(phone, "search_ambulance", location={"latitude": 53.3, "longitude": -6.2}).records == ()
    assert "degrees" in error_of(phone, "search_ambulance", location={"latitude": 153.3, "longitude": -6.2})


def test_an_emergency_contact_without_a_number_is_told_and_skipped(phone: Device) -> None:
    sent = tell(phone, "send_message", text="SOS", to_emergency_contacts=True).records[0]
    assert [each["name"] for each in sent["recipients"]] == ["Tom Reed"]
    assert sent["skipped"] == ["Leon Reed has no phone number"]
    alone = clinic_phone(emergency_contacts=[{"name": "Leon Reed", "phone_number": " "}])
    assert "Leon Reed has no phone number" in error_of(alone, "send_message", text="SOS", to_emergency_contacts=True)
    assert "no emergency contact" in error_of(
        clinic_phone(emergency_contacts=[]), "send_message", text="SOS", to_emergency_contacts=True
    )
    assert "to_emergency_contacts" in error_of(phone, "send_message", text="SOS")


def test_an_action_with_a_key_is_done_once(phone: Device) -> None:
    call = Call("send_message", {"text": "SOS", "to_emergency_contacts": True})
    first, second = (phone.execute(call, key="sos-1-contacts") for _ in range(2))
    assert (first, len(phone.records("clinic", "messages"))) == (second, 1)
    assert [entry.state for entry in phone.journal()] == [State.DONE]


def test_a_long_list_of_slots_is_answered_as_a_short_one() -> None:
    slots = [
        {"specialist_id": who, "date": f"2024-{month:02}-{day:02}", "time": "09:00-09:30", "taken": month < 12}
        for who in (ARROYO, LIND)
        for month in range(9, 13)
        for day in range(1, 29)
    ] + [{"specialist_id": OKORO, "date": f"2024-08-{day:02}", "time": "09:00-09:30"} for day in range(1, 31)] * 2
    phone = clinic_phone(slots=slots)
    assert len(slots) > 256
    found = tell(phone, "get_available_specialists", symptoms="cough", specialization="GP").records[0]
    assert (found["specialist_id"], found["available_slot"]["date"]) == (LIND, "2024-12-01")
    where = {"specialist_id": LIND, "appointment_time_date": "09:00-09:30, 01/12/2024"}
    assert tell(phone, "book_appointment", **USER, **where).error is None
    after = tell(phone, "get_available_specialists", symptoms="cough", specialization="GP").records[0]
    assert after["available_slot"]["date"] == "2024-12-02"


def test_the_demo_phone_has_what_its_lists_promise() -> None:
    from importlib.resources import as_file, files

    with as_file(files("camphor") / "demo" / "health.device.json") as path:
        data = read(path)
    clinic = data["apps"]["clinic"]
    for name, fields in Clinic.lists.items():
        assert all(set(record) <= set(fields) for record in clinic.get(name, ())), name
    phone = Device.create(None, data)
    kinds = {each["specialization"] for each in clinic["specialists"]}
    assert len(kinds) >= 12
    for kind in kinds:
        found = tell(phone, "get_available_specialists", symptoms="-", specialization=kind)
        assert found.records, kind
    taken = {(each["specialist_id"], each["date"], each["time"]) for each in clinic["slots"] if each["taken"]}
    ahead = [each for each in clinic["appointments"] if each["state"] == "booked"]
    assert ahead
    assert all((each["specialist_id"], each["date"], each["time"]) in taken for each in ahead)
