"""Takes the pictures of the web app in docs/screens: python -m tests.screenshots"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image

from tests.doubles.browser import Page, Serving, chromium_of, serving
from tests.doubles.furnished import CLINIC, Client, furnish
from tests.doubles.web import DEMO

ROOT = Path(__file__).parents[1]
HERE = ROOT / "docs" / "screens"
QUERY = "Text my travel buddy that I'll be ten minutes late and remind me at 6 to call her"
PLAN = (
    '[send_imessage_message(receiver="Alice Johnson", content="I\'ll be ten minutes late"), '
    'create_reminders(time="6 pm", content="Call Alice Johnson")]'
)
REPLIES = ("personal_context", '[get_contacts_information(keyword="travel buddy")]', "task_completion", PLAN)
WRONG = "Put saffron and rice on my note for the market"
WRONG_PLAN = '[create_reminders(time="6 pm", content="Put saffron and rice on my note")]'
SIZES = {"desktop": (1280, 800, 1), "phone": (390, 844, 1.5)}
COLOURS = 192


def chat(page: Page) -> None:
    page.open("/chat")
    page.press("#talks .name", "Text my travel buddy")
    page.says(".mine", QUERY)
    page.press(".step summary")
    page.one(".records")
    page.press(".consent summary")
    page.script("document.querySelector('#log').scrollTop = document.querySelector('#log').scrollHeight")


def device(page: Page) -> None:
    page.open("/device")
    page.one("#app-cards .app")


def memory(page: Page) -> None:
    page.open("/memory")
    page.one("#memories li")


def health(page: Page) -> None:
    page.open("/health#vitals")
    page.one("#panel-vitals .chart canvas")


def results(page: Page) -> None:
    page.open("/results")
    page.one("#report table")


def teach(page: Page) -> None:
    page.open("/chat")
    page.press("#talks .name", WRONG)
    page.press(".turn a", "Put the plan right")
    page.one("#calls button")


def welcome(page: Page) -> None:
    page.open("/welcome")
    page.one("#tries button")


PLACES: dict[str, Callable[[Page], None]] = {
    "chat": chat, "device": device, "memory": memory, "health": health, "results": results,
    "teach": teach, "welcome": welcome,
}  # fmt: skip


def take(page: Page, place: str, size: str, theme: str) -> Path:
    """One picture, of few colours so that it is small."""
    width, height, scale = SIZES[size]
    seen = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": size == "phone"}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", seen)
    look = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", look)
    page.script("localStorage.setItem('phone', arguments[0])", CLINIC if place == "health" else DEMO)
    PLACES[place](page)
    page.script("document.activeElement.blur()")
    picture = Image.open(io.BytesIO(page.driver.get_screenshot_as_png())).convert("RGB")
    path = HERE / f"{place}-{size}-{theme}.png"
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    return path


def prepare(server: Serving, page: Page) -> None:
    furnish(server, since=5)
    ask = Client(server)
    ask("POST", f"/api/phones/{CLINIC}/sos/end", {})
    ask.close()
    page.driver.execute_cdp_cmd("Emulation.setLocaleOverride", {"locale": "en-GB"})
    page.as_known()
    page.open("/chat")
    page.press("#new")
    server.mind.say(*REPLIES)
    page.put("#query", QUERY)
    page.press("#send")
    page.one(".consent")
    page.press("#new")
    server.mind.say("task_completion", WRONG_PLAN)
    page.put("#query", WRONG)
    page.press("#send")
    page.press(".consent button", "No")
    page.one(".turn a", "Put the plan right")


def main() -> None:
    HERE.mkdir(exist_ok=True)
    themes = ("light", "dark")
    with tempfile.TemporaryDirectory() as home, chromium_of() as driver:
        assert driver, "Chromium is not installed"
        with serving(Path(home), ROOT / "results") as server:
            page = Page(driver, server.address)
            page.enter(server.entrance.ticket)
            prepare(server, page)
            for number, place in enumerate(PLACES):
                for side, size in enumerate(SIZES):
                    path = take(page, place, size, themes[(number + side) % 2])
                    print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
