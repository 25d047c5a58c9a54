"""Run every query of a dataset through a system, record what it did, and score it.

The system under test is an `Answerer`; whatever it raises is a result, not a crash. A run that is stopped goes on where
it was when it is started again under the same configuration.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import camphor
from camphor.device.device import Device
from camphor.device.text import words
from camphor.tools.calls import calls_from_json
from camphor.trajectories.items import Item
from camphor.types import Call, Step
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.judged import clock_of, judge
from camphor_lab.evaluation.metrics import Scored, measure
from camphor_lab.evaluation.results import Configuration, Partial, Progress, Result, kept, run_all
from camphor_lab.evaluation.scores import Score, score_calls
from camphor_lab.evaluation.similarity import Similarity
from camphor_lab.evaluation.spent import Meter
from camphor_lab.evaluation.values import ValueMatcher


@dataclass(frozen=True)
class Answer:
    """What a system did for one query.

    Args:
        calls: the task-completion calls that it executed or proposed, normalised by the device, and after them those
            that the device refused; `refused` is the number of these. `undone`: names of those that
            were in doubt, and so not done.
        steps: all steps, for reading and for counting hallucinations. timing: figures to keep, as JSON values.
    """

    calls: tuple[Call, ...]
    steps: tuple[Step, ...] = ()
    response: str = ""
    timing: Mapping[str, Any] = field(default_factory=dict)
    refused: int = 0
    undone: tuple[str, ...] = ()


class Answerer(Protocol):
    """A system under test."""

    def answer(self, item: Item, device: Device) -> Answer:
        """Answer the item's query on this device, a fresh copy in the state before the item's first turn.

        The gold calls and steps of the item's own turn are not to be looked at; those of its `history` are what
        happened.
        """


Run = Callable[[Dataset, Answerer, Partial | None, Progress | None], list[Result]]


def one_by_one(
    dataset: Dataset, answerer: Answerer, partial: Partial | None = None, progress: Progress | None = None
) -> list[Result]:
    """The result of each item, in order."""
    return run_all(dataset.items, lambda item: run_item(dataset, item, answerer), partial, progress)


def evaluate(
    dataset: Dataset,
    answerer: Answerer,
    similarity: Similarity,
    *,
    model: str,
    strategy: str = "camphor",
    settings: Mapping[str, Any] | None = None,
    out: Path | None = None,
    command: str = "",
    progress: Progress | None = None,
    run: Run = one_by_one,
) -> dict[str, Any]:
    """Run and score a dataset.

    Args:
        model, strategy, settings: what is tested; with the dataset they decide whether a stopped run is resumed.
        out: where to write the results, atomically; until then the finished queries stand in a partial file beside it.
            None keeps nothing.
        command: the command line, for the record. run: how the queries are answered; one after the other here unless
            given (`apart.run_apart` takes several processes).

    Returns:
        `{"metrics": ..., "run": ..., "items": [...]}`: the contract's results with what was run and each query's score.

    Raises:
        UsageError: nothing can be written beside `out`. DeviceFileError: a device file breaks the format.
    """
    for item in dataset.items:
        dataset.toolbox(item)  # a broken device is told now, not after hours
    configuration = Configuration(dataset.fingerprint, model, strategy, camphor.__version__, settings or {})
    started = datetime.now(UTC)

    def report(partial: Partial | None) -> dict[str, Any]:
        resumed = sum(item.id in partial.done for item in dataset.items) if partial else 0
        results = run(dataset, answerer, partial, progress)
        return _report(dataset, results, similarity, _about(configuration, command, started, results, resumed))

    return kept(out, configuration, report)


def run_item(dataset: Dataset, item: Item, answerer: Answerer) -> Result:
    """Answer one query on a fresh device. An exception of the answerer becomes the result's `error`.

    To what the answerer tells of its timing come `cpu_seconds` and, where the machine reports energy, `joules`.
    """
    error = None
    with dataset.device(item) as device:
        meter, started = Meter(), time.perf_counter()
        try:
            answer = answerer.answer(item, device)
        except Exception as problem:  # whatever breaks is what this run is to find out
            answer, error = Answer(()), f"{type(problem).__name__}: {problem}"
        seconds, spent = time.perf_counter() - started, meter.spent()
    return Result(
        id=item.id,
        query=item.query,
        predicted=answer.calls,
        gold=calls_from_json(item.calls or ()),
        steps=answer.steps,
        response=answer.response,
        seconds=round(seconds, 4),
        error=error,
        timing={**answer.timing, **spent},
        tags=tuple(item.tags),
        turn=len(item.history) + 1,
        refused=answer.refused,
        undone=answer.undone,
    )


def score_results(dataset: Dataset, results: Sequence[Result], similarity: Similarity) -> list[Score]:
    """The score of each result, in order; all free text is embedded in one batch first."""
    matchers = [_matcher(dataset, item, similarity) for item in dataset.items]
    pairs = list(zip(results, matchers, strict=True))
    similarity.prepare(
        text
        for result, matcher in pairs
        for gold in result.gold
        for predicted in result.predicted
        for text in matcher.texts(gold, predicted)
    )
    return [score_calls(result.gold, result.predicted, matcher, result.steps) for result, matcher in pairs]


def _matcher(dataset: Dataset, item: Item, similarity: Similarity) -> ValueMatcher:
    people = dataset.document(item).get("apps", {}).get("contacts", {}).get("people") or ()
    names = frozenset(word for person in people for word in words(str(person.get("name") or "")))
    return ValueMatcher(dataset.toolbox(item), similarity, names=names, now=clock_of(dataset.document(item)))


def score_run(dataset: Dataset, results: Sequence[Result], similarity: Similarity) -> dict[str, Any]:
    """`metrics` and `items` of a report, from what happened to each query. Raises: as `judge`."""
    scores = score_results(dataset, results, similarity)
    judged = [judge(dataset, item, result) for item, result in zip(dataset.items, results, strict=True)]
    told = list(zip(results, scores, judged, strict=True))
    scored = [Scored(r.id, s, r.tags, r.turn, r.seconds, r.error, j) for r, s, j in told]
    items = [{**r.to_json(), "score": {**s.to_json(), **j.to_json()}} for r, s, j in told]
    return {"metrics": measure(scored), "items": items}


def _report(
    dataset: Dataset, results: Sequence[Result], similarity: Similarity, about: Mapping[str, Any]
) -> dict[str, Any]:
    made = score_run(dataset, results, similarity)
    return {"metrics": made["metrics"], "run": {**about, "dataset": dataset.name}, "items": made["items"]}


def _about(
    configuration: Configuration, command: str, started: datetime, results: Sequence[Result], resumed: int
) -> dict[str, Any]:
    return {
        "command": command,
        "dataset_sha256": configuration.dataset,
        "model": configuration.model,
        "strategy": configuration.strategy,
        "settings": dict(configuration.settings),
        "camphor": configuration.version,
        "date": started.isoformat(timespec="seconds"),
        "seconds": round(sum(result.seconds for result in results), 2),
        "resumed": resumed,
    }
