"""Holds out a test set none of whose queries is like one for training."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

from camphor.trajectories.call_samples import CallSample
from camphor_lab.datasets.instruct.similarity import Similar

APART = Fraction(3, 5)
"""ROUGE-L F above which two queries stay on one side. Below the filter's 0.75, which no two samples reach anyway."""


def split(
    samples: Sequence[CallSample], test: int, seed: int = 7, apart: Fraction | float = APART
) -> tuple[list[CallSample], list[CallSample]]:
    """Training and test samples, in their order.

    Queries with an F above `apart`, and those that are connected through others, stay together. Groups are drawn by
    chance until `test` samples are held out; fewer are where groups are too large. Nothing is thrown away.
    """
    groups = _groups([sample.query for sample in samples], apart)
    Random(f"{seed}:test").shuffle(groups)
    held: set[int] = set()
    for group in groups:
        if len(held) + len(group) <= test:
            held.update(group)
    return (
        [sample for place, sample in enumerate(samples) if place not in held],
        [sample for place, sample in enumerate(samples) if place in held],
    )


def _groups(queries: Sequence[str], apart: Fraction | float) -> list[list[int]]:
    """Places of queries that are connected by likeness."""
    similar, leader = Similar(apart), list(range(len(queries)))

    def first(place: int) -> int:
        while leader[place] != place:
            leader[place] = place = leader[leader[place]]
        return place

    for place, query in enumerate(queries):
        for other in similar.all_like(query):
            one, two = sorted((first(other), first(place)))
            leader[two] = one
        similar.add(query)
    groups: dict[int, list[int]] = {}
    for place in range(len(queries)):
        groups.setdefault(first(place), []).append(place)
    return list(groups.values())
