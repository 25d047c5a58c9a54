"""Words and patterns of answering: each pattern fits its example and not its counter-example."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from camphor.agents import parts
from camphor.agents.answering.lexicon import alternatives, lexicon, pattern, word_list
from camphor.agents.answering.question import cues, number_of
from camphor.agents.parts import asks_to_be_told
from camphor.device.text import fold

PATTERNS = {name: row for name, row in lexicon("patterns.toml").items() if name != "alternatives"}
CUES = [*lexicon("cues.toml")["operation"], *lexicon("cues.toml")["want"]]
PLACEHOLDER = re.compile(r"\{[a-z]+\}")


@pytest.mark.parametrize("name", PATTERNS)
def test_every_pattern_fits_its_example_alone(name: str) -> None:
    row = PATTERNS[name]
    assert pattern(name).search(row["example"]), row["example"]
    assert not pattern(name).search(row["counter"]), row["counter"]
    assert not PLACEHOLDER.search(pattern(name).pattern)


@pytest.mark.parametrize("row", CUES, ids=[f"{place}-{row['name']}" for place, row in enumerate(CUES)])
def test_every_cue_fits_its_example_alone(row: dict[str, Any]) -> None:
    assert re.search(row["pattern"], fold(row["example"])), row["example"]
    assert not re.search(row["pattern"], fold(row["counter"])), row["counter"]


def test_every_word_list_is_folded_single_words_each_once() -> None:
    lists = [name for name, value in lexicon("words.toml").items() if isinstance(value, str)]
    assert len(lists) > 20
    for name in lists:
        said = lexicon("words.toml")[name].split()
        assert len(said) == len(set(said)), name
        assert [fold(word) for word in said] == said, name
        assert word_list(name) == set(said)


def test_placeholders_stand_for_their_alternatives() -> None:
    assert alternatives("hour")[0] == "one"
    assert len(alternatives("month")) == len(alternatives("hour")) == 12
    assert all(pattern("no_amount").search(f"12 {month}") for month in alternatives("month"))


def test_what_is_no_list_is_an_error() -> None:
    with pytest.raises(KeyError):
        word_list("no such list")
    with pytest.raises(KeyError):
        pattern("no such pattern")


@pytest.mark.parametrize(
    ("text", "number"),
    [("10,000 steps", 10000), ("10k", 10000), ("ten thousand", 10000), ("two hundred and fifty", 250), ("€12.5", 12.5),
     ("half", 0.5), ("many", None), ("", None)],
)  # fmt: skip
def test_a_number_is_read_as_figures_or_words(text: str, number: float | None) -> None:
    assert number_of(text) == number


def test_like_words_stand_for_each_other() -> None:
    like = cues()["alike"]
    assert set(chain.from_iterable(like.values())) <= like.keys()
    assert all(word in like[other] for word, others in like.items() for other in others)
    assert "fee" in like["cost"]


def test_orders_to_be_told_are_read_by_their_row() -> None:
    row = tomllib.loads((Path(parts.__file__).parent / "parts.toml").read_text("utf-8"))["telling"]
    assert asks_to_be_told(row["example"])
    assert not asks_to_be_told(row["counter"])
