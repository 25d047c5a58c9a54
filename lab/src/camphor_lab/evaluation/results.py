"""What an evaluation leaves behind: a result for each query, a partial file while it runs, one JSON file at the end."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol, TypeVar

from camphor.errors import CamphorError, UsageError
from camphor.tools.calls import calls_from_json, calls_to_json
from camphor.types import Agent, Call, Observation, Step
from camphor_lab.evaluation.sources import ASSISTANT, source_of_now


@dataclass(frozen=True)
class Result:
    """What happened to one query.

    Args:
        predicted: the task-completion calls made or proposed, normalised. gold: the right ones, as the dataset gives
            them.
        seconds: time the answer took. timing: what the answerer tells of it (tokens, seconds of each step).
        error: type and sentence of the exception that ended it, or None. turn: 1 for a first query, n for the n-th.
        refused: how many of `predicted`, the last ones, the device did not understand: nothing came of them.
        undone: names of the proposed actions that were in doubt, and so not done though every action was agreed to.
    """

    id: str
    query: str
    predicted: tuple[Call, ...]
    gold: tuple[Call, ...]
    steps: tuple[Step, ...] = ()
    response: str = ""
    seconds: float = 0.0
    error: str | None = None
    timing: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    turn: int = 1
    refused: int = 0
    undone: tuple[str, ...] = ()

    @property
    def proposed(self) -> tuple[Call, ...]:
        """The actions that were done, or would have been with a yes."""
        return self.predicted[: len(self.predicted) - self.refused]

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "query": self.query,
            "predicted": calls_to_json(self.predicted),
            "gold": calls_to_json(self.gold),
            "steps": [_step_to_json(step) for step in self.steps],
            "response": self.response,
            "seconds": self.seconds,
            "error": self.error,
            "timing": dict(self.timing),
            "tags": list(self.tags),
            "turn": self.turn,
            "refused": self.refused,
            "undone": list(self.undone),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Result:
        return cls(
            id=data["id"],
            query=data["query"],
            predicted=calls_from_json(data["predicted"]),
            gold=calls_from_json(data["gold"]),
            steps=tuple(_step_from_json(step) for step in data["steps"]),
            response=data["response"],
            seconds=data["seconds"],
            error=data["error"],
            timing=data["timing"],
            tags=tuple(data["tags"]),
            turn=data["turn"],
            refused=data.get("refused", 0),
            undone=tuple(data.get("undone", ())),
        )


def _step_to_json(step: Step) -> dict[str, Any]:
    return {
        "agent": step.agent.value,
        "calls": calls_to_json(step.calls),
        "observations": [observation.to_json() for observation in step.observations],
    }


def _step_from_json(data: Mapping[str, Any]) -> Step:
    observations = tuple(map(Observation.from_json, data["observations"]))
    return Step(Agent(data["agent"]), calls_from_json(data["calls"]), observations)


@dataclass(frozen=True)
class Configuration:
    """Everything that decides what an evaluation's answers are. A stopped run is resumed only under an equal one.

    Args:
        dataset: SHA-256 of the dataset with its devices. model, strategy: names. version: camphor's.
        settings: whatever else changes answers (an adapter's hash, limits), as JSON values.
    """

    dataset: str
    model: str
    strategy: str
    version: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def fingerprint(self) -> str:
        text = json.dumps(self.to_json(), sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


class Partial:
    """The results of an unfinished run, one JSON line each, beside the file that the run will write.

    Every result is on the disk before the next query begins. The configuration's fingerprint is part of the file's
    name, so a run under another configuration neither reads nor overwrites it. A last line cut off by a crash is
    dropped.

    Args:
        out: where the finished results will be.

    Raises:
        UsageError: the folder is missing or cannot be written to.
    """

    def __init__(self, out: Path, configuration: Configuration) -> None:
        self.path = out.with_name(f"{out.name}.{configuration.fingerprint}.partial.jsonl")
        self.done: dict[str, Result] = {}
        self._file = self._open()

    def _open(self) -> BinaryIO:
        try:
            whole = self._read()
            file = self.path.open("ab", buffering=0)
            file.truncate(whole)
        except OSError as error:
            raise UsageError(
                f"Cannot keep results beside {self.path.parent}: {error.strerror}: choose another --out"
            ) from error
        return file

    def _read(self) -> int:
        """Fill `done`, and return the number of bytes that are whole lines."""
        whole = 0
        if not self.path.exists():
            return whole
        with self.path.open("rb") as file:
            for line in file:
                try:
                    result = Result.from_json(json.loads(line))
                except (ValueError, KeyError, TypeError, CamphorError):
                    break
                if not line.endswith(b"\n"):
                    break
                self.done[result.id] = result
                whole += len(line)
        return whole

    def append(self, result: Result) -> None:
        """Record one finished query, so that it survives a crash of the process or of the machine.

        Raises:
            UsageError: the disk is full or gone. The queries before it stay recorded.
        """
        line = json.dumps(result.to_json(), default=str) + "\n"  # ASCII: a lone surrogate in a reply cannot break it
        try:
            written = self._file.write(line.encode())
            if written != len(line):
                raise OSError(None, "the disk is full")
            os.fsync(self._file.fileno())
        except OSError as error:
            raise UsageError(
                f"{self.path} cannot be written to ({error.strerror}): make room and run the same command again; "
                f"{len(self.done)} queries are kept"
            ) from error
        self.done[result.id] = result

    def remove(self) -> None:
        """The run is finished and its results are written elsewhere."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Partial:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def write_report(path: Path, report: Mapping[str, Any], about: Sequence[str] = ASSISTANT) -> None:
    """Write the results so that the file is either the old one or the whole new one, whatever happens meanwhile.

    Args:
        about: the parts of the package that decide the figures (`sources`); the file records what they were.

    Raises:
        UsageError: it cannot be written; the old file is as it was.
    """
    told = {**{key: value for key, value in report.items() if key != "items"}, "source": source_of_now(about)}
    whole = {**told, "items": report["items"]} if "items" in report else told
    text = json.dumps(whole, ensure_ascii=False, indent=1, default=str) + "\n"
    beside = path.with_name(path.name + ".new")
    try:
        with beside.open("wb") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written ({error.strerror}): make room or choose another --out") from error


def kept(
    out: Path | None,
    configuration: Configuration,
    run: Callable[[Partial | None], dict[str, Any]],
    about: Sequence[str] = ASSISTANT,
) -> dict[str, Any]:
    """The report of a run, written to `out`; until it is there, finished results stand beside it. None keeps nothing.

    Args:
        run: makes the report; it is given what keeps each result. about: as `write_report` takes it.

    Raises:
        UsageError: nothing can be written beside `out`.
    """
    if out is None:
        return run(None)
    with Partial(out, configuration) as partial:
        report = run(partial)
        write_report(out, report, about)
        partial.remove()
    return report


def about_run(configuration: Configuration, dataset: str, command: str, date: datetime) -> dict[str, Any]:
    """What a result file says of how it was made; `dataset` is a name, `command` the command line."""
    return {
        "command": command,
        "dataset": dataset,
        "dataset_sha256": configuration.dataset,
        "model": configuration.model,
        "settings": dict(configuration.settings),
        "camphor": configuration.version,
        "date": date.isoformat(timespec="seconds"),
    }


def mean_timing(results: Sequence[Result], key: str) -> float | None:
    """The mean of a figure of timing over the results that have it."""
    values = [result.timing[key] for result in results if key in result.timing]
    return round(sum(values) / len(values), 1) if values else None


def read_report(path: Path) -> dict[str, Any]:
    """Read results written by `camphor lab evaluate`.

    Raises:
        UsageError: no such file, or not such results.
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}: give a file written by  camphor lab evaluate --out") from error
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: give a file written by  camphor lab evaluate --out") from error
    if not isinstance(report, dict) or not isinstance(report.get("items"), list) or "metrics" not in report:
        raise UsageError(f"{path} has no metrics and items: give a file written by  camphor lab evaluate --out")
    return report


Progress = Callable[[int, int, Result], None]
"""Told after each query: how many are done, of how many, and the result."""


class RunLookup(Protocol):
    """What a result belongs to."""

    @property
    def id(self) -> str: ...


K = TypeVar("K", bound=RunLookup)


def run_all(
    items: Sequence[K], answer: Callable[[K], Result], partial: Partial | None = None, progress: Progress | None = None
) -> list[Result]:
    """The result of each item, in order: the one recorded in `partial`, or a new one, which is recorded there."""
    results = []
    for item in items:
        result = partial.done.get(item.id) if partial else None
        if result is None:
            result = answer(item)
            if partial:
                partial.append(result)
        results.append(result)
        if progress:
            progress(len(results), len(items), result)
    return results
