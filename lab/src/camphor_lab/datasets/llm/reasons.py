"""Why a query that a model wrote is not taken, or what the agents made of it."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """What the summary counts; the values are what `rejected.jsonl` and people read."""

    SHORT = "too short"
    LONG = "too long"
    ID = "quotes what no person says"
    UNFINISHED = "unfinished"
    REPEATS = "repeats itself"
    PROMPT = "repeats the prompt"
    ALIKE = "like an earlier query"
    MODEL = "the model failed"
    CUT_OFF = "not brought to an end"
    INVALID = "an action that the phone does not take"
    MADE_UP = "a value that was neither said nor found"
    NOT_LOOKED_UP = "a receiver who was not looked up"
    NOTHING_DONE = "nothing was done"
    ACTED = "acted where nothing was to be done"
    NOT_ASKED = "did not ask back"
    BLIND = "answered without looking anything up"
    REPLAY = "a replay comes out otherwise"
    OPINION = "the second opinion is against it"


SIEVED = frozenset(
    (Reason.SHORT, Reason.LONG, Reason.ID, Reason.UNFINISHED, Reason.REPEATS, Reason.PROMPT, Reason.ALIKE)
)
"""Reasons that are known before anyone tries to solve the query."""


class Rejected(Exception):
    """A query, or its solution, is not taken.

    Args:
        reason: the kind of fault. why: the evidence, in words.
    """

    def __init__(self, reason: Reason, why: str) -> None:
        self.reason, self.why = reason, why
        super().__init__(f"{reason.value}: {why}")
