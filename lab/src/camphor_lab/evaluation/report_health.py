"""The report's section on the health assistant (medical paper, section 7, Tables 2 and 3), from result files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from camphor_lab.evaluation import plots
from camphor_lab.evaluation.health_tables import (
    MEAN,
    TITLES,
    USE_CASES,
    flow_table,
    specialist_table,
    talk_table,
    turn_table,
    urgency_table,
)
from camphor_lab.evaluation.report_files import Block, Missing, Plot, Results, Section, Table, Words

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
    blocks = [*_turns(results, paper), *_flows(results), *_talks(results), *_specialists(results), *_urgency(results)]
    return Section("The health assistant: planner and caller (Tables 2 and 3)", blocks)


def _turns(results: Results, paper: Mapping[str, Any]) -> list[Block]:
    found = _measured(results, TURNS, "by_use_case")
    if not found:
        command = f"camphor lab evaluate health {_DATA} --out results/health-turns.json"
        return [Missing("planner and caller turn by turn (Tables 2 and 3)", [command])]
    blocks: list[Block] = [Words(_about(paper))]
    for name, told in found.items():
        metrics = told["metrics"]
        blocks.append(Words(f"{metrics['cases']} cases of {_made(told)}"))
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


def _beside(table: Table, theirs: Mapping[str, Mapping[str, float]]) -> Table:
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
    return Table(table.header, rows)


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
    return [Plot(name, "ROUGE-L by use case.", partial(plots.bars, rows=rows, names=names), 1.2 + 0.7 * len(rows))]


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
        blocks += [Words(words), flow_table(told["metrics"])]
    return blocks


def _talks(results: Results) -> list[Block]:
    found = _measured(results, TALKS, "talks")
    blocks: list[Block] = []
    for told in found.values():
        blocks.append(Words(f"Scripted talks, {_made(told)}"))
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
        blocks += [Words(words), specialist_table(metrics), *_mistaken(metrics)]
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
    return [Table(["best specialist", "lines", "looked for instead, where it is not accepted"], rows)] if rows else []


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
        blocks += [Words(words + _made(told)), urgency_table(told["metrics"])]
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
