from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.tools.calls import parse_calls, render_value
from camphor.tools.rules import decimals, whole_numbers

BOUND = st.none() | st.integers(-3000, 3000)


def within(value: float, low: float | None, high: float | None) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)


@given(BOUND, BOUND, st.integers(-4000, 4000))
@settings(deadline=None, max_examples=300)
def test_whole_numbers_match_exactly_those_within(low: int | None, high: int | None, number: int) -> None:
    pattern = whole_numbers(low, high)
    assert bool(pattern and re.fullmatch(pattern, str(number))) == within(number, low, high)


@given(st.integers(-50, 200), st.integers(0, 150))
@settings(deadline=None, max_examples=60)
def test_the_edges_of_a_range_are_in_it_and_their_neighbours_are_not(low: int, width: int) -> None:
    pattern = whole_numbers(low, low + width)
    matched = [number for number in range(low - 5, low + width + 6) if re.fullmatch(pattern, str(number))]
    assert matched == list(range(low, low + width + 1))


@given(BOUND, BOUND, st.integers(-4_000_000, 4_000_000))
@settings(deadline=None, max_examples=300)
def test_decimals_match_exactly_those_within_whole_bounds(low: int | None, high: int | None, thousandths: int) -> None:
    number = thousandths / 1000
    pattern = decimals(low, high)
    assert bool(pattern and re.fullmatch(pattern, repr(number))) == within(number, low, high)


@given(st.floats(-100, 100), st.floats(0, 100), st.integers(-200_000, 300_000))
@settings(deadline=None)
def test_decimals_within_bounds_with_a_fraction_are_never_left_out(low: float, width: float, thousandths: int) -> None:
    number = thousandths / 1000
    if within(number, low, low + width):
        assert re.fullmatch(decimals(low, low + width), repr(number))


@pytest.mark.parametrize("text", ["007", "+1", "1.", "", "1e5", "--1", "1" * 16])
def test_other_spellings_do_not_match(text: str) -> None:
    assert not re.fullmatch(whole_numbers(), text)
    assert not re.fullmatch(decimals(), text)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**16), 10**16))
@settings(deadline=None, max_examples=300)
def test_what_matches_is_what_calls_are_written_in(number: float) -> None:
    rounded = round(number, 6) if abs(number) < 10**9 else number
    written = render_value(rounded)
    plain = abs(rounded) < 10**9 or (abs(rounded) < 10**15 and float(rounded).is_integer())
    assert bool(re.fullmatch(decimals(), written)) == plain
    assert parse_calls(f"[a(x={written})]")[0].arguments["x"] == rounded


@pytest.mark.parametrize("text", ["1.50", "-0", "1.1234567", "-00.5"])
def test_a_number_has_one_spelling(text: str) -> None:
    assert not re.fullmatch(decimals(), text)
    assert not re.fullmatch(decimals(-5, 5), text)


def test_nothing_lies_between_crossed_bounds() -> None:
    assert whole_numbers(1.2, 1.8) == ""
    assert decimals(2, 1) == ""
