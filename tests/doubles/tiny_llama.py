"""A small random Llama in both runtimes' forms, in float32, its tokens the 256 bytes and three control tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from tests.doubles.tiny_files import finish, numbers

LAYERS, HIDDEN, HEADS, KV_HEADS, FEED_FORWARD = 3, 64, 4, 2, 96
CONTROLS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MERGES = [("t", "h"), ("th", "e")]
TOKENS = [*CONTROLS, *sorted(pre_tokenizers.ByteLevel.alphabet()), "th", "the"]
PARTS = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


def make_llama() -> Any:
    """Random, with weights so large that attention has its favourites and a wrong mask shows."""
    config = LlamaConfig(
        vocab_size=len(TOKENS),
        hidden_size=HIDDEN,
        intermediate_size=FEED_FORWARD,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=KV_HEADS,
        max_position_embeddings=512,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        bos_token_id=1,
        eos_token_id=2,
    )
    model = LlamaForCausalLM(config)
    generator = torch.Generator().manual_seed(5)
    for name, weight in model.named_parameters():
        noise = torch.randn(weight.shape, generator=generator)
        weight.data = 1 + 0.2 * noise if "norm" in name else 0.15 * noise
    return model.train(False)


def make_tokenizer() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(BPE({token: number for number, token in enumerate(TOKENS)}, MERGES))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=CONTROLS[2], bos_token=CONTROLS[1])
    fast.add_special_tokens({"additional_special_tokens": CONTROLS})
    return fast


def write_folder(folder: Path, model: Any) -> Path:
    model.save_pretrained(str(folder))
    make_tokenizer().save_pretrained(str(folder))
    return folder


def write_gguf(path: Path, model: Any) -> Path:
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(512)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_dimension_count(HIDDEN // HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(TOKENS)
    writer.add_token_types([3] * len(CONTROLS) + [1] * (len(TOKENS) - len(CONTROLS)))
    writer.add_token_merges([" ".join(pair) for pair in MERGES])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    weights = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    writer.add_tensor("token_embd.weight", weights["model.embed_tokens.weight"])
    writer.add_tensor("output_norm.weight", weights["model.norm.weight"])
    for layer in range(LAYERS):
        for part, name in PARTS.items():
            values = weights[f"model.layers.{layer}.{part}.weight"]
            if name in ("attn_q", "attn_k"):  # GGUF has the two halves of a head's rotation interleaved
                count = HEADS if name == "attn_q" else KV_HEADS
                values = values.reshape(count, 2, -1, HIDDEN).swapaxes(1, 2).reshape(values.shape)
            writer.add_tensor(f"blk.{layer}.{name}.weight", np.ascontiguousarray(values))
    return finish(writer, path)


def write_adapter(path: Path) -> Path:
    """A random LoRA adapter of rank 2 over one projection of each layer, in the GGUF form."""
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", 2.0)
    for layer in range(LAYERS):
        name = f"blk.{layer}.ffn_up.weight"
        writer.add_tensor(f"{name}.lora_a", numbers(2, HIDDEN, seed=layer))
        writer.add_tensor(f"{name}.lora_b", numbers(FEED_FORWARD, 2, seed=layer + 9) / 8)
    return finish(writer, path)
