"""Sieves out queries that are not worth solving; and why a query, or what the agents made of it, is not taken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from camphor.device.text import words
from camphor_lab.datasets.llm.queries import LONGEST_LINE, RULES, TASK
from camphor_lab.datasets.llm.states import ids_of
from camphor_lab.datasets.similarity import ALIKE, Similar, rouge_l

FEWEST, MOST = 3, 64  # words; of 1,220 hand-written queries 13 have 2, and the longest has 62
DISTINCT = 0.85  # of the runs of three words; the hand-written queries have 0.94 or more
PARROTED = 5  # words in a row that stand in the prompt's own sentences
_MACHINE = (
    (re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b"), "a name that only machines use"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT?"), "a time as machines write it"),
    (re.compile(r"\w\(.*\w\s*=.*\)"), "a call"),
)
_BLANK = re.compile(r"\[[^\]]*\]|\{[^}]*\}|<[^>]*>|_{2,}|\bX{2,}\b|\.\.\.\s*\.\.\.")


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


def sift(query: str, data: Mapping[str, Any], near: Similar, seeds: Iterable[str]) -> None:
    """Let a query pass.

    Args:
        data: the device's values. near: all queries that passed before. seeds: what the model was shown.

    Raises:
        Rejected: says what is wrong with it.
    """
    said = words(query)
    if len(said) < FEWEST:
        raise Rejected(Reason.SHORT, f"{len(said)} words, and {FEWEST} are needed")
    if len(said) > MOST:
        raise Rejected(Reason.LONG, f"{len(said)} words, and {MOST} are allowed")
    for form, what in _MACHINE:
        if found := form.search(query):
            raise Rejected(Reason.ID, f"{found.group(0)!r} is {what}")
    tokens = set(re.findall(r"[\w-]+", query.casefold()))
    for number in ids_of(data):
        if number.casefold() in tokens:
            raise Rejected(Reason.ID, f"{number!r} is the id of a record")
    if found := _BLANK.search(query):
        raise Rejected(Reason.UNFINISHED, f"{found.group(0)!r} is a blank to fill in")
    if query.endswith((":", ",", ";")) or len(query) >= LONGEST_LINE:
        raise Rejected(Reason.UNFINISHED, f"it breaks off after {query[-40:]!r}")
    distinct, runs = len(_runs(said, 3)), len(said) - 2
    if distinct < DISTINCT * runs:
        raise Rejected(Reason.REPEATS, f"{distinct} of {runs} runs of three words differ")
    if parroted := _runs(said, PARROTED) & _runs(words(f"{TASK} {RULES}"), PARROTED):
        raise Rejected(Reason.PROMPT, f"{' '.join(min(parroted))!r} stands in it")
    for seed in seeds:
        if rouge_l(seed, query) >= ALIKE:
            raise Rejected(Reason.ALIKE, f"ROUGE-L F of {ALIKE} or more with the seed {seed!r}")
    if near.alike(query):
        raise Rejected(Reason.ALIKE, f"ROUGE-L F of {ALIKE} or more with a query that was written before")


def _runs(said: Sequence[str], length: int) -> set[tuple[str, ...]]:
    """The different runs of so many words."""
    return {tuple(said[start : start + length]) for start in range(len(said) - length + 1)}
