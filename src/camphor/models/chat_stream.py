"""From the bytes of a chat completion to a reply: events of a stream, pieces of text, calls put together.

Servers differ in how they cut a reply up. What is known of them is in `tests/doubles/servers`, a file for each.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from camphor.models.base import Finish, Timing
from camphor.models.chat import ChatCall, ChatReply
from camphor.models.reasoning import Thoughts
from camphor.models.server_connection import MOST_BYTES, MOST_STREAMED, TooLarge

MOST_CALLS = 256
_REASONING = ("reasoning_content", "reasoning", "thinking")
_CUT = frozenset({"length", "max_tokens", "model_length"})


class NoChat(Exception):
    """What came is no chat completion."""


class Silent(NoChat):
    """Nothing of an answer came at all."""


class StreamedError(Exception):
    """An error in the place of an answer, or in its middle."""

    def __init__(self, data: Any) -> None:
        self.data = data
        super().__init__("the server sent an error")


def events(pieces: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    """The JSON objects of a stream of server-sent events, each as soon as its line is there; of a plain body, its one.

    Each `data:` line is an event: no chat server lays one over several lines, and one that leaves the empty lines out
    is understood too.

    Raises:
        NoChat: neither. Silent: nothing. TooLarge. StreamedError: an error's event.
    """
    rest, total, failed = bytearray(), 0, False
    streamed: bool | None = None  # not known before the first letter
    for piece in pieces:
        rest += piece
        total += len(piece)
        if streamed is None and (begun := rest.lstrip(b"\xef\xbb\xbf \r\n\t")):
            streamed = begun[:1] not in b"{[<"
        if len(rest) > MOST_BYTES or total > MOST_STREAMED:
            raise TooLarge
        if not streamed or b"\n" not in piece:
            continue
        *lines, last = bytes(rest).split(b"\n")
        rest = bytearray(last)
        for line in lines:
            name, value = _field(line)
            failed = (value == b"error") if name == b"event" else failed and bool(name)
            if name == b"error" or (failed and name == b"data"):  # the first is that of llama.cpp's older servers
                raise StreamedError(value)
            if name == b"data" and value == b"[DONE]":
                return
            if name == b"data" and value:
                yield _object(value)
    name, value = _field(bytes(rest))
    if streamed is None:
        raise Silent
    if not streamed:
        yield _object(bytes(rest))
    elif name == b"data" and value not in (b"", b"[DONE]"):
        yield _object(value)


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.strip().partition(b":")
    return name, value.strip()


def _object(text: bytes) -> Mapping[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise NoChat from None
    if not isinstance(data, dict):
        raise NoChat
    return data


@dataclass
class _Call:
    """A call as far as it has come. `index` is the server's."""

    index: Any
    id: str = ""
    names: list[str] = field(default_factory=list)
    arguments: str = ""

    def name(self, known: Collection[str]) -> str:
        """Its name, which servers send once, with every piece, or in pieces: what is a tool's name counts."""
        whole = "".join(self.names)
        for name in (whole, *self.names[-1:], *self.names[:1]):
            if name in known:
                return name
        return self.names[0] if len(set(self.names)) == 1 else whole


class Draft:
    """A reply that is being received.

    Args:
        tools: names of the tools that could be called. hold: as `Thoughts` has it.
    """

    def __init__(self, tools: Collection[str] = (), *, hold: bool = False) -> None:
        self.thoughts = Thoughts(hold=hold)
        self.begun = self.finished = False
        """Whether anything of an answer has come, and whether the server has said how it ends."""
        self.reasons = False
        """Whether there was any thinking."""
        self._tools, self._calls = tools, list[_Call]()
        self._reasoning = self._refusal = self._reason = self._high = ""
        self._usage: Mapping[str, Any] = {}
        self.pieces = 0
        """Events that had something of an answer in them."""
        self._streamed = False

    @property
    def text(self) -> str:
        return self.thoughts.said

    @property
    def complete(self) -> bool:
        """Whether the answer is there as a whole: a plain body is, a stream when its last piece said so."""
        return self.begun and (self.finished or not self._streamed)

    def add(self, event: Mapping[str, Any]) -> str:
        """Take an event in; the text that can be shown by it.

        Raises:
            StreamedError: the event is an error. NoChat: it cannot be read.
        """
        if event.get("error") or event.get("object") == "error":
            raise StreamedError(event)
        if isinstance(usage := event.get("usage"), dict):
            self._usage = usage
        choices = event.get("choices")
        try:
            choice = choices[0] if choices else None
            if choice is None or choice.get("index") not in (None, 0):
                return ""
            self._streamed = self._streamed or "delta" in choice
            message = choice.get("delta") if self._streamed else choice["message"]
            said = self._message(message or {})
        except (KeyError, TypeError, AttributeError):
            raise NoChat from None
        if isinstance(reason := choice.get("finish_reason"), str) and reason:
            self._reason, self.finished = reason, True
        self.begun = True
        return said

    def finish(self) -> str:
        """The text that was held back to the end."""
        return self.thoughts.finish(cut=self._reason in _CUT)

    def reply(self, started: float, first: float, ended: float) -> ChatReply:
        """The reply. The arguments are moments, by any clock in seconds: of asking, of the first piece, of the end."""
        reasoning = mended((self._reasoning + self.thoughts.thought).strip())
        refusal = self._refusal
        if not refusal and self._reason == "content_filter":
            refusal = self._reason
        finish = Finish.LENGTH if self._reason in _CUT else Finish.END
        cached = _count(self._usage.get("prompt_tokens_details"), "cached_tokens")
        prompt = max(0, _count(self._usage, "prompt_tokens") - cached)
        # A server that does not count sends a token with each piece, or nearly so.
        written = _count(self._usage, "completion_tokens") or (self.pieces if self._streamed else 0)
        timing = Timing(
            prompt_tokens=prompt,
            cached_tokens=cached,
            sampled_tokens=written,
            evaluated_tokens=prompt + written,
            prompt_seconds=first - started if self._streamed else 0.0,
            generation_seconds=ended - (first if self._streamed else started),
        )
        return ChatReply(self.text, self._finished_calls(), reasoning, timing, finish, mended(refusal))

    def _message(self, message: Any) -> str:
        self._refusal += _text(message.get("refusal"))
        thought = next((value for name in _REASONING if isinstance(value := message.get(name), str) and value), "")
        content, more = _content(message.get("content"))
        if thought or more:
            self._reasoning += thought or more
            self.reasons = True
            self.thoughts.release()
        calls = message.get("tool_calls") or ()
        for part in calls:
            self._call(part)
        self.pieces += bool(thought or more or content or calls)
        content = self._high + content
        # A character beyond the first plane may come in two halves, each an escape of its own.
        self._high, content = (content[-1], content[:-1]) if "\ud800" <= content[-1:] <= "\udbff" else ("", content)
        said = self.thoughts.feed(mended(content))
        self.reasons = self.reasons or self.thoughts.tagged
        return said

    def _call(self, part: Any) -> None:
        function = part.get("function") or part
        call_id, name = _text(part.get("id")), _text(function.get("name"))
        arguments = function.get("arguments")
        if arguments is None:
            arguments = ""
        elif not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        index = part.get("index") if self._streamed else None
        call = self._continued(index, call_id, name, arguments) if self._streamed else None
        if call is None:
            if len(self._calls) >= MOST_CALLS:
                raise NoChat
            call = _Call(index)
            self._calls.append(call)
        call.id = call.id or call_id
        if name:
            call.names.append(name)
        if arguments != call.arguments or not _is_object(arguments):  # some say it all once more at the end
            call.arguments += arguments

    def _continued(self, index: Any, call_id: str, name: str, arguments: str) -> _Call | None:
        """The call that a piece belongs to; None for the first of a new one.

        The index should tell, but Ollama's was 0 for each of several calls, and others send none.
        """
        same = [each for each in self._calls if index is None or each.index == index]
        if call_id and (known := [each for each in same if each.id == call_id]):
            return known[-1]
        if not same:
            return None
        call = same[-1]
        if not name:
            return call
        open_end = bool(call.arguments) and not _is_object(call.arguments)
        if call_id and call.id:
            return call if open_end else None
        if call.arguments:
            return call if open_end or not arguments else None
        before = call.name(self._tools)
        return None if before in self._tools and name in self._tools and name != before else call

    def _finished_calls(self) -> tuple[ChatCall, ...]:
        calls, ids = list[ChatCall](), set[str]()
        for call in self._calls:
            name, arguments = mended(call.name(self._tools)), mended(call.arguments)
            if not name and not arguments:
                continue
            if not call.id or call.id in ids:  # nine letters and digits: all that Mistral's templates allow
                call.id = uuid.uuid4().hex[:9]
            ids.add(call.id)
            calls.append(ChatCall(call.id, name, arguments))
        return tuple(calls)


def mended(text: str) -> str:
    """The text with halves of characters put together, and those without another half replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _content(value: Any) -> tuple[str, str]:
    """Text and reasoning of a message's content, which is a text or a list of parts. Raises TypeError: neither."""
    if value is None or isinstance(value, str):
        return value or "", ""
    if not isinstance(value, list):
        raise TypeError
    text = thought = ""
    for part in value:
        if isinstance(part, str):
            text += part
        elif part.get("type") in ("thinking", "reasoning"):
            inner = part.get("thinking") or part.get("text")
            thought += inner if isinstance(inner, str) else _content(inner)[0]
        else:
            text += _text(part.get("text"))
    return text, thought


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _count(usage: Any, name: str) -> int:
    value = usage.get(name) if isinstance(usage, Mapping) else None
    return value if isinstance(value, int) and value > 0 else 0
