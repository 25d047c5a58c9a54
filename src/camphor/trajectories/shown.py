"""Which functions a prompt shows: those that a sample's gold calls need, and others to tell them from.

DroidCall's prompts, in training and in tests, show the gold functions alone (section 4, a "fake retriever"). A real
retriever brings others, and an assistant that never saw a wrong one calls it. Samples without an answer have only
those.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Sequence
from pathlib import Path

from camphor.errors import DatasetError, UsageError
from camphor.tools.listing import read_tools
from camphor.tools.tool import Tool
from camphor.trajectories.call_samples import CallSample

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


class Shown:
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
