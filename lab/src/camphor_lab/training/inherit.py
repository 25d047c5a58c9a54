"""What a run starts from: an earlier run's folder, a GGUF adapter, or the adapter that ships with the assistant."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from camphor.errors import ModelError, UsageError
from camphor.models.llama import shipped_adapter
from camphor.models.projector import beside
from camphor_lab.training.base import DESCRIPTION, FOLDER_TOKENS, TOKENS, WEIGHTS
from camphor_lab.training.config import ASSISTANT, TrainConfig
from camphor_lab.training.export import NAMES, heads_of

FOLDER = "init"


def start_folder(config: TrainConfig) -> Path:
    """The folder of an adapter in peft's form that `config.init` names; a GGUF adapter is written as one in the run's
    folder first, with the projector of function tokens that lies beside it.

    Raises:
        UsageError: there is no such adapter. ModelError: the file is no LoRA adapter of a Llama.
    """
    if config.init == ASSISTANT:
        file = shipped_adapter()
        if file is None:
            raise UsageError(f'init = "{ASSISTANT}": this installation has no adapter: leave init out')
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
        value = np.array(tensor.data, dtype=np.float32)
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
