"""A server with the OpenAI interface."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ModelServer(ThreadingHTTPServer):
    """Answers chats, and lists models.

    Args:
        answer: the reply to the texts of a request's messages, a line each. listed: the entries of `/v1/models`.
        models_status: the status of that list; one other than 200 has no list. port: 0 takes any that is free.
    """

    daemon_threads = True

    def __init__(
        self,
        answer: Callable[[str], str],
        listed: Sequence[Any] = (),
        models_status: int = 200,
        port: int = 0,
    ) -> None:
        super().__init__(("127.0.0.1", port), _Chat)
        self.answer, self.listed, self.models_status = answer, listed, models_status
        self.asked: list[str] = []
        """The texts of every chat request."""
        self.seen: list[tuple[str, str]] = []
        """Path and `Authorization` of every request."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Chat(BaseHTTPRequestHandler):
    server: ModelServer

    def do_GET(self) -> None:
        self.server.seen.append((self.path, self.headers.get("Authorization", "")))
        if self.server.models_status == 302:
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
            self.end_headers()
            return
        self._send(self.server.models_status, {"object": "list", "data": list(self.server.listed)})

    def do_POST(self) -> None:
        self.server.seen.append((self.path, self.headers.get("Authorization", "")))
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = "\n".join(message["content"] for message in asked["messages"])
        self.server.asked.append(json.dumps(asked))
        message = {"role": "assistant", "content": self.server.answer(prompt)}
        self._send(200, {"choices": [{"message": message, "finish_reason": "stop"}]})

    def _send(self, status: int, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing on the terminal."""


@contextmanager
def model_server(
    answer: Callable[[str], str] = lambda _: "", listed: Sequence[Any] = (), models_status: int = 200, port: int = 0
) -> Iterator[ModelServer]:
    """Such a server on this machine, which runs until the end. Raises OSError: the port is taken."""
    with ModelServer(answer, listed, models_status, port) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield listening
        finally:
            listening.shutdown()
            thread.join()


@contextmanager
def chat_server(answer: Callable[[str], str]) -> Iterator[str]:
    """The address of one that answers chats alone."""
    with model_server(answer) as listening:
        yield listening.address
