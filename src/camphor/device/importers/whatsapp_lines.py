"""How WhatsApp begins a message in a chat that it exports: dates and clocks of all regions, and which date is meant.

A phone writes dates as its region does, and nothing in the file says which region that is. So the whole file decides
whether the day or the month stands first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from camphor.device.importers.chat_parts import LONGEST, Line

_FIRST = 200  # lines up to which the first message has to come
_MARK = r"[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]"  # which way text runs: no width, and anywhere
_SPACE = r"[ \u00a0\u2009\u202f]"
_AM = "am πμ 오전 上午 午前 凌晨 清晨 早上 ص öö sa de fm ap pg पूर्वाह्न"
_PM = "pm μμ 오후 下午 午後 中午 晚上 م ös ch du em ip ptg अपराह्न"
_HALVES = {**dict.fromkeys(_AM.casefold().split(), 0), **dict.fromkeys(_PM.casefold().split(), 12)}
# "p. m." and "μ.μ." too: a letter each, with dots and spaces between.
_HALF = "|".join(
    rf"{each[0]}\.?{_SPACE}?{each[1]}\.?" if len(each) == 2 and each.isalpha() and each.islower() else each
    for each in sorted(_HALVES, key=len, reverse=True)
)
_DATE = (
    rf"(?P<one>\d{{4}}|\d{{1,2}}){_MARK}*(?P<between>[./-]|년|年){_SPACE}?{_MARK}*"
    rf"(?P<two>\d{{1,2}}){_MARK}*(?:[./-]|월|月){_SPACE}?{_MARK}*"
    rf"(?P<three>\d{{4}}|\d{{1,2}})(?:\.(?={_SPACE})|일|日|{_SPACE}?г\.)?"
)
_CLOCK = (
    rf"(?:(?P<before>{_HALF}){_SPACE}?)?(?P<hour>\d{{1,2}})(?:[:.]|{_SPACE}?h{_SPACE}?)(?P<minute>\d{{2}})"
    rf"(?:(?:[:.]|{_SPACE}min{_SPACE})(?P<second>\d{{2}})(?:{_SPACE}s)?)?(?:{_SPACE}?(?P<after>{_HALF}))?(?:{_SPACE}ч\.)?"
)
_GAP = rf"{_MARK}*(?:[,،]{_SPACE}*|{_SPACE}+)(?:(?:klo|kl\.?|at|um|à|às){_SPACE}+)?{_MARK}*"
HEAD = re.compile(
    rf"{_MARK}*(?P<bracket>\[)?{_DATE}{_GAP}{_CLOCK}{_MARK}*"
    rf"(?(bracket)\]{_SPACE}?|(?:{_SPACE}{{1,2}}[-–—]{_SPACE}|:{_SPACE}))",
    re.IGNORECASE,
)
_NUMBERS = ("one", "two", "three", "hour", "minute", "second")
_DOTS = re.compile(r"[.\s]")
# Who writes the month first, by the tz database: America's zones that are in the United States.
_MONTH_FIRST = re.compile(
    r"\bUS/\w+|\bPacific/Honolulu\b|\bAmerica/(?:New_York|Detroit|Chicago|Menominee|Denver|Boise|Phoenix|Los_Angeles"
    r"|Anchorage|Juneau|Sitka|Metlakatla|Yakutat|Nome|Adak|Louisville|Fort_Wayne|Indianapolis"
    r"|(?:Indiana|Kentucky|North_Dakota)/\w+)\b"
)


@dataclass
class Message:
    """A message as it stands in the file.

    Args:
        line: where it begins, from 1. date: its three numbers, as they stand. clock: hour, minute and second.
        text: what comes after the time on its first line. style: how its time is written. whole: all could be read.
    """

    line: int
    date: tuple[int, int, int]
    clock: tuple[int, int, int]
    text: str
    style: tuple[object, ...]
    whole: bool = True
    _more: list[str] = field(default_factory=list)
    _size: int = 0

    def add(self, line: Line) -> None:
        """Takes in a further line of it, up to the most that a message has."""
        self.whole = self.whole and line.whole
        if self._size <= LONGEST:
            self._size += len(line.text) + 1
            self._more.append(line.text)

    @property
    def full_text(self) -> str:
        return "\n".join((self.text, *self._more))[: 2 * LONGEST]

    def moment(self, day_first: bool) -> datetime:
        """When it was sent, in the phone's own time. Raises: ValueError, there is no such time."""
        one, two, three = self.date
        year, month, day = (one, two, three) if one > 31 else (three, two, one) if day_first else (three, one, two)
        year += 2000 if year < 100 else 0
        return datetime(year - 543 if year > 2400 else year, month, day, *self.clock)  # Thailand's years


def messages(found: Iterable[Line]) -> Iterator[Message]:
    """The messages of a file. A line that begins as the first message did begins another; all others go on with one:
    somebody who quotes another chat writes its dates in another style, if at all."""
    current: Message | None = None
    for line in found:
        begun = _begun(line)
        if begun and (current is None or begun.style == current.style):
            if current:
                yield current
            current = begun
        elif current:
            current.add(line)
        elif line.number >= _FIRST:
            return
    if current:
        yield current


def _begun(line: Line) -> Message | None:
    head = HEAD.match(line.text)
    if not head:
        return None
    one, two, three, hour, minute, second = (int(head[each] or 0) for each in _NUMBERS)
    if half := _DOTS.sub("", head["before"] or head["after"] or "").casefold():
        hour = hour % 12 + _HALVES.get(half, 0)
    style = (bool(head["bracket"]), head["between"], len(head["one"]) == 4, head["second"] is None)
    text = line.text[head.end() :]
    return Message(line.number, (one, two, three), (hour, minute, second), text, style, line.whole)


class Order:
    """Finds whether the day or the month stands first in the dates of a file, from all of them."""

    def __init__(self) -> None:
        self._over = [0, 0]  # dates whose first, and whose second number can only be a day
        self._back = [0, 0]  # how often time runs backwards where the first, or the second number is the day
        self._before: tuple[tuple[int, ...], tuple[int, ...]] | None = None
        self._slashes = False

    def add(self, message: Message) -> None:
        one, two, three = message.date
        if one > 31:
            return
        self._slashes = message.style[1] == "/"
        self._over[0] += one > 12
        self._over[1] += two > 12
        now = (three, two, one, *message.clock), (three, one, two, *message.clock)
        if self._before:
            self._back[0] += now[0] < self._before[0]
            self._back[1] += now[1] < self._before[1]
        self._before = now

    def day_first(self, zone: tzinfo | None) -> bool:
        """What the numbers say; then the way in which time goes; then the custom of the zone, where dates have slashes:
        nobody writes the month first with dots or dashes."""
        if self._over[0] != self._over[1]:
            return self._over[0] > self._over[1]
        if self._back[0] != self._back[1]:
            return self._back[0] < self._back[1]
        return not (self._slashes and _MONTH_FIRST.search(_name(zone)))


def _name(zone: tzinfo | None) -> str:
    """A zone's name, as well as it can be had: both zoneinfo and dateutil tell it when they are shown."""
    return repr(zone) if zone is not None else os.environ.get("TZ") or os.path.realpath("/etc/localtime")
