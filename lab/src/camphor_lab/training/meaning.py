"""Training of the part of the net for emergencies that reads a message as a whole (`camphor.agents.health.suspicion`).

Changes of low rank in the layers of the reader's encoder (LoRA, Hu et al. 2021) and its norms are learnt by the
cross-entropy of whether a message is urgent and, of urgent ones, whether it is so now. The encoder itself stays as it
is, so what it knows of words that no sentence here has is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.health.suspicion import OUTPUTS, Meaning, pieces_of
from camphor.retrieval.reading.reader import read_reader
from camphor_lab.training.low_rank import changes_of, low_rank, numbers, share_of_rate
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
    network = low_rank(reader, config.layers, config.rank, config.dropout)
    head = torch.nn.Parameter(torch.zeros(OUTPUTS, reader.places.shape[1]))
    bias = torch.nn.Parameter(torch.zeros(OUTPUTS))
    factors, others = [*network.downs, *network.ups], [network.norms, head, bias]

    def told(pieces: Sequence[Sequence[int]]) -> Any:
        hidden, there = network(pieces)
        mean = (hidden * there[:, :, None]).sum(1) / there.sum(1)[:, None]
        return network.dropped(mean) @ head.T + bias

    optimiser = torch.optim.AdamW(
        [{"params": factors, "weight_decay": config.decay}, {"params": others, "weight_decay": 0.0}], lr=config.rate
    )
    pieces = [pieces_of(text) for text in lessons.texts]
    batches = list(_batches(lessons, [len(each) for each in pieces], config))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: share_of_rate(step, len(batches), config.warm_up)
    )
    for step, batch in enumerate(batches):
        progress(what, step, len(batches))
        loss = _loss(told, [pieces[each] for each in batch], lessons, batch, config)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*factors, *others], 1.0)
        optimiser.step()
        schedule.step()
    progress(what, len(batches), len(batches))
    return Meaning(changes_of(network, reader.mark), numbers(head), numbers(bias))


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
    network: Callable[[Sequence[Sequence[int]]], Any],
    pieces: Sequence[Sequence[int]],
    lessons: Lessons,
    batch: Sequence[int],
    config: MeaningConfig,
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
