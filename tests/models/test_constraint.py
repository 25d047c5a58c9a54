"""`accepts`, the check that needs no model."""

from __future__ import annotations

import pytest

from camphor.errors import ModelError
from camphor.models.constraint import accepts

GRAMMAR = 'start: "[" ("a" | "b")* "]"'


@pytest.mark.parametrize(
    ("text", "right"), [("[]", True), ("[abba]", True), ("[ab", False), ("[c]", False), ("[]]", False)]
)
def test_only_whole_texts_of_the_grammar_are_accepted(text: str, right: bool) -> None:
    assert accepts(GRAMMAR, text) is right


def test_a_wrong_grammar_is_told_in_one_line() -> None:
    with pytest.raises(ModelError, match="grammar") as caught:
        accepts("start: nonsense", "x")
    assert "\n" not in str(caught.value)
