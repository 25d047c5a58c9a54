"""A base and an adapter of two small tensors in the GGUF form: no model, but all that merging looks at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

ROWS, COLUMNS, RANK, ALPHA = 96, 64, 4, 8.0


def numbers(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def write_base(path: Path, architecture: str = "llama", rows: int = ROWS) -> Path:
    """One Q4_1 projection between a Q8_0 embedding and a float norm whose length leaves a gap before the next."""
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_file_type(3)
    writer.add_array("tokenizer.ggml.tokens", ["a", "é", ""])
    writer.add_array("tokenizer.ggml.scores", [0.5, 1.0])
    writer.add_bool("tokenizer.ggml.add_bos_token", False)
    for name, shape, kind in (
        ("token_embd.weight", (3, COLUMNS), gguf.GGMLQuantizationType.Q8_0),
        ("output_norm.weight", (3,), gguf.GGMLQuantizationType.F32),
        ("blk.0.ffn_up.weight", (rows, COLUMNS), gguf.GGMLQuantizationType.Q4_1),
    ):
        writer.add_tensor(name, gguf.quants.quantize(numbers(*shape), kind), raw_dtype=kind)
    return finish(writer, path)


def write_adapter(path: Path, seed: int = 1, **changes: Any) -> Path:
    """An adapter for its projection; `changes` are metadata told otherwise, or `name`, `parts` of the tensors."""
    writer = gguf.GGUFWriter(str(path), changes.get("architecture", "llama"))
    writer.add_type(changes.get("type", "adapter"))
    writer.add_string("adapter.type", "lora")
    if changes.get("alpha", True):
        writer.add_float32("adapter.lora.alpha", ALPHA)
    name = changes.get("name", "blk.0.ffn_up.weight")
    for part, shape in (("lora_a", (RANK, COLUMNS)), ("lora_b", (changes.get("rows", ROWS), RANK))):
        if part in changes.get("parts", ("lora_a", "lora_b")):
            writer.add_tensor(f"{name}.{part}", numbers(*shape, seed=seed + len(shape) + ord(part[-1])))
    return finish(writer, path)


def finish(writer: gguf.GGUFWriter, path: Path) -> Path:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def read(path: Path) -> dict[str, NDArray[np.float32]]:
    """A file's tensors as another implementation of the format reads them."""
    found = gguf.GGUFReader(str(path)).tensors
    return {each.name: gguf.quants.dequantize(np.array(each.data), each.tensor_type) for each in found}
