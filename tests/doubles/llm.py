"""A folder with one phone, a model that says what a test wants, and a run with both."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from camphor.agents.bounds import USUAL
from camphor.agents.orchestrator import orchestrate
from camphor.agents.prompts import Form
from camphor.agents.relevant import POLICIES
from camphor.agents.strategies.base import Strategy
from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.models.base import LanguageModel, Reply, Request, ScriptedModel
from camphor.types import Turn
from camphor_lab.datasets.llm.queries import Expect, GivenStates, draw_kind
from camphor_lab.datasets.llm.write import Solve, WritePlan, WritingProgress, write

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "ann",
    "owner": "Ann Lee",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "location": {"city": "Dublin"},
    "apps": {
        "contacts": {
            "people": [
                {
                    "person_id": "p-031",
                    "name": "Alice Johnson",
                    "phone_number": "555-123-4567",
                    "relationship": "travel buddy",
                },
                {"person_id": "p-032", "name": "Ben Adams", "phone_number": "555-222-3333", "relationship": "dentist"},
            ]
        },
        "calendar": {
            "events": [{"title": "Choir", "start": "2026-03-13T22:00:00", "end": "2026-03-13T23:00:00"}],
        },
        "imessage": {"messages": []},
        "reminders": {"reminders": []},
    },
}
LATE = "Tell my travel buddy that I'm running late"
CHOIR = "remind me of the choir an hour before it begins"
WHO = "who is my dentist again?"
LOOK = ' [get_contacts_information(keyword="travel buddy")]'
SEND = ' [send_imessage_message(receiver="Alice Johnson", content="I\'m running late")]'
SOLVE_LATE = ("personal_context", LOOK, "task_completion", SEND)
SOLVE_CHOIR = (
    "personal_context",
    ' [get_calendar_event(theme="choir")]',
    "task_completion",
    ' [create_reminders(time="1 hour before Fri 13 Mar 22:00", content="Choir at 10 pm")]',
)
SOLVE_WHO = (
    "personal_context",
    ' [get_contacts_information(keyword="dentist")]',
    "task_completion",
)


def numbered(*queries: str) -> str:
    return "\n".join(f"{number}. {query}" for number, query in enumerate(queries, start=1))


def phones(folder: Path) -> GivenStates:
    folder.mkdir(exist_ok=True)
    (folder / "ann.device.json").write_text(json.dumps(PHONE), encoding="utf-8")
    return GivenStates(folder)


def solver(model: LanguageModel, strategy: Strategy = orchestrate, form: Form = Form.NAMES) -> Solve:
    """The trained loop, whose turns are short to script, unless another is named."""

    def solve(query: str, device: Device) -> Turn:
        assistant = Assistant(device, model, limits=USUAL.without(*POLICIES), form=form, strategy=strategy)
        return run_to_end(assistant, query, consent=True).trajectory.turn

    return solve


def run(folder: Path, model: LanguageModel, plan: WritePlan) -> WritingProgress:
    return write(folder / "out", model, solver(model), phones(folder / "phones"), plan)


def said(
    folder: Path, replies: Iterable[str | Reply | Exception], plan: WritePlan
) -> tuple[WritingProgress, ScriptedModel]:
    model = ScriptedModel(replies)
    return run(folder, model, plan), model


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    path = folder / "out" / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


class Killed(BaseException):
    """What stops a process."""


class Mortal:
    """A model that answers the same to the same, and is killed after some answers.

    Args:
        rounds: what it writes when it is asked for queries, by round. solutions: by query, its turns in order.
        lives: answers until it is killed; None for ever. asked: rounds that it wrote in earlier lives.
    """

    context = 8192

    def __init__(
        self, rounds: Sequence[str], solutions: Mapping[str, Sequence[str]], lives: int | None = None, asked: int = 0
    ) -> None:
        self._rounds, self._solutions, self._lives, self._asked = rounds, solutions, lives, asked

    def complete(self, request: Request) -> Reply:
        if self._lives == 0:
            raise Killed
        self._lives = None if self._lives is None else self._lives - 1
        prompt = "".join(segment.text for segment in request.prompt)
        if "What people said on other phones" in prompt:
            self._asked += 1
            return Reply(self._rounds[self._asked - 1])
        query = next(query for query in self._solutions if f"\n{query}<|im_end|>" in prompt)
        rest = prompt.split(f"\n{query}<|im_end|>", 1)[1]
        for turn in self._solutions[query]:
            before, found, rest = rest.partition(turn)
            if not found:
                return Reply(turn)
        raise AssertionError(f"asked once more after {before!r}")

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def close(self) -> None:
        pass


def seed_of(*expected: Expect) -> int:
    """A seed whose first rounds ask for such queries."""
    for seed in itertools.count():
        if all(draw_kind(Random(f"{seed}:llm:{n}"))[0].expect is each for n, each in enumerate(expected)):
            return seed
    raise AssertionError
