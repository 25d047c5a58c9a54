"""Times and ranges: what people say, against a fixed clock (Thursday 12 March 2026, 08:45)."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.device.when import WhenError, parse_range, parse_time, show_time
from camphor.device.when.fragments import TimeKind, fragments
from camphor.errors import ToolError

NOW = datetime(2026, 3, 12, 8, 45)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2099, 12, 31)).map(lambda m: m.replace(second=0, microsecond=0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7pm", "2026-03-12T19:00"),
        ("7 p.m.", "2026-03-12T19:00"),
        ("7p", "2026-03-12T19:00"),
        ("seven p m", "2026-03-12T19:00"),
        ("19:30", "2026-03-12T19:30"),
        ("19.30", "2026-03-12T19:30"),
        ("1930", "2026-03-12T19:30"),
        ("19h30", "2026-03-12T19:30"),
        ("14 h", "2026-03-12T14:00"),
        ("half ten", "2026-03-12T10:30"),
        ("ten to three", "2026-03-12T14:50"),
        ("quarter past 7", "2026-03-12T19:15"),
        ("a quarter to nine", "2026-03-12T20:45"),
        ("three fifteen", "2026-03-12T15:15"),
        ("seven oh five", "2026-03-12T19:05"),
        ("seven o’clock", "2026-03-12T19:00"),
        ("noon", "2026-03-12T12:00"),
        ("midnight", "2026-03-13T00:00"),
        ("5 minutes to midnight", "2026-03-12T23:55"),
        ("at 6", "2026-03-12T18:00"),
        ("at 8", "2026-03-12T20:00"),
        ("at 9", "2026-03-12T09:00"),
        ("9 at night", "2026-03-12T21:00"),
        ("7 this evening", "2026-03-12T19:00"),
        ("2 this afternoon", "2026-03-12T14:00"),
    ],
)
def test_a_clock_is_its_next_time(text: str, expected: str) -> None:
    assert parse_time(text, NOW) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tomorrow at 5 pm", "2026-03-13T17:00"),
        ("tmrw 6", "2026-03-13T18:00"),
        ("tommorow at half eight", "2026-03-13T08:30"),
        ("2morow at 7", "2026-03-13T07:00"),
        ("tmw nite at 8", "2026-03-13T20:00"),
        ("tnite at 8", "2026-03-12T20:00"),
        ("thurs's at 10", "2026-03-12T10:00"),
        ("sundy at 7 in the morning", "2026-03-15T07:00"),
        ("tomorrow at 7", "2026-03-13T07:00"),
        ("tomorrow at 5", "2026-03-13T17:00"),
        ("tomorrow morning", "2026-03-13T09:00"),
        ("tomorrow night at 1", "2026-03-14T01:00"),
        ("tonight at 8", "2026-03-12T20:00"),
        ("2nyt 8", "2026-03-12T20:00"),
        ("the day after tomorrow", "2026-03-14T09:00"),
        ("Friday 7 in the evening", "2026-03-13T19:00"),
        ("Tuesday night at nine", "2026-03-17T21:00"),
        ("wensday 3 pm", "2026-03-18T15:00"),
        ("Thursday at 8", "2026-03-19T08:00"),  # over today
        ("Thursday at 9", "2026-03-12T09:00"),
        ("next Friday at half past five", "2026-03-20T17:30"),
        ("Thursday week", "2026-03-26T09:00"),
        ("tomorrow week", "2026-03-20T09:00"),
        ("today week at noon", "2026-03-19T12:00"),
        ("a week tomorrow", "2026-03-20T09:00"),
        ("Monday fortnight", "2026-03-30T09:00"),
        ("a fortnight tomorrow at 5", "2026-03-27T17:00"),
        ("Today: 14h30", "2026-03-12T14:30"),
        ("a week from Friday", "2026-03-20T09:00"),
        ("two weeks from this Tuesday, six thirty", "2026-03-31T18:30"),
        ("one week from today at 7 in the morning", "2026-03-19T07:00"),
        ("in 3 days at noon", "2026-03-15T12:00"),
        ("the 4th", "2026-04-04T09:00"),
        ("on the 3rd at five", "2026-04-03T17:00"),
        ("the 4th at half ten that night", "2026-04-04T22:30"),
        ("Saturday 5 December at two", "2026-12-05T14:00"),
        ("2 February at 8 in the morning", "2027-02-02T08:00"),
        ("the twenty-first of May at ten", "2026-05-21T10:00"),
        ("first Monday of April", "2026-04-06T09:00"),
        ("last Friday of the month at 4", "2026-03-27T16:00"),
        ("next month", "2026-04-01T09:00"),
        ("end of the month", "2026-03-31T09:00"),
        ("the end of April", "2026-04-30T09:00"),
        ("the last day of February 2028", "2028-02-29T09:00"),
        ("mid-July at noon", "2026-07-15T12:00"),
        ("the middle of next month", "2026-04-15T09:00"),
        ("Good Friday at 3", "2026-04-03T15:00"),
        ("29 February", "2028-02-29T09:00"),
        ("13/3 at 7pm", "2026-03-13T19:00"),
        ("24.12. 18:00", "2026-12-24T18:00"),
    ],
)
def test_days_and_hours_in_any_order(text: str, expected: str) -> None:
    assert parse_time(text, NOW) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 hour before Fri 20 Mar 09:00", "2026-03-20T08:00"),
        ("half hr b4 Fri 20 Mar 09:00", "2026-03-20T08:30"),
        ("an hour before 14:30", "2026-03-12T13:30"),
        ("three quarters of an hour before 14:30", "2026-03-12T13:45"),
        ("a quarter of an hour before 14:30", "2026-03-12T14:15"),
        ("an hour and three quarters before 14:30", "2026-03-12T12:45"),
        ("20 minutes after tomorrow at 5 pm", "2026-03-13T17:20"),
        ("the evening before 2026-05-21", "2026-05-20T19:00"),
        ("the night before Fri 20 Mar 09:00 at eight", "2026-03-19T20:00"),
        ("at nine the day before Tue 8 Sep", "2026-09-07T09:00"),
        ("nine days before Tue 8 Sep", "2026-08-30T09:00"),
        ("8 pm the day before Tue 8 Sep", "2026-09-07T20:00"),
        ("the day before Fri 20 Mar 14:00", "2026-03-19T14:00"),
        ("two days before Fri 20 Mar 14:00 at noon", "2026-03-18T12:00"),
        ("a week before Fri 20 Mar 14:00, 5 in the evening", "2026-03-13T17:00"),
        ("the Saturday after next Friday at noon", "2026-03-21T12:00"),
        ("at six on the eve of Fri 20 Mar", "2026-03-19T18:00"),
        ("the morning of Fri 20 Mar 14:00 at 10", "2026-03-20T10:00"),
        ("3 pm on the day of Fri 20 Mar 09:15", "2026-03-20T15:00"),
        ("ten minutes after forty minutes from now", "2026-03-12T09:35"),
    ],
)
def test_moments_beside_other_moments(text: str, expected: str) -> None:
    assert parse_time(text, NOW) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    "text",
    [
        "", "hello", "remind me at 5", "soon", "30 Feb", "31 April 2026", "2026-02-30", "2026-02-30T10:00:00", "25:00",
        "7:75", "Saturday 20 March", "tomorrow Monday", "19:00 in the morning", "the night before at 8",
        "that night at 8",
        "half past six that morning", "an hour later", "an hour before Friday", "the hour", "12/3", "13/13", "the 32nd",
        "fifth Monday of April", "99999999999 days from now", "in 9999999 months",
        "\x00\x01", "明日の五時", "7 8 9", "the day before " * 13 + "tomorrow", "x" * 10_000,
    ],
)  # fmt: skip
def test_never_a_guess(text: str) -> None:
    with pytest.raises(WhenError) as caught:
        parse_time(text, NOW)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ToolError)
    assert "tomorrow at 5 pm" in str(caught.value)
    assert len(str(caught.value)) < 300


def test_slashes_follow_the_country() -> None:
    assert parse_time("12/3 at noon", NOW, day_first=True) == datetime(2026, 3, 12, 12)
    assert parse_time("12/3 at noon", NOW, day_first=False) == datetime(2026, 12, 3, 12)
    with pytest.raises(WhenError, match="12 March or 3 December"):
        parse_time("12/3 at noon", NOW)


def test_the_weekday_decides_the_year_of_a_shown_date() -> None:
    assert parse_time("Thu 12 Feb 18:30", NOW) == datetime(2026, 2, 12, 18, 30)
    assert parse_time("12 Feb 18:30", NOW) == datetime(2027, 2, 12, 18, 30)


@settings(deadline=None)
@given(MOMENTS, MOMENTS)
def test_what_is_shown_reads_back(moment: datetime, now: datetime) -> None:
    assert parse_time(show_time(moment, now.year), now) == moment


@settings(deadline=None)
@given(MOMENTS, MOMENTS)
def test_iso_reads_back(moment: datetime, now: datetime) -> None:
    assert parse_time(moment.isoformat(), now) == moment
    assert parse_time(moment.isoformat(timespec="minutes"), now) == moment


@settings(deadline=None)
@given(st.integers(1, 10_000), st.sampled_from(("minutes", "mins", "min")), MOMENTS)
def test_minutes_from_now(count: int, unit: str, now: datetime) -> None:
    for text in (f"in {count} {unit}", f"{count} {unit} from now"):
        assert parse_time(text, now) == now + timedelta(minutes=count)


@settings(deadline=None)
@given(st.integers(1, 600), MOMENTS, MOMENTS)
def test_minutes_beside_a_shown_time(count: int, moment: datetime, now: datetime) -> None:
    shown = show_time(moment, now.year)
    assert parse_time(f"{count} minutes before {shown}", now) == moment - timedelta(minutes=count)
    assert parse_time(f"{count} minutes after {shown}", now) == moment + timedelta(minutes=count)


@settings(deadline=None)
@given(st.integers(0, 23), st.integers(0, 59), MOMENTS)
def test_a_clock_alone_lies_within_a_day(hour: int, minute: int, now: datetime) -> None:
    found = parse_time(f"{hour:02d}:{minute:02d}", now)
    assert now < found <= now + timedelta(days=1)
    assert (found.hour % 12, found.minute) == (hour % 12, minute)


@settings(deadline=None)
@given(st.text(max_size=60), MOMENTS)
def test_any_text_is_a_time_or_refused(text: str, now: datetime) -> None:
    for read in (parse_time, parse_range):
        try:
            read(text, now)
        except WhenError:
            continue


WORDS = (
    "at on the next last friday 4th 12 march half past to 7 pm in 20 minutes hour before after tomorrow night noon a of"
    " week day 10:30 2026-05-21 and from that"
)


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS.split()), max_size=9), MOMENTS)
def test_any_words_of_time_are_a_time_or_refused(words: list[str], now: datetime) -> None:
    for read in (parse_time, parse_range):
        try:
            read(" ".join(words), now)
        except WhenError:
            continue


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", "2026-03-12"),
        ("tonight", "2026-03-12"),
        ("tomorrow afternoon", "2026-03-13"),
        ("Tuesday", "2026-03-17"),
        ("Thursday", "2026-03-19"),
        ("2 Feb", "2026-02-02"),
        ("Sat 14 Mar 09:00", "2026-03-14"),
        ("2026-03-12T10:00:00", "2026-03-12"),
        ("this week", "2026-03-09/2026-03-15"),
        ("next week", "2026-03-16/2026-03-22"),
        ("the weekend", "2026-03-14/2026-03-15"),
        ("rest of the week", "2026-03-12/2026-03-15"),
        ("next 3 days", "2026-03-12/2026-03-15"),
        ("last 7 days", "2026-03-05/2026-03-12"),
        ("last month", "2026-02-01/2026-02-28"),
        ("July", "2026-07-01/2026-07-31"),
        ("November", "2025-11-01/2025-11-30"),
        ("2025", "2025-01-01/2025-12-31"),
        ("2026-05", "2026-05-01/2026-05-31"),
        ("first week of April", "2026-04-01/2026-04-07"),
        ("3 to 5 April", "2026-04-03/2026-04-05"),
        ("3-5 April", "2026-04-03/2026-04-05"),
        ("from Monday to Friday", "2026-03-16/2026-03-20"),
        ("Dec 24 to Jan 2 2027", "2026-12-24/2027-01-02"),
        ("since Monday", "2026-03-09/2026-03-12"),
        ("until Friday", "2026-03-12/2026-03-13"),
        ("2026-01-20/2026-01-22", "2026-01-20/2026-01-22"),
        ("from 3 to 4 pm today", "2026-03-12T15:00:00/2026-03-12T16:00:00"),
    ],
)
def test_ranges(text: str, expected: str) -> None:
    assert parse_range(text, NOW) == expected


@pytest.mark.parametrize("text", ["", "blah", "30 Feb", "2026-03-02/2026-03-01", "2026-02-30/2026-03-01", "2026-13"])
def test_a_range_is_never_a_guess(text: str) -> None:
    with pytest.raises(WhenError):
        parse_range(text, NOW)


@settings(deadline=None)
@given(st.dates(date(1990, 1, 1), date(2099, 12, 31)), st.dates(date(1990, 1, 1), date(2099, 12, 31)))
def test_iso_ranges_stay(a: date, b: date) -> None:
    first, last = sorted((a, b))
    assert parse_range(f"{first}/{last}", NOW) == f"{first}/{last}"
    assert parse_range(first.isoformat(), NOW) == first.isoformat()


def test_fragments_tell_what_a_text_says_of_time() -> None:
    said = fragments("Remind me at nine the night before, not the one on the 4th, and in 20 minutes too", NOW)
    kinds = {(fragment.text, fragment.kind) for fragment in said}
    assert {
        ("night before", TimeKind.SHIFT),
        ("on the 4th", TimeKind.DAY),
        ("in 20 minutes", TimeKind.MOMENT),
    } <= kinds
    assert ("one", TimeKind.CLOCK) not in kinds


@pytest.mark.parametrize("text", ["that one's for her baby", "the grey one’s number", "the two I met"])
def test_a_number_word_in_a_sentence_is_no_hour(text: str) -> None:
    assert not any(piece.kind is TimeKind.CLOCK for piece in fragments(text, NOW))


def test_a_greeting_is_no_time() -> None:
    now = datetime(2026, 3, 12, 8, 45)
    assert fragments("Good morning, what is on?", now) == []
    said = {piece.text for piece in fragments("good evening, tomorrow morning please", now)}
    assert "tomorrow morning" in said
    assert not any("evening" in piece for piece in said)


@pytest.mark.parametrize("said", ["22h", "22h00", "14h30", "9h15"])
def test_an_hour_written_with_an_h_is_an_hour_and_a_length(said: str) -> None:
    assert {piece.kind for piece in fragments(f"remind me {said} to call", NOW)} == {
        TimeKind.CLOCK,
        TimeKind.LENGTH,
    }


@pytest.mark.parametrize("said", ["2h", "1h30", "24h"])
def test_a_small_number_of_hours_is_a_length_alone(said: str) -> None:
    assert {piece.kind for piece in fragments(f"swim {said} please", NOW)} == {TimeKind.LENGTH}
