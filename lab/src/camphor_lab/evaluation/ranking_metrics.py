"""Recall at K and NDCG at K of rankings (Context Tuning, section 3.2), with intervals by the bootstrap over clusters.

Queries of one person are alike: they are of one device, one week and one set of habits. So whole persons are drawn, not
queries (the cluster bootstrap; Field and Welsh 2007); an interval over queries would be too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor_lab.evaluation.metrics import percentiles, resample

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
    return {**_summary(rankings, _figures(rankings, ks), ks, seed), "gold": gold}


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
    return _summary(better, _figures(better, ks) - _figures(other, ks), ks, seed)


def _summary(rankings: Sequence[Ranking], figures: Figures, ks: Sequence[int], seed: int) -> dict[str, Any]:
    clusters = [each.cluster for each in rankings]
    return {
        "queries": len(rankings),
        "clusters": len(set(clusters)),
        **_named(figures.mean(axis=0), ks, lambda value: round(float(value), 4)),
        "interval_95": _named(resampled_means(clusters, figures, seed).T, ks, percentiles),
    }


def _figures(rankings: Sequence[Ranking], ks: Sequence[int]) -> Figures:
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
