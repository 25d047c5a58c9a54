"""Samples in rows of nearly equal length, and what a causal language model makes of them at the trained places."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from camphor_lab.training.data import Sample
from camphor_lab.training.functions import FunctionVectors


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
            places += [
                (row, column, sample.weight * (decide if column in deciding else 1.0)) for column in range(start, stop)
            ]
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
    return sum(
        sample.weight * (sum(stop - start for start, stop in sample.trained) + (decide - 1) * len(sample.deciding))
        for sample in samples
    )


@dataclass(frozen=True)
class BatchFunctions:
    """The function tokens of a batch, each once: their definitions, their ids as `FunctionVectors.rows` gives them,
    and their vectors (U, D) float32, a leaf that gets a gradient where the projector is learnt."""

    definitions: list[str]
    ids: Tensor
    vectors: Tensor


class PaddedRunner:
    """Runs a model on padded samples.

    Args:
        base: the model inside the wrappers of peft and of several processes.
        functions: vectors of function tokens, where samples show some.
    """

    def __init__(self, base: Any, functions: FunctionVectors | None = None) -> None:
        self._chooses = "logits_to_keep" in inspect.signature(base.forward).parameters
        self._embedding = base.get_input_embeddings()
        self._functions = functions

    def vectors(self, batch: Padded) -> BatchFunctions | None:
        """The function tokens that a batch shows, which all of its samples do or none."""
        if self._functions is None or not batch.samples[0].definitions:
            return None
        definitions = list(dict.fromkeys(text for sample in batch.samples for text in sample.definitions))
        ids = self._functions.rows(definitions)
        return BatchFunctions(definitions, ids, self._functions.forward(ids).requires_grad_(self._functions.size > 0))

    def logits(self, model: Any, batch: Padded, shown: BatchFunctions | None = None) -> Tensor:
        """What predicts each trained token, (n, V) float32, from the place before it.

        A vocabulary of a quarter of a million times every token is the most memory of a pass, so that the model is
        asked for no other place than some row trains, where it can be.
        """
        if shown is None:
            first, inputs = 0, {"input_ids": batch.tokens, "attention_mask": batch.seen}
        else:
            first, inputs = self._show(batch, shown)
        before = batch.columns - 1 + first
        options: dict[str, Any] = {}
        if self._chooses:
            options["logits_to_keep"], before = torch.unique(before, return_inverse=True)
        out = model(**inputs, use_cache=False, **options)
        chosen: Tensor = out.logits[batch.rows, before].float()
        return chosen

    def _show(self, batch: Padded, shown: BatchFunctions) -> tuple[int, dict[str, Any]]:
        """How many columns (F) of function tokens stand before the text, and the model's inputs with them.

        All are at position 0 and text goes on from 1; each sees itself alone, and all text sees those of its own sample
        (CAMPHOR, section 3.3).
        """
        assert self._functions is not None
        count, table = self._functions.count, {text: number for number, text in enumerate(shown.definitions)}
        places = [[table[t] * count + i for t in s.definitions for i in range(count)] for s in batch.samples]
        first = max(map(len, places))
        device, rows = batch.tokens.device, len(places)
        index = torch.tensor([place + [0] * (first - len(place)) for place in places], device=device)
        there = torch.tensor([[i < len(place) for i in range(first)] for place in places], device=device)
        text = self._embedding(batch.tokens)
        total = first + text.shape[1]
        sees = torch.ones(total, total, dtype=torch.bool, device=device).tril().repeat(rows, 1, 1)
        sees[:, :, :first] &= there[:, None]
        sees[:, :first] = torch.eye(total, dtype=torch.bool, device=device)[:first]
        mask = torch.zeros(sees.shape, dtype=text.dtype, device=device)
        mask.masked_fill_(~sees, torch.finfo(text.dtype).min)
        positions = (torch.arange(total, device=device) - first + 1).clamp(min=0)
        return first, {
            "inputs_embeds": torch.cat((shown.vectors.to(text.dtype)[index], text), dim=1),
            "attention_mask": mask[:, None],
            "position_ids": positions.repeat(rows, 1),
        }

    def losses(self, logits: Tensor, batch: Padded) -> Tensor:
        """(n,) float32, without weights."""
        return cross_entropy(logits, batch.tokens[batch.rows, batch.columns], reduction="none")
