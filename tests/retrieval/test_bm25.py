from __future__ import annotations

import bm25s
import numpy as np
import pytest

from camphor.retrieval.retrievers import Bm25

TEXTS = (
    "Set an alarm for the morning. alarm label.",
    "Send a message to a contact",
    "Phone a contact by name or number",
    "Search the web: a query to search for",
)


@pytest.mark.parametrize("query", ["set the alarm", "message a contact, contact by phone", "search search", "zebra"])
def test_scores_are_those_of_the_library_that_is_a_reference(query: str) -> None:
    theirs = bm25s.BM25()
    theirs.index(
        bm25s.tokenize(list(TEXTS), stopwords="en", return_ids=False, show_progress=False), show_progress=False
    )
    asked = bm25s.tokenize([query], stopwords="en", return_ids=False, show_progress=False)[0]
    expected = theirs.get_scores(asked) if asked else np.zeros(len(TEXTS))
    np.testing.assert_allclose(Bm25(TEXTS).scores(query), expected, rtol=1e-5)


def test_a_text_added_later_counts_as_if_it_had_been_there() -> None:
    grown = Bm25(TEXTS[:2])
    grown.add(TEXTS[2:])
    assert len(grown) == len(TEXTS)
    np.testing.assert_array_equal(grown.scores("contact by phone"), Bm25(TEXTS).scores("contact by phone"))


def test_texts_without_words_and_no_texts_at_all_score_nothing() -> None:
    assert Bm25(["", "!"]).scores("alarm").tolist() == [0, 0]
    assert Bm25().scores("alarm").tolist() == []
