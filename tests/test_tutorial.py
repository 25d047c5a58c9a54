"""The commands of docs/tutorial-functions.md, as they stand there, at a small scale."""

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
from camphor_lab.datasets.calling.examples import read_examples

ROOT = Path(__file__).parents[1]
GARDEN = ROOT / "examples/garden"


def commands() -> list[list[str]]:
    """The command lines of the tutorial's third part."""
    text = (ROOT / "docs/tutorial-functions.md").read_text(encoding="utf-8")
    block = re.search(r"## 3\. Two commands\n+```sh\n(.*?)```", text, re.DOTALL)
    assert block
    return [shlex.split(line) for line in block[1].splitlines()]


@pytest.mark.timeout(900)  # half a minute of one core's time; a busy machine may take long over it
def test_functions_become_an_adapter_and_a_score(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    paths = os.pathsep.join(filter(None, [str(ROOT / "src"), str(ROOT / "lab/src"), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "CAMPHOR_HOME": str(tmp_path / "home"), "PYTHONPATH": paths}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "camphor", *words]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    (_, *train), (_, *evaluate) = commands()
    few = tmp_path / "examples/garden/requests.txt"
    few.write_text('water bed 3 for ten minutes\n    water_bed(bed="bed 4", minutes=10)\n', encoding="utf-8")
    ran = run(*train)
    assert ran.returncode == 2
    assert "line 2: 'water bed 3 for ten minutes': its texts are not all words of the request: 'bed 4'" in " ".join(
        ran.stderr.split()
    )
    few.write_text(
        'water bed 3 for ten minutes\n    water_bed(bed="bed 3", minutes=10)\nthanks\n    none\n', encoding="utf-8"
    )
    ran = run(*train)
    assert ran.returncode == 0, ran.stderr
    told = " ".join(ran.stdout.split())
    assert "camphor call --tools examples/garden/garden.py --adapter " in told
    assert "runs/garden/adapter.gguf" in told
    made = (tmp_path / "runs/garden/samples.jsonl").read_bytes()
    assert 1_000_000 < (tmp_path / "runs/garden/adapter.gguf").stat().st_size < 30_000_000
    again = run(*train)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "runs/garden/samples.jsonl").read_bytes() == made
    ran = run(*evaluate, "--limit", "2", "--out", "result.json")
    assert ran.returncode == 0, ran.stderr
    report = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert report["metrics"]["items"] == 2
    assert report["run"]["settings"]["form"] == "compact"
    assert 0 <= report["metrics"]["soft_accuracy"] <= 1


def test_the_examples_are_right_and_the_test_is_apart() -> None:
    tools = read_tools(GARDEN / "garden.py")
    examples, unseen = (read_examples(GARDEN / name, tools) for name in ("requests.txt", "unseen.txt"))
    assert {call.name for sample in examples for call in sample.answers} == {tool.name for tool in tools}
    assert {call.name for sample in unseen for call in sample.answers} == {tool.name for tool in tools}
    assert len(unseen) == 40
    assert not {sample.query.casefold() for sample in examples} & {sample.query.casefold() for sample in unseen}
