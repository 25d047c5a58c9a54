"""What a report is made of: result files found by their names, the papers' figures, and blocks of a page.

The names are a convention, told in `docs/lab.md`; a file of another name with metrics in it counts as one of our
own data sets.
"""

from __future__ import annotations

import fnmatch
import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from camphor.errors import UsageError
from camphor_lab.evaluation.metrics import LEVELS
from camphor_lab.evaluation.tables import TITLES
from camphor_lab.evaluation.tables import with_interval as with_interval

GROUPS = ("table1-*", "table2-*", "table3-*", "rag-*", "peers*", "bfcl*", "retrieval-*")
"""Names of results that are compared with each other and are no data set of their own."""
TEST = "data/generated-test/test.jsonl"
SCORES = tuple(LEVELS)
HEADER = tuple(TITLES.values())


class Results:
    """The JSON files of one folder, by name without the ending, each read once.

    Raises:
        UsageError: no such folder; on reading, a file that is not JSON.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"There is no folder {folder}: give the one that  camphor lab evaluate --out  writes to")
        self.folder = folder
        self._read: dict[str, Any] = {}

    @cached_property
    def names(self) -> list[str]:
        return sorted(path.stem for path in self.folder.glob("*.json"))

    def get(self, name: str) -> Any:
        """What is in the file of that name; None where there is none."""
        if name not in self.names:
            return None
        if name not in self._read:
            path = self.folder / f"{name}.json"
            try:
                self._read[name] = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise UsageError(f"{path} cannot be read as JSON ({error}): make it again or remove it") from error
        return self._read[name]

    def matching(self, pattern: str) -> dict[str, Any]:
        """The files whose names fit the pattern, in order of their names."""
        return {name: self.get(name) for name in self.names if fnmatch.fnmatch(name, pattern)}

    def evaluations(self, pattern: str = "*") -> dict[str, Any]:
        """Those of them that `camphor lab evaluate --out` wrote."""
        return {name: found for name, found in self.matching(pattern).items() if is_evaluation(found)}

    def own(self) -> dict[str, Any]:
        """The evaluations that belong to no comparison: our own data sets."""
        named = [name for pattern in GROUPS for name in fnmatch.filter(self.names, pattern)]
        return {name: found for name, found in self.evaluations().items() if name not in named}


def is_evaluation(found: Any) -> bool:
    """Whether this is what `camphor lab evaluate --out` writes."""
    return isinstance(found, dict) and isinstance(found.get("items"), list) and "plan_f1" in found.get("metrics", ())


def papers() -> dict[str, Any]:
    """The published figures, from `paper.toml`."""
    return tomllib.loads((files("camphor_lab.evaluation") / "paper.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class TextBlock:
    """A paragraph, in Markdown."""

    text: str


@dataclass(frozen=True)
class TableBlock:
    """A table; the first column is text, the others figures. None is shown as a dash."""

    header: Sequence[str]
    rows: Sequence[Sequence[str | None]]


@dataclass(frozen=True)
class PlotBlock:
    """A figure: `draw` is given a matplotlib figure. `name` is the end of its file's name."""

    name: str
    caption: str
    draw: Callable[[Any], None]
    height: float = 3.6  # inches; all are 8 wide


@dataclass(frozen=True)
class Missing:
    """What has not been measured, and the commands that measure it."""

    what: str
    commands: Sequence[str]


Block = TextBlock | TableBlock | PlotBlock | Missing


@dataclass(frozen=True)
class Section:
    title: str
    blocks: Sequence[Block]


def percent(share: float | None) -> str | None:
    """A share from 0 to 1 in percent with one decimal."""
    return None if share is None else f"{100 * share:.1f}"


def mean_timing(report: Mapping[str, Any], key: str) -> float | None:
    """The mean over queries of a figure that every query's timing has; None where one lacks it."""
    values = [item.get("timing", {}).get(key) for item in report["items"]]
    return sum(values) / len(values) if values and all(value is not None for value in values) else None


def one_data_set(reports: Mapping[str, Mapping[str, Any]]) -> list[Block]:
    """A warning where rows that stand in one table are of different queries."""
    seen = {(report["run"].get("dataset_sha256"), report["metrics"]["items"]) for report in reports.values()}
    if len(seen) < 2:
        return []
    told = "; ".join(
        f"{name}: {r['run'].get('dataset')}, {r['metrics']['items']} queries" for name, r in reports.items()
    )
    return [TextBlock(f"**These rows are not of the same queries** ({told}): compare them with care.")]


def made_by(reports: Mapping[str, Mapping[str, Any]]) -> TextBlock:
    """On which and how many queries the rows of a table were measured, and by which commands."""
    seen = dict.fromkeys(f"{r['metrics']['items']} queries of `{r['run']['dataset']}`" for r in reports.values())
    commands = dict.fromkeys(f"`{report['run']['command']}`" for report in reports.values())
    return TextBlock(f"Measured on {', '.join(seen)}. Made by: {'; '.join(commands)}.")


def incomparable(paper: Mapping[str, Any]) -> TextBlock:
    """Why the paper's columns and ours are not one ranking."""
    return TextBlock(
        f"The paper's figures were measured on {paper['data']}; ours on other data, with other models. They say "
        "what each kind of change does there and here, and not which system is better."
    )


def missing(what: str, commands: Sequence[str]) -> list[Block]:
    """What is to be said of results that no file holds: nothing where there are none."""
    return [Missing(what, commands)] if commands else []


def seconds(report: Mapping[str, Any]) -> str | None:
    """Mean wall time of a query."""
    mean = report["metrics"]["seconds"]["mean"]
    return None if mean is None else f"{mean:.2f}"


def cpu_seconds(report: Mapping[str, Any]) -> str | None:
    """Mean processor time of a query, where the run recorded it."""
    mean = mean_timing(report, "cpu_seconds")
    return None if mean is None else f"{mean:.2f}"
