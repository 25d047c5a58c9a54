"""What the assistant tells whoever watches it, in the order it happens, and what it may be told back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from camphor.agents.evidence import Evidence
from camphor.types import Agent, Call, Step, Trajectory


@dataclass(frozen=True)
class AgentChosen:
    agent: Agent


@dataclass(frozen=True)
class CallsProposed:
    """The calls as the model wrote them, before anything is executed."""

    agent: Agent
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Observed:
    step: Step


@dataclass(frozen=True)
class Recalled:
    """What the long-term memory told, and where it came from, in plain words."""

    told: str


@dataclass(frozen=True)
class Noted:
    """What of a query's words is remembered, in plain words, where the query wishes for something else as well."""

    told: str


@dataclass(frozen=True)
class Writing:
    """All of an answer that has been written so far and may be shown; `Answered` holds what it comes to."""

    text: str


class Answer(StrEnum):
    YES = "yes"
    NO = "no"


@dataclass(frozen=True)
class Decision:
    """The person's word on one action; `call` replaces the proposed one when they edited it.

    `unseen`: a yes that was given before the action was known, as `--yes` gives it. What is in doubt is not done by it,
    and what a capable model writes is read a second time before it is.
    """

    answer: Answer
    call: Call | None = None
    unseen: bool = False


@dataclass(frozen=True)
class ConsentNeeded:
    """One action is about to happen. The watcher answers with a `Decision`; no answer means no.

    `call` is what will be done, after normalisation; `description` says it in plain words with every value. `doubt` is
    what only the person can tell, such as whose an address is that no contact has: `--yes` is no answer to it.
    `evidence` says of every value where it comes from.
    """

    call: Call
    description: str
    doubt: str = ""
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class Cost:
    """Of the model: seconds, prompt tokens evaluated now, tokens found in the cache, tokens written.

    `forced_tokens` are those of `generated_tokens` that the grammar left no choice about.
    """

    seconds: float
    prompt_tokens: int
    cached_tokens: int
    generated_tokens: int
    forced_tokens: int


@dataclass(frozen=True)
class StepTiming(Cost):
    """Cost of one model turn."""

    agent: Agent


@dataclass(frozen=True)
class Answered:
    """The end of a query. `refused` are the actions the person declined, `proposed` all that were proposed.

    `misunderstood`, as the model wrote them, are those that the device refused, so that nobody was asked.
    """

    response: str
    trajectory: Trajectory
    timings: tuple[StepTiming, ...] = ()
    proposed: tuple[Call, ...] = ()
    refused: tuple[Call, ...] = ()
    misunderstood: tuple[Call, ...] = ()

    @property
    def cost(self) -> Cost:
        """Of all model turns together."""
        each = self.timings
        return Cost(
            sum(turn.seconds for turn in each),
            sum(turn.prompt_tokens for turn in each),
            sum(turn.cached_tokens for turn in each),
            sum(turn.generated_tokens for turn in each),
            sum(turn.forced_tokens for turn in each),
        )


Event = AgentChosen | CallsProposed | Observed | Recalled | Noted | Writing | ConsentNeeded | Answered
