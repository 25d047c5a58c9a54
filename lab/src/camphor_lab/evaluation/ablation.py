"""What each policy is worth: every query is answered with all of them, and again with each switched off.

A model is asked the same thing once (`Once`), so a policy costs only the queries in which it changes a prompt. Figures
are those of the contract; `changed` are the queries whose calls or words differ, by which a policy can be read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.results import Result, run_all, write_report
from camphor_lab.evaluation.runner import AssistantAnswerer, Once, run_item, score_run
from camphor_lab.evaluation.values import Similarity

ALL = "all policies"
FIGURES = {
    "plan_f1": "plan",
    "tool_f1": "tool",
    "no_call_accuracy": "none",
    "actions_right": "acts",
    "answers_right": "answers",
    "false_statement_rate": "false",
    "unwished_actions": "extra",
}
"""The figures that are compared, each with its head in the table."""
Progress = Callable[[str, int, int], None]
"""Is told the variant, and how many of how many queries are done."""


def ablate(
    datasets: Mapping[str, Dataset],
    answerer: AssistantAnswerer,
    similarity: Similarity,
    names: Sequence[str],
    *,
    out: Path,
    run: Mapping[str, Any],
    progress: Progress,
) -> dict[str, Any]:
    """The figures of each dataset with all policies, and with each of `names` switched off.

    The file is written after each variant; the same command goes on where it was stopped.

    Args:
        datasets: each with what it is called in the file. run: what is recorded of the run, without the date; another
            one begins anew.

    Raises:
        UsageError: the file cannot be written.
    """
    kept = _kept(out, run)
    remembering = replace(answerer, model=Once(answerer.model))
    variants = kept["variants"]
    for name in (ALL, *names):
        if name in variants:
            continue
        limits = answerer.limits if name == ALL else answerer.limits.without(name)
        variants[name] = {}
        for label, dataset in datasets.items():
            results = _run(dataset, replace(remembering, limits=limits), name, progress)
            told = variants[name][label] = _told(dataset, results, similarity)
            if name != ALL:  # what is said as with all policies need not be kept again
                whole = variants[ALL][label]["said"]
                told["said"] = {key: said for key, said in told["said"].items() if said != whole[key]}
        kept["run"]["date"] = datetime.now(UTC).isoformat(timespec="seconds")
        write_report(out, kept)
    return kept


def _kept(out: Path, run: Mapping[str, Any]) -> dict[str, Any]:
    """What a stopped run has left, or an empty report."""
    try:
        kept: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        if {**kept["run"], "date": None} == {**run, "date": None}:
            return kept
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {"run": dict(run), "variants": {}}


def _run(dataset: Dataset, answerer: AssistantAnswerer, name: str, progress: Progress) -> list[Result]:
    def told(done: int, total: int, _: Result) -> None:
        progress(name, done, total)

    return run_all(dataset.items, lambda item: run_item(dataset, item, answerer), None, told)


def _told(dataset: Dataset, results: Sequence[Result], similarity: Similarity) -> dict[str, Any]:
    metrics = score_run(dataset, results, similarity)["metrics"]
    said = {each.id: json.dumps([each.to_json()["predicted"], each.response], default=str) for each in results}
    return {"queries": len(results), **{figure: metrics.get(figure) for figure in FIGURES}, "said": said}


def table(report: Mapping[str, Any]) -> list[list[str]]:
    """A row for each policy: the difference that switching it off makes to each figure, over all datasets, in points.

    Figures of several datasets are averaged by their queries; unwished actions are counted. Last, how many queries
    change.
    """
    variants = report["variants"]
    rows = [[ALL, *(_shown(figure, _mean(variants[ALL], figure), None) for figure in FIGURES), ""]]
    for name, told in variants.items():
        if name != ALL:
            figures = (_shown(figure, _mean(told, figure), _mean(variants[ALL], figure)) for figure in FIGURES)
            rows.append([name, *figures, str(len(changed(report, name)))])
    return rows


def changed(report: Mapping[str, Any], name: str) -> list[str]:
    """The queries that are answered otherwise without a policy."""
    return [key for told in report["variants"][name].values() for key in told["said"]]


def _mean(told: Mapping[str, Any], figure: str) -> float | None:
    values = [(each[figure], each["queries"]) for each in told.values() if each[figure] is not None]
    if not values:
        return None
    if figure == "unwished_actions":
        return float(sum(value for value, _ in values))
    return float(sum(value * count for value, count in values) / sum(count for _, count in values))


def _shown(figure: str, value: float | None, whole: float | None) -> str:
    if value is None:
        return "-"
    if figure == "unwished_actions":
        return f"{value:.0f}" if whole is None else f"{value - whole:+.0f}"
    return f"{100 * value:.1f}" if whole is None else f"{100 * (value - whole):+.1f}"
