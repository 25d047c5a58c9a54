"""From a peft adapter to a GGUF adapter for llama.cpp, and the proof that both compute the same.

llama.cpp rotates neighbouring pairs of a head's dimensions where transformers rotates its halves, so the rows of q and
k are interleaved in GGUF files; an adapter's B has those rows too and is interleaved alike. A is unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from camphor.errors import ModelError, UsageError
from camphor.models.native import Engine
from camphor.training.base import WEIGHTS, gguf_path, load_transformer, read_description, with_adapter
from camphor.types import Prompt

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
    """Write a Llama's peft adapter as a GGUF adapter in float16; returns its bytes.

    Args:
        model: a GGUF file, or a folder in transformers' form; empty is the embedded one.
        limit: the most bytes; 0 for any number.

    Raises:
        ModelMissing: no adapter in `folder`, or no such base model. UsageError: the result is above `limit` bytes.
    """
    import gguf
    from safetensors.numpy import load_file

    folder, out = Path(folder), Path(out)
    description = read_description(folder)
    heads, kv_heads = _heads_of_folder(Path(model)) if Path(model).is_dir() and model else _heads(gguf_path(model))
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
    if limit and size > limit:
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


def _heads_of_folder(folder: Path) -> tuple[int, int]:
    described = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    heads = int(described["num_attention_heads"])
    return heads, int(described.get("num_key_value_heads") or heads)


@dataclass(frozen=True)
class Proof:
    """One prompt in both runtimes.

    `tokens` both write greedily; `correlation` of their logits after the prompt; `gap`: where the runtimes part, by how
    much transformers prefers its own token to llama.cpp's (None: they never part).
    """

    tokens: tuple[int, ...]
    correlation: float
    gap: float | None

    @property
    def equal(self) -> bool:
        return self.gap is None


def prove_export(
    folder: str | Path,
    adapter: str | Path,
    prompts: Sequence[Prompt],
    model: str = "",
    tokens: int = 24,
    native: Path | None = None,
) -> list[Proof]:
    """Compare llama.cpp with the GGUF adapter and transformers with the peft adapter, both on the same base file.

    Each writes up to `tokens` tokens greedily. llama.cpp computes with quantised activations, so where two logits are
    nearly equal the choice may differ: `Proof.gap` then is small.

    Args:
        native: the file that llama.cpp loads in place of the base, such as the same weights in float32
            (`float32_copy`), with which activations are not quantised.
    """
    path = gguf_path(model)
    engine = Engine(native or path, Path(adapter), context=1024, threads=1)
    reference = with_adapter(load_transformer(path, torch.float32), Path(folder))
    proofs = []
    for prompt in prompts:
        start = [token for part in prompt for token in engine.tokenise(part.text, part.special)]
        proofs.append(_compare(start, engine, reference, tokens))
    return proofs


def float32_copy(path: Path, out: Path) -> Path:
    """The same weights with every tensor in float32, so that llama.cpp computes without quantising activations."""
    import llama_cpp

    settings = llama_cpp.llama_model_quantize_default_params()
    settings.ftype = 0  # LLAMA_FTYPE_ALL_F32
    settings.allow_requantize = True
    if llama_cpp.llama_model_quantize(str(path).encode(), str(out).encode(), settings):
        raise ModelError(f"{path}: llama.cpp could not write it as float32 to {out}")
    return out


@torch.no_grad()
def _compare(start: list[int], engine: Engine, reference: Any, count: int) -> Proof:
    written: list[int] = []
    gap = correlation = None
    for _ in range(count):
        engine.align(start + written)
        native = engine.advance().copy()
        wanted = reference(input_ids=torch.tensor([start + written])).logits[0, -1].float().numpy()
        if correlation is None:
            correlation = float(np.corrcoef(native, wanted)[0, 1])
        token = int(wanted.argmax())
        if int(native.argmax()) != token:
            gap = float(wanted[token] - wanted[int(native.argmax())])
            break
        written.append(token)
        if engine.ends_turn(token):
            break
    return Proof(tuple(written), correlation or 0.0, gap)
