"""Draws follow from seed, number and sources; each strategy does what it says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from camphor.errors import DatasetError, UsageError
from camphor_lab.datasets.instruct.sampler import DrawingStrategy, Examples, JsonLines, Sampler, Source, read_example


def draws(source: Source, numbers: range = range(30), seed: int = 7) -> list[list[Any]]:
    sampler: Sampler[list[Any]] = Sampler({"it": source}, lambda drawn: drawn["it"], seed)
    return [sampler.draw(number) for number in numbers]


def test_several_sources_are_put_into_the_form_that_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"word": "one"}\n\n{"word": "two"}\n')

    def organise(drawn: Mapping[str, list[Any]]) -> str:
        return f"{drawn['tool'][0]}: {', '.join(line['word'] for line in drawn['lines'])}"

    sampler = Sampler(
        {"tool": Source(iter("ab")), "lines": Source(path, 2, DrawingStrategy.ROUND_ROBIN)}, organise, seed=1
    )
    assert {sampler.draw(number) for number in range(20)} == {"a: one, two", "b: one, two"}


@pytest.mark.parametrize("strategy", list(DrawingStrategy))
def test_a_draw_depends_on_seed_and_number_alone(strategy: DrawingStrategy) -> None:
    source = Source(range(50), (1, 3), strategy, lambda item: item + 1)
    whole = draws(source)
    assert draws(source, range(20, 30)) == whole[20:]
    assert all(len(set(drawn)) == len(drawn) and 1 <= len(drawn) <= 3 for drawn in whole)
    if strategy is not DrawingStrategy.ROUND_ROBIN:
        assert draws(source, seed=8) != whole


def test_without_replacement_each_comes_once_before_any_comes_again() -> None:
    drawn = [
        item for each in draws(Source(range(5), 1, DrawingStrategy.WITHOUT_REPLACEMENT), range(15)) for item in each
    ]
    turns = [drawn[start : start + 5] for start in (0, 5, 10)]
    assert all(sorted(turn) == list(range(5)) for turn in turns)
    assert len(set(map(tuple, turns))) > 1
    in_order = draws(Source("abc", 2, DrawingStrategy.ROUND_ROBIN), range(3))
    assert in_order == [["a", "b"], ["c", "a"], ["b", "c"]]


def test_weights_count() -> None:
    source = Source("ab", 1, DrawingStrategy.WEIGHTED, {"a": 9, "b": 1}.__getitem__)
    found = Counter(item for each in draws(source, range(500)) for item in each)
    assert 400 < found["a"] < 490


def test_a_source_may_grow_and_may_not_be_empty() -> None:
    growing: list[int] = []
    sampler: Sampler[list[int]] = Sampler({"it": Source(lambda: growing, 2)}, lambda drawn: drawn["it"])
    assert sampler.draw(0) == []
    growing += [1, 2, 3]
    assert len(sampler.draw(0)) == 2
    with pytest.raises(UsageError, match="source it is empty"):
        draws(Source([]))
    with pytest.raises(UsageError, match="by weight"):
        draws(Source("ab", 1, DrawingStrategy.WEIGHTED))


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"a": 1}\n\n{"a": \n')
    lines = JsonLines(path)
    assert lines[0] == {"a": 1}
    with pytest.raises(DatasetError, match=r"lines.jsonl, line 3: not a line of JSON"):
        lines[1]
    with pytest.raises(DatasetError, match="cannot be read"):
        JsonLines(tmp_path / "nowhere")


CALL = {"id": 0, "name": "add", "arguments": {"x": 1}}
TOOLS = [{"name": "add", "parameters": {}}, {"name": "other", "parameters": {}}]


@pytest.mark.parametrize(
    "line",
    [
        {"query": "add 1", "answers": [CALL], "tools": TOOLS},
        {"query": " add  1", "answers": json.dumps([CALL]), "tools": json.dumps(TOOLS)},
        {"query": "add 1", "calls": [{"name": "add", "arguments": {"x": 1}}], "tools": [{"function": TOOLS[0]}]},
        {"messages": [{"role": "system"}, {"role": "user", "content": "add 1"}], "calls": [CALL], "tools": TOOLS},
    ],
)
def test_examples_are_read_from_the_forms_that_sets_have(line: Any) -> None:
    example = read_example(line)
    assert example
    assert (example.query, example.answers, len(example.tools)) == ("add 1", [CALL], 1)
    assert '"answers"' in example.text()


@pytest.mark.parametrize("line", [{}, [], {"query": "hi", "answers": []}, {"query": "hi", "answers": "half ["}])
def test_lines_without_calls_are_no_examples(line: Any) -> None:
    assert read_example(line) is None


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"title": "no calls here"}\n')
    with pytest.raises(DatasetError, match="no function-calling data"):
        Examples([path])
