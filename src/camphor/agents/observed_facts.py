"""What a conversation knows: what was said in it, and the records that were found, gathered in one pass.

All that a grammar lets a call hold is made of this (agents.allowed_values, agents.times).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from camphor.agents.display import show_value
from camphor.types import Agent, Turn


@dataclass(frozen=True)
class FoundRecord:
    """A record that a step brought. `year`: of the device's clock, left out where values are shown."""

    agent: Agent
    record: Mapping[str, Any]
    year: int

    @cached_property
    def shown(self) -> tuple[tuple[Any, str], ...]:
        """Every value with how prompts show it."""
        return tuple((value, show_value(value, self.year)) for value in self.record.values())


@dataclass(frozen=True)
class Known:
    """The turns of a conversation, and what was found in each of them; oldest first. `now`: the device's clock."""

    turns: tuple[Turn, ...]
    found: tuple[tuple[FoundRecord, ...], ...]
    now: datetime

    @classmethod
    def of(cls, turns: Sequence[Turn], now: datetime) -> Known:
        found = tuple(
            tuple(
                FoundRecord(step.agent, record, now.year)
                for step in turn.steps
                for observation in step.observations
                for record in observation.records
            )
            for turn in turns
        )
        return cls(tuple(turns), found, now)

    @property
    def records(self) -> tuple[FoundRecord, ...]:
        """All that was found, oldest turn first."""
        return tuple(each for turn in self.found for each in turn)

    @property
    def newest(self) -> tuple[FoundRecord, ...]:
        """All that was found, newest turn first; the order within a turn stays."""
        return tuple(each for turn in reversed(self.found) for each in turn)

    @property
    def texts(self) -> list[str]:
        """What was asked and answered, oldest first."""
        return [text for turn in self.turns for text in (turn.query, turn.response)]
