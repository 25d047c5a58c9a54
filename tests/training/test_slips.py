"""Slips are shown in training as the running assistant mends them, and are not learnt."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from camphor.device.device import Device
from camphor.trajectories.items import Item, read_items, replay
from camphor.types import Agent
from camphor_lab.training.samples import render_item, with_slip

SET = Path(__file__).parents[2] / "data/handwritten/t12"


def data_of(item: Item) -> dict[str, Any]:
    assert isinstance(item.device, str)
    found: dict[str, Any] = json.loads((SET / item.device).read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return list(read_items(SET / "items.jsonl"))[:25]


def test_a_slip_finds_nothing_and_what_mends_it_finds_what_was_looked_up(items: list[Item]) -> None:
    slipped = 0
    for item in items:
        with Device.create(None, data_of(item)) as device:
            turn = replay(item, device).turn
            made = with_slip(turn, device, random.Random(1))
        if made is None:
            continue
        slipped += 1
        number = next(n for n, step in enumerate(made.steps) if not step.taught)
        slip, mended = made.steps[number : number + 2]
        assert not slip.taught
        assert not mended.taught
        assert any(not found.records for found in slip.observations)
        right = {o.call.name for o in turn.steps[number].observations} - {o.call.name for o in slip.observations}
        assert right <= {found.call.name for found in mended.observations if found.records}
        assert made.steps[-1] == turn.steps[-1]
    assert slipped >= 5


def test_nothing_of_the_slip_is_learnt_and_all_else_is(items: list[Item]) -> None:
    changed = 0
    for item in items:
        usual, slipped = (render_item(item, data_of(item), slips=share) for share in (0.0, 1.0))
        if usual == slipped:
            continue
        changed += 1
        learnt = [[s.text for s in prompt if s.trained] for prompt in (usual, slipped)]
        assert all(text in learnt[0] for text in learnt[1])
        assert len(learnt[1]) < len(learnt[0])
        assert sum(s.text == Agent.CONTEXT.value for s in slipped) > sum(s.text == Agent.CONTEXT.value for s in usual)
    assert changed >= 5
