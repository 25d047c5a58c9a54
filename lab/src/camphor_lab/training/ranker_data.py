"""Samples of implicit queries as examples for a ranker: the features of each item of the device, and which are gold."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.device import format as device_format
from camphor.device.text import words
from camphor.errors import DatasetError
from camphor.retrieval.context.candidates import pick
from camphor.retrieval.context.features import base_features, tabled
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.context.relevance import Tally, events_of, index_of_document
from camphor.retrieval.static import StaticEncoder
from camphor.trajectories.items import read_items
from camphor_lab.datasets.context.samples import ContextSample, read_context_samples, seen_at

Floats = npt.NDArray[np.float32]

TRAIN = "train.jsonl"
_ALIKE = 0.5
"""Two wordings of an intent are taken for one when they share so many of their words (Jaccard)."""


@dataclass(frozen=True)
class RankedQuery:
    """One query with the items of its device.

    Attributes:
        sample: what it was made from. situation: its moment.
        person, wording: numbers of who asks, and in which words; variations of a wording have one number. Where hands
            wrote for one person each, the wording's number is the person's: the few words that two of them share are
            chance. Nothing of either number may stand on both sides of a split (`within`, `outside`).
        names, table: the base features, float16, (items, features).
        store: (items,) numbers into `stores`, names of stores. vectors: the items', float16, (items, dimensions).
        store_vectors: (stores, dimensions).
        gold: (items,) how much each is meant: 0 not at all, more the further ahead among those of the sample. All are 0
            where the query leaves nothing unsaid.
        weight: of the query among all of the training. folder: the number of the folder that it is from.
    """

    sample: ContextSample
    situation: UseSituation
    person: int
    wording: int
    names: tuple[str, ...]
    table: npt.NDArray[np.float16]
    store: npt.NDArray[np.int16]
    stores: tuple[str, ...]
    vectors: npt.NDArray[np.float16]
    store_vectors: Floats
    gold: npt.NDArray[np.int8]
    weight: float = 1.0
    folder: int = 0


def within(example: RankedQuery, part: int, parts: int) -> bool:
    """Whether an example is of one of so many parts by its person and by its wording."""
    return example.person % parts == part and example.wording % parts == part


def outside(example: RankedQuery, part: int, parts: int) -> bool:
    """Whether an example has nothing to do with a part: neither its person nor its wording is of it."""
    return example.person % parts != part and example.wording % parts != part


class CachedEncoder:
    """The encoder that is installed, with its latest vectors kept: a device's items come again with each query."""

    def __init__(self, most: int = 50_000) -> None:
        self._encoder = StaticEncoder()
        self.identity, self.dimensions = self._encoder.identity, self._encoder.dimensions
        self._kept: OrderedDict[str, Floats] = OrderedDict()
        self._most = most

    def encode(self, texts: Sequence[str]) -> Floats:
        """The embeddings of the texts, in order: float32, shape (number of texts, dimensions)."""
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        found = dict(zip(new, self._encoder.encode(new), strict=True)) if new else {}
        vectors = [found[text] if text in found else self._kept[text] for text in texts]
        self._kept.update(found)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return np.stack(vectors) if vectors else np.zeros((0, self.dimensions), np.float32)


class _Phone:
    """One device of the dataset, seen from one moment after the other."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._events = sorted(events_of(document), key=lambda event: event.at)
        self._tally, self._told = Tally(), 0
        self._vectors = np.zeros((0, 0), np.float16)

    def index(self, sample: ContextSample, encoder: CachedEncoder) -> tuple[ContextIndex, tuple[str, ...]]:
        """The items as they were at the sample's moment, and the lines of activity. Moments must not go back."""
        document = seen_at(self._document, sample)
        if sample.recent:  # of which no other sample may know: counted anew
            return index_of_document(document, encoder), tuple(document.get("activity") or ())
        till = bisect_right(self._events, sample.now, key=lambda event: event.at)
        signals = self._tally.add(self._events[self._told : till])
        self._told = till
        return index_of_document(document, encoder, signals), tuple(document.get("activity") or ())

    def vectors(self, rows: npt.NDArray[np.float16]) -> npt.NDArray[np.float16]:
        """These vectors of items; the same array for all queries at which the phone held the same."""
        if not np.array_equal(self._vectors, rows):
            self._vectors = rows
        return self._vectors


def read_all(
    folders: Sequence[Path],
    weights: Sequence[float],
    progress: Callable[[int, int], None],
    named: Sequence[Path] = (),
) -> tuple[list[RankedQuery], str]:
    """The training splits of several folders, the queries of each with a weight, and the hash of all.

    Args:
        named: as of `read_examples`.

    Raises:
        As `read_examples`.
    """
    examples: list[RankedQuery] = []
    digests = []
    for number, (folder, weight) in enumerate(zip(folders, weights, strict=True)):
        found, digest = read_examples(folder, progress, named)
        first = 1 + max((max(example.person, example.wording) for example in examples), default=-1)
        examples += [
            replace(each, person=first + each.person, wording=first + each.wording, weight=weight, folder=number)
            for each in found
        ]
        digests.append(f"{digest} {weight:g}")
    return examples, hashlib.sha256(" ".join(digests).encode()).hexdigest()


def read_examples(
    folder: Path, progress: Callable[[int, int], None], named: Sequence[Path] = ()
) -> tuple[list[RankedQuery], str]:
    """The training split of a folder as examples, and the hash of its data.

    Samples whose gold items are not on their device then are passed over: nothing can be learnt from them.

    Args:
        progress: told how many samples of how many are done.
        named: hand-written sets and questions, which leave nothing unsaid.

    Raises:
        DatasetError: the folder is none of such samples, or holds none to learn from.
        DeviceFileError: a device file cannot be read.
    """
    written = list(read_context_samples(folder / TRAIN))
    samples = sorted([*written, *_named(written, named)], key=lambda sample: (sample.device, sample.now, sample.id))
    numbers = dict(zip((sample.id for sample in samples), numbered(samples), strict=True))
    encoder, digest = CachedEncoder(), hashlib.sha256()
    examples: list[RankedQuery] = []
    done = 0
    for device, asked in groupby(samples, key=lambda sample: sample.device):
        document = _read_device(folder, device)
        digest.update(json.dumps(document, sort_keys=True).encode())
        phone = _Phone(document)
        for sample in asked:
            digest.update(json.dumps(sample.to_json(), sort_keys=True).encode())
            made = _examples(sample, *numbers[sample.id], phone, encoder)
            examples += [example for example in made if example.gold.any() or not sample.context]
            done += 1
            progress(done, len(samples))
    if not any(example.gold.any() for example in examples):
        raise DatasetError(str(folder / TRAIN), None, "no sample with a gold item on its device")
    return examples, digest.hexdigest()


_NOTHING_UNSAID = "named"
_NAMED = 80
"""Queries a phone that leave nothing unsaid."""


def _named(samples: Sequence[ContextSample], paths: Sequence[Path]) -> Iterator[ContextSample]:
    """Queries that leave nothing unsaid, at moments of the samples of their phones; of other phones' queries, which ask
    for nothing that a phone here has, each has its share."""
    moments: dict[str, list[ContextSample]] = defaultdict(list)
    for sample in samples:
        moments[Path(sample.device).name].append(sample)
    asked: dict[str, list[tuple[str, str]]] = defaultdict(list)
    items = [(Path(str(item.device)).name, item) for path in paths for item in read_items(path) if not item.history]
    if not any(name in moments for name, _ in items):
        return  # written for other folders' phones
    names = sorted(moments)
    for number, (name, item) in enumerate(items):
        asked[name if name in moments else names[number % len(names)]].append((item.id, item.query))
    for name, queries in asked.items():
        for place, (its_id, query) in enumerate(queries[:: -(-len(queries) // _NAMED)]):
            sample = moments[name][place * 7 % len(moments[name])]
            empty = replace(
                sample, context=(), tools=(), plan=(), intent=_NOTHING_UNSAID, thread="", recent=(), again=()
            )
            yield replace(empty, id=its_id, query=query)


def _read_device(folder: Path, device: str) -> dict[str, Any]:
    path = folder / device
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DatasetError(str(path), None, "a device outside the dataset's folder")
    return device_format.read(path)


def _examples(
    sample: ContextSample, person: int, wording: int, phone: _Phone, encoder: CachedEncoder
) -> Iterator[RankedQuery]:
    """A query in each of its wordings."""
    index, activity = phone.index(sample, encoder)
    situation = UseSituation(sample.now, sample.place, sample.screen, activity)
    stores = tuple(".".join(store) for store in index.stores)
    meant = {ref: len(sample.context) - place for place, ref in reversed(list(enumerate(sample.context)))}
    for query in (sample.query, *sample.again):
        picked = pick(query, situation, index)
        made = tabled(base_features(query, picked, situation, index))
        gold = np.array([meant.get(index.ref(row), 0) for row in picked.rows], np.int8)
        vectors = phone.vectors(index.columns.vectors[picked.rows].astype(np.float16))
        yield RankedQuery(
            replace(sample, query=query), situation, person, wording, made.names, made.table.astype(np.float16),
            picked.store, stores, vectors, index.store_vectors(), gold,
        )  # fmt: skip


_SHARED = 0.5
"""The share of queries in words that several people use from which on wordings were put to people, and not written."""


def numbered(samples: Sequence[ContextSample]) -> list[tuple[int, int]]:
    """For each sample the numbers of its person and of its wording: see `RankedQuery`."""
    people = {name: number for number, name in enumerate(sorted({sample.persona for sample in samples}))}
    phrases = phrases_of(samples)
    askers: dict[int, set[str]] = defaultdict(set)
    for sample, phrase in zip(samples, phrases, strict=True):
        askers[phrase].add(sample.persona)
    written = [phrase for sample, phrase in zip(samples, phrases, strict=True) if sample.intent != _NOTHING_UNSAID]
    shared = sum(len(askers[phrase]) > 1 for phrase in written) >= _SHARED * len(written)
    persons = [people[sample.persona] for sample in samples]
    return list(zip(persons, phrases if shared else persons, strict=True))


def phrases_of(samples: Sequence[ContextSample]) -> list[int]:
    """A number for each sample's wording; variations of one wording, with other slips and fillers, have the same."""
    first: dict[str, list[tuple[frozenset[str], int]]] = defaultdict(list)
    numbers: list[int] = []
    count = 0
    for sample in samples:
        said = frozenset(words(sample.query))
        known = (number for other, number in first[sample.intent] if _alike(said, other))
        number = next(known, None)
        if number is None:
            number, count = count, count + 1
            first[sample.intent].append((said, number))
        numbers.append(number)
    return numbers


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * max(len(one | other), 1)


def folds_of(examples: Sequence[RankedQuery], folds: int) -> Iterator[tuple[list[int], list[int]]]:
    """For each fold, what to train on and what to score: no person and no wording is on both sides."""
    for fold in range(folds):
        scored = [place for place, example in enumerate(examples) if within(example, fold, folds)]
        learnt = [place for place, example in enumerate(examples) if outside(example, fold, folds)]
        yield learnt, scored
