"""Training a LoRA adapter on completions (Hu et al. 2021), by passes written by hand for a processor (`lean`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from camphor.errors import UsageError
from camphor.models.function_tokens import Projector
from camphor_lab.training.base import FOLDER_TOKENS, TOKENS, WEIGHTS, gguf_path, save_adapter
from camphor_lab.training.build import build
from camphor_lab.training.checkpoints import (
    CHECKPOINT,
    LOG,
    SETTINGS,
    VECTORS,
    Log,
    draw_curve,
    fixed_part,
    portable,
    take_fixed_part,
)
from camphor_lab.training.config import TrainConfig
from camphor_lab.training.data import Batch, Mixture, Sample, families, pack, share
from camphor_lab.training.export import start_folder
from camphor_lab.training.lean import LeanLlama
from camphor_lab.training.loop import BETAS, Plan, Progress, Run, train_loop
from camphor_lab.training.passes import Evaluation, Workers, evaluate

AVERAGE = "average"  # in a run's folder: the moving average at the last checkpoint, as an adapter


class Trainer(Run):
    """One run of the passes written by hand. Built by `train`."""

    def __init__(
        self, config: TrainConfig, model: LeanLlama, mixture: Mixture, held_out: Sequence[Sample], workers: Workers
    ) -> None:
        super().__init__(config, mixture, held_out, model.functions, model.device)
        self.model, self.workers = model, workers
        self.average = model.parameters.clone() if config.ema else None
        groups = [self._group(slice(0, model.factor_size))]
        if model.factor_size < len(model.parameters):
            groups.append(self._group(slice(model.factor_size, None)))
        self.optimizer = torch.optim.AdamW(groups, betas=BETAS, weight_decay=0.0, fused=True)

    def _group(self, part: slice) -> dict[str, Any]:
        parameter = torch.nn.Parameter(self.model.parameters[part])
        parameter.grad = self.model.gradients[0, part]
        return {"params": [parameter]}

    def advance(self) -> tuple[float, float]:
        samples = self.batches[self.state.batch]
        parts = [pack(part) for part in share(samples, self.config.micro_tokens, self.workers.count)]
        count = max(1, sum(len(part.positions) for part in parts))
        counted = sum(float(part.factors(self.config.decide_weight).sum()) for part in parts)
        loss = self._gradient(parts, 1 / max(1.0, counted)) / count
        norm = float(self.model.gradients[0].norm())
        if norm > self.config.clip:
            self.model.gradients[0].mul_(self.config.clip / norm)
        rate = self._step(samples, self.config)
        self.model.refresh()
        if self.average is not None:  # shorter at first, so that the start is forgotten
            step = self.state.step
            self.average.lerp_(self.model.parameters, 1 - min(self.config.ema, step / (step + 10)))
        return loss, rate

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Within it the model holds the moving average, where there is one."""
        own = self.model.parameters.clone() if self.average is not None else None
        self._hold(self.average)
        try:
            yield
        finally:
            self._hold(own)

    def _hold(self, parameters: Tensor | None) -> None:
        if parameters is not None:
            self.model.parameters.copy_(parameters)
            self.model.refresh()

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
        for found in plain, showing:
            for samples in found[:1], found[-2:], max(families(found), key=len, default=[])[:2]:
                if samples:
                    self.workers.map(self.model, [pack(samples)], 0.0)
        if self.held_out:
            self.workers.map(self.model, [pack(self.held_out[:1])], None)

    def evaluate(self) -> Evaluation:
        with self.averaged():
            return evaluate(self.model, self.held_out, self.config.micro_tokens, self.workers)

    def save(self, path: Path) -> None:
        """A checkpoint; beside it, where there is a moving average, that as an adapter in peft's form, to be scored."""
        super().save(path)
        if self.average is not None:
            self.save_adapter(path.with_name(AVERAGE))

    def save_adapter(self, folder: Path) -> None:
        """What is learnt, or its moving average, as an adapter in peft's form, with its projector."""
        with self.averaged():
            config, number = self.config, getattr(torch, self.config.adapter_dtype)
            save_adapter(self.model, folder, config.rank, config.alpha, gguf_path(config.model).name, number)
            if self.functions:
                for name in FOLDER_TOKENS, TOKENS:
                    self.functions.projector().save(folder / name)

    def _learnt(self) -> dict[str, Any]:
        model = self.model
        average = {} if self.average is None else {"average": self.average}
        fixed = fixed_part(self.functions)
        return {"parameters": model.parameters, "factor_size": model.factor_size, "projector": fixed, **average}

    def _take(self, saved: dict[str, Any]) -> None:
        self.model.parameters.copy_(saved["parameters"])
        if self.average is not None:
            self.average.copy_(saved["average"])
        take_fixed_part(self.functions, saved["projector"])
        self.model.refresh()

    def start_from(self, folder: Path) -> None:
        """Take the factors and the projector of another run, or of an adapter in peft's form; optimizer, data and clock
        begin anew.

        Raises:
            UsageError: there is none, its factors have another shape, or its projector another kind.
        """
        if not any((folder / name).exists() for name in (CHECKPOINT, WEIGHTS)):
            raise UsageError(f"{folder}: no checkpoint to start from: name the out folder of an earlier run in init")
        factors = self._factors_of(folder)
        if len(factors) != self.model.factor_size:
            raise UsageError(
                f"{folder}: made with another rank, targets or first_layer: restore them or leave init out"
            )
        with torch.no_grad():
            self.model.parameters[: len(factors)] = factors
            if self.functions and (folder / TOKENS).exists():
                self.functions.start_from(Projector.load(folder / TOKENS))
            if self.average is not None:
                self.average.copy_(self.model.parameters)
        self.model.refresh()

    def _factors_of(self, folder: Path) -> Tensor:
        """All factors in one vector, in the order of the model's; of another length where they are other ones.

        A finished run's adapter goes before its checkpoint, which knows nothing of a mean that was made of it.
        """
        if not (folder / WEIGHTS).exists():
            saved = torch.load(folder / CHECKPOINT, map_location=self.device, weights_only=True)
            factors: Tensor = saved["parameters"][: saved.get("factor_size")]
            return factors
        tensors = load_file(str(folder / WEIGHTS), device=str(self.device))
        parts = []
        for name, factor in self.model.factors.items():
            for letter, own in (("A", factor.a), ("B", factor.b)):
                tensor = tensors.pop(f"base_model.model.{name}.lora_{letter}.weight", torch.empty(0))
                parts.append(tensor.flatten().float() if tensor.shape == own.shape else torch.empty(0))
        return torch.cat(parts) if not tensors else torch.empty(0)


def train(
    config: TrainConfig,
    progress: Callable[[Progress], None] | None = None,
    *,
    resume: bool = True,
    encoding: Callable[[float], None] | None = None,
    vectors: Path | None = None,
    begun: Callable[[Plan], None] | None = None,
) -> Path:
    """Train, and leave in config.out a peft adapter, log.jsonl, settings.json, checkpoint.pt and loss.png, and, where
    the data show function tokens, their projector, adapter.tokens.npz.

    Args:
        progress: called after each optimizer step. begun: told what is planned, before the first.
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
        trainer.start_from(start_folder(config))
    settings = {
        **portable(config.to_json()),
        "base": gguf_path(config.model).name,
        "counts": parts.counts,
        "torch": torch.__version__,
    }
    (folder / SETTINGS).write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
    trainer.warm_up()
    log = Log(folder / LOG, trainer.state.step)
    try:
        with torch.no_grad():
            train_loop(trainer, folder, log, progress, begun)
    finally:
        log.close()
    trainer.save_adapter(folder)
    draw_curve(folder)
    return folder
