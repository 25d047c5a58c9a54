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
from typing import Any, Generic, TypeVar

from camphor.errors import CallSyntaxError, DatasetError, UsageError
from camphor.tools.plans import plan_from_json, plan_to_json
from camphor.trajectories.call_samples import CallSample

_LOOKED_AT = 50  # lines of a file, to tell whether it is function-calling data

Made = TypeVar("Made")


class DrawingStrategy(StrEnum):
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

    def __getitem__(self, place: Any) -> Any:
        try:
            with self.path.open("rb") as file:
                file.seek(self._starts[place])
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
    strategy: DrawingStrategy = DrawingStrategy.UNIFORM
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
            if source.strategy is DrawingStrategy.WEIGHTED and source.weight is None:
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
        if source.strategy is DrawingStrategy.UNIFORM:
            return [items[place] for place in rng.sample(range(size), min(wanted, size))]
        if source.strategy is DrawingStrategy.WEIGHTED and source.weight is not None:
            # the largest of random numbers to the power of one over the weight (Efraimidis and Spirakis 2006)
            keys = {place: rng.random() ** (1 / source.weight(items[place])) for place in range(size)}
            chosen = sorted(keys, key=lambda place: -keys[place])[:wanted]
            return [items[place] for place in chosen]
        places = range(number * most, number * most + wanted)
        if source.strategy is DrawingStrategy.ROUND_ROBIN:
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


# ---- examples from other function-calling data, for the first samples of functions that have none yet ----
# DroidCall takes its first examples from a public set with other functions (section 3.2.3, seed generation stage). Sets
# are written in several forms; a line of any that is known becomes an example: its functions, a query and the answers.


@dataclass(frozen=True)
class Example:
    """A query and its answers in DroidCall's form, with the functions that were offered, as JSON."""

    query: str
    answers: Sequence[Mapping[str, Any]]
    tools: Sequence[Any] = ()

    def text(self, with_tools: bool = True) -> str:
        """As it stands in a prompt."""
        sample = json.dumps({"query": self.query, "answers": list(self.answers)}, ensure_ascii=False)
        if not (with_tools and self.tools):
            return sample
        return "\n".join(
            [f"tool: {json.dumps(tool, ensure_ascii=False)}" for tool in self.tools] + [f"sample: {sample}"]
        )


def example_of(sample: CallSample) -> Example:
    """A sample of ours as an example; its functions are told elsewhere."""
    return Example(sample.query, plan_to_json(sample.answers))


def read_example(line: Any) -> Example | None:
    """The example of a line, or None where there is none: no calls, a longer talk, another form.

    Read are {"query", "answers" or "calls", "tools"}, texts of JSON in place of lists among them, and {"messages",
    "calls", "tools"} with one turn of the user.
    """
    if not isinstance(line, Mapping):
        return None
    query, calls = line.get("query"), _listed(line.get("answers", line.get("calls")))
    if query is None and isinstance(line.get("messages"), list):
        said = [turn for turn in line["messages"] if isinstance(turn, Mapping) and turn.get("role") != "system"]
        query = said[0].get("content") if len(said) == 1 and said[0].get("role") == "user" else None
    if not isinstance(query, str) or not query.strip() or not calls:
        return None
    try:
        answers = plan_to_json(plan_from_json(calls))
    except CallSyntaxError:
        return None
    used = {call["name"] for call in answers}
    tools = [tool for tool in _listed(line.get("tools")) if _name(tool) in used]
    return Example(" ".join(query.split()), answers, tools)


class Examples(Sequence[Example | None]):
    """The examples of JSON lines files, read when they are asked for; None for a line that has none.

    Raises:
        DatasetError: a file cannot be read, or holds no function-calling data as far as one looks.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._files = [JsonLines(path) for path in paths]
        for file in self._files:
            if not any(read_example(file[place]) for place in range(min(len(file), _LOOKED_AT))):
                raise DatasetError(
                    str(file.path), None, 'no function-calling data: expected lines with "query", "answers" and "tools"'
                )

    def __len__(self) -> int:
        return sum(map(len, self._files))

    def __getitem__(self, place: Any) -> Any:
        for file in self._files:
            if place < len(file):
                return read_example(file[place])
            place -= len(file)
        raise IndexError(place)


def _listed(value: Any) -> list[Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return []
    return value if isinstance(value, list) else [value] if isinstance(value, Mapping) else []


def _name(tool: Any) -> Any:
    if isinstance(tool, Mapping) and isinstance(tool.get("function"), Mapping):
        tool = tool["function"]
    return tool.get("name") if isinstance(tool, Mapping) else None
