"""Words of days, months and numbers, and phrases of answers, from `stated.toml`."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Any

_READ: dict[str, Any] = tomllib.loads((files("camphor_lab.evaluation") / "stated.toml").read_text(encoding="utf-8"))
WEEKDAYS: dict[str, int] = _READ["weekdays"]
MONTHS: dict[str, int] = _READ["months"]
NUMBERS: dict[str, int] = _READ["numbers"]
UNITS: dict[str, list[str]] = _READ["units"]


def _any(name: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in _READ["phrases"][name]), re.IGNORECASE)


ABSTAINS, DENIES, AFFIRMS, NEGATES = _any("abstains"), _any("denies"), _any("affirms"), _any("negates")
"""Whether an answer says that it does not know, that something is not there, yes, or not; over plain text."""
