"""Generated sets: the same again from the same seed, resumed without loss, gold proved on the device."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from camphor.device.device import Device
from camphor.device.text import words
from camphor.errors import UsageError
from camphor.trajectories.items import GoldMismatch, Item, check, read_items, replay
from camphor.types import Agent
from camphor_lab.datasets.bank import APART, SAID, Bank, load, read_said
from camphor_lab.datasets.generate import generate, sizes_of
from camphor_lab.datasets.phones import make_phone
from camphor_lab.datasets.wishes import PROGRAMS, Unfit, World

COUNT = 240


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    for split in ("train", "test"):
        assert generate(folder, split=split, count=COUNT, seed=3).written == COUNT
    return folder


def items_of(folder: Path, split: str) -> list[Item]:
    return list(read_items(folder / f"{split}.jsonl"))


def test_the_same_seed_makes_the_same_set(made: Path, tmp_path: Path) -> None:
    generate(tmp_path, split="train", count=COUNT, seed=3)
    assert (tmp_path / "train.jsonl").read_bytes() == (made / "train.jsonl").read_bytes()


def test_a_stopped_run_goes_on_where_it_was(made: Path, tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(done: int, wanted: int) -> None:
        if done > COUNT / 2:
            raise Stopped

    with pytest.raises(Stopped):
        generate(tmp_path, split="train", count=COUNT, seed=3, progress=stop)
    path = tmp_path / "train.jsonl"
    path.write_bytes(path.read_bytes()[:-200])  # killed in the middle of a line
    generate(tmp_path, split="train", count=COUNT, seed=3)
    assert path.read_bytes() == (made / "train.jsonl").read_bytes()


def test_a_smaller_count_takes_nothing_away(tmp_path: Path) -> None:
    assert generate(tmp_path, count=30, seed=3).written == 30
    whole = (tmp_path / "train.jsonl").read_bytes()
    assert generate(tmp_path, count=10, seed=3).written == 30
    assert (tmp_path / "train.jsonl").read_bytes() == whole


def test_a_run_with_another_seed_is_not_continued(tmp_path: Path) -> None:
    generate(tmp_path, split="train", count=12, seed=3)
    with pytest.raises(UsageError, match="other settings"):
        generate(tmp_path, split="train", count=24, seed=4)


@pytest.mark.parametrize("split", ["train", "test"])
def test_every_gold_call_is_reached_on_the_device(made: Path, split: str) -> None:
    for item in items_of(made, split):
        with Device.from_file(made / str(item.device)) as device:
            trajectory = replay(item, device)
        check(item, trajectory)
        assert trajectory.turn.steps[-1].agent is Agent.TASK
        assert item.calls or item.response


def test_personas_of_the_splits_differ(made: Path) -> None:
    owners = {
        split: {
            json.loads((made / str(item.device)).read_text(encoding="utf-8"))["owner"] for item in items_of(made, split)
        }
        for split in ("train", "test")
    }
    assert not owners["train"] & owners["test"]


def test_the_set_is_varied(made: Path) -> None:
    items = items_of(made, "train")
    sizes = Counter(len(item.calls or ()) for item in items)
    assert {0, 1, 2, 3} <= set(sizes)
    assert len({item.query for item in items}) > 0.97 * len(items)
    assert sum(bool(item.history) for item in items) > 0.05 * len(items)


def test_a_wrong_gold_is_refused(made: Path) -> None:
    item = next(item for item in items_of(made, "train") if item.calls and not item.history)
    changed = [{**call, "name": "create_notes", "arguments": {"content": "no"}} for call in item.calls or ()]
    wrong = Item(item.id, item.device, item.query, steps=item.steps, calls=tuple(changed))
    with Device.from_file(made / str(item.device)) as device, pytest.raises(GoldMismatch):
        check(wrong, replay(wrong, device))


@pytest.mark.parametrize("seed", range(12))
def test_phones_are_lifelike_and_valid(seed: int) -> None:
    phone = make_phone(Bank("train"), Random(seed), seed)
    with Device.create(None, phone.data) as device:
        assert 10 <= len(device.apps) <= 21
        assert device.now == phone.now
    people = phone.records("contacts", "people")
    names = {person["name"] for person in people}
    assert len(names) == len(people)
    assert sum(person["is_self"] for person in people) == 1
    for event in phone.records("calendar", "events"):
        assert set(event.get("participants", ())) <= names
    for message in phone.records("imessage", "messages"):
        assert message["contact"] in names
        assert message["date"] <= phone.data["now"]


def test_no_answer_or_action_carries_an_order_hidden_in_a_record() -> None:
    """Many facts are asked of many phones: orders stand in few of the records."""
    bank, hidden = Bank("train"), 0
    orders = bank.content["injections"]
    for number in range(60):
        rng = Random(number)
        world = World(make_phone(bank, rng, number), bank, rng)
        for _ in range(8):
            try:
                wish = PROGRAMS["fact"][1](world)
            except Unfit:
                continue
            text = wish.response + str([act.gold for act in wish.acts])
            assert not any(order.rstrip(".") in text for order in orders)
            hidden += "injection" in wish.tags
    assert hidden > 3


def test_no_value_that_is_said_is_in_both_splits() -> None:
    train, test = Bank("train"), Bank("test")
    assert set(load()["content"]) >= APART
    for kind in APART:
        assert set(train.content[kind]) | set(test.content[kind]) == set(load()["content"][kind])
    values = {
        bank.split: {" ".join(words(text)) for kind in SAID for line in bank.content[kind] for text in first(line)}
        for bank in (train, test)
    }
    assert not values["train"] & values["test"]
    assert len(values["test"]) > 100


def first(line: str) -> tuple[str, ...]:
    return read_said(line.partition(" => ")[0]).written[:1]


def test_the_paper_sizes_and_four_to_one() -> None:
    assert sizes_of(None, None) == {"test": 682, "train": 2728}
    assert sizes_of(None, 100_000) == {"test": 20_000, "train": 80_000}
    assert sizes_of(None, 1) == {"train": 1}
    assert sizes_of("test", None) == {"test": 682}
    assert sizes_of("train", 5) == {"train": 5}


def test_single_situations_can_be_drawn_alone_until_the_bank_has_no_more(tmp_path: Path) -> None:
    summary = generate(tmp_path, split="train", count=40, seed=5, only=("impossible", "chat"))
    assert set(summary.situations) == {"impossible", "chat"}
    assert set(summary.sizes) == {0}
    short = generate(tmp_path / "where", split="train", count=100_000, seed=5, only=("where",))
    assert 10 < short.written < 100_000
    with pytest.raises(UsageError, match="no situation 'nope'"):
        generate(tmp_path / "none", only=("nope",))
