"""Passes of the model over batches, side by side, and the scores of samples."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import torch

from camphor_lab.training.data import Batch, Sample, cut, pack
from camphor_lab.training.lean import LeanLlama, PassFunctions, Scores


@dataclass(frozen=True)
class Evaluation:
    """On held-out samples: loss per trained token; the shares of trained segments, and of whole samples, whose every
    token is the model's greedy choice."""

    loss: float
    exact_segments: float
    exact_samples: float


class Workers:
    """Threads that each run whole passes on one core.

    Two cores in step at every product lose a third where anything else runs on the machine, as each waits for the
    other thousands of times a second; working on different samples they meet once a step.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = ThreadPoolExecutor(count)

    def map(
        self, model: LeanLlama, batches: Sequence[Batch], weight: float | None, decide: float = 1.0
    ) -> list[Scores]:
        """Pass i adds its gradient to slot i if there is a weight, of each loss as often as `Batch.factors` says."""

        def one(slot: int, batch: Batch) -> Scores:
            if not len(batch.positions):
                return Scores(0.0, 0, torch.zeros(0, dtype=torch.bool))
            tokens = torch.from_numpy(batch.tokens).to(model.device)
            positions = torch.from_numpy(batch.positions).to(model.device)
            factors, weights = batch.factors(decide), None
            if (factors != 1.0).any():
                weights = torch.from_numpy(factors).to(model.device)
            shown = shown_of(model, batch)
            return model.run(
                tokens,
                batch.lengths,
                positions,
                weight=weight,
                slot=slot,
                weights=weights,
                shown=shown,
                after=batch.after,
            )

        return list(self._pool.map(one, range(len(batches)), batches))


def shown_of(model: LeanLlama, batch: Batch) -> PassFunctions | None:
    """The function tokens of a batch, on the model's device; None where it shows none."""
    functions = model.functions
    if functions is None or not batch.definitions:
        return None

    def rows(places: Sequence[int]) -> torch.Tensor | None:
        found = [place * functions.count + vector for place in places for vector in range(functions.count)]
        return torch.tensor(found, device=model.device) if found else None

    return PassFunctions(functions.rows(batch.definitions), tuple(rows(places) for places in batch.shown))


def evaluate(model: LeanLlama, samples: Sequence[Sample], micro_tokens: int, workers: Workers) -> Evaluation:
    """Score samples without learning; a segment is exact if greedy decoding after the gold text would write it."""
    loss, tokens, exact, segments, whole, count = 0.0, 0, 0, 0, 0, 0
    parts = list(cut((s for s in samples if s.trained), micro_tokens))
    batches = [pack(part) for part in parts]
    for part, batch, scores in zip(parts, batches, workers.map(model, batches, None), strict=True):
        loss, tokens = loss + scores.loss, tokens + scores.tokens
        good = [bool(piece.all()) for piece in torch.split(scores.right.cpu(), list(batch.segments))]
        exact, segments = exact + sum(good), segments + len(good)
        for sample in part:
            mine, good = good[: len(sample.trained)], good[len(sample.trained) :]
            whole, count = whole + all(mine), count + 1
    return Evaluation(loss / max(1, tokens), exact / max(1, segments), whole / max(1, count))
