from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.device.device import Device
from camphor.errors import DatasetError
from camphor.trajectories.items import Item
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.runner import TOGETHER, SystemAnswer, chunks, one_by_one, run_apart

PHONE = {"format": "camphor.device/1", "id": "x", "owner": "Ann", "now": "2026-03-12T08:45:00", "apps": {}}


class Echo:
    """An answerer that says the query back, and breaks on one."""

    def answer(self, item: Item, device: Device) -> SystemAnswer:
        if item.query == "break":
            raise ValueError("broken")
        return SystemAnswer((), (), f"{device.id}: {item.query}")


def folder(path: Path, first: int = 3) -> Path:
    for name in ("a", "b"):
        (path / f"{name}.device.json").write_text(json.dumps({**PHONE, "id": name}))
    for name, size in (("one", first), ("two", 2)):
        lines = [
            {"id": f"{name}-{at}", "device": "ab"[at % 2] + ".device.json", "query": f"q{at}" if at else "break",
             "calls": []}
            for at in range(size)
        ]  # fmt: skip
        (path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def told(results: list[Result]) -> list[tuple[str, str, str | None]]:
    return [(each.id, each.response, each.error) for each in results]


def test_a_folder_is_its_files_in_order_and_each_id_is_unique(tmp_path: Path) -> None:
    dataset = Dataset(folder(tmp_path))
    assert [item.id for item in dataset.items] == ["one-0", "one-1", "one-2", "two-0", "two-1"]
    assert dataset.name == "one.jsonl, two.jsonl"
    assert dataset.fingerprint == Dataset(tmp_path / "one.jsonl", tmp_path / "two.jsonl").fingerprint
    (tmp_path / "three.jsonl").write_text((tmp_path / "two.jsonl").read_text())
    with pytest.raises(DatasetError, match="two-0"):
        Dataset(tmp_path)


def test_several_processes_say_what_one_does(tmp_path: Path) -> None:
    dataset, seen = Dataset(folder(tmp_path)), []
    results = run_apart(dataset, Echo, 2, progress=lambda done, of, result: seen.append((done, of)))
    assert told(results) == told(one_by_one(dataset, Echo()))
    assert results[0].error == "ValueError: broken"
    assert seen == [(at, 5) for at in range(1, 6)]


def test_queries_on_one_phone_stay_together(tmp_path: Path) -> None:
    dataset = Dataset(folder(tmp_path, first=2 * TOGETHER + 6))
    made = list(chunks(dataset, dataset.items))
    assert all(len({item.device for item in chunk}) == 1 and len(chunk) <= TOGETHER for chunk in made)
    assert sorted(item.id for chunk in made for item in chunk) == sorted(item.id for item in dataset.items)
    assert [len(chunk) for chunk in made] == [TOGETHER, 4, TOGETHER, 4]
