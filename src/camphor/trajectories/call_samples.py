"""One sample a line: {"id", "query", "answers": [{"id", "name", "arguments"}]}, as DroidCall's listing 2 has it.

Three keys are ours and may be absent. `now` is the clock of the person who asks, where the answer turns on it. `said`
has, for arguments that were computed, the words of the query that they came from: {"0.EXTRA_EVENT_BEGIN_TIME": "next
Friday at 3"} belongs to call 0. `tags` name kinds of samples for reports ("simple", "complex", "nested").
"""

from __future__ import annotations

import difflib
import json
import os
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from camphor.errors import CallSyntaxError, DatasetError, UsageError
from camphor.tools.listing import read_tools
from camphor.tools.plans import Plan, plan_from_json, plan_to_json
from camphor.tools.tool import Tool


@dataclass(frozen=True)
class CallSample:
    """A query and the calls that answer it; `answers` is empty where no function fits."""

    id: str
    query: str
    answers: Plan
    now: datetime | None = None
    said: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"id": self.id, "query": self.query, "answers": plan_to_json(self.answers)}
        if self.now:
            data["now"] = self.now.isoformat()
        if self.said:
            data["said"] = dict(self.said)
        if self.tags:
            data["tags"] = list(self.tags)
        return data


def sample_from_json(data: Any, usual_id: str = "") -> CallSample:
    """A sample from a line's values.

    Raises:
        ValueError: not of the form; the message says what was expected.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("query"), str) or not data["query"].strip():
        raise ValueError("expected an object with a query and its answers")
    if "answers" not in data:
        raise ValueError("expected answers: a list of calls, which may be empty")
    said, tags = data.get("said") or {}, data.get("tags") or []
    if not isinstance(said, Mapping) or not all(isinstance(each, str) for each in said.values()):
        raise ValueError("expected said as an object of texts")
    if not isinstance(tags, list) or not all(isinstance(each, str) for each in tags):
        raise ValueError("expected tags as a list of texts")
    try:
        answers = plan_from_json(data["answers"])
    except CallSyntaxError as error:
        raise ValueError(str(error)) from None
    now = datetime.fromisoformat(data["now"]) if data.get("now") else None
    return CallSample(str(data.get("id", usual_id)), data["query"], answers, now, dict(said), tuple(tags))


def read_call_samples(path: Path) -> Iterator[CallSample]:
    """The samples of a file, in order; one without an id is called after its line.

    Raises:
        DatasetError: the file cannot be read, or a line breaks the format; names the line.
    """
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    yield sample_from_json(json.loads(line), f"line-{number}")
                except (ValueError, TypeError, RecursionError) as error:
                    raise DatasetError(str(path), number, str(error)) from None
    except OSError as error:
        raise DatasetError(str(path), None, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DatasetError(str(path), None, "not UTF-8 text: save it as UTF-8") from None


def write_call_samples(path: Path, samples: Iterable[CallSample]) -> int:
    """Write a file in one go: it is there as a whole or, after a crash, as it was before. Returns how many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft, count = path.with_name(path.name + ".part"), 0
    with open(draft, "w", encoding="utf-8") as out:
        for sample in samples:
            out.write(json.dumps(sample.to_json(), ensure_ascii=False) + "\n")
            count += 1
    os.replace(draft, path)
    return count


TOOLS = "tools.json"
MOST_OTHERS = 4
_ALIKE_SHARE = 0.5  # of the other functions, those whose names are like a gold one's; the rest are any


def dataset_tools(dataset: Path, tools: Path | None = None) -> tuple[Tool, ...]:
    """The functions of a dataset: those of `tools`, or of the file tools.json beside it.

    Raises:
        UsageError: there is no such file. DefinitionError: it cannot be read.
    """
    path = tools or dataset.parent / TOOLS
    if not path.exists():
        raise UsageError(f"{path}: there is no such file: put the functions of {dataset.name} there")
    return read_tools(path)


class FunctionChooser:
    """Chooses the functions of a sample's prompt; the same sample gets the same ones every time.

    Args:
        tools: of the dataset. others: the share of samples that get one to four functions that they do not need.
    """

    def __init__(self, tools: Sequence[Tool], others: float = 0.0) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._others = others

    def gold(self, sample: CallSample, path: Path | str = "") -> tuple[Tool, ...]:
        """The functions that the sample's answer calls, each once, in the order of the calls.

        Raises:
            DatasetError: a call names a function that there is not; `path` is named as the dataset.
        """
        names = dict.fromkeys(call.name for call in sample.answers)
        if unknown := next((name for name in names if name not in self._tools), None):
            raise DatasetError(
                str(path), None, f"sample {sample.id} calls {unknown[:80]!r}, which is not among the tools"
            )
        return tuple(self._tools[name] for name in names)

    def of(self, sample: CallSample, path: Path | str = "") -> tuple[Tool, ...]:
        """The functions of the sample's prompt, in random order.

        Raises:
            DatasetError: as `gold`.
        """
        gold = self.gold(sample, path)
        chance = random.Random(f"functions of {sample.id}")
        shown = list(gold)
        if chance.random() < self._others or not gold:
            shown += self._drawn(gold, chance.randint(1, MOST_OTHERS), chance)
        chance.shuffle(shown)
        return tuple(shown)

    def _drawn(self, gold: Sequence[Tool], count: int, chance: random.Random) -> list[Tool]:
        names = {tool.name for tool in gold}
        left = [tool for tool in self._tools.values() if tool.name not in names]
        chance.shuffle(left)
        alike = sorted(left, key=lambda tool: -max((_likeness(tool.name, name) for name in names), default=0.0))
        drawn: list[Tool] = []
        while left and len(drawn) < count:
            tool = alike[0] if chance.random() < _ALIKE_SHARE else chance.choice(left)
            left.remove(tool)
            alike.remove(tool)
            drawn.append(tool)
        return drawn


def _likeness(first: str, second: str) -> float:
    """How alike two names are, from 0 to 1."""
    return difflib.SequenceMatcher(None, first.casefold(), second.casefold()).ratio()
