"""A dataset in other forms holds all that it held."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from camphor.errors import DatasetError
from camphor.trajectories.items import Item, read_items, write_items
from camphor.types import Agent, Call, Observation, Step, Trajectory, Turn
from camphor_lab.datasets.exports import played, to_chat, write_chat, write_pairs, write_parquet
from camphor_lab.datasets.generate import generate

parquet: Any = import_module("pyarrow.parquet") if find_spec("pyarrow") else None


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    generate(folder, split="test", count=80, seed=2)
    return folder / "test.jsonl"


def shown(trajectory: Trajectory) -> list[object]:
    """What messages keep of a trajectory: a look-up's own normal form is not among it."""
    told: list[object] = []
    for turn in (*trajectory.history, trajectory.turn):
        told.append(turn.query)
        for step in turn.steps:
            for call, seen in zip(step.calls, step.observations, strict=True):
                done = {"done": seen.call.arguments} if step.agent is Agent.TASK else list(seen.records)
                result = done if seen.error is None else {"error": seen.error}
                told.append([step.agent.value, call.name, call.arguments, result])
        told.append([Agent.TASK.value, turn.response])
    return json.loads(json.dumps(told, default=dict))  # type: ignore[no-any-return]


def told_in(row: dict[str, Any]) -> list[object]:
    """The same from the messages of a row, in either form of arguments."""
    told: list[object] = []
    agents = iter(row["agents"])
    results = {each["tool_call_id"]: json.loads(each["content"]) for each in row["messages"] if each["role"] == "tool"}
    for message in row["messages"]:
        if message["role"] == "user":
            told.append(message["content"])
        elif message["role"] == "assistant":
            agent = next(agents)
            for call in message.get("tool_calls", ()):
                name, arguments = call["function"]["name"], call["function"]["arguments"]
                read = json.loads(arguments) if isinstance(arguments, str) else arguments
                told.append([agent, name, read, results[call["id"]]])
            if "tool_calls" not in message:
                told.append([agent, message["content"]])
    return told


@pytest.mark.parametrize("as_text", [False, True])
def test_chat_holds_every_turn(dataset: Path, tmp_path: Path, as_text: bool) -> None:
    out, left_out = tmp_path / "chat.jsonl", Counter[str]()
    assert write_chat(dataset, out, left_out, arguments_as_text=as_text) == 80
    assert not left_out
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [told_in(row) for row in rows] == [shown(trajectory) for _, _, trajectory in played(dataset, Counter())]
    kind = str if as_text else dict
    for row in rows:
        calls = [call for message in row["messages"] for call in message.get("tool_calls", ())]
        assert all(isinstance(call["function"]["arguments"], kind) for call in calls)
        answers = [message["tool_call_id"] for message in row["messages"] if message["role"] == "tool"]
        assert answers == [call["id"] for call in calls]
        assert len(set(answers)) == len(answers)
        names = {tool["function"]["name"] for tool in row["tools"]}
        assert {call["function"]["name"] for call in calls} <= names
        assert "x-role" not in json.dumps(row["tools"])
        assert row["messages"][-1]["role"] == "assistant"
    assert any(sum(message["role"] == "user" for message in row["messages"]) > 1 for row in rows)


def test_an_error_is_told(dataset: Path) -> None:
    _, device, _ = next(played(dataset, Counter()))
    call = Call("f")
    steps = (Step(Agent.CONTEXT, (call,), (Observation(call, error="no"),)), Step(Agent.TASK))
    row = to_chat(Trajectory(Turn("q", steps, "It failed.")), device)
    assert told_in(row) == ["q", ["personal_context", "f", {}, {"error": "no"}], ["task_completion", "It failed."]]


def read_parquet(path: Path) -> Iterator[Item]:
    for row in parquet.read_table(path).to_pylist():
        device, history, steps, calls, extra = (
            json.loads(row[name]) for name in ("device", "history", "steps", "calls", "extra")
        )
        tags = tuple(row["tags"])
        yield Item(
            row["id"], device, row["query"], tuple(history), tuple(steps), tuple(calls), row["response"], tags, extra
        )


@pytest.mark.skipif(parquet is None, reason="pip install ./lab[data]")
def test_parquet_holds_every_item(dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "test.parquet"
    assert write_parquet(dataset, out, Counter()) == 80
    for item, again in zip(read_items(dataset), read_parquet(out), strict=True):
        phone = json.loads((dataset.parent / str(item.device)).read_text(encoding="utf-8"))
        assert again == replace(item, device=phone)
    write_items(tmp_path / "again.jsonl", read_parquet(out))  # phones in the lines
    assert write_parquet(tmp_path / "again.jsonl", tmp_path / "b.parquet", Counter()) == 80
    assert (tmp_path / "b.parquet").read_bytes() == out.read_bytes()


def test_a_broken_dataset_leaves_nothing_behind(dataset: Path, tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text('{"id": "a"}\n', encoding="utf-8")
    for write in (write_chat, write_parquet):
        with pytest.raises(DatasetError, match="line 1"):
            write(path, tmp_path / "out", Counter())
    assert [each.name for each in tmp_path.iterdir()] == ["broken.jsonl"]


def test_pairs_carry_what_they_are_given(dataset: Path, tmp_path: Path) -> None:
    class Said:
        agent, prompt, completion = Agent.TASK, "é\n", "b"

    out = tmp_path / "pairs.jsonl"
    assert write_pairs(dataset, out, lambda trajectory, device: [Said()] * 2, Counter()) == 160
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert rows[1] == {**rows[0], "turn": 1}
    assert rows[0]["prompt"] == "é\n"
    assert not out.with_name("pairs.jsonl.part").exists()


def test_what_cannot_be_played_is_left_out_and_told(dataset: Path, tmp_path: Path) -> None:
    good, *_ = (item for item in read_items(dataset) if item.calls and not item.history)
    phone = json.loads((dataset.parent / str(good.device)).read_text(encoding="utf-8"))
    good = replace(good, device=phone)
    wrong = replace(good, calls=({"name": "create_notes", "arguments": {"content": "never"}},))
    write_items(tmp_path / "x.jsonl", [replace(good, steps=()), wrong, good])
    left_out: Counter[str] = Counter()
    assert write_chat(tmp_path / "x.jsonl", tmp_path / "out", left_out) == 1
    assert left_out.total() == 2
    assert left_out["no steps"] == 1
