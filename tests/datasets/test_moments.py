"""Said times: what is drawn with the words is what the device understands by them."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.device.when import parse_range, parse_time, show_time
from camphor_lab.datasets.moments import draw_day, draw_moment, draw_span, hours_of, number_word

NOWS = st.datetimes(datetime(2025, 1, 1), datetime(2027, 12, 30)).map(lambda m: m.replace(second=0, microsecond=0))


@settings(max_examples=300, deadline=None)
@given(NOWS, st.integers(0, 10**6), st.booleans())
def test_the_device_reads_what_was_meant(now: datetime, seed: int, spoken: bool) -> None:
    moment = draw_moment(Random(seed), now, spoken=spoken)
    assert moment.value > now
    assert moment.value - now < timedelta(days=27)
    assert parse_time(moment.bare, now) == moment.value
    assert parse_time(moment.at, now) == moment.value
    assert parse_time(moment.said("remind me {at}"), now) == moment.value


@settings(max_examples=200, deadline=None)
@given(NOWS, st.integers(0, 10**6))
def test_spans_before_an_event_are_read(now: datetime, seed: int) -> None:
    span, event = draw_span(Random(seed)), now + timedelta(days=4)
    assert parse_time(f"{span.said} before {show_time(event, now.year)}", now) == event - span.length


def test_numbers_as_words() -> None:
    assert [number_word(n) for n in (0, 12, 20, 45)] == ["zero", "twelve", "twenty", "forty-five"]


@settings(max_examples=200, deadline=None)
@given(NOWS, st.integers(0, 10**6))
def test_what_stands_after_for_does_not_begin_with_in(now: datetime, seed: int) -> None:
    assert not draw_moment(Random(seed), now).bare.startswith("in ")
    day, on, bare = draw_day(Random(seed), now)
    assert not bare.startswith(("in ", "on "))
    for said in (on.removeprefix("on "), bare):
        assert parse_range(said, now) == day.isoformat()


@settings(max_examples=200, deadline=None)
@given(NOWS, st.integers(0, 10**6), st.sampled_from(["Dinner with Ana", "Standup", "Dentist", "Lunch", "Salsa night"]))
def test_an_occasion_begins_at_its_hours_and_is_told_by_day(now: datetime, seed: int, occasion: str) -> None:
    moment = draw_moment(Random(seed), now, occasion=occasion)
    first, last = hours_of(occasion)
    assert first <= moment.value.hour <= last
    assert not moment.minute
    assert "tomorrow" not in moment.told()
    assert parse_time(moment.said("move it to {when}"), now) == moment.value
    assert parse_time(moment.told(), now) == moment.value or (moment.value - now).days >= 6
