"""Chat completions as OpenAI's interface has them, of any `ChatModel`: requests read, replies and errors written."""

from __future__ import annotations

import itertools
import json
import time
import uuid
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from camphor.errors import CamphorError, ContextFull, ModelError, UsageError
from camphor.models.base import Finish, Timing
from camphor.models.chat import ChatCall, ChatModel, ChatReply, ChatRequest, ChatTool, Message
from camphor.web.problems import Problem, openai_error, status_of

MODEL = "camphor"
_MOST_TOOLS, _MOST_MESSAGES = 128, 256


class ApiProblem(Problem):
    """A request that cannot be met. `param` is the field at fault."""

    def __init__(self, message: str, status: int = 400, code: str = "invalid_value", param: str | None = None) -> None:
        self.status, self.code, self.param = status, code, param
        super().__init__(message)


class _Function(BaseModel):
    name: str = Field(max_length=64)
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)


class _ToolIn(BaseModel):
    type: Literal["function"]
    function: _Function


class _Called(BaseModel):
    name: str
    arguments: str


class _CallIn(BaseModel):
    id: str
    function: _Called


class _Part(BaseModel):
    type: Literal["text"]
    text: str


class _MessageIn(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[_Part] | None = None
    tool_calls: list[_CallIn] | None = None
    tool_call_id: str = ""

    def message(self) -> Message:
        parts = self.content
        text = parts if isinstance(parts, str) else "\n".join(part.text for part in parts or ())
        calls = tuple(ChatCall(call.id, call.function.name, call.function.arguments) for call in self.tool_calls or ())
        return Message("system" if self.role == "developer" else self.role, text, calls, self.tool_call_id)


class _Chosen(BaseModel):
    type: Literal["function"]
    function: dict[str, str]


class _StreamOptions(BaseModel):
    include_usage: bool = False


class _TextFormat(BaseModel):
    type: Literal["text"]


class Body(BaseModel):
    """The request. What is not named here, such as `temperature`, changes nothing: the likeliest is always written."""

    model: str
    messages: list[_MessageIn] = Field(min_length=1, max_length=_MOST_MESSAGES)
    tools: list[_ToolIn] | None = Field(None, max_length=_MOST_TOOLS)
    tool_choice: Literal["auto", "none", "required"] | _Chosen | None = None
    parallel_tool_calls: bool = True
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    stop: str | list[str] | None = None
    stream: bool = False
    stream_options: _StreamOptions | None = None
    n: Literal[1] | None = None
    logprobs: Literal[False] | None = None
    response_format: _TextFormat | None = None
    functions: None = Field(None, description="Replaced by tools")

    def request(self) -> ChatRequest:
        choice = self.tool_choice or "auto"
        return ChatRequest(
            tuple(each.message() for each in self.messages),
            tuple(
                ChatTool(each.function.name, each.function.description, each.function.parameters)
                for each in self.tools or ()
            ),
            choice if isinstance(choice, str) else choice.function.get("name", ""),
            max_tokens=self.max_completion_tokens or self.max_tokens or 1024,
        )

    @property
    def stops(self) -> tuple[str, ...]:
        return tuple(filter(None, [self.stop] if isinstance(self.stop, str) else self.stop or ()))


def read(data: bytes) -> Body:
    """The request of a body. Raises ApiProblem: it is none, or asks for what there is not."""
    try:
        body = Body.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ApiProblem(f"{where or 'the body'}: {first['msg']}", param=where or None) from None
    if body.model != MODEL:
        raise ApiProblem(
            f"There is no model {body.model[:80]!r} here: the one that is served is {MODEL!r}",
            404,
            "model_not_found",
            "model",
        )
    return body


def models() -> dict[str, Any]:
    """The list of what is served."""
    return {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "camphor"}]}


class Completion:
    """One answer. Its first piece is made at once, so that what is wrong is told before anything is sent.

    Raises:
        ApiProblem: as `told`.
    """

    def __init__(self, model: ChatModel, body: Body) -> None:
        self._body, self._id, self._created = body, f"chatcmpl-{uuid.uuid4().hex}", int(time.time())
        self._reply: ChatReply | None = None
        self._pieces = _until(self._written(model, body.request()), body.stops)
        try:
            self._first = next(self._pieces, "")
        except Exception as error:
            raise told(error) from None

    def whole(self) -> dict[str, Any]:
        """The answer as one object. Raises: ApiProblem."""
        try:
            text = self._first + "".join(self._pieces)
        except Exception as error:
            raise told(error) from None
        calls = self._calls()
        message: dict[str, Any] = {"role": "assistant", "content": None if calls else text, "refusal": None}
        if calls:
            message["tool_calls"] = [_call(each) for each in calls]
        choice = {"index": 0, "message": message, "finish_reason": self._finish(), "logprobs": None}
        return {**self._head("chat.completion"), "choices": [choice], "usage": _usage(self._timing)}

    def lines(self) -> Iterator[str]:
        """The answer as server-sent events."""
        try:
            yield self._chunk({"role": "assistant", "content": ""})
            for piece in itertools.chain((self._first,), self._pieces):
                if piece:
                    yield self._chunk({"content": piece})
        except Exception as error:
            yield f"data: {json.dumps(error_body(told(error)))}\n\n"
            return
        for place, call in enumerate(self._calls()):
            yield self._chunk({"tool_calls": [{"index": place, **_call(call)}]})
        yield self._chunk({}, self._finish())
        if self._body.stream_options and self._body.stream_options.include_usage:
            last = {**self._head("chat.completion.chunk"), "choices": [], "usage": _usage(self._timing)}
            yield f"data: {json.dumps(last)}\n\n"
        yield "data: [DONE]\n\n"

    def _written(self, model: ChatModel, request: ChatRequest) -> Iterator[str]:
        self._reply = yield from model.chat(request)

    def _calls(self) -> Sequence[ChatCall]:
        calls = self._reply.calls if self._reply else ()
        return calls if self._body.parallel_tool_calls else calls[:1]

    def _finish(self) -> str:
        if self._calls():
            return "tool_calls"
        return "length" if self._reply and self._reply.finish is Finish.LENGTH else "stop"

    @property
    def _timing(self) -> Timing:
        return self._reply.timing if self._reply else Timing()

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._created, "model": MODEL}

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return f"data: {json.dumps({**self._head('chat.completion.chunk'), 'choices': [choice]})}\n\n"


def told(error: Exception) -> ApiProblem:
    """What went wrong, for the client."""
    if isinstance(error, ApiProblem):
        return error
    if isinstance(error, ContextFull):
        return ApiProblem(str(error), 400, "context_length_exceeded", "messages")
    if isinstance(error, UsageError):
        return ApiProblem(str(error), 400)
    if isinstance(error, ModelError):
        return ApiProblem(str(error), 503, "model_cannot_answer")
    if isinstance(error, CamphorError):
        return ApiProblem(str(error), *status_of(error))
    return ApiProblem(f"Something broke ({type(error).__name__}): the server goes on", 500, "broken")


def error_body(problem: ApiProblem) -> dict[str, Any]:
    """The error in OpenAI's form."""
    return openai_error(problem.status, problem.code, str(problem), problem.param)


def _call(call: ChatCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _usage(timing: Timing) -> dict[str, Any]:
    prompt = timing.prompt_tokens + timing.cached_tokens
    details = {"prompt_tokens_details": {"cached_tokens": timing.cached_tokens}}
    written = timing.generated_tokens
    return {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written, **details}


def _until(pieces: Iterator[str], stops: Sequence[str]) -> Iterator[str]:
    """The pieces up to the first stop string; what may begin one is held back."""
    if not stops:
        yield from pieces
        return
    held, longest = "", max(map(len, stops))
    for piece in pieces:
        held += piece
        if ends := [at for at in map(held.find, stops) if at >= 0]:
            yield held[: min(ends)]
            return
        ready = max(0, len(held) - longest + 1)
        yield held[:ready]
        held = held[ready:]
    yield held
