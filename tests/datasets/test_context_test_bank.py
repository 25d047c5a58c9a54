"""The wordings of the test split: they load, cover every intent and its kinds, and none is also for training."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from camphor_lab.datasets.context.intents import INTENTS
from camphor_lab.datasets.context.phrases import QueryBank, read_bank

LEAST = 12
_CHOICE = re.compile(r"\[([^\[\]]*)\]")


def bare(text: str) -> str:
    """The words alone: what stands between words, and in which case they are, tells no wordings apart."""
    return " ".join(re.findall(r"[\w{}']+", text.casefold().replace("\u2019", "'")))


def readings(text: str) -> Iterator[str]:
    """Every wording that a phrase stands for, by its words."""
    parts = [part.split("|") if at % 2 else [part] for at, part in enumerate(_CHOICE.split(text))]
    return (bare("".join(chosen)) for chosen in itertools.product(*parts))


def words_of(bank: QueryBank) -> Counter[tuple[str, str]]:
    return Counter((phrase.intent.name, one) for phrase in bank.phrases for one in readings(phrase.text))


@pytest.fixture(scope="module")
def bank() -> QueryBank:
    return read_bank("test")


def test_every_intent_has_enough_wordings(bank: QueryBank) -> None:
    few = {name: len(bank.of(name)) for name in INTENTS if len(bank.of(name)) < LEAST}
    assert not few


def test_every_kind_of_an_intent_can_be_meant(bank: QueryBank) -> None:
    covered: defaultdict[str, set[str]] = defaultdict(set)
    for phrase in bank.phrases:
        covered[phrase.intent.name].update(phrase.kinds)
    missing = {name: set(intent.kinds) - covered[name] for name, intent in INTENTS.items()}
    assert not {name: kinds for name, kinds in missing.items() if kinds}


def test_no_wording_stands_twice(bank: QueryBank) -> None:
    assert [one for one, count in words_of(bank).items() if count > 1] == []


def test_no_wording_means_two_intents(bank: QueryBank) -> None:
    intents: defaultdict[str, set[str]] = defaultdict(set)
    for name, one in words_of(bank):
        intents[one].add(name)
    assert {one: names for one, names in intents.items() if len(names) > 1} == {}


def test_no_wording_is_also_for_training(bank: QueryBank) -> None:
    training = {one for _, one in words_of(read_bank("train"))}
    assert training
    assert sorted({one for _, one in words_of(bank)} & training) == []


def test_no_value_is_also_for_training(bank: QueryBank) -> None:
    training = read_bank("train").values
    shared = {slot: {bare(value) for value in values} & {bare(value) for value in training.get(slot, ())}
              for slot, values in bank.values.items()}  # fmt: skip
    assert {slot: sorted(values) for slot, values in shared.items() if values} == {}


def test_marks_and_slots_are_whole(bank: QueryBank) -> None:
    for phrase in bank.phrases:
        assert phrase.text.count("<") == phrase.text.count(">") <= 1, phrase.text
        assert "they" not in phrase.slots or not re.search(r"\{they\} (is|are|has|was|were|does)\b", phrase.text)
