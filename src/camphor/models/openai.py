"""A language model behind a server that speaks the OpenAI chat protocol, local or remote.

Opens a network connection only when someone configured an address (`server_connection` says how). What the server says
is data: it is read into replies (`chat_stream`) and errors (`server_errors`), and nothing in it changes where the next
request goes.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx

from camphor.errors import ModelError, ModelMissing, UsageError
from camphor.models.base import Finish, Reply, Request
from camphor.models.chat import ChatReply, ChatRequest, Chatting
from camphor.models.chat_body import (
    MAX_TOKENS,
    NEXT_LINE,
    SCHEMA,
    Body,
    as_json,
    chat_body,
    chat_messages,
    parts,
    without,
)
from camphor.models.chat_stream import Draft, NoChat, Silent, StreamedError, events
from camphor.models.reasoning import likely_thinks
from camphor.models.server_connection import (
    Answer,
    Connection,
    Dropped,
    Slow,
    Stopped,
    Timeouts,
    TooLarge,
    Unreachable,
    Watch,
)
from camphor.models.server_errors import ServerSaid, printable, read_error, refused_part, room_left, told_error

__all__ = ["NEXT_LINE", "OpenAIModel", "Timeouts", "chat_messages"]

ROOM_TO_THINK = 8192
"""Tokens that a model which thinks before it answers may write besides the answer, at most a quarter of its context."""
LEAST_ROOM = 64
"""Tokens: where a server has fewer left for an answer, the prompt is too long."""
FOR_COUNTS = 3.0
"""Seconds to wait for the tokens' counts, or for the end, after an answer's last piece."""
LONGEST_TOKEN = 8
"""Letters: where `max_tokens` had to leave room for thinking, the answer itself is held to it by its length."""
TROUBLE = (Unreachable, Dropped, Slow, Stopped, TooLarge, NoChat)


class OpenAIModel:
    """Completes prompts and takes part in conversations with `POST {base_url}/chat/completions`, greedily.

    A grammar cannot be sent in general and is ignored here: what comes back is checked where calls are read. Fields of
    a request that the server refuses are left out from then on. Several threads may use one model.

    Args:
        base_url: such as `http://127.0.0.1:8080/v1`; an address without a path gets `/v1`. model: the name the server
            knows it by.
        api_key: sent as a bearer token; never shown. timeout: limits in seconds; a number is that of a whole answer.
        context: most tokens of prompt and completion together, as the server's documentation says.
        options: further fields of the request's body; None takes a field out. What is given here is never left out.

    Raises:
        UsageError: an address or key that cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        timeout: float | Timeouts = Timeouts(),  # noqa: B008, a frozen value
        context: int = 32_768,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._url = _checked_url(base_url)
        if api_key is not None and not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise UsageError("the API key has characters that a key cannot have: check for spaces and line ends")
        timeouts = timeout if isinstance(timeout, Timeouts) else Timeouts(whole=timeout)
        self._connection = Connection(self._url, api_key, timeouts)
        self._model, self._api_key = model, api_key
        self._context = context
        self._options = dict(options or {})
        self._refused: set[str] = set()
        self._thinks, self._thinks_unopened = likely_thinks(model), likely_thinks(model)

    def __repr__(self) -> str:
        return f"OpenAIModel({self._url!r}, {self._model!r})"

    @property
    def context(self) -> int:
        return self._context

    def chat(self, request: ChatRequest) -> Chatting:
        """The next message, as `ChatModel.chat`.

        A tool that must be called is sent as the only one, since many servers know no choice of a name. Arguments of
        earlier calls that are no JSON object are sent as an empty one: servers read them and fail.

        Thoughts are never among the pieces, but for one case: of a model whose first thoughts come without an opening
        tag, and whose name does not say that it thinks, nobody can tell before the closing tag. The reply's text is
        right then too, and from the next reply on such thoughts are held back.

        Raises:
            As `complete`; ModelError also where the model knows no tools.
        """
        body = chat_body(request)
        if self._thinks:  # many models that do are known to go round in circles when they are greedy
            del body["temperature"]
        return (yield from self._answer(body, [tool.name for tool in request.tools]))

    def complete(self, request: Request) -> Reply:
        """One answer of the server, without what the model thought before it.

        Once it is seen to think, it is given room for that, and neither stop strings nor `max_tokens` can end it
        within its thoughts; the first time that they did, it is asked again.

        Raises:
            ModelMissing: nobody answers there, or no such model. ContextFull: the server says that the prompt is too
            long. ModelError: it refuses, fails, takes too long, or answers what cannot be read.
        """
        if request.definitions:
            raise ModelError("a server takes no function tokens: give it the tools' definitions as text")
        messages = chat_messages(request.prompt)
        with_room = self._thinks
        reply = self._complete(request, messages, with_room=with_room)
        if self._thinks and not with_room and (not reply.text or reply.finish is Finish.LENGTH):
            reply = self._complete(request, messages, with_room=True)
        return reply

    def count_tokens(self, text: str) -> int:
        """An estimate on the safe side: three bytes a token."""
        return -(-len(text.encode(errors="replace")) // 3)

    def names(self) -> tuple[str, ...]:
        """The models that the server lists, as it names them; at most 200.

        Raises:
            ModelMissing: nobody answers there. ModelError: it gives no list within five seconds.
        """
        with self._connection.watch(5.0) as watch:
            try:
                with self._connection.send("GET", "/models", None, watch) as answer:
                    data = answer.body()
                    if answer.status != 200:
                        raise self._error(read_error(answer.status, data, self._api_key), tools=False, list_names=False)
                listed = json.loads(data)
                found = listed.get("data") or listed.get("models") or []
                names = [each.get("id", each.get("name")) for each in found]
            except TROUBLE as error:
                raise self._trouble(error) from None
            except (ValueError, RecursionError, AttributeError, TypeError):
                raise ModelError(f"the model server at {self._url} gives no list of its models") from None
        return tuple(printable(name) for name in names[:200] if isinstance(name, str) and name)

    def close(self) -> None:
        """Break off the requests that are under way in other threads: they raise ModelError. There is no more to free,
        as each request has a connection of its own."""
        self._connection.break_off()

    def _complete(self, request: Request, messages: list[Body], *, with_room: bool) -> Reply:
        body: Body = {"messages": messages, MAX_TOKENS: request.max_tokens, "temperature": 0}
        if with_room:
            body[MAX_TOKENS] += min(ROOM_TO_THINK, self._context // 4)
        elif request.stop:
            body["stop"] = list(request.stop)
        most = LONGEST_TOKEN * request.max_tokens

        def enough(text: str) -> bool:
            return any(stop in text for stop in request.stop) or (with_room and len(text) > most)

        chatting = self._answer(body, (), enough)
        while True:
            try:
                next(chatting)
            except StopIteration as end:
                reply: ChatReply = end.value
                break
        text, stopped = _cut(reply.text, request.stop)
        finish = Finish.STOP if stopped else reply.finish
        if with_room and not stopped and len(text) > most:
            finish = Finish.LENGTH
        return Reply(text, reply.timing, finish)

    def _answer(self, body: Body, tools: Sequence[str], enough: Callable[[str], bool] = lambda _: False) -> Chatting:
        """The reply to a body, which is sent again without what the server refuses.

        Args:
            tools: names of those it has. enough: whether a text needs no more to come; the connection is closed then.
        """
        body = {"model": self._model, **body, "stream": True, "stream_options": {"include_usage": True}}
        body = {name: value for name, value in {**body, **self._options}.items() if value is not None}
        started, found = time.perf_counter(), set[str]()
        with self._connection.watch() as watch:
            while True:
                sent = without(body, self._refused - self._options.keys())
                try:
                    with self._connection.send("POST", "/chat/completions", as_json(sent), watch) as answer:
                        if answer.status == 200:
                            return (yield from self._read(answer, tools, watch, started, enough))
                        said = read_error(answer.status, answer.body(), self._api_key)
                except StreamedError as error:
                    said = read_error(200, error.data, self._api_key)
                except TROUBLE as error:
                    if not isinstance(error, Silent) or "stream" not in sent:
                        raise self._trouble(error) from None
                    # A stream that ends before it begins: llama-cpp-python says what is wrong only without one.
                    body = without(body, {"stream"})
                    continue
                body = self._changed(body, said, sent, found)

    def _changed(self, body: Body, said: ServerSaid, sent: Body, found: set[str]) -> Body:
        """What to send in place of a body that was refused; each part is given up once, and for good.

        Args:
            found: what this answer has taught of the server so far; more is added.

        Raises:
            ModelError: nothing that could be left out would help.
        """
        room = room_left(said)
        if MAX_TOKENS not in self._options and LEAST_ROOM <= room < body[MAX_TOKENS]:
            return {**body, MAX_TOKENS: room}
        part = refused_part(said, parts(sent) - self._options.keys())
        if not part or part in self._refused:
            self._refused -= found & {SCHEMA}  # that was a guess, and a wrong one
            raise self._error(said, tools="tools" in sent)
        found.add(part)
        self._refused.add(part)
        return body

    def _read(
        self, answer: Answer, tools: Sequence[str], watch: Watch, started: float, enough: Callable[[str], bool]
    ) -> Chatting:
        draft = Draft(tools, hold=self._thinks_unopened)
        first = 0.0
        stopped = False
        try:
            for event in events(answer.pieces):
                piece = draft.add(event)
                if draft.pieces and not first:
                    first = time.perf_counter()
                if piece:
                    yield piece
                if stopped := enough(draft.text):
                    break
                if draft.finished:
                    watch.between = FOR_COUNTS
        except StreamedError as error:
            if draft.begun:  # too late to ask again
                raise self._error(read_error(200, error.data, self._api_key), tools=bool(tools)) from None
            raise
        except (Slow, Dropped):
            if not draft.complete:
                raise
        if not stopped and not draft.complete:
            raise Dropped("in the middle of the answer") if draft.begun else Silent
        ended = time.perf_counter()
        if rest := draft.finish():
            yield rest
        if draft.reasons:
            self._thinks, self._thinks_unopened = True, draft.thoughts.unopened
        return draft.reply(started, first or ended, ended)

    def _error(self, said: ServerSaid, *, tools: bool, list_names: bool = True) -> ModelError:
        def names() -> tuple[str, ...]:
            try:
                return self.names() if list_names else ()
            except ModelError:
                return ()

        return told_error(said, self._url, self._model, keyed=self._api_key is not None, tools=tools, names=names)

    def _trouble(self, error: Exception) -> ModelError:
        """What went wrong on the way, in one line."""
        where = f"the model server at {self._url}"
        match error:
            case Unreachable(tls=True):
                return ModelError(f"{where} gives no safe connection ({error}): check the address and its certificate")
            case Unreachable():
                return ModelMissing(f"no model server answers at {self._url} ({error}): start it, or check the address")
            case Slow():
                return ModelError(f"{where} took longer than {error}: ask for less, or allow more time")
            case Stopped():
                return ModelError(f"the request to {where} was broken off: ask again")
            case Dropped():
                return ModelError(f"{where} broke off ({error}): try again")
            case TooLarge():
                return ModelError(
                    f"{where} answered with more than 8 MB, which is no chat completion: check the address"
                )
            case _:
                return ModelError(
                    f"{where} answered what is no chat completion: check that the address is that of an "
                    "OpenAI-compatible server"
                )


def _checked_url(text: str) -> str:
    try:
        url = urlsplit(text)
        usable = url.scheme in ("http", "https") and url.hostname and url.port != 0 and not url.query
        httpx.URL(text)
    except (ValueError, httpx.InvalidURL):
        usable, url = False, urlsplit("")
    if url.username or url.password:
        raise UsageError("the model server's address holds a password: give the key as the API key instead")
    if not usable or re.search(r"[\x00-\x20\x7f-\U0010ffff]", text):
        raise UsageError(f"{text!r} is no address of a model server: give one such as http://127.0.0.1:8080/v1")
    path = url.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return f"{url.scheme}://{url.netloc}{path}"


def _cut(text: str, stops: tuple[str, ...]) -> tuple[str, bool]:
    ends = [place for place in (text.find(stop) for stop in stops) if place >= 0]
    return (text[: min(ends)], True) if ends else (text, False)
