"""What a strategy is: a generator that asks for text, for look-ups and actions, and for nothing else.

All strategies of CAMPHOR's Table 1 and `orchestrator.orchestrate` have this one form, so that one driver runs them all,
with the same consent, the same journal and the same clock, and one evaluation scores them alike.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Protocol

from camphor.agents.bounds import Limits
from camphor.agents.prompts import Setting
from camphor.agents.wants import Want
from camphor.types import Turn

Wanted = Want
Steps = Generator[Wanted, Any, Turn]
"""Yields what is wanted; is sent `str` for `Think` and `Tell`, `ChatReply` for `Chat`, `tuple[Relevant, ...]` for
`Rank`, and else `tuple[Observation, ...]`; returns the turn."""


class Strategy(Protocol):
    """Solves one query; `orchestrate` is one.

    The response of the turn is the model's own where no action was called, and empty otherwise: code composes it.
    """

    def __call__(self, query: str, history: tuple[Turn, ...], setting: Setting, limits: Limits, /) -> Steps: ...
