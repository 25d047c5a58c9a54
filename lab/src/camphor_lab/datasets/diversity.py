"""What a dataset holds, how varied it is, and what its splits share: the figures of the dataset card."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Indel

from camphor.errors import UsageError
from camphor.trajectories.items import Item, read_items
from camphor.types import Agent
from camphor_lab.datasets.generate import free_texts
from camphor_lab.datasets.similarity import Codes, Similar, tokens

SAMPLE = 2000  # queries whose nearest neighbour is looked for, among all
SUBSET = 500  # queries over which distinct-n is taken too: it falls with size


@dataclass
class Split:
    """What one file of a dataset says, kept for counting."""

    name: str
    queries: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)  # with those of earlier turns
    skeletons: list[tuple[str, ...]] = field(default_factory=list)
    owners: set[str] = field(default_factory=set)
    phones: set[str] = field(default_factory=set)
    apps: set[str] = field(default_factory=set)  # that bring their own manifest
    values: set[str] = field(default_factory=set)
    tags: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    look_ups: Counter[str] = field(default_factory=Counter)
    calls: list[int] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)


def read_splits(folder: Path) -> list[Split]:
    """The splits in a folder, `train.jsonl` and `test.jsonl` before others.

    Raises:
        UsageError: there is no dataset. DatasetError: one breaks the format.
    """
    first = {"train": 0, "test": 1}
    files = sorted(folder.glob("*.jsonl"), key=lambda path: (first.get(path.stem, 2), path.stem))
    splits = [_read(path) for path in files if path.stem != "rejected"]  # those are no part of what was written
    if not any(split.queries for split in splits):
        raise UsageError(f"{folder}: there is no dataset here: make one with  camphor lab data generate {folder}")
    return [split for split in splits if split.queries]


def _read(path: Path) -> Split:
    split = Split(path.stem)
    for item in read_items(path):
        split.queries.append(item.query)
        split.said += [str(turn["query"]) for turn in _turns(item)]
        split.skeletons.append(tuple(item.extra.get("skeletons", ())))
        split.tags.update(item.tags)
        split.calls.append(len(item.calls or ()))
        split.actions.update(str(call["name"]) for call in item.calls or ())
        split.pairs.append(sum(map(_pairs, _turns(item))))
        split.values.update(free_texts(item))
        for turn in _turns(item):
            for step in turn.get("steps", ()):
                if step["agent"] != Agent.TASK.value:
                    split.look_ups.update(str(call["name"]) for call in step["calls"])
        _phone(split, item, path)
    return split


def _turns(item: Item) -> list[Mapping[str, Any]]:
    return [*item.history, {"query": item.query, "steps": item.steps}]


def _pairs(turn: Mapping[str, Any]) -> int:
    """Two for each step, the choice of an agent and its calls; user perception's call is written by code."""
    agents = [step["agent"] for step in turn.get("steps", ())]
    if not agents or agents[-1] != Agent.TASK.value:
        agents.append(Agent.TASK.value)
    return sum(1 if agent == Agent.PERCEPTION.value else 2 for agent in agents)


def _phone(split: Split, item: Item, path: Path) -> None:
    name = item.device if isinstance(item.device, str) else str(item.device.get("id"))
    if name in split.phones:
        return
    split.phones.add(name)
    data = item.device
    if isinstance(data, str):
        data = json.loads((path.parent / data).read_text(encoding="utf-8"))
    split.owners.add(str(data.get("owner", "")))
    split.apps.update(app for app, content in data.get("apps", {}).items() if content.get("tools"))


def statistics(splits: Sequence[Split], seed: int = 0) -> dict[str, Any]:
    """All figures, as JSON: `splits` by name, `alike` queries of train and test, and what these two `share`."""
    named = {split.name: split for split in splits}
    generated = [named[name] for name in ("train", "test") if name in named] or list(splits)
    figures: dict[str, Any] = {
        "splits": {split.name: _figures(split, seed) for split in splits},
        "alike": count_alike([text for split in generated for text in split.said]),
    }
    if {"train", "test"} <= named.keys():
        figures["share"] = shared(named["train"], named["test"], seed)
    return figures


def _figures(split: Split, seed: int) -> dict[str, Any]:
    acting = [calls for calls in split.calls if calls]
    count = len(split.queries)
    return {
        "queries": count,
        "phones": len(split.phones),
        "personas": len(split.owners),
        "own_apps": len(split.apps),
        "calls_per_query": _mean(split.calls),
        "calls_per_acting_query": _mean(acting),
        "acting_queries": len(acting),
        "look_ups_per_query": round(split.look_ups.total() / count, 2),
        "pairs": sum(split.pairs),
        "pairs_per_query": _mean(split.pairs),
        "words_per_query": _mean([len(tokens(query)) for query in split.queries]),
        "calls": {str(size): number for size, number in sorted(Counter(split.calls).items())},
        "tags": dict(split.tags.most_common()),
        "actions": dict(split.actions.most_common()),
        "look_ups": dict(split.look_ups.most_common()),
        "diversity": diversity(split.queries, split.skeletons, seed),
    }


def count_alike(texts: Sequence[str]) -> int:
    """How many texts have a ROUGE-L F of 0.75 or more with an earlier one; exact."""
    near = Similar(included=True, frequency=Counter(word for text in texts for word in tokens(text)))
    count = 0
    for text in texts:
        count += near.alike(text)
        near.add(text)
    return count


def diversity(queries: Sequence[str], skeletons: Sequence[Sequence[str]], seed: int = 0) -> dict[str, Any]:
    """How varied queries are.

    `distinct_n` is the number of different n-grams over that of all (Li et al. 2016, section 5), of the whole and
    of a sample of `SUBSET`. `nearest_rouge_l` is the mean ROUGE-L F of a query with the query most like it;
    over a sample where there are more than `SAMPLE`, each compared with all. `new_skeletons` is the share of queries
    with a sentence skeleton that no earlier query has, `new_combinations` that with a new set of them.
    """
    said = [tokens(query) for query in queries]
    subset = Random(seed).sample(said, min(SUBSET, len(said)))
    nearest = nearest_rouge_l(queries, seed=seed)
    return {
        **{f"distinct_{n}": distinct(said, n) for n in (1, 2, 3)},
        f"distinct_of_{len(subset)}": {f"distinct_{n}": distinct(subset, n) for n in (1, 2, 3)},
        "nearest_rouge_l": round(float(nearest.mean()), 4) if len(nearest) else 0.0,
        "nearest_rouge_l_max": round(float(nearest.max()), 4) if len(nearest) else 0.0,
        "nearest_sample": len(nearest),
        **_new(skeletons),
    }


def nearest_rouge_l(queries: Sequence[str], others: Sequence[str] | None = None, *, seed: int = 0) -> Any:
    """ROUGE-L F of each of at most `SAMPLE` queries with the most alike of `others`, or of the other queries.

    Returns:
        float32 array (sample,).
    """
    codes = Codes()
    coded = [codes.encode(tokens(query)) for query in queries]
    choices = coded if others is None else [codes.encode(tokens(query)) for query in others]
    if not choices or (others is None and len(coded) < 2):
        return np.zeros(0, dtype=np.float32)
    picked = sorted(Random(seed).sample(range(len(coded)), min(SAMPLE, len(coded))))
    best = np.zeros(len(picked), dtype=np.float32)
    for start in range(0, len(picked), 100):  # 100 x 100,000 figures are 40 MB
        some = picked[start : start + 100]
        table = process.cdist([coded[at] for at in some], choices, scorer=Indel.normalized_similarity, dtype=np.float32)
        if others is None:
            table[np.arange(len(some)), some] = 0.0
        best[start : start + 100] = table.max(axis=1)
    return best


def distinct(said: Sequence[Sequence[str]], n: int, digits: int = 4) -> float:
    """The number of different n-grams over that of all."""
    grams = [tuple(query[at : at + n]) for query in said for at in range(len(query) - n + 1)]
    return round(len(set(grams)) / len(grams), digits) if grams else 0.0


def _new(skeletons: Sequence[Sequence[str]]) -> dict[str, Any]:
    known: set[str] = set()
    combinations: set[frozenset[str]] = set()
    new = combined = 0
    for lines in skeletons:
        new += any(line not in known for line in lines)
        combined += bool(lines) and frozenset(lines) not in combinations
        known.update(lines)
        combinations.add(frozenset(lines))
    whole = max(1, len(skeletons))
    return {
        "skeletons": len(known),
        "new_skeletons": round(new / whole, 4),
        "new_combinations": round(combined / whole, 4),
    }


def shared(train: Split, test: Split, seed: int = 0) -> dict[str, Any]:
    """How many personas, phones, skeletons, apps with manifests, free texts and queries are in both splits."""
    nearest = nearest_rouge_l(test.queries, train.queries, seed=seed)
    return {
        "personas": _both(train.owners, test.owners),
        "phones": _both(train.phones, test.phones),
        "skeletons": _both(_lines(train), _lines(test)),
        "own_apps": _both(train.apps, test.apps),
        "free_texts": _both(train.values, test.values),
        "queries": _both(set(train.queries), set(test.queries)),
        "nearest_rouge_l_of_test_in_train": round(float(nearest.mean()), 4),
        "nearest_rouge_l_of_test_in_train_max": round(float(nearest.max()), 4),
    }


def _lines(split: Split) -> set[str]:
    return {line for lines in split.skeletons for line in lines}


def _both(train: set[str], test: set[str]) -> dict[str, Any]:
    both = sorted(train & test)
    return {"train": len(train), "test": len(test), "shared": len(both), "examples": both[:5]}


def _mean(numbers: Iterable[int]) -> float:
    listed = list(numbers)
    return round(sum(listed) / len(listed), 2) if listed else 0.0
