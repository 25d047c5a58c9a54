"""Implicit queries, each with items that it means and others, as samples that a language model learns to judge by.

Of a phone (`data/context-train`) the others are those that the ranker that ships puts first, as in the assistant; of a
pair (`data/context-pairs`) the one that a hasty reader would take, and things of other pairs. Samples of a query stand
side by side: what they begin with is computed once. Each seed draws one wording of a sample, and half of the pairs.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from camphor.agents.meant import MEANT, OTHER, item_line, meant_prompt
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.context.rankers import LambdaMartRrf
from camphor.retrieval.context.use_line import use_line
from camphor.types import Segment
from camphor_lab.datasets.context.given import record_of
from camphor_lab.datasets.context.samples import ContextSample, read_context_samples, seen_at
from camphor_lab.training.calling import sample_line
from camphor_lab.training.query_pairs import QueryPair, read_pairs
from camphor_lab.training.ranker_data import TRAIN, CachedEncoder, Phone, read_device

ASK = "ask"
"""The intent of a sample of which every item fits alike; of others the main one alone is meant."""
AROUND = 12
"""Items that the ranker puts first, of which others are drawn."""
OTHERS, FIRST = 5, 3
"""Others beside what is meant, and how many of them are the likeliest."""
SHARE_OF_PAIRS = 0.5


def meant_lines(folder: Path, pairs: Sequence[Path], seed: int) -> Iterator[str]:
    """Lines of a samples file (see `data`), of both kinds.

    Raises:
        DatasetError: a file breaks its format. DeviceFileError: a phone does. ModelMissing: no ranker.
    """
    yield from _of_phones(folder, seed)
    yield from _of_pairs(read_pairs(pairs)[0], seed)


def _of_phones(folder: Path, seed: int) -> Iterator[str]:
    ranker, encoder = LambdaMartRrf(), CachedEncoder()
    samples = sorted(read_context_samples(folder / TRAIN), key=lambda sample: (sample.device, sample.now, sample.id))
    for device, asked in groupby(samples, key=lambda sample: sample.device):
        document = read_device(folder, device)
        phone = Phone(document)
        for sample in asked:
            index, activity = phone.index(sample, encoder)
            situation, seen = UseSituation(sample.now, sample.place, sample.screen, activity), seen_at(document, sample)
            chance, signals = random.Random(f"{seed} {sample.id}"), index.signals()
            query = chance.choice((sample.query, *sample.again))
            hits = ranker.search(query, situation, index, AROUND)
            others = [hit.ref for hit in hits if hit.ref not in sample.context]
            drawn = others[:FIRST] + chance.sample(others[FIRST:], min(OTHERS - FIRST, len(others[FIRST:])))
            judged = [(ref, MEANT) for ref in _meant(sample)] + [(ref, OTHER) for ref in drawn]
            for place, (ref, verdict) in enumerate(judged):
                line = item_line(
                    ref.app, record_of(seen, ref, sample), use_line(signals, ref, situation), sample.now.year
                )
                yield _line(f"{sample.id}-{place}", query, situation, line, verdict)


def _meant(sample: ContextSample) -> Sequence[Any]:
    return sample.context if sample.intent == ASK else sample.context[:1]


def _of_pairs(pairs: Sequence[QueryPair], seed: int) -> Iterator[str]:
    alike: Mapping[str, list[str]] = defaultdict(list)
    lines = [(_thing(pair.meant, pair), _thing(pair.near, pair)) for pair in pairs]
    for pair, (meant, _) in zip(pairs, lines, strict=True):
        alike[pair.meant.app].append(meant)
    for number, (pair, (meant, near)) in enumerate(zip(pairs, lines, strict=True)):
        chance = random.Random(f"{seed} {number}")
        if chance.random() >= SHARE_OF_PAIRS:
            continue
        query = chance.choice(pair.queries)
        others = [near, chance.choice(alike[pair.meant.app]), *(chance.choice(lines)[0] for _ in range(2))]
        judged = [(meant, MEANT), *((line, OTHER) for line in dict.fromkeys(others) if line != meant)]
        for place, (line, verdict) in enumerate(judged):
            yield _line(f"pair-{number}-{place}", query, pair.situation, line, verdict)


def _thing(thing: Any, pair: QueryPair) -> str:
    return item_line(thing.app, thing.record, "", pair.situation.now.year)


def _line(name: str, query: str, situation: UseSituation, item: str, verdict: str) -> str:
    return sample_line(name, (*meant_prompt(query, situation, item), Segment(verdict, True)))
