"""Samples in rows of nearly equal length, and what a causal language model makes of them at the trained places."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from camphor.training.data import Sample


@dataclass(frozen=True)
class Padded:
    """Samples (B) in rows padded on the right to the longest (T).

    tokens, seen (B, T) int64: seen is 1 where a token is and 0 where none is. Of the n trained tokens, row after row:
    rows and columns (n,) int64 are their places, weights (n,) float32 the factors on their losses.
    """

    samples: tuple[Sample, ...]
    tokens: Tensor
    seen: Tensor
    rows: Tensor
    columns: Tensor
    weights: Tensor


def bucket(samples: Sequence[Sample], tokens: int) -> list[list[Sample]]:
    """Divide samples into parts of like length, the longest first, that with their padding have at most `tokens`
    tokens each (a longer sample stands alone). Those that show function tokens are apart from those that do not."""
    parts: list[list[Sample]] = []
    for showing in (True, False):
        part: list[Sample] = []
        for sample in sorted((s for s in samples if bool(s.definitions) is showing), key=_size, reverse=True):
            if part and (len(part) + 1) * _size(part[0]) > tokens:
                parts.append(part)
                part = []
            part.append(sample)
        if part:
            parts.append(part)
    return parts


def _size(sample: Sample) -> int:
    return len(sample.tokens) + len(sample.definitions)


def pad(samples: Sequence[Sample], decide: float, device: torch.device) -> Padded:
    """Lay samples out; `decide` is the factor on tokens that name an agent or a tool."""
    longest = max(len(sample.tokens) for sample in samples)
    tokens = torch.zeros(len(samples), longest, dtype=torch.int64)
    seen = torch.zeros_like(tokens)
    places: list[tuple[int, int, float]] = []
    for row, sample in enumerate(samples):
        tokens[row, : len(sample.tokens)] = torch.from_numpy(sample.tokens)
        seen[row, : len(sample.tokens)] = 1
        deciding = set(sample.deciding)
        for start, stop in sample.trained:
            places += [(row, column, decide if column in deciding else 1.0) for column in range(start, stop)]
    rows, columns, weights = (list(part) for part in zip(*places, strict=True))
    return Padded(
        tuple(samples),
        tokens.to(device),
        seen.to(device),
        torch.tensor(rows, device=device),
        torch.tensor(columns, device=device),
        torch.tensor(weights, dtype=torch.float32, device=device),
    )


def weight_of(samples: Sequence[Sample], decide: float) -> float:
    """The sum of the weights of samples' trained tokens."""
    trained = sum(stop - start for sample in samples for start, stop in sample.trained)
    return trained + (decide - 1) * sum(len(sample.deciding) for sample in samples)


class Reader:
    """Runs a model on padded samples.

    Args:
        base: the model inside the wrappers of peft and of several processes.
    """

    def __init__(self, base: Any) -> None:
        self._chooses = "logits_to_keep" in inspect.signature(base.forward).parameters

    def logits(self, model: Any, batch: Padded) -> Tensor:
        """What predicts each trained token, (n, V) float32, from the place before it.

        A vocabulary of a quarter of a million times every token is the most memory of a pass, so that the model is
        asked for no other place than some row trains, where it can be.
        """
        before = batch.columns - 1
        options: dict[str, Any] = {}
        if self._chooses:
            options["logits_to_keep"], before = torch.unique(before, return_inverse=True)
        out = model(input_ids=batch.tokens, attention_mask=batch.seen, use_cache=False, **options)
        chosen: Tensor = out.logits[batch.rows, before].float()
        return chosen

    def losses(self, logits: Tensor, batch: Padded) -> Tensor:
        """(n,) float32, without weights."""
        return cross_entropy(logits, batch.tokens[batch.rows, batch.columns], reduction="none")
