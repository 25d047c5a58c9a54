"""What people say of predictions becomes training samples: yes, no, or the calls as they should have been.

An annotation is a line of a JSONL file that only grows:

    {"query": "wake me at 7", "now": "2026-05-06T07:20:00", "tools": ["ACTION_SET_ALARM", ...], "predicted": [...],
     "verdict": "corrected", "corrected": [...], "said": {}, "at": "2026-11-21T12:00:00+00:00", "model": "embedded",
     "adapter": "", "form": "compact", "problem": null}

`predicted` and `corrected` are plans in DroidCall's JSON. The file is the only place where these words of a person are
kept; nobody else may read it. Nothing here asks anybody: a terminal or a web page does, and calls `Recorder.add`.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from camphor.errors import CallSyntaxError, DatasetError, ToolError
from camphor.tools.listing import to_listing, write_lines
from camphor.tools.plans import Plan, check, plan_from_json, plan_to_json
from camphor.tools.tool import Toolbox
from camphor.trajectories.call_samples import TOOLS, CallSample, write_call_samples

TRAIN = "train.jsonl"
TAG = "taught"
_START = b'{"query": '  # of every line that was written here; what begins so and is no JSON was cut off


class PlanVerdict(StrEnum):
    """What a person says of a prediction."""

    YES = "yes"
    NO = "no"
    CORRECTED = "corrected"


def _machine_time() -> str:
    return datetime.now(UTC).astimezone().isoformat(timespec="seconds")


@dataclass(frozen=True)
class Annotation:
    """A person's word on one prediction.

    Args:
        predicted: what the model would have done; empty where that could not be used, and then `problem` says why.
        corrected: what is right, with `PlanVerdict.CORRECTED` alone; empty where nothing should be called.
        tools: names of the functions that the model was shown. now: the clock of the person who asked.
        said: the query's words for computed values of the plan that is right, by "PLACE.PARAMETER".
        at: when it was said, machine's time, ISO 8601 with offset.

    Raises:
        ValueError: `corrected` without that verdict, or the reverse, or yes to what could not be used.
    """

    query: str
    predicted: Plan
    verdict: PlanVerdict
    corrected: Plan | None = None
    tools: tuple[str, ...] = ()
    now: datetime | None = None
    said: Mapping[str, str] = field(default_factory=dict)
    at: str = field(default_factory=_machine_time)
    model: str = ""
    adapter: str = ""
    form: str = ""
    problem: str | None = None

    def __post_init__(self) -> None:
        if (self.corrected is not None) != (self.verdict is PlanVerdict.CORRECTED):
            raise ValueError("expected corrected calls with the verdict 'corrected', and with no other")
        if self.verdict is PlanVerdict.YES and self.problem:
            raise ValueError("expected no or corrected: the prediction cannot be used")

    @property
    def key(self) -> str:
        """What a later annotation of the same query has too."""
        return " ".join(self.query.split())

    @property
    def right(self) -> Plan | None:
        """The calls that answer the query; None where the person did not say."""
        return {PlanVerdict.YES: self.predicted, PlanVerdict.CORRECTED: self.corrected, PlanVerdict.NO: None}[
            self.verdict
        ]

    def to_json(self) -> dict[str, Any]:
        return {
            "query": self.query,
            "now": self.now.isoformat() if self.now else None,
            "tools": list(self.tools),
            "predicted": plan_to_json(self.predicted),
            "verdict": self.verdict.value,
            "corrected": None if self.corrected is None else plan_to_json(self.corrected),
            "said": dict(self.said),
            "at": self.at,
            "model": self.model,
            "adapter": self.adapter,
            "form": self.form,
            "problem": self.problem,
        }


def annotation_from_json(data: Any) -> Annotation:
    """An annotation from a line's values; only query, predicted and verdict must be there.

    Raises:
        ValueError: not of the form; says what was expected.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("query"), str) or not data["query"].strip():
        raise ValueError("expected an annotation: an object with query, predicted and verdict")
    if data.get("verdict") not in tuple(PlanVerdict):
        raise ValueError(f"expected verdict as one of {', '.join(PlanVerdict)}")
    said, tools = data.get("said") or {}, data.get("tools") or []
    if not isinstance(said, Mapping) or not isinstance(tools, list):
        raise ValueError("expected said as an object and tools as a list")
    corrected = data.get("corrected")
    try:
        return Annotation(
            data["query"],
            plan_from_json(data.get("predicted") or []),
            PlanVerdict(data["verdict"]),
            None if corrected is None else plan_from_json(corrected),
            tuple(map(str, tools)),
            datetime.fromisoformat(data["now"]) if data.get("now") else None,
            {str(place): str(words) for place, words in said.items()},
            at=str(data.get("at") or ""),
            model=str(data.get("model") or ""),
            adapter=str(data.get("adapter") or ""),
            form=str(data.get("form") or ""),
            problem=data.get("problem"),
        )
    except (CallSyntaxError, TypeError) as error:
        raise ValueError(str(error)) from None


class Recorder:
    """The annotations of one file. Several processes may add to it at a time.

    Args:
        path: of the file; made, for its owner alone, when the first is added.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, annotation: Annotation) -> None:
        """Write one line, whole and onto the disk. What a crash cut off before stays behind as a line of its own.

        Raises:
            OSError: it cannot be written; what was there is as it was.
        """
        line = json.dumps(annotation.to_json(), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        try:
            end = os.lseek(file, 0, os.SEEK_END)
            if end and _byte_before(file, end) != b"\n":
                line = b"\n" + line
            if os.write(file, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
            os.fsync(file)
        finally:
            os.close(file)

    def __iter__(self) -> Iterator[Annotation]:
        """All annotations, oldest first; none where there is no file. Lines that were cut off are left out.

        Raises:
            DatasetError: the file cannot be read, or a line is no annotation; names the line.
        """
        try:
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            raise DatasetError(str(self.path), None, f"cannot be read: {error.strerror}") from None
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                data = json.loads(line)
            except (ValueError, RecursionError) as error:
                if line.startswith(_START[: len(line)]):
                    continue
                raise DatasetError(str(self.path), number, f"is no JSON: {error}") from None
            try:
                yield annotation_from_json(data)
            except ValueError as error:
                raise DatasetError(str(self.path), number, str(error)) from None

    def latest(self) -> dict[str, Annotation]:
        """The last word on each query, by `Annotation.key`, in the order in which the queries came up first.

        Raises: as iterating.
        """
        return {each.key: each for each in self}


@dataclass(frozen=True)
class TaughtCalls:
    """What annotations teach.

    Args:
        samples: one a query. refused: how many queries have "no" as their last word.
        unfit: of each query whose calls the functions do not take, the query and a sentence.
    """

    samples: tuple[CallSample, ...]
    refused: int = 0
    unfit: tuple[tuple[str, str], ...] = ()


def taught(annotations: Iterable[Annotation], toolbox: Toolbox) -> TaughtCalls:
    """Training samples from annotations: yes gives the prediction, a correction itself, no gives none.

    The last annotation of a query counts. Calls that the functions, as they are now, do not take are left out and told.
    """
    samples: list[CallSample] = []
    refused, unfit = 0, []
    for key, each in {each.key: each for each in annotations}.items():
        if each.right is None:
            refused += 1
            continue
        try:
            plan = check(each.right, toolbox)
        except ToolError as error:
            unfit.append((key, str(error)))
            continue
        name = f"{TAG}-{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:12]}"
        samples.append(CallSample(name, key, plan, each.now, each.said, (TAG,)))
    return TaughtCalls(tuple(samples), refused, tuple(unfit))


def export(annotations: Iterable[Annotation], toolbox: Toolbox, folder: Path) -> TaughtCalls:
    """Write `train.jsonl` and `tools.json` into a folder, each in one go: what `camphor lab train` takes.

    Raises:
        OSError: they cannot be written.
    """
    found = taught(annotations, toolbox)
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{TOOLS}.part"
    draft.write_text(write_lines(to_listing(tool) for tool in toolbox), encoding="utf-8")
    os.replace(draft, folder / TOOLS)
    write_call_samples(folder / TRAIN, found.samples)
    return found


def _byte_before(file: int, end: int) -> bytes:
    os.lseek(file, end - 1, os.SEEK_SET)
    return os.read(file, 1)
