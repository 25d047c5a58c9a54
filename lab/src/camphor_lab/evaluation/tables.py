"""The metrics as tables in percent, for the terminal (rich) and for the README (Markdown), from the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group
from rich.table import Table

from camphor_lab.evaluation.metrics import LEVELS, STRICT

TITLES = {"tool_f1": "Tool F1", "delexicalized_plan_f1": "Delexicalized Plan F1", "plan_f1": "Plan F1"}
STRICT_TITLE = "Strict Plan F1"
NOT_MEASURED = "not measured"
_SHORT = ("Tool F1", "Delex.", "Plan F1")
_GROUPS = {"by_size": "gold calls", "by_turn": "turn", "by_tag": "tag", "by_tool": "tool"}

Rows = list[list[str]]


def percent(share: float | None) -> str:
    """A share as percent with one decimal, a dash where it is undefined."""
    return "-" if share is None else f"{100 * share:.1f}"


def _interval(ends: Sequence[float] | None) -> str:
    return "-" if ends is None else f"{percent(ends[0])} to {percent(ends[1])}"


def main_rows(metrics: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """Header and rows of the metrics with their 95% intervals and macro averages."""
    intervals, macro = metrics["interval_95"], metrics["macro"]
    rows = [[TITLES[name], percent(metrics[name]), _interval(intervals[name]), percent(macro[name])] for name in LEVELS]
    if STRICT in metrics:  # what was scored before has it not
        rows.append([STRICT_TITLE, percent(metrics[STRICT]), _interval(intervals[STRICT]), percent(macro[STRICT])])
    calls = metrics["no_call_accuracy"]
    rows.append(["No-call accuracy", percent(calls), _interval(intervals["no_call_accuracy"]), "-"])
    rows.append(["All calls of a query right", percent(metrics["exact"]), "-", "-"])
    rows += _answer_rows(metrics)
    for key, title in (
        ("hallucinated_tools", "Hallucinated tools"),
        ("hallucinated_parameters", "Hallucinated parameters"),
        ("errors", "Queries that failed"),
        ("items", "Queries"),
    ):
        rows.append([title, str(metrics[key]), "", ""])
    return ["metric", "%", "95% interval", "macro %"], rows


def _answer_rows(metrics: Mapping[str, Any]) -> Rows:
    """What became of the answers and, apart, of the calls of tools that training never saw."""
    rows: Rows = []
    if unseen := metrics.get("unseen_tools"):
        rows += [[f"Calls of unseen tools: {TITLES[name]}", percent(unseen[name]), "-", "-"] for name in LEVELS]
    if "answers" not in metrics:
        return rows
    told, others = metrics["answers"], metrics["unannotated"]
    if told["items"]:
        around = told["interval_95"]
        for key, title in (("answers_right", "Answers right"), ("false_statement_rate", "False statements")):
            rows.append([f"{title}, of {told['items']}", percent(metrics[key]), _interval(around[key]), "-"])
        rows.append(["Answers that say they do not know", percent(metrics["answers_abstained"]), "-", "-"])
    if others["items"]:
        title = f"False statements, of {others['items']} questions without annotation"
        rows.append([title, percent(others["false_statement_rate"]), "-", "-"])
    rows.append(["Actions right, of queries with actions", percent(metrics["actions_right"]), "-", "-"])
    rows.append(["Unwished actions", str(metrics["unwished_actions"]), "", ""])
    return rows


def false_statements(metrics: Mapping[str, Any]) -> str:
    """The false statement rate in percent, with of how many answers; of those that say what is right, where any do."""
    if "answers" not in metrics:
        return NOT_MEASURED
    of, rate = metrics["answers"]["items"], metrics["false_statement_rate"]
    if not of:
        of, rate = metrics["unannotated"]["items"], metrics["unannotated"]["false_statement_rate"]
    return f"{percent(rate)} (of {of})" if of else "-"


def strict_plan(metrics: Mapping[str, Any]) -> str:
    """Strict Plan F1 in percent with its 95% interval."""
    if STRICT not in metrics:
        return NOT_MEASURED
    ends = metrics["interval_95"][STRICT]
    return percent(metrics[STRICT]) + (f" ({_interval(ends)})" if ends else "")


def group_rows(metrics: Mapping[str, Any], group: str) -> tuple[list[str], Rows]:
    """Header and rows of one breakdown: `by_size`, `by_turn`, `by_tag` or `by_tool`."""
    if group == "by_tool":
        header = [_GROUPS[group], "gold", "predicted", *_SHORT]
        lines = [
            [k, str(v["gold"]), str(v["predicted"]), *(percent(v[n]) for n in LEVELS)]
            for k, v in metrics[group].items()
        ]
        return header, lines
    header = [_GROUPS[group], "queries", *_SHORT, "no-call", "all right"]
    shown = (*LEVELS, "no_call_accuracy", "exact")
    return header, [[k, str(v["items"]), *(percent(v[n]) for n in shown)] for k, v in metrics[group].items()]


def rich_tables(metrics: Mapping[str, Any], groups: Sequence[str] = ("by_size", "by_tag")) -> Group:
    """What `camphor lab evaluate` prints: the metrics, then a table for each breakdown that has rows."""
    tables = [_rich(*main_rows(metrics))]
    tables += [_rich(*group_rows(metrics, group)) for group in groups if metrics[group]]
    return Group(*tables)


def _rich(header: Sequence[str], rows: Rows) -> Table:
    table = Table()
    for place, title in enumerate(header):
        table.add_column(title, justify="left" if place == 0 else "right", no_wrap=place > 0, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def markdown(header: Sequence[str], rows: Rows) -> str:
    """A Markdown table, figures to the right, ending in a newline."""
    marks = ["---", *["---:"] * (len(header) - 1)]
    lines = [header, marks, *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def markdown_tables(metrics: Mapping[str, Any], groups: Sequence[str] = ("by_size", "by_tag")) -> str:
    """The tables of `rich_tables` in Markdown."""
    parts = [main_rows(metrics), *(group_rows(metrics, group) for group in groups if metrics[group])]
    return "\n".join(markdown(*part) for part in parts)


def comparison_rows(reports: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], Rows]:
    """One row a run (name to metrics), for comparing models or strategies on one dataset."""
    header = ["run", *TITLES.values(), "No-call accuracy", "Hallucinated", "s/query"]
    rows = []
    for name, metrics in reports.items():
        invented = metrics["hallucinated_tools"] + metrics["hallucinated_parameters"]
        mean = metrics["seconds"]["mean"]
        shown = [percent(metrics[level]) for level in (*LEVELS, "no_call_accuracy")]
        rows.append([name, *shown, str(invented), "-" if mean is None else f"{mean:.2f}"])
    return header, rows
