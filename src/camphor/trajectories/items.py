"""Dataset items: one query a line, with its device, gold calls and, where given, the steps that lead there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from camphor.device.device import Device
from camphor.errors import DatasetError, ToolError
from camphor.types import Agent, Call, Observation, Step, Trajectory, Turn

AGENTS = frozenset(agent.value for agent in Agent)


@dataclass(frozen=True)
class Item:
    """A line of a dataset. Everything but `id`, `device` and `query` may be empty.

    `device` is a path relative to the dataset file, or the device object itself. `steps` are `{"agent", "calls"}`, with
    arguments as a model writes them, and `"taught": false` where code looked something up; `calls` the gold
    task-completion calls with normalised values, where a value may be `{"any_of": [...]}`. `calls` is None where a line
    has none (it cannot be scored then). `extra` keeps unknown keys, and the `answer` (data/README.md).
    """

    id: str
    device: str | Mapping[str, Any]
    query: str
    history: tuple[Mapping[str, Any], ...] = ()
    steps: tuple[Mapping[str, Any], ...] = ()
    calls: tuple[Mapping[str, Any], ...] | None = None
    response: str = ""
    tags: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def answer(self) -> Mapping[str, Any] | None:
        """What a right answer says, where the item says so."""
        return self.extra.get("answer")

    def to_json(self) -> dict[str, Any]:
        line: dict[str, Any] = {"id": self.id, "device": self.device, "query": self.query}
        if self.history:
            line["history"] = list(self.history)
        if self.steps:
            line["steps"] = list(self.steps)
        if self.calls is not None:
            line["calls"] = list(self.calls)
        if self.response:
            line["response"] = self.response
        if self.tags:
            line["tags"] = list(self.tags)
        return {**line, **self.extra}


_KNOWN = frozenset(("id", "device", "query", "history", "steps", "calls", "response", "tags"))


def read_item(text: str, path: str, number: int) -> Item:
    """Read one line.

    Raises:
        DatasetError: the line breaks the format; names path, line number and what is wrong.
    """
    try:
        line = json.loads(text)
    except ValueError as error:
        raise DatasetError(path, number, f"not JSON: {error}") from None
    if not isinstance(line, dict):
        raise DatasetError(path, number, "expected an object")
    problem = _problem(line)
    if problem:
        raise DatasetError(path, number, problem)
    calls = line.get("calls")
    return Item(
        id=str(line["id"]),
        device=line["device"],
        query=line["query"],
        history=tuple(line.get("history", ())),
        steps=tuple(line.get("steps", ())),
        calls=None if calls is None else tuple(calls),
        response=line.get("response", "") or "",
        tags=tuple(line.get("tags", ())),
        extra={key: value for key, value in line.items() if key not in _KNOWN},
    )


def read_items(path: str | Path) -> Iterator[Item]:
    """Read a dataset, line by line; blank lines are skipped.

    Raises:
        DatasetError: the file cannot be read, or a line breaks the format.
    """
    name = str(path)
    try:
        with Path(path).open(encoding="utf-8") as stream:
            for number, text in enumerate(stream, start=1):
                if text.strip():
                    yield read_item(text, name, number)
    except OSError as error:
        raise DatasetError(name, None, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DatasetError(name, None, "not UTF-8 text: save it as UTF-8") from None


def write_items(path: str | Path, items: Iterable[Item]) -> int:
    """Write a dataset anew; returns the number of lines."""
    count = 0
    with Path(path).open("w", encoding="utf-8") as stream:
        for item in items:
            stream.write(json.dumps(item.to_json(), ensure_ascii=False) + "\n")
            count += 1
    return count


def _problem(line: Mapping[str, Any]) -> str:
    for key in ("id", "device", "query"):
        if key not in line:
            return f"{key!r} is missing"
    if not isinstance(line["device"], str | dict):
        return "'device' must be a path or a device object"
    for key in ("tags", "history"):
        if not isinstance(line.get(key, []), list):
            return f"{key!r} must be a list"
    if "answer" in line and (problem := _answer_problem(line["answer"])):
        return problem
    turns = [*line.get("history", []), line]
    return next((problem for turn in turns if (problem := _turn_problem(turn))), "")


def _answer_problem(answer: Any) -> str:
    if not isinstance(answer, dict):
        return "'answer' must be an object"
    for key in ("must", "must_not", "records"):
        if not isinstance(answer.get(key, []), list):
            return f"'{key}' of 'answer' must be a list"
    if not all(isinstance(pointer, str) and pointer.startswith("/") for pointer in answer.get("records", [])):
        return "'records' of 'answer' must be JSON pointers, as /apps/mail/messages/4"
    if not all(map(_is_piece, [*answer.get("must", []), *answer.get("must_not", [])])):
        return "'must' and 'must_not' hold texts, or {\"any_of\": [texts]}"
    if not isinstance(answer.get("abstain", False), bool):
        return "'abstain' of 'answer' must be true or false"
    return ""


def _is_piece(value: Any) -> bool:
    if isinstance(value, dict) and set(value) == {"any_of"} and isinstance(value["any_of"], list):
        return bool(value["any_of"]) and all(isinstance(each, str) and each.strip() for each in value["any_of"])
    return isinstance(value, str) and bool(value.strip())


def _turn_problem(turn: Any) -> str:
    if not isinstance(turn, dict) or not isinstance(turn.get("query"), str):
        return "'query' must be text"
    if not isinstance(turn.get("response") or "", str):
        return "'response' must be text"
    steps = turn.get("steps", [])
    if not isinstance(steps, list):
        return "'steps' must be a list"
    for step in steps:
        if not isinstance(step, dict) or step.get("agent") not in AGENTS:
            return f"a step's 'agent' must be one of {', '.join(sorted(AGENTS))}"
        if not isinstance(step.get("taught", True), bool):
            return "'taught' of a step must be true or false"
        if problem := _calls_problem(step.get("calls", [])):
            return problem
    return _calls_problem(turn.get("calls") or [])


def _calls_problem(calls: Any) -> str:
    if not isinstance(calls, list):
        return "'calls' must be a list"
    for call in calls:
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            return "a call must be an object with a 'name'"
        if not isinstance(call.get("arguments", {}), dict):
            return f"the 'arguments' of {call['name']} must be an object"
    return ""


# Items on a device: their steps are carried out, so that observations and values come from the device alone.


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
    found = tuple(_normalised(call, device) if acting and not act else device.execute(call) for call in calls)
    return Step(agent, calls, found, taught=step.get("taught", True))


def _normalised(call: Call, device: Device) -> Observation:
    try:
        return Observation(device.normalise(call))
    except ToolError as error:
        return Observation(call, error=str(error))


def gold_calls(steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The task-completion calls of steps, as they stand."""
    return [call for step in steps if step["agent"] == Agent.TASK.value for call in step["calls"]]
