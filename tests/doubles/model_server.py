"""A server with the OpenAI chat interface that answers what a test tells it, and the recorded shapes of real ones.

`servers/*.json` hold, for each server, what it answers in each case, written from its public documentation, source and
issues. In a shape: `answers`, one after the other (`events` are streamed, each upon the file's `chunk`; a text among
them is sent as it is), what is asked for (`tools`, `choice`, `schema`), what is to be `sent`, and the `reply` or
`error` that is to come of it.
"""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from camphor.models.chat import ChatReply, Chatting

FOLDER = Path(__file__).parent / "servers"


@dataclass(frozen=True)
class Said:
    """One answer of the server.

    Args:
        pieces: sent in chunks, each at once; a number is a pause in seconds. A body is sent whole.
        delay: seconds before anything is sent.
        drop: close the connection at the end without the mark that says so; with no pieces, without any answer.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Iterable[bytes | float] | None = None
    delay: float = 0.0
    drop: bool = False


def message(text: str | None, *, reason: str = "stop", **more: Any) -> Said:
    """A plain answer. `more`: further fields of the message."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **more}, "finish_reason": reason}
    return Said(json.dumps({"choices": [choice]}).encode())


def fault(status: int, text: str, **headers: str) -> Said:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Said(json.dumps({"error": {"message": text}}).encode(), status, named)


def event(data: Any) -> bytes:
    return f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


def delta(text: str | None = None, reason: str | None = None, **more: Any) -> bytes:
    said = {} if text is None else {"content": text}
    return event({"choices": [{"index": 0, "delta": {**said, **more}, "finish_reason": reason}]})


DONE = event("[DONE]")


def streamed(*pieces: str | bytes | float, reason: str | None = "stop", drop: bool = False) -> Said:
    """A streamed answer: texts are pieces of the message, bytes are sent as they are, numbers are pauses."""
    sent = [delta(piece) if isinstance(piece, str) else piece for piece in pieces]
    end = [] if drop or reason is None else [delta(reason=reason), DONE]
    return Said(headers={"Content-Type": "text/event-stream"}, pieces=[*sent, *end], drop=drop)


@dataclass(frozen=True)
class Asked:
    path: str
    headers: Mapping[str, str]
    body: Any


class ModelServer:
    """What is answered next, and what was asked.

    `sent_at` holds the moment at which each piece went out; `gone` is set when a client went away in mid-answer, at
    the moment `gone_at` (both moments by `time.perf_counter`).
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.answers: list[Said] = []
        self.models: Sequence[str] | None = None
        self.asked: list[Asked] = []
        self.sent_at: list[float] = []
        self.gone, self.gone_at = threading.Event(), 0.0

    def says(self, *answers: Said) -> None:
        """Answer so, one request after the other; the last for all that follow."""
        self.answers = list(answers)

    def next(self) -> Said:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def left(self) -> None:
        self.gone_at = time.perf_counter()
        self.gone.set()


class _Http(ThreadingHTTPServer):
    state: ModelServer
    request_queue_size = 32


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        state = self.server.state
        data = self.rfile.read(int(self.headers["Content-Length"]))
        state.asked.append(Asked(self.path, dict(self.headers), json.loads(data)))
        said = state.next()
        self.close_connection = True
        if self._away(said.delay) or (said.drop and said.pieces is None):
            return
        try:
            self._answer(said)
        except OSError:
            state.left()

    def do_GET(self) -> None:
        models = self.server.state.models
        self.close_connection = True
        if models is None:
            self._answer(fault(404, "not here"))
        else:
            self._answer(Said(json.dumps({"object": "list", "data": [{"id": name} for name in models]}).encode()))

    def log_message(self, *_: Any) -> None:
        """Nothing on the terminal."""

    def _answer(self, said: Said) -> None:
        self.send_response(said.status)
        for name, value in said.headers.items():
            self.send_header(name, value)
        if said.pieces is None:
            self.send_header("Content-Length", str(len(said.body)))
            self.end_headers()
            self.wfile.write(said.body)
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in said.pieces:
            if isinstance(piece, bytes):
                self.server.state.sent_at.append(time.perf_counter())
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            elif self._away(piece):
                return
        if not said.drop:
            self.wfile.write(b"0\r\n\r\n")

    def _away(self, seconds: float) -> bool:
        """Wait; whether the client went away meanwhile."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        try:
            gone = bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            gone = True
        if gone:
            self.server.state.left()
        return gone


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Such a server on this machine, with its address."""
    with _Http(("127.0.0.1", 0), _Handler) as listening:
        listening.state = ModelServer(f"http://127.0.0.1:{listening.server_port}/v1")
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield listening.state
        finally:
            listening.shutdown()
            thread.join()


def run(chatting: Chatting) -> tuple[list[str], ChatReply]:
    """The pieces of a reply, and the whole of it."""
    pieces = []
    while True:
        try:
            pieces.append(next(chatting))
        except StopIteration as end:
            return pieces, end.value


@dataclass(frozen=True)
class Shape:
    """One case of one server."""

    server: str
    name: str
    asks: Mapping[str, Any]
    answers: Sequence[Said]
    models: Sequence[str]

    def __str__(self) -> str:
        return f"{self.server}: {self.name}"


@cache
def shapes() -> tuple[Shape, ...]:
    """Every case of every server."""
    found = []
    for path in sorted(FOLDER.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        for name, asks in data["shapes"].items():
            answers = [_said(each, data["chunk"]) for each in asks["answers"] for _ in range(each.get("times", 1))]
            found.append(Shape(data["server"], name, asks, answers, data["models"]))
    return tuple(found)


def _said(answer: Mapping[str, Any], chunk: Mapping[str, Any]) -> Said:
    status, headers = answer.get("status", 200), dict(answer.get("headers", {}))
    if "events" not in answer:
        text = answer.get("text") or json.dumps(answer["body"])
        return Said(text.encode(), status, headers)
    pieces = [each if isinstance(each, str) else f"data: {json.dumps({**chunk, **each})}" for each in answer["events"]]
    lines = [piece + ("\n" if piece.startswith("event:") else "\n\n") for piece in pieces]
    if answer.get("done", True):
        lines.append("data: [DONE]\n\n")
    return Said(
        status=status,
        headers={**headers, "Content-Type": "text/event-stream"},
        pieces=[line.encode() for line in lines],
    )
