"""How a complaint is settled."""

from __future__ import annotations

from enum import StrEnum


class Strategy(StrEnum):
    """How a complaint is settled."""

    INTERVIEW = "interview"
    """Coded questions, answers kept word for word; no language model."""
    PLANNER = "planner"
    """The paper's planner and caller, which a language model writes."""
