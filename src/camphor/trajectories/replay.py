"""Items on a device: their steps are carried out, so that observations and values come from the device alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from camphor.device.device import Device
from camphor.errors import ToolError
from camphor.trajectories.items import Item
from camphor.types import Agent, Call, Observation, Step, Trajectory, Turn


class GoldMismatch(ValueError):
    """The steps of an item do not lead to its gold calls on its device."""


def read_call(call: Mapping[str, Any]) -> Call:
    """A call of a step or of the gold; of `any_of` values the first."""
    arguments = {
        name: value["any_of"][0] if isinstance(value, dict) and "any_of" in value else value
        for name, value in call.get("arguments", {}).items()
    }
    return Call(call["name"], arguments)


def replay(item: Item, device: Device) -> Trajectory:
    """Carry out an item: look-ups and the actions of earlier turns; the last turn's actions are only normalised.

    The device is changed by the history's actions.
    """
    history = tuple(_turn(turn, device, act=True) for turn in item.history)
    last = {"query": item.query, "steps": item.steps, "response": item.response}
    return Trajectory(_turn(last, device, act=False), history)


def check(item: Item, trajectory: Trajectory) -> None:
    """Compare the trajectory's actions with the gold calls.

    Raises:
        GoldMismatch: a look-up failed, or the actions are not the gold calls; says where they differ.
    """
    for turn in (*trajectory.history, trajectory.turn):
        for step in turn.steps:
            for observation in step.observations:
                if observation.error is not None:
                    raise GoldMismatch(f"{item.id}: {observation.call.name}: {observation.error}")
    if item.calls is None:
        return
    made = [o.call for step in trajectory.turn.steps if step.agent is Agent.TASK for o in step.observations]
    left = list(item.calls)
    for call in made:
        match = next(
            (gold for gold in left if gold["name"] == call.name and _equal(call.arguments, gold.get("arguments", {}))),
            None,
        )
        if match is None:
            raise GoldMismatch(f"{item.id}: {call.to_json()} is not among {left}")
        left.remove(match)
    if left:
        raise GoldMismatch(f"{item.id}: no step makes {left}")


def _equal(made: Mapping[str, Any], gold: Mapping[str, Any]) -> bool:
    if set(made) != set(gold):
        return False
    for name, value in gold.items():
        options = value["any_of"] if isinstance(value, dict) and "any_of" in value else [value]
        if made[name] not in options:
            return False
    return True


def _turn(turn: Mapping[str, Any], device: Device, *, act: bool) -> Turn:
    steps = tuple(_step(step, device, act=act) for step in turn.get("steps", ()))
    return Turn(turn["query"], steps, turn.get("response", "") or "")


def _step(step: Mapping[str, Any], device: Device, *, act: bool) -> Step:
    agent = Agent(step["agent"])
    calls = tuple(read_call(call) for call in step["calls"])
    acting = agent is Agent.TASK
    return Step(
        agent, calls, tuple(_normalised(call, device) if acting and not act else device.execute(call) for call in calls)
    )


def _normalised(call: Call, device: Device) -> Observation:
    try:
        return Observation(device.normalise(call))
    except ToolError as error:
        return Observation(call, error=str(error))


def gold_calls(steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The task-completion calls of steps, as they stand."""
    return [call for step in steps if step["agent"] == Agent.TASK.value for call in step["calls"]]
