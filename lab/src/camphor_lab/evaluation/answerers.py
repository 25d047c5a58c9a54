"""Systems under test: the assistant itself, as it answers a person who consents to everything; a model asked once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from camphor.agents.bounds import Limits
from camphor.agents.events import Answered
from camphor.agents.memory import LongTermMemory
from camphor.agents.orchestrator import orchestrate
from camphor.agents.prompts import Form
from camphor.agents.strategies.base import Strategy
from camphor.app import Assistant, predicted_calls, run_to_end
from camphor.device.device import Device
from camphor.models.base import LanguageModel, Reply, Request
from camphor.tools.calls import calls_from_json
from camphor.trajectories.items import Item
from camphor.types import Agent, Call, Step, Turn
from camphor_lab.datasets.surface_forms import with_surface_forms
from camphor_lab.evaluation.runner import Answer
from camphor_lab.evaluation.values import alternatives


@dataclass
class AssistantAnswerer:
    """The assistant with one model for all queries. Every action is consented to and done, on the query's own device.

    Args:
        form: how prompts are written. limits: bounds of a query. strategy: how the agents work together.
        remembers: with the long-term memory that `camphor ask` has; of an item's phone it is empty.
    """

    model: LanguageModel
    form: Form = Form.NAMES
    limits: Limits = field(default_factory=Limits)
    strategy: Strategy = orchestrate
    remembers: bool = False

    def answer(self, item: Item, device: Device) -> Answer:
        """As `Answerer.answer`. Raises: as `Assistant.run`."""
        earlier = earlier_turns(item, device)
        assistant = Assistant(device, self.model, earlier, self.limits, self.form, strategy=self.strategy)
        if self.remembers:
            assistant.memory = LongTermMemory(device, assistant.conversation)
        answered = run_to_end(assistant, item.query, consent=True)
        steps = answered.trajectory.turn.steps
        refused = len(answered.misunderstood)
        undone = tuple(call.name for call in answered.refused)
        return Answer(predicted_calls(answered), steps, answered.response, timing(answered), refused, undone)


def earlier_turns(item: Item, device: Device) -> tuple[Turn, ...]:
    """Carry out the turns before the item's own on the device, as if they had just been asked, oldest first.

    Their arguments are put in words first, as a model writes them: a running conversation holds them so. The item's own
    gold steps and calls are not read.
    """
    if not item.history:
        return ()
    worded = with_surface_forms(replace(item, steps=(), calls=(), response=""), device.export())
    return tuple(_turn(turn, device) for turn in worded.history)


def _turn(turn: Mapping[str, Any], device: Device) -> Turn:
    steps = tuple(Step(agent, calls, tuple(device.execute(call) for call in calls)) for agent, calls in _steps(turn))
    return Turn(turn["query"], steps, turn.get("response") or "")


def _steps(turn: Mapping[str, Any]) -> Iterator[tuple[Agent, tuple[Call, ...]]]:
    """The recorded steps; where there are none, the gold calls in the first of their wordings."""
    for step in turn.get("steps") or ():
        if step["agent"] != Agent.HIGH_ORDER.value:
            yield Agent(step["agent"]), tuple(_first(call) for call in calls_from_json(step.get("calls") or []))
    if not turn.get("steps"):
        yield Agent.TASK, tuple(_first(call) for call in calls_from_json(turn.get("calls") or []))


def _first(call: Call) -> Call:
    return Call(call.name, {name: alternatives(value)[0] for name, value in call.arguments.items()})


def timing(answered: Answered) -> dict[str, Any]:
    """What the model did for one query: tokens by kind, seconds in all, and both for each of its turns."""
    turns = [
        {
            "agent": t.agent.value,
            "seconds": round(t.seconds, 4),
            "prompt_tokens": t.prompt_tokens,
            "cached_tokens": t.cached_tokens,
            "generated_tokens": t.generated_tokens,
            "forced_tokens": t.forced_tokens,
        }
        for t in answered.timings
    ]
    return {
        "prompt_tokens": answered.cost.prompt_tokens,
        "generated_tokens": answered.cost.generated_tokens,
        "model_seconds": round(answered.cost.seconds, 4),
        "turns": turns,
    }


class Once:
    """A model that is asked the same only once, and says the same again: what compares variants of one assistant pays
    for the differences alone.

    `saved` are the seconds that the replies it repeated had taken.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._said: dict[Request, tuple[Reply, float]] = {}
        self.saved = 0.0

    @property
    def context(self) -> int:
        return self._model.context

    def complete(self, request: Request) -> Reply:
        if request in self._said:
            reply, seconds = self._said[request]
            self.saved += seconds
            return reply
        begun = time.perf_counter()
        reply = self._model.complete(request)
        self._said[request] = reply, time.perf_counter() - begun
        return reply

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    def close(self) -> None:
        """The model is its owner's to close."""
