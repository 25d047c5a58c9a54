"""A test split is wide: skeletons recur seldom, queries differ, and its invented apps are its own."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from camphor.trajectories.items import Item, read_items
from camphor_lab.datasets.bank import Bank, Spread, load, most_of
from camphor_lab.datasets.generate import generate
from camphor_lab.datasets.situations.apps import keyword_parameter

COUNT = 350


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spread")
    for split in ("test", "train"):
        generate(folder, split=split, count=COUNT, seed=4)
    return folder


def items_of(folder: Path, split: str) -> list[Item]:
    return list(read_items(folder / f"{split}.jsonl"))


def invented(folder: Path, item: Item) -> set[str]:
    data = json.loads((folder / str(item.device)).read_text(encoding="utf-8"))
    return set(data["apps"]) & set(load()["apps"])


def test_invented_apps_belong_to_one_split(made: Path) -> None:
    train, test = set(Bank("train").apps), set(Bank("test").apps)
    assert not train & test
    assert train | test == set(load()["apps"])
    assert 0.1 < len(test) / len(train | test) < 0.4
    named = {name: app["split"] for name, app in load()["apps"].items() if "split" in app}
    assert set(named.values()) == {"train", "test"}
    assert all(name in (train if split == "train" else test) for name, split in named.items())
    for split, own in (("train", train), ("test", test)):
        for item in items_of(made, split):
            assert invented(made, item) <= own
            assert ("unseen_app" in item.tags) == (split == "test" and "own_app" in item.tags)
            assert ("own_app" in item.tags) == ("app" in item.extra)
            assert ("held_out_app" in item.tags) <= ("unseen_app" in item.tags)


def test_no_skeleton_of_a_test_split_recurs_often(made: Path) -> None:
    used: Counter[str] = Counter()
    phones: dict[str, Counter[str]] = {}
    for item in items_of(made, "test"):
        used.update(item.extra["skeletons"])
        phones.setdefault(str(item.device), Counter()).update(item.extra["skeletons"])
    assert max(used.values()) <= most_of(COUNT) + 1  # a skeleton may stand twice in one query
    assert len({item.extra["situation"] for item in items_of(made, "test")}) > 60


def test_a_skeleton_used_up_is_closed() -> None:
    spread = Spread(2, {"call {person}": 1})
    spread.add(["call {person}"])
    assert spread.open(["call {person}", "ring {person}"]) == ("ring {person}",)
    assert not spread.fits(["ring {person}", "call {person}"])
    assert spread.fits(["ring {person}"])
    assert Spread(None, {"x": 99}).open(["x"]) == ("x",)
    assert most_of(0) == most_of(682) == 4
    assert most_of(7000) == 40


def test_a_search_by_another_name_than_keyword_is_filled(made: Path) -> None:
    assert keyword_parameter({"parameters": {"tank": {"type": "string"}}}) == "tank"
    assert keyword_parameter({"parameters": {"keyword": {"type": "string"}, "room": {"type": "string"}}}) == "keyword"
    assert keyword_parameter({"parameters": {"date": {"type": "string", "format": "date"}}}) == ""
    seen = 0
    tools = {tool["name"]: keyword_parameter(tool) for app in load()["apps"].values() for tool in app["tools"]}
    for split in ("train", "test"):
        for item in items_of(made, split):
            for call in (call for step in item.steps for call in step["calls"]):
                if tools.get(call["name"], "keyword") not in ("keyword", "") and step_reads(call, item):
                    seen += 1
                    assert call["arguments"]
    assert seen


def step_reads(call: dict[str, object], item: Item) -> bool:
    return all(call not in step["calls"] for step in item.steps if step["agent"] == "task_completion")


def test_a_stopped_test_split_goes_on_as_if_it_had_not_been_stopped(made: Path, tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(done: int, wanted: int) -> None:
        if done > COUNT / 2:
            raise Stopped

    with pytest.raises(Stopped):
        generate(tmp_path, split="test", count=COUNT, seed=4, progress=stop)
    generate(tmp_path, split="test", count=COUNT, seed=4)
    assert (tmp_path / "test.jsonl").read_bytes() == (made / "test.jsonl").read_bytes()
