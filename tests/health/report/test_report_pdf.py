"""The PDF of a report, read back."""

from __future__ import annotations

from typing import Any

import pypdfium2
import pytest

from camphor.health.monitor.vitals import Vital
from camphor.health.report.day import Reports
from camphor.health.report.pdf import document, pdf
from camphor.health.report.trend_words import trend_content
from camphor.health.report.trends import period
from tests.doubles.reports import DAY, heart, reports, take, weeks_before


def read(data: bytes) -> tuple[int, str]:
    """Pages and words."""
    with pypdfium2.PdfDocument(data) as opened:
        pages = list(opened)
        texts = []
        for each in pages:
            words = each.get_textpage()
            texts.append(words.get_text_range())
            words.close()
            each.close()
        return len(pages), " ".join(" ".join(texts).split())


def full(of: Reports) -> Reports:
    weeks_before(of, DAY, 9)
    take(of, {Vital.HEART_RATE: heart(of, DAY, 0, 12)})
    return of


def test_it_says_what_the_report_says_on_pages_of_a4() -> None:
    data = pdf(full(reports()).of(DAY))
    count, words = read(data)
    assert count in (1, 2)
    for expected in ("Leah Lima", "Thursday 12 March 2026", "Heart rate", "Dr. Gwen Hartnoll", "dull headache",
                     "no diagnosis", "NEWS2", "page 1"):  # fmt: skip
        assert expected in words
    with pypdfium2.PdfDocument(data) as opened:
        assert opened.get_page_size(0) == pytest.approx((595.28, 841.89), abs=0.1)
        assert opened.get_metadata_dict()["Title"] == "Thursday 12 March 2026, Leah Lima"


def test_the_same_report_is_the_same_file() -> None:
    assert pdf(full(reports()).of(DAY)) == pdf(full(reports()).of(DAY))


@pytest.mark.parametrize(
    ("owner", "shown"),
    [
        ("Şule Ωmega Дарья", "Şule Ωmega Дарья"),
        ("<b>Leah</b> & <para>", "<b>Leah</b> & <para>"),
        ("Le\ud83dah\x07", "Le?ah"),
        ("", "Thursday"),
    ],
)
def test_any_name_can_be_set(owner: str, shown: str) -> None:
    apps: dict[str, Any] = {"clinic": {"complaints": [{"date": DAY.isoformat(), "symptoms": f"{owner} 头痛 🤕 כאב"}]}}
    _, words = read(pdf(reports(owner=owner, apps=apps).of(DAY)))
    assert shown in words


def test_an_empty_day_and_a_very_long_one() -> None:
    count, words = read(pdf(reports(apps={}).of(DAY)))
    assert (count, "Nothing is known of this day" in words) == (1, True)
    complaints = [
        {"date": DAY.isoformat(), "symptoms": f"number {each}, " + "a long complaint " * 60} for each in range(60)
    ]
    count, words = read(pdf(reports(apps={"clinic": {"complaints": complaints}}).of(DAY)))
    assert count > 3
    assert "number 59" in words


def test_one_word_longer_than_a_page_is_wide() -> None:
    apps = {"clinic": {"complaints": [{"date": DAY.isoformat(), "symptoms": "a" * 5000}]}}
    assert read(pdf(reports(apps=apps).of(DAY)))[0] >= 1


def test_weeks_and_months_are_a_pdf_too() -> None:
    of = full(reports())
    for days in (14, 120):
        count, words = read(document(trend_content(period(of, DAY, days))))
        assert count >= 1
        assert "12 March 2026" in words
        assert "Heart rate at night" in words
