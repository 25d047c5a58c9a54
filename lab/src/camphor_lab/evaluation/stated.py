"""The facts that a text states: clock times, days, numbers, phone numbers, mail addresses and codes.

Each fact keeps its words and all its readings, as a person's "4:30" is 04:30 or 16:30 and "Sunday" one of several days.
Each fact keeps its words and all its readings: a "4:30" of people is 04:30 or 16:30, "Sunday" one of several days.
is the scorer's own: it shares nothing with the one that the assistant understands times with, so that a fault of that
one is seen.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

# Words of days, months and numbers, and phrases of answers, from `stated.toml`.

_READ: dict[str, Any] = tomllib.loads((files("camphor_lab.evaluation") / "stated.toml").read_text(encoding="utf-8"))
WEEKDAYS: dict[str, int] = _READ["weekdays"]
MONTHS: dict[str, int] = _READ["months"]
NUMBERS: dict[str, int] = _READ["numbers"]
UNITS: dict[str, list[str]] = _READ["units"]


def _any(name: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in _READ["phrases"][name]), re.IGNORECASE)


ABSTAINS, DENIES, AFFIRMS, NEGATES = _any("abstains"), _any("denies"), _any("affirms"), _any("negates")
"""Whether an answer says that it does not know, that something is not there, yes, or not; over plain text."""


Kind = Literal["clock", "day", "number", "phone", "mail", "code"]
Reading = tuple[str, float | str, int, int]
"""`("clock", minutes of the day, 0, 0)`, `("day", year, month, day)` with 0 for what is left open, `("number", value,
decimals, 0)`, `("phone", digits, 0, 0)`, `("mail", address, 0, 0)`, `("code", folded, 0, 0)`."""

WINDOW = 14  # days before and after now that a bare weekday may mean


@dataclass(frozen=True)
class StatedFact:
    """A stated fact: its words as folded, and what they may mean. A `weak` one ("one") is read but claims nothing."""

    kind: Kind
    text: str
    readings: frozenset[Reading]
    weak: bool = False


def agree(first: StatedFact, second: StatedFact) -> bool:
    """Whether two facts may mean the same."""
    return any(_same(one, other) for one in first.readings for other in second.readings)


def _same(one: Reading, other: Reading) -> bool:
    if one[0] != other[0]:
        return False
    if one[0] == "day":
        return all(not a or not b or a == b for a, b in zip(one[1:], other[1:], strict=True))
    if one[0] == "number":
        decimals = min(one[2], other[2])
        first, second = float(one[1]), float(other[1])
        return first == second or (decimals > 0 and abs(first - second) <= 0.5 * 10**-decimals + 1e-9)
    if one[0] == "phone":
        first_digits, second_digits = str(one[1]), str(other[1])
        short, long = sorted((first_digits.lstrip("0"), second_digits.lstrip("0")), key=len)
        return first_digits == second_digits or (len(short) >= 7 and long.endswith(short))
    return one == other


def plain(text: str) -> str:
    """Lower case, no accents, straight quotes and dashes, single spaces: what the patterns read."""
    text = unicodedata.normalize("NFKD", text).translate(_STRAIGHT)
    text = "".join(character for character in text if not unicodedata.combining(character))
    return re.sub(r"[ \t]+", " ", text.casefold())


_STRAIGHT = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "\u202f": " ", "\u00a0": " "}
)


@lru_cache(maxsize=16384)
def facts_of(text: str, now: datetime | None = None) -> tuple[StatedFact, ...]:
    """All facts of a text, in the order of the patterns; what one pattern took no later one reads.

    Args:
        now: the device's clock, from which "tomorrow" and "Sunday" count; without it they are read as no day.
    """
    left, found = plain(text), []
    left = _LIST_MARK.sub(lambda m: " " * len(m[0]), left)
    for pattern, read in _PATTERNS:
        pieces, at = [], 0
        for m in pattern.finditer(left):
            fact = read(m, now)
            if fact is not None:
                found.append(fact)
                pieces += [left[at : m.start()], "\x00" * len(m[0])]
                at = m.end()
        left = "".join((*pieces, left[at:]))
    return tuple(found)


_LIST_MARK = re.compile(r"(?m)^\s*\d{1,2}[.)] (?=\D)")
Read = Callable[[re.Match[str], "datetime | None"], "StatedFact | None"]


def _fact(
    kind: Kind, m: re.Match[str], readings: Iterator[Reading] | set[Reading], weak: bool = False
) -> StatedFact | None:
    made = frozenset(readings)
    return StatedFact(kind, m[0].strip(), made, weak) if made else None


# ---- addresses and codes ---------------------------------------------------------------------------------------------


def _mail(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    return _fact("mail", m, {("mail", m[0].rstrip("."), 0, 0)})


def _phone(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    digits = re.sub(r"\D", "", m[0])
    if not 7 <= len(digits) <= 15 or (m[0][0] != "+" and not re.search(r"[ ()./-]", m[0]) and len(digits) < 9):
        return None
    return _fact("phone", m, {("phone", digits.removeprefix("00"), 0, 0)})


def _code(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    """EI123, D02; R175 is an amount too."""
    amount = re.fullmatch(r"[a-z]{1,3}(\d+(?:[.,]\d+)*)", m[0])
    read = _number(amount[1]) if amount else None
    return _fact("code", m, {("code", m[0], 0, 0), *([read] if read else [])})


# ---- days ------------------------------------------------------------------------------------------------------------


def _day(year: int, month: int, day: int) -> set[Reading]:
    return {("day", year, month, day)} if 0 <= month <= 12 and 1 <= day <= 31 else set()


def _dates(days: Iterator[date] | set[date]) -> set[Reading]:
    return {("day", each.year, each.month, each.day) for each in days}


def _moment(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    """An ISO date, with its hour where it has one: a fact of both."""
    readings = _day(int(m[1]), int(m[2]), int(m[3]))
    return _fact("day", m, readings)


def _numeric(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    """19/04/2026, 4/19/26, 19.4.2026: both orders, as people of both habits write."""
    one, two, year = int(m[1]), int(m[2]), int(m[3])
    year += 2000 if year < 100 else 0
    return _fact("day", m, _day(year, two, one) | _day(year, one, two))


def _short(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    """8/6: a day in either order, or a fraction, so that nothing is claimed by it."""
    one, two = int(m[1]), int(m[2])
    return _fact("day", m, _day(0, two, one) | _day(0, one, two), weak=True)


def _named(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    """Sun 19th of April 2026, April 19: the weekday is part of it."""
    part = m.groupdict()
    month = MONTHS[part["m"].rstrip(".")]
    days = [part["d"], *([part["to"]] if part.get("to") else [])]
    return _fact("day", m, {reading for day in days for reading in _day(int(part["y"] or 0), month, int(day))})


def _listed(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    """The 3 of "3, 10 and 12 December"."""
    return _fact("day", m, _day(0, MONTHS[m["m"].rstrip(".")], int(m["d"])))


def _of_year(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    """September 1976."""
    return _fact("day", m, {("day", int(m["y"]), MONTHS[m["m"]], 0)})


def _relative(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    if now is None:
        return None
    shift = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "last night": -1}.get(m[0])
    if shift is None:
        shift = 2 if "tomorrow" in m[0] else -2 if "yesterday" in m[0] else 0
    return _fact("day", m, _dates({now.date() + timedelta(days=shift)}))


def _counted(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    """In 3 days, two weeks ago."""
    number = NUMBERS.get(m["n"], int(m["n"]) if m["n"].isdigit() else 1)
    if now is None or number > 800:
        return None
    days = number * (7 if m["unit"].startswith("week") else 1) * (-1 if m[0].endswith("ago") else 1)
    return _fact("day", m, _dates({now.date() + timedelta(days=days)}))


def _weekday(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    if now is None:
        return None
    wanted = WEEKDAYS[m["w"]]
    days = (now.date() + timedelta(days=shift) for shift in range(-WINDOW, WINDOW + 1))
    weak = len(m["w"]) < len("monday")  # "sun" and "sat" are other words too
    return _fact("day", m, _dates({each for each in days if each.weekday() == wanted}), weak)


def _ordinal(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    """The 14th, of some month."""
    return _fact("day", m, _day(0, 0, int(m[1])))


# ---- clocks ----------------------------------------------------------------------------------------------------------


def _clock(hour: int, minute: int, half: str, open_: bool) -> set[Reading]:
    """`half` is "am", "pm" or ""; `open_`: without it the hour may be of either half of the day."""
    if hour > 24 or minute > 59:
        return set()
    if half and hour <= 12:
        hours = {hour % 12 + (12 if half == "pm" else 0)}
    else:
        hours = {hour % 12, hour % 12 + 12} if open_ and 1 <= hour <= 12 else {hour % 24}
    return {("clock", float(60 * each + minute), 0, 0) for each in hours}


def _half(m: re.Match[str]) -> str:
    """am or pm, said so or by a part of the day."""
    part = m.groupdict()
    if mark := part.get("ap"):
        return mark[0] + "m"
    said = part.get("part") or ""
    return "am" if "morning" in said else "pm" if said else ""


def _written(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    half = _half(m)
    if m["sep"] == "." and not (half or m["at"] or m["h"][0] == "0"):
        return None
    readings = _clock(int(m["h"]), int(m["min"]), half, open_=len(m["h"]) == 1)
    price = _number(f"{m['h']}.{m['min']}") if m["sep"] == "." and not half else None  # "at 9.50"
    return _fact("clock", m, {*readings, *([price] if price else [])})


def _hour(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    """7 pm, seven o'clock, at 7: a bare hour may be a number too."""
    hour = NUMBERS.get(m["h"], int(m["h"]) if m["h"].isdigit() else 99)
    half, named = _half(m), m.groupdict().get("oclock") or m.groupdict().get("ap")
    readings = _clock(hour, 0, half, open_=len(m["h"]) == 1 or not m["h"].isdigit() or hour <= 12)
    bare = set() if half or named or hour == 99 else {("number", float(hour), 0, 0)}
    return _fact("clock", m, readings | bare, weak=not half and not named and not m["h"].isdigit())


def _spoken(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    """Half past four, a quarter to 5, ten past six, half ten."""
    minutes = {"half": 30, "quarter": 15}.get(m["n"]) or NUMBERS.get(m["n"]) or int(m["n"])
    hour = NUMBERS.get(m["h"], int(m["h"]) if m["h"].isdigit() else 99)
    if m["way"] and m["way"].strip() in ("to", "before"):
        hour, minutes = (hour - 1) or 12, 60 - minutes
    return _fact("clock", m, _clock(hour, minutes, _half(m), open_=True))


def _noon(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    return _fact("clock", m, {("clock", 0.0 if "night" in m[0] else 720.0, 0, 0)}, weak=bool(m[1]))


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _figure(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    read = _number(m[0])
    return None if read is None else _fact("number", m, {read})


def _number(text: str) -> Reading | None:
    """1,384, 1 384, 1384, 1,80,000, 5.6, 5,6, -3: with its decimals, up to which roundings agree."""
    if re.fullmatch(r"-?\d{1,3}(?:[, ']\d{3})+(?:\.\d+)?|-?\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?", text):
        text = re.sub(r"[, ']", "", text)
    elif re.fullmatch(r"-?\d{1,3}(?:\.\d{3})+,\d{1,2}", text):
        text = text.replace(".", "").replace(",", ".")
    text = text.replace(",", ".")
    if text.count(".") > 1:
        return None
    return ("number", float(text), len(text.partition(".")[2]), 0)


def _number_word(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    value = sum(NUMBERS[each] for each in re.split(r"[ -]", m[0]))
    return _fact("number", m, {("number", float(value), 0, 0)}, weak=value == 1)


def _alternatives(words: dict[str, int]) -> str:
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


_W, _M, _N = _alternatives(WEEKDAYS), _alternatives(MONTHS), _alternatives(NUMBERS)
_HOURS = _alternatives({word: value for word, value in NUMBERS.items() if 1 <= value <= 12})
_TENS = _alternatives({word: value for word, value in NUMBERS.items() if value >= 20})
_AP = r"(?:\s?(?P<ap>[ap]\.?m\b\.?))?"
_PART = r"(?:,? (?:in the |this |at )?(?P<part>morning|afternoon|evening|night|tonight)\b)?"
_YEAR = r"(?:,? (?:of )?(?P<y>(?:19|20)\d\d)\b(?!:))?"
_AND = r"(?:, and |, | and | or | to | ?- ?)"
_WEEKDAY_BEFORE = rf"(?:\b{_W}\b\.?,? (?:the )?)?"
_PATTERNS: tuple[tuple[re.Pattern[str], Read], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", _mail),
        (r"https?://\S+", lambda m, now: StatedFact("code", m[0], frozenset({("code", m[0], 0, 0)}), weak=True)),
        (r"\b(\d{4})-(\d\d)-(\d\d)(?=\b|t\d\d:)", _moment),
        (r"\b(\d{1,2})[/.-](\d{1,2})[/.-]((?:19|20)?\d\d)\b", _numeric),
        (r"(?<![/\d])(\d{1,2})/(\d{1,2})(?![/\d])", _short),
        (rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?=(?:{_AND}(?:{_W} )?\d{{1,2}}(?:st|nd|rd|th)?)+ (?:of )?(?P<m>{_M})\b)",
         _listed),
        (rf"{_WEEKDAY_BEFORE}\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\.? (?:of )?(?P<m>{_M})\b\.?{_YEAR}", _named),
        (rf"{_WEEKDAY_BEFORE}\b(?P<m>{_M})\.? (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.,]\d)"
         rf"(?:{_AND}(?P<to>\d{{1,2}})\b(?![:.]\d))?{_YEAR}", _named),
        (rf"\b(?P<m>{_M}) (?P<y>(?:19|20)\d\d)\b", _of_year),
        (r"(?<![\w.])t?(?P<at>)(?P<h>\d{1,2})(?P<sep>:)(?P<min>\d\d)(?::\d\d)?(?!\d)" + _AP + _PART, _written),
        (r"\b(?P<at>at |@ ?|by |from |until |till )?(?P<h>\d{1,2})(?P<sep>[.h])(?P<min>[0-5]\d)(?![\d%])" + _AP,
         _written),
        (r"(?<![\w.])\+?\(?\d[\d ()./-]{5,}\d\b", _phone),
        (r"\bday after tomorrow|\bday before yesterday|\blast night\b|\bthis (?:morning|afternoon|evening)\b"
         r"|\btoday\b|\btonight\b|\btomorrow\b|\byesterday\b", _relative),
        (rf"\bin (?P<n>\d+|an?|{_N}) (?P<unit>days?|weeks?)\b", _counted),
        (rf"\b(?P<n>\d+|an?|{_N}) (?P<unit>days?|weeks?) ago\b", _counted),
        (rf"\b(?:next |last |this |coming |on )?(?P<w>{_W})s?\b(?!')", _weekday),
        (r"\b(?P<h>1[0-2]|[1-9])(?= ?(?:-|to|till|until) ?(?:1[0-2]|[1-9])(?:[:.]\d\d)? ?[ap]\.?m\b)" + _PART, _hour),
        (rf"\b(?P<n>half|quarter|5|10|20|25|\d{{1,2}}(?= minutes)|{_N})(?: minutes?)?"
         rf"(?P<way> (?:past|to|after|before) | (?={_HOURS}\b))"
         rf"(?P<h>1[0-2]|[1-9]|{_HOURS})\b(?!:)" + _AP + _PART, lambda m, now: _half_or_past(m, now)),
        (rf"\b(?P<h>1[0-2]|0?[1-9]|{_HOURS})"
         r"(?: ?(?P<oclock>o'? ?clock)|(?=\s?[ap]\.?m\b)|(?= in the (?:morn|aft|even)))" + _AP + _PART, _hour),
        (rf"(?:(?<=\bat )|(?<=\bby )|(?<=\buntil )|(?<=\btill )|(?<=\bfrom )|(?<=\bafter )|(?<=\bbefore ))"
         rf"(?P<h>1\d|2[0-3]|[1-9]|{_HOURS})\b(?![.,:]?\d|%| ?\w*(?:km|eur|dollar|minute|hour|percent|degree))" + _PART,
         _hour),
        (r"\b(after |before |around |about )?(?:noon|midday|midnight)\b", _noon),
        (r"\b(\d{1,2})(?:st|nd|rd|th)\b", _ordinal),
        (r"\b[a-z]+[\w-]*\d[\w-]*", _code),
        (r"(?:(?<=^)|(?<=[\s(:$€£]))-(?=\d)\d+(?:[.,]\d+)*|\d{1,3}(?:[, ']\d{3})+(?:\.\d+)?(?!\d)|\d+(?:[.,]\d+)*",
         _figure),
        (rf"\b(?:{_TENS}[ -])?{_N}\b", _number_word),
    )
)  # fmt: skip


def _half_or_past(m: re.Match[str], now: datetime | None) -> StatedFact | None:
    """Without "past" and the like only "half ten" is a time."""
    return None if not m["way"].strip() and m["n"] != "half" else _spoken(m, now)
