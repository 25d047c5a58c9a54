"""Training examples from a dataset of implicit queries: each query with its gold items and the others of its device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from camphor.device.format import record_lists
from camphor.device.usage_events import ItemRef
from camphor.retrieval.context.items import Item, items_of
from camphor_lab.context.embedded import text_of
from camphor_lab.datasets.context.samples import ContextSample, device_of, read_context_samples
from camphor_lab.training.contrastive import Example

TRAIN = "train.jsonl"


def samples_with_items(folder: Path) -> Iterator[tuple[ContextSample, dict[ItemRef, Item]]]:
    """The samples of the training split, each with all items that its device then held.

    Raises:
        DatasetError, DeviceFileError: the split or a device breaks its format.
    """
    for sample in read_context_samples(folder / TRAIN):
        yield sample, {item.ref: item for item in items_of(_lists(device_of(sample, folder)))}


def examples_of(folder: Path) -> list[Example]:
    """What encoders are trained on; texts that a gold item and another item share count as gold."""
    found = []
    for sample, items in samples_with_items(folder):
        gold = {text_of(items[ref]) for ref in sample.context if ref in items}
        others = dict.fromkeys(text for item in items.values() if (text := text_of(item)) not in gold)
        if gold:
            found.append(Example(sample.query, tuple(sorted(gold)), tuple(others)))
    return found


def _lists(document: dict[str, Any]) -> Iterator[tuple[str, str, list[tuple[int, dict[str, Any]]]]]:
    for app, name, pointer in record_lists(document):
        records: Any = document
        for key in pointer:
            records = records[key]
        yield app, name, list(enumerate(records))
