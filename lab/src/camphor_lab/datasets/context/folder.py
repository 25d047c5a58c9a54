"""A dataset of implicit queries as a folder: devices, samples of both splits, and the toolbox."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from camphor_lab.datasets.context import figures
from camphor_lab.datasets.context.generate import generate
from camphor_lab.datasets.context.lives import Life
from camphor_lab.datasets.context.phrases import SPLITS, read_bank
from camphor_lab.datasets.context.present import whole
from camphor_lab.datasets.context.samples import write_context_samples
from camphor_lab.datasets.context.simulate import make_life, split_of_persona
from camphor_lab.datasets.context.toolbox import manifests
from camphor_lab.datasets.context.words import Words


def write_dataset(
    out: Path,
    personas: int,
    counts: Mapping[str, int],
    seed: int,
    progress: Callable[[str, int], None] = lambda split, done: None,
) -> dict[str, dict[str, Any]]:
    """Write everything, and tell what each split holds (`figures`), with `wanted`.

    Args:
        out: the folder. personas: how many people, of both splits.
        counts: how many queries of each split. seed: decides everything drawn.
        progress: called with a split and how many of its queries are made.
    """
    (out / "devices").mkdir(parents=True, exist_ok=True)
    _write(out / "toolbox.json", manifests(), indent=1)
    told: dict[str, dict[str, Any]] = {}
    for split, numbers in people(personas).items():
        wanted = counts.get(split, 0)
        if not wanted:
            continue
        devices: dict[str, dict[str, Any]] = {}
        lives = _lives(out, split, numbers, seed, devices)
        made = generate(
            lives, len(numbers), read_bank(split), wanted, seed=seed, progress=partial(_of_split, progress, split)
        )
        write_context_samples(out / f"{split}.jsonl", made.samples)
        told[split] = {**figures.figures(made.samples, devices), "wanted": wanted}
    return told


def _of_split(progress: Callable[[str, int], None], split: str, done: int, _: int) -> None:
    progress(split, done)


def people(personas: int) -> dict[str, list[int]]:
    """The numbers of the people of each split."""
    found: dict[str, list[int]] = {split: [] for split in SPLITS}
    for number in range(personas):
        found[split_of_persona(number)].append(number)
    return found


def _lives(
    out: Path, split: str, numbers: Sequence[int], seed: int, devices: dict[str, dict[str, Any]]
) -> Iterator[Life]:
    """Lives one after the other, each written to its device file when it is needed."""
    words = Words(split)
    for number in numbers:
        life = make_life(number, seed, words)
        path = f"devices/{life.persona.id}.device.json"
        devices[path] = whole(life)
        _write(out / path, devices[path])
        yield life


def _write(path: Path, data: Any, indent: int | None = None) -> None:
    draft = path.with_name(path.name + ".part")
    draft.write_text(json.dumps(data, ensure_ascii=False, indent=indent) + "\n", encoding="utf-8")
    os.replace(draft, path)
