"""The page of a report: whole by itself, escaped, and without a zero where nothing was measured."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from camphor.health.monitor.vitals import Vital, series, shown_in
from camphor.health.report.charts import curve, slept, walked
from camphor.health.report.day import Reports
from camphor.health.report.page import document, page
from camphor.health.report.plots import HEIGHT, LEFT, RIGHT, WIDTH, plot, steps_of
from camphor.health.report.trend_words import trend_content
from camphor.health.report.trends import period
from camphor.health.report.words import text
from tests.doubles.reports import DAY, at, heart, reports, steady, take, weeks_before

EVIL = '"><img src=x onerror=alert(1)></text><script>alert(2)</script>'
VOID = {"meta", "img", "br", "hr", "input", "link"}


class Reader(HTMLParser):
    """Which elements a page has, with their attributes, and whether they are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def tags(self) -> set[str]:
        return {tag for tag, _ in self.found}


def full(of: Reports) -> Reports:
    weeks_before(of, DAY, 9)
    stages = {kind: series(kind, [at(f"2026-03-12T0{hour}:10", of)], [40.0]) for hour, kind in
              enumerate((Vital.SLEEP_LIGHT, Vital.SLEEP_DEEP, Vital.SLEEP_REM, Vital.SLEEP_AWAKE), 1)}  # fmt: skip
    moments = [at(f"2026-03-12T{hour:02d}:00", of) for hour in (8, 14)]
    take(of, {Vital.HEART_RATE: heart(of, DAY, 0, 12), Vital.STEPS: steady(of, Vital.STEPS, DAY, 9, 11, 40),
              Vital.OXYGEN: steady(of, Vital.OXYGEN, DAY, 3, 3.5, 86),
              Vital.SYSTOLIC: series(Vital.SYSTOLIC, moments, [120, 131]),
              Vital.DIASTOLIC: series(Vital.DIASTOLIC, moments, [80, 85]), **stages})  # fmt: skip
    return of


def test_a_page_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    read = Reader(page(full(reports()).of(DAY)))
    assert not read.tags() & {"script", "link", "img", "iframe", "object", "base", "form"}
    for _, attributes in read.found:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "href", "style")]
    styles = page(full(reports()).of(DAY)).split("<style>")[1].split("</style>")[0]
    assert "url(" not in styles
    assert "@import" not in styles
    assert "prefers-color-scheme: dark" in styles
    policy = next(each for tag, each in read.found if each.get("http-equiv") == "Content-Security-Policy")
    assert (policy["content"] or "").startswith("default-src 'none'")
    assert any(each.get("name") == "viewport" for _, each in read.found)


def test_texts_of_records_are_escaped() -> None:
    apps = {"clinic": {
        "complaints": [{"date": DAY.isoformat(), "symptoms": EVIL}],
        "appointments": [{"name": EVIL, "specialization": EVIL, "date": DAY.isoformat(), "time": "10:00-10:30",
                          "symptoms": [EVIL, EVIL], "state": EVIL}],
    }}  # fmt: skip
    whole = page(full(reports(owner=EVIL, apps=apps)).of(DAY))
    read = Reader(whole)
    assert "script" not in read.tags()
    assert "img" not in read.tags()
    assert "".join(read.words).count(EVIL) >= 5
    assert read.tags() >= {"main", "svg", "table", "details"}


def test_half_a_character_is_no_reason_to_have_no_page() -> None:
    whole = page(reports(owner="Le\ud83dah").of(DAY))
    assert "Le?ah" in whole
    whole.encode()


def test_plots_are_well_formed_and_have_a_text_for_who_cannot_see_them() -> None:
    whole = page(full(reports()).of(DAY))
    drawn = [f"<svg{part.split('</svg>')[0]}</svg>" for part in whole.split("<svg")[1:]]
    assert len(drawn) == 5
    for each in drawn:
        root = ElementTree.fromstring(each)
        assert root.get("role") == "img"
        assert root.get("aria-label")
        assert len(root) > 3


def test_a_line_is_broken_where_nothing_was_measured_and_nothing_is_zero() -> None:
    of = reports()
    take(of, {Vital.HEART_RATE: heart(of, DAY, 0, 8)})
    take(of, {Vital.HEART_RATE: heart(of, DAY, 11, 20)})
    measured = of.of(DAY).measured
    shapes = plot(curve(measured, Vital.HEART_RATE, of.zone)).shapes
    lines = [each for each in shapes if (each.what, each.role) == ("line", "line")]
    assert len(lines) == 2
    hour = (WIDTH - RIGHT - LEFT) / 24
    assert max(x for x, _ in lines[0].points) == pytest.approx(LEFT + 8 * hour, abs=hour / 4)
    assert min(x for x, _ in lines[1].points) == pytest.approx(LEFT + 11 * hour, abs=hour / 4)
    assert [each.role for each in shapes if each.what == "box"] == ["silent", "silent", "later"]
    assert all(0 <= y <= HEIGHT for each in shapes for _, y in each.points)
    labels = [each.text for each in shapes if each.what == "text"]
    assert "0" not in labels


def test_an_hour_without_steps_differs_from_an_hour_of_which_nothing_is_told() -> None:
    of = reports()
    take(of, {Vital.STEPS: steady(of, Vital.STEPS, DAY, 9, 10, 0)})
    take(of, {Vital.STEPS: steady(of, Vital.STEPS, DAY, 12, 13, 20)})
    bars = [each for each in plot(walked(of.of(DAY).measured, of.zone)).shapes if each.role == "bar"]
    assert len(bars) == 2
    (_, top), (_, bottom) = bars[0].points
    assert 0 < bottom - top < 1


def test_a_night_is_drawn_by_its_stages() -> None:
    of = full(reports())
    shapes = plot(slept(of.of(DAY).measured, of.zone)).shapes
    assert {each.role for each in shapes if each.what == "box"} == {"awake", "rem", "light", "deep"}


@pytest.mark.parametrize(("low", "high"), [(0, 1), (48, 163), (36.2, 37.3), (0, 17_355), (96, 96.2)])
def test_labels_of_an_axis_are_few_and_round(low: float, high: float) -> None:
    found = steps_of(low, high)
    assert 2 <= len(found) <= 6
    assert all(low - 1e-6 <= each <= high + 1e-6 for each in found)


def test_the_page_of_an_empty_day_says_so() -> None:
    apps: dict[str, Any] = {}
    whole = page(reports(apps=apps).of(DAY))
    assert "Nothing is known of this day" in whole
    assert "<svg" not in whole


def test_weeks_are_a_page_too() -> None:
    of = full(reports())
    whole = document(trend_content(period(of, DAY, 28)))
    read = Reader(whole)
    assert "svg" in read.tags()
    assert "3 March" not in whole
    assert "5 March" not in whole
    assert "13 February to 12 March 2026" in whole


def test_the_axis_of_a_plot_is_in_the_unit_that_its_title_names() -> None:
    of = reports()
    take(of, {Vital.GLUCOSE: steady(of, Vital.GLUCOSE, DAY, 8, 20, 110, 300, 30)})
    with shown_in({"glucose": "mmol/L"}):
        drawn = of.of(DAY).measured
        shapes = plot(curve(drawn, Vital.GLUCOSE, of.zone)).shapes
    numbers = [float(each.text) for each in shapes if each.what == "text" and each.text.isdecimal()]
    assert (min(numbers), max(numbers)) == (5, 8)  # 80 to 140 mg/dL
    own = plot(curve(drawn, Vital.GLUCOSE, of.zone))
    assert [each.text for each in own.shapes if each.text == "120"]


@pytest.mark.parametrize("known", [True, False])
def test_it_says_where_the_age_is_not_known(known: bool) -> None:
    apps = {"apps": {"clinic": {"profile": {"birthday": "1984-09-30"} if known else {}}}}
    of = reports(**apps)
    take(of, {Vital.HEART_RATE: heart(of, DAY)})
    told = of.of(DAY)
    for said in (page(told), text(told), document(trend_content(period(of, DAY, 7)))):
        assert ("No birthday is known" in said) is not known
