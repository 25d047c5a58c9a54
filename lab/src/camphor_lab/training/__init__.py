"""How the model learns: samples, a LoRA adapter trained on completions, and its export for llama.cpp.

`run(config)` is the whole; the parts are imported from their modules: `config`, `data`, `lora`, `export`. Training
needs the extra `train`, which is loaded when first used.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from camphor.errors import MissingExtra

if TYPE_CHECKING:
    from camphor_lab.training.loop import Plan, Progress

__all__ = ["is_first_process", "run"]


def run(
    config_path: str | Path,
    resume: bool = True,
    progress: Callable[[Progress], None] | None = None,
    encoding: Callable[[float], None] | None = None,
    begun: Callable[[Plan], None] | None = None,
    model: str = "",
    out: str = "",
) -> Path:
    """Train as a TOML file says (see `config`), all its stages, or go on with what was begun, and export.

    Args:
        resume: False starts afresh, at the first stage.
        progress: called after each optimizer step.
        begun: told what each stage is about to do.
        model, out: in place of the file's (`config.load_stages`).
        encoding: told, 0 to 1, how many definitions have been encoded, where function tokens are to be learnt.

    Returns:
        The adapter's folder, in peft's form. It holds `adapter.gguf` too where the model is a Llama, for llama.cpp, and
        `adapter.tokens.npz` where it knows function tokens.

    Raises:
        UsageError: settings or data are wrong. MissingExtra: torch, transformers or peft is not installed.
        ModelError: the base model is missing, or not a Llama where the lean trainer is asked for.
    """
    from camphor_lab.training.config import check_data_is_there, load_stages

    stages = load_stages(config_path, model, out)
    try:
        from camphor_lab.training.base import WEIGHTS
        from camphor_lab.training.checkpoints import forget, is_finished
        from camphor_lab.training.stages import choose_trainer, export, train_stage
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "torch", "train", "camphor-lab") from error
    finished = [*(resume and is_finished(each) for each in stages[:-1]), False]  # the last one is asked for
    ahead = [
        (number, each)
        for number, (each, done) in enumerate(zip(stages, finished, strict=True), 1)
        # what a finished stage was begun from need not be there any more
        if not done and ((Path(each.out) / WEIGHTS).exists() or not any(finished[number:]))
    ]
    check_data_is_there([each for _, each in ahead], Path(config_path))
    trainer = choose_trainer(stages)
    if not resume:
        for config in stages:  # all at once: a stage that is reached later must not go on from what was there before
            forget(Path(config.out))
    vectors = Path(stages[-1].out) / "vectors"
    for number, config in ahead:
        train_stage(trainer, config, _of_stage(progress, number, len(stages)), encoding, vectors, begun)
    if is_first_process():
        export(trainer, stages[-1])
    return Path(stages[-1].out)


def is_first_process() -> bool:
    """Whether this is the one process of a run, or that of several which writes and tells (RANK: torch's name)."""
    return os.environ.get("RANK", "0") == "0"


def _of_stage(
    progress: Callable[[Progress], None] | None, number: int, count: int
) -> Callable[[Progress], None] | None:
    if progress is None:
        return None
    return lambda now: progress(dataclasses.replace(now, stage=number, stages=count))
