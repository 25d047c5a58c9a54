"""The three commands of docs/tutorial-functions.md, as they stand there, at a small scale."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from camphor.tools.listing import read_tools
from camphor.tools.tool import Toolbox
from camphor_lab.datasets.calling.bank import read_bank

ROOT = Path(__file__).parents[1]
SMALLER = {  # later options of a command line count
    "data": ["--train", "24", "--test", "3"],
    "train": [],
    "evaluate-functions": ["--limit", "2", "--out", "result.json"],
}


def commands() -> list[list[str]]:
    """The command lines of the tutorial's third part."""
    text = (ROOT / "docs/tutorial-functions.md").read_text(encoding="utf-8")
    block = re.search(r"## 3\. Three commands\n+```sh\n(.*?)```", text, re.DOTALL)
    assert block
    return [shlex.split(line) for line in block[1].splitlines()]


def settings(folder: Path) -> None:
    """The tutorial's settings, ended after a moment."""
    path = folder / "configs/droidcall-small.toml"
    path.parent.mkdir()
    text = (ROOT / "configs/droidcall-small.toml").read_text(encoding="utf-8")
    for key, value in {"max_minutes": "0.02", "batch_tokens": "400", "max_sample_tokens": "400"}.items():
        text, count = re.subn(rf"(?m)^{key} = \S+", f"{key} = {value}", text)
        assert count == 1
    path.write_text('compile = "no"\n' + text, encoding="utf-8")


@pytest.mark.timeout(900)  # half a minute of one core's time; a busy machine may take long over it
def test_functions_become_an_adapter_and_a_score(tmp_path: Path) -> None:
    settings(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    lines = commands()
    assert [line[:3] for line in lines] == [["camphor", "lab", name] for name in SMALLER]
    paths = os.pathsep.join(filter(None, [str(ROOT / "src"), str(ROOT / "lab/src"), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "CAMPHOR_HOME": str(tmp_path / "home"), "PYTHONPATH": paths}
    for _, *words in lines:
        command = [sys.executable, "-m", "camphor", *words, *SMALLER[words[1]]]
        ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
    report = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert report["metrics"]["items"] == 2
    assert report["run"]["settings"]["form"] == "compact"
    assert 0 <= report["metrics"]["soft_accuracy"] <= 1
    assert 1_000_000 < (tmp_path / "runs/garden-adapter/adapter.gguf").stat().st_size < 30_000_000
    assert len((tmp_path / "runs/garden/train.jsonl").read_text(encoding="utf-8").splitlines()) == 24


def test_every_phrase_of_the_example_holds() -> None:
    """Nothing is wrong with the bank, and no wording or value of the test is in training."""
    tools = Toolbox(read_tools(ROOT / "examples/garden/garden.py"))
    assert len(tools) == 5
    train, test = (read_bank(ROOT / "examples/garden/bank", split, tools) for split in ("train", "test"))
    wordings = [{text for phrase in bank.phrases for text in phrase.texts} for bank in (train, test)]
    assert not wordings[0] & wordings[1]
    for name in train.values:
        known = [{json.dumps(value) for value in bank.values[name]} for bank in (train, test)]
        assert not known[0] & known[1]
    assert {name for phrase in test.phrases for name in phrase.functions} == {tool.name for tool in tools}
