"""What a call from another program does: look-ups run, an action waits for the person's word.

A piece of work is a generator that stops at each action, so that it can wait for as long as the person takes, in
another request of the client or in another thread.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from camphor.agents.answers import will_do
from camphor.agents.events import Answer, Answered, ConsentNeeded, Decision
from camphor.device.people import receivers, without_claims
from camphor.tools.tool import Kind
from camphor.types import Agent, Call, Observation

if TYPE_CHECKING:
    from camphor.app import Assistant
    from camphor.device.device import Device

NOT_AGREED = "The person did not agree: nothing was done."


@dataclass(frozen=True)
class Told:
    """What a call gives back: a text, the same as a JSON object, and whether it failed."""

    text: str
    data: Mapping[str, Any] | None = None
    failed: bool = False


Work = Generator[ConsentNeeded, Decision | None, Told]
"""Yields what consent is asked for, is sent the person's word (None is no), returns what is told."""


def one_call(device: Device, call: Call, key: str) -> Work:
    """One call of one tool.

    Args:
        key: of the journal: what was done under it is not done again.

    Raises:
        ToolError: the call cannot be understood. StoreError: the device cannot be read or written.
    """
    tool = device.toolbox.get(call.name)
    if tool.kind is Kind.CONTEXT:
        return _observed(device.execute(call))
    fit = device.normalise(call)
    reached = receivers(device, tool, fit, ())
    shown = will_do(fit, without_claims(call, fit, reached), device.now.year, device.about(fit))
    decision = yield ConsentNeeded(fit, shown, " ".join(each.doubt for each in reached if each.doubt))
    if decision is None or decision.answer is not Answer.YES:
        return Told(NOT_AGREED, failed=True)
    return _observed(device.execute(decision.call or fit, key))


def one_query(assistant: Assistant, query: str) -> Work:
    """A query, answered by the whole assistant. Raises: as `Assistant.run`."""
    loop = assistant.run(query)
    try:
        event = next(loop)
        while not isinstance(event, Answered):
            event = loop.send((yield event)) if isinstance(event, ConsentNeeded) else next(loop)
    finally:
        loop.close()
    acting = (step for step in event.trajectory.turn.steps if step.agent is Agent.TASK)
    actions = [_outcome(seen, event) for step in acting for seen in step.observations]
    return Told(event.response, {"response": event.response, "actions": actions})


def _outcome(seen: Observation, answered: Answered) -> dict[str, Any]:
    if seen.error is not None:
        return {**seen.call.to_json(), "outcome": "failed", "error": seen.error}
    return {**seen.call.to_json(), "outcome": "refused" if seen.call in answered.refused else "done"}


def _observed(seen: Observation) -> Told:
    if seen.error is not None:
        return Told(seen.error, failed=True)
    data = {"records": [dict(each) for each in seen.records]}
    return Told(json.dumps(data["records"], ensure_ascii=False, default=str), data)
