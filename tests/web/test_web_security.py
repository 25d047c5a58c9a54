"""Who may speak to the server."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))
from web_doubles import client_on, services_on

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
