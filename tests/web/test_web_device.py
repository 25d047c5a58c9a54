"""The phone's place: apps, records, toolbox, the journal and its undo, phones taken in, given out and removed."""

from __future__ import annotations

import io
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from camphor.device.device import Device
from camphor.types import Call
from camphor.web.services import Services
from tests.doubles.web import begin, client_on, services_on

HERE = "/api/phones/ines-dublin"
MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"
REMINDER = Call("create_reminders", {"time": "2026-03-12T18:00:00", "content": "Ring Alice"})
MESSAGE = Call("send_imessage_message", {"receiver": "555-123-4567", "content": "Late"})
MANIFEST: dict[str, Any] = {
    "description": "music streaming",
    "tools": [
        {"name": "get_playlists", "kind": "context", "returns": "playlists", "description": "Playlists.",
         "parameters": {"type": "object", "properties": {"keyword": {"type": "string"}}}},
    ],
    "records": {"playlists": [{"name": "Long run", "tracks": 41}]},
}  # fmt: skip


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return services_on(tmp_path)


@pytest.fixture
def client(services: Services) -> TestClient:
    return client_on(services)


def phone(services: Services) -> Device:
    return services.phone("ines-dublin")


def device_file(**more: Any) -> dict[str, Any]:
    return {"format": "camphor.device/1", "id": "bo", "owner": "Bo", "apps": {"notes": {"notes": []}}, **more}


def take_in(
    client: TestClient,
    content: bytes | dict[str, Any],
    file: str = "bo.device.json",
    as_: str = "",
    replace: bool = False,
) -> Any:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    form = {"name": as_, "replace": str(replace).lower()}
    return client.post("/api/devices/import", files={"file": (file, io.BytesIO(body))}, data=form)


# what there is


def test_it_says_whose_phone_it_is_and_what_is_on_it(client: TestClient, services: Services) -> None:
    told = client.get(HERE).json()
    assert (told["owner"], told["interrupted"]) == (phone(services).owner, [])
    apps = {app["name"]: app for app in told["apps"]}
    assert set(apps) == set(phone(services).apps)
    people = len(phone(services).records("contacts", "people"))
    assert apps["contacts"]["lists"] == [{"name": "people", "records": people}]
    assert told["tools"] == len(client.get(f"{HERE}/toolbox").json()) == len(phone(services).toolbox)


def test_records_come_in_pages_and_are_found_by_words(client: TestClient, services: Services) -> None:
    where = {"app": "contacts", "list": "people"}
    every = phone(services).records("contacts", "people")
    first = client.get(f"{HERE}/records", params={**where, "most": 2}).json()
    second = client.get(f"{HERE}/records", params={**where, "most": 2, "start": 2}).json()
    assert first["total"] == len(every)
    shown = [each["record"] for each in first["records"] + second["records"]]
    assert shown == every[::-1][:4]
    found = client.get(f"{HERE}/records", params={**where, "query": "Alice"}).json()
    assert "Alice Johnson" in [each["record"]["name"] for each in found["records"]]


def test_a_long_value_is_cut_on_the_page_and_whole_alone(client: TestClient, services: Services) -> None:
    phone(services).execute(Call("create_notes", {"content": "word " * 2_000}))
    where = {"app": "notes", "list": "notes"}
    [note, *_] = client.get(f"{HERE}/records", params=where).json()["records"]
    assert note["cut"]
    assert len(note["record"]["content"]) == 1_001
    whole = client.get(f"{HERE}/records/{note['item']}", params=where).json()
    assert len(whole["record"]["content"]) > 9_000


def test_any_text_of_a_record_is_told_as_it_is(client: TestClient) -> None:
    hostile = {MARKUP: MARKUP, "half": "\ud800", "zero": "\x00", "turned": "\u202eabc", "deep": [[{"a": "</script>"}]]}
    assert take_in(client, device_file(apps={"notes": {"notes": [hostile]}})).status_code == 201
    told = client.get("/api/phones/bo/records", params={"app": "notes", "list": "notes"})
    assert told.headers["content-type"] == "application/json"
    assert told.json()["records"][0]["record"] == hostile


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/phones/nobody", 404),
        ("/api/phones/..%2f..%2fetc", 404),
        (f"{HERE}/records?app=contacts&list=nothing", 404),
        (f"{HERE}/records?app=contacts&list=people&most=1000", 422),
        (f"{HERE}/records?app=contacts&list=people&start=-1", 422),
        (f"{HERE}/records/99999?app=contacts&list=people", 404),
    ],
)
def test_what_is_not_there_is_said(client: TestClient, path: str, status: int) -> None:
    told = client.get(path)
    assert told.status_code == status
    assert told.headers["content-type"] == "application/problem+json"


# the journal


def test_an_action_is_undone_and_the_journal_says_when(client: TestClient, services: Services) -> None:
    before = phone(services).records("reminders", "reminders")
    phone(services).execute(REMINDER)
    phone(services).execute(MESSAGE)
    message, reminder = client.get(f"{HERE}/journal").json()["actions"]
    assert (message["undoable"], reminder["undoable"]) == (False, True)
    refused = client.post(f"{HERE}/journal/{message['id']}/undo")
    assert (refused.status_code, refused.json()["code"]) == (409, "cannot_undo")
    undone = client.post(f"{HERE}/journal/{reminder['id']}/undo").json()
    assert undone["undone"]
    assert not undone["undoable"]
    assert phone(services).records("reminders", "reminders") == before
    assert client.get(f"{HERE}/journal").json()["actions"][1] == undone
    assert client.post(f"{HERE}/journal/77/undo").status_code == 404


def test_two_browsers_undo_one_action_once(services: Services) -> None:
    phone(services).execute(REMINDER)
    kept = len(phone(services).records("reminders", "reminders"))
    browsers = [client_on(services) for _ in range(4)]
    told: list[int] = []
    threads = [
        threading.Thread(target=lambda each=each: told.append(each.post(f"{HERE}/journal/1/undo").status_code))
        for each in browsers
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(told) == [200, 409, 409, 409]
    assert len(phone(services).records("reminders", "reminders")) == kept - 1


def test_a_forged_undo_changes_nothing(client: TestClient, services: Services) -> None:
    phone(services).execute(REMINDER)
    assert client.post(f"{HERE}/journal/1/undo", headers={"x-csrf-token": "no"}).status_code == 403
    assert phone(services).journal()[0].undone is None


def test_what_was_not_cut_off_is_not_settled(client: TestClient, services: Services) -> None:
    phone(services).execute(REMINDER)
    assert client.post(f"{HERE}/journal/1/settle", json={"done": False}).status_code == 409


def test_the_journal_comes_in_pages(client: TestClient, services: Services) -> None:
    for _ in range(3):
        phone(services).execute(REMINDER)
    first = client.get(f"{HERE}/journal", params={"most": 2}).json()
    assert (first["total"], [each["id"] for each in first["actions"]]) == (3, [3, 2])
    rest = client.get(f"{HERE}/journal", params={"before": 2}).json()
    assert [each["id"] for each in rest["actions"]] == [1]


# apps


@pytest.mark.parametrize("manifest", [MANIFEST, json.dumps(MANIFEST)], ids=["object", "text"])
def test_an_app_from_a_manifest_brings_its_tools_and_records(client: TestClient, manifest: Any) -> None:
    made = client.post(f"{HERE}/apps", json={"name": "tunes", "manifest": manifest})
    assert (made.status_code, made.json()["tools"], made.json()["kind"]) == (201, 1, "manifest")
    assert "get_playlists" in [tool["name"] for tool in client.get(f"{HERE}/toolbox").json()]
    told = client.get(f"{HERE}/records", params={"app": "tunes", "list": "playlists"}).json()
    assert told["records"][0]["record"] == {"name": "Long run", "tracks": 41}
    again = client.post(f"{HERE}/apps", json={"name": "tunes", "manifest": manifest})
    assert (again.status_code, again.json()["code"]) == (409, "conflict")


def test_a_manifest_may_say_what_the_app_is_called(client: TestClient) -> None:
    made = client.post(f"{HERE}/apps", json={"manifest": {"tunes": MANIFEST}})
    assert made.json()["name"] == "tunes"


def test_a_built_in_app_begins_empty(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path))
    assert take_in(client, device_file()).status_code == 201
    made = client.post("/api/phones/bo/apps", json={"name": "reminders"})
    assert made.json()["lists"] == [{"name": "reminders", "records": 0}]
    assert "reminders" not in client.get("/api/phones/bo").json()["available"]


@pytest.mark.parametrize(
    ("app", "told"),
    [
        ({"name": "x", "manifest": '{"tools": [}'}, "line 1, column 12"),
        ({"name": "x", "manifest": "[]"}, "an object, found a list"),
        ({"name": "x", "manifest": '{"tools": [], "tools": []}'}, "stands twice"),
        ({"name": "x", "manifest": "[" * 90_000}, "JSON"),
        ({"name": "x", "manifest": {"tools": 7}}, "/apps/x/tools"),
        ({"name": "x", "manifest": {"tools": [{"name": "create_notes", "kind": "action"}]}}, "no other tool has"),
        ({"name": "x", "manifest": {"tools": [{"name": MARKUP, "kind": "action"}]}}, "/apps/x/tools/0"),
        ({"name": "x", "manifest": {"tools": [], "records": {"a": [1]}}}, "/apps/x/records/a/0"),
        ({"name": "x"}, "no built-in app"),
        ({"name": "  ", "manifest": MANIFEST}, "what the app is called"),
        ({"name": "a\u202eb", "manifest": MANIFEST}, "characters that can be seen"),
        ({"name": "x" * 65, "manifest": MANIFEST}, "name"),
    ],
)
def test_a_broken_manifest_installs_nothing(client: TestClient, services: Services, app: Any, told: str) -> None:
    before = phone(services).export()
    refused = client.post(f"{HERE}/apps", json=app)
    assert refused.status_code == 422
    assert told in refused.json()["detail"]
    assert phone(services).export() == before


def test_markup_in_names_is_only_text(client: TestClient) -> None:
    made = client.post(f"{HERE}/apps", json={"name": "<b>x</b>", "manifest": {**MANIFEST, "description": MARKUP}})
    assert made.json()["description"] == MARKUP
    assert MARKUP not in client.get("/device").text


def test_two_apps_installed_at_once_are_both_there(services: Services) -> None:
    threads = []
    for number in range(4):
        tool = {**MANIFEST["tools"][0], "name": f"get_{number}"}
        app = {"name": f"app{number}", "manifest": {**MANIFEST, "tools": [tool]}}
        browser = client_on(services)
        threads.append(threading.Thread(target=lambda b=browser, a=app: b.post(f"{HERE}/apps", json=a)))
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert {f"app{number}" for number in range(4)} <= set(phone(services).apps)
    assert set(phone(services).export()["apps"]) == set(phone(services).apps)


# phones


def test_what_is_given_out_can_be_taken_in(client: TestClient, services: Services) -> None:
    phone(services).execute(REMINDER)
    given = client.get(f"{HERE}/export")
    assert given.headers["content-disposition"] == 'attachment; filename="ines-dublin.device.json"'
    taken = take_in(client, given.content, "my phone.json", as_="copy")
    assert (taken.status_code, taken.json()["phone"]) == (201, "copy")
    assert services.phone("copy").export() == phone(services).export()
    assert "copy" in client.get("/api/status").json()["phones"]


def test_a_name_that_is_taken_is_only_replaced_when_asked(client: TestClient, services: Services) -> None:
    assert take_in(client, device_file()).status_code == 201
    services.phone("bo").execute(Call("create_notes", {"content": "Milk"}))
    talk = begin(client, "bo")
    refused = take_in(client, device_file())
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert len(services.phone("bo").records("notes", "notes")) == 1
    assert take_in(client, device_file(), replace=True).status_code == 201
    assert services.phone("bo").records("notes", "notes") == []
    assert client.get(talk).status_code in (200, 404)


@pytest.mark.parametrize(
    ("content", "name", "status", "told"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "me.device.json", 415, "not UTF-8"),
        (b"SQLite format 3\x00" + bytes(100), "me.device.json", 415, "camphor device import"),
        (b"PK\x03\x04" + bytes(100), "me.device.json", 415, "does not begin with {"),
        (b"", "me.device.json", 415, "does not begin with {"),
        (b"<html><script>alert(1)</script></html>", "me.device.json", 415, "does not begin with {"),
        (b'{"format": "camphor.device/1", "id"', "me.device.json", 422, "me.device.json: at /: expected JSON"),
        (b'{"id": "x"}', "me.device.json", 422, "at /format"),
        (b'{"a": ' * 50_000, "deep.json", 422, "JSON"),
        (json.dumps(device_file(id="../../etc/x")).encode(), "x.json", 422, "cannot be"),
        (b'{"id": "x"}', "../../../etc/passwd", 422, "passwd: at /format"),
        (b'{"id": "x"}', f"{MARKUP}.json", 422, "at /format"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_what_it_says_is_refused(
    client: TestClient, content: bytes, name: str, status: int, told: str, tmp_path: Path
) -> None:
    before = sorted(tmp_path.rglob("*"))
    refused = take_in(client, content, name)
    assert refused.status_code == status, refused.text
    assert told in refused.json()["detail"]
    assert "/tmp" not in refused.json()["detail"]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_of_more_than_32_mib_is_refused(client: TestClient) -> None:
    refused = take_in(client, b"{" + bytes(32 * 1024 * 1024))
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")


def test_a_removed_phone_is_gone_with_what_was_said_on_it(
    client: TestClient, services: Services, tmp_path: Path
) -> None:
    assert take_in(client, device_file(apps={"notes": {"notes": [{"content": "my secret"}]}})).status_code == 201
    begin(client, "bo")
    assert client.delete("/api/phones/bo").status_code == 204
    assert client.get("/api/phones/bo").status_code == 404
    assert client.delete("/api/phones/bo").status_code == 404
    assert client.get("/api/status").json()["phones"] == ["ines-dublin"]
    assert list(tmp_path.glob("bo*")) == []
