"""Speaks to MCP servers, by the official SDK: the one place of a device that does.

A server is started, or spoken to, when one of its tools is needed, in a thread that has an event loop of its own, and
ends with the device. It gets no answer to anything that it asks of its own accord (sampling, elicitation, roots).
"""

from __future__ import annotations

import inspect
import logging
import os
import re
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from camphor.device.mcp_servers import McpServer
from camphor.errors import CamphorError, MissingExtra, ToolError, UsageError
from camphor.tools.mcp import LONGEST_ERROR, digest_of, error_of, values_of, words
from camphor.tools.tool import Kind, Tool
from camphor.types import Agent

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import Client

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
START_SECONDS = 30.0
_MOST_PAGES = 20
_STDERR = 4  # pieces of 4 kB of what a server said there last


class McpConnection:
    """One server: started at the first call, started anew after it has died.

    Calls take turns. Closing twice is allowed; a call after it starts the server again.
    """

    def __init__(self, server: McpServer) -> None:
        self._server, self._lock = server, threading.RLock()
        self._held: tuple[BlockingPortal, Client, ExitStack] | None = None
        self._said = _LastWords()

    def listing(self) -> list[dict[str, Any]]:
        """The definitions of its tools, as it sends them. Raises ToolError: it does not answer."""
        found: list[dict[str, Any]] = self._run(_listed, "list its tools", START_SECONDS)
        return found

    def call(self, name: str, digest: str, arguments: Mapping[str, Any]) -> list[Any]:
        """What a tool gives back.

        Args:
            name: the server's own. digest: of the definition that the person agreed to.

        Raises:
            ToolError: the definition is another one, the server says that it failed, or it does not answer in time.
        """

        async def made(client: Client) -> Any:
            self._refuse_another(name, digest, await _listed(client))
            return await client.call_tool(name, dict(arguments), read_timeout_seconds=self._server.seconds)

        result = self._run(made, f"answer to {words(name, 64)}", START_SECONDS + self._server.seconds)
        said = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        if result.is_error:
            raise ToolError(f"{self._server.name}: the server says of {words(name, 64)}: {error_of(said) or 'failed'}")
        return values_of(said)

    def close(self) -> None:
        with self._lock:
            held, self._held = self._held, None
        if held is not None:
            try:
                held[2].close()
            except Exception:  # a server that is gone already may end its connection as it likes
                return

    def _refuse_another(self, name: str, digest: str, listed: Iterable[Mapping[str, Any]]) -> None:
        found = [each for each in listed if each.get("name") == name]
        if len(found) == 1 and digest_of(found[0]) == digest:
            return
        now = "says something else of this tool than" if found else "has no such tool any more, as it had"
        raise ToolError(
            f"{self._server.name}: the server {now} when you added it, so nothing was called: look at it, and add it "
            f"anew with  camphor tools add-mcp {self._server.name}"
        )

    def _run(self, work: Callable[[Client], Any], what: str, seconds: float) -> Any:
        with self._lock:
            try:
                portal, client, _ = self._started()
                return portal.call(_in_time, work, client, seconds)
            except CamphorError:
                raise
            except Exception as error:
                if self._held is None or not _goes_on(error):
                    self.close()
                raise ToolError(self._trouble(error, what)) from None

    def _started(self) -> tuple[BlockingPortal, Client, ExitStack]:
        if self._held is None:
            try:
                import mcp  # noqa: F401
                from anyio.from_thread import start_blocking_portal
            except ImportError:
                raise MissingExtra("The client of MCP servers", "mcp") from None
            _quiet()
            with ExitStack() as stack:
                portal = stack.enter_context(start_blocking_portal())
                client = stack.enter_context(portal.wrap_async_context_manager(self._connected()))
                self._held = portal, client, stack.pop_all()
        return self._held

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Client]:
        from mcp import Client
        from mcp.types import Implementation

        from camphor import __version__

        who = Implementation(name="camphor", version=__version__)
        if self._server.url:
            import httpx2
            from mcp.client.streamable_http import streamable_http_client

            # no proxy, and no password of a file in the home folder: what is sent goes to the address given
            timeout = httpx2.Timeout(START_SECONDS, read=self._server.seconds + START_SECONDS)
            async with httpx2.AsyncClient(headers=dict(self._server.headers), timeout=timeout, trust_env=False) as http:
                transport = streamable_http_client(self._server.url, http_client=http)
                async with Client(transport, read_timeout_seconds=START_SECONDS, client_info=who, cache=None) as client:
                    yield client
            return
        from mcp.client.stdio import StdioServerParameters, stdio_client

        command, *arguments = self._server.command
        told = self._server.environment.items()
        given = {name: os.environ.get(name) if value is None else value for name, value in told}
        variables = {name: value for name, value in given.items() if value is not None}
        parameters = StdioServerParameters(
            command=command, args=arguments, env=variables, cwd=self._server.folder or None
        )
        with self._said.listening() as stderr:
            transport = stdio_client(parameters, errlog=stderr)
            async with Client(transport, read_timeout_seconds=START_SECONDS, client_info=who, cache=None) as client:
                yield client

    def _trouble(self, error: BaseException, what: str) -> str:
        """One line about what went wrong, without the person's keys."""
        error = _innermost(error)
        told = "it took too long" if _is_late(error) else words(error, LONGEST_ERROR) or type(error).__name__
        last = self._said.last
        more = f" (it said: {last})" if last and not _is_late(error) else ""
        text = f"{self._server.name}: the server did not {what}: {told}{more}"
        if what.startswith("answer"):
            text += "; whether it did what it was asked is not known"
        for secret in (*self._server.headers.values(), *filter(None, self._server.environment.values())):
            text = text.replace(secret, "[secret]") if len(secret) > 3 else text
        return text


def checked_address(url: str) -> str:
    """The address of a server.

    Raises:
        UsageError: it is none, holds a password, or would have words go openly through a network. MissingExtra.
    """
    try:
        import httpx2
    except ImportError:
        raise MissingExtra("The client of MCP servers", "mcp") from None
    try:
        found = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError):
        found = httpx2.URL("")
    if found.userinfo:
        raise UsageError("The address holds a password: give it as --header")
    if found.scheme not in ("http", "https") or not found.host or re.search(r"[\x00-\x20\x7f-\U0010ffff]", url):
        raise UsageError(f"{url[:200]!r} is no address of a server: give one such as http://127.0.0.1:9000/mcp")
    if found.scheme == "http" and found.host not in _LOOPBACK:
        raise UsageError(f"{found.host} is another machine and http:// is not encrypted: give an https:// address")
    return url


def bound_tools(server: McpServer, connection: McpConnection) -> tuple[Tool, ...]:
    """The tools of a server with what carries them out, for `Device.bind`."""
    return tuple(_bound(server, connection, name) for name in server.tools)


def _bound(server: McpServer, connection: McpConnection, name: str) -> Tool:
    trusted = server.tools[name]

    def run(**arguments: Any) -> Any:
        found = connection.call(trusted.name, trusted.digest, arguments)
        return found[0] if len(found) == 1 else found or None

    run.__signature__ = inspect.Signature()  # type: ignore[attr-defined]  # takes what the definition says
    kind, agent = (Kind.CONTEXT, Agent.CONTEXT) if trusted.reads else (Kind.ACTION, Agent.TASK)
    return Tool(name, "", (), kind, agent, server.name, function=run)


async def _listed(client: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        found += [each.model_dump(by_alias=True, mode="json", exclude_none=True) for each in page.tools]
        cursor = page.next_cursor
        if not cursor:
            break
    return found


async def _in_time(work: Callable[[Client], Any], client: Client, seconds: float) -> Any:
    import anyio

    with anyio.fail_after(seconds):
        return await work(client)


def _goes_on(error: BaseException) -> bool:
    """Whether the connection is good for another call: the server answered, with an error."""
    from mcp.shared.exceptions import MCPError
    from mcp.types import CONNECTION_CLOSED

    return isinstance(error, MCPError) and error.code != CONNECTION_CLOSED and not _is_late(error)


def _is_late(error: BaseException) -> bool:
    from mcp.shared.exceptions import MCPError
    from mcp.types import REQUEST_TIMEOUT

    return isinstance(error, TimeoutError) or (isinstance(error, MCPError) and error.code == REQUEST_TIMEOUT)


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _quiet() -> None:
    """The SDK's complaints about what a server sends are no lines for a person's terminal."""
    logger = logging.getLogger("mcp")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
        logger.propagate = False


class _LastWords:
    """What a server said last on its standard error, which is never mixed with ours."""

    def __init__(self) -> None:
        self._kept: deque[bytes] = deque(maxlen=_STDERR)

    @property
    def last(self) -> str:
        """The last line that says something, cut."""
        text = b"".join(self._kept).decode(errors="replace")
        lines = [line for line in text.splitlines() if line.strip()]
        return words(lines[-1], LONGEST_ERROR // 2) if lines else ""

    @contextmanager
    def listening(self) -> Iterator[TextIO]:
        """A file for a process to write to, as much as it likes."""
        reading, writing = os.pipe()
        threading.Thread(target=self._read, args=(reading,), daemon=True).start()
        with os.fdopen(writing, "w") as out:
            yield out

    def _read(self, end: int) -> None:
        with os.fdopen(end, "rb", buffering=0) as pipe:
            while piece := pipe.read(4096):
                self._kept.append(piece)
