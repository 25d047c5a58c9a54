"""A model on this machine as it takes part in conversations: its own chat template, its own form of calls.

What it writes is held to a grammar: calls are those of tools that there are, with arguments by their schemas. Of a
conversation that goes on only what is new is evaluated, as the prompt begins with what the cache holds.
"""

from __future__ import annotations

import codecs
import uuid
from collections.abc import Mapping
from typing import Protocol

from camphor.errors import ModelError
from camphor.models.base import Finish, Reply, Request
from camphor.models.call_families import CallFamily
from camphor.models.chat import ChatCall, ChatReply, ChatRequest, Chatting
from camphor.models.chat_grammar import chat_grammar
from camphor.models.chat_prompts import ChatPrompts
from camphor.models.chat_template import TemplateSource
from camphor.models.local import LocalModel
from camphor.models.model_template import TemplateFailed
from camphor.models.reasoning import TAGS, Thoughts, opened_by
from camphor.models.written_calls import read_calls
from camphor.types import Prompt

__all__ = ["LocalChat", "TemplateFailed", "conversing"]


class Encoder(Protocol):
    """What of an engine a conversation needs beside completing."""

    def own_template(self) -> TemplateSource | None: ...

    def encode(self, text: str, special: bool, first: bool = False) -> list[int]: ...


def conversing(model: LocalModel, encoder: Encoder) -> LocalChat | None:
    """The model with its own template; None where it came without one.

    Raises:
        TemplateFailed: the template cannot be used.
    """
    source = encoder.own_template()
    return None if source is None else LocalChat(model, encoder, source)


class LocalChat:
    """A `ChatModel`, and the `LanguageModel` that it was.

    Attributes:
        model: that one.

    Raises:
        TemplateFailed: the template cannot be used.
    """

    def __init__(self, model: LocalModel, encoder: Encoder, source: TemplateSource) -> None:
        self.model, self._encoder, self._source = model, encoder, source
        self._prompts = ChatPrompts(source)
        self._thinks = any(tag in source.default + source.for_tools for pair in TAGS for tag in pair)

    @property
    def context(self) -> int:
        return self.model.context

    @property
    def family(self) -> CallFamily:
        """How it writes calls."""
        return self._prompts.family

    def complete(self, request: Request) -> Reply:
        return self.model.complete(request)

    def count_tokens(self, text: str) -> int:
        return self.model.count_tokens(text)

    def close(self) -> None:
        self.model.close()

    def prompt(self, request: ChatRequest) -> Prompt:
        """What the template makes of a request. Raises TemplateFailed, ModelError: nothing."""
        return self._prompts.prompt(request)

    def tokens(self, prompt: Prompt) -> list[int]:
        """A prompt's tokens, with the one that must begin it."""
        begins = self._source.begins_with
        cut: list[int] = []
        for segment in prompt:
            cut += self._encoder.encode(segment.text, segment.special, first=not cut)
        return [begins, *cut] if begins is not None and cut[:1] != [begins] else cut

    def chat(self, request: ChatRequest) -> Chatting:
        """The next message, always of the likeliest tokens among those allowed. Closing it breaks off.

        Raises:
            ContextFull: the conversation does not fit. ModelError: the template takes it in no form, a tool's schema
            cannot be followed, or the model was closed.
        """
        if request.choice not in ("auto", "none", "required", *(tool.name for tool in request.tools)):
            raise ModelError(f"there is no tool {request.choice[:80]!r} that could be called: name one that is given")
        prompt = self.prompt(request)
        opened = opened_by(prompt[-1].text)
        grammar = chat_grammar(request, self.family, self._source.controls, opened, thinks=self._thinks)
        draft = _Draft(self.family, calls=bool(request.tools) and request.choice != "none")
        draft.add(opened[0] if opened else "")
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        writing = self.model.write_on(self.tokens(prompt), grammar, request.max_tokens)
        try:
            while True:
                if piece := draft.add(decoder.decode(next(writing))):
                    yield piece
        except StopIteration as stop:
            reply: Reply = stop.value
        finally:
            writing.close()
        schemas = {tool.name: tool.parameters for tool in request.tools}
        rest, answered = draft.finish(reply, schemas)
        if rest:
            yield rest
        return answered


class _Draft:
    """A message that is being written: what of it is words for a person.

    Args:
        calls: whether there may be calls, which nobody is shown.
    """

    def __init__(self, family: CallFamily, *, calls: bool) -> None:
        self._family, self._calls = family, calls
        self._thoughts = Thoughts()
        self._held = ""
        self._called = self._shown = False

    def add(self, text: str) -> str:
        """Take a piece in; what can be shown by it."""
        return self._show(self._thoughts.feed(text)) if text else ""

    def finish(self, reply: Reply, tools: Mapping[str, Mapping[str, object]]) -> tuple[str, ChatReply]:
        """What is left to show, and the reply."""
        cut = reply.finish is Finish.LENGTH
        rest = self._show(self._thoughts.finish(cut=cut))
        text = self._thoughts.said
        found, _ = read_calls(text, tools) if self._called else ([], text)
        calls = tuple(ChatCall(uuid.uuid4().hex[:9], name, arguments) for name, arguments in found)
        if calls:  # nothing follows them but what broke off
            told = text.partition(self._family.mark)[0].strip()
        else:  # nobody is shown half a call
            told, rest = text, rest + ("" if cut and self._called else self._held)
        finish = Finish.LENGTH if cut else Finish.END
        return rest, ChatReply(told, calls, self._thoughts.thought.strip(), reply.timing, finish)

    def _show(self, said: str) -> str:
        """What of new words is no part of a call, and may not become one."""
        self._held += said
        if not self._calls or self._called:
            return "" if self._called else self._release(len(self._held))
        mark = self._family.mark
        place = self._held.find(mark)
        if self._family.first:  # at the beginning or nowhere
            begun = not self._shown and mark.startswith(self._held.lstrip()[: len(mark)])
            self._called = begun and len(self._held.lstrip()) >= len(mark)
            return "" if begun else self._release(len(self._held))
        if place >= 0:
            self._called = True
            return self._release(place)
        held = next((count for count in range(len(mark) - 1, 0, -1) if self._held.endswith(mark[:count])), 0)
        return self._release(len(self._held) - held)

    def _release(self, count: int) -> str:
        shown, self._held = self._held[:count], self._held[count:]
        self._shown = self._shown or bool(shown.strip())
        return shown
