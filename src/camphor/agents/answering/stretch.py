"""The stretch of time that a question names: a day, an hour, a part of a day, from one day to another, since a day."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from camphor.agents.answering.lexicon import lexicon, pattern, word_list
from camphor.device.text import fold
from camphor.device.when import WhenError, parse_range, parse_time
from camphor.device.when.fragments import Fragment, TimeKind, fragments

_END_OF_DAY = time(23, 59)
_PARTS = lexicon("words.toml")["day_parts"]


@dataclass(frozen=True)
class Stretch:
    """Some time that was named: from the first moment up to the last, both included; the words that named it."""

    first: datetime
    last: datetime
    said: str
    clock: bool = False
    """Whether hours were said, so that the day alone does not tell it."""

    def holds(self, moment: datetime) -> bool:
        return self.first <= moment <= self.last

    def meets(self, first: datetime, last: datetime) -> bool:
        return first <= self.last and last >= self.first

    def shifted(self, days: int) -> Stretch:
        by = timedelta(days=days)
        return Stretch(self.first + by, self.last + by, self.said, self.clock)


def read_stretch(
    text: str, now: datetime, names: Collection[str] = ()
) -> tuple[Stretch | None, list[tuple[int, int]], bool]:
    """The first stretch of time that a text names, and where all expressions of time stand.

    Args:
        names: of people, as written: Tom is no slip of "tomorrow", and May no month but after "in" and the like.
    """
    pieces = [
        each
        for each in fragments(text, now)
        if each.kind not in (TimeKind.LENGTH, TimeKind.SHIFT)
        and _is_time(each, text)
        and not _is_name(each, text, names)
    ]
    chosen: list[tuple[Fragment, Stretch]] = []
    for piece in sorted(pieces, key=lambda each: -len(each.text)):
        if any(
            piece.start < other.start + len(other.text) and other.start < piece.start + len(piece.text)
            for other, _ in chosen
        ):
            continue
        if found := _resolve(piece, now):
            chosen.append((piece, found))
    chosen.sort(key=lambda pair: pair[0].start)
    spans = [(piece.start, piece.start + len(piece.text)) for piece, _ in chosen]
    if not chosen:
        return None, spans, False
    stretch = _joined(chosen, text, now)
    said = fold(text)
    weekday = bool(pattern("weekday").search(said)) and not pattern("which_week").search(fold(stretch.said))
    return stretch, spans, weekday


def _joined(chosen: Sequence[tuple[Fragment, Stretch]], text: str, now: datetime) -> Stretch:
    """One stretch of all that was named: a day with its hour, from one day to another, since a day, until a day."""
    days = [(piece, found) for piece, found in chosen if piece.kind is not TimeKind.CLOCK]
    hours = [(piece, found) for piece, found in chosen if piece.kind is TimeKind.CLOCK]
    piece, stretch = (days or hours)[0]
    before = [word for word in fold(text[: piece.start]).split() if word != "the"][-2:]
    after = text[piece.start + len(piece.text) :]
    stretch = _of_this_week(stretch, fold(text), now)
    if len(days) > 1 and (several := _from_to(days, text, before, now)):
        return several
    if (
        before
        and before[-1] in word_list("bound_from")
        and not hours
        and stretch.first.date() == stretch.last.date()
        and not pattern("goes_on_until").search(after)
    ):
        return _since(stretch, now) if before[-1] == "since" else stretch
    if before and before[-1] == "after" and days and not hours:  # "after tomorrow", "after the 18th"
        morning = datetime.combine(stretch.last.date() + timedelta(days=1), time(0))
        return Stretch(morning, morning + timedelta(days=365), f"after {stretch.said}")
    if days and hours and not stretch.clock and stretch.first.date() == stretch.last.date():
        moment = datetime.combine(stretch.first.date(), hours[0][1].first.time())
        stretch = Stretch(moment, moment, f"{stretch.said} {hours[0][1].said}", True)
        before = fold(text[: hours[0][0].start]).split()[-1:]
    return _bounded(stretch, before[-1]) if before else stretch


def _of_this_week(stretch: Stretch, said: str, now: datetime) -> Stretch:
    """Weekdays ahead that were meant to be behind: those of "this week", and a range of what was."""
    if not _by_weekday(stretch) or stretch.first <= now or pattern("next_or_coming").search(fold(stretch.said)):
        return stretch
    sunday = datetime.combine(now.date() + timedelta(days=6 - now.weekday()), _END_OF_DAY)
    was = stretch.first.date() != stretch.last.date() and pattern("past").search(said)
    return stretch.shifted(-7) if was or ("this week" in said and stretch.first > sunday) else stretch


def _from_to(
    days: Sequence[tuple[Fragment, Stretch]], text: str, before: Sequence[str], now: datetime
) -> Stretch | None:
    """From the first of the days that were named to the second, or the first inside the second; None for neither."""
    (piece, stretch), (other, last) = days[:2]
    between = fold(text[piece.start + len(piece.text) : other.start]).strip()
    past = bool(pattern("past").search(fold(text))) or "so far" in fold(text)
    if pattern("joins_days").search(between) and (past or between != "and" or "between" in before):
        first = stretch
        while first.first > last.last and _by_weekday(first):
            first = first.shifted(-7)
        while past and last.first.date() > now.date() and first.first.date() > now.date() and _by_weekday(last):
            first, last = first.shifted(-7), last.shifted(-7)
        return Stretch(first.first, last.last, f"{first.said} {between} {last.said}")
    if _by_weekday(stretch) and last.first.date() != last.last.date():  # "Monday to Wednesday this week"
        return next((stretch.shifted(by) for by in (0, -7, 7) if last.holds(stretch.shifted(by).first)), stretch)
    return None


def _since(day: Stretch, now: datetime) -> Stretch:
    """From a day that was up to now."""
    while day.first > now:
        day = day.shifted(-7)
    return Stretch(day.first, datetime.combine(max(now, day.last).date(), _END_OF_DAY), f"since {day.said}")


def _bounded(stretch: Stretch, before: str) -> Stretch:
    """What is left of a day by the word before its hour: "after 5", "until 5"."""
    if stretch.clock and stretch.first == stretch.last and before == "after":
        return Stretch(stretch.first, datetime.combine(stretch.first.date(), _END_OF_DAY), stretch.said, True)
    if stretch.clock and stretch.first == stretch.last and before in word_list("bound_until"):
        return Stretch(datetime.combine(stretch.first.date(), time(0)), stretch.first, stretch.said, True)
    return stretch


def _by_weekday(stretch: Stretch) -> bool:
    return bool(pattern("starts_with_day").search(fold(stretch.said)))


_UNSURE = word_list("unsure_times")
_AT = word_list("before_a_time")


def _is_time(piece: Fragment, text: str) -> bool:
    """Whether a piece means a time for certain: a bare figure does after "at", "sat" where it has its capital."""
    before = text[: piece.start].split()
    after = text[piece.start + len(piece.text) :]
    if pattern("ordinal").search(fold(piece.text)):
        return bool(pattern("ordinal_of_month").search(fold(after)))
    if pattern("bare_figure").search(fold(piece.text)):
        return bool(before) and fold(before[-1]) in _AT and not pattern("counts_things").search(after)
    if pattern("more_digits").search(after) and re.fullmatch(r"\d+", piece.text):
        return False
    return piece.text not in _UNSURE or bool(pattern("birthdays_follow").search(fold(after)))


def _is_name(piece: Fragment, text: str, names: Collection[str]) -> bool:
    return re.sub("['’]s$", "", piece.text) in names and not pattern("before_time").search(fold(text[: piece.start]))


def _resolve(piece: Fragment, now: datetime) -> Stretch | None:
    part = next((hours for word, hours in _PARTS.items() if re.search(rf"\b{word}\b", fold(piece.text))), None)
    clock = piece.kind in (TimeKind.MOMENT, TimeKind.CLOCK)
    try:
        if clock and part is None:
            at = parse_time(piece.text, now)
            return Stretch(at, at, piece.text, True)
        first, _, last = parse_range(pattern("leading_word").sub("", piece.text), now).partition("/")
    except WhenError:
        return None
    begin = datetime.fromisoformat(first)
    end = datetime.fromisoformat(last or first)
    if len(last or first) == 10:
        end = datetime.combine(end.date(), _END_OF_DAY)
    if part and begin.date() == end.date():
        begin = datetime.combine(begin.date(), time(part[0]))
        end = (
            datetime.combine(end.date(), time(part[1] % 24))
            if part[1] < 24
            else datetime.combine(end.date(), _END_OF_DAY)
        )
        return Stretch(begin, end, piece.text, True)
    return Stretch(begin, end, piece.text)
