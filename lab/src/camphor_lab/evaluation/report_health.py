"""The figures of the health assistant: tables in percent, for the terminal and the report, and the report's section."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rich.console import Group
from rich.table import Table as RichTable

from camphor_lab.evaluation import plots
from camphor_lab.evaluation.report_files import (
    Block,
    Missing,
    PlotBlock,
    Results,
    Section,
    TableBlock,
    TextBlock,
    percent,
    with_interval,
)
from camphor_lab.evaluation.tables import rich_table

# The figures of the health assistant as tables, in percent, for the terminal and for the report.

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


def turn_table(metrics: Mapping[str, Any], agent: str) -> TableBlock:
    """Table 2 for "planner", Table 3 for "caller", with 95% intervals: a row for each use case, their mean, and all
    turns."""
    return _turns(metrics, agent, list(TITLES), with_interval)


def _turns(
    metrics: Mapping[str, Any], agent: str, metrics_shown: Sequence[str],
    show: Callable[[Mapping[str, Any], str], str | None],
) -> TableBlock:  # fmt: skip
    parts = {USE_CASES.get(name, name): each[agent] for name, each in metrics["by_use_case"].items()}
    if "appointments" in metrics:
        parts[MEAN] = metrics["appointments"][agent]
    parts[ALL] = metrics[agent]
    names = [name for name in metrics_shown if name in metrics[agent]]
    rows = [[name, str(each["turns"]), *(show(each, of) for of in names)] for name, each in parts.items()]
    return TableBlock([agent, "turns", *(TITLES[name] for name in names)], rows)


def flow_table(metrics: Mapping[str, Any]) -> TableBlock:
    """Whole cases: a row for each use case, and all."""
    parts = {USE_CASES.get(name, name): each for name, each in metrics["by_use_case"].items()}
    parts["all"] = metrics
    rows = [[name, str(each["cases"]), *(with_interval(each, of) for of in _FLOW)] for name, each in parts.items()]
    return TableBlock(["whole cases", "cases", *_FLOW.values()], rows)


def specialist_table(metrics: Mapping[str, Any]) -> TableBlock:
    """Hand-written descriptions: what became of the clear ones, beside the baseline, and of the unclear ones."""
    rows: list[Sequence[str | None]] = []
    if clear := metrics.get("clear"):
        general = metrics["general"]
        for name, title in _CLEAR.items():
            always = with_interval(general, name) if name in general else None
            rows.append([title, str(clear["lines"]), with_interval(clear, name), always])
    if unclear := metrics.get("unclear"):
        rows.append(["asked about, as they must be", str(unclear["lines"]), with_interval(unclear, "asked"), "0.0"])
    return TableBlock(["descriptions", "lines", "%", "always a general physician"], rows)


def flag_table(metrics: Mapping[str, Any]) -> TableBlock:
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
    return TableBlock(["red flags", "lines", "%"], rows)


def talk_table(metrics: Mapping[str, Any]) -> TableBlock:
    """Scripted talks: what is kept, and how they end; beside it what the strategy wrote by itself."""
    rows: list[Sequence[str | None]] = [
        [title, with_interval(metrics, name), percent(metrics["written"][name]) if name in metrics["written"] else None]
        for name, title in _TALK.items()
        if name in metrics
    ]
    rows.append(["questions a talk", str(metrics["questions"]), None])
    rows.append(["calls of the language model a talk", str(metrics["calls"]), None])
    return TableBlock([f"{metrics['talks']} talks", "%", "as written, before code put the person's words"], rows)


def urgency_table(metrics: Mapping[str, Any]) -> TableBlock:
    """Urgent words that were found or asked about, and alarms and questions for nothing."""
    rows: list[Sequence[str | None]] = []
    if urgent := metrics.get("urgent"):
        rows.append(["urgent, found or asked about", str(urgent["items"]), percent(urgent["noticed"])])
        rows.append(["urgent, found at once", str(urgent["items"]), percent(urgent["found"])])
    if routine := metrics.get("routine"):
        rows.append(["routine, alarms", str(routine["items"]), percent(routine["alarms"])])
        rows.append(["routine, asked about", str(routine["items"]), percent(routine["asked"])])
    return TableBlock(["urgency", "items", "%"], rows)


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
        TableBlock(["taken as, %", "items", "now", "today", "asked", "routine"], taken),
        TableBlock(["of", "urgent", "noticed, %", "routine", "alarms, %", "asked, %"], parts),
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


def _rich(table: TableBlock) -> RichTable:
    return rich_table(table.header, [[cell or "-" for cell in row] for row in table.rows])


# The report's section on the health assistant (medical paper, section 7, Tables 2 and 3), from result files.

TURNS, FLOWS = "health-turns*", "health-flows*"
SPECIALISTS, URGENCY, TALKS = "health-specialists*", "health-urgency*", "health-talks*"
AGENTS = ("planner", "caller")
_DATA, _LINES = "runs/health", "data/health-test"
_SHOWN = 8
"""Kinds of specialists whose mistakes are shown."""


def health(results: Results, paper: Mapping[str, Any]) -> Section:
    """Tables 2 and 3 with a plot, whole cases, talks, hand-written descriptions and urgency.

    Args:
        paper: the figures of the medical paper.
    """
    blocks = [
        *_turn_blocks(results, paper),
        *_flows(results),
        *_talks(results),
        *_specialists(results),
        *_urgency(results),
    ]
    return Section("The health assistant: planner and caller (Tables 2 and 3)", blocks)


def _turn_blocks(results: Results, paper: Mapping[str, Any]) -> list[Block]:
    found = _measured(results, TURNS, "by_use_case")
    if not found:
        command = f"camphor lab evaluate health {_DATA} --out results/health-turns.json"
        return [Missing("planner and caller turn by turn (Tables 2 and 3)", [command])]
    blocks: list[Block] = [TextBlock(_about(paper))]
    for name, told in found.items():
        metrics = told["metrics"]
        blocks.append(TextBlock(f"{metrics['cases']} cases of {_made(told)}"))
        blocks += [_beside(turn_table(metrics, agent), paper[agent]) for agent in AGENTS]
        blocks += _plot(name, metrics, paper)
    return blocks


def _about(paper: Mapping[str, Any]) -> str:
    return (
        f"The paper's rows ({paper['where']}) cannot be compared with ours directly: they are of {paper['data']}, and "
        f"of {paper['model']}; ours are of cases that code played on simulated phones, whose texts vary less, and of "
        "the model that the command names. Each turn is written after the recorded history, under the grammar of "
        "running. BLEU is of all turns together; ValuesAcc counts calls with every value right, texts word for word; "
        "the mean counts each of the four use cases the same, as the paper's averages do (ROUGE-L "
        f"{_mean(paper['planner'], 'rougeL'):.1f} and {_mean(paper['caller'], 'rougeL'):.1f}). For its SOS flows the "
        "paper tells 100% without a table. BLEU and ROUGE compare with texts of our own templates, and were blind to "
        "what matters in a record: in 14 to 16 of 18 talks of strangers the planner kept symptoms that were denied or "
        "never said. Scripted talks count those, below. Intervals are 95% bootstrap ones over cases."
    )


def _beside(table: TableBlock, theirs: Mapping[str, Mapping[str, float]]) -> TableBlock:
    """The table with the paper's row under each of ours that it has; its mean is of the same use cases as ours."""
    shown = {row[0] for row in table.rows}
    both = {name: row for name, row in theirs.items() if USE_CASES[name] in shown}
    names = [next(name for name, title in TITLES.items() if title == column) for column in table.header[2:]]
    rows: list[Sequence[str | None]] = []
    for row in table.rows:
        rows.append(row)
        use_case = next((name for name, title in USE_CASES.items() if title == row[0]), "")
        if use_case in theirs or row[0] == MEAN:
            published = theirs.get(use_case) or {name: _mean(both, name) for name in theirs["general"]}
            figures = (f"{published[name]:.1f}" if name in published else None for name in names)
            rows.append([f"paper: {row[0]}", None, *figures])
    return TableBlock(table.header, rows)


def _mean(theirs: Mapping[str, Mapping[str, float]], name: str) -> float:
    return sum(row[name] for row in theirs.values()) / len(theirs)


def _plot(name: str, metrics: Mapping[str, Any], paper: Mapping[str, Any]) -> list[Block]:
    """ROUGE-L of both agents beside the paper's; nothing where none of its use cases was measured."""
    groups = metrics["by_use_case"]
    names = [f"{agent}{whose}" for agent in AGENTS for whose in ("", ", paper")]
    rows: plots.Bars = [
        (USE_CASES[use_case], [share for agent in AGENTS for share in _pair(groups, paper, agent, use_case)])
        for use_case in paper[AGENTS[0]]
        if use_case in groups
    ]
    if not rows:
        return []
    return [PlotBlock(name, "ROUGE-L by use case.", partial(plots.bars, rows=rows, names=names), 1.2 + 0.7 * len(rows))]


def _pair(groups: Mapping[str, Any], paper: Mapping[str, Any], agent: str, use_case: str) -> tuple[float, float]:
    """ROUGE-L here and in the paper, in percent."""
    return 100 * groups[use_case][agent]["rougeL"], paper[agent][use_case]["rougeL"]


def _flows(results: Results) -> list[Block]:
    found = _measured(results, FLOWS, "success")
    if not found:
        command = f"camphor lab evaluate health {_DATA} --flows --out results/health-flows.json"
        return [Missing("whole cases of the health assistant", [command])]
    blocks: list[Block] = []
    for told in found.values():
        words = (
            f"Whole cases: {told['metrics']['cases']} of {_made(told)} The loop writes every turn itself on the phone "
            "of the case, whose person answers what the record has. The same actions are those that change something, "
            "or tell or write to somebody, in order; the same values are person, doctor, slot, number and moment, and "
            "in texts all figures."
        )
        blocks += [TextBlock(words), flow_table(told["metrics"])]
    return blocks


def _talks(results: Results) -> list[Block]:
    found = _measured(results, TALKS, "talks")
    blocks: list[Block] = []
    for told in found.values():
        blocks.append(TextBlock(f"Scripted talks, {_made(told)}"))
        blocks.append(talk_table(told["metrics"]))
    return blocks


def _specialists(results: Results) -> list[Block]:
    found = _measured(results, SPECIALISTS, "lines")
    if not found:
        file = f"{_LINES}/specialists.jsonl"
        command = f"camphor lab evaluate health --specialists {file} --out results/health-specialists.json"
        return [Missing("the right specialist for hand-written descriptions", [command])]
    blocks: list[Block] = []
    for told in found.values():
        metrics = told["metrics"]
        words = (
            f"{metrics['lines']} descriptions of {_made(told)} Every kind of specialist is free; a question is "
            "answered with nothing new, and counted."
        )
        blocks += [TextBlock(words), specialist_table(metrics), *_mistaken(metrics)]
    return blocks


def _mistaken(metrics: Mapping[str, Any]) -> list[Block]:
    """Whom it looked for instead, where most is wrong."""
    mistaken = metrics.get("mistaken") or {}
    worst = sorted(mistaken, key=lambda each: -sum(mistaken[each].values()))[:_SHOWN]
    lines = metrics.get("by_specialist", {})
    rows = [
        [name, str(lines[name]["lines"]), ", ".join(f"{whom} {n}" for whom, n in mistaken[name].items())]
        for name in worst
    ]
    return (
        [TableBlock(["best specialist", "lines", "looked for instead, where it is not accepted"], rows)] if rows else []
    )


def _urgency(results: Results) -> list[Block]:
    found = _measured(results, URGENCY, "levels")
    if not found:
        command = (
            "camphor lab evaluate health --urgency data/health-urgency-test --out results/health-urgency-test.json"
        )
        return [Missing("how urgent words are, told by code", [command])]
    blocks: list[Block] = []
    for told in found.values():
        words = f"How urgent words are, told by code without a language model: {told['metrics']['items']} items of "
        blocks += [TextBlock(words + _made(told)), urgency_table(told["metrics"])]
    return blocks


def _measured(results: Results, pattern: str, metric: str) -> dict[str, Any]:
    """The files of these names that `camphor lab evaluate health` wrote."""
    return {
        name: told
        for name, told in results.matching(pattern).items()
        if isinstance(told, dict) and metric in told.get("metrics", ())
    }


def _made(told: Mapping[str, Any]) -> str:
    run = told["run"]
    return f"`{run['dataset']}`. Made by `{run['command']}`."
