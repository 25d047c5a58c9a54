"""Whom a person keeps, an SOS that says whether it is set up, and what every page shows."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.doubles.emergency import serving
from tests.doubles.web import BARE, NADIA, health_client, services_on

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # sockets of apprise
CARDS = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Tom Reed\r\nTEL;TYPE=CELL:+44 7700 900123\r\n"
    "EMAIL:tom@example.org\r\nEND:VCARD\r\n"
    "BEGIN:VCARD\nVERSION:2.1\nFN;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:J=C3=BCrgen\nTEL:0171 1234567\nEND:VCARD\n"
    "BEGIN:VCARD\nthis is broken\nEND:VCARD\n"
    "BEGIN:VCARD\nVERSION:4.0\nFN:Dr. Ode\nTITLE:dentist\nTEL;VALUE=uri:tel:+44-20-7946-0123\nEND:VCARD\n"
)


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    return health_client(services_on(tmp_path))


def ready(client: TestClient, phone: str = NADIA) -> Any:
    return client.get(f"{phone}/sos/ready").json()


def test_people_are_kept_on_a_phone_that_had_no_clinic_app(client: TestClient) -> None:
    for kind, person in (
        ("emergency-contacts", {"name": "Tom Reed", "phone_number": "+44 7700 900123"}),
        ("doctors", {"name": "Dr. Ode", "specialization": "dentist"}),
        ("clinics", {"name": "Hill Practice", "phone_number": "+44 20 7946 0124"}),
        ("emergency-numbers", {"name": "Midwife", "phone_number": "+44 20 7946 0125"}),
    ):
        assert client.get(f"{BARE}/{kind}").json() == []
        made = client.post(f"{BARE}/{kind}", json=person)
        assert made.status_code == 201, made.text
        assert made.json()[0]["name"] == person["name"]
        assert client.post(f"{BARE}/{kind}", json=person).status_code == 409
        assert client.post(f"{BARE}/{kind}", json={"name": "X", "phone_number": "no number"}).status_code == 422
    assert [each["number"] for each in ready(client, BARE)["call"]] == ["112", "+44 20 7946 0125"]
    item = client.get(f"{BARE}/doctors").json()[0]["item"]
    assert client.delete(f"{BARE}/doctors/{item}").status_code == 204
    assert client.delete(f"{BARE}/doctors/{item}").status_code == 404


def test_an_appointment_of_ones_own_is_kept_once(client: TestClient) -> None:
    new = {"name": "Dr. Ode", "begin": "2026-05-20T09:30", "minutes": 20, "symptoms": "a crown"}
    made = client.post(f"{NADIA}/appointments", json=new)
    assert made.status_code == 201, made.text
    (own,) = [each for each in made.json() if each["name"] == "Dr. Ode"]
    assert (own["begin"], own["end"], own["ahead"]) == ("2026-05-20T09:30:00", "2026-05-20T09:50:00", True)
    assert client.post(f"{NADIA}/appointments", json=new).status_code == 422
    assert client.post(f"{NADIA}/appointments/{own['item']}/cancel").status_code == 200


def test_an_address_book_is_read_and_nobody_is_kept(client: TestClient) -> None:
    before = client.get(f"{NADIA}/emergency-contacts").json()
    read = client.post("/api/health/cards", files={"file": ("all.vcf", io.BytesIO(CARDS.encode()))})
    assert read.status_code == 200, read.text
    assert [(each["name"], each["phone_numbers"], each["title"]) for each in read.json()["cards"]] == [
        ("Tom Reed", ["+44 7700 900123"], ""),
        ("Jürgen", ["0171 1234567"], ""),
        ("Dr. Ode", ["+44-20-7946-0123"], "dentist"),
    ]
    assert client.get(f"{NADIA}/emergency-contacts").json() == before
    for broken in (b"", b"\x00\xff" * 100, b"BEGIN:VCARD\nEND:VCARD"):
        refused = client.post("/api/health/cards", files={"file": ("all.vcf", io.BytesIO(broken))})
        assert refused.status_code == 422
        assert "all.vcf" in refused.json()["detail"]


def test_an_sos_is_ready_once_a_test_message_was_taken(client: TestClient) -> None:
    told = ready(client)
    assert (told["ready"], told["reached"]) == (False, [])
    assert told["missing"][0].startswith("Nothing sends messages yet")
    assert told["call"][0] == {"name": "Emergency (GB)", "number": "999", "tel": "999"}
    with serving(503) as server:
        said = {"channel": "sms", "url": f"{server.url}?cto=60&rto=60", "to": "+44 7700 900199"}
        refused = client.post(f"{NADIA}/sos/setup", json=said)
        assert refused.status_code == 409
        assert server.url not in refused.text
        assert ready(client)["missing"][0].startswith("No test message has gone out yet")
        made = client.post(f"{NADIA}/sos/setup", json={**said, "url": ""}).json()
        assert made["ready"] is True
        assert len(made["reached"]) > 1
        assert [path for path, _ in server.posts] == ["/+447700900199"] * 2
        told = client.post(f"{NADIA}/sos/start", json={}).json()
        assert told["alone"] == ""
    for broken in ({"channel": "notice"}, {"url": "json://127.0.0.1/"}, {"url": "nothing://{to}"}, {"to": "nobody"}):
        assert client.post(f"{NADIA}/sos/setup", json={**said, **broken}).status_code == 422


def test_an_sos_that_reaches_nobody_says_so_on_every_page(client: TestClient) -> None:
    assert client.get("/api/alerts").json()["sos"] == []
    told = client.post(f"{NADIA}/sos/start", json={}).json()
    assert told["alone"].startswith("NOBODY was told: not reached: ")
    assert told["alone"].endswith("Call 999 yourself, now")
    (active,) = client.get("/api/alerts").json()["sos"]
    assert (active["phone"], active["told"], active["call"][0]["tel"]) == ("nadia-bristol", 0, "999")
    assert len(active["not_told"]) == len(told["messages"])
    for page in ("/chat", "/device", "/memory", "/health", "/results", "/teach"):
        assert 'id="alerts"' in client.get(page).text
    client.post(f"{NADIA}/sos/end", json={})
    assert client.get("/api/alerts").json()["sos"] == []


def test_a_phone_without_a_clinic_calls_for_help_too(client: TestClient) -> None:
    told = client.post(f"{BARE}/sos/start", json={}).json()
    assert told["alone"].startswith("NOBODY was told: this phone knows nobody who can be told. Call 112")
    assert client.get("/api/alerts").json()["sos"][0]["phone"] == "ines-dublin"


def test_how_one_is_reminded_is_changed_and_tried(client: TestClient) -> None:
    told = client.get("/api/service").json()
    assert (told["runs"], told["nag"], told["every"]) == ("", True, 10)
    assert told["says"].startswith("Nothing looks after your doses")
    wish = {"desktop": False, "nag": False, "every": 5, "report": ""}
    wished = client.put("/api/service/reminders", json=wish).json()
    assert (wished["desktop"], wished["nag"], wished["every"], wished["report"]) == (False, False, 5, "")
    with serving() as server:
        url = server.url.replace("{to}", "ring")
        added = client.post("/api/service/places", json={"name": "watch", "url": url})
        assert added.json()["places"][1] == {"name": "watch", "kind": "json", "on": True, "problem": ""}
        assert client.post("/api/service/test?place=watch", json={}).json() == [
            {"place": "watch", "rang": True, "problem": ""}
        ]
        assert server.posts == [("/ring", "If you see this, camphor can remind you here.")]
    assert client.post("/api/service/places", json={"name": "X Y", "url": url}).status_code == 422
    assert client.post("/api/service/places", json={"name": "x", "url": "nothing://x"}).status_code == 422
    assert client.delete("/api/service/places/watch").status_code == 204
    assert client.delete("/api/service/places/watch").status_code == 404
    assert client.post("/api/service/test?place=watch", json={}).status_code == 404
