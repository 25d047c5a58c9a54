"""Model files that lie on this computer, in folders that people have. Nothing is opened but Ollama's small lists."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_LATER_PART = re.compile(r"-0*(?!0*1-of)\d+-of-\d+\.gguf$")
"""Of a file in parts the first is named, and brings the others."""
_MOST_FILES = 500


@dataclass(frozen=True)
class ModelOnDisk:
    """A model's file: `name` as `--model` takes it, its size in bytes, and what the folder is."""

    name: str
    size: int
    where: str


def models_on_disk(data: Path) -> list[ModelOnDisk]:
    """GGUF files in the current folder, in camphor's own, and in LM Studio's; the models that Ollama has fetched.

    Args:
        data: camphor's data folder, in whose `models` they are.
    """
    folders = (
        (Path(), "this folder", "*.gguf"),
        (data / "models", "camphor's folder", "**/*.gguf"),
        (Path.home() / ".lmstudio" / "models", "LM Studio's folder", "*/*/*.gguf"),
        (Path.home() / ".cache" / "lm-studio" / "models", "LM Studio's folder", "*/*/*.gguf"),
    )
    found = [each for folder, where, pattern in folders for each in _in_folder(folder, where, pattern)]
    return [*found, *_of_ollama()]


def _in_folder(folder: Path, where: str, pattern: str) -> Iterator[ModelOnDisk]:
    with suppress(OSError):  # a folder that may not be read has none
        for path in sorted(folder.glob(pattern))[:_MOST_FILES]:
            # a projector of pictures is no model by itself
            if path.is_file() and not _LATER_PART.search(path.name) and not path.name.startswith("mmproj"):
                yield ModelOnDisk(str(path), path.stat().st_size, where)


def _of_ollama() -> Iterator[ModelOnDisk]:
    """Its models by the name that it serves them under."""
    folder = Path(os.environ.get("OLLAMA_MODELS") or Path.home() / ".ollama" / "models")
    with suppress(OSError):
        for path in sorted((folder / "manifests" / "registry.ollama.ai").glob("*/*/*"))[:_MOST_FILES]:
            owner, model, tag = path.parts[-3:]
            with suppress(OSError, ValueError, KeyError, TypeError):
                size = sum(int(layer["size"]) for layer in json.loads(path.read_text(encoding="utf-8"))["layers"])
                full = model if owner == "library" else f"{owner}/{model}"
                yield ModelOnDisk(f"ollama:{full}:{tag}", size, "Ollama's folder")
