"""The memory's place: what is remembered with its source, corrected and forgotten; and what is kept of use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from camphor.device.device import Device
from camphor.types import Call
from camphor.web.services import Services
from tests.doubles.web import client_on, services_on

HERE = "/api/phones/ines-dublin"
MARKUP = "<script>alert(1)</script>"


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return services_on(tmp_path)


@pytest.fixture
def client(services: Services) -> TestClient:
    return client_on(services)


@pytest.fixture
def phone(services: Services) -> Device:
    return services.phone("ines-dublin")


def remember(client: TestClient, text: str, hold: str = "ask") -> dict[str, Any]:
    made = client.post(f"{HERE}/memories", json={"text": text, "hold": hold})
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


def listed(client: TestClient, **wanted: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"{HERE}/memories", params=wanted).json()["memories"]
    return found


def test_what_is_remembered_is_told_with_its_source(client: TestClient) -> None:
    remember(client, "remember that my sister is Nora")
    [told] = listed(client)
    assert (told["what"], told["quote"]) == ("Your sister is Nora", "remember that my sister is Nora")
    assert (told["kind"], told["state"], told["contradicts"]) == ("fact", "confirmed", [])
    assert told["when"]


def test_what_contradicts_is_not_sure_until_it_is_confirmed(client: TestClient) -> None:
    remember(client, "my dentist is Dr Ode")
    asked = remember(client, "my dentist is Dr Lund")
    assert (asked["memory"], asked["contradicts"]) == (2, [1])
    assert [(each["state"], each["contradicts"]) for each in listed(client)] == [("confirmed", []), ("unsure", [1])]
    client.post(f"{HERE}/memories/2/confirm", json={})
    assert [each["what"] for each in listed(client)] == ["Your dentist is Dr Lund"]
    states = {each["id"]: each["state"] for each in listed(client, all=True)}
    assert states == {1: "superseded", 2: "confirmed"}


def test_a_corrected_memory_holds_no_longer(client: TestClient) -> None:
    remember(client, "my dentist is Dr Ode")
    told = client.post(f"{HERE}/memories/1/correct", json={"text": "my dentist is Dr Lund"}).json()
    assert told["response"] == "This holds: Your dentist is Dr Lund. No longer: Your dentist is Dr Ode."
    assert [each["what"] for each in listed(client)] == ["Your dentist is Dr Lund"]
    assert listed(client)[0]["quote"] == "my dentist is Dr Lund"


def test_a_correction_about_something_else_takes_its_place_too(client: TestClient) -> None:
    remember(client, "my dentist is Dr Ode")
    client.post(f"{HERE}/memories/1/correct", json={"text": "my doctor is Dr Ode"})
    assert [each["what"] for each in listed(client)] == ["Your doctor is Dr Ode"]


def test_a_correction_that_says_the_same_changes_nothing(client: TestClient) -> None:
    remember(client, "my dentist is Dr Ode")
    client.post(f"{HERE}/memories/1/correct", json={"text": "my dentist is Dr Ode"})
    assert [(each["id"], each["state"]) for each in listed(client, all=True)] == [(1, "confirmed")]


def test_what_is_forgotten_is_in_no_file(client: TestClient, phone: Device, tmp_path: Path) -> None:
    remember(client, "my stage name is marzipan")
    remember(client, "my sister is Nora")
    assert client.delete(f"{HERE}/memories/1").json() == {"forgotten": 1, "erased": True}
    assert client.delete(f"{HERE}/memories/1").status_code == 404
    assert [each["state"] for each in listed(client, all=True)] == ["forgotten", "confirmed"]
    assert not any(b"marzipan" in path.read_bytes() for path in tmp_path.glob("ines-dublin.camphor*"))
    assert client.delete(f"{HERE}/memories").json()["forgotten"] == 1
    assert listed(client) == []


@pytest.mark.parametrize(("text", "status"), [("", 422), ("   ", 422), ("hm", 422), ("x" * 5_000, 422)])
def test_what_says_nothing_is_not_remembered(client: TestClient, text: str, status: int) -> None:
    assert client.post(f"{HERE}/memories", json={"text": text}).status_code == status
    assert listed(client, all=True) == []


def test_markup_is_only_text(client: TestClient) -> None:
    remember(client, f"my favourite tag is {MARKUP}")
    assert MARKUP in listed(client)[0]["what"]
    assert MARKUP not in client.get("/memory").text


def test_noting_is_paused_and_resumed(client: TestClient, phone: Device) -> None:
    for paused in (True, False):
        for part in ("memories", "usage"):
            assert client.put(f"{HERE}/{part}/paused", json={"paused": paused}).json() == {"paused": paused}
            assert client.get(f"{HERE}/{part}").json()["paused"] is paused
        assert (phone.memories.paused, phone.usage.paused) == (paused, paused)


def test_all_is_given_out_as_a_file(client: TestClient) -> None:
    remember(client, "my sister is Nora")
    given = client.get(f"{HERE}/memories/export")
    assert given.json()["memories"][0]["origin"]["quote"] == "my sister is Nora"
    assert "attachment" in given.headers["content-disposition"]


# use


def use(client: TestClient, phone: Device) -> dict[str, Any]:
    """The reminder that was made just now."""
    client.delete(f"{HERE}/usage")
    phone.execute(Call("create_reminders", {"time": "2026-03-12T18:00:00", "content": f"Ring {MARKUP}"}))
    [item] = client.get(f"{HERE}/usage").json()["items"]
    found: dict[str, Any] = item
    return found


def test_use_is_told_item_by_item_and_event_by_event(client: TestClient, phone: Device) -> None:
    item = use(client, phone)
    assert (item["app"], item["list"]) == ("reminders", "reminders")
    assert MARKUP in item["says"]
    assert "used once" in item["why"][0]
    where = {"app": item["app"], "list": item["list"], "item": item["item"]}
    [event] = client.get(f"{HERE}/usage/events", params=where).json()
    assert event["kind"] == "created"
    path = f"{HERE}/usage/events/{event['event']}"
    changed = client.patch(path, json={"kind": "completed", "place": "gym"})
    assert changed.json() == {**event, "kind": "completed", "place": "gym"}
    assert client.get(f"{HERE}/usage/events", params=where).json() == [changed.json()]
    assert client.patch(path, json={"kind": "eaten"}).status_code == 422
    assert client.patch(path, json={"at": "soon"}).status_code == 422
    assert client.delete(path).status_code == 204
    assert client.delete(path).status_code == 404
    assert client.patch(path, json={"kind": "used"}).status_code == 404
    assert client.get(f"{HERE}/usage/events", params=where).json() == []


def test_the_use_of_an_item_is_forgotten_and_the_item_stays(client: TestClient, phone: Device) -> None:
    item = use(client, phone)
    where = {"app": item["app"], "list": item["list"]}
    assert client.delete(f"{HERE}/usage/items/{item['item']}", params=where).json()["forgotten"] == 1
    assert client.get(f"{HERE}/usage").json()["total"] == 0
    assert client.get(f"{HERE}/records/{item['item']}", params=where).status_code == 200
    assert client.delete(f"{HERE}/usage/items/9999", params=where).status_code == 404


def test_use_is_found_by_words(client: TestClient, phone: Device) -> None:
    use(client, phone)
    assert client.get(f"{HERE}/usage", params={"query": "ring"}).json()["total"] == 1
    assert client.get(f"{HERE}/usage", params={"query": "nothing of the kind"}).json()["total"] == 0
