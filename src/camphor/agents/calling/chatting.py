"""The tuned function caller as a chat model, which it is only in part.

With tools it reads the last thing the user said and writes calls, as it was trained to; of earlier turns and of the
system's message it takes no notice. A call that needs an earlier one's result is given once that result is there.
Without tools, where no tool fits, and after the last result the base model goes on with the whole conversation.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from camphor.agents.calling.caller import MOST_CALLS, Caller
from camphor.agents.calling.prompts import CallForm
from camphor.agents.calling.shown import shown
from camphor.agents.prompts import ASSISTANT, END, SYSTEM, USER
from camphor.errors import ContextFull, UsageError
from camphor.models.base import Finish, LanguageModel, Request, Timing
from camphor.models.chat import ChatCall, ChatReply, ChatRequest, Chatting
from camphor.tools.plans import Plan, filled, references, waves
from camphor.tools.readers import from_schema
from camphor.tools.tool import Tool, Toolbox
from camphor.types import Call, Prompt, Segment

_PIECE = 8  # tokens of a text that are written before they are told
_MOST_HELD = 200
_OPENINGS = {"system": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": USER}


@dataclass
class _Held:
    """A plan of which some calls were given: their ids by their places."""

    plan: Plan
    ids: dict[int, str] = field(default_factory=dict)


class CallingChat:
    """A `ChatModel` of two: one that calls functions and one that goes on with a text.

    Args:
        caller: opens the first, with the form of its prompts, when it is first needed. plain: opens the second.
        clock: of whoever asks, for "at six tomorrow".
    """

    context = 4096

    def __init__(
        self,
        caller: Callable[[], tuple[LanguageModel, CallForm]],
        plain: Callable[[], LanguageModel],
        clock: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._open_caller, self._open_plain, self._clock = caller, plain, clock
        self._caller: tuple[LanguageModel, CallForm] | None = None
        self._plain: LanguageModel | None = None
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._lock = threading.Lock()

    def chat(self, request: ChatRequest) -> Chatting:
        """The next message: calls, or a text piece by piece.

        Raises:
            UsageError: a tool cannot be read, or there is nothing to answer. ContextFull, ModelError: as `ChatModel`.
        """
        if not request.messages or (request.choice not in ("auto", "none") and not request.tools):
            raise UsageError("there is nothing to answer: give a message, and tools where one must be called")
        if request.tools and request.choice != "none":
            reply = self._next_calls(request) if request.messages[-1].role == "tool" else self._calls(request)
            if reply is not None:
                yield from (reply.text,) if reply.text else ()
                return reply
        return (yield from self._text(request))

    def count_tokens(self, text: str) -> int:
        return self._writer.count_tokens(text)

    def close(self) -> None:
        with self._lock:
            for model in filter(None, (self._caller and self._caller[0], self._plain)):
                model.close()
            self._caller = self._plain = None

    @property
    def _reader(self) -> tuple[LanguageModel, CallForm]:
        with self._lock:
            self._caller = self._caller or self._open_caller()
            return self._caller

    @property
    def _writer(self) -> LanguageModel:
        with self._lock:
            self._plain = self._plain or self._open_plain()
            return self._plain

    # calls

    def _calls(self, request: ChatRequest) -> ChatReply | None:
        """The first calls for what the user said last; None where no tool fits."""
        toolbox = _toolbox(request)
        model, form = self._reader
        query = next((each.content for each in reversed(request.messages) if each.role == "user"), "")
        if not query.strip():
            return None
        must = request.choice != "auto"
        caller = Caller(model, shown(toolbox), form, may_be_empty=not must, most=MOST_CALLS)
        caller.max_tokens = min(caller.max_tokens, request.max_tokens)
        planned = caller.plan(query, self._clock().replace(microsecond=0))
        if planned.problem and not planned.text:
            raise ContextFull(planned.problem)
        if planned.problem:
            return ChatReply(f"No call could be made of this: {planned.problem}", timing=planned.timing)
        if not planned.plan:
            return None
        return ChatReply(calls=self._given(_Held(planned.plan), 0, {}), timing=planned.timing)

    def _next_calls(self, request: ChatRequest) -> ChatReply | None:
        """The calls that waited for the results which came; None where none did."""
        results = {each.call_id: _value(each.content) for each in request.messages if each.role == "tool"}
        with self._lock:
            held = self._held.get(request.messages[-1].call_id)
        if held is None:
            return None
        known = {place: results[name] for place, name in held.ids.items() if name in results}
        for number, wave in enumerate(waves(held.plan)):
            if not all(place in held.ids for place in wave):
                needed = {each.to for place in wave for each in references(held.plan[place])}
                return ChatReply(calls=self._given(held, number, known)) if needed <= known.keys() else None
        return None

    def _given(self, held: _Held, wave: int, results: Mapping[int, Any]) -> tuple[ChatCall, ...]:
        made = []
        with self._lock:
            for place in waves(held.plan)[wave]:
                call: Call = held.plan[place]
                held.ids[place] = f"call_{uuid.uuid4().hex[:24]}"
                self._held[held.ids[place]] = held
                arguments = json.dumps(filled(call.arguments, results), ensure_ascii=False)
                made.append(ChatCall(held.ids[place], call.name, arguments))
            while len(self._held) > _MOST_HELD:
                self._held.popitem(last=False)
        return tuple(made)

    # text

    def _text(self, request: ChatRequest) -> Chatting:
        model, prompt, left = self._writer, _prompt(request), request.max_tokens
        text, timing = "", Timing()
        while True:
            reply = model.complete(Request(prompt, max_tokens=min(_PIECE, left)))
            # the prompt counts once: what is written is the prompt of the next piece
            cost = replace(reply.timing, prompt_tokens=0, cached_tokens=0) if text else reply.timing
            timing, text = timing + cost, text + reply.text
            left -= reply.timing.generated_tokens
            if reply.text:
                yield reply.text
                prompt = (*prompt, Segment(reply.text))
            if reply.finish is not Finish.LENGTH or left < 1 or not reply.timing.generated_tokens:
                return ChatReply(text, timing=timing, finish=reply.finish)


def _toolbox(request: ChatRequest) -> Toolbox:
    tools: list[Tool] = []
    for each in request.tools:
        if request.choice in ("auto", "required", each.name):
            schema = {"name": each.name, "description": each.description, "parameters": each.parameters}
            tools.append(from_schema(schema))
    if not tools:
        raise UsageError(f"there is no tool {request.choice[:80]!r} that could be called")
    return Toolbox(tools)


def _prompt(request: ChatRequest) -> Prompt:
    segments: list[Segment] = []
    for message in request.messages:
        if not message.content:
            continue  # calls, which the base model knows nothing of and would write again
        opening = _OPENINGS[message.role]
        text = f"The result is: {message.content}" if message.role == "tool" else message.content
        segments += [Segment(opening, special=True), Segment(text), Segment(f"{END}\n", special=True)]
    return (*segments, Segment(ASSISTANT, special=True))


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
