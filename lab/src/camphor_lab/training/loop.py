"""The loop of every trainer: optimizer steps, scores and checkpoints, until data, steps or time are used up.

The state of a run is what it learns, the optimizer's moments, the place in the data and the time used (`checkpoints`).
A run stopped by kill -9 goes on from the last checkpoint and, where its end is set by epochs, reaches the same numbers
as a run never stopped. The learning rate falls with progress, in data or in time, whichever is further, so that a run
limited by minutes also ends annealed.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from camphor_lab.training.base import TOKENS
from camphor_lab.training.checkpoints import CHECKPOINT, Log, State, read_checkpoint, shortened, write_checkpoint
from camphor_lab.training.config import TrainConfig
from camphor_lab.training.data import Mixture, Sample
from camphor_lab.training.functions import FunctionVectors
from camphor_lab.training.passes import Evaluation

BETAS = (0.9, 0.99)  # a thousand steps: a longer memory of squared gradients would outlive the warm-up


@dataclass(frozen=True)
class Progress:
    """What a caller may show after each optimizer step. Seconds and tokens, those of all samples in full, count over
    all resumptions."""

    step: int
    loss: float
    rate: float
    tokens: int
    tokens_per_second: float
    fraction: float
    seconds: float
    eta_seconds: float
    stage: int = 1
    stages: int = 1


@dataclass(frozen=True)
class Plan:
    """What a run is about to do: an epoch's samples and prompt-completion pairs, the samples of a step in the mean, and
    the steps of the whole run, which a clock may end before. `note` is the trainer's own remark on the model."""

    samples: float
    pairs: float
    batch: float
    steps: int
    epochs: float
    note: str = ""

    def __str__(self) -> str:
        told = (
            f"{self.samples:,.0f} samples with {self.pairs:,.0f} prompt-completion pairs, "
            f"{self.pairs / self.samples:.2f} each; {self.steps:,} steps of {self.batch:.4g} samples, "
            f"{self.batch * self.pairs / self.samples:.4g} pairs: {self.epochs:.3g} epochs"
        )
        return f"{told}; {self.note}" if self.note else told


def learning_rate(config: TrainConfig, step: int, fraction: float) -> float:
    """Linear warm-up over steps, then down to final_rate with the fraction of the run done (0 to 1); with "wsd" only in
    the steps of decay."""
    left = max(0.0, 1.0 - fraction)
    shape = left if config.schedule == "linear" else 0.5 - 0.5 * math.cos(math.pi * left)
    if config.schedule == "wsd":
        gone = (step - config.decay_from) / config.decay_steps if config.decay_steps else 0.0
        shape = 1.0 - min(1.0, max(0.0, gone))
    warm = min(1.0, (step + 1) / max(1, config.warmup_steps))
    return config.learning_rate * warm * (config.final_rate + (1 - config.final_rate) * shape)


class Run(ABC):
    """A run: its place in the data, and how it is saved. `advance()` makes one optimizer step.

    A trainer sets `optimizer`, whose first group learns at the settings' rate, and whose second, the projector, where
    there is one, at `projector_rate` times that.

    Attributes:
        kind: what a checkpoint says of the trainer that wrote it.
        held_out: what `evaluate` scores. functions: vectors of the definitions that samples show.
        note: what the trainer says of the model before it begins.
    """

    kind = ""
    note = ""
    optimizer: torch.optim.Optimizer

    def __init__(
        self,
        config: TrainConfig,
        mixture: Mixture,
        held_out: Sequence[Sample],
        functions: FunctionVectors | None,
        device: torch.device,
    ) -> None:
        self.config, self.mixture, self.held_out, self.functions = config, mixture, held_out, functions
        self.device = device
        self.state = State()
        self.batches = mixture.epoch(0)

    @abstractmethod
    def advance(self) -> tuple[float, float]:
        """One optimizer step on the next batch; returns the loss per trained token and the learning rate used."""

    @abstractmethod
    def evaluate(self) -> Evaluation:
        """Score what is held out."""

    @abstractmethod
    def _learnt(self) -> dict[str, Any]:
        """What a checkpoint keeps beside the settings, the state and the optimizer: tensors and plain values."""

    @abstractmethod
    def _take(self, saved: dict[str, Any]) -> None:
        """Learn on from what `_learnt` gave."""

    @property
    def seconds(self) -> float:
        """The clock that ends the run."""
        return self.state.seconds

    @property
    def steps(self) -> int:
        """Optimizer steps of the whole run, if no clock ends it before."""
        config = self.config
        decayed = config.decay_from + config.decay_steps if config.decay_steps else 0
        by_data = max(1, round(config.epochs * len(self.batches)))
        return min(end for end in (by_data, config.steps, decayed) if end)

    @property
    def plan(self) -> Plan:
        samples, batches = self.mixture.size, len(self.batches)
        batch = self.mixture.batch_samples or samples / batches
        return Plan(samples, self.mixture.pairs, batch, self.steps, self.steps / batches, self.note)

    @property
    def fraction(self) -> float:
        """How much of the run is done: by data, by steps, by its decay or by time, whichever is furthest."""
        state, config = self.state, self.config
        by_data = (state.epoch + state.batch / max(1, len(self.batches))) / config.epochs
        by_steps = state.step / config.steps if config.steps else 0.0
        by_decay = state.step / (config.decay_from + config.decay_steps) if config.decay_steps else 0.0
        by_time = self.seconds / (60 * config.max_minutes) if config.max_minutes else 0.0
        return min(1.0, max(by_data, by_steps, by_decay, by_time))

    def _step(self, samples: Sequence[Sample], schedule: TrainConfig) -> float:
        """One step of the optimizer at the rate that is due, and on to the next batch; returns the rate."""
        rate = learning_rate(schedule, self.state.step, self.fraction)
        for group, factor in zip(self.optimizer.param_groups, (1.0, self.config.projector_rate), strict=False):
            group["lr"] = rate * factor
        self.optimizer.step()
        state = self.state
        state.step, state.batch = state.step + 1, state.batch + 1
        state.tokens += sum(len(sample.tokens) for sample in samples)
        if state.batch == len(self.batches):
            state.epoch, state.batch = state.epoch + 1, 0
            self.batches = self.mixture.epoch(state.epoch)
        return rate

    def save(self, path: Path) -> None:
        """Write the state in one atomic replacement, forced to disk; beside it the projector, for `start_from`."""
        if self.functions:
            self.functions.projector().save(path.with_name(TOKENS))
        learnt = {**self._learnt(), "optimizer": self.optimizer.state_dict()}
        if self.config.checkpoint_dtype == "bfloat16":
            learnt = shortened(learnt)
        write_checkpoint(self.config, self.state, learnt, path, self.kind)

    def load(self, path: Path) -> None:
        """Go on from `save`.

        Raises:
            UsageError: the file is of a run with other settings; time limit, cadence and division of work may differ.
        """
        state, saved = read_checkpoint(self.config, path, self.device, self.kind)
        with torch.no_grad():
            self._take(saved)
        self.optimizer.load_state_dict(saved["optimizer"])
        self.state = state
        self.batches = self.mixture.epoch(state.epoch)


def train_loop(
    run: Run,
    folder: Path,
    log: Log,
    progress: Callable[[Progress], None] | None,
    begun: Callable[[Plan], None] | None = None,
) -> None:
    """Advance to the end, with a log line a step, and with scores and checkpoints at their cadence and at the end.

    `begun` is told the plan, which is the log's first line.
    """
    if run.state.step == 0:
        log.write(step=0, plan=asdict(run.plan))
    if begun:
        begun(run.plan)
    clock = _Clock(run)
    saved = scored = run.state.seconds
    if run.state.step == 0:
        _score(run, log)
    while run.fraction < 1.0:
        now = clock.advance()
        _tell(now, log)
        if progress:
            progress(now)
        if run.state.seconds - scored >= 60 * run.config.evaluate_minutes and now.fraction < 1.0:
            _score(run, log)
            scored = clock.read()
        if run.state.seconds - saved >= 60 * run.config.checkpoint_minutes:
            run.save(folder / CHECKPOINT)
            saved = clock.read()
    _score(run, log)
    run.save(folder / CHECKPOINT)


class _Clock:
    """Seconds over all resumptions, kept in the run's state; scores and checkpoints are counted in."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._used, self._begun = run.state.seconds, time.monotonic()

    def read(self) -> float:
        self._run.state.seconds = self._used + time.monotonic() - self._begun
        return self._run.state.seconds

    def advance(self) -> Progress:
        """One step of the run, with what it took."""
        run = self._run
        started, tokens = time.monotonic(), run.state.tokens
        loss, rate = run.advance()
        speed = (run.state.tokens - tokens) / max(1e-9, time.monotonic() - started)
        seconds = self.read()
        done = run.fraction
        eta = seconds * (1 - done) / max(done, 1e-9)
        return Progress(run.state.step, loss, rate, run.state.tokens, speed, done, seconds, eta)


def _tell(now: Progress, log: Log) -> None:
    log.write(
        step=now.step,
        loss=round(now.loss, 5),
        rate=now.rate,
        tokens=now.tokens,
        seconds=round(now.seconds, 2),
        speed=round(now.tokens_per_second, 1),
        eta=round(now.eta_seconds),
    )


def _score(run: Run, log: Log) -> None:
    if run.held_out:
        result = run.evaluate()
        log.write(step=run.state.step, held_out={k: round(v, 5) for k, v in result.__dict__.items()})
