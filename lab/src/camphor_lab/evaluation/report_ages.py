"""The section of the report that says which scores belong to the code that stands here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from camphor_lab.evaluation.report_files import Block, Results, Section, Table, Words
from camphor_lab.evaluation.sources import ages, source_in

TOLD = {
    "current": "of this code",
    "older": "older than the code it is about",
    "unknown": "of unknown source: made before sources were recorded",
}


def ages_of_scores(results: Results) -> Section:
    """Each result file, and whether the code that it is about has changed since."""
    reports = results.matching("*")
    rows: list[list[str | None]] = [[name, *_made(reports[name]), TOLD[age]] for name, age in ages(reports).items()]
    blocks: list[Block] = [
        Words(
            "A score is about the code that made it: each file keeps a hash of that code's files and the commit. "
            "Scores that the code has left behind are made again by the commands above."
        ),
        Table(["result file", "commit", "made", "the score is"], rows),
    ]
    return Section("Age", blocks if rows else [])


def _made(report: Any) -> tuple[str | None, str | None]:
    source, run = source_in(report) or {}, report.get("run") if isinstance(report, Mapping) else None
    commit = str(source.get("commit") or "")[:10] + (" with changes" if source.get("dirty") else "")
    date = str((run or {}).get("date") or "")[:10] if isinstance(run, Mapping) else ""
    return commit or None, date or None
