"""What thinks: the one method that crosses to a language model, and the values that go in and come out.

A request's prompt is the whole growing text of a conversation, segment by segment; a model that keeps a cache
evaluates only what is new in it (CAMPHOR, section 3.1: every agent continues the same history).
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable
from dataclasses import astuple, dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from camphor.errors import ModelError
from camphor.types import Prompt


class Finish(StrEnum):
    """Why a completion ended."""

    STOP = "stop"
    """A stop string was written."""
    GRAMMAR = "grammar"
    """The grammar's text is complete and nothing may follow."""
    END = "end"
    """The model ended its turn."""
    LENGTH = "length"
    """`max_tokens` or the end of the context was reached: the text may break off anywhere."""


@dataclass(frozen=True)
class Request:
    """What to complete, and how.

    Args:
        prompt: the whole text so far, oldest segment first. Control tokens such as `<|im_end|>` are read as such only
            in segments marked `special`; anywhere else they are ordinary characters.
        grammar: llguidance Lark text that the completion must match, or None for free text.
        max_tokens: the most tokens to write, sampled and forced together.
        stop: strings that end the completion; the one found is not part of the reply's text.
        copies: inside quotation marks words of the prompt are preferred (`camphor.models.constraint`); a model that is
            not on this machine takes no notice.
        leaning: names of calls, and nats that speak for each (`camphor.models.constraint`); as above.

    Raises:
        ValueError: `max_tokens` under 1, an empty stop string, or a compressed segment after one that is not.
    """

    prompt: Prompt
    grammar: str | None = None
    max_tokens: int = 256
    stop: tuple[str, ...] = ()
    copies: bool = False
    leaning: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens must be 1 or more, not {self.max_tokens}")
        if not all(self.stop):
            raise ValueError("a stop string must not be empty")
        if any(segment.compressed for segment in self.prompt[len(self.definitions) :]):
            raise ValueError("compressed segments stand before all others")

    @property
    def definitions(self) -> tuple[str, ...]:
        """The texts of the compressed segments, which stand first."""
        return tuple(segment.text for segment in itertools.takewhile(lambda each: each.compressed, self.prompt))

    @property
    def text(self) -> Prompt:
        """The prompt without them."""
        return self.prompt[len(self.definitions) :]


@dataclass(frozen=True)
class Timing:
    """What one completion cost. All counts are tokens, all times seconds.

    `prompt_tokens` of the prompt were evaluated now, `cached_tokens` had been before. Of the text written,
    `sampled_tokens` were chosen by the model (the one that ends a turn counts) and `forced_tokens` followed from the
    grammar. `evaluated_tokens` went through the model in this completion, prompt and written text together: its sum
    over a conversation that only grows is the length of the sequence, less the tokens still to be evaluated.

    A function token (a definition's vector) counts as a prompt token, evaluated now or cached, as any other does;
    `function_tokens` tells how many of the two they are. Making definitions into vectors happens once a definition, not
    once a prompt, so it is apart: `encoding_seconds`.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    sampled_tokens: int = 0
    forced_tokens: int = 0
    evaluated_tokens: int = 0
    prompt_seconds: float = 0.0
    generation_seconds: float = 0.0
    function_tokens: int = 0
    encoding_seconds: float = 0.0

    @property
    def seconds(self) -> float:
        return self.encoding_seconds + self.prompt_seconds + self.generation_seconds

    @property
    def generated_tokens(self) -> int:
        return self.sampled_tokens + self.forced_tokens

    def __add__(self, other: Timing) -> Timing:
        return Timing(*map(operator.add, astuple(self), astuple(other)))


@dataclass(frozen=True)
class Reply:
    """What a model wrote.

    `text` has no stop string, no control token and no half character at its end. `mean_logprob` is the mean natural
    log-probability, under the model's own unconstrained distribution, of the tokens it sampled (0 when it sampled
    none, None when a server does not tell): near 0 it was sure, and a low value under a grammar says that the grammar
    overruled it.
    """

    text: str
    timing: Timing = field(default_factory=Timing)
    finish: Finish = Finish.STOP
    mean_logprob: float | None = None


@runtime_checkable
class LanguageModel(Protocol):
    """Anything that can complete a prompt.

    `context` is the most tokens that prompt and completion may have together.
    """

    @property
    def context(self) -> int: ...

    def complete(self, request: Request) -> Reply:
        """Write the next piece of text.

        Raises:
            ModelMissing: no model file or server. ContextFull: the prompt does not fit. ModelError: anything else
            that keeps the model from answering.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` as ordinary text; an estimate for a model whose tokeniser is elsewhere."""
        ...

    def close(self) -> None:
        """Free what the model holds. Closing twice is allowed."""
        ...


def learnt_by(model: object) -> frozenset[str]:
    """What a model learnt beside the assistant's own work (`models.weights.LEARNT`), as it says itself."""
    return frozenset(getattr(model, "learnt", ()))


class ScriptedModel:
    """Answers each request with the next reply of a script.

    Replies are checked against nothing, neither grammar nor stop strings: what a real model could never write can be
    scripted too. `requests` holds every request in order.

    Args:
        replies: what to answer, in order; a text stands for a reply with that text, an exception is raised.
        context: what `context` tells.
    """

    def __init__(self, replies: Iterable[str | Reply | Exception], context: int = 4096) -> None:
        self._replies = list(replies)
        self._context = context
        self.requests: list[Request] = []

    @property
    def context(self) -> int:
        return self._context

    def complete(self, request: Request) -> Reply:
        """The next reply; ModelError when the script is at its end."""
        number = len(self.requests)
        self.requests.append(request)
        if number >= len(self._replies):
            raise ModelError(
                f"the script has {len(self._replies)} replies and was asked for one more: add a reply to it"
            )
        reply = self._replies[number]
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Reply) else Reply(reply)

    def count_tokens(self, text: str) -> int:
        """An estimate: four characters a token, as English text has."""
        return -(-len(text) // 4)

    def close(self) -> None:
        """Nothing to free."""
