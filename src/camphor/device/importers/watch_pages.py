"""The watch history of YouTube as a page (watch-history.html), as Google Takeout writes it where JSON is not asked for.

A page of ten years is one line of 100 MB: it is read cell by cell, a video a cell.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TextIO

from camphor.device.importers.json_objects import NoList
from camphor.device.importers.zone_names import zone_named
from camphor.device.text import fold

_CHUNK = 1 << 16
_LONGEST_CELL = 1 << 16
_MARK = '<div class="outer-cell'
_CONTENT = re.compile(r'<div class="content-cell[^>"]*mdl-typography--body-1"[^>]*>(?P<content>.*?)</div>', re.DOTALL)
_LINK = re.compile(r'<a href="(?P<url>[^">]*)"[^>]*>(?P<text>.*?)</a>', re.DOTALL)
_BREAK = re.compile(r"<br\s*/?>")
_TAG = re.compile(r"<[^>]*>")
_CHANNEL = re.compile(r"/(?:channel|user|c)/|/@")

# The day stands before the clock in all languages, the zone behind it: "Mar 5, 2024, 3:04:05 PM CET".
_CLOCK = re.compile(
    r"(?<![\d.])(?P<hour>\d{1,2})(?P<between>[:.])(?P<minute>\d\d)(?P=between)(?P<second>\d\d)(?![\d.])"
    r"(?:\s*(?P<half>[ap])\.?\s?m\b\.?)?",
    re.IGNORECASE,
)
_MONTHS = {
    begin: number
    for number, begins in enumerate(
        ("jan ene gen", "feb fev", "mar maa mrt", "apr abr avr", "mai may maj mei mag", "jun juin giu", "jul juil lug",
         "aug ago aou", "sep set", "oct okt ott out", "nov", "dec dez dic des"), 1
    )
    for begin in begins.split()
}  # fmt: skip


@dataclass(frozen=True)
class Watched:
    """A cell of the page. `time` is None where it is in a form that is not known; `details` is its small print."""

    title: str
    url: str
    channel: str
    time: datetime | None
    details: str


def watched(file: TextIO) -> Iterator[tuple[int, Watched | None]]:
    """The cells of the page with their numbers, from 1; None for one that is broken.

    Raises:
        NoList: it has none.
    """
    number = -1
    for number, cell in enumerate(_cells(file)):
        if number:  # behind what stands above the first
            yield number, _watched(cell)
    if number < 1:
        raise NoList


def _cells(file: TextIO) -> Iterator[str]:
    held = ""
    while part := file.read(_CHUNK):
        *whole, held = (held + part).split(_MARK)
        yield from whole
        if len(held) > _LONGEST_CELL:
            held = held[-len(_MARK) :]
    yield held


def _watched(cell: str) -> Watched | None:
    found = _CONTENT.search(cell)
    if found is None:
        return None
    content, details = found["content"], _plain(cell[found.end() :])
    links = [(html.unescape(each["url"]), _plain(each["text"])) for each in _LINK.finditer(content)]
    lines = [line for line in map(_plain, _BREAK.split(content)) if line]
    title, url = (links[0][1], links[0][0]) if links else ("", "")
    channel = next((text for url, text in links[1:] if _CHANNEL.search(url)), "")
    return Watched(title, url, channel, time_told(lines[-1]) if lines else None, details)


def _plain(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())


def time_told(text: str) -> datetime | None:
    """The time that a line of the page tells, in the zone that it names or else in none."""
    clock = _CLOCK.search(text)
    if clock is None:
        return None
    day = _day(text[: clock.start()])
    hour, half = int(clock["hour"]), (clock["half"] or "").lower()
    if half:
        hour = hour % 12 + 12 * (half == "p")
    try:
        moment = datetime(*day, hour, int(clock["minute"]), int(clock["second"])) if day else None
    except ValueError:
        return None
    return moment and moment.replace(tzinfo=zone_named(text[clock.end() :]))


def _day(text: str) -> tuple[int, int, int] | None:
    """Year, month and day, the month as a word or as a number."""
    numbers = re.findall(r"\d+", text)
    month = next(filter(None, map(_month, re.findall(r"[^\W\d_]{3,}", fold(text)))), None)
    year = next((each for each in numbers if len(each) == 4), None)
    if year is None or len(numbers) != (2 if month else 3):
        return None
    first, *rest = (int(each) for each in numbers if each is not year)
    if month:
        return int(year), month, first
    if numbers[0] == year:
        return int(year), first, rest[0]
    # day first, as in all languages but that of the United States, where months are words here
    return (int(year), first, rest[0]) if rest[0] > 12 else (int(year), rest[0], first)


def _month(word: str) -> int | None:
    return _MONTHS.get(word[:4]) or _MONTHS.get(word[:3])
