"""Recall at K of tool retrieval (CAMPHOR, section 5.5 and Figure 4), for each agent whose tools are a phone's own.

The gold is the tools that an item's steps call for that agent, each once. An item without steps has its gold calls as
task completion's; an item without a gold tool of an agent says nothing about that agent. The retriever reads the item's
own query alone and ranks the agent's tools on the item's device.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

import camphor
from camphor.agents.bounds import Limits
from camphor.agents.prompts import Setting
from camphor.agents.strategies.base import Steps, Strategy
from camphor.errors import UsageError
from camphor.retrieval.retrievers import Retriever, rank
from camphor.tools.tool import Toolbox
from camphor.trajectories.items import Item
from camphor.types import Agent, Turn
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.metrics import percentiles, resample

# Recall at K and NDCG at K of rankings (Context Tuning, section 3.2), with intervals by the bootstrap over clusters.
#
# Queries of one person are alike: they are of one device, one week and one set of habits. So whole persons are drawn,
# not queries (the cluster bootstrap; Field and Welsh 2007); an interval over queries would be too narrow.

KS = (3, 5, 10)
METRICS = ("recall", "ndcg")

Ranks = Sequence[int | None]
"""The rank, from 1, of each gold item of one query; None for one that was not found."""
Figures = npt.NDArray[np.float64]


def recall_at(ranks: Ranks, k: int) -> float:
    """The share of the gold items among the first `k`."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def ndcg_at(ranks: Ranks, k: int) -> float:
    """The discounted gain of the gold items among the first `k`, 1 / log2(1 + rank) each, over the most that a ranking
    could have (Järvelin and Kekäläinen 2002, gains 0 and 1). The paper does not say which of its variants it means."""
    gained = sum(1 / math.log2(1 + rank) for rank in ranks if rank is not None and rank <= k)
    return gained / sum(1 / math.log2(2 + place) for place in range(min(k, len(ranks))))


@dataclass(frozen=True)
class Ranking:
    """Where gold items stand in the answer to one query, of one cluster (a person)."""

    cluster: str
    ranks: Ranks

    def __post_init__(self) -> None:
        if not self.ranks:
            raise ValueError("a query without gold items has no recall")


def measure_rankings(rankings: Sequence[Ranking], ks: Sequence[int] = KS, seed: int = 0) -> dict[str, Any]:
    """The means over queries, from 0 to 1, with their 95% intervals.

    Returns:
        `{"queries", "clusters", "recall": {K: share}, "ndcg": {K: share}, "interval_95": {"recall": {K: [low, high]},
        "ndcg": {...}}, "gold"}`: `gold` is the mean number of gold items of a query, each K a text, as JSON has it.

    Raises:
        ValueError: there are no rankings.
    """
    gold = round(sum(len(each.ranks) for each in rankings) / max(1, len(rankings)), 2)
    return {**_ranking_summary(rankings, _ranking_figures(rankings, ks), ks, seed), "gold": gold}


def compare_rankings(
    better: Sequence[Ranking], other: Sequence[Ranking], ks: Sequence[int] = KS, seed: int = 0
) -> dict[str, Any]:
    """How far one method is ahead of another on the same queries, in the same order: differences of the metrics.

    Returns:
        As `measure_rankings`, less `gold`, of differences; an interval that lies above 0 says that it is ahead.

    Raises:
        ValueError: the queries are not the same, or there are none.
    """
    if [(e.cluster, len(e.ranks)) for e in better] != [(e.cluster, len(e.ranks)) for e in other]:
        raise ValueError("only rankings of the same queries can be compared")
    return _ranking_summary(better, _ranking_figures(better, ks) - _ranking_figures(other, ks), ks, seed)


def _ranking_summary(rankings: Sequence[Ranking], figures: Figures, ks: Sequence[int], seed: int) -> dict[str, Any]:
    clusters = [each.cluster for each in rankings]
    return {
        "queries": len(rankings),
        "clusters": len(set(clusters)),
        **_named(figures.mean(axis=0), ks, lambda value: round(float(value), 4)),
        "interval_95": _named(resampled_means(clusters, figures, seed).T, ks, percentiles),
    }


def _ranking_figures(rankings: Sequence[Ranking], ks: Sequence[int]) -> Figures:
    """Recall at each K, then NDCG at each K: shape (queries, 2 * number of K)."""
    if not rankings:
        raise ValueError("there are no queries to measure")
    rows = [[*(recall_at(e.ranks, k) for k in ks), *(ndcg_at(e.ranks, k) for k in ks)] for e in rankings]
    return np.array(rows, np.float64)


def resampled_means(clusters: Sequence[str], figures: Figures, seed: int = 0) -> Figures:
    """The mean of each figure over the queries of each resample of the clusters: shape (resamples, figures).

    Args:
        clusters: that of each query. figures: of each query, shape (queries, figures).
    """
    places = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    rows, size = np.array([places[name] for name in clusters]), len(places)
    sums = np.zeros((size, figures.shape[1]))
    np.add.at(sums, rows, figures)
    weights = resample(size, seed)
    return np.asarray((weights @ sums) / (weights @ np.bincount(rows).astype(np.float64))[:, None])


def mean_figures(names: Sequence[str], clusters: Sequence[str], figures: Figures, seed: int = 0) -> dict[str, Any]:
    """The mean of each figure by its name, and under `interval_95` its 95% interval over the clusters.

    Args:
        names: of the figures. clusters: that of each query. figures: shape (queries, figures), or their differences.
    """
    drawn = resampled_means(clusters, figures, seed).T
    return {
        **{name: round(float(value), 4) for name, value in zip(names, figures.mean(axis=0), strict=True)},
        "interval_95": {name: percentiles(values) for name, values in zip(names, drawn, strict=True)},
    }


def _named(values: Figures, ks: Sequence[int], show: Callable[[Any], Any]) -> dict[str, dict[str, Any]]:
    """By metric and K; `values` has the order of `_figures` on its first axis."""
    halves = zip(METRICS, np.split(values, len(METRICS)), strict=True)
    return {name: {str(k): show(value) for k, value in zip(ks, half, strict=True)} for name, half in halves}


class Retrieved:
    """Another strategy with a smaller toolbox: prompts and grammars hold the `k` best tools of each dynamic agent.

    Everything else of the device stays: what was asked before, its records, and tools of the other agents.

    Raises:
        UsageError: when called, if `k` is under 1.
    """

    def __init__(self, strategy: Strategy, k: int, retriever: Retriever) -> None:
        self._strategy, self._k, self._retriever = strategy, k, retriever

    def __call__(self, query: str, history: tuple[Turn, ...], setting: Setting, limits: Limits, /) -> Steps:
        found = restrict(setting.toolbox, query, self._k, self._retriever)
        return self._strategy(query, history, replace(setting, toolbox=found), limits)


DYNAMIC_AGENTS = (Agent.CONTEXT, Agent.TASK)
"""Whose tools differ from phone to phone; the other agents' few tools are always kept."""


def restrict(
    toolbox: Toolbox, query: str, k: int, retriever: Retriever, agents: Sequence[Agent] = DYNAMIC_AGENTS
) -> Toolbox:
    """The toolbox with only the `k` tools of each of the agents that the retriever ranks first for the query.

    Each agent's tools are ranked apart, as the paper does. The tools left keep their order in the toolbox, so that two
    queries with the same tools give the same prompt.

    Raises:
        UsageError: `k` is under 1.
    """
    if k < 1:
        raise UsageError(f"{k} tools to retrieve: expected 1 or more")
    kept = {tool.name for agent in agents for tool in rank(retriever, query, toolbox.of(agent))[:k]}
    return Toolbox(tool for tool in toolbox if tool.agent not in agents or tool.name in kept)


TOOL_KS = (1, 3, 5, 10, 20)
RESAMPLES = 1000


@dataclass(frozen=True)
class RankedTools:
    """Where a retriever put the gold tools of one query and agent.

    Args:
        tools: how many tools were ranked. ranks: for each retriever the rank, from 1, of each gold tool, in the order
            of `gold`; None for one that the device does not have.
    """

    id: str
    agent: Agent
    gold: tuple[str, ...]
    tools: int
    ranks: Mapping[str, tuple[int | None, ...]]

    def recall(self, retriever: str, k: int) -> float:
        """The share of the gold tools among the first `k`."""
        return fmean(rank is not None and rank <= k for rank in self.ranks[retriever])

    def to_json(self) -> dict[str, Any]:
        ranks = {name: list(places) for name, places in self.ranks.items()}
        return {"id": self.id, "agent": self.agent.value, "gold": list(self.gold), "tools": self.tools, "ranks": ranks}


def gold_tools(item: Item, agent: Agent) -> tuple[str, ...]:
    """The names of the tools that the right answer needs of an agent, in order of first use."""
    calls = [call for step in item.steps if step["agent"] == agent.value for call in step.get("calls") or ()]
    if not item.steps and agent is Agent.TASK:
        calls = list(item.calls or ())
    return tuple(dict.fromkeys(call["name"] for call in calls))


def measure_retrieval(
    dataset: Dataset,
    retrievers: Mapping[str, Retriever],
    *,
    ks: Sequence[int] = TOOL_KS,
    command: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Rank the tools of every query with every retriever.

    Args:
        ks: the K of recall at K. command: the command line, for the record. progress: told queries done and all.

    Returns:
        `{"agents": {agent: {"queries", "gold_tools", "tools", "retrievers": {name: {"recall", "interval_95",
        "all_found"}}}}, "run", "items"}`. For each K, from 0 to 1: `recall`, the mean over queries of the share found,
        with the percentile bootstrap over queries as `interval_95`; `all_found`, the share of queries with nothing
        missing. `gold_tools` and `tools` are means over queries.

    Raises:
        UsageError: no query has a gold tool of any of these agents.
    """
    found = []
    for number, item in enumerate(dataset.items, start=1):
        found += _rank(dataset, item, retrievers)
        if progress:
            progress(number, len(dataset.items))
    if not found:
        raise UsageError(f"{dataset.path} has no steps and no calls: there is no tool that should be found")
    return {
        "agents": {
            agent.value: _summary(those, tuple(retrievers), ks)
            for agent in DYNAMIC_AGENTS
            if (those := [each for each in found if each.agent is agent])
        },
        "run": {
            "command": command,
            "dataset": dataset.path.name,
            "dataset_sha256": dataset.fingerprint,
            "queries": len(dataset.items),
            "camphor": camphor.__version__,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
        },
        "items": [each.to_json() for each in found],
    }


def _rank(dataset: Dataset, item: Item, retrievers: Mapping[str, Retriever]) -> list[RankedTools]:
    found = []
    for agent in DYNAMIC_AGENTS:
        gold = gold_tools(item, agent)
        if gold:
            tools = dataset.toolbox(item).of(agent)
            ranks = {}
            for name, retriever in retrievers.items():
                ranked = rank(retriever, item.query, tools)
                places = {tool.name: place for place, tool in enumerate(ranked, start=1)}
                ranks[name] = tuple(places.get(tool) for tool in gold)
            found.append(RankedTools(item.id, agent, gold, len(tools), ranks))
    return found


def _summary(found: Sequence[RankedTools], retrievers: Sequence[str], ks: Sequence[int]) -> dict[str, Any]:
    return {
        "queries": len(found),
        "gold_tools": round(fmean(len(each.gold) for each in found), 2),
        "tools": round(fmean(each.tools for each in found), 2),
        "retrievers": {name: _figures(found, name, ks) for name in retrievers},
    }


def _figures(found: Sequence[RankedTools], retriever: str, ks: Sequence[int]) -> dict[str, Any]:
    recall = np.array([[each.recall(retriever, k) for k in ks] for each in found])  # queries by K
    drawn = np.random.default_rng(0).integers(len(found), size=(RESAMPLES, len(found)))
    ends = np.percentile(recall[drawn].mean(axis=1), (2.5, 97.5), axis=0)  # 2 by K
    return {
        "recall": {str(k): round(float(value), 4) for k, value in zip(ks, recall.mean(axis=0), strict=True)},
        "interval_95": {str(k): [round(float(end), 4) for end in pair] for k, pair in zip(ks, ends.T, strict=True)},
        "all_found": {str(k): round(float(v), 4) for k, v in zip(ks, (recall == 1).mean(axis=0), strict=True)},
    }
