"""What a query came to: the object of `--json` (contract, section 5), and whether it could be met."""

from __future__ import annotations

from typing import Any

from camphor.agents.events import Answered
from camphor.types import Agent, Observation


def report(answered: Answered, seconds: float, load_seconds: float = 0.0) -> dict[str, Any]:
    """`response`, `calls` (the actions, normalised), `actions` (what became of each), `steps` and `timing`.

    Args:
        seconds: of the whole query; load_seconds: of opening device and model before it.
    """
    turn = answered.trajectory.turn
    return {
        "response": answered.response,
        "calls": [observation.call.to_json() for observation in acted(answered)],
        "actions": [_outcome(observation, answered) for observation in acted(answered)],
        "steps": [
            {
                "agent": step.agent.value,
                "calls": [call.to_json() for call in step.calls],
                "observation": [_observation(observation) for observation in step.observations],
            }
            for step in turn.steps
        ],
        "timing": {
            "seconds": round(seconds, 4),
            "load_seconds": round(load_seconds, 4),
            "prompt_tokens": answered.cost.prompt_tokens,
            "generated_tokens": answered.cost.generated_tokens,
            "steps": [
                {
                    "agent": each.agent.value,
                    "seconds": round(each.seconds, 4),
                    "prompt_tokens": each.prompt_tokens,
                    "cached_tokens": each.cached_tokens,
                    "generated_tokens": each.generated_tokens,
                    "forced_tokens": each.forced_tokens,
                }
                for each in answered.timings
            ],
        },
    }


def acted(answered: Answered) -> list[Observation]:
    """What became of each action, in order; refused ones are among them."""
    steps = answered.trajectory.turn.steps
    return [observation for step in steps if step.agent is Agent.TASK for observation in step.observations]


def met(answered: Answered) -> bool:
    """False if an action was refused or failed."""
    return not answered.refused and all(observation.error is None for observation in acted(answered))


def _outcome(observation: Observation, answered: Answered) -> dict[str, Any]:
    if observation.error is not None:
        return {"call": observation.call.to_json(), "outcome": "failed", "error": observation.error}
    refused = observation.call in answered.refused
    return {"call": observation.call.to_json(), "outcome": "refused" if refused else "done"}


def _observation(observation: Observation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "call": observation.call.to_json(),
        "records": [dict(each) for each in observation.records],
    }
    if observation.error is not None:
        found["error"] = observation.error
    return found
