"""Samplers: draw from several sources at once and put what was drawn into the form that is wanted.

DroidCall's first component (section 3.2.1): it takes lists, JSON lines files and the like, draws from each by a
strategy, and organises the result as its user says. What draw number n gives follows from the seed, n and the sources
alone, so that draws can be made in any order, anywhere, and again after a crash.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, Generic, TypeVar, overload

from camphor.errors import DatasetError, UsageError

Made = TypeVar("Made")


class Strategy(StrEnum):
    """How a source is drawn from. Within one draw nothing comes twice, unless more is wanted than there is."""

    UNIFORM = "uniform"
    WEIGHTED = "weighted"
    ROUND_ROBIN = "round robin"
    """In the source's order, and from its beginning again."""
    WITHOUT_REPLACEMENT = "without replacement"
    """In an order by chance, each once before any comes again."""


class JsonLines(Sequence[Any]):
    """A JSON lines file as a sequence of its values; a line is read when it is asked for.

    Raises:
        DatasetError: the file cannot be read or, when a line is read, the line is not JSON; names it.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._starts, self._numbers = array("q"), array("q")
        try:
            with self.path.open("rb") as file:
                start = 0
                for number, line in enumerate(file, 1):
                    if line.strip():
                        self._starts.append(start)
                        self._numbers.append(number)
                    start += len(line)
        except OSError as error:
            raise DatasetError(str(path), None, f"cannot be read: {error.strerror}") from None

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        start = self._starts[place]
        try:
            with self.path.open("rb") as file:
                file.seek(start)
                return json.loads(file.readline())
        except OSError as error:
            raise DatasetError(str(self.path), None, f"cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            raise DatasetError(str(self.path), self._numbers[place], f"not a line of JSON: {error}") from None


@dataclass(frozen=True)
class Source:
    """Something to draw from.

    Args:
        items: a sequence, other iterable or JSON lines file; or a function that gives a sequence, for one that grows.
        count: how many a draw takes; of two numbers, any number between, both included.
        strategy: how. weight: of an item, above 0, for the weighted strategy.
    """

    items: Sequence[Any] | Iterable[Any] | Path | Callable[[], Sequence[Any]]
    count: int | tuple[int, int] = 1
    strategy: Strategy = Strategy.UNIFORM
    weight: Callable[[Any], float] | None = None


class Sampler(Generic[Made]):
    """Draws from named sources and gives what `organise` makes of it.

    Args:
        sources: by name. organise: takes the lists that were drawn, by name. seed: decides every draw.

    Raises:
        UsageError: a source is empty, or weighted without weights.
    """

    def __init__(
        self, sources: Mapping[str, Source], organise: Callable[[Mapping[str, list[Any]]], Made], seed: int = 7
    ) -> None:
        self._sources = {name: (source, _sequence(source.items)) for name, source in sources.items()}
        self._organise, self._seed = organise, seed
        for name, (source, items) in self._sources.items():
            if not callable(items) and not len(items):
                raise UsageError(f"the source {name} is empty: there is nothing to draw")
            if source.strategy is Strategy.WEIGHTED and source.weight is None:
                raise UsageError(f"the source {name} is drawn by weight: say the weight of an item")

    def draw(self, number: int) -> Made:
        """The draw of that number, from 0. A source that grows may give nothing while it is empty."""
        drawn = {
            name: self._drawn(name, source, items() if callable(items) else items, number)
            for name, (source, items) in self._sources.items()
        }
        return self._organise(drawn)

    def _drawn(self, name: str, source: Source, items: Sequence[Any], number: int) -> list[Any]:
        rng, size = Random(f"{self._seed}:{name}:{number}"), len(items)
        fewest, most = source.count if isinstance(source.count, tuple) else (source.count, source.count)
        wanted = rng.randint(fewest, most)
        if not size:
            return []
        if source.strategy is Strategy.UNIFORM:
            return [items[place] for place in rng.sample(range(size), min(wanted, size))]
        if source.strategy is Strategy.WEIGHTED and source.weight is not None:
            # the largest of random numbers to the power of one over the weight (Efraimidis and Spirakis 2006)
            keys = {place: rng.random() ** (1 / source.weight(items[place])) for place in range(size)}
            chosen = sorted(keys, key=lambda place: -keys[place])[:wanted]
            return [items[place] for place in chosen]
        places = range(number * most, number * most + wanted)
        if source.strategy is Strategy.ROUND_ROBIN:
            return [items[place % size] for place in places]
        return [items[self._shuffled(name, place // size, size)[place % size]] for place in places]

    def _shuffled(self, name: str, turn: int, size: int) -> tuple[int, ...]:
        return _order(f"{self._seed}:{name}:turn {turn}", size)


@lru_cache(maxsize=64)
def _order(seed: str, size: int) -> tuple[int, ...]:
    return tuple(Random(seed).sample(range(size), size))


def _sequence(items: Any) -> Any:
    if callable(items):
        return items
    if isinstance(items, Path):
        return JsonLines(items)
    return items if isinstance(items, Sequence) else list(items)
