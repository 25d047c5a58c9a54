"""A case: one request of a person to the health assistant, and the turns of planner, caller and tools that settle it.

Beside it stand the two ways to settle one, and the kinds of specialists that the models were trained to name.

The values are frozen; `Case.to_json` and `case_from_json` are the paper's form of a trajectory (section 6.1.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, NoReturn

from camphor.errors import UsageError
from camphor.types import Call

CLOSED = "<END>"
"""The action of a planner that is done."""


@dataclass(frozen=True)
class UserDetails:
    """Whose case it is and when it began: `timestamp` is local time, ISO 8601 to the second.

    `known`: short facts from the memory that matter for this request ("allergic to penicillin"); not in the paper.
    """

    user_id: str
    name: str
    timestamp: str
    known: tuple[str, ...] = ()

    @property
    def now(self) -> datetime:
        return datetime.fromisoformat(self.timestamp)


@dataclass(frozen=True)
class PlannerTurn:
    """A turn of the planner: why, and what next. An action of `<END>` closes the case."""

    reason: str
    action: str

    @property
    def closes(self) -> bool:
        return self.action.strip() == CLOSED


@dataclass(frozen=True)
class Called:
    """A turn of the caller: one call, its arguments as JSON values."""

    call: Call


@dataclass(frozen=True)
class Seen:
    """What came back: a JSON value as the tool's `result`, or a sentence on why the call failed."""

    result: Any = None
    error: str | None = None


Taken = PlannerTurn | Called | Seen
_TURNS: dict[type[Taken], str] = {PlannerTurn: "planned", Called: "called", Seen: "seen"}


@dataclass(frozen=True)
class Case:
    """The request and the turns so far: planned, called, seen, planned, ... in this order, beginning with a plan.

    Raises:
        UsageError: turns out of order, or some after the end; says which.
    """

    user: UserDetails
    request: str
    turns: tuple[Taken, ...] = ()

    def __post_init__(self) -> None:
        order = tuple(_TURNS)
        for place, turn in enumerate(self.turns):
            if not isinstance(turn, expected := order[place % 3]):
                _refuse(f"turn {place} is {_TURNS[type(turn)]}, expected {_TURNS[expected]}")
            if place + 1 < len(self.turns) and isinstance(turn, PlannerTurn) and turn.closes:
                _refuse(f"turn {place} closes the case, and more follows")

    @property
    def closed(self) -> bool:
        last = self.turns[-1] if self.turns else None
        return isinstance(last, PlannerTurn) and last.closes

    def then(self, *turns: Taken) -> Case:
        """The case with these turns added."""
        return replace(self, turns=(*self.turns, *turns))

    def before(self, place: int) -> Case:
        """The case as it was before the turn at `place`, counted from 0."""
        return replace(self, turns=self.turns[:place])

    def to_json(self) -> dict[str, Any]:
        """The trajectory as in the paper: `{"interaction_trajectory": [{"from": ..., "value": ...}, ...]}`."""
        details: dict[str, Any] = {
            "user_id": self.user.user_id,
            "name": self.user.name,
            "timestamp": self.user.timestamp,
        }
        if self.user.known:
            details["known"] = list(self.user.known)
        states: list[dict[str, Any]] = [
            {"from": "system", "value": {"user_details": details}},
            {"from": "user", "value": self.request},
        ]
        return {"interaction_trajectory": [*states, *map(_state, self.turns)]}


def case_from_json(data: Any) -> Case:
    """The case of a trajectory in the paper's form: the object, or the bare list of its states.

    Raises:
        UsageError: not of that form; names the state, counted from 0.
    """
    states = data.get("interaction_trajectory") if isinstance(data, Mapping) else data
    if not isinstance(states, Sequence) or isinstance(states, str) or len(states) < 2:
        _refuse("expected a list of states that begins with system and user")
    for place, sender in enumerate(("system", "user")):
        if not isinstance(states[place], Mapping) or states[place].get("from") != sender:
            _refuse(f"state {place}: expected one from {sender}")
    request = states[1].get("value")
    if not isinstance(request, str):
        _refuse("state 1: expected the user's words as text")
    turns = tuple(_turn(place, state) for place, state in enumerate(states[2:], start=2))
    return Case(_details(states[0].get("value")), request, turns)


def _state(turn: Taken) -> dict[str, Any]:
    if isinstance(turn, PlannerTurn):
        return {"from": "planner", "value": {"reason": turn.reason, "action": turn.action}}
    if isinstance(turn, Called):
        return {"from": "caller", "value": {"tool": turn.call.name, "parameters": dict(turn.call.arguments)}}
    return {"from": "observation", "value": {"result": turn.result} if turn.error is None else {"error": turn.error}}


def _details(value: Any) -> UserDetails:
    details = value.get("user_details") if isinstance(value, Mapping) else None
    if not isinstance(details, Mapping):
        _refuse("state 0: expected user_details")
    texts = [details.get(key) for key in ("user_id", "name", "timestamp")]
    user_id, name, timestamp = (text if isinstance(text, str) else "" for text in texts)
    try:
        datetime.fromisoformat(timestamp)
    except ValueError:
        _refuse(f"state 0: timestamp {timestamp!r} is not ISO 8601")
    return UserDetails(user_id, name, timestamp, tuple(map(str, details.get("known") or ())))


def _turn(place: int, state: Any) -> Taken:
    sender, value = (state.get("from"), state.get("value")) if isinstance(state, Mapping) else (None, None)
    if not isinstance(value, Mapping):
        _refuse(f"state {place}: expected an object with from and value")
    if sender == "planner":
        return PlannerTurn(str(value.get("reason", "")), str(value.get("action", "")))
    if sender == "caller":
        arguments = value.get("parameters") or {}
        if not isinstance(value.get("tool"), str) or not isinstance(arguments, Mapping):
            _refuse(f"state {place}: expected tool and parameters")
        return Called(Call(value["tool"], dict(arguments)))
    if sender == "observation":
        return Seen(value.get("result"), value.get("error"))
    _refuse(f"state {place}: expected one from planner, caller or observation, found {sender!r}")


def _refuse(problem: str) -> NoReturn:
    raise UsageError(f"the trajectory breaks the format: {problem}")


# kinds of specialists


GENERAL = "general physician"
DIETICIAN = "dietician"
SPECIALISTS = (
    GENERAL, "cardiologist", "dermatologist", DIETICIAN, "endocrinologist", "ent specialist",
    "gastroenterologist", "gynecologist", "hematologist", "hepatologist", "infectious disease specialist",
    "nephrologist", "neurologist", "oncologist", "ophthalmologist", "orthopedist", "psychiatrist",
    "pulmonologist", "rheumatologist", "urologist", "vascular surgeon", "dentist",
)  # fmt: skip


class HealthStrategy(StrEnum):
    """How a complaint is settled."""

    INTERVIEW = "interview"
    """Coded questions, answers kept word for word; no language model."""
    PLANNER = "planner"
    """The paper's planner and caller, which a language model writes."""
