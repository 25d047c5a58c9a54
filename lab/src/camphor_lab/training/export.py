"""From a peft adapter to a GGUF adapter for llama.cpp and back, and the proof that both compute the same.

llama.cpp rotates neighbouring pairs of a head's dimensions where transformers rotates its halves, so the rows of q and
k are interleaved in GGUF files; an adapter's B has those rows too and is interleaved alike. A is unchanged.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from camphor.errors import ModelError, UsageError
from camphor.models.function_tokens import beside
from camphor.models.llama import shipped_adapter
from camphor.models.native import LlamaEngine, hush
from camphor.types import Prompt
from camphor_lab.training.base import (
    DESCRIPTION,
    FOLDER_TOKENS,
    TOKENS,
    WEIGHTS,
    gguf_path,
    load_transformer,
    read_description,
    with_adapter,
)
from camphor_lab.training.config import SHIPPED, TrainConfig

LIMIT_BYTES = 40_000_000  # in 16 bits; what ships is in 8 (shrink.py)
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
    heads, kv_heads = heads_of(model)
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


def heads_of(model: str) -> tuple[int, int]:
    """Heads of a Llama's queries, and of its keys; `model` as for `export_adapter`."""
    return _heads_of_folder(Path(model)) if model and Path(model).is_dir() else _heads(gguf_path(model))


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
    natives: Sequence[Path] = (),
    *,
    model: str = "",
    tokens: int = 24,
) -> list[list[Proof]]:
    """Compare llama.cpp with the GGUF adapter and transformers with the peft adapter, on the same base file.

    Each writes up to `tokens` tokens greedily. llama.cpp computes with quantised activations, so where two logits are
    nearly equal the choice may differ: `Proof.gap` then is small.

    Args:
        natives: what llama.cpp loads, one file after the other, all compared with what transformers wrote once: the
            base, which is all where none is given, or the same weights in float32 (`float32_copy`), with which
            activations are not quantised.

    Returns:
        For each file, the proof of each prompt.
    """
    path = gguf_path(model)
    greedy: list[_Greedy] = []
    proofs = []
    for native in natives or [path]:
        with contextlib.closing(LlamaEngine(native, Path(adapter), context=1024, threads=1)) as engine:
            greedy = greedy or _write(Path(folder), path, engine, prompts, tokens)
            proofs.append([_compare(each, engine) for each in greedy])
    return proofs


def float32_copy(path: Path, out: Path) -> Path:
    """The same weights with every tensor in float32, so that llama.cpp computes without quantising activations."""
    import llama_cpp

    hush()
    settings = llama_cpp.llama_model_quantize_default_params()
    settings.ftype = 0  # LLAMA_FTYPE_ALL_F32
    settings.allow_requantize = True
    if llama_cpp.llama_model_quantize(str(path).encode(), str(out).encode(), settings):
        raise ModelError(f"{path}: llama.cpp could not write it as float32 to {out}")
    return out


@dataclass(frozen=True)
class _Greedy:
    """What transformers wrote after a prompt, and the logits (written, vocabulary) that each token was the highest
    of."""

    prompt: list[int]
    written: list[int]
    logits: list[NDArray[np.float32]]


@torch.inference_mode()
def _write(folder: Path, model: Path, engine: LlamaEngine, prompts: Sequence[Prompt], count: int) -> list[_Greedy]:
    """Have transformers write, with a cache: it reads each prompt once. The engine's vocabulary is both runtimes'."""
    reference = with_adapter(load_transformer(model, torch.float32), folder)
    done = []
    for prompt in prompts:
        start = [token for part in prompt for token in engine.tokenise(part.text, part.special)]
        greedy = _Greedy(start, [], [])
        cache, fresh = None, start
        while len(greedy.written) < count and not (greedy.written and engine.ends_turn(greedy.written[-1])):
            out = reference(input_ids=torch.tensor([fresh]), past_key_values=cache, use_cache=True, logits_to_keep=1)
            greedy.logits.append(out.logits[0, -1].float().numpy())
            fresh, cache = [int(greedy.logits[-1].argmax())], out.past_key_values
            greedy.written.extend(fresh)
        done.append(greedy)
    return done


def _compare(greedy: _Greedy, engine: LlamaEngine) -> Proof:
    """Have llama.cpp follow what was written, up to where it would write something else."""
    correlation = 0.0
    for place, (token, wanted) in enumerate(zip(greedy.written, greedy.logits, strict=True)):
        engine.align(greedy.prompt + greedy.written[:place])
        native = engine.advance()
        if place == 0:
            correlation = float(np.corrcoef(native, wanted)[0, 1])
        chosen = int(native.argmax())
        if chosen != token:
            return Proof(tuple(greedy.written[:place]), correlation, float(wanted[token] - wanted[chosen]))
    return Proof(tuple(greedy.written), correlation, None)


FOLDER = "init"


def start_folder(config: TrainConfig) -> Path:
    """The folder of an adapter in peft's form that `config.init` names; a GGUF adapter is written as one in the run's
    folder first, with the projector of function tokens that lies beside it.

    Raises:
        UsageError: there is no such adapter. ModelError: the file is no LoRA adapter of a Llama.
    """
    if config.init in SHIPPED:
        file = shipped_adapter(SHIPPED[config.init])
        if file is None:
            raise UsageError(f'init = "{config.init}": this installation has no such adapter: leave init out')
    elif config.init.endswith(".gguf"):
        file = Path(config.init)
        if not file.is_file():
            raise UsageError(f"{file}: no adapter to start from: name a file that exists, or leave init out")
    else:
        return Path(config.init)
    folder = Path(config.out) / FOLDER
    import_adapter(file, folder, config)
    if projector := beside(file):
        for name in (TOKENS, FOLDER_TOKENS):
            shutil.copyfile(projector, folder / name)
    return folder


def import_adapter(file: Path, folder: Path, config: TrainConfig) -> None:
    """Write a Llama's GGUF adapter in peft's form, the other way round from `export.export_adapter`.

    The factors are scaled so that with the run's alpha they do what they did with the file's.

    Raises:
        ModelError: the file is no LoRA adapter of a Llama.
    """
    import gguf
    from safetensors.numpy import save_file

    try:
        reader = gguf.GGUFReader(str(file))
        alpha = float(reader.fields["adapter.lora.alpha"].contents())
    except (ValueError, KeyError, OSError) as error:
        raise ModelError(f"{file}: not a LoRA adapter in GGUF form: {error}") from error
    heads = heads_of(config.model)
    own = {theirs: ours for ours, theirs in NAMES.items()}
    tensors: dict[str, NDArray[np.float32]] = {}
    for tensor in reader.tensors:
        _, layer, module, _, factor = tensor.name.split(".")
        if module not in own:
            raise ModelError(f"{file}: {tensor.name} is no part of a Llama's adapter that can be trained on")
        value = np.array(gguf.dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
        if factor == "lora_b":
            value *= alpha / config.alpha
            if module in ("attn_q", "attn_k"):
                value = in_halves(value, heads[module == "attn_k"])
        name = f"base_model.model.model.layers.{layer}.{own[module]}.lora_{factor[-1].upper()}.weight"
        tensors[name] = np.ascontiguousarray(value)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, str(folder / WEIGHTS), metadata={"format": "pt"})
    described = {"peft_type": "LORA", "r": config.rank, "lora_alpha": config.alpha, "from": file.name}
    (folder / DESCRIPTION).write_text(json.dumps(described) + "\n", encoding="utf-8")


def in_halves(rows: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Reorder (heads * D, r) from neighbouring pairs to halves: undoes `export.interleave`."""
    return rows.reshape(heads, -1, 2, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)
