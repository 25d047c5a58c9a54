"""Wishes that are sure: of a reminder that the person orders, with its time, nothing is no answer.

A small model that has read much at times asks back, or calls nothing, where all was said. Only actions at a time are
meant: who is reached, or which thing is meant, may well have to be asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from camphor.agents.observed_facts import Known
from camphor.agents.parts import ACTS, parts_of
from camphor.agents.times import time_words
from camphor.tools.tool import Kind, Role, Tool, Toolbox
from camphor.types import Turn

SURE = 0.9
"""How likely a part must ask for the action; of hand-written development queries that it left at nothing, all that
reached it did ask."""


def surely_wished(turn: Turn, history: Sequence[Turn], toolbox: Toolbox, known: Known) -> bool:
    """Whether a part of the query surely orders an action at a time, and a time is said or found."""
    tools = [tool for tool in toolbox if tool.name in ACTS and _at_a_time(tool)]
    parts = [part for part in parts_of(turn.query, bool(history)) if part.orders]
    if not any(part.asks_for(tool.name) >= SURE for part in parts for tool in tools):
        return False
    times = time_words(known)
    return bool(times.moments or times.days or times.clocks)


def _at_a_time(tool: Tool) -> bool:
    roles = {parameter.role for parameter in tool.parameters if parameter.required}
    return tool.kind is Kind.ACTION and Role.TIME in roles and roles <= {Role.TIME, Role.TEXT}
