"""How much the words of a query speak for the tools of apps that are not built in.

A small model knows the tools of everyday apps by heart and reads those of any other app off their definitions, which it
does less well: "claim Gannet for Wednesday" cancels an event where an app of boats is installed. Two signs that it
does not weigh enough are the words that a query shares with a tool's definition (BM25), and those it shares with the
app's records, where Gannet is a boat.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from camphor.agents.prompts import DYNAMIC, Setting, unknown_tools
from camphor.device.device import Device
from camphor.device.records import ACTIONS
from camphor.device.text import COMMON, words
from camphor.retrieval.retrievers import Bm25, describe
from camphor.tools.tool import Tool
from camphor.types import Turn

if TYPE_CHECKING:
    from camphor.retrieval.retrievers import Retriever

DEFINITION = 2.5
"""Nats that a tool loses for each point of BM25 that it is behind the best of its agent."""
RECORDS = 2.0
"""Nats that an app's tools gain where the query names something of its records."""
_SHORTEST = 3  # letters of a word that names something


def leaning_of(setting: Setting, query: str, device: Device) -> Mapping[str, float]:
    """Nats by tool, for the tools of apps that are not built in; no others are changed."""
    unknown = defaultdict(list)
    for tool in unknown_tools(setting):
        unknown[tool.agent].append(tool)
    named = _apps_named(query, {tool.app for tools in unknown.values() for tool in tools}, device)
    leaning = {}
    for tools in unknown.values():
        scores = Bm25(tuple(map(_told, tools))).scores(query)
        for tool, score in zip(tools, scores, strict=True):
            leaning[tool.name] = DEFINITION * float(score - scores.max()) + RECORDS * (tool.app in named)
    return leaning


def _apps_named(query: str, apps: set[str], device: Device) -> set[str]:
    """The apps that have a record with a word of the query, of the few commonest none, of three letters or more."""
    telling = " ".join({word for word in words(query) if len(word) >= _SHORTEST and not word.isdecimal()} - COMMON)
    if not telling:
        return set()
    return {
        info.app
        for info in device.lists()
        if info.app in apps and info.name != ACTIONS and device.page(info.app, info.name, telling, most=1).total
    }


def _told(tool: Tool) -> str:
    """A tool as the retrievers read it, and the values that it takes."""
    values = (str(value) for parameter in tool.parameters for value in parameter.enum or ())
    return " ".join([describe(tool), *values]).replace("_", " ")


MOST = 3  # tools of an agent


def with_hints(setting: Setting, query: str, history: Sequence[Turn]) -> Setting:
    """The setting with the tools that fit the query and the one before it best, and those that the talk has called."""
    from camphor.retrieval.retrievers import rank

    wanted = " ".join([*(turn.query for turn in history[-1:]), query])
    unknown = unknown_tools(setting)
    found = {
        tool.name
        for agent in DYNAMIC
        for tool in rank(_retriever(), wanted, [tool for tool in unknown if tool.agent is agent])[:MOST]
    }
    called = {call.name for turn in history for step in turn.steps for call in step.calls}
    return replace(setting, hints=frozenset(found | called))


@functools.cache
def _retriever() -> Retriever:
    from camphor.retrieval.retrievers import retriever_named

    return retriever_named("light")
