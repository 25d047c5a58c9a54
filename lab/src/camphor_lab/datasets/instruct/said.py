"""What a query says that values can be computed from: numbers, digits and lengths, in digits or in words; clocks, days,
moments and weekdays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import cached_property

from camphor.device.text import words
from camphor.device.when import WhenError, parse_range, parse_time
from camphor.device.when.clocks import Clock, clocks_at
from camphor.device.when.fragments import Fragment, TimeKind, fragments
from camphor.device.when.lexicon import MONTHS, WEEKDAYS, canonical

_UNIT_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TEN_WORDS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNITS = {word: value for value, word in enumerate(_UNIT_WORDS)}
_TENS = {word: 10 * value for value, word in enumerate(_TEN_WORDS, 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
_TIMES = {"once": 1, "twice": 2, "thrice": 3, "double": 2, "triple": 3, "couple": 2, "pair": 2, "both": 2, "half": 0.5}
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12, "twentieth": 20,
    "thirtieth": 30,
}  # fmt: skip
_TOKEN = re.compile(
    r"\d{1,3}(?:[,\u00a0 ]\d{3})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)?(?:st|nd|rd|th)?(?![\d])|[^\W\d_]+|[^\s\w]"
)
_SUFFIX = {"k": 1000, "mio": 1_000_000, "bn": 1_000_000_000}

_SECONDS = {
    "ms": 0.001, "millisecond": 0.001, "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600,
    "hr": 3600, "hour": 3600, "d": 86400, "day": 86400, "week": 604800, "wk": 604800, "fortnight": 1209600,
}  # fmt: skip
_UNIT = "|".join(sorted(_SECONDS, key=len, reverse=True))
_LENGTH = re.compile(
    r"(?<![\w.:])(?:(?P<count>\d+(?:\.\d+)?(?=[ -]?)|(?:an?|another|couple of)(?=[ -]))[ -]?)?"
    r"(?P<part>half(?: of)?(?: an?)? |3 quarters? of an? |(?:a )?quarter of an? |quarter )?(?P<half>and a half )?"
    rf"(?P<unit>{_UNIT})s?(?![^\W\d_])(?P<more> and a half| and a quarter)?",
)
_ISO_LENGTH = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", re.IGNORECASE)
_CLOCK_LENGTH = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d))?")


def _runs(text: str) -> Iterator[float | str]:
    """The tokens of a text, numbers of one or more words as numbers."""
    tokens = [token for token in _TOKEN.findall(text.casefold().replace("-", " ")) if token.strip()]
    place = 0
    while place < len(tokens):
        value, end = _number(tokens, place)
        if value is None:
            yield tokens[place]
            place += 1
        else:
            yield value
            place = end


def _number(tokens: list[str], place: int) -> tuple[float | None, int]:
    """The number that begins at a token, and where it ends."""
    token = tokens[place]
    if token[0].isdigit():
        value = float(re.sub(r"[,\u00a0 ]|(?:st|nd|rd|th)$", "", token))
        after = tokens[place + 1] if place + 1 < len(tokens) else ""
        scale = _SCALES.get(after) or (_SUFFIX.get(after))
        return (value * scale, place + 2) if scale else (value, place + 1)
    whole = part = 0.0
    begun = False
    while place < len(tokens):
        token = tokens[place]
        if token in _TENS and part % 100 == 0:
            part += _TENS[token]
        elif token in _UNITS and (part % 100 == 0 or (part % 100 >= 20 and part % 10 == 0 and 0 < _UNITS[token] < 10)):
            if begun and part % 100 == 0 and part == 0:
                break  # "five five": two numbers
            part += _UNITS[token]
        elif token in ("hundred", "dozen") and (begun or tokens[max(0, place - 1)] == "a"):
            part = (part or 1) * _SCALES[token]
        elif token in ("thousand", "million", "billion") and (begun or tokens[max(0, place - 1)] == "a"):
            whole, part = whole + (part or 1) * _SCALES[token], 0.0
        elif token == "and" and begun and (part >= 100 or whole) and _follows(tokens, place):
            pass
        else:
            break
        begun, place = True, place + 1
    if begun and place + 1 < len(tokens) and tokens[place] == "point" and tokens[place + 1] in _UNITS:
        return whole + part + _UNITS[tokens[place + 1]] / 10, place + 2
    return (whole + part, place) if begun else (None, place)


def _follows(tokens: list[str], place: int) -> bool:
    return place + 1 < len(tokens) and (tokens[place + 1] in _UNITS or tokens[place + 1] in _TENS)


def in_digits(text: str) -> str:
    """A text in lower case with its numbers in digits: "Twenty-five minutes" -> "25 minutes"."""
    parts = []
    for token in _runs(text):
        parts.append(token if isinstance(token, str) else f"{token:g}" if token < 1e6 else str(int(token)))
    return " ".join(parts)


def numbers_in(text: str) -> set[float]:
    """Every number that a text says: digits, words, ordinals, "twice", "a dozen", 5k, and the parts of 7:30."""
    found: set[float] = set()
    for token in _runs(text):
        if not isinstance(token, str):
            found.add(token)
        elif (said := _TIMES.get(token, _ORDINALS.get(token))) is not None:
            found.add(said)
        elif token.endswith("th") and token[:-2] in _UNITS | _TENS:
            found.add((_UNITS | _TENS)[token[:-2]])
    found.update(float(digits) for digits in re.findall(r"\d{1,15}(?:\.\d{1,9})?", text))
    for digits, suffix in re.findall(r"(\d+(?:\.\d+)?)\s?(k|mio|bn)\b", text.casefold()):
        found.add(float(digits) * _SUFFIX[suffix])
    return found | {-value for value in found if re.search(r"(?:\bminus |(?<!\S)-(?=\d))", text.casefold())}


def lengths_in(text: str) -> set[float]:
    """Every length of time that a text says, in seconds: each part and sums of parts that stand together."""
    said = re.sub(r"\ba couple of\b", "couple of", in_digits(re.sub(r"(?<=\d)(?=[^\W\d_])", " ", text)))
    found: set[float] = set()
    total, end = 0.0, -1
    for match in _LENGTH.finditer(said):
        seconds = _seconds(match)
        if seconds is None:
            continue
        between = said[end : match.start()] if end >= 0 else "x"
        total = total + seconds if re.fullmatch(r"[\s,]*(?:and )?\s*", between) else seconds
        end = match.end()
        found |= {seconds, total}
        rest = re.match(r" (?:and )?(\d{1,2})(?= |$)(?! \w*(?:sec|min|hour|day|am|pm))", said[end:])
        if rest and match["unit"] in ("h", "hr", "hour"):
            found.add(total + 60 * int(rest[1]))
    return found


def _seconds(match: re.Match[str]) -> float | None:
    said, unit, part = match["count"], match["unit"], match["part"] or ""
    if said is None and not part and not match["more"] and unit not in ("hour", "minute", "day", "week", "fortnight"):
        return None
    count = 2.0 if said == "couple of" else 1.0 if said in (None, "a", "an", "another") else float(said)
    if part:
        count = 0.75 if part.startswith("3") else 0.25 if "quarter" in part else 0.5 * count
    count += 0.5 if match["half"] or (match["more"] or "").endswith("half") else 0.0
    count += 0.25 if (match["more"] or "").endswith("quarter") else 0.0
    return count * _SECONDS[unit]


def length_of(text: str) -> float | None:
    """The one length, in seconds, that a value is ("1 hours 30 minutes", "PT1H30M", "90s"); None where it is none."""
    value = text.strip()
    if (found := _ISO_LENGTH.fullmatch(value)) and any(found.groups()):
        sizes = (604800, 86400, 3600, 60, 1)
        return float(sum(int(count or 0) * size for count, size in zip(found.groups(), sizes, strict=True)))
    said = in_digits(re.sub(r"(?<=\d)(?=[^\W\d_])", " ", value))
    matches = list(_LENGTH.finditer(said))
    if not matches or re.sub(r"[\s,]|and", "", _LENGTH.sub("", said)):
        return None
    parts = [_seconds(match) for match in matches]
    return sum(part for part in parts if part is not None) if None not in parts else None


def clock_length(text: str) -> float | None:
    """ "1:30:00" or "25:00" as seconds, read as hours first where three parts stand, else as minutes."""
    found = _CLOCK_LENGTH.fullmatch(text.strip())
    if not found:
        return None
    first, second, third = int(found[1]), int(found[2]), found[3]
    return float(first * 3600 + second * 60 + int(third)) if third else float(first * 60 + second)


def digits_in(text: str) -> str:
    """All digits of a text in a row, spoken ones among them: "double five 0 one" -> "5501"."""
    tokens = re.findall(r"\d+|[^\W\d_]+", text.casefold())
    row: list[str] = []
    times = 1
    for token in tokens:
        if token in ("double", "triple"):
            times = {"double": 2, "triple": 3}[token]
            continue
        if token.isdigit():
            row.append(token * times)
        elif token in ("oh", "o") or (token in _UNITS and _UNITS[token] < 10):
            row.append(str(_UNITS.get(token, 0)) * times)
        times = 1
    return "".join(row)


_ALL_WEEK = re.compile(r"\b(?:every ?day|each day|daily|all week|7 days|seven days|every (?:morning|night|evening))\b")
_ALL_BUT = re.compile(r"\b(?:except|but|apart from|other than)\b")
_RANGE = re.compile(rf"({'|'.join(WEEKDAYS)}) (?:to|through|thru|until|-) ({'|'.join(WEEKDAYS)})")
_WORKING = re.compile(r"\b(?:week ?days?|work(?:ing)? ?days?|business days?|school days?)\b")
_MORNING, _LATER = frozenset(("morning",)), frozenset(("afternoon", "evening", "night", "tonight"))
# Two clocks for a query without one: what comes out the same by both does not depend on it.
_ANY = (datetime(2024, 2, 5, 10, 30), datetime(2026, 11, 19, 16, 10))
_MOST_CHARACTERS = 2000


class SaidInQuery:
    """What a query says, found when it is first asked for.

    Args:
        query: in a person's words. now: the clock that it counts from; where it is None, words such as "tomorrow" say
            no date.
    """

    def __init__(self, query: str, now: datetime | None = None) -> None:
        self.query, self.now = query[:_MOST_CHARACTERS], now

    @cached_property
    def folded(self) -> str:
        return self.query.casefold().replace("’", "'")

    @cached_property
    def words(self) -> tuple[str, ...]:
        return words(self.query)

    @cached_property
    def numbers(self) -> set[float]:
        return numbers_in(self.query)

    def between(self, value: float) -> bool:
        """Whether a whole number lies in a range that is said: 36 in "verses 35 to 39"."""
        ends = re.findall(r"(\d{1,6})\s*(?:-|–|to|through|thru|until)\s*(\d{1,6})(?![\d:])", in_digits(self.query))
        return value.is_integer() and any(int(first) <= value <= int(last) for first, last in ends)

    @cached_property
    def digits(self) -> str:
        return digits_in(self.query)

    @cached_property
    def lengths(self) -> set[float]:
        return lengths_in(self.query)

    @cached_property
    def clocks(self) -> set[tuple[int, int]]:
        """Hours and minutes of every time of day that is said; both halves of the day where it does not say which."""
        plain = canonical(self.query)
        parts = set(plain.split())
        found: set[tuple[int, int]] = set()
        for clock in _clocks(plain):
            hours = {clock.hour}
            if clock.open_:
                early, late = clock.hour % 12, clock.hour % 12 + 12
                hours = {early, late}
                if parts & _MORNING and not parts & _LATER:
                    hours = {early}
                elif parts & _LATER and not parts & _MORNING:
                    # 1 at night is after midnight
                    hours = {late} | ({early} if early < 5 and parts & {"night", "tonight"} else set())
            found.update((hour % 24, clock.minute) for hour in hours)
        found.update((moment.hour, moment.minute) for moment in self._counted)
        return found

    @property
    def names_an_hour(self) -> bool:
        """Whether a time of day is said in words that can mean nothing else."""
        return bool(self._pieces(TimeKind.MOMENT, TimeKind.CLOCK))

    @cached_property
    def marked_hours(self) -> set[int]:
        """Hours as they are said beside am or pm: 7 of "7 pm", which is no hour of the day by itself."""
        found = re.findall(r"\b(\d{1,2})(?: [0-5]\d|[:.][0-5]\d)? (?:am|pm)\b", canonical(self.query))
        return {int(hour) for hour in found}

    @cached_property
    def weekdays(self) -> set[int]:
        """Weekdays from 0 for Monday, named alone, in ranges or all together."""
        plain, folded = canonical(self.query), " ".join(self.folded.split())
        named = {WEEKDAYS.index(word) for word in plain.split() if word in WEEKDAYS}
        for first, last in _RANGE.findall(plain.replace(" - ", "-").replace("-", " - ")):
            start, end = WEEKDAYS.index(first), WEEKDAYS.index(last)
            named.update((start + step) % 7 for step in range((end - start) % 7 + 1))
        if _WORKING.search(folded):
            return named | set(range(5))
        if "weekend" in plain and not _ALL_BUT.search(folded):
            named |= {5, 6}
        if _ALL_WEEK.search(folded):
            return set(range(7)) - named if _ALL_BUT.search(folded) else set(range(7))
        return named | {day.weekday() for day in self.days if self.now}

    @cached_property
    def days(self) -> set[date]:
        """Every date that is said, the first and last of a stretch; of a bare clock the day that it falls on."""
        if self.now:
            return _days(self.query, self.now)
        return _days(self.query, _ANY[0]) & _days(self.query, _ANY[1])

    @cached_property
    def moments(self) -> set[datetime]:
        """Every date with a time of day that is said, with the ends of what lasts a while."""
        found = set(self._counted)
        for piece in self._pieces(TimeKind.MOMENT, TimeKind.CLOCK):
            if moment := self._moment(piece):
                found.add(moment)
        days = self.days or ({self.now.date(), self.now.date() + timedelta(1)} if self.now else set())
        found.update(datetime.combine(day, time(*clock)) for day in days for clock in self.clocks)
        lasting = [timedelta(seconds=seconds) for seconds in self.lengths if seconds < 1e9]
        return found | {moment + length for moment in found for length in lasting}

    def source_of(self, moment: datetime) -> str:
        """The words of the query that say a moment; "" where it takes several pieces of it."""
        exact = [
            piece
            for piece in self._pieces(TimeKind.MOMENT, TimeKind.CLOCK, TimeKind.DAY)
            if self._moment(piece) == moment
        ]
        return max(exact, key=len, default="")

    @cached_property
    def _counted(self) -> set[datetime]:
        """Now and so long: "in 20 minutes"."""
        if not self.now:
            return set()
        found = {
            self._moment(piece) for piece in self._pieces(TimeKind.MOMENT) if re.search(r"\b(?:in|from now)\b", piece)
        }
        return {moment for moment in found if moment}

    def _pieces(self, *kinds: TimeKind) -> list[str]:
        known = _whole(self.query, self.now or _ANY[0])
        return list(dict.fromkeys(each.text for each in known if each.kind in kinds))

    def _moment(self, piece: str) -> datetime | None:
        try:
            return parse_time(piece, self.now) if self.now else None
        except WhenError:
            return None


def _clocks(plain: str) -> Iterator[Clock]:
    """The longest clock at each place of a canonical text; the 4 of "4 July" is none."""
    place, before = 0, ""
    for token in re.finditer(r"\S+", plain):
        if token.start() < place:
            continue
        readings = list(clocks_at(plain, token.start()))
        if readings:
            end = max(end for end, _ in readings)
            bare = end == token.end() and token[0].isdigit()
            after = plain[end:].split(maxsplit=1)[:1]
            if not (bare and (before in MONTHS or (after and after[0] in MONTHS))):
                place = end
                yield next(clock for last, clock in readings if last == end)
        before = token[0]


def _whole(query: str, now: datetime) -> list[Fragment]:
    """The pieces of time in a query that are no part of a longer one that can be understood.

    The 4 of "4 July" is no hour; "from 3 May 2013 to 7 January 2006" is no stretch of time, but two days.
    """
    kept: list[Fragment] = []
    taken: list[tuple[int, int]] = []
    for piece in sorted(fragments(query, now), key=lambda each: -len(each.text)):
        start, end = piece.start, piece.start + len(piece.text)
        if any(first <= start and end <= last and (first, last) != (start, end) for first, last in taken):
            continue
        kept.append(piece)
        if piece.kind in (TimeKind.LENGTH, TimeKind.SHIFT) or _days_of(piece, now):
            taken.append((start, end))
    return kept


def _days(query: str, now: datetime) -> set[date]:
    pieces = (piece for piece in _whole(query, now) if piece.kind not in (TimeKind.LENGTH, TimeKind.SHIFT))
    return {day for piece in pieces for day in _days_of(piece, now)}


def _days_of(piece: Fragment, now: datetime) -> set[date]:
    """The date of a piece of time, the first and last of a stretch; none where it is not understood."""
    found: set[date] = set()
    try:
        if piece.kind is not TimeKind.SPAN:
            found.add(parse_time(piece.text, now).date())
        if piece.kind in (TimeKind.SPAN, TimeKind.DAY):
            first, _, last = parse_range(piece.text, now).partition("/")
            found |= {datetime.fromisoformat(end).date() for end in (first, last or first)}
    except (WhenError, ValueError):
        return found
    return found
