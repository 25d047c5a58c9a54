"""Training a LoRA adapter on completions (Hu et al. 2021), resumable after any interruption.

The state of a run is its factors, the optimizer's moments, the place in the data and the time used. It is written to
one file: a run stopped by kill -9 goes on from the last one and, where its end is set by epochs, reaches the same
numbers as a run never stopped. The learning rate falls with progress, in data or in time, whichever is further, so that
a run limited by minutes also ends annealed.
"""

from __future__ import annotations

import io
import json
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch

from camphor.errors import UsageError
from camphor.models.projector import Projector
from camphor.training.base import FOLDER_TOKENS, TOKENS, WEIGHTS, gguf_path, save_adapter
from camphor.training.build import build
from camphor.training.config import DataFile, TrainConfig
from camphor.training.data import Batch, Mixture, Sample, pack, share
from camphor.training.lean import LeanLlama
from camphor.training.passes import Evaluation, Workers, evaluate
from camphor.training.runlog import LOG, Log, draw_curve

CHECKPOINT, SETTINGS, VECTORS = "checkpoint.pt", "settings.json", "vectors"
BETAS = (0.9, 0.99)  # a thousand steps: a longer memory of squared gradients would outlive the warm-up


@dataclass(frozen=True)
class Progress:
    """What a caller may show after each optimizer step. Seconds and tokens count over all resumptions."""

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


@dataclass
class State:
    step: int = 0
    epoch: int = 0
    batch: int = 0
    tokens: int = 0
    seconds: float = 0.0


def learning_rate(config: TrainConfig, step: int, fraction: float) -> float:
    """Linear warm-up over steps, then down to final_rate with the fraction of the run done (0 to 1)."""
    left = max(0.0, 1.0 - fraction)
    shape = left if config.schedule == "linear" else 0.5 - 0.5 * math.cos(math.pi * left)
    warm = min(1.0, (step + 1) / max(1, config.warmup_steps))
    return config.learning_rate * warm * (config.final_rate + (1 - config.final_rate) * shape)


class Trainer:
    """One run: `advance()` makes one optimizer step. Built by `train`."""

    def __init__(
        self, config: TrainConfig, model: LeanLlama, mixture: Mixture, held_out: Sequence[Sample], workers: Workers
    ) -> None:
        self.config, self.model, self.mixture, self.held_out = config, model, mixture, held_out
        self.state = State()
        groups = [self._group(slice(0, model.factor_size), 1.0)]
        if model.factor_size < len(model.parameters):
            groups.append(self._group(slice(model.factor_size, None), config.projector_rate))
        self.factors = [group.pop("factor") for group in groups]
        self.optimizer = torch.optim.AdamW(groups, betas=BETAS, weight_decay=0.0, fused=True)
        self.batches = mixture.epoch(0)
        self.workers = workers

    def _group(self, part: slice, factor: float) -> dict[str, Any]:
        parameter = torch.nn.Parameter(self.model.parameters[part])
        parameter.grad = self.model.gradients[0, part]
        return {"params": [parameter], "factor": factor}

    @property
    def fraction(self) -> float:
        """How much of the run is done: by data or by time, whichever is further."""
        s, c = self.state, self.config
        by_data = (s.epoch + s.batch / max(1, len(self.batches))) / c.epochs
        by_time = s.seconds / (60 * c.max_minutes) if c.max_minutes else 0.0
        return min(1.0, max(by_data, by_time))

    def advance(self) -> tuple[float, float]:
        """One optimizer step on the next batch; returns the loss per trained token and the learning rate used."""
        samples = self.batches[self.state.batch]
        parts = [pack(part) for part in share(samples, self.config.micro_tokens, self.workers.count)]
        count = max(1, sum(len(part.positions) for part in parts))
        extra = (self.config.decide_weight - 1) * sum(int(part.deciding.sum()) for part in parts)
        loss = self._gradient(parts, 1 / (count + extra)) / count
        norm = float(self.model.gradients[0].norm())
        if norm > self.config.clip:
            self.model.gradients[0].mul_(self.config.clip / norm)
        rate = learning_rate(self.config, self.state.step, self.fraction)
        for group, factor in zip(self.optimizer.param_groups, self.factors, strict=True):
            group["lr"] = rate * factor
        self.optimizer.step()
        self.model.refresh()
        self._move_on(sum(len(s.tokens) for s in samples))
        return loss, rate

    def _move_on(self, tokens: int) -> None:
        s = self.state
        s.step, s.batch, s.tokens = s.step + 1, s.batch + 1, s.tokens + tokens
        if s.batch == len(self.batches):
            s.epoch, s.batch = s.epoch + 1, 0
            self.batches = self.mixture.epoch(s.epoch)

    def _gradient(self, parts: Sequence[Batch], weight: float) -> float:
        """Leave the gradient of weight * (sum of losses) in slot 0; returns the sum of losses.

        Each part has a slot of its own and slots are added in order, so that the sum does not depend on which worker
        was faster.
        """
        slots = self.model.gradients
        slots.zero_()
        loss = 0.0
        for start in range(0, len(parts), len(slots)):
            group = parts[start : start + len(slots)]
            loss += sum(s.loss for s in self.workers.map(self.model, group, weight, self.config.decide_weight))
        for slot in slots[1 : len(parts)]:
            slots[0] += slot
        return loss

    def warm_up(self) -> None:
        """Have the kernels compiled, one pass at a time, before any clock runs (half a minute, once a machine)."""
        plain = [sample for batch in (self.batches[0], self.batches[-1]) for sample in batch if not sample.definitions]
        showing = [sample for batch in (self.batches[0], self.batches[-1]) for sample in batch if sample.definitions]
        for samples in plain[:1], plain[-2:], showing[:1], showing[-2:]:
            if samples:
                self.workers.map(self.model, [pack(samples)], 0.0)
        if self.held_out:
            self.workers.map(self.model, [pack(self.held_out[:1])], None)

    def evaluate(self) -> Evaluation:
        return evaluate(self.model, self.held_out, self.config.micro_tokens, self.workers)

    def save(self, path: Path) -> None:
        """Write the state in one atomic replacement, forced to disk; beside it the projector, for `start_from`."""
        functions = self.model.functions
        if functions:
            functions.projector().save(path.with_name(TOKENS))
        state = {
            "config": self.config.to_json(),
            "state": dict(self.state.__dict__),
            "parameters": self.model.parameters,
            "factor_size": self.model.factor_size,
            "projector": fixed_part(functions.fixed) if functions else None,
            "optimizer": self.optimizer.state_dict(),
        }
        write_checkpoint(state, path)

    def start_from(self, path: Path) -> None:
        """Take the factors and the projector of another run; optimizer, data and clock begin anew.

        Raises:
            UsageError: there is none, its factors have another shape, or its projector another kind.
        """
        if not path.exists():
            raise UsageError(f"{path}: no checkpoint to start from: name the out folder of an earlier run in init")
        saved = torch.load(path, map_location=self.model.device, weights_only=True)
        factors = saved["parameters"][: saved.get("factor_size")]
        if len(factors) != self.model.factor_size:
            raise UsageError(f"{path}: made with another rank, targets or first_layer: restore them or leave init out")
        with torch.no_grad():
            self.model.parameters[: len(factors)] = factors
            if self.model.functions and path.with_name(TOKENS).exists():
                self.model.functions.start_from(Projector.load(path.with_name(TOKENS)))
        self.model.refresh()

    def load(self, path: Path) -> None:
        """Go on from `save`.

        Raises:
            UsageError: the file is of a run with other settings; time limit, cadence and division of work may differ.
        """
        saved = torch.load(path, map_location=self.model.device, weights_only=True)
        if other := changed(saved["config"], self.config.to_json()):
            raise UsageError(f"{path}: made with another {other}: restore the setting or choose another out")
        with torch.no_grad():
            self.model.parameters.copy_(saved["parameters"])
        if self.model.functions:
            self.model.functions.fix(from_fixed_part(saved["projector"]))
        self.optimizer.load_state_dict(saved["optimizer"])
        self.state = State(**saved["state"])
        self.batches = self.mixture.epoch(self.state.epoch)
        self.model.refresh()


_FREE = {
    "init",
    "out",
    "max_minutes",
    "checkpoint_minutes",
    "evaluate_minutes",
    "held_out",
    "held_out_limit",
    "held_out_form",
    "compile",
    "workers",
    "micro_tokens",
    "gradient_checkpointing",
}


def changed(old: dict[str, Any], new: dict[str, Any]) -> str:
    """Which settings that decide a run's numbers differ; one that `old` does not know yet had its default."""
    defaults = TrainConfig("", ()).to_json()

    def plain(settings: dict[str, Any], key: str) -> Any:
        value = json.loads(json.dumps(settings.get(key, defaults[key])))
        return [DataFile(**entry).__dict__ for entry in value] if key == "data" else value

    return ", ".join(key for key in new if key not in _FREE and plain(old, key) != plain(new, key))


def fixed_part(projector: Projector) -> dict[str, Any]:
    """What of a projector is not learnt, for a checkpoint; `from_fixed_part` reads it."""
    tensors = {"mean": torch.from_numpy(projector.mean), "scale": torch.from_numpy(projector.scale)}
    return {**tensors, "norm": projector.norm}


def from_fixed_part(saved: dict[str, Any]) -> Projector:
    return Projector(saved["mean"].cpu().numpy(), saved["scale"].cpu().numpy(), saved["norm"])


def train(
    config: TrainConfig,
    progress: Callable[[Progress], None] | None = None,
    *,
    resume: bool = True,
    encoding: Callable[[float], None] | None = None,
    vectors: Path | None = None,
) -> Path:
    """Train, and leave in config.out a peft adapter, log.jsonl, settings.json, checkpoint.pt and loss.png, and, where
    the data show function tokens, their projector, adapter.tokens.npz.

    Args:
        progress: called after each optimizer step.
        encoding: told, 0 to 1, how many of the definitions have been encoded, where some are new.
        vectors: the folder where their vectors are kept; None for one in config.out.
        resume: go on from the folder's checkpoint if there is one; False starts afresh.

    Raises:
        UsageError, DatasetError, ModelError: as their parts do.
    """
    folder = Path(config.out)
    folder.mkdir(parents=True, exist_ok=True)
    parts = build(config, vectors or folder / VECTORS, encoding)
    trainer = Trainer(config, parts.model, parts.mixture, parts.held_out, parts.workers)
    if resume and (folder / CHECKPOINT).exists():
        trainer.load(folder / CHECKPOINT)
    elif config.init:
        trainer.start_from(Path(config.init) / CHECKPOINT)
    settings = {
        **config.to_json(),
        "base": gguf_path(config.model).name,
        "counts": parts.counts,
        "torch": torch.__version__,
    }
    (folder / SETTINGS).write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
    trainer.warm_up()
    log = Log(folder / LOG, trainer.state.step)
    try:
        with torch.no_grad():
            train_loop(trainer, folder, log, progress)
    finally:
        log.close()
    save_adapter(trainer.model, folder, config.rank, config.alpha, settings["base"])
    if trainer.model.functions:
        trainer.model.functions.projector().save(folder / FOLDER_TOKENS)
    draw_curve(folder)
    return folder


def write_checkpoint(state: dict[str, Any], path: Path) -> None:
    """One atomic replacement, forced to disk."""
    buffer = io.BytesIO()
    torch.save(state, buffer)
    partial = path.with_suffix(".part")
    with open(partial, "wb") as file:
        file.write(buffer.getbuffer())
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def is_finished(config: TrainConfig) -> bool:
    """Whether a run with these settings has been trained to its end in its folder."""
    folder = Path(config.out)
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return (folder / WEIGHTS).exists() and not changed(settings, config.to_json())


def forget(folder: Path) -> None:
    """Delete what a later run in the folder would go on from, or take for finished."""
    for name in (CHECKPOINT, WEIGHTS, TOKENS, FOLDER_TOKENS):
        (folder / name).unlink(missing_ok=True)


class Steps(Protocol):
    """What `train_loop` runs: one optimizer step after another, until fraction is 1."""

    config: TrainConfig
    state: State

    @property
    def held_out(self) -> Sequence[Sample]: ...

    @property
    def fraction(self) -> float: ...

    def advance(self) -> tuple[float, float]:
        """Loss per trained token, and the learning rate."""
        ...

    def evaluate(self) -> Evaluation: ...

    def save(self, path: Path) -> None: ...


def train_loop(trainer: Steps, folder: Path, log: Log, progress: Callable[[Progress], None] | None) -> None:
    config, state = trainer.config, trainer.state
    begun, used = time.monotonic(), state.seconds
    saved = scored = state.seconds
    if state.step == 0:
        _score(trainer, log)
    while trainer.fraction < 1.0:
        started, tokens = time.monotonic(), state.tokens
        loss, rate = trainer.advance()
        now = time.monotonic()
        state.seconds = used + now - begun
        speed = (state.tokens - tokens) / max(1e-9, now - started)
        done = trainer.fraction
        eta = state.seconds * (1 - done) / max(done, 1e-9)
        log.write(
            step=state.step,
            loss=round(loss, 5),
            rate=rate,
            tokens=state.tokens,
            seconds=round(state.seconds, 2),
            speed=round(speed, 1),
            eta=round(eta),
        )
        if progress:
            progress(Progress(state.step, loss, rate, state.tokens, speed, done, state.seconds, eta))
        if state.seconds - scored >= 60 * config.evaluate_minutes and done < 1.0:
            _score(trainer, log)
            scored = state.seconds = used + time.monotonic() - begun
        if state.seconds - saved >= 60 * config.checkpoint_minutes:
            trainer.save(folder / CHECKPOINT)
            saved = state.seconds = used + time.monotonic() - begun
    _score(trainer, log)
    trainer.save(folder / CHECKPOINT)


def _score(trainer: Steps, log: Log) -> None:
    if trainer.held_out:
        result = trainer.evaluate()
        log.write(step=trainer.state.step, held_out={k: round(v, 5) for k, v in result.__dict__.items()})
