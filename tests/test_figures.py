"""The figures of the README and of the report come from the committed result files."""

from __future__ import annotations

from pathlib import Path

from benchmarks import figures
from camphor_lab.evaluation.report import page, sections
from camphor_lab.evaluation.report_files import Results

ROOT = Path(__file__).parents[1]


def test_the_readme_says_what_the_result_files_say() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert figures.BEGIN in readme
    assert figures.END in readme
    assert figures.replace(readme, figures.section(ROOT / "results")) == readme


def test_a_changed_result_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "store.json").write_text('{"records": 5, "command": "x", "all": {"p95_ms": 9.0}}', encoding="utf-8")
    assert "9.0 ms" in figures.section(tmp_path)
    assert figures.section(tmp_path) != figures.section(ROOT / "results")


def test_the_report_says_what_the_result_files_say() -> None:
    written = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    results = Results(ROOT / "results")
    assert page(sections(results), "report", results.folder) == written, "run  camphor lab report"
