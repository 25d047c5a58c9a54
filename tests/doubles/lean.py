"""A small random Llama, as a transformers model, for tests of training."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from camphor.models.function_tokens import Method
from camphor_lab.training.attention import LlamaShape
from camphor_lab.training.config import TARGETS
from camphor_lab.training.functions import FunctionVectors
from camphor_lab.training.kernels import make_kernels
from camphor_lab.training.lean import LeanLlama

NAMES = ["a", "b", "c", "d", "e"]


def tiny_llama(vocabulary: int = 300) -> Any:
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=48,
        intermediate_size=80,
        num_hidden_layers=3,
        num_attention_heads=6,
        num_key_value_heads=2,
        max_position_embeddings=512,
        tie_word_embeddings=True,
    )
    model = LlamaForCausalLM(config)
    generator = torch.Generator().manual_seed(0)
    for name, weight in model.named_parameters():
        noise = torch.randn(weight.shape, generator=generator)
        weight.data = 1 + 0.2 * noise if "norm" in name else 0.08 * noise
    return model.train(False)


def vectors(kind: str, method: Method = Method.LAST) -> FunctionVectors:
    raw = np.random.default_rng(3).normal(0.5, 4.0, (len(NAMES), method.vectors, 48)).astype(np.float32)
    return FunctionVectors(NAMES, raw, method, norm=0.6, kind=kind)


def lean(
    model: Any,
    *,
    slots: int = 1,
    first_layer: int = 0,
    compiled: bool = False,
    functions: FunctionVectors | None = None,
) -> LeanLlama:
    return LeanLlama(
        {name: weight.clone() for name, weight in model.state_dict().items()},
        LlamaShape.of(model.config),
        make_kernels(compiled),
        rank=4,
        alpha=8,
        targets=TARGETS,
        first_layer=first_layer,
        dtype=torch.float32,
        slots=slots,
        longest=256,
        functions=functions,
    )
