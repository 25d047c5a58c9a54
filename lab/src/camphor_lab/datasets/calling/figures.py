"""What a set of call samples holds and how varied it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from statistics import fmean
from typing import Any

from camphor.tools.plans import references
from camphor.trajectories.call_samples import CallSample
from camphor_lab.datasets.diversity import distinct
from camphor_lab.datasets.similarity import tokens

_SUBSET = 500  # distinct-n falls with size, so it is taken over so many queries at most


def figures(samples: Sequence[CallSample], seed: int = 0) -> dict[str, Any]:
    """Figures of a split.

    Returns:
        `samples`, `kinds` (by number of calls, and nested), `functions` (in how many samples each is called),
        `calls_per_sample`, `words` (least, mean and most of a query), `distinct_1` and `distinct_2` (shares of words
        and pairs of words that are new, over 500 queries: Li et al. 2016), `tags` other than functions.
    """
    if not samples:
        return {"samples": 0}
    lengths = [len(sample.query.split()) for sample in samples]
    subset = list(samples) if len(samples) <= _SUBSET else Random(seed).sample(list(samples), _SUBSET)
    words = [tokens(sample.query) for sample in subset]
    kinds = Counter(f"{len(sample.answers)} calls" for sample in samples)
    kinds["nested"] = sum(any(True for call in sample.answers for _ in references(call)) for sample in samples)
    functions = Counter(name for sample in samples for name in {call.name for call in sample.answers})
    tags = Counter(tag for sample in samples for tag in sample.tags if tag not in functions)
    return {
        "samples": len(samples),
        "kinds": dict(sorted(kinds.items())),
        "calls_per_sample": round(fmean(len(sample.answers) for sample in samples), 3),
        "words": {"least": min(lengths), "mean": round(fmean(lengths), 1), "most": max(lengths)},
        "distinct_1": distinct(words, 1, 3),
        "distinct_2": distinct(words, 2, 3),
        "tags": dict(tags.most_common()),
        "functions": dict(functions.most_common()),
    }
