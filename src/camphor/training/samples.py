"""Dataset items become training samples, rendered by the function that renders prompts at run time.

One trajectory is one sample: every agent's words in it are trained at once, and nothing is evaluated twice (the paper's
flattened prompt-completion pairs are about ten times as many tokens for the same function learnt).
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from camphor.agents.prompts import Form, render
from camphor.app import setting_of
from camphor.datasets.humanise import humanise
from camphor.datasets.items import Item, read_items
from camphor.datasets.replay import GoldMismatch, check, replay
from camphor.device.device import Device
from camphor.training.slips import with_slip
from camphor.types import Agent, Prompt, Step, Trajectory

# Values in normal form: a day, an address, a telephone number. A model writes words instead.
_NORMAL = re.compile(r"\d{4}-\d\d-\d\d|\S@\S|\+?\d[\d ()/-]{6,}")


def as_samples(path: Path, folder: Path, form: Form = Form.NAMES, slips: float = 0.0) -> Path:
    """A file of samples: the one given, or one made from a dataset in `folder`, once while the dataset is unchanged.

    `form` is how a dataset's prompts are written, `slips` the share of its items that get one (training.slips).

    Raises:
        DatasetError: the dataset breaks its format. DeviceFileError: one of its devices does.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            first = json.loads(next((line for line in lines if line.strip()), "{}"))
    except (OSError, ValueError):
        return path  # whoever reads the samples says what is wrong
    if not isinstance(first, dict) or "query" not in first:
        return path
    state = path.stat()
    told = f"{path.resolve()} {state.st_size} {state.st_mtime_ns} {form.value}" + (f" {slips}" if slips else "")
    mark = hashlib.sha256(told.encode()).hexdigest()[:12]
    made = folder / f"{path.stem}-{mark}.samples.jsonl"
    if not made.exists():
        partial = made.with_suffix(".part")
        write_samples(path, partial, form, slips)
        partial.replace(made)
    return made


def write_samples(dataset: Path, out: Path, form: Form = Form.NAMES, slips: float = 0.0) -> Counter[str]:
    """Render every item of a dataset that replays to its gold calls.

    Returns:
        Counts of what was "written" and, by reason, of what was left out.
    """
    counts: Counter[str] = Counter()
    devices: dict[str, dict[str, Any]] = {}
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", encoding="utf-8") as stream:
        for item in read_items(dataset):
            try:
                prompt = render_item(item, _device_data(item, dataset.parent, devices), form, slips)
            except GoldMismatch as error:
                counts[f"left out: {str(error).split(': ', 1)[-1][:100]}"] += 1
                continue
            stream.write(json.dumps({"id": item.id, "segments": list(_segments(prompt))}, ensure_ascii=False) + "\n")
            counts["written"] += 1
    return counts


def render_item(item: Item, data: dict[str, Any], form: Form = Form.NAMES, slips: float = 0.0) -> Prompt:
    """The training sample of one item; steps with normalised values, as in hand-written sets, are put in words first.

    Raises:
        GoldMismatch: the item's steps do not lead to its gold calls on its device.
    """
    if _NORMAL.search(json.dumps([item.steps, item.history], ensure_ascii=False)):
        item = humanise(item, data)
    with Device.create(None, data) as device:
        setting = setting_of(device, form)
        trajectory = replay(item, device)
        chance = random.Random(item.id)
        slipped = with_slip(trajectory.turn, device, chance) if chance.random() < slips else None
    check(item, trajectory)
    trajectory = replace(trajectory, turn=slipped or trajectory.turn)
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
    """Each as [text, trained, special, compressed], without what is false at its end."""
    for segment in prompt:
        if segment.text:
            marks = [segment.trained, segment.special, segment.compressed]
            while len(marks) > 1 and not marks[-1]:
                marks.pop()
            yield [segment.text, *marks]
