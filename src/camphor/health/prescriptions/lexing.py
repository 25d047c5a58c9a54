"""Directions as tokens: numbers, fractions, times of day, words; and figures that nobody can be sure of.

What people are known to misread (a naked point, a trailing zero, letters or marks among digits, a decimal comma) is a
token of its own, `UNSURE`, which no phrase of the grammar admits (ISMP, List of Error-Prone Abbreviations).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from camphor.health.prescriptions.drugs import plain, table

UNSURE, CODE, DATE, PHONE, WORD, MARK = "UNSURE", "CODE", "DATE", "PHONE", "WORD", "MARK"
_KINDS = {"date": DATE, "phone": PHONE, "unsure": UNSURE, "code": CODE, "mark": MARK}
_FRACTIONS = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅛": "1/8"}
_PLAIN = str.maketrans("×–—−‐‑µμ’‘“”\u00a0\r[]\t", "x-----uu''\"\" \n() ")
_PART = r"(?:\d{1,2} 1/2|\d/\d|\d{1,3}(?:\.\d+)?)"
_MASSES = "(?i:mg|mcg|ug|g|gm|ml|iu|units?|u)"
_TOKEN = re.compile(
    rf"""
    (?P<date>(?<![\d/.-])(?:\d{{1,2}}[/.-]\d{{1,2}}[/.-](?:19|20)?\d\d|(?:19|20)\d\d-\d\d-\d\d)(?![\d/-]))
  | (?P<phone>(?<![\w/.-])(?!(?:[01]\d|2[0-3])[0-5]\d[\s,/&]+(?:[01]\d|2[0-3])[0-5]\d\b)
        (?:\+|\(?0)\d[\d ()-]{{6,}}\d(?![\w/]))
  | (?P<scheme>(?<![\w/.-]){_PART}\s?(?P<sep>[-+])\s?{_PART}(?:
        \s?(?P=sep)\s?{_PART}){{1,2}}(?![\w/-]|\.\d|\s?(?:{_MASSES})\s?/))
  | (?P<clock>(?<![\w.:/-])(?:\d{{1,2}}:\d\d(?:\s?(?i:[ap]\.?m)\b\.?|\s?h(?:rs|ours)?\b)?
        |\d{{1,2}}\.[0-5]\d\s?(?i:[ap]\.?m)\b
        |\d{{1,2}}\s?(?i:[ap]\.?m)\b(?:\.(?=\s?[,)a-z]))?|(?:0\d|1\d|2[0-3])[0-5]\d\s?h(?:rs|ours)?\b|\d{{1,2}}h[0-5]\d\b
        |(?<=\bat\s)(?:[01]\d|2[0-3])[0-5]\d(?![\d/.,%]|\s?(?:{_MASSES})\b)))
  | (?P<dotted>(?<![\w.])(?:[A-Za-z]\.){{2,}}[A-Za-z]?(?![A-Za-z])|(?<![\w.])(?:[A-Za-z]\.)+[A-Za-z](?![\w]))
  | (?P<slashed>(?<![\w/])(?:[A-Za-z]/[A-Za-z](?:'d)?(?![\w/])|b/4(?!\w)|w/(?=\s|[a-z])))
  | (?P<vitamin>(?<![\w-])(?:(?i:[bdk])-?(?:1|2|3|6|9|12)|U-?(?:100|200|300|500))(?![\w.,/-]))
  | (?P<unsure>(?<![\w.,])[\w.,/]*\?+[\w.,?/]*|(?<![\w.,])\d+\ ?\.\ \d+(?=\s?(?:{_MASSES})\b)|(?<![\w.,])\d+\ \.\d+
        |(?<![\w.,])[lI|]\.\d+|(?<![\w.])\.\d+|\d+\.0+(?!\d)
        |\d+\.\d*[1-9]0+(?!\d)|\d+\.(?!\d|\s|$|[A-Za-z)])[\w.]*
        |(?<![\w,.])0,\d+|(?<![\w,.])\d+,\d{{1,2}}(?=\s?(?:{_MASSES})\b)
        |(?<![\w])(?=[\dOoIlSBZ]*\d)(?=[\dOoIlSBZ]*[OoISBlZ])[OoIlSBZ]*\d[\dOoIlSBZ]+(?=(?:{_MASSES})?\b)
        |(?<![\w])[OoIlSZ]\d+(?=\s?(?:{_MASSES})\b)|(?<![\w])\d+[OIl](?=(?:[uU]|units?)\b)
        |(?<![\w])[OoIlSBZ]{{1,3}}(?:mg|mcg|ml|g)\b)
  | (?P<thousand>\d+(?:\.\d+)?[kK](?![A-Za-z]))
  | (?P<ordinal>\d+(?:st|nd|rd|th)\b)
  | (?P<pair>\d+(?:\.\d+)?/\d+(?:\.\d+)?(?:/\d+(?:\.\d+)?)*)
  | (?P<number>\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d{{1,3}}(?:\ \d{{3}})+(?=\s?(?:iu|IU|units?)\b)|\d+(?:\.\d+)?)
  | (?P<prefix>(?<![A-Za-z])(?:[qxQX]|(?i:wks?|weeks?|days?))(?=\d))
  | (?P<code>[A-Za-z]+\d\w*)
  | (?P<word>[^\W\d_]+(?:'[^\W\d_]+)*)
  | (?P<mark>\S|\n)
    """,
    re.VERBOSE,
)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
DAYS_OF = {"7": 1, "52": 7, "12": 30}
"""A length as people write it under a stroke: 5/7 is five days, 2/52 two weeks, 3/12 three months."""


@dataclass(frozen=True)
class Token:
    """One token: `text` as written, `key` as the word lists have it, `kind` a terminal or one of those above.

    `value`: what a figure is worth. `tight`: no space stands before it. `capitals`: it is in capitals, or has points,
    in a text that is not all in capitals.
    """

    text: str
    key: str
    kind: str
    value: Any = None
    tight: bool = False
    capitals: bool = False


def tokens(text: str) -> list[Token]:
    """The tokens of a text, in order; line ends are marks."""
    plain = _spelt(text)
    shouted = plain.upper() == plain
    found: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(plain):
        found.append(_token(match, tight=match.start() == end, shouted=shouted))
        end = match.end()
    return _echoes(_dashes(_points(_numbers(_clocks(found)))))


def _spelt(text: str) -> str:
    for mark, spelt in _FRACTIONS.items():
        text = re.sub(rf"(?<=\d)\s?{mark}", f" {spelt}", text).replace(mark, spelt)
    text = re.sub(r"(?<!\w)\*+(\w[^*\n]*)\*+(?!\w)", r"\1", text)
    text = re.sub(r"!(?=\s|$)", ".", text.translate(_PLAIN))
    text = re.sub(r"(?<=[A-Za-z])[xX](?=\d+ ?(?:d|w|wks?|days?|weeks?|months?|mths?|/(?:7|52|12))\b)", " x ", text)
    text = re.sub(r"\b([LR])\)", r"\1 ", text)
    text = re.sub(r"\bM[/-]W[/-]F\b|\bMWF\b", "Mon/Wed/Fri", text)
    text = re.sub(r"\bT[/-]Th\b", "Tue/Thu", text)
    return re.sub(r"[^\S\n]+", " ", re.sub(r"\bi/?iu\b", "iu", text))


def _token(match: re.Match[str], *, tight: bool, shouted: bool) -> Token:
    text, group = match.group(), str(match.lastgroup)
    key = text.casefold()
    if group in _KINDS:
        return Token(text, key, _KINDS[group], tight=tight)
    if group == "vitamin" and key[0] == "u":
        return Token(text, text, "PAIR", text, tight=tight)
    if group == "vitamin":
        return Token(text, key.replace("-", ""), WORD, tight=tight)
    if group == "scheme":
        parts = [_part(each) for each in re.split(r"\s?[-+]\s?", text)]
        if min(parts) > 4:
            return Token(text, text, "PAIR", text, tight=tight)  # 100-62.5-25, a strength
        return Token(text, key, "SCHEME", " ".join(f"{each:g}" for each in parts), tight=tight)
    if group == "clock":
        at = _clock(key)
        return Token(text, key, "CLOCK" if at else UNSURE, at, tight=tight)
    if group == "thousand":
        return Token(text, key, "NUM", 1000 * float(key[:-1]), tight=tight)
    if group == "number":
        return Token(text, key, "NUM", float(key.replace(",", "").replace(" ", "")), tight=tight)
    if group == "pair":
        return _pair(text, tight)
    dotted = group == "dotted"
    word = key.replace(".", "") if dotted else key
    return Token(text, word, WORD, tight=tight, capitals=dotted or (text.isupper() and not shouted))


def _part(text: str) -> float:
    return sum(float(above) / float(below or 1) for above, _, below in (each.partition("/") for each in text.split()))


def _clock(text: str) -> str:
    digits = re.findall(r"\d+", text)
    hour, minute = (int(digits[0][:2]), int(digits[0][2:])) if len(digits[0]) == 4 else (int(digits[0]), 0)
    minute = int(digits[1]) if len(digits) > 1 else minute
    half = re.search(r"([ap])\.?m", text)
    if half and not 1 <= hour <= 12:
        return ""
    hour = hour % 12 + (12 if half[1] == "p" else 0) if half else hour
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""


def _clocks(found: list[Token]) -> list[Token]:
    """What stands after "at", or after another time of day, as a time: "@ 0900 & 1400", "at 8.00 and 20.00"."""
    out: list[Token] = []
    for each in found:
        after = out[-1].key if out else ""
        joined = after in ("and", "&", ",", "/", "+") and len(out) > 1 and out[-2].kind == "CLOCK"
        figures = re.fullmatch(r"([01]?\d|2[0-3])\.([0-5]\d)|([01]\d|2[0-3])([0-5]\d)", each.text)
        beside = bool(out) and out[-1].kind == "CLOCK" and len(each.text) == 4  # "at 0800 1200 1600"
        if figures and each.kind in ("NUM", UNSURE) and (after in ("at", "@") or joined or beside):
            hour, minute = (figures[1], figures[2]) if figures[1] else (figures[3], figures[4])
            each = Token(each.text, each.key, "CLOCK", f"{int(hour):02}:{minute}", tight=each.tight)
        morning = len(out) > 1 and out[-2].key in ("om", "mane") and after in ("&", "and")
        if each.key == "on" and morning:
            each = Token(each.text, "nocte", WORD, tight=each.tight)  # "om & on"
        out.append(each)
    return out


def _pair(text: str, tight: bool) -> Token:
    parts = text.split("/")
    above, below = parts[0], parts[1]
    if len(parts) == 2 and above.isdigit() and below in ("2", "3", "4", "8") and 0 < int(above) < int(below):
        return Token(text, text, "FRAC", int(above) / int(below), tight)
    if len(parts) == 2 and above.isdigit() and below in DAYS_OF and 0 < int(above) <= 31:
        return Token(text, text, "SPAN", int(above) * DAYS_OF[below], tight)
    return Token(text, text, "PAIR", text, tight)


def _numbers(found: list[Token]) -> list[Token]:
    """Twenty-four as one number."""
    out: list[Token] = []
    for each in found:
        unit = _digit(each.key)
        if unit and out and (out[-1].key in _TENS or (out[-1].key == "-" and len(out) > 1 and out[-2].key in _TENS)):
            dash = [out.pop()] if out[-1].key == "-" else []
            tens = out.pop()
            text = tens.text + "".join(mark.text for mark in dash) + each.text
            out.append(Token(text, text.casefold(), "NUM", float(_TENS[tens.key] + unit), tight=tens.tight))
        else:
            out.append(each)
    return [
        Token(each.text, each.key, "NUM", float(_TENS[each.key]), tight=each.tight) if each.key in _TENS else each
        for each in out
    ]


def _digit(word: str) -> int:
    names = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return names.index(word) + 1 if word in names else 0


def _points(found: list[Token]) -> list[Token]:
    """Without the point of "tab." and "max."."""
    return [
        each
        for place, each in enumerate(found)
        if not (
            each.key == "."
            and place
            and listed("short", found[place - 1].key)
            and place + 1 < len(found)
            and found[place + 1].key != "\n"
            and each.tight
        )
    ]


def _dashes(found: list[Token]) -> list[Token]:
    """Without the hyphen of "film-coated"; that of "Mon-Fri", "one-two" and "i-ii" counts."""
    number = set(entries_of("NUM", "WEEKDAY"))
    out = []
    for place, each in enumerate(found):
        if each.key == "-" and each.tight and 0 < place < len(found) - 1:
            before, after = found[place - 1], found[place + 1]
            joined = before.kind == WORD and after.kind == WORD and after.tight
            if joined and not (before.key in number and after.key in number):
                continue
        out.append(each)
    return out


def _echoes(found: list[Token]) -> list[Token]:
    """A number said in digits and again in words once: "2 (two)", "two (2)", "2 two"."""
    out: list[Token] = []
    place = 0
    while place < len(found):
        one = found[place]
        rest = found[place + 1 : place + 4]
        out.append(one)
        place += 1
        if worth(one) is None:
            continue
        if rest and worth(rest[0]) == worth(one) and _spelled_out(one) != _spelled_out(rest[0]):
            place += 1
        elif len(rest) == 3 and rest[0].key == "(" and rest[2].key == ")" and worth(rest[1]) == worth(one):
            place += 3 if _spelled_out(one) != _spelled_out(rest[1]) else 0
    return out


def worth(token: Token) -> float | None:
    """The number that a token is, in figures or in words; None where it is none."""
    if token.kind == "NUM":
        return float(token.value)
    return _number_words().get(token.key) if token.kind == WORD else None


def _spelled_out(token: Token) -> bool:
    return not token.text[0].isdigit()


@cache
def _number_words() -> dict[str, float]:
    return {word: float(value) for value, each in words()["NUM"].items() for word in each if " " not in word}


def listed(name: str, word: str) -> bool:
    """Whether a word is of one of the plain lists of words.toml."""
    return word in _lists()[name]


@cache
def _lists() -> dict[str, frozenset[str]]:
    return {name: frozenset(text.split()) for name, text in words()["lists"].items()}


@cache
def words_of(*lists: str) -> frozenset[str]:
    """All words of some of the lists of words.toml, whatever they stand for, in plain form."""
    return frozenset(map(plain, entries_of(*lists)))


def entries_of(*lists: str) -> list[str]:
    """All entries of some of the lists of words.toml, whatever they stand for."""
    return [each for name in lists for told in words()[name].values() for each in told]


def words() -> dict[str, Any]:
    """The word lists of words.toml."""
    return table("words.toml")
