"""Words and patterns that questions and records are read by. They are data: words.toml and patterns.toml."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import snowballstemmer

from camphor.device.text import words


@cache
def lexicon(file: str) -> dict[str, Any]:
    """What a TOML file of this package says."""
    return tomllib.loads(files(__package__).joinpath(file).read_text("utf-8"))


@cache
def word_list(name: str) -> frozenset[str]:
    """The folded words of a list. Raises KeyError: there is none of this name."""
    return frozenset(lexicon("words.toml")[name].split())


def alternatives(name: str) -> tuple[str, ...]:
    """What a placeholder in patterns stands for, in order: months, weekdays, hours."""
    return tuple(lexicon("patterns.toml")["alternatives"][name].split("|"))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern, to be searched for in folded text. Raises KeyError: there is none of this name."""
    said = lexicon("patterns.toml")
    text = str(said[name]["pattern"])
    for key, value in said["alternatives"].items():
        text = text.replace(f"{{{key}}}", value)
    return re.compile(text, re.IGNORECASE if said[name].get("ignore_case") else 0)


_stemmer = snowballstemmer.stemmer("english")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a folded word (the Snowball stemmer for English)."""
    return str(_stemmer.stemWord(word.removesuffix("'s")))


@lru_cache(maxsize=16384)
def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's words."""
    return frozenset(stem(word) for word in words(text))
