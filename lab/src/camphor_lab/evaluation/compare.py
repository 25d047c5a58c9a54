"""What changed between two runs, what is below a floor, and what each policy is worth."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from camphor.errors import UsageError
from camphor.models.base import LanguageModel
from camphor.tools.calls import render_value
from camphor.types import Call
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.metrics import LEVELS, CallCounts, Score, ScoredQuery, difference_interval
from camphor_lab.evaluation.results import Result, run_all, write_report
from camphor_lab.evaluation.runner import AssistantAnswerer, Once, run_item, score_run
from camphor_lab.evaluation.tables import TITLES
from camphor_lab.evaluation.values import Similarity, alternatives

# What changed between two runs, from the files that `camphor lab evaluate` writes, and what is below a floor.
#
# A floor is the least that an evaluation must reach, in a small committed file, so that what ships cannot get worse
# unseen: `{"answers_right": 0.9, "actions_right": 0.8, "false_statement_rate": 0.02, "unwished_actions": 0}`, shares
# from 0 to 1 that must be reached, and for false statements and unwished actions what may not be passed.


@dataclass(frozen=True)
class QueryChange:
    """One query in two runs."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.after["id"])


@dataclass(frozen=True)
class RunComparison:
    """What changed between two runs over the queries that both have.

    Args:
        fixed, broken: queries that became, or ceased to be, wholly right. better, worse: still wrong in part, with more
            or fewer
            right calls for what was predicted. alone: number of queries that only one run has.
        difference: for each F1 the change from the first run to the second, with its 95% paired bootstrap interval.
    """

    fixed: tuple[QueryChange, ...]
    broken: tuple[QueryChange, ...]
    better: tuple[QueryChange, ...]
    worse: tuple[QueryChange, ...]
    alone: int
    difference: dict[str, tuple[float | None, list[float] | None]]


def scored(item: Mapping[str, Any]) -> ScoredQuery:
    """An item of a results file as the metrics take it."""
    score = Score.from_json(item["score"])
    return ScoredQuery(item["id"], score, tuple(item["tags"]), item["turn"], item["seconds"], item["error"])


def _right(item: Mapping[str, Any]) -> bool:
    return scored(item).score.counts.exact


def _worth(item: Mapping[str, Any]) -> float:
    """How right a query is, at all three levels together: orders two answers to it."""
    counts = scored(item).score.counts
    right = counts.tool + counts.delexicalized + counts.plan
    return 2 * right / (3 * (counts.gold + counts.predicted)) if counts.gold + counts.predicted else 1.0


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> RunComparison:
    """Compare two results files, query by query."""
    old, new = ({item["id"]: item for item in report["items"]} for report in (before, after))
    both = [QueryChange(old[key], new[key]) for key in new if key in old]
    wrong = [change for change in both if not _right(change.before) and not _right(change.after)]
    return RunComparison(
        fixed=tuple(c for c in both if _right(c.after) and not _right(c.before)),
        broken=tuple(c for c in both if _right(c.before) and not _right(c.after)),
        better=tuple(c for c in wrong if _worth(c.after) > _worth(c.before)),
        worse=tuple(c for c in wrong if _worth(c.after) < _worth(c.before)),
        alone=len(old.keys() ^ new.keys()),
        difference=_differences([scored(c.before) for c in both], [scored(c.after) for c in both]),
    )


def _differences(
    before: list[ScoredQuery], after: list[ScoredQuery]
) -> dict[str, tuple[float | None, list[float] | None]]:
    return {
        name: (_change(before, after, field), difference_interval(before, after, name))
        for name, field in LEVELS.items()
    }


def _change(before: list[ScoredQuery], after: list[ScoredQuery], field: str) -> float | None:
    totals = [sum((item.score.counts for item in items), CallCounts()) for items in (before, after)]
    if any(t.gold + t.predicted == 0 for t in totals):
        return None
    first, second = (2 * getattr(t, field) / (t.gold + t.predicted) for t in totals)
    return float(second - first)


def show_comparison(comparison: RunComparison) -> str:
    """The comparison as Markdown that reads as plain text too."""
    lines = ["# What changed", ""]
    for name, (gain, ends) in comparison.difference.items():
        between = f" (95%: {100 * ends[0]:+.1f} to {100 * ends[1]:+.1f})" if ends else ""
        lines.append(f"- {TITLES[name]}: {'-' if gain is None else f'{100 * gain:+.1f}'}{between}")
    if comparison.alone:
        lines.append(f"- {comparison.alone} queries are in one of the two runs only and were left out.")
    for title in ("fixed", "broken", "better", "worse"):
        changes: tuple[QueryChange, ...] = getattr(comparison, title)
        lines += ["", f"## {title.capitalize()}: {len(changes)}"]
        for change in changes:
            lines += ["", f"**{change.id}** {change.after['query']}", *_calls("gold", change.after["gold"])]
            lines += [*_calls("before", change.before["predicted"]), *_calls("after", change.after["predicted"])]
    return "\n".join(lines) + "\n"


def _calls(title: str, calls: Iterable[Mapping[str, Any]]) -> list[str]:
    shown = [f"- {title}: `{_show_gold(Call(call['name'], call['arguments']))}`" for call in calls]
    return shown or [f"- {title}: nothing"]


def _show_gold(call: Call) -> str:
    """A call in call syntax, alternatives of a value separated by ` | `."""
    arguments = (
        f"{name}={' | '.join(render_value(choice) for choice in alternatives(value))}"
        for name, value in call.arguments.items()
    )
    return f"{call.name}({', '.join(arguments)})"


AT_LEAST = ("answers_right", "actions_right", "no_call_accuracy")
AT_MOST = ("false_statement_rate", "unwished_actions")


def read_floor(path: Path) -> dict[str, float]:
    """The bounds of a floor file. Raises UsageError: it cannot be read, or names something else."""
    try:
        bounds = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as JSON ({error}): give one as data/everyday/floor.json") from error
    unknown = set(bounds) - {*AT_LEAST, *AT_MOST} if isinstance(bounds, dict) else {"that"}
    if unknown:
        raise UsageError(f"{path} bounds {sorted(unknown)[0]!r}: known are {', '.join((*AT_LEAST, *AT_MOST))}")
    return {name: float(value) for name, value in bounds.items()}


def fallen(metrics: Mapping[str, Any], floor: Mapping[str, float]) -> list[str]:
    """What is worse than the floor, a sentence each; what was not measured is worse."""
    told = []
    for name, bound in floor.items():
        value = metrics.get(name)
        if value is None:
            told.append(f"{name} was not measured")
        elif name in AT_LEAST and value < bound:
            told.append(f"{name} is {value:.3f}, at least {bound:g} is wanted")
        elif name in AT_MOST and value > bound:
            told.append(f"{name} is {value:g}, at most {bound:g} is allowed")
    return told


# What each policy is worth: every query is answered with all of them, and again with each switched off.
#
# A model is asked the same thing once (`Once`), so a policy costs only the queries in which it changes a prompt.
# Figures are those of the contract; `changed` are the queries whose calls or words differ, by which a policy can be
# read.

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
    assert isinstance(answerer.model, LanguageModel)  # a conversation is not said twice
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
