"""What the items that matter now change in the whole assistant on phones whose use is known (Context Tuning, section 3)

Every query is put twice to its phone as it was when it was asked: with the items (`agents.relevant`) and without them,
every action being refused. Until the items are asked for both are the same turn, so the model is asked only once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import camphor
from camphor.agents.bounds import USUAL
from camphor.agents.events import Answered
from camphor.agents.prompts import Form
from camphor.agents.relevant import AHEAD, POLICIES, SURE, sure_of
from camphor.agents.relevant import MOST as MOST_LOOKED_UP
from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.device.text import text_of, words
from camphor.models.base import LanguageModel
from camphor.retrieval.context.items import item_of
from camphor.retrieval.context.relevance import ENOUGH_USES, MOST, Relevance, Relevant
from camphor.tools.calls import calls_to_json
from camphor.types import Agent, Call, Observation
from camphor_lab.datasets.context.given import record_of
from camphor_lab.datasets.context.samples import ContextSample, device_of
from camphor_lab.evaluation.answer_scores import ReadResponse
from camphor_lab.evaluation.dataset import ContextDataset
from camphor_lab.evaluation.expected import normalised, same_calls, says
from camphor_lab.evaluation.results import Configuration, Partial, Progress, Result, about_run, kept, run_all
from camphor_lab.evaluation.retrieval import mean_figures
from camphor_lab.evaluation.runner import Once
from camphor_lab.evaluation.values import Similarity, ValueMatcher

STRATEGY = "context-assistant"
ON, OFF = "on", "off"
OUTCOMES = ("found", "shown", "aimed", "proposed")
METRICS = (*OUTCOMES, "seconds")
ENDS = ("right", "wrong")
"""Of queries whose right end is written down: it came, or another was put forward as if it were sure."""
ASKS = "ask"
"""The intent of a query that nobody can be sure of: the right thing is to ask which is meant."""
NOTHING = "none"
"""The intent of a query that nothing on the phone answers and no app of it can do: the right thing is to say so."""
REACHED = ("asked", "ranked", "sure", "looked_up")
"""How far queries come, in order: items are asked for, the phone ranks some, it is sure of one, one is looked up."""


@dataclass(frozen=True)
class Gold:
    """The items that a query is about, as the assistant can show them.

    Args:
        texts: all text of each record. titles: the field that names each; none for one without a name.
    """

    texts: frozenset[str]
    titles: tuple[str, ...]

    @classmethod
    def of(cls, sample: ContextSample, document: Mapping[str, Any]) -> Gold:
        """Those of a sample. Raises: DatasetError, its phone has no such item."""
        records = [(ref, record_of(document, ref, sample)) for ref in sample.context]
        titles = (item_of(ref, record).title for ref, record in records)
        return cls(frozenset(text_of(record) for _, record in records), tuple(filter(None, titles)))

    def named_in(self, text: str) -> bool:
        """Whether a text has the whole title of an item, in any case and with any marks between its words."""
        said = f" {' '.join(words(text))} "
        return any(f" {' '.join(words(title))} " in said for title in self.titles)


class Watched(Relevance):
    """Passes questions on, and notes: `asked`, whether any item was `ranked`, those it is `sure` of, and what broke."""

    def __init__(self, device: Device, asks: Relevance) -> None:
        super().__init__(device)
        self._asks = asks
        self.asked = self.ranked = False
        self.sure: tuple[Relevant, ...] = ()
        self.problem: str | None = None

    def items(self, query: str, k: int = MOST) -> tuple[Relevant, ...]:
        self.asked = True
        try:
            found = self._asks.items(query, k)
        except Exception as problem:  # the assistant passes over it; a measurement must tell
            self.problem = _told(problem)
            raise
        self.ranked, self.sure = bool(found), sure_of(found)
        return found


@dataclass(frozen=True)
class QueryEnding:
    """How a query ended one way.

    Args:
        looked_up: the calls of the agents' look-ups. records: all text of each record that they found.
        actions: those that were proposed, and declined; of what the phone does not understand nobody is asked. seconds:
            with those of the replies that were shared.
        end: one of `ENDS`, "" for neither, or where no right end is written down.
    """

    response: str = ""
    looked_up: tuple[Call, ...] = ()
    records: frozenset[str] = frozenset()
    actions: tuple[Call, ...] = ()
    seconds: float = 0.0
    end: str = ""
    error: str | None = None

    def to_json(self, gold: Gold) -> dict[str, Any]:
        """With the outcomes.

        `found`: a look-up found a gold item; `shown`: nothing was proposed, and the answer says the title of one;
        `proposed`: an action was; `aimed`: and one of its values names a gold item.
        """
        return {
            "found": bool(self.records & gold.texts),
            "shown": not self.actions and gold.named_in(self.response),
            "aimed": any(gold.named_in(text_of(dict(call.arguments))) for call in self.actions),
            "proposed": bool(self.actions),
            "seconds": round(self.seconds, 4),
            "end": self.end,
            "looked_up": calls_to_json(self.looked_up),
            "actions": calls_to_json(self.actions),
            "response": self.response,
            "error": self.error,
        }


@dataclass
class Both:
    """Runs a query both ways.

    Args:
        model: what thinks. form: how prompts are written. relevance: what ranks the items of a phone.
        similarity: of free text, by which ends are scored; None scores none.
    """

    model: LanguageModel
    form: Form = Form.NAMES
    relevance: Callable[[Device], Relevance] = Relevance
    similarity: Similarity | None = None

    def answer(self, sample: ContextSample, folder: Path) -> Result:
        """What happened to one query; what breaks is a result.

        Returns:
            Under `timing` what was asked of the phone's index, the `items` that it was sure of, and both ends.

        Raises:
            DatasetError, DeviceFileError: the phone cannot be read, or has not got the gold items.
        """
        document, once = device_of(sample, folder), Once(self.model)
        gold = Gold.of(sample, document)
        with Device.create(None, document, sample.device) as device:
            watched = Watched(device, self.relevance(device))
            ends = {way: self._run(sample.query, way == ON, device, once, watched) for way in (ON, OFF)}
            ends = {way: replace(end, end=self._end(sample, end, device)) for way, end in ends.items()}
        on = ends[ON]
        sure = [(item, text_of(item.record)) for item in watched.sure]
        items = [
            {
                "title": item.title,
                "sure": round(item.sure, 3),
                "gold": text in gold.texts,
                "looked_up": text in on.records,
            }
            for item, text in sure
        ]
        reached = {"asked": watched.asked, "ranked": watched.ranked, "sure": bool(sure)}
        reached["looked_up"] = any(each["looked_up"] for each in items)
        return Result(
            id=sample.id,
            query=sample.query,
            predicted=on.actions,
            gold=sample.plan,
            response=on.response,
            seconds=on.seconds,
            error=on.error or ends[OFF].error or watched.problem,
            timing={**reached, "items": items, **{way: end.to_json(gold) for way, end in ends.items()}},
            tags=(sample.intent, sample.thread),
        )

    def _end(self, sample: ContextSample, end: QueryEnding, device: Device) -> str:
        """Whether a query ended right, wrong as if it were sure, or neither."""
        if self.similarity is None or end.error:
            return ""
        asked_back = not end.actions and end.response.rstrip().endswith("?")
        if sample.intent == ASKS:
            return "right" if asked_back else "wrong" if end.actions else ""
        if sample.intent == NOTHING:
            said = ReadResponse(end.response, sample.now)
            told = said.abstains or said.denies
            return "right" if told and not end.actions else "" if asked_back and not end.actions else "wrong"
        if sample.answer is not None:
            if not end.actions and says(end.response, sample.answer, sample.now):
                return "right"
            read = ReadResponse(end.response, sample.now)
            return "" if asked_back or (read.abstains and not end.actions) else "wrong"
        matcher = ValueMatcher(device.toolbox, self.similarity)
        gold = [normalised({"name": call.name, "arguments": dict(call.arguments)}, device) for call in sample.plan]
        if same_calls(gold, end.actions, matcher):
            return "right"
        return "wrong" if end.actions else ""

    def _run(self, query: str, recalls: bool, device: Device, model: Once, relevance: Relevance) -> QueryEnding:
        limits, begun, saved = (
            replace(USUAL, off=USUAL.off.difference(POLICIES) if recalls else USUAL.off.union(POLICIES)),
            time.perf_counter(),
            model.saved,
        )
        assistant = Assistant(device, model, limits=limits, form=self.form, relevance=relevance)
        try:
            ended = _ended(run_to_end(assistant, query, consent=False))
        except Exception as problem:  # whatever breaks is what this run is to find out
            ended = QueryEnding(error=_told(problem))
        return replace(ended, seconds=time.perf_counter() - begun + model.saved - saved)


def _ended(answered: Answered) -> QueryEnding:
    steps = [step for step in answered.trajectory.turn.steps if step.agent is not Agent.TASK]
    found: list[Observation] = [each for step in steps for each in step.observations]
    return QueryEnding(
        answered.response,
        tuple(call for step in steps for call in step.calls),
        frozenset(text_of(record) for each in found for record in each.records),
        answered.proposed,
    )


def _told(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"


def evaluate_assistant(
    dataset: ContextDataset,
    both: Both,
    *,
    name: str,
    told: Mapping[str, Any] | None = None,
    out: Path | None = None,
    command: str = "",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run and score the queries of a dataset with and without the items that matter.

    Args:
        name: the model's. told: what else decides the answers (hashes of files). out: the result file; until it is
            written the finished queries stand in a partial file beside it. None keeps nothing. command: the command
            line, for the record.

    Returns:
        `{"metrics", "run", "items"}`; metrics as `measure_both`, and of an item what `Both.answer` tells.

    Raises:
        UsageError: nothing can be written beside `out`. DatasetError, DeviceFileError: as `Both.answer`.
    """
    rules = {
        "form": both.form.value,
        "sure": SURE,
        "ahead": AHEAD,
        "most": MOST_LOOKED_UP,
        "enough_uses": ENOUGH_USES,
        **(told or {}),
    }
    configuration = Configuration(dataset.fingerprint, name, STRATEGY, camphor.__version__, rules)

    def answer(sample: ContextSample) -> Result:
        return both.answer(sample, dataset.folder)

    def report(partial: Partial | None) -> dict[str, Any]:
        return _report(dataset, run_all(dataset.samples, answer, partial, progress), configuration, command)

    return kept(out, configuration, report)


def measure_both(results: Sequence[Result], people: Sequence[str], seed: int = 0) -> dict[str, Any]:
    """What the items change.

    Args:
        people: whose query each was: queries of one person are alike, so whole persons are drawn for the intervals.

    Returns:
        `queries`, `people`, `errors`; `reached`, how many queries came how far (`REACHED`); `items`, how many items
        were looked up, how many of them are gold or wrong, and `precision`, None for no items; under `off` and `on` the
        share of the queries with each outcome and the mean seconds, under `difference` on less off, of the same
        queries, each with its `interval_95`; `changed`, how many queries have each outcome only when on, and only when
        off; `ends`, on and off, the shares that ended right, and wrong as if sure, by intent.

    Raises:
        ValueError: there is nothing to measure.
    """
    if not results:
        raise ValueError("there are no queries to measure")
    figures = {
        way: np.array([[result.timing[way][name] for name in METRICS] for result in results], np.float64)
        for way in (OFF, ON)
    }
    figures["difference"] = figures[ON] - figures[OFF]
    looked_up = [item["gold"] for result in results for item in result.timing["items"] if item["looked_up"]]
    gold = sum(looked_up)
    return {
        "queries": len(results),
        "people": len(set(people)),
        "errors": sum(result.error is not None for result in results),
        "reached": {stage: sum(result.timing[stage] for result in results) for stage in REACHED},
        "items": {
            "looked_up": len(looked_up),
            "gold": gold,
            "wrong": len(looked_up) - gold,
            "precision": round(gold / len(looked_up), 4) if looked_up else None,
        },
        **{way: mean_figures(METRICS, people, those, seed) for way, those in figures.items()},
        "changed": {
            name: {"only_on": int(np.sum(those > 0)), "only_off": int(np.sum(those < 0))}
            for name, those in zip(OUTCOMES, figures["difference"].T, strict=False)
        },
        "ends": {way: _ends(results, way) for way in (ON, OFF)},
    }


def _ends(results: Sequence[Result], way: str) -> dict[str, Any]:
    """Of all queries and of each intent: how many there are, and the share that ended right, and wrong as if sure."""
    groups: dict[str, list[str]] = {"all": []}
    for result in results:
        for group in ("all", result.tags[0]):
            groups.setdefault(group, []).append(result.timing[way].get("end", ""))
    return {
        group: {"queries": len(ends), **{end: round(ends.count(end) / len(ends), 4) for end in ENDS}}
        for group, ends in groups.items()
    }


def _report(
    dataset: ContextDataset, results: Sequence[Result], configuration: Configuration, command: str
) -> dict[str, Any]:
    samples = dataset.samples
    items = [
        {"id": sample.id, "persona": sample.persona, "intent": sample.intent, "query": sample.query}
        | {**result.timing, "error": result.error}
        for sample, result in zip(samples, results, strict=True)
    ]
    return {
        "metrics": measure_both(results, [sample.persona for sample in samples]),
        "run": about_run(configuration, dataset.path.name, command, datetime.now(UTC)),
        "items": items,
    }
