"""What an evaluation runs on: items, samples of calls, implicit queries, each with what it needs, and a fingerprint."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from camphor.agents.calling.shown import shown
from camphor.device.device import Device
from camphor.device.format import read
from camphor.errors import DatasetError, UsageError
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.context.relevance import index_of_document
from camphor.retrieval.retrievers import Retriever, rank
from camphor.tools.plans import Plan
from camphor.tools.tool import Tool, Toolbox
from camphor.trajectories.call_samples import TOOLS, CallSample, FunctionChooser, dataset_tools, read_call_samples
from camphor.trajectories.items import Item, read_items
from camphor_lab.datasets.calling.examples import read_examples
from camphor_lab.datasets.context.samples import ContextSample, device_of, read_context_samples
from camphor_lab.datasets.context.toolbox import read_toolbox

# What an evaluation runs on: checked dataset items, their devices, and a fingerprint of both.


class Dataset:
    """Queries that can be scored, and the devices they are asked on.

    Args:
        paths: JSONL files in the contract's format (section 3), whose queries are run one file after the other; a
            folder stands for those in it, in the order of their names.
        limit: how many queries to take, from the first; None for all.

    Raises:
        DatasetError: a line breaks the format, names a device that cannot be read, has no gold calls, or repeats an id.
        UsageError: there are no queries.
    """

    def __init__(self, *paths: Path, limit: int | None = None) -> None:
        check_limit(limit)
        self.path = paths[0]
        self.files = tuple(_files(paths))
        lines = [(item, path, place) for path in self.files for place, item in enumerate(read_items(path))]
        if not lines:
            raise UsageError(f"{self.path} holds no queries: give a JSONL file with one query a line")
        self._from: dict[str, Path] = {}
        for item, path, place in lines:
            self._check(item, path, place)
        self.items: Sequence[Item] = [item for item, _, _ in lines][:limit]
        self.fingerprint = self._fingerprint([item for item, _, _ in lines])
        self._toolboxes: dict[str, Toolbox] = {}
        self._documents: dict[str, Mapping[str, Any]] = {}

    @property
    def name(self) -> str:
        """The files' names."""
        return ", ".join(path.name for path in self.files)

    def _check(self, item: Item, path: Path, place: int) -> None:
        if item.calls is None:
            raise DatasetError(str(path), _line(path, place), "'calls' is missing: without gold it cannot be scored")
        if item.id in self._from:
            raise DatasetError(str(path), _line(path, place), f"the id {item.id!r} is used before: make it unique")
        if isinstance(item.device, str) and not (path.parent / item.device).is_file():
            raise DatasetError(str(path), _line(path, place), f"there is no device file {item.device}")
        self._from[item.id] = path

    def error(self, item: Item, problem: str) -> DatasetError:
        """A fault of an item, with the place of its line."""
        path = self._from[item.id]
        place = next(at for at, other in enumerate(read_items(path)) if other.id == item.id)
        return DatasetError(str(path), _line(path, place), problem)

    def _fingerprint(self, items: Sequence[Item]) -> str:
        """SHA-256 over the dataset files and the device files they name."""
        named = {self._from[item.id].parent / item.device for item in items if isinstance(item.device, str)}
        return fingerprint([*self.files, *sorted(named)])

    def device(self, item: Item) -> Device:
        """A fresh copy of the item's device, in memory. Raises: DeviceFileError, the device breaks its format."""
        if isinstance(item.device, str):
            return Device.from_file(self._from[item.id].parent / item.device)
        return Device.create(None, item.device, f"{self._from[item.id]}, item {item.id}")

    def key(self, item: Item) -> str:
        """The same for items of one device."""
        return str(self._from[item.id].parent / item.device) if isinstance(item.device, str) else f"item {item.id}"

    def toolbox(self, item: Item) -> Toolbox:
        """The tools of the item's device, read once for each device file. Raises: as `device`."""
        key = self.key(item)
        if key not in self._toolboxes:
            with self.device(item) as device:
                self._toolboxes[key] = device.toolbox
        return self._toolboxes[key]

    def document(self, item: Item) -> Mapping[str, Any]:
        """The values of the item's device file, as they stand there. Raises: as `device`."""
        if not isinstance(item.device, str):
            return item.device
        key = self.key(item)
        if key not in self._documents:
            self._documents[key] = read(Path(key))
        return self._documents[key]


def fingerprint(paths: Sequence[Path]) -> str:
    """SHA-256 over files."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def check_limit(limit: int | None) -> None:
    """Raises: UsageError, fewer than one is asked for."""
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: expected 1 or more")


T = TypeVar("T")


def evenly(whole: Sequence[T], limit: int | None) -> Sequence[T]:
    """So many, at equal distances; all for None. Raises: as `check_limit`."""
    check_limit(limit)
    if limit is None or limit >= len(whole):
        return whole
    return [whole[place * len(whole) // limit] for place in range(limit)]


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.glob("*.jsonl")) if path.is_dir() else (path,)


def _line(path: Path, place: int) -> int:
    """The line number, from 1, of the item at a place: blank lines hold none."""
    with path.open(encoding="utf-8") as file:
        return [number for number, text in enumerate(file, start=1) if text.strip()][place]


# What an evaluation of function calling runs on: samples, functions, and examples for few-shot prompts.

TRAIN = "train.jsonl"
PERFECT, ALL = "perfect", "all"

Choose = Callable[[CallSample], tuple[Tool, ...]]
"""The functions that a sample's prompt shows."""


class CallDataset:
    """Samples that can be scored.

    Args:
        path: a JSONL file of samples, or a text file of examples (datasets.calling.examples). tools: the functions'
            file; None for tools.json beside it.
        limit: how many samples to take, from the first; None for all.

    Raises:
        DatasetError: a line breaks the format, repeats an id or calls a function that there is not.
        UsageError: there are no samples or no functions. DefinitionError: the functions cannot be read.
    """

    def __init__(self, path: Path, tools: Path | None = None, limit: int | None = None) -> None:
        check_limit(limit)
        self.path = path
        self.tools = dataset_tools(path, tools)
        samples = read_examples(path, self.tools) if path.suffix == ".txt" else list(read_call_samples(path))
        if not samples:
            raise UsageError(f"{path} holds no samples: give a JSONL file with one request and its answers a line")
        chooser = FunctionChooser(self.tools)
        seen: set[str] = set()
        for sample in samples:
            chooser.gold(sample, path)
            if sample.id in seen:
                raise DatasetError(str(path), None, f"the id {sample.id!r} is used twice: make it unique")
            seen.add(sample.id)
        self.samples: Sequence[CallSample] = samples[:limit]
        files = (path, tools or path.parent / TOOLS)
        self.fingerprint = hashlib.sha256(b"".join(map(_digest, files))).hexdigest()


def is_calling_dataset(path: Path) -> bool:
    """Whether a file's first line is a sample of function calling, so far as can be told."""
    try:
        with path.open(encoding="utf-8") as lines:
            first = json.loads(next((line for line in lines if line.strip()), "{}"))
    except (OSError, ValueError):
        return False
    return isinstance(first, dict) and "answers" in first and "device" not in first


def perfect(dataset: CallDataset) -> Choose:
    """The functions that the gold calls need, in random order: the paper's fake retriever. A sample without gold calls
    gets some that it does not need, as in training."""
    chooser = FunctionChooser(dataset.tools)
    return lambda sample: chooser.of(sample, dataset.path)


def usual(dataset: CallDataset) -> Choose:
    """Those that `camphor call --tools` shows: all, or of very many those that are found for the request."""
    chosen = shown(Toolbox(dataset.tools))
    return lambda sample: tuple(chosen(sample.query) if callable(chosen) else chosen)


def retrieved(dataset: CallDataset, retriever: Retriever, top: int) -> Choose:
    """The `top` functions that a retriever ranks first for the request, best first."""
    return lambda sample: rank(retriever, sample.query, dataset.tools)[:top]


class FewShotExamples:
    """Training samples as examples for prompts, never a sample of the test.

    The examples of a request are drawn from samples whose calls the prompt's functions suffice for, where there are
    enough, because an example of a function that cannot be called is no help; the same request gets the same ones.
    Those whose values turn on a clock are avoided: the example does not show it.

    Args:
        dataset: the test; its own ids and requests are left out.
        count: how many; 0 for none. path: a file of samples; None for train.jsonl beside the test.

    Raises:
        UsageError: there is no such file, or nothing in it that can be an example.
    """

    def __init__(self, dataset: CallDataset, count: int, path: Path | None = None) -> None:
        self.count = count
        path = path or dataset.path.parent / TRAIN
        if count and not path.exists():
            raise UsageError(f"{path}: there is no such file: examples for --shots come from it")
        if count and path.resolve() == dataset.path.resolve():
            raise UsageError(f"{path}: the test itself: examples for --shots come from other samples")
        asked = {sample.query.casefold() for sample in dataset.samples}
        known = {tool.name for tool in dataset.tools}
        samples = [s for s in (read_call_samples(path) if count else ()) if s.query.casefold() not in asked]
        samples = [s for s in samples if s.answers and {call.name for call in s.answers} <= known]
        self._samples = [s for s in samples if s.now is None] or samples
        if count and not self._samples:
            raise UsageError(f"{path}: holds no sample that can be an example")
        self._needs = [frozenset(call.name for call in sample.answers) for sample in self._samples]

    def of(self, sample: CallSample, tools: Sequence[Tool]) -> tuple[tuple[str, Plan], ...]:
        """Requests with their plans."""
        if not self.count:
            return ()
        names = {tool.name for tool in tools}
        chance = random.Random(f"examples for {sample.id}")
        fit = [s for s, needs in zip(self._samples, self._needs, strict=True) if needs <= names]
        drawn = chance.sample(fit, min(self.count, len(fit)))
        others = [s for s in self._samples if s not in drawn] if len(drawn) < self.count else []
        drawn += chance.sample(others, min(self.count - len(drawn), len(others)))
        chance.shuffle(drawn)
        return tuple((s.query, s.answers) for s in drawn)


def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes() if path.is_file() else b"").digest()


# What an evaluation of context retrieval runs on: implicit queries, and the device of each as it was when asked.

TEST, TOOLBOX = "test.jsonl", "toolbox.json"


@dataclass(frozen=True)
class ImplicitQuery:
    """A query where and when it is asked."""

    sample: ContextSample
    situation: UseSituation
    index: ContextIndex


class ContextDataset:
    """Implicit queries that can be scored.

    Args:
        path: a folder that `camphor lab data context` made, of which the test split is read, or a file of samples.
        limit: how many queries to take; drawn evenly from the whole, which is in order of persons. None for all.
        of_nothing: whether there may be queries that are about no item.

    Raises:
        DatasetError: a line breaks the format, repeats an id or has no gold items. UsageError: there are no queries.
    """

    def __init__(self, path: Path, limit: int | None = None, *, of_nothing: bool = False) -> None:
        check_limit(limit)
        self.path = path / TEST if path.is_dir() else path
        self.folder = self.path.parent
        samples = list(read_context_samples(self.path))
        if not samples:
            raise UsageError(f"{self.path} holds no queries: make some with  camphor lab data context")
        self._check(samples, of_nothing)
        self.samples: Sequence[ContextSample] = evenly(samples, limit)

    def _check(self, samples: Sequence[ContextSample], of_nothing: bool) -> None:
        seen: set[str] = set()
        for number, sample in enumerate(samples, 1):
            if sample.id in seen:
                raise DatasetError(str(self.path), number, f"the id {sample.id!r} is used before: make it unique")
            if not sample.context and not of_nothing:
                raise DatasetError(str(self.path), number, "no gold items: without them it cannot be scored")
            seen.add(sample.id)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the samples and the devices that they name."""
        names = sorted({sample.device for sample in read_context_samples(self.path)})
        return fingerprint([self.path, *(self.folder / name for name in names)])

    @cached_property
    def toolbox(self) -> Toolbox:
        """The tools of the dataset. Raises: DatasetError, the file beside the samples cannot be read."""
        return read_toolbox(self.folder / TOOLBOX)

    def asked(self, sample: ContextSample) -> ImplicitQuery:
        """The query in its situation. Raises: DatasetError, DeviceFileError: the device cannot be read."""
        document = device_of(sample, self.folder)
        activity = tuple(document.get("activity") or ())
        situation = UseSituation(sample.now, sample.place, sample.screen, activity)
        return ImplicitQuery(sample, situation, index_of_document(document))
