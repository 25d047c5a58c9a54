"""A language model behind a server that speaks the OpenAI chat protocol, local or remote.

Opens a network connection only when someone configured an address. Redirects are not followed and no proxy is used:
what is sent goes to the address given and nowhere else.
"""

from __future__ import annotations

import http.client
import json
import re
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from camphor.errors import ContextFull, ModelError, ModelMissing, UsageError
from camphor.models.base import Finish, Reply, Request, Timing
from camphor.models.chat_template import turns
from camphor.types import Prompt

MOST_BYTES = 8_000_000
NEXT_LINE = "Go on: write only what comes next."


class OpenAIModel:
    """Completes prompts with `POST {base_url}/chat/completions`, greedily.

    A grammar cannot be sent in general and is ignored here: what comes back is checked where calls are read.

    Args:
        base_url: such as `http://127.0.0.1:8080/v1`. model: the name the server knows it by.
        api_key: sent as a bearer token; never shown. timeout: seconds for one whole answer.
        context: most tokens of prompt and completion together, as the server's documentation says.
        options: further fields of the request's body; None takes a field out.

    Raises:
        UsageError: an address or key that cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        timeout: float = 120.0,
        context: int = 32_768,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._url = _checked_url(base_url)
        if api_key is not None and not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise UsageError("the API key has characters that a key cannot have: check for spaces and line ends")
        self._model, self._api_key, self._timeout = model, api_key, timeout
        self._context = context
        self._options = dict(options or {})

    def __repr__(self) -> str:
        return f"OpenAIModel({self._url.geturl()!r}, {self._model!r})"

    @property
    def context(self) -> int:
        return self._context

    def complete(self, request: Request) -> Reply:
        """One answer of the server.

        Raises:
            ModelMissing: nobody answers there, or no such model. ContextFull: the server says that the prompt is too
            long. ModelError: it refuses, fails, takes too long, or answers what cannot be read.
        """
        if request.definitions:
            raise ModelError("a server takes no function tokens: give it the tools' definitions as text")
        body = {
            "model": self._model,
            "messages": chat_messages(request.prompt),
            "max_tokens": request.max_tokens,
            "temperature": 0,
            **({"stop": list(request.stop)} if request.stop else {}),
            **self._options,
        }
        started = time.perf_counter()
        status, answer = self._post({name: value for name, value in body.items() if value is not None})
        if status != 200:
            raise self._refusal(status, answer)
        return self._read(answer, request, time.perf_counter() - started)

    def count_tokens(self, text: str) -> int:
        """An estimate on the safe side: three bytes a token."""
        return -(-len(text.encode(errors="replace")) // 3)

    def close(self) -> None:
        """Nothing to free: each answer has its own connection."""

    def _post(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        deadline = time.monotonic() + self._timeout
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=self._timeout)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._api_key is not None:
            headers["Authorization"] = f"Bearer {self._api_key}"
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            raise ModelMissing(
                f"no model server answers at {self._url.geturl()} ({_reason(error)}): start it, or check the address"
            ) from None
        try:
            path = f"{self._url.path.rstrip('/')}/chat/completions"
            connection.request("POST", path, json.dumps(body).encode(), headers)
            response = connection.getresponse()
            return response.status, _read_before(deadline, connection, response)
        except TimeoutError:
            raise ModelError(
                f"the model server at {self._url.geturl()} took longer than {self._timeout:g} seconds: "
                "ask for less, or allow more time"
            ) from None
        except (OSError, http.client.HTTPException) as error:
            raise ModelError(
                f"the model server at {self._url.geturl()} broke off ({_reason(error)}): try again"
            ) from None
        finally:
            connection.close()

    def _refusal(self, status: int, answer: bytes) -> ModelError:
        said = self._without_key(_error_text(answer))
        where = f"the model server at {self._url.geturl()}"
        if status in (401, 403):
            return ModelError(f"{where} refused the API key (status {status}): check the key")
        if status == 404:
            return ModelMissing(f"{where} knows no model {self._model!r} or no such path (status 404{said})")
        if status in (400, 413) and re.search(r"context|too long|maximum.*tokens", said, re.IGNORECASE):
            return ContextFull(f"{where} says that the prompt is too long{said}: begin a new conversation")
        return ModelError(f"{where} answered with status {status}{said}")

    def _read(self, answer: bytes, request: Request, seconds: float) -> Reply:
        try:
            data = json.loads(answer)
            choice = data["choices"][0]
            text = choice["message"]["content"] or ""
            usage = data.get("usage") or {}
            if not isinstance(text, str) or not isinstance(usage, dict):
                raise TypeError
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            raise ModelError(
                f"the model server at {self._url.geturl()} answered what is no chat completion: "
                "check that the address is that of an OpenAI-compatible server"
            ) from None
        text, stopped = _cut(text.lstrip(), request.stop)
        length = choice.get("finish_reason") == "length" and not stopped
        cached = _count(usage.get("prompt_tokens_details"), "cached_tokens")
        prompt, written = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        timing = Timing(
            prompt_tokens=max(0, prompt - cached),
            cached_tokens=cached,
            sampled_tokens=written,
            evaluated_tokens=max(0, prompt - cached) + written,
            generation_seconds=seconds,
        )
        finish = Finish.LENGTH if length else Finish.STOP if stopped else Finish.END
        return Reply(text, timing, finish)

    def _without_key(self, text: str) -> str:
        return text.replace(self._api_key, "[key]") if self._api_key else text


def chat_messages(prompt: Prompt) -> list[dict[str, str]]:
    """A prompt as chat messages.

    Turns are read in `special` segments only, so what a person or a record says cannot open one. A prompt without turns
    is one user message. An assistant turn that has begun is followed by the request to go on, because many servers
    refuse a conversation that ends with the assistant.
    """
    messages = [{"role": role, "content": text} for role, text in turns(prompt) if text.strip()]
    if not messages:
        raise ModelError("there is nothing to complete: the prompt is empty")
    if messages[-1]["role"] == "assistant":
        messages.append({"role": "user", "content": NEXT_LINE})
    return messages


def _checked_url(text: str) -> SplitResult:
    try:
        url = urlsplit(text)
        usable = url.scheme in ("http", "https") and url.hostname and url.port != 0 and not url.query
    except ValueError:
        usable, url = False, urlsplit("")
    if url.username or url.password:
        raise UsageError("the model server's address holds a password: give the key as the API key instead")
    if not usable or re.search(r"[\x00-\x20\x7f-\U0010ffff]", text):
        raise UsageError(f"{text!r} is no address of a model server: give one such as http://127.0.0.1:8080/v1")
    return url


def _read_before(deadline: float, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> bytes:
    """The whole body, at most 8 MB; TimeoutError when the deadline passes, however slowly it trickles in."""
    data = bytearray()
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if connection.sock is not None:
            connection.sock.settimeout(left)
        piece = response.read1(65_536)
        if not piece:
            return bytes(data)
        data += piece
        if len(data) > MOST_BYTES:
            raise http.client.HTTPException("the answer is larger than 8 MB")


def _cut(text: str, stops: tuple[str, ...]) -> tuple[str, bool]:
    ends = [place for place in (text.find(stop) for stop in stops) if place >= 0]
    return (text[: min(ends)], True) if ends else (text, False)


def _count(usage: Any, name: str) -> int:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) else 0


def _error_text(answer: bytes) -> str:
    """What the server gave as its reason, on one line after a colon; empty where it gave none."""
    try:
        data = json.loads(answer)
        error = data.get("error", data.get("message", ""))
        said = error.get("message", "") if isinstance(error, dict) else error
    except (ValueError, AttributeError):
        said = answer[:200].decode(errors="replace") if not answer.lstrip().startswith(b"<") else ""
    said = " ".join(str(said).split())[:200]
    return f": {said}" if said else ""


def _reason(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join((text or type(error).__name__).split())[:150]
