"""The metrics as tables in percent, for the terminal (rich) and for the README (Markdown), from the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group
from rich.table import Table

from camphor_lab.evaluation.metrics import LEVELS, STRICT

TITLES = {"tool_f1": "Tool F1", "delexicalized_plan_f1": "Delexicalized Plan F1", "plan_f1": "Plan F1"}
STRICT_TITLE = "Strict Plan F1"
NOT_MEASURED = "not measured"
USAGE = {"requests": "Requests", "prompt_tokens": "Prompt tokens", "completion_tokens": "Completion tokens"}
"""What a query asks of the model, as `usage` counts it."""
_SHORT = ("Tool F1", "Delex.", "Plan F1")
_GROUPS = {"by_size": "gold calls", "by_turn": "turn", "by_tag": "tag", "by_tool": "tool"}

Rows = list[list[str]]


def percent(share: float | None) -> str:
    """A share as percent with one decimal, a dash where it is undefined."""
    return "-" if share is None else f"{100 * share:.1f}"


def between(ends: Sequence[float] | None) -> str:
    """An interval in percent, a dash where it is undefined."""
    return "-" if ends is None else f"{percent(ends[0])} to {percent(ends[1])}"


def with_interval(metrics: Mapping[str, Any], name: str) -> str | None:
    """A metric in percent with its 95% interval; None where it is undefined."""
    ends = metrics["interval_95"].get(name)
    around = f" ({between(ends)})" if ends else ""
    return None if metrics[name] is None else f"{percent(metrics[name])}{around}"


def main_rows(metrics: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """Header and rows of the metrics with their 95% intervals and macro averages."""
    intervals, macro = metrics["interval_95"], metrics["macro"]
    rows = [[TITLES[name], percent(metrics[name]), between(intervals[name]), percent(macro[name])] for name in LEVELS]
    if STRICT in metrics:  # what was scored before has it not
        rows.append([STRICT_TITLE, percent(metrics[STRICT]), between(intervals[STRICT]), percent(macro[STRICT])])
    calls = metrics["no_call_accuracy"]
    rows.append(["No-call accuracy", percent(calls), between(intervals["no_call_accuracy"]), "-"])
    rows.append(["All calls of a query right", percent(metrics["exact"]), "-", "-"])
    rows += _answer_rows(metrics)
    rows += [[f"{title} a query", usage(metrics, name), "", ""] for name, title in USAGE.items() if "usage" in metrics]
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
            rows.append([f"{title}, of {told['items']}", percent(metrics[key]), between(around[key]), "-"])
        rows.append(["Answers that say they do not know", percent(metrics["answers_abstained"]), "-", "-"])
    if others["items"]:
        title = f"False statements, of {others['items']} questions without annotation"
        rows.append([title, percent(others["false_statement_rate"]), "-", "-"])
    rows.append(["Actions right, of queries with actions", percent(metrics["actions_right"]), "-", "-"])
    rows.append(["Unwished actions", str(metrics["unwished_actions"]), "", ""])
    return rows


def usage(metrics: Mapping[str, Any], name: str) -> str:
    """The mean of a figure of `USAGE` over the queries, a dash where it is not known."""
    mean = metrics["usage"][name]
    return "-" if mean is None else f"{mean:,.1f}" if name == "requests" else f"{mean:,.0f}"


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
    return percent(metrics[STRICT]) + (f" ({between(ends)})" if ends else "")


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
    tables = [rich_table(*main_rows(metrics), folds=True)]
    tables += [rich_table(*group_rows(metrics, group), folds=True) for group in groups if metrics[group]]
    return Group(*tables)


def rich_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str | None = None,
    caption: str | None = None,
    folds: bool = False,
) -> Table:
    """A table for the terminal, figures to the right; `folds`: figures that find no room are cut into lines."""
    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    whole: dict[str, Any] = {"no_wrap": True, "overflow": "fold"} if folds else {}
    for place, name in enumerate(header):
        if place:
            table.add_column(name, justify="right", **whole)
        else:
            table.add_column(name, overflow=whole.get("overflow", "ellipsis"))
    for row in rows:
        table.add_row(*row)
    return table


def markdown(header: Sequence[str], rows: Rows) -> str:
    """A Markdown table, figures to the right, ending in a newline."""
    marks = ["---", *["---:"] * (len(header) - 1)]
    lines = [header, marks, *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


# ---- function calling ------------------------------------------------------------------------------------------------

CALLING_KINDS = ("simple", "complex", "2 calls", "3 calls", "nested", "none")


def score_rows(metrics: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """Accuracy and soft accuracy of all samples and of each kind, with their 95% intervals."""
    kinds = metrics["by_kind"]
    order = [*(kind for kind in CALLING_KINDS if kind in kinds), *(kind for kind in kinds if kind not in CALLING_KINDS)]
    parts = {"all": metrics, **{kind: kinds[kind] for kind in order}}
    rows = []
    for name, part in parts.items():
        figures = [with_interval(part, key) or "-" for key in ("accuracy", "soft_accuracy")]
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
    return Group(*(rich_table(*part) for part in (score_rows(metrics), function_rows(metrics))), _calling_told(metrics))


def _calling_told(metrics: Mapping[str, Any]) -> str:
    told = [f"answers that could not be used: {metrics['errors']}"]
    if metrics["prompt_tokens"] is not None:
        told.append(f"prompt tokens: {metrics['prompt_tokens']:.0f}")
    if metrics["recall"] is not None:
        told.append(f"samples whose functions were all shown: {percent(metrics['recall'])}%")
    mean = metrics["seconds"]["mean"]
    return "; ".join([*told, f"seconds a request: {mean:.2f}" if mean is not None else ""]).strip("; ")
