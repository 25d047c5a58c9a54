"""Matching by word, as the contract's section 2 has it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.text import best_fit, fold, search, text_of, words

RECORDS = [
    {"title": "Trip to Porto", "notes": "with Zoë"},
    {"title": "Porto wine tasting"},
    {"title": "Dentist", "people": ["Zoe Byrne"], "place": {"street": "12 Dame St"}},
]


@pytest.mark.parametrize(
    ("keyword", "expected"),
    [
        ("porto", [0, 1]),
        ("PORTO trip", [0]),
        ("zoe", [0, 2]),
        ("zoë porto dentist", [0, 2, 1]),  # none has all: two of three words, in their order, then one
        ("tasting dentist porto", [1, 0, 2]),
        ("dame", [2]),
        ("port", []),  # by word, not by part of a word
        ("", [0, 1, 2]),
    ],
)
def test_every_word_else_any_best_first(keyword: str, expected: list[int]) -> None:
    assert search(RECORDS, keyword) == [RECORDS[place] for place in expected]


@pytest.mark.parametrize(
    ("written", "said"),
    [("Łódź", "lodz"), ("STRASSE", "straße"), ("Søren", "soren"), ("İstanbul", "istanbul"), ("Ærø", "aero")],
)
def test_case_and_accents_do_not_count(written: str, said: str) -> None:
    assert words(written) == words(said)


def test_possessive_is_the_word_itself() -> None:
    assert words("Rosie's bike") == words("Rosie’s bike") == ("rosie", "bike")


def test_scripts_without_spaces_match_inside_a_sentence() -> None:
    assert search([{"title": "明天开会议"}, {"title": "买牛奶"}], "会议") == [{"title": "明天开会议"}]


def test_text_is_of_values_and_not_of_keys_or_truth_values() -> None:
    assert words(text_of({"prime": True, "none": None, "total": 12.5, "items": [{"name": "Cup"}]})) == (
        "12",
        "5",
        "cup",
    )


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=6), st.text("abcdef ", max_size=8))
def test_search_finds_exactly_what_shares_a_word(texts: list[str], keyword: str) -> None:
    records = [{"text": text} for text in texts]
    found = search(records, keyword)
    assert all(record in records for record in found)
    if words(keyword):
        assert bool(found) == any(text in words(keyword) for text in texts)


def test_web_answers_by_the_best_fit_or_not_at_all() -> None:
    web = [{"query": "weather in Porto tomorrow"}, {"query": "weather in Lisbon"}, {"query": "library opening hours"}]
    assert best_fit(web, "query", "what is the weather in Lisbon tomorrow?") in web[:2]
    assert best_fit(web, "query", "Lisbon weather") == web[1]
    assert best_fit(web, "query", "when does the library open") == web[2]
    assert best_fit(web, "query", "score of the match in Cork") is None
