"""Small random models of other families than the Llama, in float32, with the tokens of `tiny_llama`."""

from __future__ import annotations

from typing import Any

import torch
from transformers import Gemma2Config, Gemma2ForCausalLM, GPT2Config, GPT2LMHeadModel, Phi3Config, Phi3ForCausalLM

from tests.doubles.tiny_llama import TOKENS

SIZES: dict[str, Any] = {
    "vocab_size": len(TOKENS),
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def make_family(family: str) -> Any:
    """A "gemma", a "phi" or a "gpt", with weights large enough for the frozen output to tell tokens apart."""
    if family == "gemma":
        model: Any = Gemma2ForCausalLM(Gemma2Config(head_dim=8, query_pre_attn_scalar=8, **SIZES))
    elif family == "gpt":
        sizes = {"n_positions": 256, "n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": len(TOKENS)}
        model = GPT2LMHeadModel(GPT2Config(**sizes, bos_token_id=1, eos_token_id=2))
    else:
        model = Phi3ForCausalLM(Phi3Config(**SIZES))
    generator = torch.Generator().manual_seed(1)
    for name, weight in model.named_parameters():
        if "norm" not in name and "ln_" not in name:
            weight.data = 0.15 * torch.randn(weight.shape, generator=generator)
    return model.train(False)
