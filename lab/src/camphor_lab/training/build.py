"""What a training run works with, made from its settings: samples, vectors of their definitions, and the model."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from camphor.errors import UsageError
from camphor.models.cores import physical_cores
from camphor.models.function_tokens import DefinitionEncoder, Method
from camphor_lab.training.attention import MOST_FUNCTIONS, LlamaShape
from camphor_lab.training.base import TOKENS, gguf_path, load_transformer, number_format
from camphor_lab.training.config import ALL, TARGETS, DataFile, TrainConfig
from camphor_lab.training.data import GgufTokenizer, Mixture, Sample, Tokenizer, read_samples
from camphor_lab.training.functions import BatchedEncoder, FunctionVectors
from camphor_lab.training.kernels import make_kernels
from camphor_lab.training.lean import LeanLlama
from camphor_lab.training.passes import Workers
from camphor_lab.training.samples import as_samples

SLOTS = 8  # gradient vectors of a step's passes, which a large batch fills by turns


@dataclass(frozen=True)
class Parts:
    """What a trainer works with; `counts` tell the samples and tokens used, and samples left out as too long or
    untrained."""

    model: LeanLlama
    mixture: Mixture
    held_out: list[Sample]
    workers: Workers
    counts: dict[str, int]


@dataclass(frozen=True)
class Data:
    """What a run learns from and is scored on; `definitions` are all that samples show, each once."""

    files: list[tuple[DataFile, list[Sample]]]
    held_out: list[Sample]
    definitions: list[str]
    counts: dict[str, int]


def read_data(config: TrainConfig, tokenizer: Tokenizer) -> Data:
    """Samples in a model's tokens, without those that do not fit or have nothing to learn.

    Raises:
        UsageError: none is left. DatasetError: a file breaks the format.
    """
    made = Path(config.out)
    files, left_out = [], 0
    for file in config.data:
        samples = as_samples(Path(file.path), made, file.form, file.slips, file.distractors)
        read = read_samples(samples, tokenizer)
        fit = [replace(s, weight=file.weight) for s in read if _fits(s, config) and s.trained]
        left_out += len(read) - len(fit)
        files.append((file, fit))
    used = [s for _, fit in files for s in fit]
    if not used:
        raise UsageError(f"{config.data[0].path}: no sample to learn from")
    held_out = _held_out(config, tokenizer)
    texts = list(dict.fromkeys(text for s in (*used, *held_out) for text in s.definitions))
    counts = {
        "samples": len(used),
        "tokens": sum(len(s.tokens) for s in used),
        "trained_tokens": sum(b - a for s in used for a, b in s.trained),
        "pairs": sum(s.pairs for s in used),
        "left_out": left_out,
        "definitions": len(texts),
    }
    return Data(files, held_out, texts, counts)


def build(config: TrainConfig, folder: Path, encoding: Callable[[float], None] | None = None) -> Parts:
    """Read model and data.

    Args:
        folder: where vectors of definitions are kept.
        encoding: told which part of the definitions that are new to it has been encoded, 0 to 1.
    """
    path = gguf_path(config.model)
    tokenizer = GgufTokenizer(path)
    data = read_data(config, tokenizer)
    mixture = Mixture(data.files, config.batch_tokens, config.seed, together=config.together)
    workers = Workers(worker_count(config))
    torch.set_num_threads(workers.count)
    base = load_transformer(path, torch.float32)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    number = number_format(config.dtype)

    def encoder(method: Method) -> DefinitionEncoder:
        return BatchedEncoder(path, base.to(device), tokenizer.encode, folder, method, number)

    functions = function_vectors(config, base, data.definitions, encoder, device, encoding)
    torch.set_num_threads(1)  # from here each worker keeps to one core
    return Parts(_model(config, base, workers.count, functions), mixture, data.held_out, workers, data.counts)


def worker_count(config: TrainConfig) -> int:
    """One a core, whatever OMP_NUM_THREADS says of the threads of one product, unless the settings name a number."""
    return config.workers or (1 if torch.cuda.is_available() else physical_cores())


def _fits(sample: Sample, config: TrainConfig) -> bool:
    vectors = len(sample.definitions) * config.vectors_per_tool
    return len(sample.tokens) <= config.max_sample_tokens and vectors <= MOST_FUNCTIONS


def _held_out(config: TrainConfig, tokenizer: Tokenizer) -> list[Sample]:
    if not config.held_out:
        return []
    file = as_samples(Path(config.held_out), Path(config.out), config.held_out_form)
    found = [sample for sample in read_samples(file, tokenizer) if _fits(sample, config)]
    random.Random(config.seed).shuffle(found)
    return found[: config.held_out_limit]


def function_vectors(
    config: TrainConfig,
    base: Any,
    texts: Sequence[str],
    encoder: Callable[[Method], DefinitionEncoder],
    device: str,
    encoding: Callable[[float], None] | None,
) -> FunctionVectors | None:
    """The vectors of the definitions that samples show; without any also where there is a projector to hand on.

    Args:
        base: the transformers model that they are for; `encoder` makes them by the method that the settings name.

    Raises:
        UsageError: a projector is to be learnt through layers that have no factors.
    """
    if not texts and not (config.init and (Path(config.init) / TOKENS).exists()):
        return None
    if config.first_layer and config.projector in ("scale", "linear"):
        raise UsageError(
            f"first_layer = {config.first_layer}: a projector is learnt through all layers: set first_layer to 0"
        )
    method = {1: Method.LAST, 2: Method.LAST_AND_MEAN}[config.vectors_per_tool]
    embeddings = base.get_input_embeddings().weight.detach().float()
    vectors = np.zeros((0, method.vectors, embeddings.shape[1]), np.float32)
    if texts:
        vectors = encoder(method).encode(texts, encoding)
    return FunctionVectors(
        texts, vectors, method, norm=float(embeddings.norm(dim=1).mean()), kind=config.projector, device=device
    )


def _model(config: TrainConfig, base: Any, workers: int, functions: FunctionVectors | None) -> LeanLlama:
    dtype = number_format(config.dtype)
    return LeanLlama(
        base.state_dict(),
        LlamaShape.of(base.config),
        make_kernels({"auto": None, "yes": True, "no": False}[config.compile], dtype),
        rank=config.rank,
        alpha=config.alpha,
        targets=TARGETS if config.targets == (ALL,) else config.targets,
        first_layer=config.first_layer,
        dtype=dtype,
        device="cuda" if torch.cuda.is_available() else "cpu",
        seed=config.seed,
        slots=min(SLOTS, -(-config.batch_tokens // config.micro_tokens // workers) * workers),
        longest=config.max_sample_tokens,
        functions=functions,
    )
