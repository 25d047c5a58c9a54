"""A question's words as the readers need them: without what stands around it, its number words as digits."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from text_to_num import alpha2digit

from camphor.device.when.lexicon import fold
from camphor.types import Call

_SIGNS = str.maketrans({"½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3", "⅛": " 1/8"})
_POWER = re.compile(r"(?<=\d)[²³]")
_ONE = re.compile(r"\ban? (?=(?:hundred|thousand|million|billion|dozen)\b)")
_LARGE = re.compile(r"\b(\d+(?:\.\d+)?) (hundred|thousand|million|billion|dozen)\b")
_SIZES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "dozen": 12}
_WORD_PARTS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
_PART = r"(half|halves|quarters?|\d+(?:rd|th)s?)"
_MIXED = re.compile(rf"\b(\d+) (?:and|&) (an?|\d+) {_PART}(?![\w/])")
_PARTS = re.compile(rf"\b(an?|\d+) {_PART}(?![\w/])")
_BARE = re.compile(
    r"(?<!\S)(half|quarter|\d+(?:rd|th))(?= of (?:an?\b|\d))|(?<!\S)half(?= an? )|(?<!\S)half(?= \d)|\bin half\b"
)
_NEGATIVE = re.compile(r"(?:^|(?<=^convert ))(?:minus|negative) (?=[\d.])")
_DOZEN = re.compile(r"\b(\d+) dozen\b")


@dataclass(frozen=True)
class Said:
    """A question without what stands around it: folded, and with digits for number words; whether it asks."""

    text: str
    digits: str
    asks: bool


@cache
def table() -> dict[str, Any]:
    """`words.toml`."""
    return tomllib.loads(files("camphor.agents.reckoning").joinpath("words.toml").read_text(encoding="utf-8"))


@cache
def _edges() -> tuple[tuple[tuple[re.Pattern[str], bool], ...], re.Pattern[str]]:
    openers = tuple((re.compile(rf"(?:{each['pattern']})[ ,:]+"), each["asks"]) for each in table()["opener"])
    return openers, re.compile(rf"(?:[ ,]+(?:{table()['closer']['pattern']}))+$| ?=$")


def said(query: str) -> Said:
    """The query as the readers take it."""
    signs = _POWER.sub(lambda m: " squared" if m[0] == "²" else " cubed", query.translate(_SIGNS))
    text, asks = fold(signs), False
    openers, closer = _edges()
    stripped = True
    while stripped:
        stripped = False
        for opener, asking in openers:
            if found := opener.match(text):
                text, stripped, asks = text[found.end() :], True, asks or asking
    text = closer.sub("", text).strip(" ,.?!")
    return Said(text, digits(text), asks)


def digits(text: str) -> str:
    """Folded text with its numbers in digits: "two and a half" is "2 1/2", "three quarters of sixty" is "3/4 of 60"."""
    text = _LARGE.sub(_large, _ONE.sub("one ", text.replace("half a dozen", "6")))
    text = _DOZEN.sub(lambda m: str(int(m[1]) * 12), alpha2digit(text, "en", 0))
    text = _NEGATIVE.sub("-", text)
    text = _MIXED.sub(lambda m: f"{m[1]} {_fraction(m[2], m[3])}", text)
    text = _PARTS.sub(lambda m: _fraction(m[1], m[2]), text)
    return _BARE.sub(lambda m: "in 1/2" if m[0].startswith("in") else _fraction("a", m[1] or "half"), text)


def _large(found: re.Match[str]) -> str:
    number = float(found[1]) * _SIZES[found[2]]
    return str(int(number)) if number.is_integer() else str(number)


def _fraction(count: str, part: str) -> str:
    below = _WORD_PARTS.get(part) or int(re.sub(r"\D", "", part))
    return f"{1 if count in ('a', 'an') else count}/{below}"


@dataclass(frozen=True)
class Reckoning:
    """A question that code reckons: the call of one of the device's tools that does it, and the answer in words.

    `call` is None where nothing can be reckoned and the answer says so: exchange rates are not known.
    """

    call: Call | None
    text: str
