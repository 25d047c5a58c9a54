"""What an evaluation of function calling runs on: samples, functions, and examples for few-shot prompts."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from camphor.errors import DatasetError, UsageError
from camphor.retrieval.retrievers import Retriever, rank
from camphor.tools.plans import Plan
from camphor.tools.tool import Tool
from camphor.trajectories.call_samples import TOOLS, CallSample, Shown, dataset_tools, read_call_samples
from camphor_lab.evaluation.dataset import check_limit

TRAIN = "train.jsonl"
PERFECT = "perfect"

Choose = Callable[[CallSample], tuple[Tool, ...]]
"""The functions that a sample's prompt shows."""


class CallDataset:
    """Samples that can be scored.

    Args:
        path: a JSONL file of samples. tools: the functions' file; None for tools.json beside it.
        limit: how many samples to take, from the first; None for all.

    Raises:
        DatasetError: a line breaks the format, repeats an id or calls a function that there is not.
        UsageError: there are no samples or no functions. DefinitionError: the functions cannot be read.
    """

    def __init__(self, path: Path, tools: Path | None = None, limit: int | None = None) -> None:
        check_limit(limit)
        self.path = path
        samples = list(read_call_samples(path))
        if not samples:
            raise UsageError(f"{path} holds no samples: give a JSONL file with one request and its answers a line")
        self.tools = dataset_tools(path, tools)
        shown = Shown(self.tools)
        seen: set[str] = set()
        for sample in samples:
            shown.gold(sample, path)
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
    shown = Shown(dataset.tools)
    return lambda sample: shown.of(sample, dataset.path)


def retrieved(dataset: CallDataset, retriever: Retriever, top: int) -> Choose:
    """The `top` functions that a retriever ranks first for the request, best first."""
    return lambda sample: rank(retriever, sample.query, dataset.tools)[:top]


class Examples:
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
