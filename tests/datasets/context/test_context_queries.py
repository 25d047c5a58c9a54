"""Implicit queries: what they mean is on the phone, their plans fit the toolbox, and the splits share nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from camphor.device import format as device_format
from camphor.device.device import Device
from camphor.errors import DatasetError
from camphor.tools.invoke import check
from camphor_lab.datasets.context.folder import content_words, people, shared_words, write_dataset
from camphor_lab.datasets.context.intents import ANY, INTENTS
from camphor_lab.datasets.context.phrases import ROOT, SPLITS, QueryBank, read_bank
from camphor_lab.datasets.context.present import document_at, records_of
from camphor_lab.datasets.context.samples import ContextSample, device_of, read_context_samples
from camphor_lab.datasets.context.simulate import TABLE
from camphor_lab.datasets.context.toolbox import STORES, context_toolbox, read_toolbox

COUNTS = {"train": 150, "test": 40}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("context")
    write_dataset(out, 28, COUNTS, seed=3)
    return out


@pytest.fixture(scope="module")
def samples(folder: Path) -> list[ContextSample]:
    return [one for split in SPLITS for one in read_context_samples(folder / f"{split}.jsonl")]


@pytest.fixture(scope="module")
def banks() -> dict[str, QueryBank]:
    return {split: read_bank(split) for split in SPLITS}


def test_as_many_as_wanted_and_split_by_person(folder: Path) -> None:
    found = {split: list(read_context_samples(folder / f"{split}.jsonl")) for split in SPLITS}
    assert {split: len(some) for split, some in found.items()} == COUNTS
    persons = {split: {one.persona for one in some} for split, some in found.items()}
    assert not persons["train"] & persons["test"]
    assert len({one.id for some in found.values() for one in some}) == sum(COUNTS.values())


def test_gold_items_are_on_the_phone(folder: Path, samples: list[ContextSample]) -> None:
    for one in samples:
        assert 1 <= len(one.context) <= 4
        assert len(set(one.context)) == len(one.context)
        device = device_of(one, folder)
        for ref in one.context:
            assert STORES[ref.app] == ref.list
            assert ref.ordinal < len(records_of(device, ref.app)), one


def test_plans_fit_the_toolbox(folder: Path, samples: list[ContextSample]) -> None:
    toolbox = read_toolbox(folder / "toolbox.json")
    assert len(toolbox) == 59
    for one in samples:
        (call,) = one.plan
        assert one.tools[0] == call.name
        assert 1 <= len(one.tools) <= 3
        assert all(tool in toolbox for tool in one.tools)
        assert check(toolbox.get(call.name), call) == call


def test_values_of_plans_stand_in_the_query_or_in_gold_items(folder: Path, samples: list[ContextSample]) -> None:
    computed = {"time_range", "start", "time", "topic"}
    for one in samples:
        device = device_of(one, folder)
        records = [records_of(device, ref.app)[ref.ordinal] for ref in one.context]
        texts = [one.query, *(str(value) for record in records for value in record.values())]
        for name, value in one.plan[0].arguments.items():
            assert name in computed or any(str(value) in text for text in texts), one


def test_the_same_seed_gives_the_same_dataset(folder: Path, tmp_path: Path) -> None:
    write_dataset(tmp_path, 28, COUNTS, seed=3)
    for name in ("train.jsonl", "test.jsonl", "toolbox.json"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_devices_can_be_installed(folder: Path, samples: list[ContextSample]) -> None:
    one = samples[0]
    document = device_of(one, folder)
    with Device.create(None, document) as device:
        held = {(app, name): len(rows) for app, name, rows in _lists(document)}
        assert sum(held.values()) > 10
        assert {app for app, _ in held} == set(STORES)
        assert device.now == one.now


def _lists(document: dict) -> list[tuple[str, str, list]]:
    found = []
    for app, name, keys in device_format.record_lists(document):
        value = document
        for key in keys:
            value = value[key]
        found.append((app, name, value))
    return found


def test_what_lies_after_the_query_is_not_seen(folder: Path, samples: list[ContextSample]) -> None:
    for one in samples[:40]:
        whole = device_format.read(folder / one.device)
        device = document_at(whole, one.now, one.place)
        moment = one.now.isoformat()
        assert all(event["at"] <= moment for event in device["usage"])
        for app in STORES:
            now, end = records_of(device, app), records_of(whole, app)
            # an item keeps its place: the earlier phone holds the first items of the later one
            titles = [[next(iter(record.values())) for record in rows] for rows in (now, end)]
            assert titles[0] == titles[1][: len(now)]
        assert device["now"] == moment


def test_intents_are_balanced(samples: list[ContextSample]) -> None:
    counts = Counter(one.intent for one in samples)
    assert max(counts.values()) <= len(samples) * 0.08
    assert len(counts) > 40
    usage = sum(INTENTS[one.intent].usage for one in samples) / len(samples)
    assert 0.05 < usage < 0.25


def test_few_queries_share_words_with_what_they_mean(folder: Path, samples: list[ContextSample]) -> None:
    shared = [shared_words(one, device_of(one, folder)) for one in samples]
    assert sum(map(bool, shared)) / len(samples) < 0.35


def test_content_words_are_those_that_find_something() -> None:
    assert content_words("When's my next guitar lesson, and is it today?") == {"guitar", "lesson"}
    assert content_words("buses BUS the to") == {"buse", "bus"}


def test_wordings_of_the_splits_differ(banks: dict[str, QueryBank]) -> None:
    texts = {split: {phrase.text.casefold() for phrase in bank.phrases} for split, bank in banks.items()}
    assert not texts["train"] & texts["test"]
    for bank in banks.values():
        assert {phrase.intent.name for phrase in bank.phrases} == set(INTENTS)


def test_every_intent_has_enough_wordings(banks: dict[str, QueryBank]) -> None:
    assert all(len(banks["train"].of(name)) >= 14 for name in INTENTS)
    assert all(len(banks["test"].of(name)) >= 4 for name in INTENTS)


def test_intents_name_what_there_is() -> None:
    for one in INTENTS.values():
        assert set(one.kinds) <= {*TABLE, ANY}
        assert all(tool in context_toolbox() for tool in one.tools)
        tool = context_toolbox().get(one.tools[0])
        assert all(tool.parameter(argument) for _, argument in one.slots)
        assert not one.text or tool.parameter(one.text)


def test_the_readme_lists_every_intent() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    listed = {line.split("`")[1] for line in lines if line.startswith("| `")}
    assert listed == set(INTENTS)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[nonsense]\nany = ["x"]', "no intent nonsense"),
        ('[late]\nany = ["late {moment}"]', "does not take"),
        ('[move]\nany = ["move it"]', r"lacks \{moment\}"),
        ('[today]\nany = ["<what> now"]', "no plan copies"),
        ('[late]\nany = ["[a|b"]', "brackets"),
        ('[late]\ntrip = ["x"]', "no kind trip"),
        ("[late]\nany = [1]", "list of texts"),
        ("late = 1", "table"),
        ("x", "not TOML"),
    ],
)
def test_wrong_wordings_are_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "a.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DatasetError, match=told):
        read_bank("train", tmp_path)


def test_people_are_shared_out() -> None:
    found = people(791)
    assert len(found["train"]) + len(found["test"]) == 791
    assert not set(found["train"]) & set(found["test"])
    assert 130 <= len(found["test"]) <= 150
