"""The similarity filter's index decides as comparing all pairs does."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor_lab.datasets.similarity import Similar, words_of

WORDS = (
    "wake",
    "me",
    "at",
    "7",
    "30",
    "call",
    "ana",
    "né",
    "the",
    "mail",
    "5th",
    "Ölüm",
    "позвони",
    "маме",
    "打",
    "🎉",
)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=16).map(" ".join)


def common(one: list[str], other: list[str]) -> int:
    """Length of a longest common subsequence, by the textbook."""
    row = [0] * (len(other) + 1)
    for word in one:
        last = 0
        for place, each in enumerate(other, 1):
            last, row[place] = row[place], last + 1 if word == each else max(row[place], row[place - 1])
    return row[-1]


def alike(one: str, other: str, most: Fraction) -> bool:
    first, second = words_of(one), words_of(other)
    return bool(first and second) and Fraction(2 * common(first, second), len(first) + len(second)) > most


def kept(queries: list[str], most: Fraction = Fraction(3, 4)) -> list[str]:
    similar, there = Similar(most), []
    for query in queries:
        if similar.find(query) is None:
            similar.add(query)
            there.append(query)
    return there


def kept_by_all_pairs(queries: list[str], most: Fraction = Fraction(3, 4)) -> list[str]:
    there: list[str] = []
    for query in queries:
        if not any(alike(query, other, most) for other in there):
            there.append(query)
    return there


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, max_size=14), st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(3, 4), Fraction(9, 10)]))
def test_texts_of_any_script_are_kept_as_by_all_pairs(queries: list[str], most: Fraction) -> None:
    assert kept(queries, most) == kept_by_all_pairs(queries, most)


def mixed(count: int, seed: int = 3) -> list[str]:
    """Queries that vary each other: words swapped, dropped and put in, long and short, repeats."""
    rng = Random(seed)
    vocabulary = [f"w{number}" for number in range(40)]
    queries = ["", "...", "🎉", "call ana", "Call Ana!", "打电话给妈妈", "打电话给爸爸"]
    while len(queries) < count:
        if rng.random() < 0.6:
            words = rng.choice(queries).split()
            for _ in range(rng.randrange(4)):
                place = rng.randrange(len(words) + 1)
                words[place : place + rng.randrange(2)] = rng.choices(vocabulary, k=rng.randrange(2))
        else:
            words = rng.choices(vocabulary, k=rng.randrange(1, 90 if rng.random() < 0.1 else 14))
        queries.append(" ".join(words))
    return queries


def test_hundreds_of_queries_of_many_kinds_are_kept_as_by_all_pairs() -> None:
    queries = mixed(600)
    there = kept_by_all_pairs(queries)
    assert kept(queries) == there
    assert 100 < len(there) < 550  # the index was made anew on the way, and something was dropped


def test_latin_texts_are_kept_as_by_the_reference_package() -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="pip install rouge-score").RougeScorer(["rougeL"])
    queries = [query for query in mixed(250, seed=5) if query.isascii() and any(map(str.isalnum, query))]
    there: list[str] = []
    for query in queries:
        # an F of three quarters exactly is a hair above in floating point
        if all(scorer.score(other, query)["rougeL"].fmeasure <= 0.75 + 1e-9 for other in there):
            there.append(query)
    assert kept(queries) == there


def test_three_quarters_itself_is_not_above() -> None:
    similar = Similar()
    similar.add("a b c d")
    assert similar.find("a b c x") is None
    found = similar.find("a b c d e")
    assert found
    assert (found.text, round(found.score, 3)) == ("a b c d", 0.889)


def test_a_bound_of_one_or_more_is_refused() -> None:
    with pytest.raises(ValueError, match="below 1"):
        Similar(1.0)
