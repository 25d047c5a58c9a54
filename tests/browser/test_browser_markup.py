"""What looks like markup or a script is text on every page, wherever it comes from, and nothing of it is run."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from tests.doubles.browser import Page, Serving
from tests.doubles.furnished import CLINIC, Client
from tests.doubles.web import DEMO

MARKUP = "<img src=x onerror=hacked=1><script>hacked=1</script>"
TEXTS = {"name", "title", "content", "notes", "location", "symptoms", "specialization", "description", "dose", "owner"}
APP = "<b>tunes</b>"
MANIFEST = {
    "description": MARKUP,
    "tools": [{"name": "get_tunes", "kind": "context", "returns": "tunes", "description": MARKUP}],
    "records": {"tunes": [{"title": MARKUP, MARKUP: MARKUP, "tags": [MARKUP], "more": {MARKUP: MARKUP}}]},
}
LOOK = ["personal_context", '[get_contacts_information(keyword="Tom")]', "task_completion"]
NOTE = json.dumps(MARKUP)
REPLIES = [*LOOK, f"[create_notes(content={NOTE})]", *LOOK, f"[create_reminders(time={NOTE}, content={NOTE})]"]


def hostile(value: Any, key: str = "") -> Any:
    """The same phone, with markup in all that people write."""
    if isinstance(value, dict):
        return {name: hostile(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [hostile(each, key) for each in value]
    return f"{value} {MARKUP}" if isinstance(value, str) and key in TEXTS else value


def phone() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((files("camphor") / "demo" / "health.device.json").read_text(encoding="utf-8"))
    data = {**hostile(data), "id": CLINIC, "screen": MARKUP, "activity": [MARKUP]}
    data["apps"][APP] = MANIFEST
    return data


def furnish(server: Serving) -> None:
    server.services.keep(CLINIC, phone(), replace=True)
    results = server.folder / "results"
    results.mkdir()
    (results / f"{MARKUP[:4]}.json").write_text(json.dumps({MARKUP: [MARKUP]}), encoding="utf-8")
    (results / "call-formats.json").write_text(
        json.dumps({"run": {"dataset": MARKUP}, "rows": [{"name": MARKUP}]}), encoding="utf-8"
    )
    server.services.results = results
    ask = Client(server)
    here = f"/api/phones/{CLINIC}"
    ask("POST", f"{here}/memories", {"text": f"my dentist is {MARKUP}"})
    ask("POST", f"{here}/complaints", {"symptoms": MARKUP})
    person = {"name": MARKUP, "phone_number": "+44 7700 900123", "email": "markup@example.org"}
    ask("POST", f"{here}/emergency-contacts", person)
    ask("POST", f"{here}/sos/start", {"note": MARKUP})
    ask.close()


def test_nothing_that_was_written_is_run(page: Page, server: Serving) -> None:
    furnish(server)
    server.mind.say(*REPLIES)
    page.as_known()
    page.script("localStorage.setItem('phone', arguments[0])", CLINIC)

    def shows(css: str, *do: Callable[[], Any]) -> None:
        """After that, the markup stands there as text."""
        for each in do:
            each()
        page.says(css, MARKUP)
        found = page.script(
            "return [typeof window.hacked, document.querySelectorAll('img[src=x], script:not([src]), main b b').length]"
        )
        assert found == ["undefined", 0]

    def open_(path: str) -> Callable[[], None]:
        return lambda: page.open(path)

    def press(css: str, says: str = "") -> Callable[[], None]:
        return lambda: page.press(css, says)

    def put(css: str, text: str = MARKUP) -> Callable[[], None]:
        return lambda: page.put(css, text)

    shows(".mine", open_("/chat"), put("#query", f"Note down: {MARKUP}"), press("#send"))
    shows(".consent .what")
    shows(".step .records", press(".step summary"))
    shows(".theirs", press(".consent button", "Yes, do it"))
    shows("#talks")
    put("#query")()
    press("#send")()
    page.until(lambda: len(page.all(".theirs")) == 2 or page.all(".consent"))

    shows("#owner", open_("/device"))
    shows("#records", press("#app-cards .app", "<b>tunes</b>"))
    shows("#app-about")
    shows("#records", press("#back"), press("#app-cards .app", "Contacts"))
    shows("#actions", press("#tab-journal"))
    shows("#tools", press("#tab-toolbox"))
    page.press("#tab-apps")
    page.press("#back")
    page.press(".install summary")
    page.put("#app-name", "other")
    page.put("#manifest", json.dumps({"tools": [{"name": MARKUP}]}))
    page.press("#install button")
    page.until(lambda: page.text("#install-fault"))

    shows("#memories", open_("/memory"))
    shows("dialog", press("#memories button", "Forget"))
    page.press("dialog button", "Cancel")
    shows("#used", press("#tab-use"))

    shows("#panel-appointments .rows", open_("/health#appointments"))
    shows(
        "#panel-appointments .health-log",
        put("#panel-appointments textarea"),
        press("#panel-appointments button", "Send"),
    )
    shows("#panel-emergency .messages", open_("/health#emergency"))
    shows("#panel-emergency .rows")
    shows(
        "#panel-medicines .paper",
        press("#tab-medicines"),
        press("#panel-medicines summary"),
        put("#panel-medicines textarea", f"Metformin 850 mg 1 tab bd {MARKUP}"),
        press("#panel-medicines button", "Understand it"),
    )
    shows("#panel-reports", press("#tab-reports"))

    open_("/results")()
    page.until(lambda: page.all("#report h2") or page.text("#notices"))
    server.mind.say(*LOOK, f"[create_notes(content={NOTE})]", *LOOK, f"[create_notes(content={NOTE})]")
    shows("#both", press("#tab-compare"), put("#compared"), press("#run"))

    shows("#past", open_("/teach"))
    shows("#plan-title", press("#past li:last-child button"))
    page.press("#reset")
    page.press("#save")
    shows("#taught", press("#tab-samples"))
    assert DEMO in page.text("#phone")
