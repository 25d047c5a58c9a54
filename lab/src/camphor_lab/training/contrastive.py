"""Contrastive training of encoders: of all texts that are offered beside it, a query's gold text is to lie nearest.

Offered to a query are other items of its own device, the hard ones, and the gold items of the other queries of its
batch (InfoNCE with in-batch negatives; van den Oord et al. 2018, Karpukhin et al. 2020). Nothing here needs torch but
the loss. Examples come from a dataset of implicit queries: each with its gold items and the others of its device.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.device.format import record_lists
from camphor.device.usage_events import ItemRef
from camphor.errors import UsageError
from camphor.retrieval.context.items import DeviceItem, items_of
from camphor_lab.context.finders import text_of
from camphor_lab.datasets.context.samples import ContextSample, device_of, read_context_samples

Told = Callable[[int, int, float], None]
"""Told after each step: its number from 1, how many there are, and the loss."""


@dataclass(frozen=True)
class ContrastiveExample:
    """One query with the texts of its gold items and of other items of the device, none of which is gold."""

    query: str
    gold: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True)
class Tuning:
    """How a training goes.

    Args:
        epochs: times that every example is seen. batch: queries of a step. hard: items of the same device that are
            offered to a query, drawn anew each time. temperature: cosines are divided by it. rate: of the optimiser.
        keep: weight of the squared change of what is trained; holds what the examples say nothing about.
        dropout: the share of a text's pieces that are left out of it, drawn anew each time; of the table's training.
        seed: of what is drawn. steps: the training ends after so many, whatever the epochs; 0 for no such end.
    """

    epochs: int = 10
    batch: int = 64
    hard: int = 40
    temperature: float = 0.1
    rate: float = 0.03
    keep: float = 1e-3
    dropout: float = 0.5
    seed: int = 0
    steps: int = 0


@dataclass(frozen=True)
class QueryBatch:
    """Queries and the texts offered to them.

    Args:
        gold: for each query the place of its gold text.
        hidden: (queries, texts), the texts that a query is not offered: those of other devices that are not gold there,
            and its own gold items but the one that is asked for.
    """

    queries: Sequence[str]
    texts: Sequence[str]
    gold: Sequence[int]
    hidden: npt.NDArray[np.bool_]


def batches(examples: Sequence[ContrastiveExample], tuning: Tuning) -> Iterator[QueryBatch]:
    """The batches of a training; the same seed gives the same ones.

    Raises:
        UsageError: there are no examples.
    """
    if not examples:
        raise UsageError("there are no queries to train on: give a folder that  camphor lab data context  made")
    return itertools.islice(_batches(examples, tuning), tuning.steps or None)


def _batches(examples: Sequence[ContrastiveExample], tuning: Tuning) -> Iterator[QueryBatch]:
    chance = random.Random(tuning.seed)
    order = list(examples)
    for _ in range(tuning.epochs):
        chance.shuffle(order)
        for at in range(0, len(order), tuning.batch):
            yield _batch(order[at : at + tuning.batch], tuning, chance)


def steps_of(examples: Sequence[ContrastiveExample], tuning: Tuning) -> int:
    """How many batches there will be."""
    whole = tuning.epochs * -(-len(examples) // tuning.batch)
    return min(whole, tuning.steps) if tuning.steps else whole


def _batch(group: Sequence[ContrastiveExample], tuning: Tuning, chance: random.Random) -> QueryBatch:
    chosen = [chance.choice(each.gold) for each in group]
    hard = [chance.sample(each.others, min(tuning.hard, len(each.others))) for each in group]
    texts = list(dict.fromkeys([*chosen, *itertools.chain.from_iterable(hard)]))
    places = {text: place for place, text in enumerate(texts)}
    hidden = np.zeros((len(group), len(texts)), bool)
    hidden[:, len(set(chosen)) :] = True
    for row, (example, gold, others) in enumerate(zip(group, chosen, hard, strict=True)):
        hidden[row, [places[text] for text in others]] = False
        hidden[row, [places[text] for text in example.gold if text in places]] = True
        hidden[row, places[gold]] = False
    return QueryBatch([each.query for each in group], texts, [places[text] for text in chosen], hidden)


def loss_of(queries: Any, texts: Any, batch: QueryBatch, temperature: float) -> Any:
    """The mean cross-entropy of the gold texts, a scalar tensor.

    Args:
        queries, texts: torch tensors of unit vectors, (queries, dimensions) and (texts, dimensions).
    """
    import torch

    scores = (queries @ texts.T / temperature).masked_fill(torch.from_numpy(batch.hidden), float("-inf"))
    return torch.nn.functional.cross_entropy(scores, torch.tensor(batch.gold))


TRAIN = "train.jsonl"


def samples_with_items(folder: Path) -> Iterator[tuple[ContextSample, dict[ItemRef, DeviceItem]]]:
    """The samples of the training split, each with all items that its device then held.

    Raises:
        DatasetError, DeviceFileError: the split or a device breaks its format.
    """
    for sample in read_context_samples(folder / TRAIN):
        yield sample, {item.ref: item for item in items_of(_lists(device_of(sample, folder)))}


def examples_of(folder: Path) -> list[ContrastiveExample]:
    """What encoders are trained on; texts that a gold item and another item share count as gold."""
    found = []
    for sample, items in samples_with_items(folder):
        gold = {text_of(items[ref]) for ref in sample.context if ref in items}
        others = dict.fromkeys(text for item in items.values() if (text := text_of(item)) not in gold)
        if gold:
            found.append(ContrastiveExample(sample.query, tuple(sorted(gold)), tuple(others)))
    return found


def _lists(document: dict[str, Any]) -> Iterator[tuple[str, str, list[tuple[int, dict[str, Any]]]]]:
    for app, name, pointer in record_lists(document):
        records: Any = document
        for key in pointer:
            records = records[key]
        yield app, name, list(enumerate(records))
