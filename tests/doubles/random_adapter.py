"""A LoRA adapter of random numbers in the GGUF form, for tests and timings: its size is right, what it says is not."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np

LAYERS, HIDDEN, FEED_FORWARD, KEY_VALUE = 30, 576, 1536, 192


def shapes(hidden: int) -> dict[str, tuple[int, int]]:
    """Inputs and outputs of each projection of SmolLM2-135M, or of a model of another hidden size."""
    return {
        "attn_q": (hidden, hidden),
        "attn_k": (hidden, KEY_VALUE),
        "attn_v": (hidden, KEY_VALUE),
        "attn_output": (hidden, hidden),
        "ffn_gate": (hidden, FEED_FORWARD),
        "ffn_up": (hidden, FEED_FORWARD),
        "ffn_down": (FEED_FORWARD, hidden),
    }


def write_random_adapter(
    path: Path, rank: int = 16, scale: float = 0.02, only: tuple[str, ...] = (), hidden: int = HIDDEN
) -> Path:
    """Write an adapter over all projections, or those named in `only`, and return its path."""
    generator = np.random.default_rng(7)
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(rank))
    for layer in range(LAYERS):
        for name, (inputs, outputs) in shapes(hidden).items():
            if only and name not in only:
                continue
            for part, shape in (("lora_a", (rank, inputs)), ("lora_b", (outputs, rank))):
                values = (generator.standard_normal(shape) * scale).astype(np.float16)
                writer.add_tensor(f"blk.{layer}.{name}.weight.{part}", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
