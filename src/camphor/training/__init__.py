"""How the model learns: samples, a LoRA adapter trained on completions, and its export for llama.cpp.

`run(config)` is the whole; the parts are imported from their modules: `config`, `data`, `lora`, `export`. Training
needs the extra `train`, which is loaded when first used.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from camphor.errors import MissingExtra

if TYPE_CHECKING:
    from camphor.training.lora import Progress

__all__ = ["run"]


def run(config_path: str | Path, resume: bool = True, progress: Callable[[Progress], None] | None = None) -> Path:
    """Train as a TOML file says (see `config`), or go on with what was begun, and export; returns the adapter's folder.

    Raises:
        UsageError: settings or data are wrong. MissingExtra: torch, transformers or peft is not installed.
        ModelError: the base model is missing or not a Llama.
    """
    from camphor.training.config import load_config

    config = load_config(config_path)
    try:
        from camphor.training.export import export_adapter
        from camphor.training.lora import train
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "torch", "train") from error
    folder = train(config, progress, resume=resume)
    export_adapter(folder, folder / "adapter.gguf")
    return folder
