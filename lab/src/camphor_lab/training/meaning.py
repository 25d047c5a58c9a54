"""Training of the part of the net for emergencies that reads a message as a whole (`camphor.agents.health.suspicion`).

Changes of low rank in the layers of the reader's encoder (LoRA, Hu et al. 2021) and its norms are learnt by the
cross-entropy of whether a message is urgent and, of urgent ones, whether it is so now. The encoder itself stays as it
is, so what it knows of words that no sentence here has is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.answering.reader import MATRICES, Matrix, Reader, read_reader
from camphor.agents.health.suspicion import OUTPUTS, Meaning, mark_of, pieces_of
from camphor_lab.training.small_models import Progress, need

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class MeaningConfig:
    """Settings. `layers`: how many are changed, the last ones. `rank`: of the changes. `light`: one in so many of the
    texts that count little is read in an epoch, for so much more. `now`: weight of the second output's loss. `sure`:
    what is wanted of a certain text. `texts`: of a step, of like lengths among `drawn` times as many."""

    layers: int = 3
    rank: int = 8
    epochs: int = 3
    rate: float = 1.5e-3
    decay: float = 0.05
    dropout: float = 0.1
    warm_up: float = 0.06
    light: int = 3
    now: float = 0.3
    sure: float = 0.98
    texts: int = 32
    drawn: int = 16
    seed: int = 1


@dataclass(frozen=True)
class Lessons:
    """What is learnt from.

    Attributes:
        texts: the messages. urgent: 1 or 0 of each. now: 1 or 0, not a number where it does not matter.
        weights: how much each counts. light: those that count little and are many.
    """

    texts: Sequence[str]
    urgent: Doubles
    now: Doubles
    weights: Doubles
    light: npt.NDArray[np.bool_]

    def some(self, places: npt.NDArray[np.intp]) -> Lessons:
        """Those in these places."""
        texts = [self.texts[place] for place in places]
        return Lessons(texts, self.urgent[places], self.now[places], self.weights[places], self.light[places])


def train_meaning(lessons: Lessons, config: MeaningConfig, what: str, progress: Progress) -> Meaning:
    """Train the changes; the same seed gives the same on the same machine.

    Args:
        what: `progress` is told of this, and of how many steps of how many are done.

    Raises:
        MissingExtra: torch is not installed. ModelMissing: there is no reader.
    """
    need("torch", "torch, which train-red-flags needs,")
    import torch

    torch.manual_seed(config.seed)
    reader = read_reader()
    network = _network(reader, config)
    factors = [value for name, value in network.named_parameters() if "." in name]
    others = [value for name, value in network.named_parameters() if "." not in name]
    optimiser = torch.optim.AdamW(
        [{"params": factors, "weight_decay": config.decay}, {"params": others, "weight_decay": 0.0}], lr=config.rate
    )
    pieces = [pieces_of(text) for text in lessons.texts]
    batches = list(_batches(lessons, [len(each) for each in pieces], config))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _share(step, len(batches), config.warm_up))
    for step, batch in enumerate(batches):
        progress(what, step, len(batches))
        loss = _loss(network, [pieces[each] for each in batch], lessons, batch, config)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    progress(what, len(batches), len(batches))
    return _meaning(network, mark_of(reader))


def _share(step: int, steps: int, warm_up: float) -> float:
    """Of the highest rate: it rises, then falls as a cosine does."""
    rising = max(1.0, warm_up * steps)
    if step < rising:
        return (step + 1) / (rising + 1)
    return 0.5 * (1 + math.cos(math.pi * (step - rising) / max(1.0, steps - rising)))


def _batches(lessons: Lessons, lengths: Sequence[int], config: MeaningConfig) -> Iterator[list[int]]:
    """The texts of each step of all epochs."""
    draw = np.random.default_rng(config.seed)
    for _ in range(config.epochs):
        read = draw.permutation(np.flatnonzero(~lessons.light | (draw.random(len(lengths)) < 1 / config.light)))
        for start in range(0, len(read), config.texts * config.drawn):
            part = sorted(read[start : start + config.texts * config.drawn], key=lambda each: lengths[each])
            some = [part[at : at + config.texts] for at in range(0, len(part), config.texts)]
            for place in draw.permutation(len(some)):
                yield [int(each) for each in some[place]]


def _loss(
    network: Any, pieces: Sequence[Sequence[int]], lessons: Lessons, batch: Sequence[int], config: MeaningConfig
) -> Any:
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits as entropy

    weights = np.where(lessons.light, config.light, 1.0) * lessons.weights
    at = np.asarray(batch)
    wanted = torch.tensor(np.where(lessons.urgent[at] > 0, config.sure, 1 - config.sure)).float()
    counts = torch.tensor(weights[at] / weights.mean()).float()
    told = network(pieces)
    loss = (counts * entropy(told[:, 0], wanted, reduction="none")).mean()
    now = torch.tensor(lessons.now[at]).float()
    known = ~torch.isnan(now)
    if known.any():
        loss = loss + config.now * known.float().mean() * entropy(told[known, 1], now[known])
    return loss


def _network(reader: Reader, config: MeaningConfig) -> Any:
    """The reader's encoder in torch, frozen, with the changes: as `Reader.mean`, and the head."""
    import torch
    from torch.nn import functional

    from camphor_lab.training.base import products_in_bfloat16

    form = torch.bfloat16 if products_in_bfloat16() else torch.float32

    def frozen(numbers: npt.NDArray[Any]) -> Any:
        return torch.from_numpy(np.ascontiguousarray(numbers, np.float32))

    width = reader.places.shape[1]

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tables = frozen(reader.embedding.rows()), frozen(reader.places), frozen(reader.norm)
            self.layers = [
                {
                    name: frozen(values) if "norm" in name else frozen(values).to(form)
                    for name, values in vars(each).items()
                }
                for each in reader.layers
            ]
            self.first = len(self.layers) - config.layers
            self.downs, self.ups = torch.nn.ParameterList(), torch.nn.ParameterList()
            for layer in self.layers[self.first :]:
                for name in MATRICES:
                    inputs, outputs = layer[name].shape
                    self.downs.append(torch.nn.Parameter(torch.randn(inputs, config.rank) / math.sqrt(inputs)))
                    self.ups.append(torch.nn.Parameter(torch.zeros(config.rank, outputs)))
            norms = torch.stack([torch.stack([each["norm"], each["last_norm"]]) for each in self.layers[self.first :]])
            self.norms = torch.nn.Parameter(norms)
            self.head = torch.nn.Parameter(torch.zeros(OUTPUTS, width))
            self.bias = torch.nn.Parameter(torch.zeros(OUTPUTS))

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
            mean = (hidden * there[:, :, None]).sum(1) / there.sum(1)[:, None]
            return self.dropped(mean) @ self.head.T + self.bias

        def passed(self, hidden: Any, shade: Any, layer: Any, norm: Any, last: Any, place: int | None = None) -> Any:
            count, longest, _ = hidden.shape
            mixed = self.product(hidden, layer, "attend", place).view(count, longest, 3, reader.heads, -1)
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
            return values if place is None else functional.dropout(values, config.dropout)

        def normed(self, values: Any, norm: Any) -> Any:
            return functional.layer_norm(values, (width,), norm[0], norm[1], 1e-12)

    return Network()


def _meaning(network: Any, reader: str) -> Meaning:
    def numbers(values: Any) -> npt.NDArray[np.float32]:
        return np.ascontiguousarray(values.detach().numpy(), np.float32)

    downs = [Matrix.of(np.ascontiguousarray(numbers(each).T)) for each in network.downs]
    ups = [Matrix.of(numbers(each)) for each in network.ups]
    return Meaning(downs, ups, numbers(network.norms), numbers(network.head), numbers(network.bias), reader)
