"""A dataset in other forms: prompt-completion pairs, chat messages with tools, Parquet.

Chat messages are those that trl and the OpenAI interface take: `messages` with `tool_calls` and tool results, `tools`
as JSON Schemas. trl wants the arguments of a call as an object, OpenAI as a text that holds it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from camphor.device.device import Device
from camphor.errors import MissingExtra
from camphor.trajectories.items import GoldMismatch, Item, check, read_items, replay
from camphor.types import Agent, Observation, Step, Trajectory, Turn
from camphor_lab.datasets.files import whole, write_lines

ROWS = 500  # in a row group of a Parquet file


class AgentTurn(Protocol):
    """One turn of an agent."""

    @property
    def agent(self) -> Agent: ...
    @property
    def prompt(self) -> str: ...
    @property
    def completion(self) -> str: ...


Pairs = Callable[[Trajectory, Device], Iterable[AgentTurn]]


def played(dataset: Path, left_out: Counter[str]) -> Iterator[tuple[Item, Device, Trajectory]]:
    """Every item carried out on its phone, as it is after the last turn's look-ups.

    Args:
        left_out: told, by reason, how many items have no steps or do not lead to their gold calls.

    Raises:
        DatasetError, DeviceFileError: a line or a phone breaks its format.
    """
    opened: tuple[Any, Device] | None = None
    try:
        for item in read_items(dataset):
            if not item.steps:
                left_out["no steps"] += 1
                continue
            if opened is None or opened[0] != item.device or item.history:
                if opened:
                    opened[1].close()
                opened = (item.device, _device(item, dataset))
            device = opened[1]
            trajectory = replay(item, device)
            try:
                check(item, trajectory)
            except GoldMismatch as error:
                left_out[str(error).split(": ", 1)[-1][:100]] += 1
                continue
            yield item, device, _finished(trajectory)
            if item.history:  # its earlier turns changed the phone
                device.close()
                opened = None
    finally:
        if opened:
            opened[1].close()


def _device(item: Item, dataset: Path) -> Device:
    if isinstance(item.device, str):
        return Device.from_file(dataset.parent / item.device)
    return Device.create(None, item.device, str(dataset))


def _finished(trajectory: Trajectory) -> Trajectory:
    """Every turn ends with task completion, also where the empty step was left out."""

    def finish(turn: Turn) -> Turn:
        ends = turn.steps and turn.steps[-1].agent is Agent.TASK
        return turn if ends else replace(turn, steps=(*turn.steps, Step(Agent.TASK)))

    return Trajectory(finish(trajectory.turn), tuple(map(finish, trajectory.history)))


# pairs


def write_pairs(dataset: Path, out: Path, pairs: Pairs, left_out: Counter[str]) -> int:
    """JSONL with `id`, `turn` (the number of the pair), `agent`, `prompt` and `completion`; returns the lines."""
    return write_lines(out, _pair_rows(dataset, pairs, left_out))


def _pair_rows(dataset: Path, pairs: Pairs, left_out: Counter[str]) -> Iterator[dict[str, Any]]:
    for item, device, trajectory in played(dataset, left_out):
        for number, pair in enumerate(pairs(trajectory, device)):
            yield {
                "id": item.id,
                "turn": number,
                "agent": pair.agent.value,
                "prompt": pair.prompt,
                "completion": pair.completion,
            }


# chat


def write_chat(dataset: Path, out: Path, left_out: Counter[str], *, arguments_as_text: bool = False) -> int:
    """JSONL with `id`, `messages`, `tools` and `agents` (of the assistant's messages, in order); returns the lines."""
    rows = (
        {"id": item.id, **to_chat(trajectory, device, arguments_as_text=arguments_as_text)}
        for item, device, trajectory in played(dataset, left_out)
    )
    return write_lines(out, rows)


def to_chat(trajectory: Trajectory, device: Device, *, arguments_as_text: bool = False) -> dict[str, Any]:
    """A conversation as messages: one of the assistant for each step with calls, and one for each answer."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": _system(device)}]
    agents: list[str] = []
    for turn in (*trajectory.history, trajectory.turn):
        messages.append({"role": "user", "content": turn.query})
        for step in turn.steps:
            if step.calls:
                agents.append(step.agent.value)
                messages += _step_messages(step, len(messages), arguments_as_text)
        agents.append(Agent.TASK.value)
        messages.append({"role": "assistant", "content": turn.response})
    tools = [{"type": "function", "function": _function(tool.to_schema())} for tool in device.toolbox.learnt]
    return {"messages": messages, "tools": tools, "agents": agents}


def _system(device: Device) -> str:
    city = device.location.get("city", "")
    place = f" The phone is in {city}." if city else ""
    return f"You are the assistant on a person's phone. It is {device.now:%A} {device.now.isoformat()}.{place}"


def _function(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool's schema without what only camphor knows, the roles of its parameters."""
    parameters = schema["parameters"]
    properties = {
        name: {key: value for key, value in what.items() if key != "x-role"}
        for name, what in parameters["properties"].items()
    }
    return {**schema, "parameters": {**parameters, "properties": properties}}


def _step_messages(step: Step, first: int, arguments_as_text: bool) -> list[dict[str, Any]]:
    calls, results = [], []
    for number, (call, observation) in enumerate(zip(step.calls, step.observations, strict=True)):
        identity = f"call_{first}_{number}"
        arguments: Any = dict(call.arguments)
        if arguments_as_text:
            arguments = json.dumps(arguments, ensure_ascii=False)
        calls.append({"id": identity, "type": "function", "function": {"name": call.name, "arguments": arguments}})
        content = json.dumps(_result(step.agent, observation), ensure_ascii=False)
        results.append({"role": "tool", "tool_call_id": identity, "name": call.name, "content": content})
    return [{"role": "assistant", "content": "", "tool_calls": calls}, *results]


def _result(agent: Agent, observation: Observation) -> Any:
    if observation.error is not None:
        return {"error": observation.error}
    if agent is Agent.TASK:
        return {"done": dict(observation.call.arguments)}
    return [dict(record) for record in observation.records]


# Parquet


def write_parquet(dataset: Path, out: Path, left_out: Counter[str]) -> int:
    """One row a query: the item with its phone, and the conversation as messages; returns the rows.

    What has no fixed form (`device`, `history`, `steps`, `calls`, `extra`, `tools`, arguments) is a text of JSON.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    pyarrow, parquet = _pyarrow()
    schema, count = _schema(pyarrow), 0
    with whole(out) as part, parquet.ParquetWriter(part, schema, compression="zstd") as writer:
        rows: list[dict[str, Any]] = []
        for item, device, trajectory in played(dataset, left_out):
            rows.append(_row(item, device, trajectory, dataset))
            count += 1
            if len(rows) == ROWS:
                writer.write_table(pyarrow.Table.from_pylist(rows, schema))
                rows = []
        if rows:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))
    return count


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("pyarrow", "data", "camphor-lab") from None
    return pyarrow, parquet


def _schema(pyarrow: Any) -> Any:
    text = pyarrow.string()
    function = pyarrow.struct([("name", text), ("arguments", text)])
    call = pyarrow.struct([("id", text), ("type", text), ("function", function)])
    fields = [("role", text), ("content", text), ("name", text), ("tool_call_id", text)]
    message = pyarrow.struct([*fields, ("tool_calls", pyarrow.list_(call))])
    plain = ["id", "query", "response", "device", "history", "steps", "calls", "extra", "tools"]
    lists = [("tags", pyarrow.list_(text)), ("agents", pyarrow.list_(text)), ("messages", pyarrow.list_(message))]
    return pyarrow.schema([*((name, text) for name in plain), *lists])


def _row(item: Item, device: Device, trajectory: Trajectory, dataset: Path) -> dict[str, Any]:
    phone = item.device
    if isinstance(phone, str):
        phone = json.loads((dataset.parent / phone).read_text(encoding="utf-8"))
    chat = to_chat(trajectory, device, arguments_as_text=True)
    return {
        "id": item.id,
        "query": item.query,
        "response": item.response,
        "tags": list(item.tags),
        "device": _json(phone),
        "history": _json(item.history),
        "steps": _json(item.steps),
        "calls": None if item.calls is None else _json(item.calls),
        "extra": _json(item.extra),
        "tools": _json(chat["tools"]),
        "agents": chat["agents"],
        "messages": chat["messages"],
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
