"""A query that is not English is answered in its own language: that it is not understood yet.

Everything that reads a query here, from the model's training to the clock, knows English alone. English, with its
names, dialects and slips, must not be taken for another language: so most of it is known by its words, which takes
microseconds, and the detector is opened for the rest, once, when it is needed.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|(?<!\w)'[^']*'(?!\w)")
_ENGLISH = "en"
_ENGLISH_SHARE = 0.15  # of the words: above it are 98 of 100 English queries, and no sentence of data/languages
_OTHERS = ("sl", "gl", "lt", "lv", "et", "fa", "ur", "th", "bn", "ta", "te")
"""Languages that are told from those that have an answer; they are answered in English."""


def not_english(query: str) -> str:
    """What to answer to a query in another language; "" where it is English, or too short to tell."""
    own = _own_words(query)
    letters = [each for each in own if each.isalpha()]
    if not letters:
        return ""
    if sum(not _is_latin(each) for each in letters) * 2 > len(letters):
        return _answer(_language(own)[0])
    words = [each.casefold().replace("’", "'") for each in _WORD.findall(own)]
    data = _data()
    # a word with an accent is as good as a further word
    short = len(words) < data["fewest_words"] + own.isascii()
    if short or words[0] in data["openings"].split() or _share(words) >= _ENGLISH_SHARE:
        return ""
    language, english = _language(own)
    return _answer(language) if 1 - english >= data["sure"] else ""


def _own_words(query: str) -> str:
    """The query without what it quotes or dictates, which may be in any language: "note: comprar pão"."""
    bare = _QUOTED.sub(" ", query)
    head, _, _ = bare.partition(":")
    return head if _WORD.search(head) else bare if _WORD.search(bare) else query


def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "").startswith("LATIN")


def _share(words: list[str]) -> float:
    return sum(each in _english_words() for each in words) / len(words)


def _language(text: str) -> tuple[str, float]:
    """The likeliest language but English, and how likely English is."""
    chances = dict(_detector().rank(text))
    english = chances.pop(_ENGLISH)
    return max(chances, key=lambda each: chances[each]), english


def _answer(language: str) -> str:
    answers: dict[str, str] = _data()["answers"]
    told = answers.get(language)
    return f"{told} ({answers[_ENGLISH]})" if told else answers[_ENGLISH]


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    return tomllib.loads((files("camphor") / "agents" / "languages.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _english_words() -> frozenset[str]:
    return frozenset(_data()["english"].split())


@lru_cache(maxsize=1)
def _detector() -> LanguageIdentifier:
    """Half a second and 100 MB, so only where a query may not be English."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    detector = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    detector.set_languages([*_data()["answers"], *_OTHERS])
    return detector
