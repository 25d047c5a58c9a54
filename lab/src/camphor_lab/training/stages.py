"""Which trainer a recipe gets, and one stage of it: from settings to an adapter, and from that to a GGUF file."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from camphor.errors import UsageError
from camphor.models.function_tokens import Projector
from camphor.models.weights import read_contents
from camphor_lab.training.base import ADAPTER, FOLDER_TOKENS, TOKENS, WEIGHTS, gguf_path
from camphor_lab.training.config import HUB, INIT, TRANSFORMERS_ONLY, TrainConfig
from camphor_lab.training.export import export_adapter, start_folder
from camphor_lab.training.loop import Plan, Progress
from camphor_lab.training.lora import train

LLAMAS = ("llama", "mistral")  # transformers' names of what llama.cpp runs as a Llama


def choose_trainer(stages: Sequence[TrainConfig]) -> str:
    """ "lean" or "transformers", for all stages.

    Raises:
        UsageError: the stages need both, or the lean one lacks what a stage asks for. ModelMissing: no model file.
    """
    chosen = {_trainer_of(config) for config in stages}
    if len(chosen) > 1:
        raise UsageError('the stages have different trainers: set trainer = "transformers" at the top')
    trainer = chosen.pop()
    defaults = TrainConfig("", ())
    for config in stages:
        other = [key for key in TRANSFORMERS_ONLY if getattr(config, key) != getattr(defaults, key)]
        if trainer == "lean" and other:
            raise UsageError(f'{other[0]} is not for trainer = "lean": leave it out, or set trainer = "transformers"')
        if config.mean_with and (trainer != "lean" or (config.mean_with == INIT and not config.init)):
            raise UsageError('mean_with needs trainer = "lean", and mean_with = "init" an init or a stage before')
        if config.ema and trainer != "lean":
            raise UsageError('ema needs trainer = "lean": leave it out')
        there = Path(config.mean_with)
        made = {INIT, "", *(each.out for each in stages)}
        if config.mean_with not in made and not (there / WEIGHTS).is_file():
            raise UsageError(f"{there}: no adapter to take the mean with: name the out folder of an earlier run")
    return trainer


def _trainer_of(config: TrainConfig) -> str:
    _check_rotation(config.model)
    if config.trainer == "transformers":
        return config.trainer
    kind = _too_much_for_lean(config.model)
    if kind and config.trainer == "lean":
        raise UsageError(
            f'{config.model}: trainer = "lean" takes a GGUF file of a Llama only, and this is {kind}: set trainer = '
            '"transformers"'
        )
    return "transformers" if kind else "lean"


def _too_much_for_lean(model: str) -> str:
    """What a model is that the passes written by hand cannot compute; nothing where they can."""
    if not _is_file(model):
        return "a model on the hub" if model.startswith(HUB) else "a folder"
    contents = read_contents(gguf_path(model))
    architecture = contents.fields.get("general.architecture")
    if architecture != "llama":
        return f"a file of the architecture {architecture}"
    if contents.fields.get("llama.expert_count"):
        return "a mixture of experts"
    return "one with biases" if any(name.endswith(".bias") for name in contents.tensors) else ""


def _check_rotation(model: str) -> None:
    """Raises: UsageError, a GGUF file has positions rotated in a way that transformers 5.23 does not read from it, so
    that what is trained would run otherwise in llama.cpp (Llama 3.1 and later, Phi-3.5)."""
    if not _is_file(model):
        return
    contents = read_contents(gguf_path(model))
    kind = contents.fields.get(f"{contents.fields.get('general.architecture')}.rope.scaling.type", "none")
    factors = next((name for name in contents.tensors if name.startswith("rope_")), kind)
    if factors != "none":
        raise UsageError(
            f"{model}: its positions are rotated by factors ({factors}) that training cannot read from a GGUF file: "
            f"set model to the folder that the file was made from, or to {HUB}NAME"
        )


def _is_file(model: str) -> bool:
    """Whether settings name the embedded model or another GGUF file."""
    return not model.startswith(HUB) and not (model and Path(model).is_dir())


def is_llama_file(model: str) -> bool:
    """Whether settings name the embedded model or another GGUF file of a Llama."""
    return _is_file(model) and read_contents(gguf_path(model)).fields.get("general.architecture") == "llama"


def train_stage(
    trainer: str,
    config: TrainConfig,
    progress: Callable[[Progress], None] | None = None,
    encoding: Callable[[float], None] | None = None,
    vectors: Path | None = None,
    begun: Callable[[Plan], None] | None = None,
) -> None:
    """One stage, with the trainer that `choose_trainer` named; arguments and errors are those of `lora.train`."""
    if trainer == "lean":
        train(config, progress, encoding=encoding, vectors=vectors, begun=begun)
        if config.mean_with:
            average(Path(config.out), start_folder(config) if config.mean_with == INIT else Path(config.mean_with))
        return
    from camphor_lab.training import generic

    generic.train(config, progress, encoding=encoding, vectors=vectors, begun=begun)


def average(folder: Path, other: Path) -> None:
    """Make the adapter of a folder the mean of itself and of another's, factor by factor, in place; so too the
    projectors of function tokens, where both have one.

    A run that is started again writes its own factors first, so that nothing is averaged twice.
    """
    from safetensors.numpy import load_file, save_file

    mine, theirs = load_file(folder / WEIGHTS), load_file(other / WEIGHTS)
    mean = {name: ((rows.astype(np.float32) + theirs[name]) / 2).astype(rows.dtype) for name, rows in mine.items()}
    partial = folder / (WEIGHTS + ".part")
    save_file(mean, partial, metadata={"format": "pt"})
    partial.replace(folder / WEIGHTS)
    if (folder / FOLDER_TOKENS).exists() and (other / TOKENS).exists():
        projector = Projector.load(folder / FOLDER_TOKENS).mean_with(Projector.load(other / TOKENS))
        for file in (FOLDER_TOKENS, TOKENS):
            projector.save(folder / file)


def export(trainer: str, config: TrainConfig) -> Path | None:
    """Write the adapter of a Llama as a GGUF file beside it, for llama.cpp; None for other models, which run in
    transformers.

    Raises:
        UsageError: the embedded model's adapter is larger than what ships may be.
    """
    folder = Path(config.out)
    if trainer == "lean":
        export_adapter(folder, folder / ADAPTER, config.model)
    elif is_llama(config.model):
        export_adapter(folder, folder / ADAPTER, config.model, limit=0)
    else:
        return None
    return folder / ADAPTER


def is_llama(model: str) -> bool:
    """Whether llama.cpp runs the model, from a GGUF file or a folder, as a Llama."""
    if Path(model).is_dir():
        described = json.loads((Path(model) / "config.json").read_text(encoding="utf-8"))
        return described.get("model_type") in LLAMAS
    return is_llama_file(model)
