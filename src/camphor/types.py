"""The values everything else passes around: calls, observations, steps, turns, trajectories, prompt segments.

All are frozen and know nothing of storage, models or the network. A trajectory is what runs, what is recorded, what is
trained on and what is scored (CAMPHOR, section 3.1 and Appendix B, "message history").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Agent(StrEnum):
    """The orchestrator and its five experts (CAMPHOR, section 3.1). The values are the contract's names."""

    HIGH_ORDER = "high_order_reasoning"
    DEVICE = "device_information"
    PERCEPTION = "user_perception"
    CONTEXT = "personal_context"
    KNOWLEDGE = "external_knowledge"
    TASK = "task_completion"


EXPERTS: tuple[Agent, ...] = (Agent.DEVICE, Agent.PERCEPTION, Agent.CONTEXT, Agent.KNOWLEDGE, Agent.TASK)


@dataclass(frozen=True)
class Call:
    """One tool call: a name and its arguments, as JSON values. Treat `arguments` as read-only."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "arguments": dict(self.arguments)}


@dataclass(frozen=True)
class Observation:
    """What the device answered to one call.

    `records` are the records or facts found (a look-up) or the one record written (an action); `error` is a sentence
    for the model and the person when the call failed, and then `records` is empty. `call` is the call after
    normalisation: times as ISO 8601, receivers as numbers or addresses. `removed`: the record is one that the action
    took away. `unasked`: an action that was not done, as the query asks to be told something and for no action.
    """

    call: Call
    records: tuple[Mapping[str, Any], ...] = ()
    error: str | None = None
    removed: bool = False
    unasked: bool = False

    def to_json(self) -> dict[str, Any]:
        """All of it, as JSON values; `from_json` reads it back."""
        told = {"call": self.call.to_json(), "records": [dict(each) for each in self.records], "error": self.error}
        return {**told, "removed": True} if self.removed else told

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Observation:
        """What `to_json` wrote. Raises KeyError, TypeError, ValueError: it is something else."""
        return cls(Call(**value["call"]), tuple(value["records"]), value["error"], value.get("removed", False))


@dataclass(frozen=True)
class Step:
    """One turn of one expert: the calls it made (as the model wrote them) and what came back, in the same order.

    `taught`: whether a model that is trained on the step learns to take it; it does not learn what code looked up.
    """

    agent: Agent
    calls: tuple[Call, ...] = ()
    observations: tuple[Observation, ...] = ()
    taught: bool = True


@dataclass(frozen=True)
class Turn:
    """One query of the person, the steps taken for it, and the answer given."""

    query: str
    steps: tuple[Step, ...] = ()
    response: str = ""

    @property
    def actions(self) -> tuple[Call, ...]:
        """The actions called in it: as the device understood them, as written where it was not asked."""
        acting = (step for step in self.steps if step.agent is Agent.TASK)
        return tuple(call for step in acting for call in ([seen.call for seen in step.observations] or step.calls))

    def to_json(self) -> dict[str, Any]:
        """All of it, as JSON values; `from_json` reads it back."""
        steps = [
            {
                "agent": step.agent.value,
                "calls": [call.to_json() for call in step.calls],
                "observations": [seen.to_json() for seen in step.observations],
                "taught": step.taught,
            }
            for step in self.steps
        ]
        return {"query": self.query, "steps": steps, "response": self.response}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Turn:
        """What `to_json` wrote. Raises KeyError, TypeError, ValueError: it is something else."""
        steps = tuple(
            Step(
                Agent(step["agent"]),
                tuple(Call(**call) for call in step["calls"]),
                tuple(map(Observation.from_json, step["observations"])),
                step["taught"],
            )
            for step in value["steps"]
        )
        return cls(value["query"], steps, value["response"])


@dataclass(frozen=True)
class Trajectory:
    """A conversation: earlier turns, oldest first, and the current one."""

    turn: Turn
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True)
class Segment:
    """A piece of a prompt, tokenised on its own, so that training and running see the same tokens.

    `trained` marks the text that a model writes: the loss is on these segments only. Control tokens of a chat template
    are recognised in `special` segments alone, so that a query or a record that spells one stays plain text.
    `compressed` marks the definition of a tool that stands in the prompt as one vector, its function token (CAMPHOR,
    section 3.3). Such segments come first; all are at position 0, none sees another, and all text sees them.
    """

    text: str
    trained: bool = False
    special: bool = False
    compressed: bool = False


Prompt = tuple[Segment, ...]
