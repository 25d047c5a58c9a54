"""What a run keeps: every answer of the model as it comes, and from these, by the filters, everything else.

rounds.ndjson          what was asked in each round and what the model answered; only ever appended to
run.json               what the run was begun with; it goes on only under the same
train.jsonl, test.jsonl, tools.json, rejected.jsonl, yield.json    made from the answers

A run that was killed loses the answers on their way and nothing else. One that goes on passes the answers through the
filters anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from camphor.errors import UsageError
from camphor_lab.datasets.instruct.prompts import Stage
from camphor_lab.datasets.ledger import RunFolder

ROUNDS, SETTINGS = "rounds.ndjson", "run.json"
TRAIN, TEST, TOOLS, REJECTED, YIELD = "train.jsonl", "test.jsonl", "tools.json", "rejected.jsonl", "yield.json"


@dataclass(frozen=True)
class SampleRound:
    """One request and its answer: which functions, whether all at once, the stage, the clock that was told."""

    number: int
    tools: tuple[str, ...]
    complex: bool
    stage: Stage
    now: datetime
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "now": self.now.isoformat()}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> SampleRound:
        return SampleRound(
            int(data["number"]),
            tuple(data["tools"]),
            bool(data["complex"]),
            Stage(data["stage"]),
            datetime.fromisoformat(data["now"]),
            str(data["text"]),
        )


class SampleLedger:
    """The answers in a folder. Their texts stay on the disk.

    Raises:
        UsageError: the folder holds a run of other settings or files of another kind, or cannot be written to.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        try:
            if (folder / ROUNDS).exists() and not (folder / SETTINGS).exists():
                raise ValueError(f"{ROUNDS} without {SETTINGS}")
            self._run = RunFolder(folder, settings, SETTINGS)
            self._starts = {SampleRound.from_json(line).number: start for start, line in self._run.lines(ROUNDS)}
        except OSError as error:
            raise UsageError(f"{folder} cannot be used: {error.strerror}: choose another folder") from None
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"{folder} holds files of another kind ({error}): choose another folder") from None

    def __contains__(self, number: object) -> bool:
        return number in self._starts

    def __len__(self) -> int:
        return len(self._starts)

    def round(self, number: int) -> SampleRound:
        """The answered round of that number. Raises: KeyError."""
        return SampleRound.from_json(self._run.line_at(ROUNDS, self._starts[number]))

    def keep(self, answered: SampleRound) -> None:
        """Append a round; it is on the disk when this returns.

        Raises:
            UsageError: the disk is full, or the folder is gone.
        """
        try:
            self._starts[answered.number] = self._run.append(ROUNDS, json.dumps(answered.to_json()))
        except OSError as error:
            raise UsageError(
                f"{self.folder / ROUNDS} cannot be written: {error.strerror}: make room, and the same command goes on"
            ) from None


class Rejections:
    """Lines of rejected.jsonl, written as they come."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / REJECTED
        self._file = self._path.open("w", encoding="utf-8", errors="replace")

    def add(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def close(self) -> None:
        self._file.close()
