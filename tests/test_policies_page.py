"""docs/policies.md: its programs run and print what they say, and its policies are those that there are."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from camphor.agents.policies import POLICIES, known_names

TEXT = (Path(__file__).parents[1] / "docs/policies.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("place", range(2))
def test_the_programs_print_what_the_page_says(place: int, tmp_path: Path) -> None:
    """Where the page ends a line with an ellipsis, more is printed."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAMS[place], encoding="utf-8")
    ran = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=200, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    told = re.findall(r"(?m)^ +print\(.*\)  # (.*)$", PROGRAMS[place])
    assert len(told) == 2
    for line, expected in zip(ran.stdout.splitlines(), told, strict=True):
        assert line.startswith(expected.removesuffix("…")) if expected.endswith("…") else line == expected


def test_the_page_has_every_policy_and_no_other() -> None:
    table = TEXT[: TEXT.index("Beside them")]
    assert re.findall(r"(?m)^\| `(\w+)` \|", table) == [policy.name for policy in POLICIES]
    assert set(re.findall(r"--without (\w+)", TEXT)) - {"NAME"} <= set(known_names())
