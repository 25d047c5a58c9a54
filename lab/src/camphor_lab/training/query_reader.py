"""Training of the network that reads implicit queries (`camphor.retrieval.context.query.QueryReader`): the softmax over
all items of a phone against those that were meant, the main one before what else is needed.

It learns first from pairs of a query and one thing, where there are some (`query_pairs`), then from situations on
phones. The phones that it sees it learns by heart. So the readings that trees are to learn from are by networks that
saw neither the person nor the wording (`read_apart`): on people to come they will see readings of new ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.retrieval.context.query import HEADS, MOST_APART, SIDES, QueryReader, pieces_of
from camphor.retrieval.reading.reader import read_reader
from camphor.retrieval.retrievers import TextEncoder
from camphor_lab.training.low_rank import changes_of, low_rank, numbers
from camphor_lab.training.query_pairs import QueryPair
from camphor_lab.training.ranker_data import RankedQuery, outside

Floats = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]
Weights = Mapping[str, Any]
"""What a network has learnt, by the names of its parameters in torch."""

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
        pair_epochs, pair_batch, pair_rate: the same of the training on pairs; others: things of other pairs beside
            which those of a batch are found.
    """

    rank: int = 16
    width: int = 48
    hidden: int = 64
    epochs: float = 2.0
    batch: int = 16
    rate: float = 5e-4
    warm_up: float = 0.06
    dropout: float = 0.1
    pair_epochs: float = 3.0
    pair_batch: int = 48
    pair_rate: float = 1e-3
    others: int = 200
    threads: int = 2
    seed: int = 1


def learn_pairs(
    pairs: Sequence[QueryPair], features: int, encoder: TextEncoder, config: QueryReaderConfig, progress: Progress
) -> Weights:
    """What a network learns of pairs: the softmax over the thing that is meant, what is near it, and those of others.

    Args:
        features: how many the network will weigh; pairs have none, and stand in the middle of each.
        encoder: of texts of things and stores. progress: told steps done and all.
    """
    import torch

    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    things = [pair.meant for pair in pairs] + [pair.near for pair in pairs]
    texts = torch.from_numpy(np.asarray(encoder.encode([thing.text for thing in things]), np.float32))
    stores = torch.from_numpy(np.asarray(encoder.encode([thing.store for thing in things]), np.float32))
    network = _network(config, np.zeros(features, np.float32), np.ones(features, np.float32), texts.shape[1])
    places, queries = zip(*((at, query) for at, pair in enumerate(pairs) for query in pair.queries), strict=True)
    pieces = [pieces_of(query, pairs[at].situation) for at, query in zip(places, queries, strict=True)]
    steps = max(1, int(config.pair_epochs * math.ceil(len(pieces) / config.pair_batch)))
    batches = _batches([len(each) for each in pieces], config.pair_batch, config.seed, steps)
    chance = np.random.default_rng(config.seed)

    def loss() -> Any:
        batch = next(batches)
        meant = [places[at] for at in batch]
        drawn = chance.integers(2 * len(pairs), size=config.others).tolist()
        beside = [*meant, *(len(pairs) + at for at in meant), *drawn]
        towards, _ = network.read([pieces[at] for at in batch])
        use = torch.zeros(len(beside), features)
        text, store, mixed = network.sides_of(texts[beside], stores[beside], use)
        told = towards["text"] @ text.T + towards["store"] @ store.T + towards["mixed"] @ mixed.T
        # a thing that stands there twice is found at its first place alone
        again = torch.tensor([[at == one for at in beside] for one in meant])
        first = torch.arange(len(meant))
        again[first, first] = False
        return torch.nn.functional.cross_entropy(told.masked_fill(again, -1e4), first)

    _optimise(network, loss, steps, config.pair_rate, config.warm_up, progress)
    return {name: parameter.detach().clone() for name, parameter in network.named_parameters()}


def fit_reader(
    examples: Sequence[RankedQuery], config: QueryReaderConfig, progress: Progress, start: Weights | None = None
) -> QueryReader:
    """The network of these examples, each counting as its weight says; most of the time of a training.

    Args:
        progress: told steps done and all. start: what it has learnt before (`learn_pairs`).
    """
    import torch

    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    tables = np.concatenate([example.table for example in examples[:: max(1, len(examples) // 2000)]])
    middle, spread = tables.mean(0, dtype=np.float32), tables.std(0, dtype=np.float32) + np.float32(1e-3)
    network = _network(config, middle, spread, examples[0].vectors.shape[1])
    _put(network, start or {})
    steps = max(1, int(config.epochs * math.ceil(len(examples) / config.batch)))
    pieces = [pieces_of(example.sample.query, example.situation) for example in examples]
    goals = [torch.from_numpy(_goal(example)) for example in examples]
    batches = _batches([len(each) for each in pieces], config.batch, config.seed, steps)

    def loss() -> Any:
        batch = next(batches)
        weights = [examples[place].weight for place in batch]
        told, named = network([pieces[place] for place in batch], [examples[place] for place in batch])
        losses = [
            -weight * (goals[place] * torch.log_softmax(torch.cat([sides.sum(1), beside]), 0)).sum()
            for place, weight, sides, beside in zip(batch, weights, told, named, strict=True)
        ]
        return torch.stack(losses).sum() / sum(weights)

    _optimise(network, loss, steps, config.rate, config.warm_up, progress)
    return _kept(network, examples[0].names, middle, spread)


def _optimise(
    network: Any, loss: Callable[[], Any], steps: int, rate: float, warm_up: float, progress: Progress
) -> None:
    """So many steps down the loss; the network ends as a moving average of its weights."""
    import torch

    learnt = dict(network.named_parameters())
    optimiser = torch.optim.AdamW(
        [
            {
                "params": [each for name, each in learnt.items() if name.startswith("encoder.")],
                "lr": rate, "weight_decay": 0.02,
            },
            {
                "params": [each for name, each in learnt.items() if not name.startswith("encoder.")],
                "lr": rate * _TO_RATE, "weight_decay": 0.01,
            },
        ]
    )  # fmt: skip
    rates = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _share_of_rate(step, steps, warm_up))
    average = {name: parameter.detach().clone() for name, parameter in learnt.items()}
    for step in range(steps):
        progress(step, steps)
        optimiser.zero_grad()
        loss().backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        rates.step()
        fading = min(0.99, (step + 1) / (step + 10))
        with torch.no_grad():
            for name, parameter in learnt.items():
                average[name].mul_(fading).add_(parameter, alpha=1 - fading)
    progress(steps, steps)
    _put(network, average)


def _put(network: Any, weights: Weights) -> None:
    import torch

    with torch.no_grad():
        for name, values in weights.items():
            network.get_parameter(name).copy_(values)


def read_apart(
    examples: Sequence[RankedQuery],
    config: QueryReaderConfig,
    parts: int,
    progress: Callable[[str, int, int], None],
    start: Weights | None = None,
) -> list[Floats]:
    """For each example the scores of its items (`QueryReader.scores`), by a network that saw neither its person nor its
    wording."""
    found: dict[int, Floats] = {}
    for part in range(parts):
        rest = [example for example in examples if outside(example, part, parts)]

        def told(done: int, total: int, part: int = part) -> None:
            progress(f"reading queries, {part + 1} of {parts + 1}", done, total)

        reader = fit_reader(rest or examples, config, told, start)
        unseen = (at for at, each in enumerate(examples) if not outside(each, part, parts))
        found |= {at: scores_of(reader, examples[at]) for at in unseen}
    return [found[at] for at in range(len(examples))]


def scores_of(reader: QueryReader, example: RankedQuery) -> Floats:
    """What a reader says of the items of an example: (items, sides)."""
    reading = reader.read(example.sample.query, example.situation)
    vectors, table = example.vectors.astype(np.float32), example.table.astype(np.float32)
    return reader.scores(reading, vectors, example.store_vectors, example.store, table)


def _goal(example: RankedQuery) -> Floats:
    """The share of each item in what is meant, and at the end that of nothing's being left unsaid."""
    if not example.gold.any():
        return np.append(np.zeros(len(example.gold), np.float32), np.float32(1))
    main = example.gold == example.gold.max() if example.sample.intent != "ask" else example.gold > 0
    goal = np.where(main, 1.0, np.where(example.gold > 0, _BESIDE, 0.0)).astype(np.float32)
    return np.asarray([*(goal / goal.sum()), 0], np.float32)


def _share_of_rate(step: int, steps: int, warm_up: float) -> float:
    return min(1.0, (step + 1) / max(1.0, warm_up * steps)) * max(0.02, 1 - step / steps)


def _batches(lengths: Sequence[int], size: int, seed: int, steps: int) -> Iterator[list[int]]:
    """Places of examples, a batch of like lengths at a time, in a new order each epoch."""
    chance = np.random.default_rng(seed)
    made = 0
    while True:
        drawn = chance.permutation(len(lengths))
        together = size * _POOLS
        batches = []
        for start in range(0, len(drawn), together):
            pool = sorted(drawn[start : start + together].tolist(), key=lambda place: lengths[place])
            batches += [pool[at : at + size] for at in range(0, len(pool), size)]
        for place in chance.permutation(len(batches)):
            yield batches[place]
            made += 1
            if made == steps:
                return


def _network(config: QueryReaderConfig, middle: Floats, spread: Floats, dimensions: int) -> Any:
    """The network in torch; a call gives for each query the scores of its items, (items, sides), and that of its being
    named, (1,)."""
    import torch
    from torch.nn import functional

    reader = read_reader()
    features, width = len(middle), 2 * reader.places.shape[1]

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            linear = torch.nn.Linear
            self.encoder = low_rank(reader, len(reader.layers), config.rank, config.dropout)
            outputs = {"text": config.width, "store": config.width, "use": features, "mixed": config.width, "named": 1}
            heads = {name: linear(width, outputs[name]) for name in HEADS}
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

        def forward(self, pieces: Sequence[Sequence[int]], examples: Sequence[RankedQuery]) -> tuple[list[Any], Any]:
            towards, named = self.read(pieces)
            found = [self.scored({side: towards[side][at] for side in SIDES}, e) for at, e in enumerate(examples)]
            return found, named

        def read(self, pieces: Sequence[Sequence[int]]) -> tuple[dict[str, Any], Any]:
            """Of each query a direction, by the names of the sides, and that it is named, (queries, 1)."""
            hidden, there = self.encoder(pieces)
            mean = (hidden * there[:, :, None]).sum(1) / there.sum(1)[:, None]
            pooled = self.dropped(torch.cat([mean, hidden[:, 0]], 1))
            return {side: self.heads[side](pooled) for side in SIDES}, self.heads["named"](pooled)

        def sides_of(self, vectors: Any, store_vectors: Any, use: Any) -> tuple[Any, Any, Any]:
            """What text, store and mixtures of items are compared as, (items, width) each, of what is told of each."""
            text, stores = self.text(vectors), self.store(store_vectors)
            inner = self.mix(self.dropped(torch.cat([use, text, stores], 1)))
            return text, stores, self.mixed(functional.gelu(inner, approximate="tanh"))

        def scored(self, towards: dict[str, Any], example: RankedQuery) -> Any:
            table = (example.table.astype(np.float32) - middle) / spread
            use = torch.from_numpy(np.clip(table, -MOST_APART, MOST_APART))
            of_store = torch.from_numpy(example.store_vectors)[torch.from_numpy(example.store.astype(int))]
            text, stores, mixed = self.sides_of(torch.from_numpy(example.vectors.astype(np.float32)), of_store, use)
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
    scale = {"use": network.to_use}
    heads = {name: numbers(network.heads[name].weight) * np.float32(scale.get(name, 1.0)) for name in HEADS}
    heads |= {f"{name}_bias": numbers(network.heads[name].bias) * np.float32(scale.get(name, 1.0)) for name in HEADS}
    items = {name: numbers(getattr(network, name).weight) for name in ("text", "store", "mix", "mixed")}
    items |= {f"{name}_bias": numbers(getattr(network, name).bias) for name in ("mix", "mixed")}
    reader = QueryReader(changes_of(network.encoder, read_reader().mark), features, middle, spread, heads, items)
    return QueryReader.of(reader.arrays(), features, reader.changes.mark)
