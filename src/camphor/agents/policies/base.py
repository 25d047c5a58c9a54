"""What a policy is: it stands between the calls that a model wrote and the person who is asked about them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from camphor.agents.prompts import TOLD, Setting
from camphor.agents.references import Pointed
from camphor.agents.wants import Want
from camphor.tools.tool import Toolbox
from camphor.types import Call, Step, Turn


@dataclass(frozen=True)
class Situation:
    """What a policy may know: the turn so far with what was found, the turns before, and the phone's tools and time.

    `pointed`: what a follow-up points back at, as far as that was looked up (`references`).
    """

    turn: Turn
    history: Sequence[Turn]
    setting: Setting
    pointed: tuple[Pointed, ...] = ()

    @property
    def query(self) -> str:
        return self.turn.query

    @property
    def toolbox(self) -> Toolbox:
        return self.setting.toolbox

    @property
    def now(self) -> datetime:
        return self.setting.now


@dataclass(frozen=True)
class Question:
    """In place of calls: what is said to the person, and the turn ends; as a rule a question back."""

    text: str


@dataclass(frozen=True)
class Finding:
    """In place of calls: something was looked up, with which in sight the agents choose and write anew."""

    step: Step


Revised = tuple[Call, ...] | Question | Finding
Revise = Callable[[Situation, tuple[Call, ...]], Generator[Want, Any, Revised]]


@dataclass(frozen=True)
class Policy:
    """One rule for the calls of the task-completion agent.

    Attributes:
        name: by which it is switched off (`Limits.off`). revise: gives the calls as they should be, a question back,
            or a finding; it may want look-ups and checks on the way, never an act.
        tuned: it makes up for what a small tuned model lacks, and never runs for a model that is told how to work.
        first: it judges by the query's own words, and so only the first query of a conversation.
    """

    name: str
    revise: Revise
    tuned: bool = False
    first: bool = False

    def applies(self, situation: Situation) -> bool:
        told = situation.setting.form in TOLD
        return not (self.tuned and told) and not (self.first and situation.history)


def at_once(revise: Callable[[Situation, tuple[Call, ...]], Revised]) -> Revise:
    """A policy that wants nothing, as one that may."""

    def revised(situation: Situation, calls: tuple[Call, ...]) -> Generator[Want, Any, Revised]:
        return revise(situation, calls)
        yield

    return revised
