"""How often careful people agree: answers by hand to a dataset's queries, scored as a model's are.

One who did not write the gold answers queries with the phone before them. Scored against the gold they are the ceiling
of what a model can reach, scored against one another the noise that is in any one's answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from camphor.errors import CallSyntaxError, DatasetError, UsageError
from camphor.tools.calls import calls_from_json
from camphor.trajectories.items import Item
from camphor.types import Call
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.metrics import ScoredQuery, measure
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.runner import score_results
from camphor_lab.evaluation.values import Similarity

Answers = Mapping[str, tuple[Call, ...]]
FIGURES = ("tool_f1", "delexicalized_plan_f1", "plan_f1", "strict_plan_f1", "no_call_accuracy", "exact", "interval_95")


def read_answers(path: Path) -> Answers:
    """The calls that somebody gave for each item, from lines of `{"id", "calls"}`. Raises: DatasetError, a bad line."""
    found: dict[str, tuple[Call, ...]] = {}
    for place, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            line = json.loads(text)
            found[str(line["id"])] = calls_from_json(line["calls"])
        except (ValueError, TypeError, KeyError, CallSyntaxError) as problem:
            raise DatasetError(str(path), place, f"expected an object with id and calls: {problem}") from problem
    return found


def agreement(dataset: Dataset, hands: Mapping[str, Answers], similarity: Similarity) -> dict[str, Any]:
    """The figures of each hand against the gold and of each two against one another, on the items that all answered.

    Returns:
        `{"items": n, "of": {item's id: {pair: all calls are the same}}, "agreement": {pair: {figure: value}}}`, pairs
        being "a, gold", "b, gold" and "a, b".

    Raises:
        UsageError: there is no item that all answered.
    """
    items = [item for item in dataset.items if all(item.id in answers for answers in hands.values())]
    if not items:
        raise UsageError(f"no query of {dataset.name} was answered by everybody: see the ids of the answers")
    everybody = {**hands, "gold": {item.id: calls_from_json(item.calls or ()) for item in items}}
    figures: dict[str, Any] = {}
    exact: dict[str, dict[str, bool]] = {item.id: {} for item in items}
    for name, other in (*((name, "gold") for name in hands), *combinations(hands, 2)):
        scored = _scored(dataset, items, everybody[name], everybody[other], similarity)
        measured = measure(scored)
        figures[f"{name}, {other}"] = {figure: measured[figure] for figure in FIGURES}
        for query in scored:
            exact[query.id][f"{name}, {other}"] = query.score.counts.exact
    return {"items": len(items), "of": exact, "agreement": figures}


def _scored(
    dataset: Dataset, items: Sequence[Item], answers: Answers, gold: Answers, similarity: Similarity
) -> list[ScoredQuery]:
    """One's answers as if they were a model's."""
    results = [Result(item.id, item.query, answers[item.id], gold[item.id], tags=tuple(item.tags)) for item in items]
    scores = score_results(dataset, results, similarity, items)
    return [ScoredQuery(result.id, score, result.tags) for result, score in zip(results, scores, strict=True)]
