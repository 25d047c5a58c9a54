"""What two systems on the same queries cost, and the ratio of it with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any

import numpy as np

from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.metrics import LEVELS, RESAMPLES, ScoredQuery, difference_interval, measure, percentiles
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.runner import score_results
from camphor_lab.evaluation.values import Similarity


def ratio(theirs: Sequence[float], ours: Sequence[float], seed: int = 0) -> dict[str, Any]:
    """Theirs over ours: of the means, and the median of the queries' own ratios, each with its 95% paired bootstrap
    interval over queries (Efron 1979).

    Args:
        theirs, ours: a figure above 0 of each query, in the same order.
    """
    above, below = np.array(theirs), np.array(ours)
    drawn = np.random.default_rng(seed).integers(len(above), size=(RESAMPLES, len(above)))
    medians = np.median((above / below)[drawn], axis=1)
    return {
        "queries": len(above),
        "of_means": round(float(above.mean() / below.mean()), 3),
        "of_means_95": percentiles(above[drawn].mean(axis=1) / below[drawn].mean(axis=1)),
        "median": round(float(np.median(above / below)), 3),
        "median_95": percentiles(medians),
    }


def report(
    dataset: Dataset, results: Sequence[Result], similarity: Similarity, about: Mapping[str, Any]
) -> tuple[dict[str, Any], list[ScoredQuery]]:
    """One system's results as `camphor lab evaluate --out` writes them, and its scores."""
    scores = score_results(dataset, results, similarity)
    scored = [ScoredQuery(r.id, s, r.tags, r.turn, r.seconds, r.error) for r, s in zip(results, scores, strict=True)]
    items = [{**result.to_json(), "score": score.to_json()} for result, score in zip(results, scores, strict=True)]
    return {"metrics": measure(scored), "run": dict(about), "items": items}, scored


def told(results: Sequence[Result], metrics: Mapping[str, Any]) -> dict[str, Any]:
    """A system's line of the comparison: seconds and tokens a query, and the F1s with their intervals."""
    spent = {
        name: round(fmean(float(result.timing.get(name, 0)) for result in results), 2)
        for name in ("evaluated_tokens", "generated_tokens", "model_turns", "cpu_seconds")
    }
    return {
        "seconds_mean": round(fmean(result.seconds for result in results), 3),
        "seconds_median": round(median(result.seconds for result in results), 3),
        **{f"{name}_mean": value for name, value in spent.items()},
        "errors": metrics["errors"],
        "stopped_at_limit": sum(not result.timing.get("ended", True) for result in results),
        **{name: metrics[name] for name in (*LEVELS, "no_call_accuracy")},
        "interval_95": metrics["interval_95"],
    }


def ratios(theirs: Sequence[Result], ours: Sequence[Result], first: Sequence[bool]) -> dict[str, Any]:
    """The ratios of wall time, processor time and evaluated tokens; wall time also for the first query on a phone, when
    neither has anything of it in its cache, for later ones, when both have, and for the queries that the peer ended by
    itself, which leaves out those that it went on with to its limit.

    Args:
        first: whether a query is the first on its phone.
    """
    pairs = [(other.seconds, own.seconds) for other, own in zip(theirs, ours, strict=True)]
    split = {
        "seconds": pairs,
        "seconds_first_on_a_phone": [pair for pair, is_first in zip(pairs, first, strict=True) if is_first],
        "seconds_later_on_a_phone": [pair for pair, is_first in zip(pairs, first, strict=True) if not is_first],
        "seconds_where_the_peer_ended": [
            pair for pair, other in zip(pairs, theirs, strict=True) if other.timing.get("ended", True)
        ],
    }
    for name in ("cpu_seconds", "evaluated_tokens"):
        costs = [(other.timing.get(name), own.timing.get(name)) for other, own in zip(theirs, ours, strict=True)]
        split[name] = [(other, own) for other, own in costs if other and own]
    return {
        name: ratio([other for other, _ in found], [own for _, own in found]) for name, found in split.items() if found
    }


def differences(ours: Sequence[ScoredQuery], theirs: Sequence[ScoredQuery]) -> dict[str, list[float] | None]:
    """95% paired bootstrap intervals of what our F1s are above theirs."""
    return {name: difference_interval(theirs, ours, name) for name in LEVELS}
