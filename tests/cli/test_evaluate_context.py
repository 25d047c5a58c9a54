"""`camphor lab evaluate context`, and that `camphor lab evaluate DATASET.jsonl` beside it is what it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from camphor_lab.cli.options import stopped, told_command
from tests.doubles.command import Camphor, one_line
from tests.doubles.context_dataset import write_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "data")


def test_retrieval_is_measured_shown_and_kept(
    camphor: Camphor, script: Callable[[Sequence[str]], str], folder: Path, tmp_path: Path
) -> None:
    model = script(["calendar: the next class", "music: the song", "notes: the recipe"])
    out = tmp_path / "context-retrieval.json"
    words = ["--method", "lexical", "--method", "cot", "--model", model, "--out", str(out)]
    ran = camphor("evaluate", "context", "retrieval", str(folder), *words)
    assert ran.status == 0, ran.err
    assert "R@3" in ran.out
    report = json.loads(out.read_text())
    assert list(report["methods"]) == ["lexical", "cot"]
    assert report["methods"]["cot"]["recall"]["3"] == 1
    assert str(tmp_path) not in report["run"]["command"]
    assert [path.name for path in tmp_path.glob("context-retrieval*")] == ["context-retrieval.json"]


def test_tools_are_measured(camphor: Camphor, folder: Path) -> None:
    ran = camphor("evaluate", "context", "tools", str(folder), "--method", "semantic", "--limit", "2", "--json")
    assert ran.status == 0, ran.err
    report = json.loads(ran.out)
    assert report["run"]["queries"] == 2
    assert report["methods"]


def test_the_assistant_is_measured_shown_and_kept(
    camphor: Camphor, script: Callable[[Sequence[str]], str], folder: Path, tmp_path: Path
) -> None:
    question = ["task_completion"]  # no action is written
    nothing = ["task_completion", " []", "Which soup?"]
    model = script([*question, "task_completion", ' [play_music(title="Blue Door")]', *nothing])
    out = tmp_path / "context-assistant.json"
    ran = camphor("evaluate", "context", "assistant", str(folder), "--model", model, "--out", str(out))
    assert ran.status == 0, ran.err
    assert "a proposed action names a gold item" in ran.out
    assert "asked for in 3 of 3" in " ".join(ran.out.split())
    report = json.loads(out.read_text())
    assert report["metrics"]["on"]["aimed"] == 0.3333
    assert [item["error"] for item in report["items"]] == [None, None, None]
    assert str(tmp_path) not in json.dumps(report)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["context", "retrieval", "nowhere"], "nowhere"),
        (["context", "retrieval", "FOLDER", "--method", "magic"], "magic"),
        (["context", "retrieval", "FOLDER", "--out", "no/folder/r.json"], "no/folder"),
        (["context", "retrieval", "FOLDER", "--limit", "0"], "--limit"),
        (["context", "tools", "FOLDER", "--retriever", "magic"], "magic"),
        (["context", "assistant", "FOLDER", "--model", "magic"], "magic"),
        (["context", "assistant", "FOLDER", "--out", "no/folder/r.json"], "no/folder"),
        (["context", "retrieval", "FOLDER", "--method", "minilm-finetuned"], "--encoder"),
        (["context", "magic"], "magic"),
        (["nowhere.jsonl"], "nowhere.jsonl"),
        (["--limit", "3", "nowhere.jsonl"], "nowhere.jsonl"),
        ([], "DATASET"),
    ],
)
def test_bad_input_is_one_line_and_status_2(camphor: Camphor, folder: Path, words: list[str], said: str) -> None:
    ran = camphor("evaluate", *(str(folder) if word == "FOLDER" else word for word in words))
    assert (ran.status, ran.out) == (2, "")
    assert said.casefold() in one_line(ran.err).casefold()


def test_both_have_help(camphor: Camphor) -> None:
    whole, group = camphor("evaluate", "--help"), camphor("evaluate", "context", "--help")
    assert (whole.status, group.status) == (0, 0)
    assert "camphor lab evaluate [OPTIONS]" in whole.out
    assert "--strategy" in whole.out
    assert "camphor lab evaluate context" in whole.out
    assert "retrieval" in group.out
    assert "tools" in group.out
    assert "assistant" in group.out


def test_the_record_of_a_command_has_no_path_of_the_machine(tmp_path: Path) -> None:
    words = ["evaluate", str(Path.cwd() / "runs" / "x"), "--model", f"scripted:{tmp_path / 'r.json'}", "http://h/v1#a"]
    assert told_command(words) == "camphor lab evaluate runs/x --model scripted:r.json http://h/v1#a"


@pytest.mark.parametrize(("out", "told"), [(Path("x.json"), "goes on from here"), (None, "give --out")])
def test_who_stops_a_run_is_told_whether_it_goes_on(out: Path | None, told: str) -> None:
    with pytest.raises(KeyboardInterrupt, match=f"Stopped: .*{told}"), stopped(out):
        raise KeyboardInterrupt
