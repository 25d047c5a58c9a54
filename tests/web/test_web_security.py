"""Who may speak to the server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from camphor.web.application import STATIC
from camphor.web.security import Entrance, Guard
from tests.doubles.web import KEY, TEXT, begin, client_on, services_on, wait_for

TALKS = "/api/phones/ines-dublin/conversations"


def test_another_host_name_is_refused(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path))
    refused = client.get("/api/status", headers={"host": "evil.example:8642"})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost", "[::1]:8642"])
def test_the_loopback_interface_is_always_known(tmp_path: Path, host: str) -> None:
    assert client_on(services_on(tmp_path)).get("/api/status", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"x-csrf-token": ""}, {"x-csrf-token": "0" * 64}, {"origin": "http://evil.example"}, {"origin": "null"},
     {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}],
)  # fmt: skip
def test_a_forged_request_changes_nothing(tmp_path: Path, headers: dict[str, str]) -> None:
    client = client_on(services_on(tmp_path))
    assert client.post(TALKS, headers=headers).status_code == 403
    assert client.get(TALKS).json() == []


def test_the_token_is_of_one_session_only(tmp_path: Path) -> None:
    services = services_on(tmp_path)
    mine, theirs = client_on(services), client_on(services)
    assert mine.post(TALKS, headers={"x-csrf-token": theirs.headers["x-csrf-token"]}).status_code == 403


def test_with_a_pass_code_nothing_is_told_before_it_is_given(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path), pass_code="open sesame")
    assert client.get("/api/status").status_code == 401
    led = client.get("/", follow_redirects=False)
    assert (led.status_code, led.headers["location"]) == (303, "/welcome/code")
    assert client.post("/api/session", json={"pass_code": "sesame"}).status_code == 403
    assert client.post("/api/session", json={"pass_code": "open sesame"}).json()["entered"] is True
    assert client.get("/api/status").status_code == 200


def test_guessing_is_slowed_down(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path), pass_code="open sesame")
    tries = [client.post("/api/session", json={"pass_code": str(n)}).status_code for n in range(7)]
    assert tries == [403] * 5 + [429] * 2
    assert client.post("/api/session", json={"pass_code": "open sesame"}).status_code == 429


def test_a_cookie_that_was_tampered_with_is_no_session(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path), pass_code="open sesame")
    client.post("/api/session", json={"pass_code": "open sesame"})
    cookie = client.cookies["camphor"]
    client.cookies.clear()
    assert client.get("/api/status", headers={"cookie": f"camphor={cookie}"}).status_code == 200
    assert client.get("/api/status", headers={"cookie": f"camphor={cookie[:-4]}AAAA"}).status_code == 401


def test_every_answer_says_what_it_may_load_and_is_kept_nowhere(tmp_path: Path) -> None:
    told = client_on(services_on(tmp_path)).get("/api/status").headers
    assert "default-src 'none'" in told["content-security-policy"]
    assert "unsafe" not in told["content-security-policy"]
    assert (told["cache-control"], told["x-content-type-options"]) == ("no-store", "nosniff")


def test_faults_of_form_never_repeat_a_value(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path), pass_code="open sesame")
    refused = client.post("/api/session", json={"pass_code": ["my secret diary"]})
    assert refused.status_code == 422
    assert "diary" not in refused.text


def test_a_body_that_does_not_tell_its_length_is_bounded_too(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path))
    parts = (b" " * 65_536 for _ in range(5))
    refused = client.post("/api/session", content=parts, headers={"content-type": "application/json"})
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize("path", ["/api/session", "/api/status", "/api/openapi.json", TALKS])
def test_another_account_of_the_machine_is_told_nothing(tmp_path: Path, path: str) -> None:
    refused = client_on(services_on(tmp_path), entered=False).get(path)
    assert (refused.status_code, refused.json()["code"]) == (401, "not_entered")
    assert "printed in its terminal" in refused.json()["detail"]
    assert "set-cookie" not in refused.headers


@pytest.mark.parametrize("path", ["/", "/chat", "/welcome", "/welcome/code", "/enter/guessed", "/no-such-page"])
def test_its_browser_sees_where_the_way_in_is_and_no_phone(tmp_path: Path, path: str) -> None:
    page = client_on(services_on(tmp_path), entered=False).get(path)
    assert page.status_code == 401
    assert "the terminal where <code>camphor serve</code> runs" in page.text
    assert "ines-dublin" not in page.text


def test_another_account_cannot_consent(tmp_path: Path) -> None:
    """The hole: fetch a session, and say yes with other values to what a person was asked."""
    services = services_on(tmp_path, TEXT)
    person = client_on(services)
    talk = begin(person)
    person.post(f"{talk}/queries", json={"query": "text Alice that I am late"})
    asked = wait_for(person, talk, "consent")[-1]
    other = TestClient(person.app)
    for token in (person.headers["x-csrf-token"], other.get("/api/session").text):
        changed = {"answer": "yes", "arguments": {"receiver": "+1 900 555 0100", "content": "send money"}}
        refused = other.post(f"{talk}/consents/{asked['number']}", json=changed, headers={"x-csrf-token": token[:64]})
        assert refused.status_code == 401
    assert services.phone("ines-dublin").journal() == []
    person.post(f"{talk}/stop")
    wait_for(person, talk, "stopped")


def test_the_address_lets_one_browser_in_once(tmp_path: Path) -> None:
    mine = client_on(services_on(tmp_path), entered=False)
    theirs, address = TestClient(mine.app), f"/enter/{entrance_of(mine).ticket}"
    entered = mine.get(address)
    assert entered.status_code == 200
    assert {"HttpOnly", "SameSite=Strict"} <= set(entered.headers["set-cookie"].split("; "))
    assert mine.get("/api/status").status_code == 200
    assert theirs.get(address).status_code == 401
    assert theirs.get("/api/status").status_code == 401
    assert mine.get(address).status_code == 200  # the same browser once more: back, or a reload
    assert theirs.get(f"/enter/{entrance_of(mine).ticket}").status_code == 200


def test_a_program_sends_the_key_and_needs_no_session(tmp_path: Path) -> None:
    program = client_on(services_on(tmp_path), entered=False)
    assert program.post(TALKS, headers={"x-camphor-key": "guessed"}).status_code == 401
    assert program.post(TALKS, headers={"x-camphor-key": KEY}).status_code == 201
    assert program.get(TALKS).status_code == 401


def test_without_a_pass_code_none_is_right(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path))
    assert client.post("/api/session", json={"pass_code": ""}).status_code == 409


def entrance_of(client: TestClient) -> Entrance:
    """What lets browsers into the app of a client."""
    layer = next(each for each in client.app.user_middleware if each.cls is Guard)  # type: ignore[attr-defined]
    held = layer.kwargs["entrance"]
    assert isinstance(held, Entrance)
    return held


def test_no_page_makes_a_link_or_markup_of_what_was_written() -> None:
    """What a mail says is set as text: the only links are to the app's own places and to numbers."""
    for script in STATIC.glob("*.js"):
        code = script.read_text(encoding="utf-8")
        assert not re.search(r"(inner|outer)HTML|insertAdjacentHTML|document.write|srcdoc", code), script.name
        for target in re.findall(r"\bhref\b\s*[:=]\s*(.{12})", code):  # pictures: the content policy
            assert re.match(r"\"[/#]|`[/#]|path\(|`tel:", target), (script.name, target)


def test_a_word_given_before_the_question_is_no_answer_to_it(tmp_path: Path) -> None:
    services = services_on(tmp_path, [*TEXT, *TEXT])
    client = client_on(services)
    talk = begin(client)
    early = [client.post(f"{talk}/consents/{number}", json={"answer": "yes"}).status_code for number in range(12)]
    assert set(early) == {404}
    client.post(f"{talk}/queries", json={"query": "text Alice that I am late"})
    asked = wait_for(client, talk, "consent")[-1]
    other = client.post(f"{talk}/consents/{asked['number'] + 1}", json={"answer": "yes"})
    assert other.status_code == 404
    assert services.phone("ines-dublin").journal() == []
    client.post(f"{talk}/stop")
    wait_for(client, talk, "stopped")
