"""Charts of the reports and of weeks: legible on every screen, marked where they are made up, and told as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from camphor.device.health.database import HealthDatabase
from camphor.health.demo import furnish
from tests.doubles.browser import Page, Serving
from tests.doubles.furnished import CLINIC, Client
from tests.doubles.web import bare_demo

LEAST = 11  # pixels of a letter
RECORDER = """
window.written = [];
const own = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
  const width = this.measureText(text).width;
  const begin = x - width * ({ center: 0.5, right: 1, end: 1 }[this.textAlign] ?? 0);
  const at = this.getTransform();
  const ends = [begin, begin + width].map((each) => at.transformPoint({ x: each, y }));
  const { width: wide, height: high } = this.canvas;
  const cut = ends.some((each) => each.x < 0 || each.y < 0 || each.x > wide || each.y > high);
  window.written.push({ text, cut, size: parseFloat(this.font.match(/[\\d.]+px/)[0]) / devicePixelRatio });
  return own.call(this, text, x, y, ...more);
};
"""
SHOWN = "return [...document.querySelectorAll(arguments[0])].filter((each) => each.checkVisibility()).length"


@pytest.fixture
def recorded(page: Page, server: Serving) -> Iterator[Page]:
    """A page of the demo phone with its weeks of readings, which keeps what is written on canvases."""
    bare_demo(server.services)
    device = server.phone(CLINIC)
    with HealthDatabase.of(device.path) as database:
        furnish(device, database)
    ask = Client(server)
    ask("PUT", f"/api/phones/{CLINIC}/vitals/units/glucose", {"unit": "mmol/L"})
    ask.close()
    page.as_known()
    page.script("localStorage.setItem('phone', arguments[0])", CLINIC)
    made = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": RECORDER})
    yield page
    page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", made)
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def on_screen(page: Page, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 2, "mobile": width < 500}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def written(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.script("return window.written")
    return found


def check_legible(page: Page) -> None:
    every = written(page)
    assert every
    assert [each for each in every if each["cut"] or each["size"] < LEAST] == []
    assert page.script(SHOWN, ".figure svg") == 0


@pytest.mark.parametrize(
    ("shown", "name", "numbers"), [("18/28", "Heart rate at night", "17 May"), ("17/1", "Heart rate, bpm", "00:00")]
)
def test_charts_of_reports_are_legible_marked_and_told_as_numbers(
    recorded: Page, shown: str, name: str, numbers: str
) -> None:
    page = recorded
    for width in (360, 768, 1400):
        on_screen(page, width)
        page.driver.get("about:blank")
        page.open("/health#reports")
        page.press(f'#panel-reports [data-shown$="-{shown}"]')
        page.says("#panel-reports figcaption", name)
        page.until(lambda: page.script(SHOWN, "#panel-reports .chart canvas") >= 8)
        check_legible(page)
        assert "mmol/L" in [each["text"] for each in written(page)]
        assert page.script(SHOWN, "#panel-reports .figure .chip.warn") == page.script(SHOWN, "#panel-reports .figure")
        assert page.one("#panel-reports .chart").get_attribute("aria-label")
        page.press("#panel-reports .figure summary", "Numbers")
        page.says("#panel-reports .numbers", numbers)


def test_charts_of_weeks_are_beside_the_vitals(recorded: Page) -> None:
    page = recorded
    on_screen(page, 360)
    page.open("/health#vitals")
    page.says("#panel-vitals h2", "Over weeks and months")
    page.says("#panel-vitals figcaption", "Doses")
    page.says("#panel-vitals .key", "missed")
    check_legible(page)
