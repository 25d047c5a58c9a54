"""The figures of answers: how many are right, how many are false, and what was done that nobody wished for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from camphor_lab.evaluation.answer_scores import Verdict
from camphor_lab.evaluation.judged import Judged

RESAMPLES = 2000
Told = tuple[Judged, Sequence[str]]
"""What was made of a response, and its item's tags."""


def measure_answers(told: Sequence[Told], seed: int = 0) -> dict[str, Any]:
    """As JSON values; shares are from 0 to 1, None where there is nothing to count.

    `answers_right`, `answers_abstained` and `false_statement_rate` are of the items that say what a right answer is;
    `answers` has their numbers, why they are not right, intervals (95%, bootstrap) and the same by tag. `unannotated`
    has the false statements, as far as gold records tell, of questions that do not say it. `unwished_actions` counts
    the proposed actions that no gold call stands for, in `unwished_queries` queries.
    """
    scored = [(judged.answer, tags) for judged, tags in told if judged.answer is not None]
    verdicts = [score.verdict for score, _ in scored]
    others = [judged.unannotated for judged, _ in told if judged.unannotated is not None]
    tags = sorted({tag for _, tags in scored for tag in tags})
    return {
        "answers_right": _share(verdicts, Verdict.RIGHT),
        "answers_abstained": _share(verdicts, Verdict.ABSTAINED),
        "false_statement_rate": _share(verdicts, Verdict.FALSE),
        "answers": {
            "items": len(scored),
            **{verdict.value: verdicts.count(verdict) for verdict in Verdict},
            "why": dict(sorted(Counter(score.why for score, _ in scored if score.why).items())),
            "interval_95": {
                "answers_right": _interval(verdicts, Verdict.RIGHT, seed),
                "false_statement_rate": _interval(verdicts, Verdict.FALSE, seed),
            },
            "by_tag": {tag: _tag([s.verdict for s, tags in scored if tag in tags]) for tag in tags},
        },
        "unannotated": {
            "items": len(others),
            "false": sum(map(bool, others)),
            "false_statement_rate": sum(map(bool, others)) / len(others) if others else None,
            "why": dict(sorted(Counter(filter(None, others)).items())),
        },
        "unwished_actions": sum(judged.unwished for judged, _ in told),
        "unwished_queries": sum(judged.unwished > 0 for judged, _ in told),
    }


def _share(verdicts: Sequence[Verdict], which: Verdict) -> float | None:
    return verdicts.count(which) / len(verdicts) if verdicts else None


def _tag(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    rates = {"answers_right": _share(verdicts, Verdict.RIGHT), "false_statement_rate": _share(verdicts, Verdict.FALSE)}
    return {"items": len(verdicts), **rates}


def _interval(verdicts: Sequence[Verdict], which: Verdict, seed: int) -> list[float] | None:
    """Percentile bootstrap over items: of a share that is a binomial draw."""
    if not verdicts:
        return None
    size = len(verdicts)
    drawn = np.random.default_rng(seed).binomial(size, verdicts.count(which) / size, RESAMPLES) / size
    return [round(float(each), 4) for each in np.percentile(drawn, (2.5, 97.5))]
