"""Each pattern of words.toml finds and leaves what stands beside it."""

import tomllib
from importlib.resources import files
from typing import Any

import pytest

from camphor.agents.statements.words import pattern

WORDS: dict[str, Any] = tomllib.loads(
    files("camphor").joinpath("agents/statements/words.toml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("table", [name for name, each in WORDS.items() if "pattern" in each])
def test_each_pattern_finds_and_leaves_what_stands_beside_it(table: str) -> None:
    assert [each for each in WORDS[table]["finds"] if not pattern(table).search(each)] == []
    assert [each for each in WORDS[table]["leaves"] if pattern(table).search(each)] == []
