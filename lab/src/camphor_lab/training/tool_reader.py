"""Fit the reader that finds tools for implicit queries (`context.tools.ToolReader`), in seconds.

Ridge regression (Hoerl and Kennard 1970) from queries and the apps of their items to the tools that fit. Each query is
seen twice: with its gold items, and with these among other items of the device in some order, as rankers find them.

python -m camphor_lab.training.tool_reader FOLDER OUT.npz
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.device import format as device_format
from camphor.device.usage_events import ItemRef
from camphor.errors import DatasetError, UsageError
from camphor.retrieval.context.items import DeviceItem
from camphor.retrieval.static import StaticEncoder
from camphor.tools.tool import Tool
from camphor_lab.context.tools import MOST_ITEMS, ToolReader, app_votes, columns
from camphor_lab.datasets.context.present import records_of
from camphor_lab.datasets.context.samples import ContextSample, read_context_samples
from camphor_lab.datasets.context.toolbox import STORES, read_toolbox
from camphor_lab.training.ranker_data import TRAIN, phrases_of

Floats = npt.NDArray[np.float32]

TOOLBOX = "toolbox.json"
FOLDS = 5
KS = (3, 5, 10)


@dataclass(frozen=True)
class ToolReaderConfig:
    """How a reader is fitted.

    Args:
        ridge: weight of the squared coefficients. other: what a tool counts that fits but is not the plan's, which
            counts 1. moved: the share of noisy examples whose first gold item is not the first. seed: of the noise.
    """

    ridge: float = 3.0
    other: float = 0.6
    moved: float = 0.2
    seed: int = 0


def fit_reader(folder: Path, config: ToolReaderConfig | None = None) -> ToolReader:
    """A reader of the training split of a dataset; `about` has recall at K on people and wordings held out.

    Raises:
        DatasetError: the dataset breaks its format. UsageError: it has no samples.
    """
    config = config or ToolReaderConfig()
    samples = list(read_context_samples(folder / TRAIN))
    if not samples:
        raise UsageError(f"{folder / TRAIN} holds no queries to learn from")
    tools = tuple(read_toolbox(folder / TOOLBOX))
    examples = _Examples(samples, tools, folder, config)
    learnt, scored = _held_out(samples)
    held = {"samples": len(scored), **_recall(examples, _fit(examples, learnt, config), scored)} if scored else {}
    hashed = hashlib.sha256((folder / TRAIN).read_bytes()).hexdigest()
    about: dict[str, Any] = {"settings": asdict(config), "samples": len(samples), "data_sha256": hashed}
    alone, together = _fit(examples, range(len(samples)), config)
    names = tuple(tool.name for tool in tools)
    return ToolReader(names, examples.apps, alone, together, examples.encoder.identity, {**about, "held_out": held})


class _Examples:
    """Queries as rows: their vectors, their items as found (gold, noisy), and what counts as right."""

    def __init__(
        self, samples: Sequence[ContextSample], tools: Sequence[Tool], folder: Path, config: ToolReaderConfig
    ) -> None:
        self.samples, self.tools = samples, tools
        self.encoder = StaticEncoder()
        self.vectors = self.encoder.encode([sample.query for sample in samples])
        self.apps = tuple(dict.fromkeys(tool.app for tool in tools))
        self.items = {"gold": list(map(_gold, samples)), "noisy": list(_noisy(samples, folder, config))}
        self.right = np.zeros((len(samples), len(tools)), np.float64)
        places = {tool.name: place for place, tool in enumerate(tools)}
        for row, sample in enumerate(samples):
            for rank, name in enumerate(sample.tools):
                if name not in places:
                    raise DatasetError(str(folder / TRAIN), row + 1, f"there is no tool {name[:80]!r}")
                self.right[row, places[name]] = config.other if rank else 1.0

    def row(self, place: int, items: str = "") -> Floats:
        """What the map reads of a query: alone, or with its gold or noisy items."""
        votes = app_votes(self.items[items][place], self.apps) if items else None
        return columns(self.vectors[place], votes)


def _gold(sample: ContextSample) -> list[DeviceItem]:
    return [DeviceItem(ref, "") for ref in sample.context]


def _noisy(samples: Sequence[ContextSample], folder: Path, config: ToolReaderConfig) -> Iterator[list[DeviceItem]]:
    """The gold items of each query among others of its device, as many as a planner is given."""
    sizes: dict[str, list[ItemRef]] = {}
    for sample in samples:
        if sample.device not in sizes:
            document = device_format.read(folder / sample.device)
            sizes[sample.device] = [
                ItemRef(app, name, at) for app, name in STORES.items() for at in range(len(records_of(document, app)))
            ]
        chance = random.Random(f"{config.seed} {sample.id}")
        others = [ref for ref in sizes[sample.device] if ref not in sample.context]
        refs = [*sample.context, *chance.sample(others, min(MOST_ITEMS, len(others)))]
        if chance.random() < config.moved:
            refs.insert(chance.randrange(MOST_ITEMS), refs.pop(0))
        yield [DeviceItem(ref, "") for ref in refs[:MOST_ITEMS]]


def _fit(examples: _Examples, places: Sequence[int], config: ToolReaderConfig) -> tuple[Floats, Floats]:
    """The maps without and with items."""
    alone = np.stack([examples.row(place) for place in places])
    both = [examples.row(place, items) for items in examples.items for place in places]
    right = examples.right[list(places)]
    return _ridge(alone, right, config.ridge), _ridge(np.stack(both), np.tile(right, (2, 1)), config.ridge)


def _ridge(rows: Floats, right: npt.NDArray[np.float64], weight: float) -> Floats:
    x = rows.astype(np.float64)
    return np.asarray(np.linalg.solve(x.T @ x + weight * np.eye(x.shape[1]), x.T @ right), np.float32)


def _held_out(samples: Sequence[ContextSample]) -> tuple[list[int], list[int]]:
    """Places to learn from and to score: no person and no wording is on both sides."""
    people = {name: place for place, name in enumerate(sorted({sample.persona for sample in samples}))}
    learnt: list[int] = []
    scored: list[int] = []
    for place, (sample, phrase) in enumerate(zip(samples, phrases_of(samples), strict=True)):
        sides = {people[sample.persona] % FOLDS == 0, phrase % FOLDS == 0}
        if len(sides) == 1:
            (scored if sides == {True} else learnt).append(place)
    return (learnt, scored) if learnt else ([], [])


def _recall(examples: _Examples, maps: tuple[Floats, Floats], places: Sequence[int]) -> Mapping[str, Any]:
    """Recall at K of the tools that fit: of the query alone, with gold items, with noisy ones."""
    found: dict[str, dict[str, float]] = {}
    for name, items in (("alone", ""), *((each, each) for each in examples.items)):
        shares = []
        for place in places:
            scores = examples.row(place, items) @ maps[bool(items)]
            gold = np.flatnonzero(examples.right[place])
            ranks = [1 + int(np.sum(scores > scores[tool])) for tool in gold]
            shares.append([np.mean([rank <= k for rank in ranks]) for k in KS])
        found[name] = {str(k): round(float(v), 4) for k, v in zip(KS, np.mean(shares, axis=0), strict=True)}
    return found


def main(words: Sequence[str] | None = None) -> None:
    """Fit a reader and write it."""
    parser = argparse.ArgumentParser(prog="python -m camphor_lab.training.tool_reader", description=__doc__)
    parser.add_argument("folder", type=Path, help="made by  camphor lab data context")
    parser.add_argument("out", type=Path, help="the file to write (.npz)")
    told = parser.parse_args(words)
    reader = fit_reader(told.folder)
    reader.save(told.out)
    print(json.dumps(reader.about["held_out"]))


if __name__ == "__main__":
    main()
