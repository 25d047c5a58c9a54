"""Training of the network that reads implicit queries (`camphor.retrieval.context.query.QueryReader`): the softmax over
all items of a phone against those that were meant, the main one before what else is needed.

It learns the phones that it sees by heart. So the readings that trees are to learn from are by networks that saw
neither the person nor the wording (`read_apart`): on people to come they will see readings of new ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.retrieval.context.query import MOST_APART, SIDES, QueryReader, pieces_of
from camphor.retrieval.reading.reader import read_reader
from camphor_lab.training.low_rank import changes_of, low_rank, numbers
from camphor_lab.training.ranker_data import RankedQuery, outside

Floats = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]

_BESIDE = 0.5
"""What an item counts that is needed beside the main one; where nobody can tell which is meant, all count alike."""
_POOLS = 16
"""Batches that are drawn together, so that a batch has queries of like lengths."""
_TO_RATE = 4.0
"""The rate of what is learnt from nothing, in rates of the encoder's changes."""


@dataclass(frozen=True)
class QueryReaderConfig:
    """Settings.

    Attributes:
        rank: of the encoder's changes. width: of the directions in which texts, stores and mixtures are compared.
        hidden: of the mixtures. epochs, batch, rate: of the training; the rate falls to nothing, and what is kept is a
            moving average of the weights. dropout: while it is trained. threads: cores to use.
    """

    rank: int = 16
    width: int = 48
    hidden: int = 64
    epochs: float = 2.0
    batch: int = 16
    rate: float = 5e-4
    warm_up: float = 0.06
    dropout: float = 0.1
    threads: int = 2
    seed: int = 1


def fit_reader(examples: Sequence[RankedQuery], config: QueryReaderConfig, progress: Progress) -> QueryReader:
    """The network of these examples, each counting as its weight says; most of the time of a training.

    Args:
        progress: told steps done and all.
    """
    import torch

    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    tables = np.concatenate([example.table for example in examples[:: max(1, len(examples) // 2000)]])
    middle, spread = tables.mean(0, dtype=np.float32), tables.std(0, dtype=np.float32) + np.float32(1e-3)
    dimensions = examples[0].vectors.shape[1]
    network = _network(config, middle, spread, dimensions)
    learnt = [name for name, _ in network.named_parameters()]
    of_encoder = [network.get_parameter(name) for name in learnt if name.startswith("encoder.")]
    others = [network.get_parameter(name) for name in learnt if not name.startswith("encoder.")]
    optimiser = torch.optim.AdamW(
        [
            {"params": of_encoder, "lr": config.rate, "weight_decay": 0.02},
            {"params": others, "lr": config.rate * _TO_RATE, "weight_decay": 0.01},
        ]
    )
    steps = max(1, int(config.epochs * math.ceil(len(examples) / config.batch)))
    rates = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _share_of_rate(step, steps, config.warm_up))
    pieces = [pieces_of(example.sample.query, example.situation) for example in examples]
    goals = [torch.from_numpy(_goal(example)) for example in examples]
    average = {name: network.get_parameter(name).detach().clone() for name in learnt}
    for step, batch in enumerate(_batches([len(each) for each in pieces], config, steps)):
        progress(step, steps)
        weights = [examples[place].weight for place in batch]
        told = network([pieces[place] for place in batch], [examples[place] for place in batch])
        losses = [
            -weight * (goals[place] * torch.log_softmax(sides.sum(1), 0)).sum()
            for place, weight, sides in zip(batch, weights, told, strict=True)
        ]
        optimiser.zero_grad()
        loss: Any = torch.stack(losses).sum() / sum(weights)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        rates.step()
        fading = min(0.99, (step + 1) / (step + 10))
        with torch.no_grad():
            for name in learnt:
                average[name].mul_(fading).add_(network.get_parameter(name), alpha=1 - fading)
    progress(steps, steps)
    with torch.no_grad():
        for name in learnt:
            network.get_parameter(name).copy_(average[name])
    return _kept(network, examples[0].names, middle, spread)


def read_apart(
    examples: Sequence[RankedQuery], config: QueryReaderConfig, parts: int, progress: Callable[[str, int, int], None]
) -> list[Floats]:
    """For each example the scores of its items (`QueryReader.scores`), by a network that saw neither its person nor its
    wording."""
    found: dict[int, Floats] = {}
    for part in range(parts):
        rest = [example for example in examples if outside(example, part, parts)]

        def told(done: int, total: int, part: int = part) -> None:
            progress(f"reading queries, {part + 1} of {parts + 1}", done, total)

        reader = fit_reader(rest or examples, config, told)
        unseen = (at for at, each in enumerate(examples) if not outside(each, part, parts))
        found |= {at: scores_of(reader, examples[at]) for at in unseen}
    return [found[at] for at in range(len(examples))]


def scores_of(reader: QueryReader, example: RankedQuery) -> Floats:
    """What a reader says of the items of an example: (items, sides)."""
    reading = reader.read(example.sample.query, example.situation)
    vectors, table = example.vectors.astype(np.float32), example.table.astype(np.float32)
    return reader.scores(reading, vectors, example.store_vectors, example.store, table)


def _goal(example: RankedQuery) -> Floats:
    """The share of each item in what is meant."""
    main = example.gold == example.gold.max() if example.sample.intent != "ask" else example.gold > 0
    goal = np.where(main, 1.0, np.where(example.gold > 0, _BESIDE, 0.0)).astype(np.float32)
    return np.asarray(goal / goal.sum(), np.float32)


def _share_of_rate(step: int, steps: int, warm_up: float) -> float:
    return min(1.0, (step + 1) / max(1.0, warm_up * steps)) * max(0.02, 1 - step / steps)


def _batches(lengths: Sequence[int], config: QueryReaderConfig, steps: int) -> Iterator[list[int]]:
    """Places of examples, a batch of like lengths at a time, in a new order each epoch."""
    chance = np.random.default_rng(config.seed)
    made = 0
    while True:
        drawn = chance.permutation(len(lengths))
        together = config.batch * _POOLS
        batches = []
        for start in range(0, len(drawn), together):
            pool = sorted(drawn[start : start + together].tolist(), key=lambda place: lengths[place])
            batches += [pool[at : at + config.batch] for at in range(0, len(pool), config.batch)]
        for place in chance.permutation(len(batches)):
            yield batches[place]
            made += 1
            if made == steps:
                return


def _network(config: QueryReaderConfig, middle: Floats, spread: Floats, dimensions: int) -> Any:
    """The network in torch; a call gives for each query the scores of its items, (items, sides)."""
    import torch
    from torch.nn import functional

    reader = read_reader()
    features, width = len(middle), 2 * reader.places.shape[1]

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            linear = torch.nn.Linear
            self.encoder = low_rank(reader, len(reader.layers), config.rank, config.dropout)
            outputs = {"text": config.width, "store": config.width, "use": features, "mixed": config.width}
            heads = {side: linear(width, outputs[side]) for side in SIDES}
            for side, head in heads.items():
                torch.nn.init.normal_(head.weight, std=0.0 if side == "use" else 0.02)
            torch.nn.init.zeros_(heads["use"].bias)
            self.heads = torch.nn.ModuleDict(heads)
            self.text = linear(dimensions, config.width, bias=False)
            self.store = linear(dimensions, config.width, bias=False)
            for each in (self.text, self.store):
                torch.nn.init.normal_(each.weight, std=0.2)
            self.mix = linear(features + 2 * config.width, config.hidden)
            self.mixed = linear(config.hidden, config.width)
            self.dropped = torch.nn.Dropout(config.dropout)
            # the sum of the weighed features starts with a spread that does not grow with their number
            self.to_use = 3.0 / math.sqrt(features)

        def forward(self, pieces: Sequence[Sequence[int]], examples: Sequence[RankedQuery]) -> list[Any]:
            hidden, there = self.encoder(pieces)
            mean = (hidden * there[:, :, None]).sum(1) / there.sum(1)[:, None]
            pooled = self.dropped(torch.cat([mean, hidden[:, 0]], 1))
            towards = {side: self.heads[side](pooled) for side in SIDES}
            return [self.scored({side: towards[side][at] for side in SIDES}, e) for at, e in enumerate(examples)]

        def scored(self, towards: dict[str, Any], example: RankedQuery) -> Any:
            table = (example.table.astype(np.float32) - middle) / spread
            use = torch.from_numpy(np.clip(table, -MOST_APART, MOST_APART))
            text = self.text(torch.from_numpy(example.vectors.astype(np.float32)))
            stores = self.store(torch.from_numpy(example.store_vectors))[torch.from_numpy(example.store.astype(int))]
            inner = self.mix(self.dropped(torch.cat([use, text, stores], 1)))
            mixed = self.mixed(functional.gelu(inner, approximate="tanh"))
            sides = (
                text @ towards["text"],
                stores @ towards["store"],
                self.dropped(use) @ towards["use"] * self.to_use,
                mixed @ towards["mixed"],
            )
            return torch.stack(sides, 1)

    return Network()


def _kept(network: Any, features: tuple[str, ...], middle: Floats, spread: Floats) -> QueryReader:
    """The network as it is kept, in the precision of its file."""
    scale = {side: network.to_use if side == "use" else 1.0 for side in SIDES}
    heads = {side: numbers(network.heads[side].weight) * np.float32(scale[side]) for side in SIDES}
    heads |= {f"{side}_bias": numbers(network.heads[side].bias) * np.float32(scale[side]) for side in SIDES}
    items = {name: numbers(getattr(network, name).weight) for name in ("text", "store", "mix", "mixed")}
    items |= {f"{name}_bias": numbers(getattr(network, name).bias) for name in ("mix", "mixed")}
    reader = QueryReader(changes_of(network.encoder, read_reader().mark), features, middle, spread, heads, items)
    return QueryReader.of(reader.arrays(), features, reader.changes.mark)
