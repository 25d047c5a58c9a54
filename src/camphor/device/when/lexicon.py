"""Words of time: from text as people write, type and dictate it to one plain spelling.

`canonical` lower-cases, drops accents and articles, mends common misspellings and turns number words into digits, so
that the grammar (`clocks`, `days`, `phrases`) has one form to read: "Tmrw at half past five, please" becomes
"tomorrow at half past 5".
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAY = "(?:" + "|".join(WEEKDAYS) + ")"
MONTH = "(?:" + "|".join(MONTHS) + ")"

_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
_NUMBERS = {word: value for value, word in enumerate(_UNITS)} | _TENS | {"tweny": 20, "fiveteen": 15, "elevn": 11}
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
    "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip

_SPELLINGS = {
    "tomorrow": "tmrw tmr tmrrw tmro tmrow tmorrow tomo tomoz tomorow tommorow tommorrow tomorro tomorrw tomorrows"
    " 2moro 2morrow 2morow 2mrw 2mrow 2mro tmw tomoro morrow tom",
    "today": "2day tday todays",
    "tonight": "tonite tnite 2nite 2night 2nyt 2nyte tonyt tn tonights tonigth",
    "yesterday": "yday ysterday yesterdays",
    "monday": "mon mondays", "tuesday": "tue tues tuesdays",
    "wednesday": "wed weds wensday wednsday wendsday wednesdays",
    "thursday": "thu thur thurs thrus thursdays", "friday": "fri fridays", "saturday": "sat saturdays",
    "sunday": "sun sundays sundy",
    "january": "jan", "february": "feb febuary", "march": "mar", "april": "apr", "june": "jun", "july": "jul",
    "august": "aug", "september": "sep sept", "october": "oct", "november": "nov", "december": "dec",
    "morning": "mornin morn mornings", "afternoon": "arvo aft afternoons avo",
    "evening": "evenin evenings evng", "night": "nite nyt nights nighttime",
    "noon": "midday noontime noonish", "midnight": "midnite",
    "minute": "minutes min mins minuts minits minit", "hour": "hours hr hrs hourse", "day": "days",
    "week": "weeks wk wks", "weekend": "wkend wknd weekends", "month": "months mth mths", "year": "years yr yrs",
    "fortnight": "fortnights",
    "oclock": "clock o'clock oclok", "quarter": "quater qtr quarters", "half": "hlf haf",
    "next": "nxt nex", "before": "b4 befor bfore afore", "after": "aftr", "around": "approximately circa",
    "a": "an", "past": "gone", "to": "till til", "and": "n", "pm": "p.m. p.m", "am": "a.m. a.m",
    "coming": "upcoming", "last": "previous prev", "now": "rightnow immediately",
    "lunchtime": "lunch", "later": "hence", "at": "@",
}  # fmt: skip
_SPELLING = {short: word for word, shorts in _SPELLINGS.items() for short in shorts.split()}
_DROPPED_WORDS = "the please pls plz sharp exactly precisely ish prompt around about approx roughly maybe time"
_DROPPED = frozenset(_DROPPED_WORDS.split())
_LONG_WORDS = (*WEEKDAYS, "tomorrow", "tonight", "yesterday", "morning", "afternoon", "evening", "midnight", "minute",
               "january", "february", "august", "september", "october", "november", "december", "quarter",
               "fortnight", "weekend")  # fmt: skip

_TOKEN = re.compile(
    r"\d{4}-\d\d?-\d\d?"  # ISO
    r"|\d{1,2}/\d{1,2}/\d{2,4}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}/\d{1,2}"
    r"|\d{1,2}\.\d{1,2}\.(?:\d{4}|\d\d)?"
    r"|\d{1,2}-\d{1,2}-\d{4}"
    r"|\d{1,2}[:.]\d\d(?::\d\d)?"
    r"|\d+\.\d+"
    r"|\d+(?:st|nd|rd|th)\b"
    r"|2(?:day|moro|morr?ow|mro?w|mro|nite|night|nyte?)\b"
    r"|b4\b"
    r"|\d+"
    r"|[ap]\.m\b\.?"
    r"|o'? ?clock"
    r"|[a-z]+(?:'[a-z]+)*"
    r"|[^\s]"
)
_SHORT_HALF_DAY = re.compile(r"(?<=\d)([ap])\b(?!\.?m)")
_SPACED_HALF_DAY = re.compile(r"\b([ap])[ .]{1,3}m\b")
_MID_DAY = re.compile(r"\bmid[ -](night|day)\b")
_ISO_T = re.compile(r"(?<=-\d\d)t(?=\d\d:)")
_SILENT = frozenset(",;:.!?()\"'-/…–—")


def fold(text: str) -> str:
    """Lower case, no accents, straight quotes, single spaces, no punctuation at the ends."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    plain = plain.translate({0x2019: "'", 0x2018: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-", 0x2014: "-"})
    return " ".join(plain.casefold().split()).strip(".,;!? ")


def ordinal(number: int) -> str:
    """4 -> "4th"."""
    if 10 <= number % 100 <= 20:
        return f"{number}th"
    return f"{number}" + {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _near(word: str, other: str, limit: int) -> bool:
    """Whether the words are at most `limit` edits apart (a swap of neighbours is one edit)."""
    if abs(len(word) - len(other)) > limit:
        return False
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(word, 1):
        line = [i]
        for j, b in enumerate(other, 1):
            cost = min(row[j] + 1, line[j - 1] + 1, row[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and word[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            line.append(cost)
        before, row = row, line
    return row[-1] <= limit


@lru_cache(maxsize=4096)
def _spelt(word: str) -> str:
    """One word in its plain spelling; a long time word is recognised with a slip or two in it."""
    if word in _SPELLING:
        return _SPELLING[word]
    bare = word.removesuffix("'s").replace("'", "") if "'" in word else word
    if bare in _SPELLING:
        return _SPELLING[bare]
    if bare in MONTHS or bare in WEEKDAYS or bare in _NUMBERS or bare in _ORDINALS or len(bare) < 6:
        return bare
    for known in _LONG_WORDS:
        if bare[0] == known[0] and _near(bare, known, 2 if len(known) > 7 else 1):
            return known
    return bare


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    text = _SPACED_HALF_DAY.sub(r"\1m", _MID_DAY.sub(r"mid\1", _ISO_T.sub(" ", text)))
    for token in _TOKEN.findall(_SHORT_HALF_DAY.sub(r" \1m", text)):
        if token in _SILENT:
            continue
        if token[0] in "ap" and token[1:2] == ".":
            token = token[0] + "m"
        elif token.startswith("o") and token.endswith("clock"):
            token = "oclock"
        else:
            token = _spelt(token)
        if token not in _DROPPED or _keeps_apart(token, tokens):
            tokens.append(token)
    return tokens


def _keeps_apart(token: str, before: list[str]) -> bool:
    """Whether "the" must stay: "at nine the day before" is not "nine days before"."""
    return token == "the" and bool(before) and (before[-1].isdigit() or before[-1] in _NUMBERS)


def _digits(tokens: list[str]) -> list[str]:
    """Number words as digits: "twenty five" -> "25", "seven oh five" -> "7 05", "twenty first" -> "21st"."""
    out: list[str] = []
    i = 0
    while i < len(tokens):
        word, following = tokens[i], tokens[i + 1] if i + 1 < len(tokens) else ""
        i += 1
        if word in _TENS:
            tens = _TENS[word]
            if following in _NUMBERS and 0 < _NUMBERS[following] < 10:
                out.append(str(tens + _NUMBERS[following]))
                i += 1
            elif following in _ORDINALS and _ORDINALS[following] < 10:
                out.append(ordinal(tens + _ORDINALS[following]))
                i += 1
            else:
                out.append(str(tens))
        elif word in _NUMBERS:
            out.append(str(_NUMBERS[word]))
        elif word in _ORDINALS:
            out.append(ordinal(_ORDINALS[word]))
        elif word in ("oh", "o") and out and out[-1].isdigit() and (following in _NUMBERS or following.isdigit()):
            digit = _NUMBERS.get(following, -1) if following in _NUMBERS else int(following)
            out.append(f"{digit:02d}")
            i += 1
        else:
            out.append(word)
    return out


@lru_cache(maxsize=8192)
def canonical(text: str) -> str:
    """The text in the one spelling that the grammar reads: lower case, digits, full words, single spaces."""
    return " ".join(_digits(_tokens(fold(text))))
