"""The section of the report on ways to use a model (CAMPHOR, Table 1), and what it can say of the paper's claims."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from camphor_lab.evaluation import plots
from camphor_lab.evaluation.compare import compare
from camphor_lab.evaluation.report_files import (
    HEADER,
    SCORES,
    TEST,
    Block,
    PlotBlock,
    Results,
    Section,
    TableBlock,
    TextBlock,
    incomparable,
    made_by,
    missing,
    one_data_set,
)
from camphor_lab.evaluation.report_models import SPENT, calls_made, measured
from camphor_lab.evaluation.tables import USAGE, usage
from camphor_lab.evaluation.usage import mean_usage, usage_of

FIRST = "camphor"
"""What the other strategies are set against."""


def strategies(results: Results, paper: Mapping[str, Any]) -> Section:
    """Table 1: ways for the agents to work together, a table and a plot for each language model."""
    published: Mapping[str, Any] = paper["table1"]["rows"]
    words = _words()
    by_model: dict[str, dict[str, Any]] = {}
    for name, report in results.evaluations("table1-*").items():
        strategy = report["run"]["strategy"]
        if strategy in published or strategy in words["ours"]:
            by_model.setdefault(name.removeprefix(f"table1-{strategy}-"), {})[strategy] = report
    blocks: list[Block] = []
    for model, reports in by_model.items():
        blocks += _strategies_of(model, reports, published, words)
    if by_model:
        blocks += [calls_made(), TextBlock(_line(words["costs"]))]
        if any(
            "adapter" in report["run"].get("settings", {}) for each in by_model.values() for report in each.values()
        ):
            blocks.append(TextBlock(_line(words["tuned"])))
        blocks.append(TextBlock(f"The paper's model is {paper['table1']['model']} ({paper['table1']['where']})."))
        blocks += [incomparable(paper), TextBlock(words["intro"]), _claims(words)]
    blocks += missing(
        "a strategy of Table 1",
        [
            _command(key, model, reports)
            for model, reports in (by_model or {"MODEL": {}}).items()
            for key in _rows(reports, published, words)
            if key not in reports
        ],
    )
    return Section("Table 1: strategies", blocks)


def _rows(reports: Mapping[str, Any], published: Mapping[str, Any], words: Mapping[str, Any]) -> dict[str, str]:
    """The names of the rows by strategy: the paper's, and ours where a model could have them."""
    ours: Mapping[str, str] = words["ours"] if words["ours"].keys() & reports.keys() else {}
    return {**{key: row["name"] for key, row in published.items()}, **ours}


def _strategies_of(
    model: str, reports: Mapping[str, Any], published: Mapping[str, Any], words: Mapping[str, Any]
) -> list[Block]:
    names = _rows(reports, published, words)
    ours = [
        (name, [100 * (reports[key]["metrics"][s] or 0) for s in SCORES] if key in reports else None)
        for key, name in names.items()
    ]
    theirs = [(row["name"], [row[score] for score in SCORES]) for row in published.values()]
    return [
        TextBlock(f"With **{model}**:"),
        TableBlock(
            [
                "strategy",
                *HEADER,
                *SPENT,
                *(f"{title.lower()}/query" for title in USAGE.values()),
                *(f"{title}, paper" for title in HEADER),
            ],
            [_row(f"{name} (`{key}`)", reports.get(key), published.get(key)) for key, name in names.items()],
        ),
        made_by(reports),
        *one_data_set(reports),
        *_differences(reports, names, words),
        PlotBlock(
            f"strategies-{model}",
            f"The strategies with {model}, and in the paper.",
            lambda f: plots.beside(f, {model: ours, "the paper's model, on its data": theirs}, HEADER),
            4.2,
        ),
    ]


def _row(title: str, report: Mapping[str, Any] | None, theirs: Mapping[str, Any] | None) -> list[str | None]:
    paper = [None if theirs is None else f"{theirs[score]:.1f}" for score in SCORES]
    return [title, *measured(report), *_used(report), *paper]


def _used(report: Mapping[str, Any] | None) -> list[str | None]:
    """What a query asked of the model, also of files from before this was counted."""
    if report is None:
        return [None] * len(USAGE)
    counted = report["metrics"].get("usage") or mean_usage(usage_of(item.get("timing", {})) for item in report["items"])
    return [usage({"usage": counted}, name) for name in USAGE]


def _differences(reports: Mapping[str, Any], names: Mapping[str, str], words: Mapping[str, Any]) -> list[Block]:
    """How far each strategy is from CAMPHOR's agents, and whether the queries can tell."""
    scored = [key for key, report in reports.items() if all("score" in item for item in report["items"])]
    rows = []
    for key, name in names.items():
        if key == FIRST or not {FIRST, key} <= {*scored}:
            continue
        gain, ends = compare(reports[FIRST], reports[key]).difference["plan_f1"]
        if gain is None or ends is None:
            continue
        low, high = (100 * end for end in ends)
        verdict = words["undecided"] if low <= 0 <= high else f"{'better' if low > 0 else 'worse'} {words['order']}"
        rows.append([f"{name} (`{key}`)", f"{100 * gain:+.1f} ({low:+.1f} to {high:+.1f})", verdict])
    return [TableBlock(["strategy", words["less"], ""], rows)] if rows else []


def _claims(words: Mapping[str, Any]) -> TableBlock:
    rows = [[each["claim"], each["tested"], _line(each["how"])] for each in words["claims"]]
    return TableBlock(["the paper's claim", "tested", "by what, or why not"], rows)


def _command(strategy: str, model: str, reports: Mapping[str, Any]) -> str:
    """What measures a strategy on the same queries as the others of the model."""
    out = f"results/table1-{strategy}-{model}.json"
    for report in reports.values():
        command = str(report["run"]["command"])
        if "--strategy " in command and "--out " in command:
            command = re.sub(r"--strategy \S+", f"--strategy {strategy}", command)
            return re.sub(r"--out \S+", f"--out {out}", command)
    return f"camphor lab evaluate {TEST} --strategy {strategy} --model {model} --out {out}"


def _words() -> dict[str, Any]:
    """What `claims.toml` says of Table 1."""
    text = (files("camphor_lab.evaluation") / "claims.toml").read_text(encoding="utf-8")
    found: dict[str, Any] = tomllib.loads(text)["table1"]
    return found


def _line(text: str) -> str:
    return " ".join(text.split())
