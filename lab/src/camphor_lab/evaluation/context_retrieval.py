"""How well items that implicit queries are about are found, and the tools that fit them (Context Tuning, section 4)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import camphor
from camphor.errors import UsageError
from camphor.retrieval.context.model import SHIPPED
from camphor.retrieval.context.rankers import ContextRetriever, LambdaMartRrf, LexicalRanker
from camphor.retrieval.retrievers import Retriever, Scores
from camphor.retrieval.static import SentenceEncoder, StaticEncoder
from camphor.tools.tool import Tool
from camphor_lab.context.finders import (
    TUNED,
    EmbeddedSearch,
    Expanded,
    Expander,
    Fused,
    LatestOfApp,
    NearestThoughts,
    Unasked,
)
from camphor_lab.context.tools import MOST_ITEMS, SHIPPED_READER, ItemWeight, ToolFinder, ToolReader, read_tool_reader
from camphor_lab.datasets.context.samples import ContextSample
from camphor_lab.evaluation.dataset import ContextDataset
from camphor_lab.evaluation.retrieval import KS, Ranking, compare_rankings, measure_rankings

# The context retrievers that are compared, by name (Context Tuning, Table 2, and some of ours).
#
# lexical            BM25
# semantic           cosine of texts by the table of word vectors that comes with camphor, without torch
# finetuned          the same, fine-tuned on the training split
# minilm             all-MiniLM-L6-v2 in place of the table (extra eval)
# minilm-finetuned   the same, fine-tuned; its folder is to be given
# cot                semantic search with the query and a language model's thought about it
# cot-minilm         the same with all-MiniLM-L6-v2
# cot-finetuned      the same with the fine-tuned table
# cot-nearest        the same with thoughts about the nearest queries of the training split, without a language model
# lambdamart-rrf     LambdaMART store by store, joined by reciprocal rank fusion
# hybrid             its ranking and that of fine-tuned search, joined by reciprocal rank fusion
# unasked            lambdamart-rrf without the query: what habit and time alone say
# latest-of-app      the latest item of the right app: what the app alone says


@dataclass
class RankerParts:
    """What methods are made of; each part is made when a method first needs it.

    Args:
        expander: makes the expander of the methods with thoughts; None where there is no language model.
        examples: queries of the training split with their thoughts, for cot-nearest; None where there is none.
        tuned: the fine-tuned table's changes. sentence_encoder: the folder of a fine-tuned sentence encoder.
        ranker: the trained ranker's file.
    """

    expander: Callable[[], Expander] | None = None
    examples: Callable[[], Sequence[tuple[str, str]]] | None = None
    tuned: Path = TUNED
    sentence_encoder: Path | None = None
    ranker: Path = SHIPPED
    _made: dict[str, ContextRetriever] = field(default_factory=dict, init=False)

    @cached_property
    def thoughts(self) -> Expander:
        if self.expander is None:
            raise UsageError("no language model to think with: give one with --model")
        return self.expander()

    @property
    def nearest(self) -> Expander:
        if self.examples is None:
            raise UsageError("cot-nearest: give a folder with a training split")
        return NearestThoughts(StaticEncoder(), self.examples())

    def method(self, name: str) -> ContextRetriever:
        """The method of that name, made once.

        Raises:
            UsageError: there is none, or it needs a part that was not given.
            MissingExtra, ModelMissing: what it needs is not installed or not there.
        """
        if name not in METHODS:
            raise UsageError(f"There is no method {name[:80]!r}: choose from {', '.join((*METHODS, ALL))}")
        if name not in self._made:
            self._made[name] = METHODS[name](self)
        return self._made[name]

    def fine_tuned_sentence_encoder(self) -> ContextRetriever:
        if self.sentence_encoder is None:
            raise UsageError("minilm-finetuned: give the folder of the fine-tuned encoder with --encoder")
        return EmbeddedSearch(SentenceEncoder(folder=self.sentence_encoder))


METHODS: Mapping[str, Callable[[RankerParts], ContextRetriever]] = {
    "lexical": lambda parts: LexicalRanker(),
    "semantic": lambda parts: EmbeddedSearch(StaticEncoder()),
    "minilm": lambda parts: EmbeddedSearch(SentenceEncoder(purpose="The method minilm")),
    "cot": lambda parts: Expanded(parts.method("semantic"), parts.thoughts),
    "cot-minilm": lambda parts: Expanded(parts.method("minilm"), parts.thoughts),
    "cot-nearest": lambda parts: Expanded(parts.method("semantic"), parts.nearest),
    "finetuned": lambda parts: EmbeddedSearch(StaticEncoder(changes=parts.tuned)),
    "minilm-finetuned": RankerParts.fine_tuned_sentence_encoder,
    "cot-finetuned": lambda parts: Expanded(parts.method("finetuned"), parts.thoughts),
    "lambdamart-rrf": lambda parts: LambdaMartRrf(parts.ranker),
    "hybrid": lambda parts: Fused(parts.method("lambdamart-rrf"), parts.method("finetuned")),
    "unasked": lambda parts: Unasked(parts.method("lambdamart-rrf")),
    "latest-of-app": lambda parts: LatestOfApp(),
}
ALL = "all"
LIGHT = ("lexical", "semantic", "finetuned", "lambdamart-rrf", "hybrid", "unasked", "latest-of-app")
"""Those that need neither an extra nor a language model: what is measured unless methods are named."""


def chosen(names: Sequence[str], parts: RankerParts) -> dict[str, ContextRetriever]:
    """The methods of these names in the order of `METHODS`; `LIGHT` for none, every one for `all`, less the fine-tuned
    sentence encoder where its folder was not given.

    Raises:
        As `RankerParts.method`.
    """
    if ALL in names:
        lacking = () if parts.sentence_encoder else ("minilm-finetuned",)
        names = [name for name in METHODS if name not in lacking]
    for name in names:
        if name not in METHODS:
            parts.method(name)
    return {name: parts.method(name) for name in METHODS if name in (names or LIGHT)}


@dataclass(frozen=True)
class RankedGold:
    """Where methods put the gold of one query.

    Args:
        among: how many there were to find it in.
        ranks: for each method the rank, from 1, of each gold item, in the order of the sample; None for one that is not
            among the first that were asked for.
        seconds: processor time of each method, that of the query's embedding and of a language model on this machine
            included.
    """

    sample: ContextSample
    among: int
    ranks: Mapping[str, Sequence[int | None]]
    seconds: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        told = {"id": self.sample.id, "persona": self.sample.persona, "intent": self.sample.intent}
        return {**told, "among": self.among, "ranks": {name: list(ranks) for name, ranks in self.ranks.items()}}


Progress = Callable[[int, int], None]
"""Told queries done and all."""


def measure_context(
    dataset: ContextDataset,
    methods: Mapping[str, ContextRetriever],
    *,
    ks: Sequence[int] = KS,
    about: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Have every method find the items of every query.

    Args:
        about: what else the record of the run holds: the command, hashes of files.

    Returns:
        As `report_of`.

    Raises:
        DatasetError, DeviceFileError: a device cannot be read. ModelError: a method's language model does not answer.
    """
    found = []
    for number, sample in enumerate(dataset.samples, 1):
        found.append(_find(dataset, sample, methods, max(ks)))
        if progress:
            progress(number, len(dataset.samples))
    return report_of(dataset, found, tuple(methods), ks, about)


def _find(
    dataset: ContextDataset, sample: ContextSample, methods: Mapping[str, ContextRetriever], most: int
) -> RankedGold:
    asked = dataset.asked(sample)
    ranks, seconds = {}, {}
    for name, method in methods.items():
        if isinstance(method, LatestOfApp):
            method.app = sample.context[0].app
        begun = time.process_time()
        hits = method.search(sample.query, asked.situation, asked.index, most)
        seconds[name] = time.process_time() - begun
        places = {hit.ref: place for place, hit in enumerate(hits, 1)}
        ranks[name] = [places.get(ref) for ref in sample.context]
    return RankedGold(sample, len(asked.index), ranks, seconds)


def report_of(
    dataset: ContextDataset,
    found: Sequence[RankedGold],
    methods: Sequence[str],
    ks: Sequence[int] = KS,
    about: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The metrics of what was found.

    Returns:
        `{"methods": {name: metrics}, "ahead": {...}, "by_intent": {...}, "run": {...}, "items": [...]}`. Metrics are
        those of `measure_rankings`, with `ms_per_query`, processor time. `ahead` tells the method of the highest recall
        at the smallest K, as `method`, and under `of` how far it is ahead of each other (`compare_rankings`).
        `by_intent` has, for each, `queries` and the recall of each method at the smallest K.
    """
    rankings = {
        name: [Ranking(each.sample.persona, each.ranks[name]) for each in found] for name in methods
    }  # fmt: skip
    metrics = {name: measure_rankings(those, ks) for name, those in rankings.items()}
    for name, told in metrics.items():
        told["ms_per_query"] = round(1000 * sum(each.seconds.get(name, 0.0) for each in found) / len(found), 2)
    first = str(min(ks))
    best = max(methods, key=lambda name: (metrics[name]["recall"][first], metrics[name]["ndcg"][first]))
    others = {name: compare_rankings(rankings[best], rankings[name], ks) for name in methods if name != best}
    return {
        "methods": metrics,
        "ahead": {"method": best, "of": others},
        "by_intent": _by_intent(found, methods, min(ks)),
        "run": {
            **(about or {}),
            "dataset": dataset.path.name,
            "dataset_sha256": dataset.fingerprint,
            "queries": len(found),
            "among": round(sum(each.among for each in found) / len(found), 1),
            "camphor": camphor.__version__,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
        },
        "items": [each.to_json() for each in found],
    }


def _by_intent(found: Sequence[RankedGold], methods: Sequence[str], k: int) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[RankedGold]] = {}
    for each in found:
        groups.setdefault(each.sample.intent, []).append(each)
    return {
        intent: {"queries": len(those)}
        | {
            name: measure_rankings([Ranking("", each.ranks[name]) for each in those], (k,))["recall"][str(k)]
            for name in methods
        }
        for intent, those in sorted(groups.items())
    }


# Recall at K of tool retrieval with and without the items that a query is about (Context Tuning, 4.2 and Figure 2).
#
# The gold of a query are all tools that fit it; the recall of the one tool of the right plan, which bounds what a
# planner can reach, is told beside it. Items come from a context retriever, as when the assistant runs, or are the gold
# ones.

ALONE = "query"
_USES = {"in words": ItemWeight.WORDS, "votes": ItemWeight.VOTES}


@dataclass(frozen=True)
class ToolSearch:
    """One way to find tools.

    Args:
        finder: puts them in order. gold: whether it is given the gold items, else those that are found.
    """

    finder: ToolFinder
    gold: bool = False


def ways(retriever: Retriever, reader: ToolReader | None = None) -> dict[str, ToolSearch]:
    """The ways that are compared: the query alone, and with found or gold items, in words or voting; then the query
    alone and with found items by what a reader learnt.

    Args:
        retriever: says how well tools fit a text. reader: what a training split said of queries and apps; the one that
            ships, if one does, where None.
    """
    if reader is None and SHIPPED_READER.exists():
        reader = read_tool_reader()
    found = {ALONE: ToolSearch(ToolFinder(retriever, ItemWeight.NONE))}
    for gold in (False, True):
        for how, use in _USES.items():
            found[f"{ALONE} and {'gold ' if gold else ''}items, {how}"] = ToolSearch(ToolFinder(retriever, use), gold)
    if reader:
        found[f"{ALONE}, learnt"] = ToolSearch(ToolFinder(retriever, ItemWeight.NONE, reader=reader))
        found[f"{ALONE} and items, votes, learnt"] = ToolSearch(ToolFinder(retriever, ItemWeight.VOTES, reader=reader))
    return found


def measure_context_tools(
    dataset: ContextDataset,
    compared: Mapping[str, ToolSearch],
    context: ContextRetriever,
    *,
    ks: Sequence[int] = KS,
    about: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Put the toolbox in order for every query in every way.

    Args:
        context: finds the items. about: what else the record of the run holds. progress: told queries done and all.

    Returns:
        As `context_retrieval.report_of`, of tools. Each way has `plan` too, the recall of the tool of the right plan,
        and beside `methods` stands `gains`: how far each way is ahead of the query alone (`compare_rankings`).

    Raises:
        DatasetError, DeviceFileError: a device or the toolbox cannot be read.
    """
    tools = tuple(dataset.toolbox)
    found = []
    for number, sample in enumerate(dataset.samples, 1):
        asked = dataset.asked(sample)
        hits = context.search(sample.query, asked.situation, asked.index, MOST_ITEMS)
        refs = {False: [hit.ref for hit in hits], True: list(sample.context)}
        items = {gold: [item for ref in each if (item := asked.index.item(ref))] for gold, each in refs.items()}
        ranks, seconds = {}, {}
        for name, way in compared.items():
            begun = time.process_time()
            scores = way.finder.scores(sample.query, tools, items[way.gold])
            seconds[name] = time.process_time() - begun
            ranks[name] = ranks_of(scores, tools, sample.tools)
        found.append(RankedGold(sample, len(tools), ranks, seconds))
        if progress:
            progress(number, len(dataset.samples))
    return _report(dataset, found, compared, ks, about)


def ranks_of(scores: Scores, tools: Sequence[Tool], gold: Sequence[str]) -> list[int | None]:
    """The rank of each gold tool, from 1; None for one that is not among the tools.

    Tools that fit equally well share the mean of their ranks, rounded up: a toolbox that lists the right one first must
    not look good for that.
    """
    places = {tool.name: place for place, tool in enumerate(tools)}
    ranks: list[int | None] = []
    for name in gold:
        own = scores[places[name]] if name in places else np.nan
        equal = int(np.sum(scores == own))
        ranks.append(int(np.sum(scores > own)) + equal // 2 + 1 if equal else None)
    return ranks


def _report(
    dataset: ContextDataset,
    found: Sequence[RankedGold],
    compared: Mapping[str, ToolSearch],
    ks: Sequence[int],
    about: Mapping[str, Any] | None,
) -> dict[str, Any]:
    report = report_of(dataset, found, tuple(compared), ks, {**(about or {}), "items": MOST_ITEMS})
    rankings = {name: [Ranking(each.sample.persona, each.ranks[name]) for each in found] for name in compared}
    for name, told in report["methods"].items():
        planned = measure_rankings([Ranking(each.cluster, each.ranks[:1]) for each in rankings[name]], ks)
        told["plan"] = {"recall": planned["recall"], "interval_95": planned["interval_95"]["recall"]}
    if ALONE in compared:
        others = [name for name in compared if name != ALONE]
        report["gains"] = {name: compare_rankings(rankings[name], rankings[ALONE], ks) for name in others}
    return report
