"""Both hand-written development sets: items lead to their gold calls and share nothing with what is trained on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.device.device import Device
from camphor.device.format import read
from camphor.trajectories.items import check, read_items, replay

DATA = Path(__file__).parents[2] / "data"
SETS = ("handwritten-development", "handwritten-development-2")


def queries(path: Path) -> dict[str, str]:
    """The queries of a file by their letters alone, and the ids of their items."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {"".join(filter(str.isalnum, line["query"].lower())): line["id"] for line in lines}


@pytest.mark.parametrize("name", SETS)
def test_every_item_leads_to_its_gold_calls(name: str) -> None:
    folder = DATA / name
    phones = {path.name: read(path) for path in (folder / "devices").iterdir()}
    items = list(read_items(folder / "items.jsonl"))
    for item in items:
        with Device.create(None, phones[Path(str(item.device)).name]) as device:
            check(item, replay(item, device))
    assert len(items) >= 124


def test_no_query_is_shared_with_training_or_the_other_sets() -> None:
    files = [*(DATA / "handwritten").glob("*/items.jsonl"), *(DATA / "generated-test").glob("*.jsonl")]
    assert len(files) >= 28
    held = [queries(DATA / name / "items.jsonl") for name in SETS]
    assert not held[0].keys() & held[1].keys()
    for path in files:
        seen = queries(path)
        for each in held:
            assert not {each[words] for words in each.keys() & seen.keys() if len(words) > 20}, path
