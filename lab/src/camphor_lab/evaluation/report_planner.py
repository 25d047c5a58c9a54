"""The report's section on tools and plans with the context of a query (Context Tuning, Figure 2 and Table 3)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from camphor_lab.evaluation import plots
from camphor_lab.evaluation.context_planner import FILE
from camphor_lab.evaluation.report_files import (
    Block,
    Missing,
    Plot,
    Results,
    Section,
    Table,
    Words,
    percent,
    with_interval,
)

SETTINGS = ("none", "tools", "context", "oracle-tools", "oracle-both")
SCORES = {"plan_accuracy": "plan accuracy", "exact_match": "exact match", "hallucination": "hallucination"}
TOOLS = "context-tools*"
_DATA = "runs/context"


def planner(results: Results, paper: Mapping[str, Any]) -> Section:
    """Recall of tools with and without context, and the planner in the five settings beside the paper's.

    Args:
        paper: the figures of the Context Tuning paper.
    """
    return Section("Context tuning: tools and plans", [*_tools(results), *_plans(results, paper["table3"])])


def _tools(results: Results) -> list[Block]:
    """Figure 2, a table and a plot for each retriever."""
    found = {name: told for name, told in results.matching(TOOLS).items() if "gains" in (told or {})}
    if not found:
        command = f"camphor lab evaluate context tools {_DATA} --out results/context-tools.json"
        return [Missing("recall of tools with and without context (Figure 2)", [command])]
    blocks: list[Block] = []
    for name, told in found.items():
        methods = told["methods"]
        ks = list(next(iter(methods.values()))["recall"])
        header = ["tools searched for by", *(f"recall@{k}" for k in ks), *(f"the plan's tool@{k}" for k in ks)]
        rows = [
            [way, *(_around(row, k) for k in ks), *(percent(row["plan"]["recall"][k]) for k in ks)]
            for way, row in methods.items()
        ]
        lines = {way: {**row, "interval_95": row["interval_95"]["recall"]} for way, row in methods.items()}
        run = told["run"]
        blocks += [
            Table(header, rows),
            Words(
                f"{run['queries']} queries of `{run['dataset']}`, each among {run['among']:g} tools; with 95% "
                f"intervals over persons. Items are the first {run['items']} that `{run.get('method')}` finds, or the "
                "gold ones. In words, items stand behind the query in the text that is searched with, as in the paper; "
                "by votes each item votes for the tools of its app beside the scores for the query alone, which is "
                f"ours. The paper draws Figure 2 without figures. Made by `{run['command']}`."
            ),
            Plot(name, "Recall of tools at K.", partial(plots.recall_lines, rows=lines)),
        ]
    return blocks


def _around(row: Mapping[str, Any], k: str) -> str:
    low, high = row["interval_95"]["recall"][k]
    return f"{percent(row['recall'][k])} ({percent(low)} to {percent(high)})"


def _plans(results: Results, paper: Mapping[str, Any]) -> list[Block]:
    """Table 3."""
    names = {setting: FILE.format(setting=setting).removesuffix(".json") for setting in SETTINGS}
    found = {setting: told for setting, name in names.items() if (told := results.get(name))}
    lacking = [setting for setting in SETTINGS if setting not in found]
    blocks: list[Block] = []
    if found:
        theirs = paper["rows"]
        header = ["setting", *SCORES.values(), *(f"{title}, paper" for title in SCORES.values())]
        header += ["right tool", "tool shown", "items shown", "values shown", "prompt tokens", "s/query"]
        rows = [_row(setting, told["metrics"], theirs[setting]) for setting, told in found.items()]
        bars: plots.Bars = [
            (
                f"{setting} ({theirs[setting]['name']})",
                [100 * found[setting]["metrics"]["plan_accuracy"], theirs[setting]["plan_accuracy"]],
            )
            for setting in found
        ]
        blocks += [
            Table(header, rows),
            *_gains(found, theirs),
            Words(_explained(found, paper)),
            Plot(
                "context-plans",
                "Plan accuracy of the planner.",
                lambda figure: plots.bars(figure, bars, ("ours", "paper, its data")),
                3.4,
            ),
        ]
    if lacking:
        wanted = " ".join(f"--setting {setting}" for setting in lacking) if found else "--setting all"
        blocks.append(
            Missing(
                "a setting of the planner (Table 3)",
                [f"camphor lab evaluate context plan {_DATA} {wanted} --out results"],
            )
        )
    return blocks


def _row(setting: str, metrics: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str | None]:
    tokens = metrics["prompt_tokens"]
    return [
        f"{setting} ({theirs['name']})",
        *(with_interval(metrics, score) for score in SCORES),
        *(f"{theirs[score]:.2f}" for score in SCORES),
        percent(metrics["tool_accuracy"]),
        percent(metrics["tools_found"]) if setting != "none" else None,
        percent(metrics["items_found"]) if setting in ("context", "oracle-both") else None,
        percent(metrics["values_found"]),
        None if tokens is None else f"{tokens:.0f}",
        f"{metrics['seconds']['mean']:.2f}",
    ]


def _gains(found: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[Block]:
    """How far each setting is ahead of retrieval for the query alone, in points."""
    rows: list[list[str | None]] = []
    for setting, told in found.items():
        if "gain" not in told:
            continue
        gain = told["gain"]
        low, high = gain["interval_95"]["plan_accuracy"]
        ahead = f"{100 * gain['plan_accuracy']:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
        rows.append([setting, ahead, f"{theirs[setting]['plan_accuracy'] - theirs['tools']['plan_accuracy']:+.2f}"])
    return [Table(["plan accuracy less that of tools, points", "ours", "paper"], rows)] if rows else []


def _explained(found: Mapping[str, Any], paper: Mapping[str, Any]) -> str:
    runs = [told["run"] for told in found.values()]
    metrics = next(iter(found.values()))["metrics"]
    queries = f"{metrics['queries']} queries of {metrics['people']} people of `{runs[0]['dataset']}`"
    commands = "; ".join(dict.fromkeys(f"`{run['command']}`" for run in runs))
    return (
        f"On {queries}, with 95% intervals of the bootstrap over people; the paper's figures are {paper['where']}, of "
        f"{paper['model']} on {paper['data']}, so that the two are no one ranking. Plan accuracy: same tool, same "
        "parameters, values equal in normal form; exact match: the same text. Hallucination, a tool that does not "
        "exist, is 0 by construction: decoding is held to a grammar. Without retrieval (none) the prompt shows no tool "
        "and no item. Values shown is the share of queries whose right plan holds no text but what the query or the "
        f"items shown say: no planner that copies can be right more often. Made by {commands}."
    )
