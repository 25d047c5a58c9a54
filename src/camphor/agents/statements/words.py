"""The patterns and words of words.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern, to be searched for whatever the case. Raises KeyError: there is none of this name."""
    table = _tables()[name]
    text = rf"\A(?:{table['pattern']})\Z" if table.get("whole") else table["pattern"]
    return re.compile(text, re.IGNORECASE)


@cache
def word_list(name: str) -> frozenset[str]:
    """The folded words of a list. Raises KeyError: there is none of this name."""
    return frozenset(_tables()[name]["words"].split())
