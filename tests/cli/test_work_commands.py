"""`camphor lab evaluate`, `data generate` and `train`: what they refuse, and what they make."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from camphor.errors import UsageError
from camphor_lab.cli.options import check_out
from tests.doubles.command import Camphor, one_line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evaluate", "missing.jsonl"], "missing.jsonl"),
        (["evaluate", "x.jsonl", "--strategy", "magic"], "magic"),
        (["evaluate", "x.jsonl", "--strategy", "react", "--form", "names"], "react"),
        (["evaluate", "x.jsonl", "--form", "poem"], "poem"),
        (["evaluate", "x.jsonl", "--against", "old.json"], "old.json"),
        (["data", "generate", "out", "--split", "middle"], "middle"),
        (["data", "generate", "out", "--count", "0"], "--count"),
        (["data", "generate", "/dev/null"], "folder"),
        (["data", "generate", "out", "--situation", "poem"], "poem"),
        (["train", "--config", "missing.toml"], "missing.toml"),
    ],
)
def test_bad_input_is_one_line_and_status_2(camphor: Camphor, words: list[str], said: str) -> None:
    ran = camphor(*words)
    assert (ran.status, ran.out) == (2, "")
    assert said in one_line(ran.err)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no queries"),
        ("{\n", "line 1"),
        ('{"id": "a"}\n', "line 1"),
        ('{"id": "a", "device": "no.json"}\n', "line 1"),
    ],
)
def test_a_broken_dataset(camphor: Camphor, tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(content, encoding="utf-8")
    ran = camphor("evaluate", str(path))
    assert (ran.status, ran.out) == (2, "")
    assert said in one_line(ran.err)


def test_generate_then_evaluate(camphor: Camphor, script: Callable[[Sequence[str]], str], tmp_path: Path) -> None:
    folder, out = tmp_path / "data", tmp_path / "result.json"
    made = camphor("data", "generate", str(folder), "--split", "test", "--count", "3", "--json")
    assert made.status == 0, made.err
    assert json.loads(made.out)["splits"]["test"]["queries"] == json.loads(made.out)["queries"] == 3
    model = script(["task_completion", "[]", "Nothing to do."])  # ends after one query: the others fail
    words = ["evaluate", str(folder / "test.jsonl"), "--model", model, "--out", str(out)]
    ran = camphor(*words, "--json")
    assert ran.status == 0, ran.err
    report = json.loads(out.read_text(encoding="utf-8"))
    assert {"metrics", "items"} <= set(report)
    assert len(report["items"]) == 3
    assert [item["error"] is None for item in report["items"]] == [True, False, False]
    assert {"id", "predicted", "gold", "steps", "seconds", "error"} <= set(report["items"][0])
    assert json.loads(ran.out)["tool_f1"] == report["metrics"]["tool_f1"]
    assert "What changed" in camphor(*words, "--against", str(out)).out


def test_results_of_another_command_are_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.json"
    told = "camphor evaluate data/a.jsonl --limit 5 --threads 1 --out results/a.json"
    out.write_text(json.dumps({"run": {"command": told}}), encoding="utf-8")
    same = (
        f"lab evaluate data/a.jsonl --limit 5 --out {out}",
        "evaluate --limit 5 -o x.json ./data/a.jsonl --processes 2 --json",
    )
    for words in same:
        monkeypatch.setattr(sys, "argv", ["camphor", *words.split()])
        check_out(out)
    for other in ("data/a.jsonl", "data/b.jsonl --limit 5", "data/a.jsonl --limit 5 --model m.gguf"):
        monkeypatch.setattr(sys, "argv", ["camphor", "evaluate", *other.split()])
        with pytest.raises(UsageError, match=r"holds the results of  camphor evaluate .*: name another file"):
            check_out(out)
    for text in ("[]", "{", '{"run": null}', "{}"):
        out.write_text(text, encoding="utf-8")
        check_out(out)


def test_generation_goes_on_and_repeats_itself(camphor: Camphor, tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder, counts in ((first, ["5", "30"]), (second, ["30"])):
        for count in counts:
            assert camphor("data", "generate", str(folder), "--split", "train", "--count", count).status == 0
    whole = [(folder / "train.jsonl").read_bytes() for folder in (first, second)]
    assert whole[0] == whole[1]


def test_single_situations_go_on_too_and_an_end_of_the_bank_is_told(camphor: Camphor, tmp_path: Path) -> None:
    wish = ["--split", "train", "--situation", "impossible", "--situation", "chat"]
    for folder, counts in (("a", ["5", "30"]), ("b", ["30"])):
        for count in counts:
            made = camphor("data", "generate", str(tmp_path / folder), *wish, "--count", count)
            assert made.status == 0, made.err
            assert "no more" not in made.err
    whole = [(tmp_path / folder / "train.jsonl").read_bytes() for folder in "ab"]
    assert whole[0] == whole[1]
    assert {json.loads(line)["situation"] for line in whole[0].splitlines()} == {"impossible", "chat"}
    other = camphor("data", "generate", str(tmp_path / "a"), "--split", "train", "--count", "30")
    assert other.status == 2
    assert "other settings" in one_line(other.err)
    few = camphor("data", "generate", str(tmp_path / "c"), "--situation", "where", "--split", "test", "--count", "9999")
    assert few.status == 0
    assert "no more than these: 9,999 were wanted" in few.err


def test_sources_that_are_not_there_are_told_before_anything_is_made(camphor: Camphor, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    out = tmp_path / "made"
    for option, folder, told in (
        ("--public", "none", "no such folder"),
        ("--public", "empty", "slurp/train.jsonl"),
        ("--handwritten", "none", "no such folder"),
    ):
        ran = camphor("data", "generate", str(out), option, str(tmp_path / folder))
        assert ran.status == 2
        assert told in one_line(ran.err)
    assert not out.exists()


def test_a_folder_with_more_queries_than_wanted_is_told(camphor: Camphor, tmp_path: Path) -> None:
    for count, told in (("12", ""), ("4", "holds another run, which stays: 4 were wanted")):
        ran = camphor("data", "generate", str(tmp_path), "--split", "train", "--count", count)
        assert (ran.status, told in ran.err) == (0, True)
    assert "12 queries" in ran.out


def test_both_splits_are_made_unless_one_is_named(camphor: Camphor, tmp_path: Path) -> None:
    made = camphor("data", "generate", str(tmp_path / "a"), "--count", "10")
    assert made.status == 0, made.err
    assert [line.split(": ")[-2].split(" queries")[0] for line in made.out.splitlines()[:2]] == ["2", "8"]
    assert "gold calls" in made.out


@pytest.mark.parametrize(
    ("options", "words", "loop"),
    [
        (["--strategy", "static"], ["[]", "Nothing to do."], "told"),
        (["--strategy", "react", "--form", "instructed"], ["Action: finish", "Nothing to do."], "told"),
        (["--strategy", "reflexion"], ["Action: finish", "Verdict: right", "Nothing to do."], "told"),
        (["--strategy", "autoact"], ["Action: finish", "Verdict: right", "Nothing to do."], "told"),
        (["--form", "full"], ["response_submit", "Response: Nothing to do.\nCalls: []"], "told"),
        (["--form", "definitions"], ["task_completion", "[]"], "trained"),
    ],
)
def test_each_strategy_is_a_command(
    camphor: Camphor,
    script: Callable[[Sequence[str]], str],
    tmp_path: Path,
    options: list[str],
    words: list[str],
    loop: str,
) -> None:
    phone = {"format": "camphor.device/1", "id": "a", "owner": "Ann", "now": "2026-03-12T08:45:00", "timezone": "UTC"}
    data, out = tmp_path / "items.jsonl", tmp_path / "result.json"
    data.write_text(json.dumps({"id": "1", "device": {**phone, "apps": {}}, "query": "any news", "calls": []}) + "\n")
    ran = camphor("evaluate", str(data), "--model", script(words), "--out", str(out), *options)
    assert ran.status == 0, ran.err
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["items"][0]["error"] is None
    told = "I found nothing about “news” on this phone." if loop == "trained" else "Nothing to do."
    assert report["items"][0]["response"] == told
    assert report["run"]["settings"]["loop"] == loop


def test_a_dataset_is_exported_and_described(camphor: Camphor, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pip install ./lab[data]")
    pytest.importorskip("pyarrow", reason="pip install ./lab[data]")
    folder = tmp_path / "data"
    assert camphor("data", "generate", str(folder), "--split", "test", "--count", "12").status == 0
    for name in ("pairs", "chat", "openai", "parquet"):
        out = tmp_path / f"x.{name}"
        ran = camphor("data", "export", str(folder / "test.jsonl"), "--format", name, "--out", str(out), "--json")
        assert ran.status == 0, ran.err
        told = json.loads(ran.out)
        assert (told["format"], told["left_out"], out.stat().st_size > 0) == (name, {}, True)
        assert told["written"] == 12 if name != "pairs" else told["written"] > 24
    first = json.loads((tmp_path / "x.pairs").read_text(encoding="utf-8").splitlines()[0])
    assert first["agent"] == "high_order_reasoning"
    assert first["prompt"].endswith("<|im_start|>assistant\n")
    before = (folder / "test.jsonl").read_bytes()
    onto_itself = camphor("data", "export", str(folder / "test.jsonl"), "--out", str(folder / "test.jsonl"))
    assert (onto_itself.status, "the dataset itself" in onto_itself.err) == (2, True)
    assert (folder / "test.jsonl").read_bytes() == before
    ran = camphor("data", "card", str(folder))
    assert ran.status == 0, ran.err
    assert "test: 12 queries" in ran.out
    assert (folder / "README.md").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["export", "no.jsonl", "--out", "x"], "no.jsonl"),
        (["export", "no.jsonl", "--out", "x", "--format", "xml"], "xml"),
        (["export", "no.jsonl", "--out", "x", "--form", "compressed"], "compressed"),
        (["export", "no.jsonl", "--out", "no/x"], "no/x"),
        (["card", "nowhere"], "nowhere"),
    ],
)
def test_what_export_and_card_refuse(camphor: Camphor, words: list[str], said: str) -> None:
    ran = camphor("data", *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in one_line(ran.err)


def test_a_report_goes_into_a_folder_that_exists(camphor: Camphor, tmp_path: Path) -> None:
    results, pages = tmp_path / "results", tmp_path / "pages"
    results.mkdir()
    pages.mkdir()
    ran = camphor("report", "--results", str(results), "--out", str(pages))
    assert ran.status == 0, ran.err
    assert (pages / "report.md").is_file()
    assert "Result files are missing" in ran.err
