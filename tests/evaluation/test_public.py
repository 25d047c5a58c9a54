"""Public lines run through the assistant's own loop, without a device, and are counted by category."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from camphor.errors import ModelError
from camphor.models.base import Reply, ScriptedModel
from camphor.types import Call, Turn
from camphor_lab.evaluation.public import LineOutcome, public_report, readable_tools, run_line, run_lines, wilson
from camphor_lab.evaluation.public_lines import AcceptedCall, PublicLine

HOTEL = {
    "name": "hotels.book",
    "description": "Book a hotel.",
    "parameters": {
        "type": "dict",
        "properties": {
            "city": {"type": "string"},
            "nights": {"type": "integer"},
            "guests": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["city"],
    },
}


def line(arguments: Mapping[str, Any] | None = None, query: str = "Two nights in Oslo", **told: Any) -> PublicLine:
    calls = () if arguments is None else (Call("hotels.book", arguments),)
    accept = tuple(AcceptedCall(each.name, {k: [v] for k, v in each.arguments.items()}) for each in calls)
    return PublicLine("a", told.get("category", "simple"), query, told.get("history", ()), (HOTEL,), accept, calls)


def says(*replies: str | Reply | Exception) -> ScriptedModel:
    return ScriptedModel(["task_completion", *replies])


def test_a_line_is_one_turn_of_task_completion() -> None:
    model = says(' [hotels.book(city="Oslo", nights=2)]')
    outcome = run_line(line({"city": "Oslo", "nights": 2}), model)
    assert outcome.right
    assert outcome.predicted == (Call("hotels.book", {"city": "Oslo", "nights": 2}),)
    prompt = "".join(segment.text for segment in model.requests[-1].prompt)
    assert "hotels.book(city, nights?: int, guests?: list): Book a hotel.\n" in prompt
    assert "Two nights in Oslo" in prompt
    assert prompt.endswith("task_completion")


@pytest.mark.parametrize("query", ["What is a night in Oslo?", "When can I be there", "I am in Oslo for two nights"])
def test_a_question_is_for_the_functions_of_the_set(query: str) -> None:
    written = ' [hotels.book(city="Oslo")]'
    assert run_line(line({"city": "Oslo"}, query), says(written)).predicted == (Call("hotels.book", {"city": "Oslo"}),)
    assert run_line(line(None, query), says(" []")).right


def test_earlier_turns_stand_before_the_query() -> None:
    model = says(" []")
    run_line(line(history=(Turn("hello", (), "Hi, where to?"),)), model)
    prompt = "".join(segment.text for segment in model.requests[0].prompt)
    assert prompt.index("Hi, where to?") < prompt.index("Two nights in Oslo")


def test_no_call_is_right_where_none_is_and_asks_for_no_words() -> None:
    model = says(" []")
    assert run_line(line(), model).right
    assert len(model.requests) == 2
    assert run_line(line({"city": "Oslo"}), says(" []")).problem == "no call"


def test_what_breaks_is_an_outcome() -> None:
    outcome = run_line(line({"city": "Oslo"}), says(ModelError("no more memory")))
    assert (outcome.problem, outcome.error) == ("an error", "ModelError: no more memory")
    too_long = run_line(line(query="x" * 5000), says())
    assert not too_long.right
    assert "5,000 characters" in str(too_long.error)


def test_what_the_grammar_cannot_write_is_told() -> None:
    nested = run_line(line({"city": "Oslo", "guests": [[{"name": "Ann"}]]}), says(" []"))
    assert nested.unwritable == "form"
    assert run_line(line({"city": "Oslo", "nights": 2}), says(" []")).unwritable == ""


def test_words_that_nobody_said_are_told_apart() -> None:
    tool = {"name": "call", "parameters": {"type": "object", "properties": {"phone": {"type": "string"}}}}
    calls = (Call("call", {"phone": "555-0100"}),)
    unsaid = PublicLine("a", "simple", "call my mother", (), (tool,), (AcceptedCall("call", {"phone": ["x"]}),), calls)
    assert run_line(unsaid, says(" []")).unwritable == "words"


def test_a_function_that_cannot_be_written_is_left_out() -> None:
    tools = (HOTEL, HOTEL, {**HOTEL, "name": "book a hotel"})
    named = PublicLine("a", "s", "q", (), tools, (), (Call("book a hotel"),))
    assert [tool.name for tool in readable_tools(named)] == ["hotels.book"]
    assert run_line(named, says(" []")).unwritable == "form"


def test_a_report_counts_by_category(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text("lines")
    right, wrong = line({"city": "Oslo"}), line({"city": "Rome"}, category="hard")
    told: list[tuple[int, int, LineOutcome]] = []
    book = ["task_completion", ' [hotels.book(city="Oslo")]']
    outcomes = run_lines([right, right, wrong], ScriptedModel(book * 3), lambda *seen: told.append(seen))
    assert [(done, total) for done, total, _ in told] == [(1, 3), (2, 3), (3, 3)]
    report = public_report(path, outcomes, model="tiny", command="c", seed=0)
    assert (report["lines"], report["accuracy"], report["mean_of_categories"]) == (3, 0.6667, 0.5)
    assert {name: each["accuracy"] for name, each in report["categories"].items()} == {"hard": 0.0, "simple": 1.0}
    assert report["problems"] == {"a value": 1}
    assert report["published"]["LFM2.5-230M"] == pytest.approx(0.608)
    assert [item["right"] for item in report["items"]] == [True, True, False]
    assert "Two nights" not in str(report)  # a result file is no copy of the set


@pytest.mark.parametrize(("right", "total"), [(0, 5), (5, 5), (30, 60)])
def test_the_interval_of_a_share_holds_it(right: int, total: int) -> None:
    low, high = wilson(right, total)
    assert 0 <= low <= right / total <= high <= 1
    assert high - low > 0.1


def test_the_interval_of_half_of_a_hundred() -> None:
    assert wilson(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)  # as in Wilson's formula by hand
