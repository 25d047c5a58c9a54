"""The assistant's own look-ups, and behind them what they miss: what a model meets when it runs (DAgger: Ross, Gordon
and Bagnell 2011, section 3).

People who write a dataset look up the right things at once. A model that has learnt from them alone acts on whatever it
found itself, and never looks a second time. So a dataset's queries are first answered by the assistant; its look-ups
are shown and not learnt, and what is learnt is to look up what they missed, or to act in spite of what they found
too much.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from camphor.agents.bounds import Limits
from camphor.agents.orchestrator import call_key
from camphor.device.device import Device
from camphor.device.text import text_of
from camphor.errors import DatasetError
from camphor.types import Agent, Call, Observation, Step, Turn

Attempt = Sequence[tuple[Agent, tuple[Call, ...]]]
"""The steps of a query before its actions: who looked up what."""


def read_attempts(path: Path) -> dict[str, Attempt]:
    """The look-ups of each query in a result file of `camphor evaluate`, by the query's id.

    Raises:
        DatasetError: the file cannot be read, or is no result of an evaluation.
    """
    try:
        items = json.loads(path.read_text(encoding="utf-8"))["items"]
        return {str(item["id"]): tuple(_look_ups(item["steps"])) for item in items}
    except OSError as error:
        raise DatasetError(str(path), None, f"cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        expected = "expected the results that camphor evaluate wrote with --out"
        raise DatasetError(str(path), None, f"{expected}: {error!r}") from None


def _look_ups(steps: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Agent, tuple[Call, ...]]]:
    for step in steps:
        agent = Agent(step["agent"])
        if agent is not Agent.TASK:
            yield agent, tuple(Call(call["name"], call["arguments"]) for call in step["calls"])


def with_attempt(turn: Turn, attempt: Attempt, device: Device) -> Turn | None:
    """The turn with these look-ups first, which are not learnt; of its own those that find what they did not.

    None where nothing is to be learnt from them: they are the turn's own, or leave no step to go on with.
    """
    made = [Step(agent, calls, tuple(map(device.execute, calls)), taught=False) for agent, calls in attempt]
    right = [step for step in turn.steps if step.agent is not Agent.TASK]
    seen, done = _records(made), {call_key(call) for step in made for call in step.calls}
    missing = [step for step in (_fresh(step, seen, done, made) for step in right) if step]
    own = {call_key(call) for step in right for call in step.calls}
    if not missing and done <= own and len(made) <= len(right):
        return None
    rest = [step for step in turn.steps if step.agent is Agent.TASK]
    if len(made) + len(missing) + len(rest) > Limits().steps:
        return None
    return replace(turn, steps=(*made, *missing, *rest))


def _fresh(step: Step, seen: set[str], done: set[tuple[str, str]], made: Sequence[Step]) -> Step | None:
    """Those look-ups of a step that find something not yet in `seen`, which takes it up; None where there are none."""
    if step.agent is Agent.PERCEPTION and any(each.agent is Agent.PERCEPTION for each in made):
        return None  # it has told all that it knows
    kept: list[tuple[Call, Observation]] = []
    for call, found in zip(step.calls, step.observations, strict=True):
        records = {text_of(record) for record in found.records}
        if records - seen and call_key(call) not in done:
            kept.append((call, found))
            seen |= records
    if not kept:
        return None
    return replace(step, calls=tuple(call for call, _ in kept), observations=tuple(found for _, found in kept))


def _records(steps: Sequence[Step]) -> set[str]:
    return {text_of(record) for step in steps for found in step.observations for record in found.records}
