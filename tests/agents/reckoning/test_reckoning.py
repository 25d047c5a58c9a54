"""Questions that code reckons: each answered rightly, every other one left alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import pytest

from camphor.agents.reckoning import FoundDay, days_of, days_to, reckon
from camphor.agents.reckoning.days import questions as day_patterns
from camphor.agents.reckoning.measures import measures
from camphor.agents.reckoning.sums import forms
from camphor.agents.reckoning.words import digits, said, table
from camphor.device.arithmetic import rounded, show_number
from camphor.device.device import Device
from camphor.types import Call

HERE = Path(__file__).parent
DATA = Path(__file__).parents[3] / "data"
NOW = datetime(2026, 3, 12, 8, 45)
QUESTIONS = [json.loads(line) for line in (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
OTHERS = [json.loads(line) for line in (HERE / "others.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def phone() -> Iterator[Device]:
    with Device.from_file(files("camphor.demo") / "ines-dublin.device.json") as opened:
        yield opened


def text(query: str, country: str = "Ireland") -> str:
    found = reckon(query, NOW, country, True)
    return found.text if found else ""


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda each: each["query"])
def test_a_question_is_answered_with_what_it_comes_to(asked: dict[str, object]) -> None:
    told = text(str(asked["query"]))
    assert told
    assert all(str(fact) in told for fact in asked["must"])  # type: ignore[attr-defined]


@pytest.mark.parametrize("query", OTHERS)
def test_what_is_no_such_question_is_left_alone(query: str) -> None:
    assert reckon(query, NOW, "Ireland", True) is None


def test_no_query_about_a_phone_is_taken_for_a_sum() -> None:
    read = 0
    for path in sorted([*DATA.glob("handwritten/*/items.jsonl"), *DATA.glob("questions*/*.jsonl")]):
        for line in path.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            for query in (item["query"], *(turn["query"] for turn in item.get("history", []))):
                read += 1
                for country in ("Ireland", "United States"):
                    assert reckon(query, NOW, country, True) is None, query
    assert read > 4000


def test_each_call_is_one_that_the_phone_carries_out_to_the_same_end(phone: Device) -> None:
    for asked in QUESTIONS:
        found = reckon(asked["query"], phone.now, "Ireland", True)
        if found is None or found.call is None:
            continue
        observation = phone.execute(found.call)
        if observation.error is not None:
            assert any(word in found.text for word in ("zero", "too large")), asked["query"]
            continue
        (record,) = observation.records
        if found.call.name == "convert_units":
            result = show_number(rounded(Fraction(str(record["result"])), 2))
            assert f"is {result} {record['to']}." in found.text
        if found.call.name == "days_between" and "day" in asked["query"]:
            assert f"{record['days']:,}" in found.text or "Someone" in found.text


def test_every_form_of_the_tables_fits_its_example_and_not_its_counter_example() -> None:
    read = [(pattern, form, digits) for pattern, form in forms()]
    read += [(pattern, row, digits) for pattern, row in zip(measures(), table()["measure"], strict=True)]
    read += [(pattern, row, str) for (pattern, _), row in zip(day_patterns(), table()["days"], strict=True)]
    for pattern, row, spelt in read:
        assert pattern.fullmatch(spelt(said(row["example"]).text)), row["example"]
        assert reckon(row["example"], NOW, "Ireland", True), row["example"]
        counter = row["counter"]
        assert not reckon(counter, NOW, "Ireland", True) or not pattern.fullmatch(spelt(said(counter).text)), counter


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("12 times 7", "12 × 7 = 84"),
        ("12 divided by 3/4", "12 ÷ 3/4 = 16"),
        ("9 to the power of 1/2", "9^(1/2) = 3"),
        ("minus three plus eight", "-3 + 8 = 5"),
        ("what is minus 40 celsius in fahrenheit", "-40 °C is -40 °F."),
        ("how many days until new year's eve", "There are 294 days until Thu 31 Dec."),
        ("€20 plus €5.50", "20 + 5.50 = €25.50"),
        ("5% of 20 euros", "5% of 20 = 1 euro"),
        ("100 euros split 3 ways", "100 ÷ 3 ≈ 33.33 euros"),
        ("what's the difference between 37 and 100", "100 − 37 = 63"),
        ("5 miles in km", "5 miles is 8.05 km."),
        ("a quarter of a mile in km", "0.25 miles is 0.402 km."),
        ("11 stone 4 in kg", "11 stone 4 lb is 71.67 kg."),
        ("how many grams in a cup", "That cannot be converted: US cups measure volume and g mass."),
        ("what day is tomorrow", "Tomorrow is Friday 13 March 2026."),
        ("is 2028 a leap year", "2028 is a leap year: it has 366 days."),
        ("how many days in February 2027", "February 2027 has 28 days."),
        ("how many days until May", "There are 50 days until Fri 1 May."),
        ("how many days until today", "That is today, Thu 12 Mar."),
        ("what date was 6 weeks before 4 May", "6 weeks before Mon 4 May is Mon 23 Mar."),
    ],
)
def test_the_answer_repeats_what_was_reckoned(query: str, told: str) -> None:
    assert text(query) == told


def test_a_pint_is_that_of_the_country() -> None:
    assert text("2 pints in ml") == "2 imperial pints is 1,136.52 ml."
    assert text("2 pints in ml", "United States") == "2 US pints is 946.35 ml."


def test_a_currency_is_not_converted() -> None:
    found = reckon("250 euros in dollars", NOW)
    assert found is not None
    assert (found.call, found.text) == (None, "I do not know exchange rates, so I cannot tell 250 euros in dollars.")


def test_a_date_that_can_be_read_in_two_ways_is_not_reckoned_with() -> None:
    assert reckon("how many days until 3/4/2027", NOW) is None
    assert text("how many days until 3/4/2027") == "There are 387 days until Sat 3 Apr 2027."


def test_days_on_the_phone_are_found(phone: Device) -> None:
    def told(query: str) -> str:
        assert reckon(query, phone.now, "Ireland", True) is None
        found = days_to(query, phone.now, days_of(phone))
        return found.text if found else ""

    birthday = "There are 51 days until Alice Johnson's birthday (Sat 2 May)."
    assert told("How many days until Alice's birthday?") == birthday
    assert told("how many weeks till my birthday") == "There are 23 weeks and 3 days until your birthday (Sun 23 Aug)."
    assert told("how long until the dentist") == "There is 1 day until Dentist: crown fitting (Fri 13 Mar)."
    assert told("how many days until the unicorn parade") == ""
    assert told("how many days until Bartholomew's birthday") == ""


def test_of_two_days_that_may_be_meant_none_is_told() -> None:
    asked = []

    def look_up(words: str) -> list[FoundDay]:
        asked.append(words)
        return [FoundDay("Review", date(2026, 3, 20)), FoundDay("Design review", date(2026, 3, 27))]

    assert days_to("how many days until the review", NOW, look_up) is None
    assert days_to("what's on today", NOW, look_up) is None
    assert days_to("how many days until 3 May", NOW, look_up) is None
    assert asked == ["the review"]


def test_an_age_by_the_year_of_birth_says_both() -> None:
    found = reckon("how old is someone born in 1984", NOW)
    assert found is not None
    assert found.call == Call("calculate", {"expression": "2026 − 1984"})
    assert found.text == "Someone born in 1984 is 41, or 42 from their birthday this year on."
