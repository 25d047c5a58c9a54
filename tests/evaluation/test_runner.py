from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from camphor.device.device import Device
from camphor.errors import DatasetError, DeviceFileError, ModelError, UsageError
from camphor.tools.calls import calls_from_json
from camphor.trajectories.items import Item
from camphor.types import Agent, Call, Step
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.runner import Answer, Answerer, evaluate
from camphor_lab.evaluation.sources import source_of_now
from tests.doubles.evaluation import Alike

PERSON = {"person_id": "1", "name": "Jo Doe", "phone_number": "555-123-4567", "relationship": "Friend"}
DEVICE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "jo",
    "owner": "Ann",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "apps": {
        "contacts": {"people": [PERSON]},
        "imessage": {"messages": []},
        "reminders": {"reminders": []},
    },
}


def text(content: Any) -> dict[str, Any]:
    return {"name": "send_imessage_message", "arguments": {"receiver": "555-123-4567", "content": content}}


def remind(time: str) -> dict[str, Any]:
    return {"name": "create_reminders", "arguments": {"time": time, "content": "Call"}}


LINES: list[dict[str, Any]] = [
    {"id": "a", "query": "tell Jo I'm late", "calls": [text({"any_of": ["I'm late", "late"]})], "tags": ["single"]},
    {"id": "b", "query": "remind me", "calls": [remind("2026-03-12T18:00:00")], "tags": ["single", "time"]},
    {"id": "c", "query": "what's up", "calls": []},
    {
        "id": "d",
        "query": "and tell her",
        "calls": [text("soon")],
        "history": [{"query": "tell Jo", "calls": [text("x")]}],
    },
]


def dataset(folder: Path, lines: Iterable[Any] = LINES, device: Any = "devices/jo.device.json") -> Path:
    (folder / "devices").mkdir(exist_ok=True)
    (folder / "devices" / "jo.device.json").write_text(json.dumps(DEVICE))
    path = folder / "items.jsonl"
    path.write_text("".join(json.dumps({"device": device, **line}) + "\n" for line in lines))
    return path


class Oracle:
    """Does what the gold says, on the device; fails on the queries named."""

    def __init__(self, fails: tuple[str, ...] = (), error: BaseException | None = None) -> None:
        self.fails, self.error = fails, error or ModelError("the model gave up")
        self.asked: list[str] = []

    def answer(self, item: Item, device: Device) -> Answer:
        self.asked.append(item.id)
        assert not device.journal(), "each query has a device of its own"
        if item.id in self.fails:
            raise self.error
        calls = []
        for call in calls_from_json(item.calls or ()):
            plain = {n: v["any_of"][0] if isinstance(v, dict) else v for n, v in call.arguments.items()}
            calls.append(device.execute(Call(call.name, plain)).call)
        return Answer(tuple(calls), (Step(Agent.TASK, tuple(calls)),), "Done.", {"prompt_tokens": 7})


def run(path: Path, answerer: Answerer, **more: Any) -> dict[str, Any]:
    return evaluate(Dataset(path), answerer, Alike(), **{"model": "oracle", **more})


def test_an_oracle_is_right_about_everything(tmp_path: Path) -> None:
    seen: list[tuple[int, int, str]] = []

    def progress(done: int, total: int, result: Result) -> None:
        seen.append((done, total, result.id))

    out = tmp_path / "r.json"
    report = run(dataset(tmp_path), Oracle(), out=out, command="camphor lab evaluate items.jsonl", progress=progress)
    metrics = report["metrics"]
    assert metrics["tool_f1"] == metrics["delexicalized_plan_f1"] == metrics["plan_f1"] == 1.0
    assert metrics["no_call_accuracy"] == metrics["exact"] == 1.0
    assert metrics["hallucinated_tools"] == metrics["hallucinated_parameters"] == metrics["errors"] == 0
    assert metrics["by_turn"]["follow-up"]["items"] == 1
    assert seen == [(1, 4, "a"), (2, 4, "b"), (3, 4, "c"), (4, 4, "d")]
    written = json.loads(out.read_text())
    assert written.pop("source") == json.loads(json.dumps(source_of_now()))
    assert written == json.loads(json.dumps(report))
    assert [item["id"] for item in report["items"]] == ["a", "b", "c", "d"]
    assert report["items"][0]["gold"] == LINES[0]["calls"]
    timing = report["items"][0]["timing"]
    assert timing["prompt_tokens"] == 7
    assert timing["cpu_seconds"] >= 0
    about = report["run"]
    assert about["command"] == "camphor lab evaluate items.jsonl"
    assert (about["model"], about["strategy"], about["dataset"]) == ("oracle", "camphor", "items.jsonl")
    assert about["resumed"] == 0
    assert not list(tmp_path.glob("*.partial.jsonl"))


def test_a_device_may_stand_in_the_item(tmp_path: Path) -> None:
    assert run(dataset(tmp_path, device=DEVICE), Oracle())["metrics"]["plan_f1"] == 1.0


@pytest.mark.parametrize("error", [ModelError("the model gave up"), ZeroDivisionError("division"), MemoryError("all")])
def test_a_failed_query_is_a_result(tmp_path: Path, error: Exception) -> None:
    report = run(dataset(tmp_path), Oracle(fails=("b",), error=error))
    assert report["items"][1]["error"] == f"{type(error).__name__}: {error}"
    assert report["items"][1]["predicted"] == []
    assert report["metrics"]["errors"] == 1
    assert report["metrics"]["tool_f1"] == pytest.approx(2 * 2 / (3 + 2))


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    path, out = dataset(tmp_path), tmp_path / "r.json"
    first = Oracle(fails=("c",), error=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run(path, first, out=out)
    assert not out.exists()
    second = Oracle()
    report = run(path, second, out=out)
    assert second.asked == ["c", "d"]
    assert report["run"]["resumed"] == 2
    assert report["metrics"]["plan_f1"] == 1.0
    uninterrupted = run(path, Oracle(), out=out)
    drop = ("seconds", "timing")
    assert [{k: v for k, v in item.items() if k not in drop} for item in report["items"]] == [
        {k: v for k, v in item.items() if k not in drop} for item in uninterrupted["items"]
    ]


@pytest.mark.parametrize("changed", ["model", "strategy", "settings", "dataset", "device"])
def test_another_configuration_starts_anew(tmp_path: Path, changed: str) -> None:
    path, out = dataset(tmp_path), tmp_path / "r.json"
    with pytest.raises(KeyboardInterrupt):
        run(path, Oracle(fails=("c",), error=KeyboardInterrupt()), out=out)
    more: dict[str, Any] = {}
    if changed == "dataset":
        path.write_text(path.read_text().replace("what's up", "what is up"))
    elif changed == "device":
        file = tmp_path / "devices" / "jo.device.json"
        file.write_text(file.read_text().replace("Dublin", "London"))
    else:
        more[changed] = {"adapter": "x"} if changed == "settings" else "another"
    anew = Oracle()
    run(path, anew, out=out, **more)
    assert anew.asked == ["a", "b", "c", "d"]


def test_limit_takes_the_first_and_is_no_other_configuration(tmp_path: Path) -> None:
    path = dataset(tmp_path)
    few = Dataset(path, limit=2)
    assert [item.id for item in few.items] == ["a", "b"]
    assert few.fingerprint == Dataset(path).fingerprint
    with pytest.raises(UsageError, match="limit"):
        Dataset(path, limit=0)


def test_hallucinations_of_the_system_are_counted_against_the_device(tmp_path: Path) -> None:
    class Dreamer:
        def answer(self, item: Item, device: Device) -> Answer:
            return Answer((Call("create_reminders", {"when": "now"}), Call("play_music", {"title": "x"})))

    metrics = run(dataset(tmp_path), Dreamer())["metrics"]
    assert (metrics["hallucinated_tools"], metrics["hallucinated_parameters"]) == (4, 4)  # no music app on this phone
    assert metrics["no_call_accuracy"] == 0.0


BAD_LINES = [
    ("{", "not JSON"),
    ('{"id": "x", "query": "q", "calls": []}', "device"),
    ('{"id": "x", "device": "none.json", "query": "q", "calls": []}', "none.json"),
    ('{"id": "x", "device": "devices/jo.device.json", "query": "q"}', "calls"),
    ('{"id": "a", "device": "devices/jo.device.json", "query": "q", "calls": []}', "unique"),
    ('{"id": "x", "device": "devices/jo.device.json", "query": "q", "calls": [{}]}', "name"),
]


@pytest.mark.parametrize(("line", "told"), BAD_LINES)
def test_a_bad_line_is_told_with_its_number(tmp_path: Path, line: str, told: str) -> None:
    path = dataset(tmp_path)
    path.write_text(path.read_text() + "\n" + line + "\n")
    with pytest.raises(DatasetError, match=r"line 6\b") as caught:
        Dataset(path)
    assert caught.value.line == 6
    assert told in str(caught.value)


def test_no_queries_and_no_file_are_told(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("\n\n")
    with pytest.raises(UsageError, match="holds no queries"):
        Dataset(path)
    with pytest.raises(UsageError, match=r"none\.jsonl"):
        Dataset(tmp_path / "none.jsonl")


def test_a_broken_device_is_told_before_the_first_query(tmp_path: Path) -> None:
    path = dataset(tmp_path)
    (tmp_path / "devices" / "jo.device.json").write_text('{"format": "other"}')
    oracle = Oracle()
    with pytest.raises(DeviceFileError):
        run(path, oracle)
    assert not oracle.asked
