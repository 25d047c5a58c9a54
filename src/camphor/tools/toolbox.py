"""The tools that a device offers."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from camphor.errors import DefinitionError, UnknownTool
from camphor.tools.tool import Tool
from camphor.types import Agent


class Toolbox:
    """An immutable collection of tools, in the order given.

    Raises:
        DefinitionError: two tools of one name.
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            other = self._tools.setdefault(tool.name, tool)
            if other is not tool:
                owners = " and ".join(owner or "the device" for owner in (other.app, tool.app))
                raise DefinitionError(f"tool {tool.name} is defined twice, by {owners}: rename one")

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __repr__(self) -> str:
        return f"Toolbox({len(self)} tools of {len(self.apps)} apps)"

    def get(self, name: str) -> Tool:
        """The tool of that name.

        Raises:
            UnknownTool: there is none; names the nearest.
        """
        if name in self._tools:
            return self._tools[name]
        near = difflib.get_close_matches(name, self._tools, n=1, cutoff=0.4)
        hint = f"the nearest is {near[0]}" if near else f"it has {len(self)} others"
        raise UnknownTool(f"this device has no tool {name[:80]}: {hint}")

    def of(self, agent: Agent) -> tuple[Tool, ...]:
        """The tools of one expert, in order."""
        return tuple(tool for tool in self if tool.agent is agent)

    @property
    def learnt(self) -> Toolbox:
        """Those that a tuned model may be offered: all but what only code calls."""
        return Toolbox(tool for tool in self if not tool.by_code)

    @property
    def apps(self) -> tuple[str, ...]:
        """Names of the apps that brought tools, in order of first appearance."""
        return tuple(dict.fromkeys(tool.app for tool in self if tool.app))
