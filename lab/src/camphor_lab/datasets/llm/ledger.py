"""What a run keeps, line by line, so that it can be stopped anywhere and goes on from there.

rounds.ndjson             what the model was asked in each round, and the queries it wrote
written.jsonl             the items that were accepted
rejected.jsonl            the queries that were not, each with `reason` and `why`
devices/                  the phones of all of them
written.settings.json     what the run was begun with
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from camphor.errors import UsageError
from camphor.trajectories.items import Item
from camphor_lab.datasets.files import write_text
from camphor_lab.datasets.ledger import RunFolder
from camphor_lab.datasets.llm.judge import SIEVED, Reason
from camphor_lab.datasets.llm.queries import SUFFIX, NamedPhone

ACCEPTED, REJECTED, ROUNDS, SETTINGS = "written.jsonl", "rejected.jsonl", "rounds.ndjson", "written.settings.json"


@dataclass(frozen=True)
class QueryRound:
    """One prompt for queries, and what came of it."""

    number: int
    device: str
    kind: str
    seeds: tuple[str, ...]
    queries: tuple[str, ...]

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> QueryRound:
        lists = {key: tuple(data[key]) for key in ("seeds", "queries")}
        return QueryRound(data["number"], data["device"], data["kind"], **lists)


class QueryLedger:
    """The files of a run.

    Args:
        folder: made where it is missing. settings: what decides the outcome, as JSON values.

    Raises:
        UsageError: the folder holds a run of other settings, or a file that cannot be read or written.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        self.accepted: list[str] = []
        """Queries of the items that were accepted, in order."""
        self.reasons: Counter[Reason] = Counter()
        self.tried: list[str] = []
        """Queries that passed the sieve, accepted or not."""
        self._known: dict[str, bool] = {}
        self._rounds: dict[int, QueryRound] = {}
        try:
            self._run = RunFolder(folder, settings, SETTINGS)
            (folder / "devices").mkdir(exist_ok=True)
            for _, line in self._run.lines(ROUNDS):
                self._rounds[line["number"]] = QueryRound.from_json(line)
            for _, line in self._run.lines(ACCEPTED):
                self._count(line["id"], line["query"], None)
            for _, line in self._run.lines(REJECTED):
                self._count(line["id"], line["query"], Reason(line["reason"]))
        except OSError as error:
            raise UsageError(f"{folder} cannot be used: {error.strerror}: choose another folder") from error
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"{folder} holds files of another kind ({error}): choose another folder") from error

    def outcome(self, identity: str) -> bool | None:
        """Whether the query of that id was accepted; None where it was not tried."""
        return self._known.get(identity)

    def round(self, number: int) -> QueryRound | None:
        return self._rounds.get(number)

    def begin(self, state: NamedPhone, asked: QueryRound) -> None:
        """Keep the round and its phone."""
        path = self.folder / self.device_file(state.name)
        if not path.exists():
            write_text(path, json.dumps(state.data, ensure_ascii=False))
        self._append(ROUNDS, asdict(asked))
        self._rounds[asked.number] = asked

    def accept(self, item: Item) -> None:
        self._append(ACCEPTED, item.to_json())
        self._count(item.id, item.query, None)

    def reject(self, item: Item, reason: Reason, why: str, **more: Any) -> None:
        """Args: item: with what is known of it. more: further keys of the line."""
        self._append(REJECTED, {**item.to_json(), "reason": reason.value, "why": why, **more})
        self._count(item.id, item.query, reason)

    @staticmethod
    def device_file(name: str) -> str:
        """A device's file, relative to the dataset's."""
        return f"devices/{name}{SUFFIX}"

    def _count(self, identity: str, query: str, reason: Reason | None) -> None:
        self._known[identity] = reason is None
        if reason is None:
            self.accepted.append(query)
        else:
            self.reasons[reason] += 1
        if reason not in SIEVED:
            self.tried.append(query)

    def _append(self, name: str, line: Mapping[str, Any]) -> None:
        self._run.append(name, json.dumps(line, ensure_ascii=False))
