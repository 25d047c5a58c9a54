"""docs/functions.md: its lines of code run, and the files that it names exist."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from camphor_lab.datasets import instruct

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs/functions.md").read_text(encoding="utf-8")
PIPELINE, PLAN = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_ten_lines_are_those_of_the_package() -> None:
    """They are run in tests/datasets/instruct/test_collector.py."""
    lines = [line for line in PIPELINE.splitlines() if line]
    assert lines == re.findall(r"(?m)^    (.*)$", instruct.__doc__ or "")


def test_the_plan_runs_as_it_stands() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(PLAN.replace('"src/', f'"{ROOT}/src/'), {})
    waves, *outcomes = printed.getvalue().splitlines()
    assert waves == "((0, 2), (1,))"
    assert len(outcomes) == 3
    assert outcomes[0].endswith("+47 555 01 102")
    assert "+47 555 01 102" in outcomes[1]


def test_files_named_exist() -> None:
    path = TEXT[TEXT.index("## A newcomer") : TEXT.index("## The pipeline")]
    named = re.findall(r"`([\w./]+\.py|[\w./]+/)`", path)
    sources = (ROOT / "src/camphor", ROOT / "lab/src/camphor_lab")
    known = {str(each.relative_to(source)) for source in sources for each in source.rglob("*.py")}
    assert len(named) > 10
    for name in named:
        assert any(each.endswith(name) or each.startswith(name) for each in known), name
    for name in re.findall(r"\]\(([\w-]+\.md)\)", TEXT):
        assert (ROOT / "docs" / name).exists()
