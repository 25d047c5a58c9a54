"""Training a LoRA adapter for any causal language model, with transformers, peft and accelerate.

The same samples, settings, schedule, log and loop as for the embedded model (`lora`), on the model's own code: slower
on a processor than the passes written for it, and the way to other models, to quantised ones (Dettmers et al. 2023) and
to several GPUs. All agents learn in one adapter (CAMPHOR, section 5.3), with a loss on completions only.

A run's numbers follow from its settings alone: the order of the data from the seed and the epoch, the random numbers of
a step (dropout) from the seed, the step and the process. A run that was stopped and goes on from its checkpoint, which
holds factors, optimizer and place in the data, reaches what it would have reached. Several processes share the samples
of each step, whose gradient is that of one process but for rounding:

    accelerate launch --num_processes 4 -m camphor_lab.training CONFIG.toml
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import accelerate
import peft
import torch
import transformers
from accelerate import Accelerator
from accelerate.utils import broadcast
from torch import Tensor

from camphor.models.function_tokens import Projector
from camphor_lab.training.base import FOLDER_TOKENS, TOKENS, number_format
from camphor_lab.training.build import Data, function_vectors, read_data
from camphor_lab.training.checkpoints import (
    CHECKPOINT,
    LOG,
    SETTINGS,
    VECTORS,
    Log,
    NoLog,
    draw_curve,
    fixed_part,
    portable,
    take_fixed_part,
)
from camphor_lab.training.config import TrainConfig
from camphor_lab.training.data import Mixture, Sample
from camphor_lab.training.export import start_folder
from camphor_lab.training.functions import FunctionVectors
from camphor_lab.training.hub_model import (
    HubTokenizer,
    add_factors,
    check_window,
    encoder_of,
    factors_of,
    load_factors,
    note_on_turns,
    open_base,
    save_factors,
    short_name,
)
from camphor_lab.training.loop import BETAS, Plan, Progress, Run, train_loop
from camphor_lab.training.padded import BatchFunctions, Padded, PaddedRunner, bucket, pad, weight_of
from camphor_lab.training.passes import Evaluation

KIND = "transformers"


class GenericTrainer(Run):
    """One run of a model's own code, in one process or several. Built by `train`.

    Args:
        model: from `hub_model.add_factors`. functions: vectors of the definitions that samples show.
    """

    kind = KIND

    def __init__(
        self,
        config: TrainConfig,
        model: Any,
        data: Data,
        accelerator: Accelerator,
        functions: FunctionVectors | None = None,
    ) -> None:
        samples, pairs = config.batch_samples, config.batch_pairs
        mixture = Mixture(data.files, config.batch_tokens, config.seed, samples, batch_pairs=pairs)
        held_out = data.held_out if accelerator.is_main_process else []
        super().__init__(config, mixture, held_out, functions, accelerator.device)
        self.accelerator = accelerator
        warm = round(config.warmup_ratio * self.steps) if config.warmup_ratio else config.warmup_steps
        self._schedule = dataclasses.replace(config, warmup_steps=warm)
        self._reader = PaddedRunner(model.get_base_model(), functions)
        self.model = accelerator.prepare_model(model)
        self.factors = factors_of(self.bare)
        groups: list[dict[str, Any]] = [{"params": list(self.factors.values())}]
        self.projector = self._bind(functions)
        if self.projector is not None:
            groups.append({"params": [self.projector]})
        self.optimizer = torch.optim.AdamW(groups, betas=BETAS, weight_decay=0.0, fused=True)
        self._agreed = 0.0

    def _bind(self, functions: FunctionVectors | None) -> torch.nn.Parameter | None:
        """The projector's numbers with a place for their gradient, where it is learnt."""
        if functions is None or not functions.size:
            return None
        numbers = torch.zeros(functions.size, device=self.device)
        gradient = torch.zeros(1, functions.size, device=self.device)
        functions.bind(numbers, gradient)
        parameter = torch.nn.Parameter(numbers)
        parameter.grad = gradient[0]
        return parameter

    @property
    def bare(self) -> Any:
        """The peft model without the wrapper of several processes."""
        return self.accelerator.unwrap_model(self.model)

    @property
    def seconds(self) -> float:
        """The first process's clock, which ends the run for all of them."""
        return self._agreed

    def advance(self) -> tuple[float, float]:
        samples = self.batches[self.state.batch]
        self.model.train()
        self._agree_on_time()
        self._seed()
        loss = self._gradient(samples)
        learnt = [parameter for group in self.optimizer.param_groups for parameter in group["params"]]
        torch.nn.utils.clip_grad_norm_(learnt, self.config.clip)
        rate = self._step(samples, self._schedule)
        self.optimizer.zero_grad(set_to_none=False)  # the projector's gradient stays where it is bound
        return loss, rate

    def _agree_on_time(self) -> None:
        self._agreed = self.state.seconds
        if self.config.max_minutes and self.accelerator.num_processes > 1:
            clock = torch.tensor([self._agreed], device=self.device)
            self._agreed = float(broadcast(clock)[0])

    def _seed(self) -> None:
        process = self.accelerator.process_index
        torch.manual_seed(random.Random(f"{self.config.seed}/{self.state.step}/{process}").getrandbits(63))

    def _gradient(self, samples: Sequence[Sample]) -> float:
        """Leave the gradient of the mean loss of all processes' samples in the factors; returns that loss, without
        weights."""
        parts = bucket(samples, self.config.micro_tokens)
        processes = self.accelerator.num_processes
        mine = parts[self.accelerator.process_index :: processes]
        # Gradients are averaged over processes in each one's last pass: without samples it makes one of no weight.
        scale = processes / weight_of(samples, self.config.decide_weight) if mine else 0.0
        loss = torch.zeros((), device=self.device)
        passes = mine or parts[:1]
        for number, part in enumerate(passes, 1):
            last = number == len(passes)
            with contextlib.nullcontext() if last else self.accelerator.no_sync(self.model):
                batch = pad(part, self.config.decide_weight, self.device)
                shown = self._reader.vectors(batch)
                losses = self._losses(batch, shown)
                self.accelerator.backward((losses * batch.weights).sum() * scale)
            if self.functions and shown and shown.vectors.grad is not None:
                self.functions.backward(shown.ids, shown.vectors.grad, 0)
            if mine:
                loss += losses.detach().sum()
        total: Any = self.accelerator.reduce(loss, "sum") if processes > 1 else loss
        if processes > 1 and self.projector is not None and self.projector.grad is not None:
            self.projector.grad.copy_(self.accelerator.reduce(self.projector.grad.clone(), "mean"))
        return float(total) / sum(stop - start for sample in samples for start, stop in sample.trained)

    def _losses(self, batch: Padded, shown: BatchFunctions | None) -> Tensor:
        with self._cast():
            logits = self._reader.logits(self.model, batch, shown)
        return self._reader.losses(logits, batch)

    def _cast(self) -> Any:
        low = number_format(self.config.dtype)
        return torch.autocast(self.device.type, low, enabled=low != torch.float32)

    @torch.no_grad()
    def evaluate(self) -> Evaluation:
        """Score what is held out, in the first process."""
        model = self.bare.train(False)
        loss, tokens, exact, segments, whole = 0.0, 0, 0, 0, 0
        learnable = [sample for sample in self.held_out if sample.trained]
        for part in bucket(learnable, self.config.micro_tokens):
            batch = pad(part, 1.0, self.device)
            with self._cast():
                logits = self._reader.logits(model, batch, self._reader.vectors(batch))
            loss += float(self._reader.losses(logits, batch).sum())
            right = logits.argmax(1) == batch.tokens[batch.rows, batch.columns]
            tokens += len(right)
            lengths = [stop - start for sample in part for start, stop in sample.trained]
            good = [bool(piece.all()) for piece in torch.split(right.cpu(), lengths)]
            exact, segments = exact + sum(good), segments + len(good)
            for sample in part:
                mine, good = good[: len(sample.trained)], good[len(sample.trained) :]
                whole += all(mine)
        return Evaluation(loss / max(1, tokens), exact / max(1, segments), whole / max(1, len(learnable)))

    def save(self, path: Path) -> None:
        """As every run does, by the first process; each process reads it again."""
        if self.accelerator.is_main_process:
            super().save(path)

    def load(self, path: Path) -> None:
        super().load(path)
        self._agreed = self.state.seconds

    def _learnt(self) -> dict[str, Any]:
        return {
            "factors": {name: parameter.detach().cpu() for name, parameter in self.factors.items()},
            "projector": None if self.projector is None else self.projector.detach().cpu(),
            "fixed": fixed_part(self.functions),
        }

    def _take(self, saved: dict[str, Any]) -> None:
        for name, parameter in self.factors.items():
            parameter.copy_(saved["factors"][name])
        if self.projector is not None:
            self.projector.copy_(saved["projector"])
        take_fixed_part(self.functions, saved["fixed"])

    def start_from(self, folder: Path) -> None:
        """Take the factors and the projector of an earlier run; optimizer, data and clock begin anew.

        Raises:
            UsageError: there is none, its factors have another shape, or its projector another kind.
        """
        load_factors(self.bare, folder)
        if self.functions and (folder / TOKENS).exists():
            self.functions.start_from(Projector.load(folder / TOKENS))


def train(
    config: TrainConfig,
    progress: Callable[[Progress], None] | None = None,
    *,
    resume: bool = True,
    encoding: Callable[[float], None] | None = None,
    vectors: Path | None = None,
    begun: Callable[[Plan], None] | None = None,
) -> Path:
    """Train, and leave in config.out a peft adapter, log.jsonl, settings.json, checkpoint.pt and loss.png.

    Where the data show function tokens, their projector is left too: adapter.tokens.npz and, the same, tokens.npz.

    Args:
        progress: called after each optimizer step, in the first process. begun: told the plan there.
        encoding, vectors: as for `lora.train`.
        resume: go on from the folder's checkpoint if there is one; False starts afresh.

    Raises:
        UsageError, DatasetError, ModelMissing, MissingExtra: as their parts do.
    """
    folder = Path(config.out)
    folder.mkdir(parents=True, exist_ok=True)
    accelerator = Accelerator(mixed_precision="no")  # numbers are cast here, where scoring needs it too
    tokenizer, base = open_base(config, accelerator.device)
    encoder = partial(encoder_of, config, tokenizer, base, vectors or folder / VECTORS)
    device = str(accelerator.device)
    cutter = HubTokenizer(tokenizer, base.get_input_embeddings().weight.shape[0])
    note = note_on_turns(cutter.cut, short_name(config))
    with accelerator.main_process_first():  # which renders and encodes; the others read what it has written
        data = read_data(config, cutter)
        showing = [len(s.tokens) + len(s.definitions) for _, samples in data.files for s in samples if s.definitions]
        check_window(base, max(showing, default=0), short_name(config))
        functions = function_vectors(config, base, data.definitions, encoder, device, encoding)
    trainer = GenericTrainer(config, add_factors(base, config), data, accelerator, functions)
    trainer.note = note
    if resume and (folder / CHECKPOINT).exists():
        trainer.load(folder / CHECKPOINT)
    elif config.init:
        trainer.start_from(start_folder(config))
    accelerator.wait_for_everyone()
    main = accelerator.is_main_process
    if main:
        _save_settings(trainer, data, folder)
    log = Log(folder / LOG, trainer.state.step) if main else NoLog()
    try:
        train_loop(trainer, folder, log, progress if main else None, begun if main else None)
    finally:
        log.close()
    if main:
        save_factors(trainer.bare, folder, short_name(config))
        if functions:
            functions.projector().save(folder / FOLDER_TOKENS)
        draw_curve(folder)
    accelerator.wait_for_everyone()
    return folder


def _save_settings(trainer: GenericTrainer, data: Data, folder: Path) -> None:
    """Everything that decided the run, as it was understood."""
    config, accelerator = trainer.config, trainer.accelerator
    settings = {
        **portable(config.to_json()),
        "trainer": KIND,
        "base": short_name(config),
        "counts": data.counts,
        "planned_steps": trainer.steps,
        "planned_epochs": round(trainer.plan.epochs, 4),
        "samples_of_a_step": trainer.plan.batch,
        "found_targets": sorted(trainer.bare.peft_config["default"].target_modules),
        "learnt_numbers": sum(parameter.numel() for parameter in trainer.factors.values()),
        "computed_in": str(number_format(config.dtype)).removeprefix("torch."),
        "device": accelerator.device.type,
        "processes": accelerator.num_processes,
        "versions": {part.__name__: part.__version__ for part in (torch, transformers, peft, accelerate)},
    }
    (folder / SETTINGS).write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
