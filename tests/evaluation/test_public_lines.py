"""Lines of public sets are read, refused with their number, and drawn evenly from their categories."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.errors import DatasetError, UsageError
from camphor.types import Turn
from camphor_lab.evaluation.public_lines import PublicLine, read_lines, sample

TOOL = {"name": "book", "description": "Books.", "parameters": {"type": "object", "properties": {}}}


def written(tmp_path: Path, *lines: Any) -> Path:
    path = tmp_path / "lines.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    return path


def line(number: int, category: str = "simple") -> PublicLine:
    return PublicLine(f"l{number}", category, "q", (), (), (), ())


def test_a_line_without_accept_accepts_its_calls(tmp_path: Path) -> None:
    calls = [{"name": "book", "arguments": {"seats": 2}}]
    (read,) = read_lines(written(tmp_path, {"id": "a", "query": "two seats", "tools": [TOOL], "calls": calls}))
    assert (read.category, read.accept[0].name, dict(read.accept[0].arguments)) == ("all", "book", {"seats": [2]})


def test_messages_become_turns_and_a_system_message_stands_first(tmp_path: Path) -> None:
    said = [("system", "You sell tickets."), ("user", "hi"), ("assistant", "Hello!"), ("user", "two"), ("user", "now")]
    messages = [{"role": role, "content": text} for role, text in said]
    (read,) = read_lines(written(tmp_path, {"id": "a", "messages": messages, "tools": []}))
    assert (read.query, read.history) == ("two now", (Turn("You sell tickets. hi", (), "Hello!"),))


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"query": "x", "tools": []}, "an id"),
        ({"id": "a", "tools": []}, "expected a query"),
        ({"id": "a", "messages": [{"role": "assistant", "content": "x"}], "tools": []}, "expected a query"),
        ({"id": "a", "query": "x", "tools": "book"}, "tools as a list"),
        ({"id": "a", "query": "x", "tools": [], "calls": [3]}, "call 1"),
        ({"id": "a", "query": "x", "tools": [], "accept": [{"name": "b", "arguments": {"n": 2}}]}, "accepted values"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, broken: dict[str, Any], said: str) -> None:
    good = {"id": "g", "query": "x", "tools": []}
    with pytest.raises(DatasetError, match=f"line 2: .*{said}"):
        read_lines(written(tmp_path, good, broken))


def test_files_that_hold_nothing_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    (tmp_path / "empty").write_text("\n")
    for name, said in (("none", "No such file"), ("bytes", "UTF-8"), ("empty", "no lines")):
        with pytest.raises(UsageError, match=said):
            read_lines(tmp_path / name)


@settings(deadline=None)
@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=4), limit=st.integers(1, 40), seed=st.integers(0, 3))
def test_a_sample_is_even_ordered_and_repeatable(sizes: list[int], limit: int, seed: int) -> None:
    lines = [line(100 * group + each, f"c{group}") for group, size in enumerate(sizes) for each in range(size)]
    drawn = sample(lines, limit, seed)
    assert len(drawn) == min(limit, len(lines))
    assert drawn == sample(lines, limit, seed) == [each for each in lines if each in drawn]
    counts = Counter(each.category for each in drawn)
    most = max(counts.values())
    assert all(counts[f"c{group}"] >= min(size, most - 1) for group, size in enumerate(sizes))


def test_other_seeds_draw_other_lines_and_no_limit_draws_all() -> None:
    lines = [line(number) for number in range(40)]
    assert sample(lines, 10, 0) != sample(lines, 10, 1)
    assert sample(lines, None) == lines
    with pytest.raises(UsageError, match="--limit 0"):
        sample(lines, 0)
