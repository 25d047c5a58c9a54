"""Makes the health data: cases of every use case, in shards that any process may draw, as JSON lines.

    FOLDER/train.jsonl, development.jsonl, test.jsonl     a record a line (cases.py)
    FOLDER/tools.json                                     the tools that the cases call
    FOLDER/devices/ID.device.json                         the phones of development and test, and of training if wanted

A case is drawn from its number, so that a stopped run goes on where it was, and any number of processes gives the same.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from camphor.device.apps import tools_of
from camphor.device.apps.clinic import Clinic
from camphor.errors import UsageError
from camphor.trajectories.call_samples import TOOLS
from camphor_lab.datasets.files import line_of, whole, write_json
from camphor_lab.datasets.health.cases import TRAJECTORY, Wrong, diseases_of, draw
from camphor_lab.datasets.health.diseases import FOLDER, MENTIONS, read_diseases
from camphor_lab.datasets.health.flows import UseCase
from camphor_lab.datasets.parallel import Pool, in_order

# Of each use case: its share of training, where the emergencies run in a fixed order and need few; and its cases of a
# test whose planner pairs are about the paper's (Table 1): 700, 876, 492, 1,273, 200, 700, 600.
_SIZES: Mapping[UseCase, tuple[float, int]] = {
    UseCase.GENERAL: (0.36, 88),
    UseCase.COUNTER: (0.20, 80),
    UseCase.NEGATIVE: (0.17, 82),
    UseCase.DIETICIAN: (0.13, 159),
    UseCase.SOFT_SOS: (0.06, 100),
    UseCase.HARD_SOS_START: (0.04, 100),
    UseCase.HARD_SOS_END: (0.04, 100),
}
TABLE_1: Mapping[UseCase, int] = {use_case: cases for use_case, (_, cases) in _SIZES.items()}
"""Cases of a test of about the paper's sizes."""
_CASES = 20  # in a shard
_TRIES = 4  # numbers beyond those wanted, where cases do not hold


@dataclass(frozen=True)
class CaseRecipe:
    """What decides a shard's content, but for its number: shards of one use case after those of another."""

    split: str
    seed: int
    wanted: Mapping[str, int]
    diseases: Path = FOLDER
    mentions: Path = MENTIONS
    devices: bool = True

    def pieces(self) -> list[tuple[UseCase, int, int]]:
        """The use case, first number and end of each shard."""
        return [
            (UseCase(name), first, min(first + _CASES, count))
            for name, count in self.wanted.items()
            for first in range(0, count, _CASES)
        ]

    def __call__(self, number: int) -> str:
        """The shard's lines: [record, device file or null] or [null, why there is none]."""
        use_case, first, end = self.pieces()[number]
        known = read_diseases(self.diseases, self.mentions)
        lines: list[list[Any]] = []
        for case in range(first, end):
            for attempt in range(_TRIES):
                try:
                    record, data = draw(
                        self.split, use_case, case + attempt * sum(self.wanted.values()), self.seed, known
                    )
                except Wrong as error:
                    lines.append([None, str(error)])
                    continue
                record["id"] = f"{self.split}-{use_case}-{case + 1:05d}"
                if self.devices:
                    record["device"] = f"devices/{record['id']}.device.json"
                lines.append([record, data if self.devices else None])
                break
        return "".join(map(line_of, lines))

    @property
    def mark(self) -> str:
        """Another text for another recipe or other diseases."""
        texts = [path.read_text(encoding="utf-8") for path in (*sorted(self.diseases.glob("*.toml")), self.mentions)]
        told = [self.split, self.seed, dict(self.wanted), self.devices, texts]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]


@dataclass
class CaseSummary:
    """What a split holds: cases by use case, pairs of each agent, and why drawn cases were dropped."""

    cases: Counter[str] = field(default_factory=Counter)
    planner: Counter[str] = field(default_factory=Counter)
    caller: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    diseases: set[str] = field(default_factory=set)

    def add(self, record: Mapping[str, Any]) -> None:
        name = record["use_case"]
        self.cases[name] += 1
        senders = Counter(state["from"] for state in record[TRAJECTORY])
        self.planner[name] += senders["planner"]
        self.caller[name] += senders["caller"]
        if record.get("disease"):
            self.diseases.add(record["disease"])

    def to_json(self) -> dict[str, Any]:
        return {
            "cases": dict(self.cases),
            "planner_pairs": dict(self.planner),
            "caller_pairs": dict(self.caller),
            "diseases": len(self.diseases),
            "dropped": dict(self.dropped),
        }


def training_sizes(cases: int) -> dict[str, int]:
    """So many cases over the use cases, by their shares of training."""
    return {use_case.value: round(cases * share) for use_case, (share, _) in _SIZES.items()}


def generate(
    out: Path,
    recipe: CaseRecipe,
    pool: Pool,
    progress: Callable[[int], None] = lambda done: None,
) -> CaseSummary:
    """Write a split.

    Args:
        progress: told how many cases are made.

    Raises:
        UsageError: a use case has no disease to begin with.
    """
    known = read_diseases(recipe.diseases, recipe.mentions)
    for name, count in recipe.wanted.items():
        if count and not diseases_of(UseCase(name), recipe.split, known):
            raise UsageError(f"{recipe.diseases}: no disease there serves the use case {name} of {recipe.split}")
    shards = out / ".shards" / f"{recipe.split}-{recipe.mark}"
    if recipe.devices:
        (out / "devices").mkdir(exist_ok=True)
    write_tools(out)
    summary = CaseSummary()
    with whole(out / f"{recipe.split}.jsonl") as draft, draft.open("w", encoding="utf-8") as stream:
        for path in in_order(pool, recipe, shards, 0, len(recipe.pieces())):
            for record, data in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
                if record is None:
                    summary.dropped[str(data)[:120]] += 1
                    continue
                if data is not None:
                    write_json(out / record["device"], data)
                stream.write(line_of(record))
                summary.add(record)
            progress(summary.cases.total())
    shutil.rmtree(shards)
    return summary


def write_tools(out: Path) -> None:
    """The tools of the clinic app as JSON schemas."""
    write_json(out / TOOLS, [tool.to_schema() for tool in tools_of(Clinic.name)], indent=1)
