"""What the parts of a query are."""

from __future__ import annotations

from pathlib import Path

import pytest

from camphor.agents.parts import KINDS, PartKind, cut, parts_of, read_parts
from camphor.errors import ModelMissing


def pieces(query: str) -> list[str]:
    return [query[start:end] for start, end in cut(query)]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("Don't call Ana, text her", ["Don't call Ana", "text her"]),
        ("Text Ana and remind me at 6", ["Text Ana", "remind me at 6"]),
        ("Buy milk, eggs and bread", ["Buy milk, eggs and bread"]),
        ("When is it? Text Ana.", ["When is it?", "Text Ana."]),
        ("Write a note: call Ana, text Bo", ["Write a note: call Ana, text Bo"]),
        ('Post "stop, call me and write" now', ['Post "stop, call me and write" now']),
        ("See Dr. Silva at 9 a.m. tomorrow", ["See Dr. Silva at 9 a.m. tomorrow"]),
        ("", [""]),
        ("?!", ["?!"]),
    ],
)
def test_a_query_is_cut_where_a_clause_begins(query: str, wanted: list[str]) -> None:
    assert pieces(query) == wanted


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("Text Ana that I'm late", [PartKind.WISH]),
        ("What's on today?", [PartKind.QUESTION]),
        ("Don't call my mum", [PartKind.NEGATED]),
        ("don't forget to call my mum", [PartKind.WISH]),
        ("I decided not to cancel book club", [PartKind.DECIDED_NOT]),
        ("My sister told me to cancel book club", [PartKind.REPORT]),
        ("Don't call Ana, text her that I'm late", [PartKind.NEGATED, PartKind.WISH]),
        ("could you play some jazz please", [PartKind.WISH]),
    ],
)
def test_each_part_has_its_kind(query: str, kinds: list[PartKind]) -> None:
    assert [part.kind for part in parts_of(query)] == kinds


def test_parts_stand_where_they_say() -> None:
    query = "Don't call Ana, text her — and when is lunch?"
    parts = parts_of(query)
    assert [query[part.start : part.end] for part in parts] == [part.text for part in parts]
    assert all(0 <= part.wish <= 1 for part in parts)


@pytest.mark.parametrize("query", ["a" * 4000, "no " * 1300, "don't " * 600, "((((" * 900, "text " + "and call " * 400])
def test_a_long_query_is_read_in_time(query: str) -> None:
    assert parts_of(query)


def test_a_broken_file_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "parts.npz").write_bytes(b"none")
    with pytest.raises(ModelMissing, match="train-parts"):
        read_parts(tmp_path / "parts.npz")


def test_a_model_is_the_same_after_it_was_written(tmp_path: Path) -> None:
    shipped = read_parts()
    shipped.save(tmp_path / "parts.npz")
    again = read_parts(tmp_path / "parts.npz")
    assert (again.floors, again.about) == (shipped.floors, shipped.about)
    assert again.weights.shape == (len(KINDS), len(again.marks))
