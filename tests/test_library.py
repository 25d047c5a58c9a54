"""The examples run as they stand, with the model that ships, and the pages that show them show the same text."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


def blocks(page: str) -> list[str]:
    """The blocks of Python of a page, in order."""
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def run(program: Path, folder: Path, said: str = "") -> str:
    """What a program prints when that is typed; it must end well and say nothing on standard error."""
    command = [sys.executable, str(program)]
    ran = subprocess.run(command, cwd=folder, input=said, capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr
    return ran.stdout


@pytest.mark.parametrize(("page", "example"), [("README.md", "short.py"), ("docs/library.md", "library.py")])
def test_pages_show_the_examples(page: str, example: str) -> None:
    assert blocks(page)[0] == (EXAMPLES / example).read_text(encoding="utf-8")


def test_the_short_example(tmp_path: Path) -> None:
    assert run(EXAMPLES / "short.py", tmp_path) == "Done: water bed (bed: 3, minutes: 10).\n"


def test_a_person_agrees_to_one_action_and_not_to_the_other(tmp_path: Path) -> None:
    """What the page shows, but that a terminal shows what is typed, too."""
    page = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    shown = re.search(r"it prints:\n\n```\n(.*?)```", page, re.DOTALL)
    assert shown
    typed = re.sub(r"(?m)\(y/n\) [yn]\n", "(y/n) ", shown[1])
    assert run(EXAMPLES / "library.py", tmp_path, said="n\ny\n") == typed


def test_the_other_blocks_of_the_page_run_after_it(tmp_path: Path) -> None:
    first, *others = blocks("docs/library.md")
    program = tmp_path / "page.py"
    program.write_text("\n".join([first.split("\nif __name__")[0], *others]), encoding="utf-8")
    assert run(program, tmp_path).splitlines() == re.findall(r"(?m)^ *print\(.*\)  # (.*)$", "\n".join(others))
