"""What the loop wants of the world: text from the model, calls executed or tried, items ranked, an answer from records.

The loop and its policies yield these and are sent what came of them; they do no I/O themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

from camphor.models.chat import ChatRequest
from camphor.types import Agent, Call, Prompt, Turn


@dataclass(frozen=True)
class Think:
    """Wanted: text from the model. `agent` says whose words they are; what is quoted `copies` words of the prompt;
    `leaning` has names of calls, each with its nats."""

    agent: Agent
    prompt: Prompt
    grammar: str
    max_tokens: int
    copies: bool = False
    leaning: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Chat:
    """Wanted: the next message of a conversation; answered by a `ChatReply`. `agent` says whose words they are."""

    agent: Agent
    request: ChatRequest


@dataclass(frozen=True)
class Act:
    """Wanted: these calls executed, the independent look-ups of one step together; answered by their observations."""

    agent: Agent
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Seek:
    """Wanted: what these look-ups would find, to choose among them; nobody is told of those that find nothing."""

    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Rank:
    """Wanted: which items of the phone matter for this query now; answered by the best of them, best first."""

    query: str


@dataclass(frozen=True)
class Check:
    """Wanted: whether these actions would be understood. Nothing is done, nobody is asked.

    Answered by one observation for each: `call` normalised, or `error`. This is what lets a strategy draft actions,
    hear that a receiver is unknown, think again, and still act only once, at its end.
    """

    agent: Agent
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Unnamed:
    """Wanted: of each of these actions the parameter whose person or thing the person's words do not lead to.

    Answered by one name for each, "" where there is none. Of an action that the device does not understand it is the
    first thing or person of which the query has no word.
    """

    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Tell:
    """Wanted: the answer to what this turn asks, which an answer program makes of the phone's records.

    `otherwise`: what is told where it asks nothing by its form and no record is found; "" to say that none is.
    """

    turn: Turn
    otherwise: str = ""


Want = Think | Chat | Act | Seek | Rank | Check | Unnamed | Tell
