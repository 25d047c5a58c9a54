"""A LoRA adapter of random numbers in the GGUF form, for tests and timings: its size is right, what it says is not."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np

LAYERS, HIDDEN, FEED_FORWARD, KEY_VALUE = 30, 576, 1536, 192
SHAPES = {  # projection: (inputs, outputs) of SmolLM2-135M
    "attn_q": (HIDDEN, HIDDEN),
    "attn_k": (HIDDEN, KEY_VALUE),
    "attn_v": (HIDDEN, KEY_VALUE),
    "attn_output": (HIDDEN, HIDDEN),
    "ffn_gate": (HIDDEN, FEED_FORWARD),
    "ffn_up": (HIDDEN, FEED_FORWARD),
    "ffn_down": (FEED_FORWARD, HIDDEN),
}


def write_random_adapter(
    path: Path, rank: int = 16, scale: float = 0.02, dtype: type[np.floating] = np.float16, only: tuple[str, ...] = ()
) -> Path:
    """Write an adapter over all projections, or those named in `only`, and return its path."""
    generator = np.random.default_rng(7)
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(rank))
    for layer in range(LAYERS):
        for name, (inputs, outputs) in SHAPES.items():
            if only and name not in only:
                continue
            for part, shape in (("lora_a", (rank, inputs)), ("lora_b", (outputs, rank))):
                values = (generator.standard_normal(shape) * scale).astype(dtype)
                writer.add_tensor(f"blk.{layer}.{name}.weight.{part}", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
