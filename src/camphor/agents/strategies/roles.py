"""Who CAMPHOR's agents are and what each is told (Appendix B), from `roles.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from camphor.agents.prompts import available_agents
from camphor.tools.tool import Toolbox
from camphor.types import Agent

ANSWER, REFLECTION, SUBMIT = "answer", "reflection", "response_submit"
OTHERS = (ANSWER, REFLECTION, SUBMIT)
"""The agents that Appendix B has beside the experts; what task completion does is done by the first and the last."""


@dataclass(frozen=True)
class Role:
    """One agent. `duty`: how all are told of it; `turn`: what it is told itself; `write` and `call`: what it is to do,
    in a text and with tools of its own; `example`: one of its outputs in a text."""

    duty: str
    turn: str = ""
    write: str = ""
    call: str = ""
    example: str = ""


@dataclass(frozen=True)
class Roles:
    """All of them by name, with the task and the line before the list of agents."""

    task: str
    together: str
    named: dict[str, Role]

    def introduced(self, toolbox: Toolbox) -> list[str]:
        """The lines that tell every agent of the task and of those who work on it on this phone."""
        names = [Agent.HIGH_ORDER.value, *(agent.value for agent in experts(toolbox)), *OTHERS]
        return [self.task, self.together, *(f"{name}: {self.named[name].duty}" for name in names)]


@cache
def roles() -> Roles:
    """What `roles.toml` holds, read once."""
    data = tomllib.loads(Path(__file__).with_name("roles.toml").read_text(encoding="utf-8"))
    tables = {name: _unfolded(table) for name, table in data.items() if isinstance(table, dict)}
    shared = tables.pop("experts")
    looking_up = (Agent.DEVICE.value, Agent.CONTEXT.value, Agent.KNOWLEDGE.value)
    named = {name: Role(**({**shared, **table} if name in looking_up else table)) for name, table in tables.items()}
    told = _unfolded(data)
    return Roles(told["task"], told["together"], named)


def _unfolded(table: dict[str, Any]) -> dict[str, str]:
    """The texts of a table, each in one line; an example has its own."""
    texts = {key: text for key, text in table.items() if isinstance(text, str)}
    return {key: text.strip() if key == "example" else " ".join(text.split()) for key, text in texts.items()}


def experts(toolbox: Toolbox) -> list[Agent]:
    """The agents that can look something up on this phone."""
    return [agent for agent in available_agents(toolbox) if agent is not Agent.TASK]


def first_named(text: str, names: Iterable[str]) -> str:
    """The agent that words name first, however they are written; "" where they name none of these."""
    said = re.sub(r"\W+", "_", text.casefold())
    return min(((said.find(name), name) for name in names if name in said), default=(0, ""))[1]
