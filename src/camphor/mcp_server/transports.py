"""Where the server is reached: on standard input and output, by the program that started it; or on the loopback
interface, by programs of this machine that have the key."""

from __future__ import annotations

import hmac
import json
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import anyio
import uvicorn
from mcp.server.stdio import stdio_server

from camphor.errors import UsageError
from camphor.mcp_server.server import PhoneServer

HOST, PATH = "127.0.0.1", "/mcp"
LARGEST = 256 * 1024  # bytes of one request

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


def http_app(phone: PhoneServer, key: str) -> Any:
    """The ASGI app. Host and Origin must be the loopback's, against pages that point a name of theirs here."""
    return _Keyed(phone.server().streamable_http_app(streamable_http_path=PATH, max_request_body_size=LARGEST), key)


def run_here(phone: PhoneServer) -> None:
    """Serve whoever started this process, until its input ends."""
    server = phone.server()

    async def run() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(run)


def run_http(phone: PhoneServer, port: int, key: str, told: Callable[[str], None]) -> None:
    """Serve until a signal ends it.

    Args:
        told: hears the address.

    Raises:
        UsageError: the port is taken.
    """
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise UsageError(
            f"{HOST}:{port} cannot be listened on ({error.strerror or error}): choose another port"
        ) from None
    told(f"http://{HOST}:{listener.getsockname()[1]}{PATH}")
    config = uvicorn.Config(
        http_app(phone, key), log_level="critical", access_log=False, server_header=False, timeout_graceful_shutdown=2
    )
    uvicorn.Server(config).run(sockets=[listener])


class _Keyed:
    """Lets in who sends the key as a bearer token. Every account of the machine reaches the loopback interface."""

    def __init__(self, app: Any, key: str) -> None:
        self._app, self._expected = app, f"Bearer {key}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] != "http" or hmac.compare_digest(given, self._expected):
            await self._app(scope, receive, send)
            return
        body = json.dumps({"error": "send the key as a bearer token: camphor mcp --http told where it lies"}).encode()
        headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": body})
