"""Training of what reads the facts that a person tells, on a handful of lines: it learns them; bad lines are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.memory.told_facts import Effect, MemoryAct, read_fact_model
from camphor.errors import DatasetError, UsageError
from camphor_lab.training.facts import FactsConfig, train_facts

CONFIG = FactsConfig(rank=8, layers=2, epochs=60.0, batch=8, drawn=2, pairs=2, rate=1e-3)
NAMES = ("Ana", "Bo", "Cleo", "Dara", "Eve", "Finn", "Gil", "Hana", "Ida", "Jon")


def fact(text: str, clause: str, relation: str, topic: str, value: str, effect: str = "new") -> dict[str, Any]:
    told = {"clause": clause, "effect": effect, "relation": relation, "subject": "me", "topic": topic, "value": value}
    return {"text": text, "facts": [{**told, "until": ""}]}


def lines(path: Path, values: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in values), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("facts")
    told = [
        fact(f"oh, my sister is {name}, by the way", f"my sister is {name}", "person", "sister", name) for name in NAMES
    ]
    told += [{"text": f"text {name} that I am late", "facts": []} for name in NAMES]
    acts = [{"text": f"forget what I said about {name}", "act": "forget", "about": name} for name in NAMES]
    pairs = [
        {"memory": [f"my sister is {name}", "I take the bus"], "say": f"text my sister, not {name}", "uses": [0]}
        for name in NAMES
    ]
    out = folder / "facts.npz"
    about = train_facts(
        [lines(folder / "told.jsonl", told)], out, CONFIG, lambda *_: None,
        acts=[lines(folder / "acts.jsonl", acts)], pairs=[lines(folder / "pairs.jsonl", pairs)],
    )  # fmt: skip
    return out, about


def test_what_was_learnt_is_read_again(trained: tuple[Path, dict[str, Any]]) -> None:
    model = read_fact_model(trained[0])
    best = max(model.read("oh, my sister is Mia, by the way").facts, key=lambda fact: fact.chance)
    assert best.chance > 0.5
    assert (best.relation.name, best.effect) == ("person", Effect.NEW)
    assert all(fact.chance < 0.5 for fact in model.read("text Mia that I am late").facts)
    assert model.read("forget what I said about Mia").act is MemoryAct.FORGET


def test_a_memory_that_a_text_needs_is_told_from_another(trained: tuple[Path, dict[str, Any]]) -> None:
    model = read_fact_model(trained[0])
    sister, bus = model.bearings("text my sister, not Mia", ["my sister is Mia", "I take the bus"])
    assert sister.uses > bus.uses
    assert max(sister.replaces, bus.replaces) < 0.5


def test_it_says_of_what_it_was_made(trained: tuple[Path, dict[str, Any]]) -> None:
    assert trained[1]["texts"] == 30
    assert trained[1]["held_out"]["facts"] > 0
    assert len(trained[1]["data"]) > 10


@pytest.mark.parametrize(
    "line",
    [
        {"text": "my cat is Tom", "facts": [{"clause": "my dog", "effect": "new", "relation": "pet"}]},
        fact("my cat is Tom", "my cat is Tom", "beast", "cat", "Tom"),
        fact("my cat is Tom", "my cat is Tom", "pet", "cat", "Tom", "gone"),
        {"facts": []},
    ],
)
def test_a_bad_line_is_named(line: dict[str, Any], tmp_path: Path) -> None:
    path = lines(tmp_path / "told.jsonl", [fact("my cat is Tom", "my cat is Tom", "pet", "cat", "Tom"), line])
    with pytest.raises(DatasetError, match="2"):
        train_facts([path], tmp_path / "out.npz", CONFIG, lambda *_: None)
    assert not (tmp_path / "out.npz").exists()


def test_without_facts_there_is_nothing_to_learn(tmp_path: Path) -> None:
    path = lines(tmp_path / "told.jsonl", [{"text": "hello", "facts": []}])
    with pytest.raises(UsageError, match="mark no facts"):
        train_facts([path], tmp_path / "out.npz", CONFIG, lambda *_: None)
