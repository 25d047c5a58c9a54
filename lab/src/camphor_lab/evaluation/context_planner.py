"""Run the planner on implicit queries in the paper's five settings and score its plans (Context Tuning, Table 3).

A failed query is a result; a stopped run goes on where it was under the same configuration (`results.Partial`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import camphor
from camphor.errors import ArgumentError, CamphorError
from camphor.models.base import LanguageModel
from camphor.tools.call_formats import write_code
from camphor.tools.plans import Plan, plan_from_json
from camphor.tools.tool import Role, Toolbox
from camphor.types import Call
from camphor_lab.context.planner import Planner, background_of, unsaid
from camphor_lab.datasets.context.given import Given, Giver, PlannerInput
from camphor_lab.datasets.context.samples import ContextSample
from camphor_lab.evaluation.calling import normal_form
from camphor_lab.evaluation.dataset import ContextDataset
from camphor_lab.evaluation.results import (
    Configuration,
    Partial,
    Progress,
    Result,
    about_run,
    kept,
    mean_timing,
    run_all,
)
from camphor_lab.evaluation.retrieval import mean_figures
from camphor_lab.evaluation.sources import CONTEXT, Meter

# Whether a planner's call is right: plan accuracy on trees, exact match, hallucination (Context Tuning, section 3.4).
#
# The paper says that it matches abstract syntax trees, and no more. Here the tree of a plan is the sequence of its
# calls, the tree of a call its tool, and below that, in any order, its parameters with their values:
#
# * plan accuracy: the trees are equal once values are in normal form. Tools are equal by name; the same parameters are
#   given, no more and no fewer; a text is the same in any case, spacing and kind of quotation mark, a number or a
#   moment however it is written, a phone number by its digits, a list in its order, a range of days by its first and
#   last day. No value is judged by its meaning, as by an embedding: nearly the right title is the wrong event.
# * exact match: the plans are the same text once both are written as code, character by character.
# * hallucination: the share of queries whose plan names a tool that is not in the toolbox, shown to the planner or not.

SCORES = ("plan_accuracy", "exact_match", "hallucination")
METRICS = (*SCORES, "tool_accuracy", "tools_found", "items_found", "values_found")


@dataclass(frozen=True)
class PlanMatch:
    """How one plan compares with the right one.

    Args:
        plan_accuracy, exact_match, hallucination: as said above, for one plan. tool_accuracy: its tools are right.
        tools_found: the planner could call all tools of the right plan. items_found: the share of the gold items that
            it was shown. values_found: all texts of the right plan stand in what it was shown.
    """

    plan_accuracy: bool
    exact_match: bool
    hallucination: bool
    tool_accuracy: bool
    tools_found: bool = True
    items_found: float = 1.0
    values_found: bool = True

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in METRICS}


def tree_of(plan: Plan, toolbox: Toolbox) -> Any:
    """The tree of a plan with its values in normal form; two are equal where plan accuracy counts the plans as the
    same."""
    return tuple((call.name, frozenset(_arguments(call, toolbox))) for call in plan)


def match_plans(gold: Plan, predicted: Plan, toolbox: Toolbox) -> PlanMatch:
    """A predicted plan beside the right one."""
    return PlanMatch(
        plan_accuracy=tree_of(gold, toolbox) == tree_of(predicted, toolbox),
        exact_match=_text_of(gold, toolbox) == _text_of(predicted, toolbox),
        hallucination=any(call.name not in toolbox for call in predicted),
        tool_accuracy=[call.name for call in gold] == [call.name for call in predicted],
    )


def measure_plans(matches: Sequence[PlanMatch], people: Sequence[str], seed: int = 0) -> dict[str, Any]:
    """The mean of each metric, from 0 to 1, with 95% intervals of the bootstrap over people.

    Args:
        people: whose query each was: queries of one person are alike, so whole persons are drawn.

    Raises:
        ValueError: there is nothing to measure.
    """
    measured = mean_figures(METRICS, people, _figures(matches), seed)
    return {"queries": len(matches), "people": len(set(people)), **measured}


def compare_plans(
    better: Sequence[PlanMatch], other: Sequence[PlanMatch], people: Sequence[str], seed: int = 0
) -> dict[str, Any]:
    """How far one planner is ahead of another on the same queries, in the same order: as `measure_plans`, differences.

    Raises:
        ValueError: there is nothing to measure, or not the same number of queries.
    """
    if len(better) != len(other):
        raise ValueError(f"{len(better)} and {len(other)} plans: only those of the same queries can be compared")
    return mean_figures(METRICS, people, _figures(better) - _figures(other), seed)


def _figures(matches: Sequence[PlanMatch]) -> np.ndarray[Any, np.dtype[np.float64]]:
    if not matches:
        raise ValueError("there are no plans to measure")
    return np.array([[getattr(match, name) for name in METRICS] for match in matches], np.float64)


def _arguments(call: Call, toolbox: Toolbox) -> list[tuple[str, Any]]:
    tool = toolbox.get(call.name) if call.name in toolbox else None
    found = []
    for name, value in call.arguments.items():
        parameter = tool.parameter(name) if tool else None
        found.append((name, _normal(value, parameter.role if parameter else Role.TEXT)))
    return found


def _normal(value: Any, role: Role) -> Any:
    if isinstance(value, Mapping):
        return "object", frozenset((str(key), _normal(each, Role.TEXT)) for key, each in value.items())
    if isinstance(value, list | tuple):
        return "list", tuple(_normal(each, role) for each in value)
    if role is Role.TIME_RANGE and isinstance(value, str):
        first, _, last = value.partition("/")
        return "range", normal_form(first), normal_form(last or first)
    return normal_form(value, role is Role.PHONE)


def _text_of(plan: Plan, toolbox: Toolbox) -> str | None:
    """The plan as code; None for one that no code says (a number that is none), which matches nothing written."""
    try:
        return write_code(plan, toolbox)
    except ArgumentError:
        return None


STRATEGY = "context-planner"
FILE = "context-plan-{setting}.json"
PLAIN = PlannerInput.TOOLS
"""The setting that gains are counted from: retrieval for the query alone."""


def evaluate_planner(
    dataset: ContextDataset,
    giver: Giver,
    model: LanguageModel,
    settings: Iterable[PlannerInput],
    *,
    name: str,
    told: Mapping[str, Any] | None = None,
    out: Path | None = None,
    command: str = "",
    progress: Progress | None = None,
) -> dict[PlannerInput, dict[str, Any]]:
    """Run and score the queries of a dataset in each of the settings.

    Args:
        giver: finds tools and items. name: the model's. told: what else decides the answers (hashes of files,
            retrievers). out: a folder for `context-plan-SETTING.json`, each written when it is done; None keeps
            nothing. command: the command line, for the record.

    Returns:
        By setting `{"metrics", "gain", "run", "items"}`: `gain` is the difference from the setting `tools`, where that
        is among the settings; of an item `id`, `query`, `predicted`, `gold`, `response` (what the model wrote),
        `match`, `seconds`, `error` (why the plan could not be used), `tags` and `timing`.

    Raises:
        UsageError: nothing can be written to `out`. DatasetError: a sample names an item or a tool that there is not.
    """
    chosen = list(dict.fromkeys(settings))
    reports: dict[PlannerInput, dict[str, Any]] = {}
    matches: dict[PlannerInput, list[PlanMatch]] = {}

    def report_of(setting: PlannerInput, configuration: Configuration, kept_so_far: Partial | None) -> dict[str, Any]:
        results = _results(dataset, giver, model, setting, kept_so_far, progress)
        matches[setting] = [match_result(*pair, giver.toolbox) for pair in zip(dataset.samples, results, strict=True)]
        report = _report(dataset, results, matches[setting], configuration, command)
        if PLAIN in matches and setting is not PLAIN:
            people = [sample.persona for sample in dataset.samples]
            report["gain"] = compare_plans(matches[setting], matches[PLAIN], people)
        return report

    for setting in sorted(chosen, key=lambda each: each is not PLAIN):  # first that which gains are counted from
        decides = {"setting": setting.value, "tools": giver.most_tools, "items": giver.most_items, **(told or {})}
        configuration = Configuration(dataset.fingerprint, name, STRATEGY, camphor.__version__, decides)
        path = out / FILE.format(setting=setting.value) if out else None
        reports[setting] = kept(path, configuration, partial(report_of, setting, configuration), CONTEXT)
    return {setting: reports[setting] for setting in chosen}


def _results(
    dataset: ContextDataset,
    giver: Giver,
    model: LanguageModel,
    setting: PlannerInput,
    partial: Partial | None,
    progress: Progress | None,
) -> list[Result]:
    planner = Planner(model, giver.toolbox)
    return run_all(
        dataset.samples, lambda sample: answer(sample, giver.of(sample, setting), planner), partial, progress
    )


def answer(sample: ContextSample, given: Given, planner: Planner) -> Result:
    """Have the planner answer one query. What it wrote is scored as far as it can be read; why it cannot be used is the
    result's `error`, and so is whatever broke."""
    meter, begun = Meter(), time.perf_counter()
    predicted: tuple[Call, ...] = ()
    text, error = "", None
    counts: dict[str, int] = {}
    try:
        planned = planner.plan(sample.query, sample.now, given.tools, given.records)
        predicted, text, error = planned.written, planned.text, planned.problem
        cost = planned.timing
        counts = {
            "prompt_tokens": cost.prompt_tokens + cost.cached_tokens,
            "generated_tokens": cost.generated_tokens,
        }
    except CamphorError as problem:
        error = f"{type(problem).__name__}: {problem}"
    shown = None if given.tools is None else [tool.name for tool in given.tools]
    found = [list(ref) for ref in given.refs]
    background = background_of(given.records, sample.now)
    sayable = not any(unsaid(call, Toolbox(planner.tools), sample.query, background) for call in sample.plan)
    return Result(
        id=sample.id,
        query=sample.query,
        predicted=predicted,
        gold=sample.plan,
        response=text,
        seconds=round(time.perf_counter() - begun, 4),
        error=error,
        timing={**counts, "tools": shown, "context": found, "sayable": sayable, **meter.spent()},
        tags=(sample.intent, sample.thread),
    )


def match_result(sample: ContextSample, result: Result, toolbox: Toolbox) -> PlanMatch:
    """How a result compares with the sample's plan, and whether it could have been right with what it was given."""
    predicted = plan_from_json([call.to_json() for call in result.predicted])
    match = match_plans(sample.plan, predicted, toolbox)
    shown, found = result.timing.get("tools"), {tuple(ref) for ref in result.timing.get("context", ())}
    return replace(
        match,
        tools_found=shown is None or {call.name for call in sample.plan} <= set(shown),
        values_found=bool(result.timing.get("sayable", True)),
        items_found=sum(tuple(ref) in found for ref in sample.context) / max(1, len(sample.context)),
    )


def _report(
    dataset: ContextDataset,
    results: Sequence[Result],
    matches: Sequence[PlanMatch],
    configuration: Configuration,
    command: str,
) -> dict[str, Any]:
    samples = dataset.samples
    seconds = [result.seconds for result in results]
    metrics = {
        **measure_plans(matches, [sample.persona for sample in samples]),
        "errors": sum(result.error is not None for result in results),
        "seconds": {"mean": round(sum(seconds) / len(seconds), 4)},
        "prompt_tokens": mean_timing(results, "prompt_tokens"),
        "by_intent": _by_intent(samples, matches),
    }
    items = [_item(result, match) for result, match in zip(results, matches, strict=True)]
    return {
        "metrics": metrics,
        "run": about_run(configuration, dataset.path.name, command, datetime.now(UTC)),
        "items": items,
    }


def _item(result: Result, match: PlanMatch) -> dict[str, Any]:
    data = result.to_json()
    kept = ("id", "query", "predicted", "gold", "response", "seconds", "error", "tags", "timing")
    return {**{key: data[key] for key in kept}, "match": match.to_json()}


def _by_intent(samples: Sequence[ContextSample], matches: Sequence[PlanMatch]) -> dict[str, dict[str, float]]:
    """How many queries each intent has, and the means of its metrics."""
    groups: dict[str, list[PlanMatch]] = {}
    for sample, match in zip(samples, matches, strict=True):
        groups.setdefault(sample.intent, []).append(match)
    return {
        intent: {
            "queries": len(found),
            **{name: round(sum(getattr(each, name) for each in found) / len(found), 4) for name in METRICS},
        }
        for intent, found in sorted(groups.items())
    }
