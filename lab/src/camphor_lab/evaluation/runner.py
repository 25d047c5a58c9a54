"""Run every query of a dataset through a system, record what it did, and score it.

The system under test is an `Answerer`; whatever it raises is a result, not a crash. A run that is stopped goes on where
it was when it is started again under the same configuration.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import camphor
from camphor.agents.bounds import Limits
from camphor.agents.events import Answered
from camphor.agents.memory.long_term import LongTermMemory
from camphor.agents.orchestrator import orchestrate
from camphor.agents.prompts import Form
from camphor.agents.strategies.base import Strategy
from camphor.app import Assistant, predicted_calls, run_to_end
from camphor.device.device import Device
from camphor.device.text import words
from camphor.models.base import LanguageModel, Reply, Request, learnt_by
from camphor.models.chat import ChatModel
from camphor.tools.calls import calls_from_json
from camphor.trajectories.items import Item
from camphor.types import Agent, Call, Step, Turn
from camphor_lab.datasets.surface_forms import with_surface_forms
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.judged import clock_of, judge
from camphor_lab.evaluation.metrics import Score, ScoredQuery, measure, score_calls
from camphor_lab.evaluation.results import Configuration, Partial, Progress, Result, kept, run_all
from camphor_lab.evaluation.sources import Meter
from camphor_lab.evaluation.usage import usage_of
from camphor_lab.evaluation.values import Similarity, ValueMatcher, alternatives


@dataclass(frozen=True)
class SystemAnswer:
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

    def answer(self, item: Item, device: Device) -> SystemAnswer:
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
            answer, error = SystemAnswer(()), f"{type(problem).__name__}: {problem}"
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


def score_results(
    dataset: Dataset, results: Sequence[Result], similarity: Similarity, items: Sequence[Item] | None = None
) -> list[Score]:
    """The score of each result, in order; all free text is embedded in one batch first.

    Args:
        items: those that the results belong to; all of the dataset unless given.
    """
    matchers = [_matcher(dataset, item, similarity) for item in (dataset.items if items is None else items)]
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
    told = [(r, s, j, usage_of(r.timing)) for r, s, j in zip(results, scores, judged, strict=True)]
    scored = [ScoredQuery(r.id, s, r.tags, r.turn, r.seconds, r.error, j, used) for r, s, j, used in told]
    items = [
        {**r.to_json(), "usage": used.to_json(), "score": {**s.to_json(), **j.to_json()}} for r, s, j, used in told
    ]
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


# Systems under test: the assistant itself, as it answers a person who consents to everything; a model asked once.


@dataclass
class AssistantAnswerer:
    """The assistant with one model for all queries. Every action is consented to and done, on the query's own device.

    Args:
        form: how prompts are written. limits: bounds of a query. strategy: how the agents work together.
        remembers: with the long-term memory that `camphor ask` has; of an item's phone it is empty.
        unseen: it is consented to as by `--yes`, after a second reading of the query; else as by a person who looks.
    """

    model: LanguageModel | ChatModel
    form: Form = Form.NAMES
    limits: Limits = field(default_factory=Limits)
    strategy: Strategy = orchestrate
    remembers: bool = False
    unseen: bool = False

    def answer(self, item: Item, device: Device) -> SystemAnswer:
        """As `Answerer.answer`. Raises: as `Assistant.run`."""
        earlier = earlier_turns(item, device)
        assistant = Assistant(device, self.model, earlier, self.limits, self.form, strategy=self.strategy)
        if not self.unseen:
            assistant.second = None
        if self.remembers:
            assistant.memory = LongTermMemory(device, assistant.conversation)
        answered = run_to_end(assistant, item.query, consent=True)
        steps = answered.trajectory.turn.steps
        refused = len(answered.misunderstood)
        undone = tuple(call.name for call in answered.refused)
        return SystemAnswer(predicted_calls(answered), steps, answered.response, timing(answered), refused, undone)


def earlier_turns(item: Item, device: Device) -> tuple[Turn, ...]:
    """Carry out the turns before the item's own on the device, as if they had just been asked, oldest first.

    Their arguments are put in words first, as a model writes them: a running conversation holds them so. The item's own
    gold steps and calls are not read.
    """
    if not item.history:
        return ()
    worded = with_surface_forms(replace(item, steps=(), calls=(), response=""), device.export())
    return tuple(_turn(turn, device) for turn in worded.history)


def _turn(turn: Mapping[str, Any], device: Device) -> Turn:
    steps = tuple(Step(agent, calls, tuple(device.execute(call) for call in calls)) for agent, calls in _steps(turn))
    return Turn(turn["query"], steps, turn.get("response") or "")


def _steps(turn: Mapping[str, Any]) -> Iterator[tuple[Agent, tuple[Call, ...]]]:
    """The recorded steps; where there are none, the gold calls in the first of their wordings."""
    for step in turn.get("steps") or ():
        if step["agent"] != Agent.HIGH_ORDER.value:
            yield Agent(step["agent"]), tuple(_first(call) for call in calls_from_json(step.get("calls") or []))
    if not turn.get("steps"):
        yield Agent.TASK, tuple(_first(call) for call in calls_from_json(turn.get("calls") or []))


def _first(call: Call) -> Call:
    return Call(call.name, {name: alternatives(value)[0] for name, value in call.arguments.items()})


def timing(answered: Answered) -> dict[str, Any]:
    """What the model did for one query: tokens by kind, seconds in all, and both for each of its turns."""
    turns = [
        {
            "agent": t.agent.value,
            "seconds": round(t.seconds, 4),
            "prompt_tokens": t.prompt_tokens,
            "cached_tokens": t.cached_tokens,
            "generated_tokens": t.generated_tokens,
            "forced_tokens": t.forced_tokens,
        }
        for t in answered.timings
    ]
    return {
        "prompt_tokens": answered.cost.prompt_tokens,
        "generated_tokens": answered.cost.generated_tokens,
        "model_seconds": round(answered.cost.seconds, 4),
        "turns": turns,
    }


class Once:
    """A model that is asked the same only once, and says the same again: what compares variants of one assistant pays
    for the differences alone.

    `saved` are the seconds that the replies it repeated had taken.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._said: dict[Request, tuple[Reply, float]] = {}
        self.saved = 0.0

    @property
    def context(self) -> int:
        return self._model.context

    @property
    def learnt(self) -> frozenset[str]:
        return learnt_by(self._model)

    def complete(self, request: Request) -> Reply:
        if request in self._said:
            reply, seconds = self._said[request]
            self.saved += seconds
            return reply
        begun = time.perf_counter()
        reply = self._model.complete(request)
        self._said[request] = reply, time.perf_counter() - begun
        return reply

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    def close(self) -> None:
        """The model is its owner's to close."""


# A dataset run on several processes, each with a model of its own; queries on one phone stay together.
#
# One thread a process is faster than many threads in one: a small model's threads wait for each other most of the time.
# What one phone's queries share of their prompts is evaluated once, so they are not divided finely.

TOGETHER = 24
"""Queries of one phone that a process is given at a time, at most."""

_answerer: Answerer | None = None
_dataset: Dataset | None = None


def run_apart(
    dataset: Dataset,
    make: Callable[[], Answerer],
    processes: int,
    partial: Partial | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """The result of each item, in the dataset's order, as `run_all` has it.

    Args:
        make: opens a model; it is called once in each process, and must be picklable.
    """
    done = dict(partial.done) if partial else {}
    left = [item for item in dataset.items if item.id not in done]
    told = 0
    if progress:
        for item in dataset.items:
            if item.id in done:
                told += 1
                progress(told, len(dataset.items), done[item.id])
    context = multiprocessing.get_context("spawn")  # a forked child would share what the parent's model library holds
    with ProcessPoolExecutor(processes, context, _open, (dataset.files, make)) as pool:
        running = [pool.submit(_answer, [item.id for item in chunk]) for chunk in chunks(dataset, left)]
        for finished in as_completed(running):
            for result in finished.result():
                done[result.id] = result
                told += 1
                if partial:
                    partial.append(result)
                if progress:
                    progress(told, len(dataset.items), result)
    return [done[item.id] for item in dataset.items]


def chunks(dataset: Dataset, items: Sequence[Item]) -> Iterator[list[Item]]:
    """The items by phone, in their order, those of one phone in parts of at most `TOGETHER`."""
    phones: dict[str, list[Item]] = {}
    for item in items:
        phones.setdefault(dataset.key(item), []).append(item)
    for those in phones.values():
        yield from (those[at : at + TOGETHER] for at in range(0, len(those), TOGETHER))


def _open(files: Sequence[object], make: Callable[[], Answerer]) -> None:
    global _answerer, _dataset
    _dataset, _answerer = Dataset(*files), make()  # type: ignore[arg-type]


def _answer(ids: Sequence[str]) -> list[Result]:
    assert _dataset is not None
    assert _answerer is not None
    wanted = set(ids)
    return [run_item(_dataset, item, _answerer) for item in _dataset.items if item.id in wanted]
