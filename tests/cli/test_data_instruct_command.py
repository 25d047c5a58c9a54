"""`camphor lab data instruct`, as a user meets it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.doubles.command import Camphor, one_line

Script = Callable[[Sequence[str]], str]
MODULE = '''
def set_alarm(hour: int, minute: int) -> None:
    """Set an alarm.

    Args:
        hour: hour of the day, 0 to 23
        minute: minute of the hour
    """
'''


def sample(query: str, hour: int, minute: int) -> dict[str, object]:
    return {"query": query, "answers": [{"name": "set_alarm", "arguments": {"hour": hour, "minute": minute}}]}


GOOD = [
    sample("wake me at half past seven in the evening", 19, 30),
    sample("Could you set an alarm for 6:15 am?", 6, 15),
    sample("i need to be up by 05:40", 5, 40),
]


@pytest.fixture
def functions(tmp_path: Path) -> Path:
    path = tmp_path / "functions.py"
    path.write_text(MODULE)
    return path


def test_samples_are_written_for_a_module(camphor: Camphor, script: Script, functions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["data", "instruct", str(functions), "--out", str(out), "--count", "3", "--test", "1", "--complex", "0"]
    reply = f"Sure:\n```json\n{json.dumps([*GOOD[:2], sample('wake me', 7, 0)])}\n```"
    ran = camphor(*words, "--model", script([reply, json.dumps(GOOD[2])]))
    assert ran.status == 0, ran.err
    assert "3 samples of 2 rounds, 1 of them held out" in ran.out
    assert "a value that the query does not tell: 1" in ran.out
    assert {path.name for path in out.iterdir()} >= {"train.jsonl", "test.jsonl", "tools.json", "rejected.jsonl"}
    again = camphor(*words, "--model", script([]), "--json")  # the same path: nothing is left to ask
    assert again.status == 0, again.err
    told = json.loads(again.out)
    assert (told["kept"], told["train"], told["test"]) == (3, 2, 1)
    assert told["filters"]["InferableFilter"]["reasons"] == {"a value that the query does not tell": 1}


def test_a_run_that_keeps_nothing_says_where_to_look(
    camphor: Camphor, script: Script, functions: Path, tmp_path: Path
) -> None:
    words = ["--out", str(tmp_path / "out"), "--patience", "2", "--model", script(["no", "no"])]
    ran = camphor("data", "instruct", str(functions), *words)
    assert ran.status == 0
    assert "rejected.jsonl says why" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.json", "--out", "out"], "nowhere.json"),
        (["FUNCTIONS", "--out", "/dev/null"], "folder"),
        (["FUNCTIONS", "--out", "out", "--test", "100"], "held out"),
        (["FUNCTIONS", "--out", "out", "--seed-data", "nowhere.jsonl"], "nowhere.jsonl"),
        (["FUNCTIONS", "--out", "out", "--requests", "4"], "one request at a time"),
        (["FUNCTIONS", "--out", "out", "--model", "nothing-of-the-kind"], "nothing-of-the-kind"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(
    camphor: Camphor, script: Script, functions: Path, words: list[str], said: str
) -> None:
    model = [] if "--model" in words else ["--model", script([])]
    ran = camphor("data", "instruct", *(str(functions) if word == "FUNCTIONS" else word for word in words), *model)
    assert ran.status == 2
    assert said in one_line(ran.err)


def test_a_server_that_is_not_there_ends_the_run(camphor: Camphor, functions: Path, tmp_path: Path) -> None:
    words = ["--out", str(tmp_path / "out"), "--model", "http://127.0.0.1:9/v1#none"]
    ran = camphor("data", "instruct", str(functions), *words)
    assert ran.status == 1
    assert "the same command goes on" in one_line(ran.err.strip())
