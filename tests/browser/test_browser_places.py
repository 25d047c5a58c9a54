"""The other places of the app in a real browser: what each is for, done once as a person does it."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

from selenium.webdriver.common.by import By

from camphor.device.health.database import HealthDatabase
from camphor.device.health.doses import Doses, Medicine
from camphor.service.care import Care
from camphor.service.state import Desktop, Places
from camphor.types import Call
from tests.doubles.browser import Page, Serving
from tests.doubles.emergency import serving as serving_messages
from tests.doubles.furnished import CLINIC, REMIND, Client
from tests.doubles.web import NOTHING, bare_demo

RESULTS = Path(__file__).parents[2] / "results"
AGAIN = 10.0  # seconds after which a button is pressed once more
MANIFEST = {
    "description": "music streaming",
    "tools": [
        {"name": "get_playlists", "kind": "context", "returns": "playlists", "description": "Playlists.",
         "parameters": {"type": "object", "properties": {"keyword": {"type": "string"}}}},
    ],
    "records": {"playlists": [{"name": "Long run", "tracks": 41}]},
}  # fmt: skip
CSV = "time,heart_rate,oxygen\n2026-05-17T10:00:00,71,97\n2026-05-17T10:05:00,73,98\n2026-05-17T10:10:00,75,98\n"


def on_clinic(page: Page, server: Serving) -> None:
    """Choose the demo phone that has the clinic app."""
    bare_demo(server.services)
    page.as_known()
    page.script("localStorage.setItem('phone', arguments[0])", CLINIC)


def test_an_action_is_undone_once_and_an_app_is_installed_from_its_manifest(page: Page, server: Serving) -> None:
    phone = server.phone()
    phone.execute(Call("create_notes", {"content": "Buy saffron"}))
    page.as_known()
    page.open("/device#journal")
    page.says("#actions", "Buy saffron")
    page.press("#actions button", "Undo")
    page.says("#actions .chip", "undone")
    page.says("#notices", "Undone")
    assert phone.journal()[0].undone
    assert page.all("#actions button") == []

    page.press("#tab-apps")
    page.press(".install summary")
    page.put("#app-name", "tunes")
    page.put("#manifest", '{"tools": 3')
    page.press("#install button")
    page.says("#install-fault", "manifest")
    page.script("document.querySelector('#manifest').value = arguments[0]", json.dumps(MANIFEST))
    page.press("#install button")
    page.press("#app-cards .app", "Tunes")
    page.says("#records", "Long run")
    page.put("#words", "no such thing")
    page.press("#search button")
    page.says("#found", "Nothing found")
    page.press("#back")
    page.until(lambda: page.focused('[data-app="tunes"]'))
    page.press("#tab-toolbox")
    page.put("#tool-words", "get playlists")
    page.says("#tools", "get_playlists")


def test_a_memory_is_kept_corrected_and_forgotten(page: Page, server: Serving) -> None:
    page.as_known()
    page.open("/memory")
    page.says("#count", "Nothing is remembered")
    page.put("#sentence", "remember that my dentist is Dr Ode")
    page.press("#remember button")
    page.says("#memories", "You said on")
    page.press("#memories button", "Correct")
    page.put("#memories form input", "my dentist is Dr Lund")
    page.press("#memories form button", "Put it right")
    page.says("#memories h3", "Your dentist is Dr Lund")
    page.press("#memories button", "Forget")
    page.press("dialog button", "Cancel")
    page.gone("dialog")
    assert page.focused("#memories button")
    page.press("#memories button", "Forget")
    page.press("dialog button", "Forget it")
    page.says("#count", "Nothing is remembered")
    assert "Lund" not in json.dumps([each.to_json() for each in server.phone().memories.all()])


def test_vitals_that_are_taken_in_become_curves(page: Page, server: Serving, tmp_path: Path) -> None:
    table = tmp_path / "watch.csv"
    table.write_text(CSV, encoding="ascii")
    on_clinic(page, server)
    page.open("/health#vitals")
    page.until(lambda: page.driver.find_element(By.CSS_SELECTOR, "#panel-vitals input[type=file]")).send_keys(
        str(table)
    )
    page.press("#panel-vitals button", "Take it in")
    page.says("#panel-vitals", "Took in 6 new readings")
    page.driver.refresh()
    page.one("#panel-vitals .chart canvas")
    page.says("#panel-vitals figcaption", "heart rate")
    page.press("#panel-vitals .figure summary", "Numbers")
    page.says("#panel-vitals .numbers", "10:00")
    assert "heart rate" in str(page.one("#panel-vitals .chart").get_attribute("aria-label")).lower()


def test_a_pressure_is_typed_and_an_urgent_one_says_so(page: Page, server: Serving) -> None:
    on_clinic(page, server)
    page.open("/health#vitals")
    page.until(
        lambda: page.driver.find_element(By.CSS_SELECTOR, "#panel-vitals input[placeholder='142/91']")
    ).send_keys("195/124")
    page.press("#panel-vitals button", "Note it")
    page.says("#panel-vitals", "upper blood pressure 195 mmHg, lower blood pressure 124 mmHg")
    page.says("#panel-vitals [role=alert]", "call your emergency number")
    page.says("#panel-vitals figcaption", "upper blood pressure")


def test_a_watch_shows_live_charts_and_tells_of_danger(page: Page, server: Serving) -> None:
    on_clinic(page, server)
    page.open("/health#watch")
    page.press("#panel-watch button", "Put it on")
    page.one("#panel-watch .chart canvas")
    page.press("#panel-watch button", "hypoxia")
    page.says("#panel-watch .told", "hypoxia")
    page.press("#panel-watch button", "Take it off")
    page.says("#panel-watch", "The watch is off")


def test_help_is_called_with_two_presses_and_the_end_is_told(page: Page, server: Serving) -> None:
    on_clinic(page, server)
    page.open("/health#emergency")
    page.says(".big.unset", "Not set up")
    with serving_messages() as service:
        ask = Client(server)
        said = {"channel": "sms", "url": f"{service.url}?cto=60&rto=60", "to": "+447700900199"}
        assert ask("POST", f"/api/phones/{CLINIC}/sos/setup", said)["ready"]
        ask.close()
        _help_is_called(page)


def _help_is_called(page: Page) -> None:
    page.open("/chat")
    page.open("/health#emergency")
    page.press("#panel-emergency button", "Rehearse")
    page.says("#panel-emergency", "nothing was written or sent")
    page.press(".help.big")
    page.says(".help.big", "Press again")

    def pressed_again() -> bool:
        if page.all(".active-sos"):
            return True
        for button in page.all(".help.big"):
            button.click()
        return False

    page.until(pressed_again, "an SOS")
    page.says(".messages", "+447700900127")
    page.press("#panel-emergency button", "End the SOS")
    page.agree()
    page.one(".help.big")
    page.says("#panel-emergency .chip", "ended")


def test_a_prescription_is_compared_put_right_and_reminded_of(page: Page, server: Serving, tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    paper.write_text("Amoxicilin 500 mg tds for 7 days\n", encoding="ascii")
    on_clinic(page, server)
    page.open("/health#medicines")
    page.until(lambda: page.driver.find_element(By.CSS_SELECTOR, "#panel-medicines input[type=file]")).send_keys(
        str(paper)
    )
    page.press("#panel-medicines button", "Read it")
    page.says(".paper", "Amoxicilin 500 mg")
    page.press(".readfield button", "It is")
    page.one(".readfield .chip.good")
    page.press("#panel-medicines button", "Yes, keep it and remind me")
    page.agree()
    page.says("#panel-medicines .rows", "moxicillin")
    page.press("#panel-medicines .rows button", "Skip")
    page.agree()
    page.says("#panel-medicines .rows .chip", "skipped")
    page.press("#panel-medicines .rows button", "Take it back")
    page.says("#panel-medicines .rows .chip", "to come")


def test_a_browser_that_was_let_ring_shows_a_dose_that_is_due(page: Page, server: Serving, tmp_path: Path) -> None:
    on_clinic(page, server)
    phone = server.phone(CLINIC)
    iron = Medicine("Iron", {"times": ["08:00"]}, f"{phone.now.date()}T00:00")
    with HealthDatabase.of(phone.path) as database:
        Doses(database).add("typed", "Iron at 8", [iron], phone.now)
    counted = "const ask = Notification.requestPermission.bind(Notification); window.asked = 0;" + (
        "Notification.requestPermission = () => (window.asked++, ask());"
    )
    watched = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": counted})
    page.open("/health#medicines")
    page.one("#panel-medicines button", "Let this browser ring")
    assert page.script("return window.asked") == 0  # a page asks for nothing by itself
    assert page.script("return Notification.permission") != "granted"
    granted = {"origin": server.address, "permissions": ["notifications"]}
    page.driver.execute_cdp_cmd("Browser.grantPermissions", granted)
    try:
        page.until(lambda: page.script("return Notification.permission") == "granted", "the browser's permission")
        page.press("#panel-medicines button", "Let this browser ring")
        tried = time.monotonic()

        def rings() -> bool:
            """Whether the notification is shown; the button is pressed again as somebody does who sees none."""
            nonlocal tried
            if time.monotonic() - tried > AGAIN:
                page.press("#panel-medicines button", "Let this browser ring")
                tried = time.monotonic()
            return "camphor: a test" in rung(page)

        page.until(rings, "the notification that tries it")
        with HealthDatabase.of(phone.path) as database:
            reminders = Care(phone, database, Places.read(tmp_path, Desktop(), False)).doses()
        assert [each.title for each in reminders] == ["Time for: Iron"]
        page.until(lambda: "Time for: Iron" in rung(page), "the notification of the dose")
        page.says("#alerts", "Due now")
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", watched)
        page.driver.execute_cdp_cmd("Browser.resetPermissions", {})


def rung(page: Page) -> list[str]:
    """The titles of the notifications that the browser shows."""
    asked = "const done = arguments[0]; navigator.serviceWorker.getRegistration().then((held) =>" + (
        " held ? held.getNotifications() : []).then((all) => done(all.map((each) => each.title)), () => done([]))"
    )
    titles: list[str] = page.driver.execute_async_script(asked)
    return titles


def test_an_appointment_is_cancelled(page: Page, server: Serving) -> None:
    on_clinic(page, server)
    page.open("/health#appointments")
    before = len(page.until(lambda: page.all("#panel-appointments .rows .card")))
    page.press("#panel-appointments button", "Cancel")
    page.agree()
    page.until(lambda: len(page.all("#panel-appointments .rows .card")) == before - 1)
    page.press("#panel-appointments summary")
    page.says("#panel-appointments", "cancelled")


def test_two_ways_are_compared_and_nothing_is_done(page: Page, server: Serving, tmp_path: Path) -> None:
    server.services.results = tmp_path / "results"
    server.services.results.mkdir()
    for name in ("generated-test.json", "prompts.json"):
        shutil.copy(RESULTS / name, server.services.results)
    server.mind.say(*REMIND, *REMIND)
    page.as_known()
    page.open("/results")
    page.one("#report table")
    page.press("#tab-compare")
    page.until(lambda: page.all("#model-0 option"))
    page.put("#compared", "Remind me to ring Alice at 6 pm")
    page.press("#run")
    page.says("#compare-state", "Both plan the same")
    page.says("#both", "Planned, not done")
    assert server.phone().journal() == []
    page.driver.refresh()
    page.says("#compare-state", "Both plan the same")


def test_a_wrong_plan_is_put_right_from_its_answer(page: Page, server: Serving) -> None:
    server.mind.say(*NOTHING)
    page.as_known()
    page.open("/chat")
    page.put("#query", "ring Alice at 6")
    page.press("#send")
    page.press(".turn a", "Put the plan right")
    page.says("#plan-title", "ring Alice")
    page.press("#calls button", "Drop")
    page.says("#no-calls", "Nothing is looked up")
    page.script(
        "const s = document.querySelector('#tool'); s.value = 'create_reminders'; s.dispatchEvent(new Event('change'))"
    )
    page.press("#add")
    page.press("#save")
    page.one("#plan-fault")
    page.put('#calls [id$="-time"]', "6 pm")
    page.put('#calls [id$="-content"]', "Ring Alice")
    page.press("#save")
    page.says("#past", "taught")
    page.press("#tab-samples")
    page.says("#taught", "put right")
    page.says("#taught", "Ring Alice")
    assert server.phone().journal() == []


def test_the_chosen_colours_stay(page: Page) -> None:
    page.as_known()
    page.open("/device")
    page.press("#theme")
    page.press("#theme")
    page.says("#notices", "Dark colours")
    page.driver.refresh()
    page.one("#app-cards .app")
    assert page.script("return document.documentElement.dataset.theme") == "dark"
    assert page.script("return getComputedStyle(document.body).backgroundColor") == "rgb(18, 23, 21)"
