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
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from camphor.agents.prompts import Form
from camphor.errors import UsageError
from camphor.training.base import gguf_path, load_transformer, save_adapter
from camphor.training.config import TrainConfig
from camphor.training.data import Batch, GgufTokenizer, Mixture, Sample, cut, pack, read_samples, share
from camphor.training.kernels import make_kernels
from camphor.training.lean import LeanLlama, Scores, Shape
from camphor.training.runlog import LOG, Log, draw_curve
from camphor.training.samples import as_samples

CHECKPOINT, SETTINGS = "checkpoint.pt", "settings.json"
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


@dataclass(frozen=True)
class Evaluation:
    """On held-out samples: loss per trained token; the shares of trained segments, and of whole samples, whose every
    token is the model's greedy choice."""

    loss: float
    exact_segments: float
    exact_samples: float


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


class Workers:
    """Threads that each run whole passes on one core.

    Two cores in step at every product lose a third where anything else runs on the machine, as each waits for the
    other thousands of times a second; working on different samples they meet once a step.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = ThreadPoolExecutor(count)

    def map(self, model: LeanLlama, batches: Sequence[Batch], weight: float | None) -> list[Scores]:
        """Pass i adds its gradient to slot i if there is a weight."""

        def one(slot: int, batch: Batch) -> Scores:
            if not len(batch.positions):
                return Scores(0.0, 0, torch.zeros(0, dtype=torch.bool))
            tokens = torch.from_numpy(batch.tokens).to(model.device)
            positions = torch.from_numpy(batch.positions).to(model.device)
            return model.run(tokens, batch.lengths, positions, weight=weight, slot=slot)

        return list(self._pool.map(one, range(len(batches)), batches))


class Trainer:
    """One run: `advance()` makes one optimizer step. Built by `train`."""

    def __init__(
        self, config: TrainConfig, model: LeanLlama, mixture: Mixture, held_out: Sequence[Sample], workers: Workers
    ) -> None:
        self.config, self.model, self.mixture, self.held_out = config, model, mixture, held_out
        self.state = State()
        self.parameter = torch.nn.Parameter(model.parameters)
        self.parameter.grad = model.gradients[0]
        self.optimizer = torch.optim.AdamW([self.parameter], betas=BETAS, weight_decay=0.0, fused=True)
        self.batches = mixture.epoch(0)
        self.workers = workers

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
        loss = self._gradient(parts, 1 / count) / count
        norm = float(self.model.gradients[0].norm())
        if norm > self.config.clip:
            self.model.gradients[0].mul_(self.config.clip / norm)
        rate = learning_rate(self.config, self.state.step, self.fraction)
        self.optimizer.param_groups[0]["lr"] = rate
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
            loss += sum(score.loss for score in self.workers.map(self.model, group, weight))
        for slot in slots[1 : len(parts)]:
            slots[0] += slot
        return loss

    def warm_up(self) -> None:
        """Have the kernels compiled, one pass at a time, before any clock runs (half a minute, once a machine)."""
        for samples in self.batches[0][:1], self.batches[-1][:2]:
            self.workers.map(self.model, [pack(samples)], 0.0)
        if self.held_out:
            self.workers.map(self.model, [pack(self.held_out[:1])], None)

    def evaluate(self) -> Evaluation:
        return evaluate(self.model, self.held_out, self.config.micro_tokens, self.workers)

    def save(self, path: Path) -> None:
        """Write the state in one atomic replacement, forced to disk."""
        state = {
            "config": self.config.to_json(),
            "state": dict(self.state.__dict__),
            "parameters": self.model.parameters,
            "optimizer": self.optimizer.state_dict(),
        }
        buffer = io.BytesIO()
        torch.save(state, buffer)
        partial = path.with_suffix(".part")
        with open(partial, "wb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)

    def start_from(self, path: Path) -> None:
        """Take the factors of another run; optimizer, data and clock begin anew.

        Raises:
            UsageError: there is none, or its factors have another shape.
        """
        if not path.exists():
            raise UsageError(f"{path}: no checkpoint to start from: name the out folder of an earlier run in init")
        factors = torch.load(path, map_location=self.model.device, weights_only=True)["parameters"]
        if factors.shape != self.model.parameters.shape:
            raise UsageError(f"{path}: made with another rank, targets or first_layer: restore them or leave init out")
        with torch.no_grad():
            self.model.parameters.copy_(factors)
        self.model.refresh()

    def load(self, path: Path) -> None:
        """Go on from `save`.

        Raises:
            UsageError: the file is of a run with other settings; time limit, cadence and division of work may differ.
        """
        saved = torch.load(path, map_location=self.model.device, weights_only=True)
        changed = _changed(saved["config"], self.config.to_json())
        if changed:
            raise UsageError(f"{path}: made with another {changed}: restore the setting or choose another out")
        with torch.no_grad():
            self.model.parameters.copy_(saved["parameters"])
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
    "compile",
    "workers",
    "micro_tokens",
}


def _changed(old: dict[str, Any], new: dict[str, Any]) -> str:
    def plain(value: Any) -> Any:
        return json.loads(json.dumps(value))

    return ", ".join(k for k in new if k not in _FREE and plain(old.get(k)) != plain(new[k]))


def evaluate(model: LeanLlama, samples: Sequence[Sample], micro_tokens: int, workers: Workers) -> Evaluation:
    """Score samples without learning; a segment is exact if greedy decoding after the gold text would write it."""
    loss, tokens, exact, segments, whole, count = 0.0, 0, 0, 0, 0, 0
    parts = list(cut((s for s in samples if s.trained), micro_tokens))
    batches = [pack(part) for part in parts]
    for part, batch, scores in zip(parts, batches, workers.map(model, batches, None), strict=True):
        loss, tokens = loss + scores.loss, tokens + scores.tokens
        good = [bool(piece.all()) for piece in torch.split(scores.right.cpu(), list(batch.segments))]
        exact, segments = exact + sum(good), segments + len(good)
        for sample in part:
            mine, good = good[: len(sample.trained)], good[len(sample.trained) :]
            whole, count = whole + all(mine), count + 1
    return Evaluation(loss / max(1, tokens), exact / max(1, segments), whole / max(1, count))


def build(config: TrainConfig) -> tuple[Trainer, dict[str, int]]:
    """Read model and data; also counts samples and tokens used, and samples left out as too long or untrained."""
    path = gguf_path(config.model)
    tokenizer = GgufTokenizer(path)
    made = Path(config.out)
    files, left_out = [], 0
    for file in config.data:
        read = read_samples(as_samples(Path(file.path), made, Form(file.form)), tokenizer)
        fit = [s for s in read if len(s.tokens) <= config.max_sample_tokens and s.trained]
        left_out += len(read) - len(fit)
        files.append((file, fit))
    used = [s for _, fit in files for s in fit]
    if not used:
        raise UsageError(f"{config.data[0].path}: no sample to learn from")
    held_out = read_samples(as_samples(Path(config.held_out), made), tokenizer) if config.held_out else []
    held_out = [s for s in held_out if len(s.tokens) <= config.max_sample_tokens]
    random.Random(config.seed).shuffle(held_out)
    counts = {
        "samples": len(used),
        "tokens": sum(len(s.tokens) for s in used),
        "trained_tokens": sum(b - a for s in used for a, b in s.trained),
        "left_out": left_out,
    }
    mixture = Mixture(files, config.batch_tokens, config.seed)
    workers = Workers(config.workers or (1 if torch.cuda.is_available() else torch.get_num_threads()))
    torch.set_num_threads(1)  # each worker keeps to one core
    return Trainer(
        config, _model(config, path, workers.count), mixture, held_out[: config.held_out_limit], workers
    ), counts


def _model(config: TrainConfig, path: Path, workers: int) -> LeanLlama:
    base = load_transformer(path, torch.float32)
    return LeanLlama(
        base.state_dict(),
        Shape.of(base.config),
        make_kernels({"auto": None, "yes": True, "no": False}[config.compile]),
        rank=config.rank,
        alpha=config.alpha,
        targets=config.targets,
        first_layer=config.first_layer,
        dtype=getattr(torch, config.dtype),
        device="cuda" if torch.cuda.is_available() else "cpu",
        seed=config.seed,
        slots=-(-config.batch_tokens // config.micro_tokens // workers) * workers,
        longest=config.max_sample_tokens,
    )


def train(config: TrainConfig, progress: Callable[[Progress], None] | None = None, *, resume: bool = True) -> Path:
    """Train, and leave in config.out a peft adapter, log.jsonl, settings.json, checkpoint.pt and loss.png.

    Args:
        progress: called after each optimizer step.
        resume: go on from the folder's checkpoint if there is one; False starts afresh.

    Raises:
        UsageError, DatasetError, ModelError: as their parts do.
    """
    folder = Path(config.out)
    folder.mkdir(parents=True, exist_ok=True)
    trainer, counts = build(config)
    if resume and (folder / CHECKPOINT).exists():
        trainer.load(folder / CHECKPOINT)
    elif config.init:
        trainer.start_from(Path(config.init) / CHECKPOINT)
    settings = {**config.to_json(), "base": gguf_path(config.model).name, "counts": counts, "torch": torch.__version__}
    (folder / SETTINGS).write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
    trainer.warm_up()
    log = Log(folder / LOG, trainer.state.step)
    try:
        with torch.no_grad():
            train_loop(trainer, folder, log, progress)
    finally:
        log.close()
    save_adapter(trainer.model, folder, config.rank, config.alpha, settings["base"])
    draw_curve(folder)
    return folder


def train_loop(trainer: Trainer, folder: Path, log: Log, progress: Callable[[Progress], None] | None) -> None:
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


def _score(trainer: Trainer, log: Log) -> None:
    if trainer.held_out:
        result = trainer.evaluate()
        log.write(step=trainer.state.step, held_out={k: round(v, 5) for k, v in result.__dict__.items()})
