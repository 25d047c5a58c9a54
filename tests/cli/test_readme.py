"""What the README and docs/commands.md promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli_doubles import Camphor

ROOT = Path(__file__).parents[2]
COMMANDS = ("ask", "chat", "device", "tools", "evaluate", "data generate", "data export", "data card")
COMMANDS += ("data context", "data write", "evaluate-public", "retrieval", "report", "train", "doctor")
COMMANDS += ("call", "teach", "data calls", "data instruct", "evaluate-functions", "train-ranker", "train-plausible")
COMMANDS += tuple(f"evaluate context {word}" for word in ("retrieval", "tools", "plan", "assistant"))
COMMANDS += ("evaluate health",)


def test_the_continuous_check_runs_the_readme_commands() -> None:
    readme, check = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", ".ci/run"))
    install, test = ".venv/bin/pip install", ".venv/bin/pytest"
    assert f"{install} '.[test]' && {test}" in readme
    assert re.search(rf"^{re.escape(install)} .*'\.\[test\]'", check, re.M)
    assert re.search(rf"^{re.escape(test)}$", check, re.M)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_documented(camphor: Camphor, command: str) -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    section = text[text.index(f"## `camphor {command}") :].split("\n## ", 1)[0]
    options = set(re.findall(r"--[a-z]+(?:-[a-z]+)*", camphor(*command.split(), "--help").out)) - {"--help"}
    elsewhere = {"--json", "--device", "--model", "--adapter", "--threads", "--yes"}  # said once for all
    assert options - elsewhere <= set(re.findall(r"--[a-z]+(?:-[a-z]+)*", section))


def test_files_named_in_the_readme_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:src|benchmarks|docs)/[\w./-]+)`|\]\((docs/[\w./]+)\)", readme):
        assert (ROOT / (name[0] or name[1])).exists(), name
