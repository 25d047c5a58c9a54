"""Model files that lie on this computer, in folders that people have. Of each the head is searched for two facts."""

from __future__ import annotations

import json
import mmap
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_LATER_PART = re.compile(r"-0*(?!0*1-of)\d+-of-\d+\.gguf$")
"""Of a file in parts the first is named, and brings the others."""
_MOST_FILES = 500
_HEAD = 32 << 20
"""Bytes: the largest vocabularies, of 260,000 tokens, take 12 MB."""
_UINT32, _STRING = (4).to_bytes(4, "little"), (8).to_bytes(4, "little")
_CONTEXT = b".context_length" + _UINT32
_TEMPLATE = (23).to_bytes(8, "little") + b"tokenizer.chat_template" + _STRING


@dataclass(frozen=True)
class ModelOnDisk:
    """A model's file: `name` as `--model` takes it, its size in bytes, and what the folder is.

    `context`: the tokens that it was trained for. `template`: whether it has a chat template. None: nothing tells.
    """

    name: str
    size: int
    where: str
    context: int | None = None
    template: bool | None = None


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
                yield ModelOnDisk(str(path), path.stat().st_size, where, *_facts(path))


def _facts(path: Path) -> tuple[int | None, bool | None]:
    """The context of a GGUF file and whether it has a chat template, by how they are written in its head: a list of
    names, each with its length before it and its type behind, among them a whole vocabulary that need not be read."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                return None, None
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as head:
                template = head.find(_TEMPLATE, 0, _HEAD) >= 0
                place = head.find(_CONTEXT, 0, _HEAD)
                start = place + len(_CONTEXT)
                return (int.from_bytes(head[start : start + 4], "little") if place >= 0 else None), template
    except (OSError, ValueError):
        return None, None


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
