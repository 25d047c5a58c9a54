"""A trainer of the small random Llama, its settings and its samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from camphor_lab.training.config import DataFile, TrainConfig
from camphor_lab.training.data import Mixture, Sample
from camphor_lab.training.functions import FunctionVectors
from camphor_lab.training.lora import Trainer
from camphor_lab.training.passes import Workers
from tests.doubles.lean import NAMES, lean, tiny_llama

SAMPLES = [
    Sample(str(i), np.array([5, 6, i, 7, (i * 3) % 50, 8, i], dtype=np.int32), ((3, 5), (6, 7))) for i in range(10, 50)
]
# Half of them show tools, and the one that they show first decides what is to be written.
SHOWING = [
    replace(sample, tokens=np.array([5, 6, 7, 7, 100 + i % 5, 8, 9], dtype=np.int32), definitions=(NAMES[i % 5],))
    if i % 2
    else sample
    for i, sample in enumerate(SAMPLES)
]


def settings(folder: Path, **changes: object) -> TrainConfig:
    base = {"out": str(folder), "data": (DataFile("x"),), "batch_tokens": 70, "micro_tokens": 20, "warmup_steps": 2}
    return TrainConfig(**{**base, "learning_rate": 0.02, "checkpoint_minutes": 0.0, **changes})  # type: ignore[arg-type]


def trainer(config: TrainConfig, workers: int = 2, functions: FunctionVectors | None = None) -> Trainer:
    samples = SAMPLES if functions is None else SHOWING
    mixture = Mixture([(config.data[0], samples)], config.batch_tokens, config.seed)
    return Trainer(config, lean(tiny_llama(), slots=4, functions=functions), mixture, samples[:8], Workers(workers))
