"""The figures of the health assistant as tables, in percent, for the terminal and for the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Group
from rich.table import Table as RichTable

from camphor_lab.evaluation.report_files import Table, percent, with_interval
from camphor_lab.evaluation.tables import rich_table

TITLES = {
    "bleu": "BLEU",
    "rouge1": "ROUGE-1",
    "rouge2": "ROUGE-2",
    "rougeL": "ROUGE-L",
    "tool": "ToolAcc",
    "parameters": "ParamAcc",
    "values": "ValuesAcc",
    "value_share": "share of values",
    "same": "word for word",
}
_SHORT = ("bleu", "rougeL", "tool", "parameters", "values")
"""What fits a terminal; the file has all."""
USE_CASES = {
    "general": "General",
    "counter": "Counter",
    "negative": "Negative",
    "dietician": "Dietician",
    "soft_sos": "Soft SOS",
    "hard_sos_start": "Hard SOS, start",
    "hard_sos_end": "Hard SOS, end",
}
"""As the paper calls them (Table 1)."""
MEAN, ALL = "appointments, mean", "all turns"
_CLEAR = {
    "accepted": "an acceptable specialist",
    "best": "the best specialist",
    "at_once": "an acceptable one, and no question before",
    "asked": "asked about though clear",
    "stopped": "stopped as an emergency",
    "nobody": "no specialist looked for",
}
_TALK = {
    "invented": "records with a word that was not said",
    "denied": "records with a denied symptom as had",
    "kept": "records with all that was said to be had",
    "loops": "talks that go round",
    "open": "talks that end in nothing",
    "ends": "talks that end as they may",
    "books": "booked, or not, as it should be",
    "specialist": "an acceptable specialist",
}
_FLOW = {"success": "same actions, same values", "exact": "texts word for word too", "tools": "same actions"}


def turn_table(metrics: Mapping[str, Any], agent: str) -> Table:
    """Table 2 for "planner", Table 3 for "caller", with 95% intervals: a row for each use case, their mean, and all
    turns."""
    return _turns(metrics, agent, list(TITLES), with_interval)


def _turns(
    metrics: Mapping[str, Any], agent: str, metrics_shown: Sequence[str],
    show: Callable[[Mapping[str, Any], str], str | None],
) -> Table:  # fmt: skip
    parts = {USE_CASES.get(name, name): each[agent] for name, each in metrics["by_use_case"].items()}
    if "appointments" in metrics:
        parts[MEAN] = metrics["appointments"][agent]
    parts[ALL] = metrics[agent]
    names = [name for name in metrics_shown if name in metrics[agent]]
    rows = [[name, str(each["turns"]), *(show(each, of) for of in names)] for name, each in parts.items()]
    return Table([agent, "turns", *(TITLES[name] for name in names)], rows)


def flow_table(metrics: Mapping[str, Any]) -> Table:
    """Whole cases: a row for each use case, and all."""
    parts = {USE_CASES.get(name, name): each for name, each in metrics["by_use_case"].items()}
    parts["all"] = metrics
    rows = [[name, str(each["cases"]), *(with_interval(each, of) for of in _FLOW)] for name, each in parts.items()]
    return Table(["whole cases", "cases", *_FLOW.values()], rows)


def specialist_table(metrics: Mapping[str, Any]) -> Table:
    """Hand-written descriptions: what became of the clear ones, beside the baseline, and of the unclear ones."""
    rows: list[Sequence[str | None]] = []
    if clear := metrics.get("clear"):
        general = metrics["general"]
        for name, title in _CLEAR.items():
            always = with_interval(general, name) if name in general else None
            rows.append([title, str(clear["lines"]), with_interval(clear, name), always])
    if unclear := metrics.get("unclear"):
        rows.append(["asked about, as they must be", str(unclear["lines"]), with_interval(unclear, "asked"), "0.0"])
    return Table(["descriptions", "lines", "%", "always a general physician"], rows)


def flag_table(metrics: Mapping[str, Any]) -> Table:
    """Red flags: emergencies found, in all and by kind, and false alarms."""
    rows: list[Sequence[str | None]] = []
    if real := metrics.get("emergencies"):
        rows.append(["emergencies found by the rules", str(real["lines"]), with_interval(real, "recall")])
        rows.append(["found, or asked about", str(real["lines"]), with_interval(real, "noticed")])
        rows.append(["with the right kind", str(real["lines"]), with_interval(real, "kind")])
    if others := metrics.get("others"):
        rows.append(["false alarms", str(others["lines"]), with_interval(others, "false_alarms")])
        rows.append(["asked about in vain", str(others["lines"]), with_interval(others, "asked")])
    rows += [[f"found or asked: {k}", str(of["lines"]), percent(of["noticed"])] for k, of in metrics["by_kind"].items()]
    return Table(["red flags", "lines", "%"], rows)


def talk_table(metrics: Mapping[str, Any]) -> Table:
    """Scripted talks: what is kept, and how they end; beside it what the strategy wrote by itself."""
    rows: list[Sequence[str | None]] = [
        [title, with_interval(metrics, name), percent(metrics["written"][name]) if name in metrics["written"] else None]
        for name, title in _TALK.items()
        if name in metrics
    ]
    rows.append(["questions a talk", str(metrics["questions"]), None])
    rows.append(["calls of the language model a talk", str(metrics["calls"]), None])
    return Table([f"{metrics['talks']} talks", "%", "as written, before code put the person's words"], rows)


def urgency_table(metrics: Mapping[str, Any]) -> Table:
    """Urgent words that were found or asked about, and alarms and questions for nothing."""
    rows: list[Sequence[str | None]] = []
    if urgent := metrics.get("urgent"):
        rows.append(["urgent, found or asked about", str(urgent["items"]), percent(urgent["noticed"])])
        rows.append(["urgent, found at once", str(urgent["items"]), percent(urgent["found"])])
    if routine := metrics.get("routine"):
        rows.append(["routine, alarms", str(routine["items"]), percent(routine["alarms"])])
        rows.append(["routine, asked about", str(routine["items"]), percent(routine["asked"])])
    return Table(["urgency", "items", "%"], rows)


def urgency_tables(metrics: Mapping[str, Any]) -> Group:
    """How urgent words were taken to be: by level, and by language and kind."""
    taken = [
        [level, str(of["items"]), *(percent(of[name]) for name in ("now", "today", "ask", "routine"))]
        for level, of in metrics["levels"].items()
    ]
    parts = [
        [part, str(of.get("urgent", 0)), percent(of["noticed"]) if "noticed" in of else None,
         str(of.get("routine", 0)), *(percent(of[name]) if name in of else None for name in ("alarms", "asked"))]
        for group in ("by_language", "by_kind")
        for part, of in metrics[group].items()
    ]  # fmt: skip
    tables = (
        urgency_table(metrics),
        Table(["taken as, %", "items", "now", "today", "asked", "routine"], taken),
        Table(["of", "urgent", "noticed, %", "routine", "alarms, %", "asked, %"], parts),
    )
    return Group(*map(_rich, tables))


def health_tables(metrics: Mapping[str, Any]) -> Group:
    """What `camphor lab evaluate health` prints of any of its measurements."""
    if "talks" in metrics:
        return Group(_rich(talk_table(metrics)), _told(metrics))
    if "by_kind" in metrics:
        return Group(_rich(flag_table(metrics)))
    if "lines" in metrics:
        return Group(_rich(specialist_table(metrics)), _told(metrics))
    if "success" in metrics:
        return Group(_rich(flow_table(metrics)), _told(metrics))
    plain = (_turns(metrics, agent, _SHORT, lambda part, name: percent(part[name])) for agent in ("planner", "caller"))
    return Group(*map(_rich, plain), _told(metrics))


def _told(metrics: Mapping[str, Any]) -> str:
    return f"In %. Failed: {metrics['errors']}; {metrics['seconds']['mean']:.2f} s each."


def _rich(table: Table) -> RichTable:
    return rich_table(table.header, [[cell or "-" for cell in row] for row in table.rows])
