"""Dataset items become training samples, rendered by the function that renders prompts at run time.

One trajectory is one sample: every agent's words in it are trained at once, and nothing is evaluated twice (the paper's
flattened prompt-completion pairs are about ten times as many tokens for the same function learnt).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from camphor.agents.prompts import render
from camphor.app import setting_of
from camphor.datasets.humanise import humanise
from camphor.datasets.items import Item, read_items
from camphor.datasets.replay import GoldMismatch, check, replay
from camphor.device.device import Device
from camphor.types import Agent, Prompt, Step, Trajectory


def write_samples(dataset: Path, out: Path, *, in_words: bool = True) -> Counter[str]:
    """Render every item of a dataset that replays to its gold calls.

    Args:
        in_words: the steps hold what a model writes ("tomorrow at 5"); False for hand-written sets, whose steps hold
            normalised values: they are put in words first (`datasets.humanise`).

    Returns:
        Counts of what was "written" and, by reason, of what was left out.
    """
    counts: Counter[str] = Counter()
    devices: dict[str, dict[str, Any]] = {}
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", encoding="utf-8") as stream:
        for item in read_items(dataset):
            try:
                prompt = render_item(item, _device_data(item, dataset.parent, devices), in_words=in_words)
            except GoldMismatch as error:
                counts[f"left out: {str(error).split(': ', 1)[-1][:100]}"] += 1
                continue
            stream.write(json.dumps({"id": item.id, "segments": list(_segments(prompt))}, ensure_ascii=False) + "\n")
            counts["written"] += 1
    return counts


def render_item(item: Item, data: dict[str, Any], *, in_words: bool = True) -> Prompt:
    """The training sample of one item.

    Raises:
        GoldMismatch: the item's steps do not lead to its gold calls on its device.
    """
    if not in_words:
        item = humanise(item, data)
    with Device.create(None, data) as device:
        setting = setting_of(device)
        trajectory = replay(item, device)
    check(item, trajectory)
    return render(_finished(trajectory), setting)


def _finished(trajectory: Trajectory) -> Trajectory:
    """Every turn ends with task completion, also where the annotators left the empty step out."""

    def finish(turn: Any) -> Any:
        if turn.steps and turn.steps[-1].agent is Agent.TASK:
            return turn
        return replace(turn, steps=(*turn.steps, Step(Agent.TASK)))

    return Trajectory(finish(trajectory.turn), tuple(finish(turn) for turn in trajectory.history))


def _device_data(item: Item, folder: Path, known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if not isinstance(item.device, str):
        return dict(item.device)
    if item.device not in known:
        known[item.device] = json.loads((folder / item.device).read_text(encoding="utf-8"))
    return known[item.device]


def _segments(prompt: Prompt) -> Iterator[list[Any]]:
    for segment in prompt:
        if segment.text:
            yield [segment.text, segment.trained, True] if segment.special else [segment.text, segment.trained]
