"""A dataset in other forms is read back as it was."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from camphor.errors import DatasetError
from camphor.trajectories.items import read_items, write_items
from camphor.types import Agent, Observation, Trajectory
from camphor_lab.datasets.exports import from_chat, played, read_parquet, write_chat, write_pairs, write_parquet
from camphor_lab.datasets.generate import generate


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    generate(folder, split="test", count=80, seed=2)
    return folder / "test.jsonl"


def trajectories(dataset: Path) -> Iterator[Trajectory]:
    for _, _, trajectory in played(dataset, Counter()):
        yield trajectory


def shown(trajectory: Trajectory) -> list[object]:
    """What messages keep of a trajectory: a look-up's own normal form is not among it."""
    told: list[object] = []
    for turn in (*trajectory.history, trajectory.turn):
        told += [turn.query, turn.response]
        for step in turn.steps:
            acts = step.agent is Agent.TASK
            told += [step.agent, step.calls]
            told += [(o.call, o.error) if acts else (tuple(map(dict, o.records)), o.error) for o in step.observations]
    return json.loads(json.dumps(told, default=str))  # type: ignore[no-any-return]


@pytest.mark.parametrize("as_text", [False, True])
def test_chat_is_read_back(dataset: Path, tmp_path: Path, as_text: bool) -> None:
    out, left_out = tmp_path / "chat.jsonl", Counter[str]()
    assert write_chat(dataset, out, left_out, arguments_as_text=as_text) == 80
    assert not left_out
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [shown(from_chat(row)) for row in rows] == [shown(trajectory) for trajectory in trajectories(dataset)]
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
    assert any(len(from_chat(row).history) for row in rows)


def test_an_error_is_read_back() -> None:
    row = {
        "agents": ["personal_context", "task_completion"],
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "1", "content": '{"error": "no"}'},
            {"role": "assistant", "content": "It failed."},
        ],
    }
    found = from_chat(row).turn
    assert found.steps[0].observations == (Observation(found.steps[0].calls[0], error="no"),)
    assert (found.response, found.steps[1].agent) == ("It failed.", Agent.TASK)


def test_parquet_is_read_back(dataset: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pip install 'camphor-lab[data]'")
    out = tmp_path / "test.parquet"
    assert write_parquet(dataset, out, Counter()) == 80
    items = list(read_items(dataset))
    for item, again in zip(items, read_parquet(out), strict=True):
        phone = json.loads((dataset.parent / str(item.device)).read_text(encoding="utf-8"))
        assert again == replace(item, device=phone)
    write_items(tmp_path / "again.jsonl", read_parquet(out))  # phones in the lines
    assert write_parquet(tmp_path / "again.jsonl", tmp_path / "b.parquet", Counter()) == 80
    assert (tmp_path / "b.parquet").read_bytes() == out.read_bytes()


def test_a_file_that_is_no_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pip install 'camphor-lab[data]'")
    path = tmp_path / "x.parquet"
    path.write_text("no", encoding="utf-8")
    with pytest.raises(DatasetError, match=r"x\.parquet: not a Parquet file"):
        list(read_parquet(path))


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
