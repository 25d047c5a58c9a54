"""`camphor teach`: predictions judged and corrected in a terminal, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.command import Camphor, one_line
from tests.doubles.terminal import Terminal

Script = Callable[[Sequence[str]], str]
Start = Callable[..., Terminal]

TRIPS = '''"""Trips."""

from datetime import datetime


def book(city: str, leave_at: datetime, nights: int = 1) -> None:
    """Book a trip.

    Args:
        city: where to go.
        leave_at: when to leave.
        nights: how long.
    """
    raise SystemExit("teaching must call nothing")
'''
QUESTION = "Right? yes, no, correct, skip or quit: "
ROME = 'book(city="Rome", leave_at="tomorrow at 9 am")'
OSLO = ROME.replace("Rome", "Oslo")
QUERIES = ("to Rome tomorrow at 9 am", "two nights in Oslo tomorrow at 9 am", "what a day", "book something")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "trips.py").write_text(TRIPS)
    (tmp_path / "queries.txt").write_text("".join(f"{query}\n\n" for query in QUERIES))
    return tmp_path


@pytest.fixture
def words(folder: Path) -> list[str]:
    return ["--tools", str(folder / "trips.py"), "--form", "compact", "--out", str(folder / "taught.jsonl")]


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "taught.jsonl").read_text().splitlines()]


def test_yes_no_skip_and_a_correction_then_it_goes_on_and_is_exported(
    camphor: Camphor, script: Script, terminal: Start, folder: Path, words: list[str]
) -> None:
    queries = str(folder / "queries.txt")
    shown = terminal("teach", queries, *words, "--model", script([ROME, ROME, ROME, "who knows"]))
    shown.wait_for(QUESTION)
    assert "1/4 to Rome tomorrow at 9 am" in shown.text
    assert f"result0 = {ROME}" in shown.text
    shown.type("y\n")
    shown.wait_for("2/4 ")
    shown.wait_for(QUESTION, 2)
    shown.type("c\n")
    shown.wait_for("      > ")
    shown.type('book(city="Oslo", nights=2)\n')
    shown.wait_for("      + ")
    shown.type("\n")
    shown.wait_for("! book(leave_at=None): expected a value")
    shown.wait_for("      > ", 2)
    shown.type('book(city="Oslo", leave_at="tomorrow at 9 am", nights=2)\n')
    shown.wait_for("      + ", 2)
    shown.type("\n")
    shown.wait_for("3/4 ")
    shown.wait_for(QUESTION, 3)
    shown.type("no\n")
    shown.wait_for("4/4 ")
    shown.wait_for("no call")
    shown.wait_for(QUESTION, 4)
    shown.type("y\n")
    shown.wait_for("cannot be used as it is")
    shown.wait_for(QUESTION, 5)
    shown.type("s\n")
    assert shown.end() == 0, shown.text
    assert "3 answers added" in shown.text
    assert [(line["query"], line["verdict"]) for line in lines(folder)] == list(
        zip(QUERIES, ("yes", "corrected", "no"), strict=False)
    )
    assert lines(folder)[1]["said"] == {"0.leave_at": "tomorrow at 9 am"}

    again = terminal("teach", queries, *words, "--model", script(["who knows"]))
    again.wait_for("3 of 4 queries are answered")
    again.wait_for(QUESTION)
    assert "1/1 book something" in again.text
    again.type("c\n")
    again.wait_for("      + ")
    again.type("none\n")
    assert again.end() == 0
    assert lines(folder)[3]["corrected"] == []

    ran = camphor("teach", "--export", str(folder / "taught.jsonl"), "--tools", str(folder / "trips.py"))
    assert ran.status == 0, ran.err
    assert ran.out.startswith("Wrote 3 samples and 1 function:")
    samples = [json.loads(line) for line in (folder / "taught" / "train.jsonl").read_text().splitlines()]
    assert [sample["query"] for sample in samples] == [QUERIES[0], QUERIES[1], QUERIES[3]]
    assert samples[1]["answers"][0]["arguments"]["nights"] == 2
    assert samples[1]["said"] == {"0.leave_at": "tomorrow at 9 am"}
    scored = camphor(
        "evaluate-functions", str(folder / "taught" / "train.jsonl"), "--form", "compact", "--json", "--limit", "1",
        "--model", script([ROME]),
    )  # fmt: skip
    assert scored.status == 0, scored.err
    assert json.loads(scored.out)["accuracy"] == 1.0


def test_a_dataset_brings_its_own_clocks_and_quitting_keeps_what_was_said(
    script: Script, terminal: Start, folder: Path, words: list[str]
) -> None:
    data = folder / "data.jsonl"
    asked = [{"query": query, "now": "2026-05-06T07:20:00"} for query in QUERIES[:2]]
    data.write_text("".join(json.dumps(each) + "\n" for each in asked))
    shown = terminal("teach", str(data), *words, "--model", script([ROME, ROME]))
    shown.wait_for(QUESTION)
    shown.type("y\n")
    shown.wait_for(QUESTION, 2)
    shown.type("q\n")
    assert shown.end() == 0
    assert [line["predicted"][0]["arguments"]["leave_at"] for line in lines(folder)] == ["2026-05-07T09:00:00"]


def test_dropping_and_adding_lines_and_thinking_better_of_it(
    script: Script, terminal: Start, folder: Path, words: list[str]
) -> None:
    (folder / "queries.txt").write_text(QUERIES[0])
    shown = terminal("teach", str(folder / "queries.txt"), *words, "--model", script([f"{ROME}\n{OSLO}"]))
    shown.wait_for(QUESTION)
    shown.type("c\n")
    for count in (1, 2):
        shown.wait_for("      > ", count)
        shown.type("-\n")
    shown.wait_for("      + ")
    shown.type("\n")  # nothing is left: the question comes again
    shown.wait_for(QUESTION, 2)
    shown.type("c\n")
    shown.wait_for("      > ", 3)
    shown.type("\n")
    shown.wait_for("      > ", 4)
    shown.type("-\n")
    shown.wait_for("      + ", 2)
    shown.type("\n")
    assert shown.end() == 0
    assert len(lines(folder)[0]["corrected"]) == 1


def test_ctrl_c_and_ctrl_d_keep_what_was_said(script: Script, terminal: Start, folder: Path, words: list[str]) -> None:
    queries = str(folder / "queries.txt")
    shown = terminal("teach", queries, *words, "--model", script([ROME, ROME]))
    shown.wait_for(QUESTION)
    shown.type("y\n")
    shown.wait_for(QUESTION, 2)
    shown.interrupt()
    assert shown.end() == 130
    assert "camphor: Stopped: 1 answer added" in shown.text
    shown = terminal("teach", queries, *words, "--model", script([ROME]))
    shown.wait_for(QUESTION)
    shown.type("\x04")
    assert shown.end() == 0
    assert len(lines(folder)) == 1


def test_queries_are_typed_where_no_file_is_given(
    script: Script, terminal: Start, folder: Path, words: list[str]
) -> None:
    shown = terminal("teach", *words, "--model", script([ROME]))
    shown.wait_for("> ")
    shown.type(QUERIES[0] + "\n")
    shown.wait_for(QUESTION)
    shown.type("y\n")
    shown.wait_for("> ", 2)
    shown.type("\n")
    assert shown.end() == 0
    assert [line["query"] for line in lines(folder)] == [QUERIES[0]]


def test_nobody_to_ask(camphor: Camphor, script: Script, folder: Path, words: list[str]) -> None:
    ran = camphor("teach", str(folder / "queries.txt"), *words, "--model", script([ROME]))
    assert (ran.status, ran.out) == (1, "")
    assert "terminal" in one_line(ran.err)
    assert not (folder / "taught.jsonl").exists()


@pytest.mark.parametrize(
    ("content", "said"), [("", "no query"), ('{"text": "a"}\n', "line 1"), ('{"query": "a"}\nb\n', "line 2")]
)
def test_a_file_without_queries(camphor: Camphor, folder: Path, words: list[str], content: str, said: str) -> None:
    (folder / "bad.jsonl").write_text(content)
    ran = camphor("teach", str(folder / "bad.jsonl"), *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in one_line(ran.err)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "no/folder/x.jsonl"], "--out"),
        ([], "--out"),
        (["missing.txt", "--out", "x.jsonl"], "missing.txt"),
        (["--export", "missing.jsonl"], "missing.jsonl"),
        (["--export", "a.jsonl", "--out", "b.jsonl"], "--export"),
        (["--out", "x.jsonl", "--json"], "--export"),
    ],
)
def test_wrong_usage(camphor: Camphor, words: list[str], said: str) -> None:
    ran = camphor("teach", *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in one_line(ran.err)


def test_an_export_of_nothing_writes_nothing(camphor: Camphor, folder: Path) -> None:
    (folder / "taught.jsonl").write_text('{"query": "a", "predicted": [], "verdict": "no"}\n')
    ran = camphor("teach", "--export", str(folder / "taught.jsonl"))
    assert (ran.status, ran.out) == (1, "")
    assert "nothing to learn from" in one_line(ran.err)
    assert not (folder / "taught").exists()
