"""Training of changes of low rank in an encoder's layers (`camphor.retrieval.reading.encoder`; LoRA, Hu et al. 2021).

The encoder itself stays as it is, so what it knows of words that no text of the training has is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.retrieval.reading.encoder import MATRICES, Changes, Encoder, Matrix


def low_rank(encoder: Encoder, layers: int, rank: int, dropout: float) -> Any:
    """The encoder in torch, frozen, with changes of its last layers: as `Encoder.hidden`.

    A call gives the last layer of texts, (texts, longest, width), and where they are, (texts, longest). `downs`, `ups`
    and `norms` are what is learnt; `dropped` leaves values out while it trains.
    """
    import torch
    from torch.nn import functional

    from camphor_lab.training.base import products_in_bfloat16

    form = torch.bfloat16 if products_in_bfloat16() else torch.float32

    def frozen(numbers: npt.NDArray[Any]) -> Any:
        return torch.from_numpy(np.ascontiguousarray(numbers, np.float32))

    width = encoder.places.shape[1]

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tables = frozen(encoder.embedding.rows()), frozen(encoder.places), frozen(encoder.norm)
            self.layers = [
                {
                    **{name: frozen(each.whole(name)).to(form) for name in MATRICES},
                    **{f"{name}_bias": frozen(getattr(each, f"{name}_bias")).to(form) for name in MATRICES},
                    **{name: frozen(getattr(each, name)) for name in ("norm", "last_norm")},
                }
                for each in encoder.layers
            ]
            self.first = len(self.layers) - layers
            self.downs, self.ups = torch.nn.ParameterList(), torch.nn.ParameterList()
            for layer in self.layers[self.first :]:
                for name in MATRICES:
                    inputs, outputs = layer[name].shape
                    self.downs.append(torch.nn.Parameter(torch.randn(inputs, rank) / math.sqrt(inputs)))
                    self.ups.append(torch.nn.Parameter(torch.zeros(rank, outputs)))
            norms = torch.stack([torch.stack([each["norm"], each["last_norm"]]) for each in self.layers[self.first :]])
            self.norms = torch.nn.Parameter(norms)

        def forward(self, pieces: Sequence[Sequence[int]]) -> Any:
            longest = max(map(len, pieces))
            numbers = torch.tensor([[*each, *[0] * (longest - len(each))] for each in pieces])
            there = torch.tensor([[1.0] * len(each) + [0.0] * (longest - len(each)) for each in pieces])
            table, places, norm = self.tables
            hidden = self.normed(table[numbers] + places[:longest], norm)
            shade = ((1 - there) * -1e4)[:, None, None, :].to(form)
            with torch.no_grad():
                for layer in self.layers[: self.first]:
                    hidden = self.passed(hidden, shade, layer, layer["norm"], layer["last_norm"])
            for place, layer in enumerate(self.layers[self.first :]):
                hidden = self.passed(hidden, shade, layer, self.norms[place, 0], self.norms[place, 1], place)
            return hidden, there

        def passed(self, hidden: Any, shade: Any, layer: Any, norm: Any, last: Any, place: int | None = None) -> Any:
            count, longest, _ = hidden.shape
            mixed = self.product(hidden, layer, "attend", place).view(count, longest, 3, encoder.heads, -1)
            query, key, value = mixed.permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=shade)
            seen = self.product(seen.transpose(1, 2).reshape(count, longest, width), layer, "out", place)
            hidden = self.normed(hidden + self.dropped(seen, place).float(), norm)
            inner = functional.gelu(self.product(hidden, layer, "wide", place), approximate="tanh")
            inner = self.product(inner, layer, "narrow", place)
            return self.normed(hidden + self.dropped(inner, place).float(), last)

        def product(self, values: Any, layer: Any, name: str, place: int | None) -> Any:
            values = values.to(form)
            told = functional.linear(values, layer[name].t(), layer[f"{name}_bias"])
            if place is None:
                return told
            at = place * len(MATRICES) + MATRICES.index(name)
            return told + values @ self.downs[at].to(form) @ self.ups[at].to(form)

        def dropped(self, values: Any, place: int | None = 0) -> Any:
            return values if place is None else functional.dropout(values, dropout)

        def normed(self, values: Any, norm: Any) -> Any:
            return functional.layer_norm(values, (width,), norm[0], norm[1], 1e-12)

    return Network()


def changes_of(network: Any, mark: str) -> Changes:
    """What a network of `low_rank` has learnt, rounded as it is kept."""
    downs = [Matrix.of(np.ascontiguousarray(numbers(each).T)) for each in network.downs]
    return Changes(downs, [Matrix.of(numbers(each)) for each in network.ups], numbers(network.norms), mark)


def shortened(changes: Changes, rank: int) -> Changes:
    """The changes of that rank nearest to these (singular values), as they are kept: a smaller file that does the same.

    Eckart and Young 1936.
    """
    downs, ups = [], []
    for down, up in zip(changes.downs, changes.ups, strict=True):
        left, worth, right = np.linalg.svd(down.rows().T @ up.rows(), full_matrices=False)
        each = np.sqrt(worth[:rank])
        downs.append(Matrix.of(np.ascontiguousarray((left[:, :rank] * each).T, np.float32)))
        ups.append(Matrix.of(np.ascontiguousarray(right[:rank] * each[:, None], np.float32)))
    return Changes(downs, ups, changes.norms, changes.mark)


def numbers(values: Any) -> npt.NDArray[np.float32]:
    """A tensor as an array."""
    return np.ascontiguousarray(values.detach().numpy(), np.float32)


def share_of_rate(step: int, steps: int, warm_up: float) -> float:
    """Of the highest rate: it rises, then falls as a cosine does."""
    rising = max(1.0, warm_up * steps)
    if step < rising:
        return (step + 1) / (rising + 1)
    return 0.5 * (1 + math.cos(math.pi * (step - rising) / max(1.0, steps - rising)))
