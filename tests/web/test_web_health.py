"""Appointments, complaints, the talk about one, SOS and doses through the interface."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from camphor.web.health import in_words
from camphor.web.services import Services
from tests.doubles.web import BARE, NADIA, health_client, services_on

MARKUP = "<img src=x onerror=alert(1)> sore throat"


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return services_on(tmp_path)


@pytest.fixture
def client(services: Services) -> TestClient:
    return health_client(services)


def test_a_phone_without_the_clinic_app_says_so_and_the_demo_phone_is_added_once(client: TestClient) -> None:
    told = client.get(f"{BARE}/health").json()
    assert (told["clinic"], told["demo"], told["demo_there"]) == (False, "nadia-bristol", True)
    for place in ("appointments", "complaints", "complaint-talk"):
        refused = client.get(f"{BARE}/{place}")
        assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
        assert "clinic app" in refused.json()["detail"]
    assert client.get(f"{BARE}/vitals").status_code == client.get(f"{BARE}/doses").status_code == 200
    client.post(f"{NADIA}/complaints", json={"symptoms": "sore throat"})
    assert client.post("/api/health/demo").status_code == 201
    assert client.get(f"{NADIA}/complaints").json()[0]["symptoms"] == "sore throat"
    assert client.get(f"{NADIA}/health").json()["clinic"] is True


def test_an_appointment_is_cancelled_once_and_its_slot_is_free_again(client: TestClient, services: Services) -> None:
    first = client.get(f"{NADIA}/appointments").json()[0]
    assert first["ahead"] is True
    cancelled = client.post(f"{NADIA}/appointments/{first['item']}/cancel")
    assert cancelled.json()["state"] == "cancelled"
    again = client.post(f"{NADIA}/appointments/{first['item']}/cancel")
    assert again.status_code == 409
    slots = services.phone("nadia-bristol").records("clinic", "slots")
    assert any(each["date"] == first["begin"][:10] and not each["taken"] for each in slots)


def test_complaints_and_contacts_are_added_and_removed_as_they_are_written(client: TestClient) -> None:
    made = client.post(f"{NADIA}/complaints", json={"symptoms": MARKUP}).json()
    assert made["symptoms"] == MARKUP
    assert client.delete(f"{NADIA}/complaints/{made['item']}").status_code == 204
    assert client.delete(f"{NADIA}/complaints/{made['item']}").status_code == 404
    contact = {"name": "Bo", "phone_number": "+44 7700 900199"}
    assert client.post(f"{NADIA}/emergency-contacts", json=contact).json()[-1]["name"] == "Bo"
    assert client.post(f"{NADIA}/emergency-contacts", json=contact).status_code == 409
    assert client.post(f"{NADIA}/emergency-contacts", json={"name": "Al", "phone_number": "abc"}).status_code == 422


# SOS


def test_a_rehearsal_shows_who_would_be_told_and_writes_nothing(client: TestClient) -> None:
    told = client.post(f"{NADIA}/sos/start", json={"dry_run": True}).json()
    assert [each["role"] for each in told["would_send"]] == ["ambulance", "contact", "contact"]
    assert (told["sos"], told["messages"]) == (None, [])
    assert any("Leon Reed has no phone number" in each for each in told["problems"])
    assert client.get(f"{NADIA}/sos").json()["sos"] is None


def test_an_sos_pressed_twice_is_one_and_says_that_nobody_is_told_without_a_delivery(client: TestClient) -> None:
    with ThreadPoolExecutor(2) as threads:
        both = list(threads.map(lambda _: client.post(f"{NADIA}/sos/start", json={}).json(), range(2)))
    assert {each["sos"]["id"] for each in both} == {1}
    told = client.get(f"{NADIA}/sos").json()
    assert len(told["messages"]) == 3
    assert {each["state"] for each in told["messages"]} == {"kept"}
    assert "nobody is told" in told["delivery"]
    assert client.get(f"{NADIA}/health").json()["sos_active"] is True


def test_an_sos_is_brought_up_to_date_and_ended(client: TestClient) -> None:
    client.post(f"{NADIA}/sos/start", json={})
    news = client.post(f"{NADIA}/sos/update", json={"note": "I am at the back door"}).json()
    assert all("back door" in each["text"] for each in news["messages"])
    settled = [client.post(f"{NADIA}/sos/messages/{number}/settle", json={"sent": True}) for number in (1, 99)]
    assert [each.status_code for each in settled] == [409, 404]  # it is known what became of one, the other is none
    assert client.post(f"{NADIA}/sos/end", json={}).json()["sos"]["state"] == "ended"
    over = client.post(f"{NADIA}/sos/update", json={"note": "x"}).json()
    assert over["problems"] == ["No SOS is active: begin one with the button Call for help, under Emergency"]
    assert client.post(f"{NADIA}/sos/update", json={"note": "x" * 301}).status_code == 422


def test_messages_of_the_command_line_are_put_in_words_of_the_page() -> None:
    assert in_words("see  camphor health doses") == "see the doses under Medicines"
    assert "camphor" not in in_words("If you took it:  camphor health taken 12  . Do not take two")
    assert "camphor" not in in_words("type it, as  camphor health prescription --text 'NAME 5 mg daily'")


# doses


def keep_metformin(client: TestClient, start: str = "2026-05-18T00:00") -> list[dict[str, Any]]:
    lines = [{"text": "Metformin 850 mg 1 tab bd with meals for 30 days"}]
    kept = client.post(f"{NADIA}/prescriptions", json={"lines": lines, "start": start})
    assert kept.status_code == 201, kept.text
    doses: list[dict[str, Any]] = client.get(f"{NADIA}/doses").json()["doses"]
    return doses


def test_two_browsers_that_confirm_one_dose_note_it_once(client: TestClient) -> None:
    morning = keep_metformin(client)[0]
    assert morning["state"] == "waiting"
    where = f"{NADIA}/doses/{morning['dose']}/taken"
    with ThreadPoolExecutor(2) as threads:
        both = [each.json() for each in threads.map(lambda _: client.post(where, json={}), range(2))]
    assert sorted(each["news"] for each in both) == [False, True]
    assert any("already: nothing was changed" in each["says"] for each in both)
    assert client.get(f"{NADIA}/doses").json()["counts"]["taken"] == 1


def test_a_dose_is_put_off_skipped_taken_back_and_not_noted_too_early(client: TestClient) -> None:
    morning, evening = keep_metformin(client)
    dose = f"{NADIA}/doses/{morning['dose']}"
    assert client.post(f"{dose}/snooze", json={}).json()["says"].endswith("09:20")
    assert client.post(f"{dose}/skip", json={"why": "ill"}).json()["news"] is True
    assert client.post(f"{dose}/taken", json={}).json()["news"] is False
    assert client.post(f"{dose}/undo", json={}).status_code == 200
    early = client.post(f"{NADIA}/doses/{evening['dose']}/taken", json={})
    assert early.status_code == 422
    assert "camphor" not in early.json()["detail"]
    assert client.post(f"{NADIA}/doses/999/taken", json={}).status_code == 404


def test_a_medicine_is_stopped_once(client: TestClient) -> None:
    keep_metformin(client)
    medicine = client.get(f"{NADIA}/medicines").json()[0]
    assert medicine["times"] == ["08:00", "20:00"]
    assert client.post(f"{NADIA}/medicines/{medicine['id']}/stop").status_code == 200
    assert client.post(f"{NADIA}/medicines/{medicine['id']}/stop").status_code == 422
    assert client.get(f"{NADIA}/medicines").json() == []


# the talk


def heard(client: TestClient, done: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
    for _ in range(2000):
        happened: list[dict[str, Any]] = client.get(f"{NADIA}/complaint-talk").json()["happened"]
        if done(happened):
            return happened
        time.sleep(0.01)
    raise AssertionError(happened[-3:])


def ends_with(*kinds: str) -> Callable[[list[dict[str, Any]]], bool]:
    return lambda happened: bool(happened) and happened[-1]["kind"] in kinds


def test_a_complaint_is_asked_about_and_noted(client: TestClient) -> None:
    complaint = "my knee aches and clicks on the stairs"
    first = client.post(f"{NADIA}/complaint-talk", json={"complaint": complaint, "key": "a"})
    same = client.post(f"{NADIA}/complaint-talk", json={"complaint": complaint, "key": "a"})
    assert first.json() == same.json()
    question = heard(client, ends_with("question"))[-1]
    assert question["text"] == "Since when?"
    assert client.post(f"{NADIA}/complaint-talk", json={"complaint": "and a cough"}).status_code == 409
    where = f"{NADIA}/complaint-talk/questions/{question['number']}"
    assert client.post(where, json={"text": "for a week"}).status_code == 204
    told = answered(client, "no")
    assert [each["text"] for each in told if each["kind"] == "said"][:2] == [complaint, "for a week"]
    assert client.post(where, json={"text": "again"}).status_code == 409
    kept = client.get(f"{NADIA}/complaints").json()[0]["symptoms"]
    assert kept.startswith(f"“{complaint}” (1)")
    assert "Since when? – “for a week” (2)" in kept
    assert (told[-1]["booked"], told[-1]["done"]) == (None, ["store_symptoms"])


def answered(client: TestClient, *answers: str) -> list[dict[str, Any]]:
    """What happened once these answers were given in order, the last of them again and again."""
    left = list(answers)
    while (told := heard(client, ends_with("question", "settled")))[-1]["kind"] == "question":
        text = left.pop(0) if len(left) > 1 else left[0]
        client.post(f"{NADIA}/complaint-talk/questions/{told[-1]['number']}", json={"text": text})
        heard(client, lambda happened, last=told[-1]["number"]: happened[-1]["number"] > last + 1)
    return told


def test_nothing_is_booked_without_a_yes(client: TestClient) -> None:
    before = client.get(f"{NADIA}/appointments").json()
    client.post(f"{NADIA}/complaint-talk", json={"complaint": "my knee aches"})
    assert answered(client, "hm")[-1]["booked"] is None
    assert client.get(f"{NADIA}/appointments").json() == before


def test_signs_of_an_emergency_need_no_model(client: TestClient) -> None:
    client.post(f"{NADIA}/complaint-talk", json={"complaint": "I have chest pain and can't breathe"})
    told = heard(client, ends_with("settled"))
    assert told[-1]["emergency"]
    assert any("emergency" in each["text"] for each in told if each["kind"] == "told")


def test_a_talk_is_stopped_and_too_long_words_are_refused(tmp_path: Path) -> None:
    client = health_client(services_on(tmp_path))
    assert client.post(f"{NADIA}/complaint-talk", json={"complaint": " "}).status_code == 422
    assert client.post(f"{NADIA}/complaint-talk", json={"complaint": "x" * 1001}).status_code == 422
    assert client.post(f"{NADIA}/complaint-talk", json={"complaint": "x" * 100_000}).status_code == 422
    client.post(f"{NADIA}/complaint-talk", json={"complaint": "my knee is sore"})
    heard(client, ends_with("question"))
    assert client.post(f"{NADIA}/complaint-talk/stop").json() == {"stopping": True}
    heard(client, ends_with("stopped"))
    assert client.post(f"{NADIA}/complaint-talk/stop").json() == {"stopping": False}


def test_a_talk_outlives_the_server_and_is_forgotten_when_the_person_says_so(tmp_path: Path) -> None:
    first = services_on(tmp_path)
    client = health_client(first)
    client.post(f"{NADIA}/complaint-talk", json={"complaint": "my knee is sore", "key": "a"})
    before = heard(client, ends_with("question"))
    again = services_on(tmp_path)  # the first server is as good as killed: it waits for ever
    client = health_client(again)
    told = client.get(f"{NADIA}/complaint-talk").json()
    assert (told["running"], told["happened"][:-1]) == (False, before)
    assert told["happened"][-1]["kind"] == "interrupted"
    assert "nothing was done" in told["happened"][-1]["text"]
    where = f"{NADIA}/complaint-talk/questions/{before[-1]['number']}"
    assert client.post(where, json={"text": "for a week"}).status_code == 409
    same = client.post(f"{NADIA}/complaint-talk", json={"complaint": "my knee is sore", "key": "a"})
    assert same.json()["number"] == before[0]["number"]
    assert client.get(f"{NADIA}/conversations").json() == []
    assert client.delete(f"{NADIA}/complaint-talk").status_code == 204
    assert client.get(f"{NADIA}/complaint-talk").json() == {"running": False, "last": 0, "happened": []}


def test_a_phone_that_is_removed_has_neither_watch_nor_talk_any_more(tmp_path: Path) -> None:
    client = health_client(services_on(tmp_path))
    others = set(threading.enumerate())
    assert client.post(f"{NADIA}/watch/start", json={"speed": 60, "keep": True}).json()["running"] is True
    client.post(f"{NADIA}/complaint-talk", json={"complaint": "my knee is sore"})
    heard(client, ends_with("question"))
    assert client.delete(NADIA).status_code == 204
    left = {thread.name for thread in set(threading.enumerate()) - others}
    assert not {"watch", "complaint"} & left
    client.post("/api/health/demo")  # another phone of that name
    assert client.get(f"{NADIA}/watch").json()["at"] is None
    assert client.get(f"{NADIA}/complaint-talk").json()["happened"] == []
