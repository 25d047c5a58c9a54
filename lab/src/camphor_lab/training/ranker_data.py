"""Samples of implicit queries as examples for a ranker: the features of each item of the device, and which are gold;
and the reader of queries, fitted on them: what the items that were meant were like, as a linear map from the words
(ridge)."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from camphor.device import format as device_format
from camphor.device.text import words
from camphor.errors import DatasetError
from camphor.retrieval.context.candidates import pick
from camphor.retrieval.context.features import FACTS, base_features, tabled
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.query import QueryReader, QueryReading, UseSituation, inputs, terms
from camphor.retrieval.context.relevance import Tally, events_of, index_of_document
from camphor.retrieval.static import StaticEncoder
from camphor_lab.datasets.context.samples import ContextSample, read_context_samples, seen_at

Floats = npt.NDArray[np.float32]

TRAIN = "train.jsonl"
_ALIKE = 0.5
"""Two wordings of an intent are taken for one when they share so many of their words (Jaccard)."""


@dataclass(frozen=True)
class RankedQuery:
    """One query with the items of its device.

    Attributes:
        sample: what it was made from. phrase: the number of its wording, the same for variations of one.
        vector: the query's, (dimensions,). names, table: the base features, (items, features).
        store: (items,) numbers into `stores`, names of stores. vectors: the items', (items, dimensions).
        gold: (items,) whether each is meant. weight: of the query among all of the training.
    """

    sample: ContextSample
    phrase: int
    vector: Floats
    names: tuple[str, ...]
    table: Floats
    store: npt.NDArray[np.int16]
    stores: tuple[str, ...]
    vectors: Floats
    gold: npt.NDArray[np.bool_]
    weight: float = 1.0


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

    def index(self, sample: ContextSample, encoder: CachedEncoder) -> tuple[ContextIndex, tuple[str, ...]]:
        """The items as they were at the sample's moment, and the lines of activity. Moments must not go back."""
        document = seen_at(self._document, sample)
        if sample.recent:  # of which no other sample may know: counted anew
            return index_of_document(document, encoder), tuple(document.get("activity") or ())
        till = bisect_right(self._events, sample.now, key=lambda event: event.at)
        signals = self._tally.add(self._events[self._told : till])
        self._told = till
        return index_of_document(document, encoder, signals), tuple(document.get("activity") or ())


def read_all(
    folders: Sequence[Path], weights: Sequence[float], progress: Callable[[int, int], None]
) -> tuple[list[RankedQuery], str]:
    """The training splits of several folders, the queries of each with a weight, and the hash of all.

    Raises:
        As `read_examples`.
    """
    examples: list[RankedQuery] = []
    digests = []
    for folder, weight in zip(folders, weights, strict=True):
        found, digest = read_examples(folder, progress)
        first = 1 + max((example.phrase for example in examples), default=-1)
        examples += [replace(example, phrase=first + example.phrase, weight=weight) for example in found]
        digests.append(f"{digest} {weight:g}")
    return examples, hashlib.sha256(" ".join(digests).encode()).hexdigest()


def read_examples(folder: Path, progress: Callable[[int, int], None]) -> tuple[list[RankedQuery], str]:
    """The training split of a folder as examples, and the hash of its data.

    Samples whose gold items are not on their device then are passed over: nothing can be learnt from them.

    Args:
        progress: told how many samples of how many are done.

    Raises:
        DatasetError: the folder is none of such samples, or holds none to learn from.
        DeviceFileError: a device file cannot be read.
    """
    samples = sorted(read_context_samples(folder / TRAIN), key=lambda sample: (sample.device, sample.now, sample.id))
    phrases = dict(zip((sample.id for sample in samples), phrases_of(samples), strict=True))
    encoder, digest = CachedEncoder(), hashlib.sha256()
    examples: list[RankedQuery] = []
    done = 0
    for device, asked in groupby(samples, key=lambda sample: sample.device):
        document = _read_device(folder, device)
        digest.update(json.dumps(document, sort_keys=True).encode())
        phone = _Phone(document)
        for sample in asked:
            digest.update(json.dumps(sample.to_json(), sort_keys=True).encode())
            example = _example(sample, phrases[sample.id], phone, encoder)
            if example.gold.any():
                examples.append(example)
            done += 1
            progress(done, len(samples))
    if not examples:
        raise DatasetError(str(folder / TRAIN), None, "no sample with a gold item on its device")
    return examples, digest.hexdigest()


def _read_device(folder: Path, device: str) -> dict[str, Any]:
    path = folder / device
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DatasetError(str(path), None, "a device outside the dataset's folder")
    return device_format.read(path)


def _example(sample: ContextSample, phrase: int, phone: _Phone, encoder: CachedEncoder) -> RankedQuery:
    index, activity = phone.index(sample, encoder)
    situation = UseSituation(sample.now, sample.place, sample.screen, activity)
    picked = pick(sample.query, situation, index)
    made = tabled(base_features(sample.query, picked, situation, index))
    wanted = set(sample.context)
    gold = np.array([index.ref(row) in wanted for row in picked.rows], bool)
    vectors = index.columns.vectors[picked.rows].astype(np.float32)
    stores = tuple(".".join(store) for store in index.stores)
    return RankedQuery(sample, phrase, picked.vector, made.names, made.table, picked.store, stores, vectors, gold)


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
    people = {name: place % folds for place, name in enumerate(sorted({e.sample.persona for e in examples}))}
    for fold in range(folds):
        learnt, scored = [], []
        for place, example in enumerate(examples):
            person, phrase = people[example.sample.persona] == fold, example.phrase % folds == fold
            if person and phrase:
                scored.append(place)
            elif not person and not phrase:
                learnt.append(place)
        yield learnt, scored


@dataclass(frozen=True)
class QueryReaderConfig:
    """Settings of a reader.

    Attributes:
        dimensions: how many of a vector's leading ones are predicted.
        seen: how many wordings a word or a pair of words must be in. people: how many people a store must be meant by.
        ridge, term_ridge, item_ridge: the penalty on the weights of queries' vectors, of words, of items' vectors.
    """

    dimensions: int = 32
    seen: int = 3
    people: int = 8
    ridge: float = 1.0
    term_ridge: float = 10.0
    item_ridge: float = 0.3


def fit_reader(examples: Sequence[RankedQuery], config: QueryReaderConfig) -> QueryReader:
    """The reader of these examples, by ridge regression in closed form."""
    wordings = {example.phrase: set(terms(example.sample.query)) for example in examples}
    counts = Counter(term for found in wordings.values() for term in found)
    width = examples[0].vector.size
    kept = sorted(term for term, count in counts.items() if count >= config.seen)
    known = {term: row for row, term in enumerate(kept, width)}
    stores = _common_stores(examples, config.people)
    kinds = tuple(sorted({example.sample.thread for example in examples} - {""}))  # hands name none
    goals = np.stack([_goal(example, stores, kinds, config.dimensions) for example in examples])
    vectors = np.stack([example.vector for example in examples])
    table = inputs([example.sample.query for example in examples], vectors, known)
    # a wording that came up often counts as a few times its first, so that the reader learns wordings, not draws
    often = Counter(example.phrase for example in examples)
    weight = np.array([example.weight * often[example.phrase] ** -0.5 for example in examples], np.float32)
    penalty = np.full(table.shape[1], config.term_ridge)
    penalty[:width], penalty[-1] = config.ridge, 1e-3
    weights = _solved(table, goals, penalty, weight)
    return QueryReader(known, stores, kinds, FACTS, weights, fit_items(examples, stores, kinds, config.item_ridge))


def _common_stores(examples: Sequence[RankedQuery], people: int) -> tuple[str, ...]:
    """The stores that so many people meant an item of; those of one person's own apps say nothing of others'."""
    meant: dict[str, set[str]] = defaultdict(set)
    for example in examples:
        for number in set(example.store[example.gold].tolist()):
            meant[example.stores[number]].add(example.sample.persona)
    least = min(people, max(map(len, meant.values()), default=0))
    return tuple(sorted(name for name, those in meant.items() if len(those) >= least))


def fit_items(
    examples: Sequence[RankedQuery], stores: Sequence[str], kinds: Sequence[str], ridge: float, apart: int | None = None
) -> Floats:
    """What tells the kind of an item by its vector and its store: (dimensions + stores, kinds).

    Args:
        apart: leave out the items whose texts are of this part (`_part`).
    """
    rows, goals = [], []
    for example in examples:
        for place in np.flatnonzero(example.gold):
            vector = example.vectors[place]
            if apart is None or _part(vector) != apart:
                store = np.array([name == example.stores[example.store[place]] for name in stores], np.float32)
                rows.append(np.concatenate([vector, store]))
                goals.append([kind == example.sample.thread for kind in kinds])
    width = examples[0].vectors.shape[1]
    if not rows:
        return np.zeros((width + len(stores), len(kinds)), np.float32)
    penalty = np.full(width + len(stores), ridge)
    penalty[width:] = 0.1
    return _solved(np.stack(rows), np.array(goals, float), penalty, np.ones(len(rows), np.float32))


def _solved(table: Floats, goals: npt.NDArray[Any], penalty: npt.NDArray[Any], weight: Floats) -> Floats:
    weighted = (table * weight[:, None]).T
    return np.asarray(np.linalg.solve(weighted @ table + np.diag(penalty), weighted @ goals), np.float32)


def _goal(
    example: RankedQuery, stores: Sequence[str], kinds: Sequence[str], dimensions: int
) -> npt.NDArray[np.float64]:
    """What the gold items of an example are like: the share of each store, their kind, facts, and mean vector."""
    gold = example.gold
    names = [example.stores[number] for number in example.store[gold]]
    facts = [example.table[gold, example.names.index(fact)].mean() for fact in FACTS]
    shares = [names.count(store) / len(names) for store in stores]
    belongs = [float(kind == example.sample.thread) for kind in kinds]
    return np.concatenate([shares, belongs, facts, example.vectors[gold][:, :dimensions].mean(axis=0)])


_PARTS = 4


def _part(vector: Floats) -> int:
    """The part that an item is in, by its text."""
    return crc32(vector.tobytes()) % _PARTS


def read_apart(
    examples: Sequence[RankedQuery], config: QueryReaderConfig, parts: int
) -> list[tuple[QueryReader, QueryReading, Floats]]:
    """For each example a reading of its query, and the kinds of its items, by readers that saw neither.

    The reader of a query saw no variation of its wording, that of an item no item of the same text: on people to come
    the trees will see readings of new words, and must not learn to trust those of old ones.
    """
    everything = fit_reader(examples, config)
    items = [
        replace(
            everything, item_weights=fit_items(examples, everything.stores, everything.kinds, config.item_ridge, part)
        )
        for part in range(_PARTS)
    ]
    readers = {}
    for part in range(parts):
        rest = [example for example in examples if example.phrase % parts != part]
        readers[part] = fit_reader(rest or examples, config)
    found = []
    for example in examples:
        reader = readers[example.phrase % parts]
        all_kinds = np.stack([one.kinds_of(example.vectors, example.stores, example.store) for one in items])
        of = np.array([_part(vector) for vector in example.vectors])
        kinds = all_kinds[of, np.arange(len(of))]
        if reader.kinds != everything.kinds:
            kinds = kinds[:, [everything.kinds.index(kind) for kind in reader.kinds]]
        found.append((reader, reader.read(example.sample.query, example.vector), kinds))
    return found
