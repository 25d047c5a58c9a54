"""Implicit queries with what is to be done, as items that a model learns from: what matters stands found before it.

A line of `plans.jsonl`, beside the samples that it is about:

    {"id", "look_ups": [calls], "calls": [calls], "again": [[calls] or null, ...]}

`calls` are the actions of the sample's first wording, `again` those of its others: null where they are the same, none
where that wording does not say enough. `look_ups` are what must be found beside the sample's main item. That one was
found by the phone's use and not by the model, as in the assistant (`agents.policies.context_recall`): its look-up
stands first, and is not taught.

The phone's use finds wrong things too. So of one sample in `MISTAKEN_EVERY` another item stands found, and nothing is
done: a model that only saw right ones acts on whatever is in sight.
"""

from __future__ import annotations

import random
import tomllib
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from camphor.agents.relevant import finding, look_ups
from camphor.device import format as device_format
from camphor.device.device import Device
from camphor.device.text import text_of
from camphor.device.usage import ItemRef
from camphor.errors import DatasetError
from camphor.retrieval.context.items import items_of
from camphor.retrieval.context.relevance import Relevant
from camphor.trajectories.items import GoldMismatch, Item, replay
from camphor.types import Agent, Call
from camphor_lab.datasets.context.samples import ContextSample, read_context_samples, seen_at
from camphor_lab.datasets.files import read_lines, write_json

MISTAKEN_EVERY = 2
PLANS = "plans.jsonl"
SAMPLES = "train.jsonl"
TAG = "implicit"


def planned_items(folder: Path, out: Path, refused: list[str]) -> Iterator[Item]:
    """An item for each wording of each planned sample; its phone as it was at that moment goes to `OUT/devices`.

    Args:
        folder: of the samples and their plans. refused: is told of what does not replay, and why.

    Raises:
        DatasetError: a file cannot be read, a line breaks its format, or is about a sample that is not there.
    """
    samples = {sample.id: sample for sample in read_context_samples(folder / SAMPLES)}
    phones: dict[str, dict[str, Any]] = {}
    (out / "devices").mkdir(parents=True, exist_ok=True)
    for number, line in read_lines(folder / PLANS):
        if not isinstance(line, Mapping) or (sample := samples.get(str(line.get("id")))) is None:
            raise DatasetError(str(folder / PLANS), number, "expected the id of a sample beside it")
        if problem := _problem(line, sample):
            raise DatasetError(str(folder / PLANS), number, problem)
        if sample.device not in phones:
            phones = {sample.device: device_format.read(folder / sample.device)}
        document = {**seen_at(phones[sample.device], sample), "id": sample.id}
        document.pop("usage", None)  # what was used stands in no prompt
        name = f"devices/{sample.id}.device.json"
        items = list(_wordings(sample, line, document, name))
        if not items:
            refused.append(f"{sample.id}: no look-up finds its main item")
            continue
        if zlib.crc32(sample.id.encode()) % MISTAKEN_EVERY == 0:
            items += _mistaken(sample, line, document, name)
        write_json(out / name, document)
        for item in items:
            try:
                calls = _gold(item, document)
            except GoldMismatch as error:
                refused.append(str(error))
                continue
            yield Item(item.id, name, item.query, (), item.steps, calls, item.response, (TAG,))


def _problem(line: Mapping[str, Any], sample: ContextSample) -> str:
    """What breaks the form of a line; "" where nothing does."""
    plans = [line.get("calls"), line.get("look_ups"), *(plan for plan in line.get("again") or () if plan is not None)]
    whole = all(
        isinstance(plan, list) and all(isinstance(call, Mapping) and isinstance(call.get("name"), str) for call in plan)
        for plan in plans
    )
    if not whole or not line["calls"]:
        return "expected calls, look_ups and again as lists of {name, arguments}"
    if len(line.get("again") or ()) != len(sample.again):
        return f"expected {len(sample.again)} entries in again, one for each other wording"
    return ""


def _wordings(sample: ContextSample, line: Mapping[str, Any], document: Mapping[str, Any], name: str) -> Iterator[Item]:
    """Each wording with its steps."""
    with Device.create(None, document) as device:
        main = _found_by_use(device, sample.context[0])
        whose = {tool.name: tool.agent for tool in device.toolbox}
    if main is None:
        return
    first = {"agent": Agent.CONTEXT.value, "calls": [main.to_json()], "taught": False}
    beside = [
        {"agent": agent.value, "calls": list(calls)}
        for agent, calls in groupby(
            (call for call in line["look_ups"] if call != main.to_json()),
            lambda call: whose.get(call["name"], Agent.CONTEXT),
        )
    ]
    plans = [line["calls"], *(line["calls"] if plan is None else plan for plan in line["again"])]
    for number, (query, calls) in enumerate(zip((sample.query, *sample.again), plans, strict=True)):
        last = {"agent": Agent.TASK.value, "calls": calls}
        if calls:
            yield Item(f"{sample.id}-w{number}", name, query, (), (first, *beside, last))


def _mistaken(sample: ContextSample, line: Mapping[str, Any], document: Mapping[str, Any], name: str) -> Iterator[Item]:
    """One of the wordings, with an item found that it does not mean: half the time of the same list."""
    chance = random.Random(f"mistaken {sample.id}")
    main = sample.context[0]
    with Device.create(None, document) as device:
        looked_up = [device.execute(Call(call["name"], call.get("arguments") or {})) for call in line["look_ups"]]
        needed = {text_of(record) for found in looked_up for record in found.records}
        refs = [
            item.ref
            for item in items_of(device.item_lists(), device.zone)
            if item.ref not in sample.context and text_of(device.record(item.ref) or {}) not in needed
        ]
        same = [ref for ref in refs if ref[:2] == main[:2]]
        other = [ref for ref in refs if ref[:2] != main[:2]]
        refs = same if same and chance.random() < 0.5 else other or same
        drawn = chance.sample(refs, min(8, len(refs)))
        found = next((call for ref in drawn if (call := _found_by_use(device, ref))), None)
    if found is not None:
        number = chance.randrange(1 + len(sample.again))
        first = {"agent": Agent.CONTEXT.value, "calls": [found.to_json()], "taught": False}
        last = {"agent": Agent.TASK.value, "calls": []}
        query = (sample.query, *sample.again)[number]
        yield Item(f"{sample.id}-x{number}", name, query, (), (first, last), (), chance.choice(_unsure()))


def _found_by_use(device: Device, ref: ItemRef) -> Call | None:
    """The look-up by which the assistant finds an item."""
    record = device.record(ref)
    if record is None:
        return None
    items = items_of(device.item_lists(), device.zone)
    title = next((item.title for item in items if item.ref == ref), "")
    meant = Relevant(ref, record, title, sure=1.0)
    tries = look_ups(meant, device.toolbox.of(Agent.CONTEXT))
    return finding(meant, tries, [device.execute(call) for call in tries])


def _gold(item: Item, document: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The gold calls as the device normalises them.

    Raises:
        GoldMismatch: a call fails, or a look-up finds nothing.
    """
    with Device.create(None, document) as device:
        turn = replay(item, device).turn
    for step in turn.steps:
        for found in step.observations:
            if found.error is not None or (step.agent is not Agent.TASK and not found.records):
                raise GoldMismatch(f"{item.id}: {found.call.name}: {found.error or 'finds nothing'}")
    return tuple(found.call.to_json() for found in turn.steps[-1].observations)


@cache
def _unsure() -> tuple[str, ...]:
    return tuple(tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["unsure"])
