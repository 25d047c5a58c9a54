"""How well retrievers find the items that implicit queries are about (Context Tuning, section 4.1 and Table 2)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import camphor
from camphor.retrieval.context.rankers import ContextRetriever
from camphor_lab.datasets.context.samples import ContextSample
from camphor_lab.evaluation.context_data import ContextDataset
from camphor_lab.evaluation.ranking_metrics import KS, Ranking, compare_rankings, measure_rankings


@dataclass(frozen=True)
class Found:
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


def _find(dataset: ContextDataset, sample: ContextSample, methods: Mapping[str, ContextRetriever], most: int) -> Found:
    asked = dataset.asked(sample)
    ranks, seconds = {}, {}
    for name, method in methods.items():
        begun = time.process_time()
        hits = method.search(sample.query, asked.situation, asked.index, most)
        seconds[name] = time.process_time() - begun
        places = {hit.ref: place for place, hit in enumerate(hits, 1)}
        ranks[name] = [places.get(ref) for ref in sample.context]
    return Found(sample, len(asked.index), ranks, seconds)


def report_of(
    dataset: ContextDataset,
    found: Sequence[Found],
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


def _by_intent(found: Sequence[Found], methods: Sequence[str], k: int) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Found]] = {}
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
