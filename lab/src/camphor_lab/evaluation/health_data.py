"""What an evaluation of the health assistant runs on: recorded cases with their phones, and lines that people wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

import camphor
from camphor.agents.health.case import Case
from camphor.errors import DatasetError, UsageError
from camphor_lab.datasets.files import read_lines
from camphor_lab.datasets.health.cases import case_of
from camphor_lab.datasets.health.flows import UseCase
from camphor_lab.evaluation.dataset import evenly, fingerprint
from camphor_lab.evaluation.results import Configuration, Partial, Progress, Result, RunLookup, about_run, kept, run_all
from camphor_lab.evaluation.sources import HEALTH

TEST = "test.jsonl"
ASK = "ask"
"""In place of a specialist: nothing can be booked before a question."""


@dataclass(frozen=True)
class RecordedCase:
    """A case as it should go. `device` is the file of its phone as it was before, where the record names one."""

    id: str
    use_case: str
    case: Case
    device: Path | None = None


@dataclass(frozen=True)
class HealthLine:
    """What a person wrote: the specialists that are right for it, the best first, or whether it is an emergency."""

    id: str
    text: str
    specialists: tuple[str, ...] = ()
    red_flag: bool = False
    kind: str = ""

    @property
    def unclear(self) -> bool:
        return self.specialists == (ASK,)


class HealthDataset:
    """Recorded cases.

    Args:
        path: a folder that `camphor lab data health` made, of which the test split is read, or a split's file.
        limit: how many cases to take, drawn evenly from the whole, which is in order of use cases. None for all.
        use_cases: only these. All for none.

    Raises:
        DatasetError: a line breaks the format, or repeats an id. UsageError: there is no such file or use case.
    """

    def __init__(self, path: Path, limit: int | None = None, use_cases: Sequence[str] = ()) -> None:
        known = [each.value for each in UseCase]
        if unknown := next((each for each in use_cases if each not in known), ""):
            raise UsageError(f"There is no use case {unknown[:80]!r}: choose from {', '.join(known)}")
        self.path = path / TEST if path.is_dir() else path
        found = [_recorded(self.path, number, record) for number, record in records(self.path)]
        chosen = [each for each in found if not use_cases or each.use_case in use_cases]
        if not chosen:
            raise UsageError(f"{self.path} holds no such cases: make some with  camphor lab data health")
        self.cases: Sequence[RecordedCase] = evenly(chosen, limit)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the file and the phones of these cases."""
        devices = [each.device for each in self.cases if each.device and each.device.is_file()]
        return fingerprint([self.path, *devices])


class HealthLines:
    """Lines of a file such as `data/health-test/specialists.jsonl` or `red-flags.jsonl`.

    Args:
        limit: how many to take, drawn evenly. None for all.

    Raises:
        DatasetError: a line breaks the format, or repeats an id. UsageError: there is no such file, or no line in it.
    """

    def __init__(self, path: Path, limit: int | None = None) -> None:
        self.path = path
        found = [_line(path, number, record) for number, record in records(path)]
        if not found:
            raise UsageError(f"{path} holds no lines")
        self.lines: Sequence[HealthLine] = evenly(found, limit)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the file."""
        return fingerprint([self.path])


def records(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The number and the object of each line that is not empty; ids are there, and none twice."""
    seen: set[str] = set()
    for number, record in read_lines(path):
        if not isinstance(record, dict) or not isinstance(record.get("id"), str) or record["id"] in seen:
            raise DatasetError(str(path), number, "expected an object with an id of its own")
        seen.add(record["id"])
        yield number, record


def _recorded(path: Path, number: int, record: Mapping[str, Any]) -> RecordedCase:
    case = case_of(path, number, record)
    if not case.closed:
        raise DatasetError(str(path), number, "the case does not end with <END>")
    device = record.get("device")
    place = path.parent / device if isinstance(device, str) else None
    return RecordedCase(record["id"], str(record.get("use_case") or ""), case, place)


def _line(path: Path, number: int, record: Mapping[str, Any]) -> HealthLine:
    text, specialists = record.get("text"), record.get("specialists", [])
    if not isinstance(text, str) or not text.strip():
        raise DatasetError(str(path), number, "expected text, what the person wrote")
    if not isinstance(specialists, list) or not all(isinstance(each, str) for each in specialists):
        raise DatasetError(str(path), number, "expected specialists, a list of texts, the best first")
    if not isinstance(record.get("red_flag"), bool):
        raise DatasetError(str(path), number, "expected red_flag, true or false")
    return HealthLine(record["id"], text, tuple(specialists), record["red_flag"], str(record.get("kind") or ""))


# ---- running ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunOptions:
    """What is run, for resuming it and for the record.

    Args:
        strategy: which of the measurements. model: its name. settings: what else decides the results, as JSON values.
        out: where to write the results, atomically; until then the finished ones stand beside it. None keeps nothing.
        command: the command line.
    """

    strategy: str
    model: str = ""
    settings: Mapping[str, Any] | None = None
    out: Path | None = None
    command: str = ""
    progress: Progress | None = None


K = TypeVar("K", bound=RunLookup)


class DataSource(Protocol):
    """Where the items are from: their file, and a hash of all that decides them."""

    path: Path

    @property
    def fingerprint(self) -> str: ...


def measured(
    dataset: DataSource,
    items: Sequence[K],
    answer: Callable[[K], Result],
    score: Callable[[Sequence[Result]], tuple[dict[str, Any], list[dict[str, Any]]]],
    run: RunOptions,
) -> dict[str, Any]:
    """The results of all items, scored, as `{"metrics", "run", "items"}`; a stopped run goes on where it was.

    Args:
        answer: what is measured, of one item. score: the metrics, and for the record each item.

    Raises:
        UsageError: nothing can be written beside `run.out`.
    """
    begun = datetime.now(UTC)
    configuration = Configuration(dataset.fingerprint, run.model, run.strategy, camphor.__version__, run.settings or {})

    def report(partial: Partial | None) -> dict[str, Any]:
        resumed = sum(each.id in partial.done for each in items) if partial else 0
        results = run_all(items, answer, partial, run.progress)
        metrics, rows = score(results)
        about = about_run(configuration, dataset.path.name, run.command, begun)
        about |= {"seconds": round(sum(result.seconds for result in results), 2), "resumed": resumed}
        return {"metrics": metrics, "run": about, "items": rows}

    return kept(run.out, configuration, report, HEALTH)
