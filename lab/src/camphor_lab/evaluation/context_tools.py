"""Recall at K of tool retrieval with and without the items that a query is about (Context Tuning, 4.2 and Figure 2).

The gold of a query are all tools that fit it; the recall of the one tool of the right plan, which bounds what a planner
can reach, is told beside it. Items come from a context retriever, as when the assistant runs, or are the gold ones.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from camphor.retrieval.context.rankers import ContextRetriever
from camphor.retrieval.retrievers import Retriever, Scores
from camphor.tools.tool import Tool
from camphor_lab.context.tools import MOST_ITEMS, SHIPPED, ToolFinder, ToolReader, Use, read_tool_reader
from camphor_lab.evaluation.context_data import ContextDataset
from camphor_lab.evaluation.context_retrieval import Found, Progress, report_of
from camphor_lab.evaluation.ranking_metrics import KS, Ranking, compare_rankings, measure_rankings

ALONE = "query"
_USES = {"in words": Use.WORDS, "votes": Use.VOTES}


@dataclass(frozen=True)
class Way:
    """One way to find tools.

    Args:
        finder: puts them in order. gold: whether it is given the gold items, else those that are found.
    """

    finder: ToolFinder
    gold: bool = False


def ways(retriever: Retriever, reader: ToolReader | None = None) -> dict[str, Way]:
    """The ways that are compared: the query alone, and with found or gold items, in words or voting; then the query
    alone and with found items by what a reader learnt.

    Args:
        retriever: says how well tools fit a text. reader: what a training split said of queries and apps; the one that
            ships, if one does, where None.
    """
    if reader is None and SHIPPED.exists():
        reader = read_tool_reader()
    found = {ALONE: Way(ToolFinder(retriever, Use.NONE))}
    for gold in (False, True):
        for how, use in _USES.items():
            found[f"{ALONE} and {'gold ' if gold else ''}items, {how}"] = Way(ToolFinder(retriever, use), gold)
    if reader:
        found[f"{ALONE}, learnt"] = Way(ToolFinder(retriever, Use.NONE, reader=reader))
        found[f"{ALONE} and items, votes, learnt"] = Way(ToolFinder(retriever, Use.VOTES, reader=reader))
    return found


def measure_context_tools(
    dataset: ContextDataset,
    compared: Mapping[str, Way],
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
        found.append(Found(sample, len(tools), ranks, seconds))
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
    found: Sequence[Found],
    compared: Mapping[str, Way],
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
