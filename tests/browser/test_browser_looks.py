"""Every page for everybody: axe finds nothing, light and dark, and nothing is wider than a small phone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium_axe_python import Axe

from tests.doubles.browser import Page, Serving, serving
from tests.doubles.furnished import CLINIC, furnish
from tests.doubles.web import DEMO

RESULTS = Path(__file__).parents[2] / "results"
FEW = ("generated-test.json", "prompts.json", "latency.json")
"""Result files of which there are tables, figures and what was not measured."""
OPTIONS = json.dumps({"resultTypes": ["violations"]})
SMALL = 360  # pixels

PLACES = {
    "/welcome": "#phones input",
    "/welcome/code": "#entry",
    "/nowhere": "h1",
    "/chat": ".turn .theirs",
    "/chat#open": ".consent",
    "/device": "#app-cards .app",
    "/device#records": "#records li",
    "/device#journal": "#actions li",
    "/device#toolbox": "#tools li",
    "/device#phones": "#import",
    "/memory": "#memories li",
    "/memory#use": "#used li",
    "/health#vitals": "#panel-vitals .chart canvas",
    "/health#watch": "#panel-watch .card",
    "/health#medicines": "#panel-medicines .row",
    "/health#appointments": "#panel-appointments .row",
    "/health#emergency": ".messages",
    "/health#reports": "#panel-reports .tiles",
    "/results": "#report table",
    "/results#compare": "#model-0 option",
    "/teach": "#past li",
    "/teach#plan": "#calls li",
    "/teach#samples": "#taught li",
}
"""The pages, and what is seen on each when it is there."""


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Serving, dict[str, str]]]:
    results = tmp_path_factory.mktemp("results")
    for name in FEW:
        shutil.copy(RESULTS / name, results)
    with serving(tmp_path_factory.mktemp("home"), results) as held:
        yield held, furnish(held)


@pytest.fixture(params=PLACES)
def there(
    request: pytest.FixtureRequest, chromium: Chrome, furnished: tuple[Serving, dict[str, str]]
) -> Iterator[Page]:
    """A page that shows what it has."""
    server, talks = furnished
    page, place = Page(chromium, server.address), str(request.param)
    path, _, part = place.partition("#")
    chosen = CLINIC if path == "/health" else DEMO
    page.enter(server.entrance.ticket)
    page.as_known()
    page.script("localStorage.setItem('phone', arguments[0])", chosen)
    page.script("localStorage.setItem(`talk:${arguments[0]}`, arguments[1])", DEMO, talks.get(part, talks["answered"]))
    page.open(place)
    if part == "records":
        page.press("#app-cards .app", "Contacts")
    if part == "plan":
        page.press("#past button", "Alice at 6")
    page.one(PLACES[place])
    for closed in ("details.step", "details.install", ".consent details", "#panel-emergency details"):
        page.script("for (const each of document.querySelectorAll(arguments[0])) each.open = true", closed)
    yield page
    faults = page.faults()
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.get("about:blank")
    assert not faults


def test_everybody_can_use_it(there: Page) -> None:
    axe = Axe(there.driver)
    axe.inject()
    for theme in ("light", "dark"):
        look = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        there.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", look)
        found = axe.run(None, OPTIONS)["violations"]
        told = [
            f"{theme}: {each['impact']} {each['id']}: {[node['html'][:200] for node in each['nodes'][:4]]}"
            for each in found
        ]
        assert not told, "\n".join(told)
    small = {"width": SMALL, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    there.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", small)
    there.until(lambda: there.script("return innerWidth") <= SMALL)
    wide = there.script(
        "const out = [...document.querySelectorAll('main *')].filter((each) => each.checkVisibility()"
        " && !each.closest('.scroll, .unseen, .talks, .days') && each.getBoundingClientRect().right > innerWidth + 1);"
        "return [document.documentElement.scrollWidth, out.slice(0, 5).map((each) => each.outerHTML.slice(0, 200))]"
    )
    assert wide == [SMALL, []]
    assert there.text("#notices") == ""
    assert there.script("return document.querySelector('#notices').ariaLabel") == "Notices"
