"""From a peft adapter to a GGUF adapter for llama.cpp, and the proof that both compute the same.

llama.cpp rotates neighbouring pairs of a head's dimensions where transformers rotates its halves, so the rows of q and
k are interleaved in GGUF files; an adapter's B has those rows too and is interleaved alike. A is unchanged.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from camphor.errors import ModelError, UsageError
from camphor.training.base import WEIGHTS, gguf_path, read_description

LIMIT_BYTES = 30_000_000
NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def interleave(rows: NDArray[Any], heads: int) -> NDArray[Any]:
    """Reorder (heads * D, r) from halves to neighbouring pairs: row i of a head's first half, then of its second."""
    return rows.reshape(heads, 2, -1, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)


def export_adapter(folder: str | Path, out: str | Path, model: str = "", limit: int = LIMIT_BYTES) -> int:
    """Write a peft adapter as a GGUF adapter in float16; returns its bytes.

    Raises:
        ModelMissing: no adapter in `folder`, or no such base model. UsageError: the result is above `limit` bytes.
    """
    import gguf
    from safetensors.numpy import load_file

    folder, out = Path(folder), Path(out)
    description = read_description(folder)
    heads, kv_heads = _heads(gguf_path(model))
    partial = out.with_name(out.name + ".part")
    writer = gguf.GGUFWriter(str(partial), "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(description["lora_alpha"]))
    for key, value in sorted(load_file(str(folder / WEIGHTS)).items()):
        parts = key.removeprefix("base_model.model.model.layers.").split(".")
        layer, module, factor = parts[0], ".".join(parts[1:3]), parts[3]
        if factor == "lora_B" and module.endswith(("q_proj", "k_proj")):
            value = interleave(value, heads if module.endswith("q_proj") else kv_heads)
        writer.add_tensor(f"blk.{layer}.{NAMES[module]}.weight.{factor.lower()}", value.astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    size = partial.stat().st_size
    if size > limit:
        partial.unlink()
        raise UsageError(f"{out}: {size:,} bytes, more than {limit:,}: train with a smaller rank or fewer targets")
    partial.replace(out)
    return size


def _heads(path: Path) -> tuple[int, int]:
    import gguf

    fields = gguf.GGUFReader(str(path)).fields
    found = [fields.get(f"llama.attention.{name}") for name in ("head_count", "head_count_kv")]
    if found[0] is None:
        raise ModelError(f"{path}: not a Llama in GGUF form: no head count")
    heads = int(found[0].contents())
    return heads, int(found[1].contents()) if found[1] is not None else heads


@dataclass(frozen=True)
class Proof:
    """One prompt in both runtimes: the greedy continuations, the correlation of their next-token logits, and the gap
    between the two best logits at the first place where the continuations part (None: they are equal)."""

    prompt: str
    reference: tuple[int, ...]
    exported: tuple[int, ...]
    correlation: float
    gap: float | None

    @property
    def equal(self) -> bool:
        return self.reference == self.exported


class _Native:
    """llama.cpp on a model, with a GGUF adapter: next-token logits of a token sequence."""

    def __init__(self, model: Path, adapter: Path, context: int = 2048) -> None:
        import llama_cpp

        self.llama = llama_cpp.Llama(model_path=str(model), n_ctx=context, verbose=False, logits_all=False)
        self.adapter = llama_cpp.llama_adapter_lora_init(self.llama.model, str(adapter).encode())
        if not self.adapter:
            raise ModelError(f"{adapter}: llama.cpp cannot load this adapter")
        handles = (llama_cpp.llama_adapter_lora_p_ctypes * 1)(self.adapter)
        scales = (ctypes.c_float * 1)(1.0)
        if llama_cpp.llama_set_adapters_lora(self.llama.ctx, handles, 1, scales):
            raise ModelError(f"{adapter}: llama.cpp cannot use this adapter with {model.name}")
        self._api = llama_cpp

    def logits(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        self.llama.reset()
        self._api.llama_memory_clear(self._api.llama_get_memory(self.llama.ctx), True)
        self.llama.eval(list(tokens))
        pointer = self._api.llama_get_logits_ith(self.llama.ctx, -1)
        return np.ctypeslib.as_array(pointer, shape=(self.llama.n_vocab(),)).copy()
