"""No two queries alike: the index against the definition, and the definition against the package that gave it."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.trajectories.items import Item, read_items
from camphor_lab.datasets.generate import _Taker, generate, said
from camphor_lab.datasets.shards import PhoneCandidates
from camphor_lab.datasets.similarity import ALIKE, Codes, Similar, rouge_l, tokens

WORDS = (*"abcdefg5", "Ana's", "i'll", "né")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)


@settings(deadline=None)  # the first example imports the package
@given(TEXTS, TEXTS)
def test_the_measure_is_that_of_rouge_score(first: str, second: str) -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="pip install rouge-score").RougeScorer(["rougeL"])
    assert rouge_l(first, second) == pytest.approx(scorer.score(first, second)["rougeL"].fmeasure)


@given(st.lists(TEXTS, max_size=12), TEXTS, st.dictionaries(st.sampled_from("abcdefg5"), st.integers(0, 9)))
def test_the_index_misses_nothing_and_invents_nothing(texts: list[str], query: str, rarity: dict[str, int]) -> None:
    near = Similar(included=True, frequency=rarity)
    for text in texts:
        near.add(text)
    assert near.alike(query) == any(rouge_l(query, text) >= ALIKE for text in texts)


def test_three_quarters_is_alike_and_less_is_not() -> None:
    near = Similar(included=True)
    near.add("text ana that i am late")
    assert near.alike("text bob that i am late")
    near = Similar(included=True)
    near.add("a b c d")
    assert near.alike("a b c x")
    assert not near.alike("a b x y")
    assert not near.alike("...")


def test_many_words_have_codes_of_their_own() -> None:
    codes = Codes()
    words = [str(number) for number in range(60_000)]  # past the surrogates
    assert len(set(codes.encode(words))) == len(words)
    codes.encode(words).encode("utf-8")
    assert tokens("Don't  STOP-me, 2nd") == ["don", "t", "stop", "me", "2nd"]


@pytest.mark.parametrize("order", [("test", "train"), ("train", "test")])
def test_no_pair_of_queries_is_alike_within_or_across_splits(tmp_path: Path, order: tuple[str, str]) -> None:
    queries = []
    for split in order:
        generate(tmp_path, split=split, count=200, seed=4)
        queries += [text for item in read_items(tmp_path / f"{split}.jsonl") for text in said(item)]
    assert len(queries) > 400
    assert max(rouge_l(*pair) for pair in combinations(queries, 2)) < ALIKE


def test_the_turns_of_a_conversation_differ_too() -> None:
    item = Item("a", "d", "tell ana i am late", history=({"query": "tell bob i am late"},))
    other = Item("b", "d", "tell ana i am late", history=({"query": "who is bob"},))
    candidates = PhoneCandidates("phone", "", tuple(json.dumps(i.to_json()) for i in (item, other)))
    taker = _Taker("train")
    assert [json.loads(line)["id"] for line in taker.take(candidates, 9)] == ["b"]
    assert taker.summary.alike == 1
