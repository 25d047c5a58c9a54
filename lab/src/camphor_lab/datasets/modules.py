"""Modules of functions that no phone has, with requests to them (`data/modules-train`): a folder each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from camphor.errors import UsageError
from camphor.tools.listing import read_tools
from camphor.tools.tool import Tool
from camphor.trajectories.call_samples import TOOLS, CallSample, read_call_samples

REQUESTS = "requests.jsonl"


@dataclass(frozen=True)
class Module:
    """Functions that belong together, and requests to them."""

    folder: Path
    tools: tuple[Tool, ...]
    samples: tuple[CallSample, ...]


def read_modules(folder: Path) -> list[Module]:
    """Every folder below that holds both files, in order.

    Raises:
        UsageError: there is none. DatasetError, DefinitionError: a file breaks its format.
    """
    found = sorted(path.parent for path in folder.rglob(REQUESTS) if (path.parent / TOOLS).is_file())
    if not found:
        raise UsageError(f"{folder}: there is no folder with {TOOLS} and {REQUESTS}")
    return [Module(each, read_tools(each / TOOLS), tuple(read_call_samples(each / REQUESTS))) for each in found]


def without_clash(module: Module, others: Iterable[Module]) -> Iterator[Module]:
    """Those of other modules whose functions can stand beside a module's, and beside each other's: no name is twice."""
    known = {tool.name for tool in module.tools}
    for other in others:
        names = {tool.name for tool in other.tools}
        if not known & names:
            known |= names
            yield other


def together(module: Module, modules: Sequence[Module], others: int) -> tuple[Tool, ...]:
    """A module's functions, and behind them those of so many of the modules that follow it."""
    place = modules.index(module)
    following = without_clash(module, (*modules[place + 1 :], *modules[:place]))
    return tuple(tool for each in (module, *islice(following, others)) for tool in each.tools)
