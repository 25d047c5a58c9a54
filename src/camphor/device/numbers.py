"""Numbers and lengths of time that a text says, in digits or in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
