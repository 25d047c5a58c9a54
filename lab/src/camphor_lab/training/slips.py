"""Trajectories in which a look-up went to the wrong app first, as the running assistant mends it
(agents.lookup_fallback).

A model that has only seen right look-ups does not know how to go on from a mended one. The slip itself is shown and not
learnt.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from camphor.agents.lookup_fallback import best, elsewhere, keyword_of, keyword_parameter
from camphor.device.device import Device
from camphor.tools.tool import Tool
from camphor.types import Agent, Call, Observation, Step, Turn


def with_slip(turn: Turn, device: Device, chance: random.Random) -> Turn | None:
    """The turn with one look-up asked of an app that has nothing, then found elsewhere.

    None where no look-up goes by words alone, no other app lacks them, or the mending would not find what the look-up
    found: such a slip would teach to go on without it.
    """
    tools = device.toolbox.of(Agent.CONTEXT)
    places = [
        (number, place)
        for number, step in enumerate(turn.steps)
        if step.agent is Agent.CONTEXT
        for place, found in enumerate(step.observations)
        if found.records and not found.error and keyword_of(found.call, tools)
    ]
    chance.shuffle(places)
    for number, place in places:
        if slipped := _slip(turn, number, place, tools, device, chance):
            return slipped
    return None


def _slip(
    turn: Turn, number: int, place: int, tools: Sequence[Tool], device: Device, chance: random.Random
) -> Turn | None:
    step = turn.steps[number]
    right = step.observations[place]
    wrong = _vain(keyword_of(right.call, tools), tools, device, chance)
    if wrong is None:
        return None
    slip = replace(
        step,
        calls=(*step.calls[:place], wrong.call, *step.calls[place + 1 :]),
        observations=(*step.observations[:place], wrong, *step.observations[place + 1 :]),
        taught=False,
    )
    slipped = replace(turn, steps=(*turn.steps[:number], slip))
    tries = elsewhere(slipped, tools)
    calls = best(tries, [device.execute(call) for call in tries], slipped)
    if right.call.name not in [call.name for call in calls]:
        return None
    mended = Step(Agent.CONTEXT, calls, tuple(device.execute(call) for call in calls), taught=False)
    rest = (_without(later, calls) for later in turn.steps[number + 1 :])
    return replace(turn, steps=(*slipped.steps, mended, *(later for later in rest if later)))


def _vain(words: str, tools: Sequence[Tool], device: Device, chance: random.Random) -> Observation | None:
    """A look-up of an app that has nothing under these words."""
    others = [Call(tool.name, {name: words}) for tool in tools if (name := keyword_parameter(tool))]
    chance.shuffle(others)
    observations = (device.execute(call) for call in others)
    return next((found for found in observations if not found.records and not found.error), None)


def _without(step: Step, done: Sequence[Call]) -> Step | None:
    """The step without look-ups made already; None where nothing is left of it."""
    kept = [pair for pair in zip(step.calls, step.observations, strict=True) if pair[0] not in done]
    if len(kept) == len(step.calls):
        return step
    calls, observations = zip(*kept, strict=True) if kept else ((), ())
    return replace(step, calls=tuple(calls), observations=tuple(observations)) if kept else None
