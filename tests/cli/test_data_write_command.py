"""`camphor lab data write`, as a user meets it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from tests.doubles.command import LATE, LATE_QUERY, Camphor, one_line

Script = Callable[[Sequence[str]], str]


@pytest.fixture
def phones(tmp_path: Path) -> Path:
    folder = tmp_path / "phones"
    folder.mkdir()
    with as_file(files("camphor") / "demo" / "ines-dublin.device.json") as demo:
        (folder / demo.name).write_bytes(demo.read_bytes())
    return folder


def test_queries_are_written_solved_and_kept(camphor: Camphor, script: Script, phones: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["data", "write", str(out), "--devices", str(phones), "--count", "1", "--seed", "7"]
    ran = camphor(*words, "--model", script([f"1. go away\n2. {LATE_QUERY}", *LATE]))
    assert ran.status == 0, ran.err
    assert "1 queries accepted" in ran.out
    assert "rejected: 1 (too short)" in ran.out
    (item,) = [json.loads(line) for line in (out / "written.jsonl").read_text().splitlines()]
    assert [call["name"] for call in item["calls"]] == ["send_imessage_message", "create_reminders"]
    again = camphor(*words, "--model", script([]), "--json")  # the same path: nothing is left to ask
    assert again.status == 0, again.err
    told = json.loads(again.out)
    assert (told["accepted"], told["rejected"]) == (1, {"too short": 1})
    assert camphor("data", "card", str(out), "--json").status == 0
    card = json.loads((out / "statistics.json").read_text())
    assert list(card["splits"]) == ["written"]


def test_a_run_without_success_ends_and_says_where_to_look(
    camphor: Camphor, script: Script, phones: Path, tmp_path: Path
) -> None:
    words = ["--devices", str(phones), "--patience", "2", "--model", script(["", ""])]
    ran = camphor("data", "write", str(tmp_path / "out"), *words)
    assert ran.status == 0
    assert "rejected.jsonl" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["/dev/null"], "folder"),
        (["out", "--devices", "nowhere"], "nowhere"),
        (["out", "--strategy", "magic"], "magic"),
        (["out", "--count", "0"], "--count"),
        (["out", "--model", "nothing-of-the-kind"], "nothing-of-the-kind"),
    ],
)
def test_bad_input_is_one_line_and_status_2(camphor: Camphor, words: list[str], said: str) -> None:
    ran = camphor("data", "write", *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in one_line(ran.err)
