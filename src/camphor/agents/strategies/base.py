"""What a strategy is: a generator that asks for text, for look-ups and actions, and for nothing else.

All strategies of CAMPHOR's Table 1 and `orchestrator.orchestrate` have this one form, so that one driver runs them all,
with the same consent, the same journal and the same clock, and one evaluation scores them alike.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Protocol

from camphor.agents.bounds import Limits
from camphor.agents.orchestrator import Act, Seek, Think
from camphor.agents.prompts import Setting
from camphor.types import Agent, Call, Turn


@dataclass(frozen=True)
class Check:
    """Wanted: whether these actions would be understood. Nothing is done, nobody is asked.

    Answered by one observation for each: `call` normalised, or `error`. This is what lets a strategy draft actions,
    hear that a receiver is unknown, think again, and still act only once, at its end.
    """

    agent: Agent
    calls: tuple[Call, ...]


Wanted = Think | Act | Seek | Check
Steps = Generator[Wanted, Any, Turn]
"""Yields what is wanted, is sent `str` for `Think` and `tuple[Observation, ...]` else, returns the turn."""


class Strategy(Protocol):
    """Solves one query; `orchestrate` is one.

    The response of the turn is the model's own where no action was called, and empty otherwise: code composes it.
    """

    def __call__(self, query: str, history: tuple[Turn, ...], setting: Setting, limits: Limits, /) -> Steps: ...
