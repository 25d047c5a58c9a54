"""Run every sample of a function-calling dataset through a model, record what it wrote, and score it.

The setting is DroidCall's (section 4): one request, the functions that a retriever finds for it, one answer. A failed
request is a result; a stopped run goes on where it was under the same configuration (`results.Partial`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import camphor
from camphor.agents.calling.caller import Caller
from camphor.agents.calling.prompts import CallForm
from camphor.errors import CamphorError
from camphor.models.base import LanguageModel
from camphor.tools.plans import Plan, plan_from_json, plan_to_json
from camphor.trajectories.call_samples import CallSample
from camphor.types import Call
from camphor_lab.evaluation.calling import ArgumentMatcher, PlanScore, PlanScorer, ScoredSample, measure
from camphor_lab.evaluation.dataset import CallDataset, Choose, FewShotExamples
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
from camphor_lab.evaluation.sources import CALLING, Meter
from camphor_lab.evaluation.values import Similarity

STRATEGY = "functions"


@dataclass(frozen=True)
class Setup:
    """How requests are answered.

    Args:
        choose: the functions that a prompt shows. examples: for few-shot prompts, of count 0 for none.
        constrained: whether a grammar keeps the model to functions and parameters that there are.
        may_be_empty: whether that grammar allows an answer without calls. copied: as `Caller` takes it.
    """

    choose: Choose
    examples: FewShotExamples
    form: CallForm = CallForm.COMPACT
    constrained: bool = True
    may_be_empty: bool = True
    copied: bool | None = None


def evaluate_calling(
    dataset: CallDataset,
    model: LanguageModel,
    setup: Setup,
    similarity: Similarity,
    *,
    name: str,
    settings: Mapping[str, Any] | None = None,
    out: Path | None = None,
    command: str = "",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run and score a dataset.

    Args:
        name: the model's. settings: what else decides the answers (retriever, hashes of files).
        out: where to write the results, atomically; None keeps nothing. command: the command line, for the record.

    Returns:
        `{"metrics", "run", "items"}`: of an item `id`, `query`, `predicted`, `gold`, `response` (what the model
        wrote), `tools` (shown), `score`, `seconds`, `error` (why the answer could not be used), `timing` and `tags`.

    Raises:
        UsageError: nothing can be written beside `out`.
    """
    settings = {
        "form": setup.form.value,
        "shots": setup.examples.count,
        "constrained": setup.constrained,
        **({} if setup.may_be_empty else {"may_be_empty": False}),
        **({} if setup.copied is None else {"copied": setup.copied}),
        **(settings or {}),
    }
    configuration = Configuration(dataset.fingerprint, name, STRATEGY, camphor.__version__, settings)
    about = about_run(configuration, dataset.path.name, command, datetime.now(UTC))

    def answered(sample: CallSample) -> Result:
        return answer(sample, model, setup)

    def report(partial: Partial | None) -> dict[str, Any]:
        if partial:
            about["resumed"] = sum(sample.id in partial.done for sample in dataset.samples)
        return _report(dataset, run_all(dataset.samples, answered, partial, progress), similarity, about)

    return kept(out, configuration, report, CALLING)


def answer(sample: CallSample, model: LanguageModel, setup: Setup) -> Result:
    """Have a model answer one request. What it wrote is scored as far as it can be read; why it cannot be used is the
    result's `error`, and so is whatever broke."""
    tools = setup.choose(sample)
    examples = setup.examples.of(sample, tools)
    caller = Caller(
        model,
        tools,
        setup.form,
        examples,
        constrained=setup.constrained,
        may_be_empty=setup.may_be_empty,
        copied=setup.copied,
    )
    meter, begun = Meter(), time.perf_counter()
    plan: Plan = ()
    text, error = "", None
    told: dict[str, int] = {}
    try:
        planned = caller.plan(sample.query, sample.now)
        plan, text, error, timing = planned.written, planned.text, planned.problem, planned.timing
        told = {
            "prompt_tokens": timing.prompt_tokens + timing.cached_tokens,
            "generated_tokens": timing.generated_tokens,
        }
    except CamphorError as problem:
        error = f"{type(problem).__name__}: {problem}"
    return Result(
        id=sample.id,
        query=sample.query,
        predicted=_plain(plan),
        gold=_plain(sample.answers),
        response=text,
        seconds=round(time.perf_counter() - begun, 4),
        error=error,
        timing={**told, "tools": [tool.name for tool in tools], **meter.spent()},
        tags=sample.tags,
    )


def _plain(plan: Plan) -> tuple[Call, ...]:
    """The plan with references as text: result files are JSON."""
    return tuple(Call(call["name"], call["arguments"]) for call in plan_to_json(plan))


def _plan(calls: Sequence[Call]) -> Plan:
    return plan_from_json([call.to_json() for call in calls])


def score_calling(dataset: CallDataset, results: Sequence[Result], similarity: Similarity) -> list[PlanScore]:
    """The score of each result, in order; all texts are embedded in one batch first."""
    scorer = PlanScorer(dataset.tools, ArgumentMatcher(similarity))
    plans = [(sample.answers, _plan(result.predicted)) for sample, result in zip(dataset.samples, results, strict=True)]
    similarity.prepare(text for gold, predicted in plans for text in scorer.texts(gold, predicted))
    return [scorer.score(gold, predicted) for gold, predicted in plans]


def _report(
    dataset: CallDataset, results: Sequence[Result], similarity: Similarity, about: Mapping[str, Any]
) -> dict[str, Any]:
    scores = score_calling(dataset, results, similarity)
    scored = [
        ScoredSample(r.id, sample.answers, score, r.tags, r.seconds, r.error)
        for sample, r, score in zip(dataset.samples, results, scores, strict=True)
    ]
    metrics = {**measure(scored), "recall": _recall(results), "prompt_tokens": mean_timing(results, "prompt_tokens")}
    items = [_item(result, score) for result, score in zip(results, scores, strict=True)]
    run = {**about, "seconds": round(sum(result.seconds for result in results), 2)}
    return {"metrics": metrics, "run": run, "items": items}


def _item(result: Result, score: PlanScore) -> dict[str, Any]:
    data = result.to_json()
    timing = dict(data["timing"])
    kept = {key: data[key] for key in ("id", "query", "predicted", "gold", "response", "seconds", "error", "tags")}
    return {**kept, "tools": timing.pop("tools", []), "timing": timing, "score": score.to_json()}


def _recall(results: Sequence[Result]) -> float | None:
    """The share of the samples with gold calls whose functions were all shown."""
    found = [
        {call.name for call in result.gold} <= set(result.timing.get("tools", ())) for result in results if result.gold
    ]
    return round(sum(found) / len(found), 4) if found else None
