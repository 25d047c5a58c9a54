"""What a capable model is asked: the next message of a conversation, with tools in their own right.

`LanguageModel` (base.py) completes one growing text under a grammar, as the small tuned model was trained to; a
`ChatModel` has messages, tools as JSON schemas, and reasoning that nobody is shown, as servers and chat templates have
them today. A server's model is both.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from camphor.errors import ModelError
from camphor.models.base import Finish, Timing

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class ChatTool:
    """A tool as a model is shown it. `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class ChatCall:
    """A call as a model wrote it: `arguments` is its text, which may be no JSON at all. `id` ties the result to it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Message:
    """One message. `calls` are an assistant's; `call_id` says which call a tool's message answers."""

    role: Role
    content: str
    calls: tuple[ChatCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True)
class ChatRequest:
    """What to answer, and how.

    Args:
        messages: oldest first. tools: what may be called.
        choice: "auto"; "required": some tool must be called; "none": none may; or the name of the one that must be.
        schema: a JSON schema that the text must match, where the model can be held to one; checked by who reads it.
        max_tokens: the most tokens to write, those of reasoning among them.
    """

    messages: tuple[Message, ...]
    tools: tuple[ChatTool, ...] = ()
    choice: str = "auto"
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 2048


@dataclass(frozen=True)
class ChatReply:
    """What a model answered. `text` holds neither calls nor reasoning; `refusal` is the server's own word for a no."""

    text: str = ""
    calls: tuple[ChatCall, ...] = ()
    reasoning: str = ""
    timing: Timing = field(default_factory=Timing)
    finish: Finish = Finish.END
    refusal: str = ""


Chatting = Generator[str, None, ChatReply]
"""Yields pieces of the text as they arrive, returns the reply; closing it breaks off the request."""


@runtime_checkable
class ChatModel(Protocol):
    """Anything that can take part in a conversation with tools. `context` is the most tokens of all together."""

    @property
    def context(self) -> int: ...

    def chat(self, request: ChatRequest) -> Chatting:
        """The next message.

        Raises:
            ModelMissing: no model file or server. ContextFull: the conversation does not fit. ModelError: anything else
            that keeps the model from answering.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a text; an estimate for a model whose tokeniser is elsewhere."""
        ...

    def close(self) -> None:
        """Free what the model holds. Closing twice is allowed."""
        ...


class ScriptedChat:
    """Answers each request with the next reply of a script; `requests` holds every request in order.

    Args:
        replies: in order; a text stands for a reply with that text, an exception is raised.
    """

    def __init__(self, replies: Iterable[str | ChatReply | Exception], context: int = 32_768) -> None:
        self._replies = list(replies)
        self.context = context
        self.requests: list[ChatRequest] = []

    def chat(self, request: ChatRequest) -> Chatting:
        """The next reply, its text word by word; ModelError when the script is at its end."""
        number = len(self.requests)
        self.requests.append(request)
        if number >= len(self._replies):
            raise ModelError(f"the script has {number} replies and was asked for one more: add a reply to it")
        reply = self._replies[number]
        if isinstance(reply, Exception):
            raise reply
        reply = reply if isinstance(reply, ChatReply) else ChatReply(reply)
        yield from (f"{word} " for word in reply.text.split(" ")) if reply.text else ()
        return reply

    def count_tokens(self, text: str) -> int:
        """An estimate: four characters a token, as English text has."""
        return -(-len(text) // 4)

    def close(self) -> None:
        """Nothing to free."""
