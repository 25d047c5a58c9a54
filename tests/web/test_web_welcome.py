"""The first minutes: the page stands, names what it needs of the interface, and asks for no more than a try."""

from __future__ import annotations

from pathlib import Path

from tests.doubles.web import client_on, services_on


def test_the_page_leads_through_three_steps(tmp_path: Path) -> None:
    page = client_on(services_on(tmp_path)).get("/welcome")
    assert page.status_code == 200
    assert page.text.index("Whose phone?") < page.text.index("What stays private") < page.text.index("One try")
    assert '<script type="module" src="/static/welcome.js">' in page.text
    assert "style=" not in page.text


def test_a_server_with_a_pass_code_asks_for_it_first(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path), pass_code="wide open", token=False)
    answer = client.get("/welcome", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/welcome/code")


def test_what_the_page_builds_on_is_there(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path))
    status = client.get("/api/status").json()
    assert status["phone"] in status["phones"]
    assert client.get(f"/api/phones/{status['phone']}/conversations").json() == []
    for module in ("welcome.js", "teach.js", "results.js", "compare.js"):
        text = client.get(f"/static/{module}").text
        assert "innerHTML" not in text
