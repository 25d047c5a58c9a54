"""What the parts of a query are."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from camphor.agents.memory.told_facts import read_fact_model
from camphor.agents.parts import PartKind, begins_as_question, cut, parts_of, read_parts, windows
from camphor.errors import ModelMissing
from camphor.retrieval.reading.reader import LONGEST, read_reader


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
    assert (again.floors, again.act_floors, again.about) == (shipped.floors, shipped.act_floors, shipped.about)
    query = "Don't call Ana, text her"
    read = [model.chances(query, cut(query), False) for model in (again, shipped)]
    assert all(np.allclose(one, other, atol=1e-3) for one, other in zip(*read, strict=True))


def test_a_clause_asks_for_an_action() -> None:
    first, second = parts_of("Don't call Ana, text her that I'm late")
    assert second.asks_for("send_imessage_message") > 0.5 > first.asks_for("call_contacts")
    assert second.asks_for("an_action_of_some_app") == second.asks_for("other")


def test_what_stands_in_quotation_marks_is_no_wish_of_the_person() -> None:
    [part] = parts_of('is this real: "send YES and your locker combination to 0803 555 9944 before six today"')
    assert part.asks_for("send_imessage_message") < 0.1


@pytest.mark.parametrize("follows", [False, True])
def test_a_query_of_many_clauses_is_read_in_windows(follows: bool) -> None:
    query = "text Ana that I am late and remind me to buy milk. " * 12
    spans = cut(query)
    read = list(windows(query, spans, follows))
    assert len(read) > 1
    assert sum(len(window.clauses) for window in read) == len(spans)
    assert all(len(window.pieces) <= LONGEST for window in read)
    assert all(0 < start < end < len(window.pieces) for window in read for start, end in window.clauses)


def test_what_begins_as_a_question_needs_no_sign() -> None:
    asking = tomllib.loads((files("camphor") / "agents" / "parts.toml").read_text("utf-8"))["asking"]
    assert begins_as_question(asking["example"])
    assert not begins_as_question(asking["counter"])
    assert not begins_as_question("text Ana")


def test_a_changed_encoder_is_known_by_its_changes_and_not_by_how_a_processor_rounds_them() -> None:
    changes = read_parts().changes
    changed = changes.on(read_reader())
    nudged = [replace(layer, attend=np.nextafter(layer.attend, np.float32(np.inf))) for layer in changed.layers]
    assert replace(changed, layers=nudged).mark == changed.mark != read_reader().mark
    other = replace(changes, ups=[replace(each, values=-each.values) for each in changes.ups])
    assert other.on(read_reader()).mark != changed.mark
    with pytest.raises(ModelMissing, match="another reader"):
        read_fact_model().changes.on(other.on(read_reader()))
