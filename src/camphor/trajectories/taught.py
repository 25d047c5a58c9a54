"""What a person put right in a conversation becomes dataset items: a query, its phone, and the plan as it should be.

The items of a phone are one JSONL file beside its store, in the form of every data set (contract, section 3), each with
the phone as it was before the query. So the file holds what the phone holds: it is for its owner alone, goes when the
phone goes, and what is taken out of it is written over.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from camphor.device.database import erase, replacing
from camphor.device.device import Device
from camphor.device.journal import EntryState
from camphor.errors import CannotUndo, DatasetError, StoreError, UsageError
from camphor.tools.tool import Toolbox
from camphor.trajectories.items import GoldMismatch, Item, check, read_item, replay
from camphor.types import Agent, Call, Turn

SUFFIX = ".taught"
TAG = "taught"
MOST_TURNS = 4
"""Earlier turns that go with a query; more do not fit beside each other into a small model's context."""
_LOCK = threading.Lock()


@dataclass(frozen=True)
class AskedQuery:
    """A query of a conversation and the turns before it, oldest first.

    Args:
        key: what tells it from every other query of the phone.
        at: when it was asked, machine's time, ISO 8601 with offset. history: turns, each with when it was asked.
    """

    key: str
    query: str
    at: str
    history: tuple[tuple[str, Turn], ...] = ()

    @property
    def id(self) -> str:
        """Of the item that is made of it."""
        return f"{TAG}-{hashlib.sha256(self.key.encode()).hexdigest()[:12]}"


def steps_of(calls: Sequence[tuple[Call, int | None]], toolbox: Toolbox) -> list[dict[str, Any]]:
    """The steps that calls make: look-ups in their order, those of one agent and step together, and the actions last.

    Args:
        calls: each with the number of the step that it was in; None joins the call before it, of the same agent.

    Raises:
        UnknownTool: the phone has no such tool. UsageError: a value is not one but several (`any_of`).
    """
    steps: list[dict[str, Any]] = []
    acts: list[dict[str, Any]] = []
    last: int | None = None
    for call, step in calls:
        agent = toolbox.get(call.name).agent
        if any(isinstance(value, dict) and "any_of" in value for value in call.arguments.values()):
            raise UsageError(f"{call.name}: say one value for each field; several (any_of) are for hand-written gold")
        if agent is Agent.TASK:
            acts.append(call.to_json())
            continue
        joins = bool(steps) and steps[-1]["agent"] == agent.value and (step is None or step == last)
        if not joins:
            steps.append({"agent": agent.value, "calls": []})
        steps[-1]["calls"].append(call.to_json())
        last = step if step is not None else last if joins else None
    return [*steps, {"agent": Agent.TASK.value, "calls": acts}]


def item_of(device: Device, asked: AskedQuery, steps: Sequence[Mapping[str, Any]], response: str) -> Item:
    """The item of a query whose plan is known, tried out on a copy of its phone as that was before.

    The turns before it go with it where they can be played again there; where they cannot, it stands alone.

    Raises:
        UsageError: a call cannot be carried out, with the phone's own words; nothing would be done or said.
    """
    acting = any(step["agent"] == Agent.TASK.value and step["calls"] for step in steps)
    if not acting and not response.strip():
        raise UsageError("The plan does nothing: say what the answer should be")
    item = Item(asked.id, {}, asked.query, (), tuple(steps), None, "" if acting else " ".join(response.split()), (TAG,))
    turns = [(at, _past(turn)) for at, turn in asked.history[-MOST_TURNS:]]
    tries = [turns, []] if turns and not _reaches_out(turns, device.toolbox) else [[]]
    problem = ""
    for history in tries:
        try:
            return _tried(device, replace(item, history=tuple(turn for _, turn in history)), [*history, (asked.at, {})])
        except GoldMismatch as error:
            problem = str(error).split(": ", 1)[-1]
    raise UsageError(f"This plan cannot be carried out on the phone as it was: {problem}")


def _tried(device: Device, item: Item, turns: Sequence[tuple[str, Mapping[str, Any]]]) -> Item:
    with before(device, turns[0][0]) as phone:
        item = replace(item, device=phone.export())
        trajectory = replay(item, phone)
        check(item, trajectory)
    seen = [each for step in trajectory.turn.steps if step.agent is Agent.TASK for each in step.observations]
    return replace(item, calls=tuple(each.call.to_json() for each in seen))


def before(device: Device, at: str) -> Device:
    """A copy of the phone, in memory, from which what was done since is taken back, as far as that can be."""
    phone, since = device.copy(), datetime.fromisoformat(at).replace(microsecond=0)  # the journal tells seconds
    for entry in reversed(phone.journal()):
        if datetime.fromisoformat(entry.begun) < since:
            break
        if entry.state is EntryState.DONE and entry.reversible and not entry.undone:
            with suppress(CannotUndo):
                phone.undo(entry.id)
    return phone


def _reaches_out(turns: Sequence[tuple[str, Mapping[str, Any]]], toolbox: Toolbox) -> bool:
    """Whether to play these turns again would run a person's own function, which nobody may do twice."""
    done = [call["name"] for _, turn in turns for call in turn["calls"]]
    return any(name in toolbox and toolbox.get(name).function is not None for name in done)


def _past(turn: Turn) -> dict[str, Any]:
    """An earlier turn as items hold it: without the actions that were declined or failed."""
    steps: list[dict[str, Any]] = []
    done: list[dict[str, Any]] = []
    for step in turn.steps:
        pairs = list(zip(step.calls, step.observations, strict=False))
        if step.agent is Agent.TASK:
            pairs = [(call, seen) for call, seen in pairs if seen.records and seen.error is None]
            done += [seen.call.to_json() for _, seen in pairs]
        steps.append({"agent": step.agent.value, "calls": [call.to_json() for call, _ in pairs]})
    return {"query": turn.query, "steps": steps, "calls": done, "response": turn.response}


class Taught:
    """The items that were taught on one phone.

    Raises:
        StoreError: the file cannot be read or written, by any method.
    """

    def __init__(self, store: Path | None) -> None:
        if store is None:
            raise StoreError("A phone that is only in memory keeps nothing: import it first")
        self.path = store.with_name(store.name + SUFFIX)

    def items(self) -> dict[str, Item]:
        """All, by id, oldest first. What a crash cut off was never confirmed and is left out."""
        found: dict[str, Item] = {}
        for number, line in enumerate(self._lines(), 1):
            with suppress(DatasetError):
                item = read_item(line, self.path.name, number)
                found[item.id] = item
        return found

    def put(self, item: Item) -> None:
        """Keep an item, in place of one of its id; it is on the disk then."""
        with _LOCK:
            kept = self.items()
            kept.pop(item.id, None)
            self._write([*kept.values(), item])

    def remove(self, item_id: str) -> bool:
        """Forget one; False where there is none of that id."""
        with _LOCK:
            kept = self.items()
            if kept.pop(item_id, None) is None:
                return False
            if kept:
                self._write(kept.values())
            else:
                forget_taught(self.path.with_name(self.path.name.removesuffix(SUFFIX)))
            return True

    def export(self) -> str:
        """The file: one item a line, each with its phone in it."""
        return "".join(_line(item) for item in self.items().values())

    def _lines(self) -> list[str]:
        try:
            return [line for line in self.path.read_text(encoding="utf-8").split("\n") if line]
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{self.path}: what was taught cannot be read ({error})") from error

    def _write(self, items: Iterable[Item]) -> None:
        part = self.path.with_name(self.path.name + ".part")
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
                out.writelines(map(_line, items))
                out.flush()
                os.fsync(out.fileno())
            with replacing(self.path):
                part.replace(self.path)
        except OSError as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise StoreError(f"{self.path}: what was taught cannot be written ({error.strerror})") from error


def forget_taught(store: Path) -> None:
    """Erase what was taught on a phone. Raises StoreError: it cannot be deleted."""
    path = store.with_name(store.name + SUFFIX)
    try:
        erase(path)
    except OSError as error:
        raise StoreError(f"{path}: it cannot be deleted ({error.strerror}): delete it and try again") from error


def _line(item: Item) -> str:
    return json.dumps(item.to_json()) + "\n"  # in ASCII: a record may hold half a character
