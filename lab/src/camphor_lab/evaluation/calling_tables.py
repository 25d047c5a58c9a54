"""The metrics of function calling as tables, in percent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group
from rich.table import Table

from camphor_lab.evaluation.tables import percent

Rows = list[list[str]]
KINDS = ("simple", "complex", "2 calls", "3 calls", "nested", "none")


def score_rows(metrics: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """Accuracy and soft accuracy of all samples and of each kind, with their 95% intervals."""
    kinds = metrics["by_kind"]
    order = [*(kind for kind in KINDS if kind in kinds), *(kind for kind in kinds if kind not in KINDS)]
    parts = {"all": metrics, **{kind: kinds[kind] for kind in order}}
    rows = []
    for name, part in parts.items():
        figures = [_with_interval(part, key) for key in ("accuracy", "soft_accuracy")]
        rows.append([name, str(part["items"]), *figures])
    return ["samples", "number", "Accuracy %", "Soft accuracy %"], rows


def function_rows(metrics: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """For each function its gold calls, how many are all right, its soft accuracy, and superfluous calls."""
    rows = [
        [name, str(part["calls"]), percent(part["right"]), percent(part["soft_accuracy"]), str(part["superfluous"])]
        for name, part in metrics["by_function"].items()
    ]
    return ["function", "calls", "all right %", "Soft accuracy %", "superfluous"], rows


def calling_tables(metrics: Mapping[str, Any]) -> Group:
    """What `camphor lab evaluate-functions` prints."""
    return Group(*(_rich(*part) for part in (score_rows(metrics), function_rows(metrics))), _told(metrics))


def _told(metrics: Mapping[str, Any]) -> str:
    told = [f"answers that could not be used: {metrics['errors']}"]
    if metrics["prompt_tokens"] is not None:
        told.append(f"prompt tokens: {metrics['prompt_tokens']:.0f}")
    if metrics["recall"] is not None:
        told.append(f"samples whose functions were all shown: {percent(metrics['recall'])}%")
    mean = metrics["seconds"]["mean"]
    return "; ".join([*told, f"seconds a request: {mean:.2f}" if mean is not None else ""]).strip("; ")


def _with_interval(part: Mapping[str, Any], key: str) -> str:
    ends = part["interval_95"].get(key)
    around = f" ({percent(ends[0])} to {percent(ends[1])})" if ends else ""
    return f"{percent(part[key])}{around}"


def _rich(header: list[str], rows: Rows) -> Table:
    table = Table()
    for place, title in enumerate(header):
        table.add_column(title, justify="left" if place == 0 else "right")
    for row in rows:
        table.add_row(*row)
    return table
