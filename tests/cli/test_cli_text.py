"""Text from elsewhere cannot steer the terminal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.cli.text import clean, fold, print_json


@given(st.text())
def test_clean_text_has_nothing_that_steers(text: str) -> None:
    shown = clean(text)
    assert len(shown) == len(text)
    assert not set(shown) & {"\x1b", "\x07", "\x9b", "\r", "\x00", "\x7f", "\u202e", "\u2066"}


def test_clean_keeps_what_people_write() -> None:
    text = "Bríd: «até já» 日本語 👩\u200d🚀\n\tok"
    assert clean(text) == text


@given(st.text(), st.integers(min_value=1, max_value=60))
def test_fold_is_one_line_that_fits(text: str, width: int) -> None:
    line = fold(text, width)
    assert len(line) <= width
    assert "\n" not in line


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_is_the_value_and_steers_nothing(text: str) -> None:
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print_json({"text": text}, one_line=True)
    assert json.loads(out.getvalue()) == {"text": text}
    assert "\x1b" not in out.getvalue()
    assert "\u202e" not in out.getvalue()


@pytest.mark.parametrize("text", ["\ud800", "a\udcffb"])
def test_json_takes_lone_surrogates(text: str) -> None:
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print_json(text)
    assert json.loads(out.getvalue()) == text
    out.getvalue().encode("utf-8")
