"""One request to a server over HTTP: how long it may take, when it is tried again, and how it is broken off.

No proxy and no other setting is read from the environment, and no redirect is followed: what is sent goes to the
address that was configured and nowhere else. Each request has a connection of its own, so breaking one off costs no
other anything.
"""

from __future__ import annotations

import contextlib
import email.utils
import functools
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import httpx

MOST_BYTES = 8_000_000
"""Of a body that is read whole, and of one event of a stream."""
MOST_STREAMED = 64_000_000
"""Of a stream: each token comes with some 250 bytes around it."""
ATTEMPTS = 4
LONGEST_PAUSE = 30.0
_BUSY = frozenset({429, 502, 503, 504})
_ERROR_BYTES = 64_000


@dataclass(frozen=True)
class Timeouts:
    """Limits in seconds: of a whole answer with all its repetitions, of connecting, of waiting for the first byte of
    an answer (a long prompt is read before), and of waiting for each further one. `pause` is how long is waited before
    a busy server is asked again, doubled each time."""

    whole: float = 600.0
    connect: float = 10.0
    first: float = 300.0
    between: float = 60.0
    pause: float = 0.5


class Slow(Exception):
    """A limit was reached; the text says which."""


class Stopped(Exception):
    """Somebody broke the request off."""


class Dropped(Exception):
    """The connection ended too early; the text says how."""


class Unreachable(Exception):
    """There is no connection. `tls` says that somebody answers, whose certificate or protocol is not right."""

    def __init__(self, why: str, *, tls: bool = False) -> None:
        self.tls = tls
        super().__init__(why)


class TooLarge(Exception):
    """More bytes than are taken."""


class Watch:
    """Ends a request when its time is over, whatever the thread that reads it is waiting for.

    The limits of httpx are those of one read each: a server that sends a byte a second never meets them. So the socket
    is shut down from another thread, which is also how a request is broken off from outside.
    """

    def __init__(self, whole: float, between: float = 60.0) -> None:
        self.between = between
        """Seconds that each further byte may take."""
        self._end = time.monotonic() + whole
        self._limit, self._limit_is = self._end, f"{whole:g} seconds"
        self._changed = threading.Condition()
        self._socket: socket.socket | None = None
        self._over: Exception | None = None
        self._done = False
        self._whole = whole

    def __enter__(self) -> Self:
        threading.Thread(target=self._wait, name="camphor-request-watch", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._done, self._socket = True, None
            self._changed.notify()

    @property
    def left(self) -> float:
        return self._end - time.monotonic()

    @property
    def limit(self) -> str:
        """The limit that holds now, in words."""
        return self._limit_is

    def allow(self, seconds: float) -> None:
        """From now on the next byte has this long to come, within the whole."""
        with self._changed:
            limit = time.monotonic() + seconds
            self._limit, self._limit_is = min((limit, f"{seconds:g} seconds"), (self._end, f"{self._whole:g} seconds"))
            self._changed.notify()

    def break_off(self) -> None:
        with self._changed:
            self._over = self._over or Stopped()
            self._shut()
            self._changed.notify()

    def check(self) -> None:
        """Raises Slow or Stopped where the request is over by now: a shut socket looks like an answer's end."""
        if self._over is not None:
            raise self._over

    def pause(self, seconds: float) -> None:
        """Wait; raises as `check`."""
        until = time.monotonic() + seconds
        with self._changed:
            self._limit = self._end
            while self._over is None and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
        self.check()

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """What httpx tells of its work: the socket is taken from it, and again when it has been wrapped for TLS."""
        if event not in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            return
        stream = info.get("return_value")
        with self._changed:
            self._socket = stream.get_extra_info("socket") if stream is not None else None
            if self._over is not None:
                self._shut()

    def _wait(self) -> None:
        with self._changed:
            while not self._done and self._over is None:
                left = self._limit - time.monotonic()
                if left <= 0:
                    self._over = Slow(self._limit_is)
                    self._shut()
                    self._changed.notify()
                else:
                    self._changed.wait(left)

    def _shut(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):  # it is closed already
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)  # past TLS, whose own farewell could wait


@dataclass(frozen=True)
class Answer:
    """A status, and a body that arrives piece by piece."""

    status: int
    pieces: Iterator[bytes]

    def body(self, most: int = MOST_BYTES) -> bytes:
        """The whole body. Raises TooLarge."""
        data = bytearray()
        for piece in self.pieces:
            data += piece
            if len(data) > most:
                raise TooLarge
        return bytes(data)


class Connection:
    """Sends requests to the addresses under one URL.

    Args:
        key: sent as a bearer token.
    """

    def __init__(self, url: str, key: str | None, timeouts: Timeouts) -> None:
        self.url, self._timeouts = url, timeouts
        self._headers = {
            "Accept": "text/event-stream, application/json",
            "Accept-Encoding": "identity",  # a compressed piece could be a thousand times its size
            "Connection": "close",
            "User-Agent": "camphor",
            **({"Authorization": f"Bearer {key}"} if key is not None else {}),
        }
        self._answered = False
        self._watches: set[Watch] = set()

    @contextlib.contextmanager
    def watch(self, whole: float | None = None) -> Iterator[Watch]:
        """The time that one answer may take, all its requests together."""
        with Watch(whole or self._timeouts.whole, self._timeouts.between) as watch:
            self._watches.add(watch)
            try:
                yield watch
            finally:
                self._watches.discard(watch)

    def break_off(self) -> None:
        """End all requests that are under way: each raises Stopped where it is waited for."""
        for watch in tuple(self._watches):
            watch.break_off()

    @contextlib.contextmanager
    def send(self, method: str, path: str, body: bytes | None, watch: Watch) -> Iterator[Answer]:
        """The server's answer, whose first byte is here. Leaving the block early closes the connection at once.

        A server that is busy, or that drops the connection before the first byte, is asked again a few times, after
        the pause that it asks for if that is bearable; one that never answered and refuses the connection is not.

        Raises:
            Slow, Stopped, Dropped, Unreachable: also while the body is read.
        """
        for attempt in range(ATTEMPTS):
            last = attempt == ATTEMPTS - 1
            pause = self._timeouts.pause * 2**attempt
            with contextlib.ExitStack() as opened:
                try:
                    response, first = self._open(opened, method, path, body, watch)
                except (Dropped, Unreachable) as error:
                    hopeless = isinstance(error, Unreachable) and (error.tls or not self._answered)
                    if last or hopeless or pause > watch.left:
                        raise
                else:
                    self._answered = True
                    if response.status_code in _BUSY and not last:
                        data = _some(first, _ERROR_BYTES)
                        pause = max(pause, _asked_pause(response.headers.get("Retry-After", "")))
                        if b"quota" in data or pause > min(LONGEST_PAUSE, watch.left):
                            yield Answer(response.status_code, iter((data,)))
                            return
                    else:
                        yield Answer(response.status_code, first)
                        return
            watch.pause(pause)

    def _open(
        self, opened: contextlib.ExitStack, method: str, path: str, body: bytes | None, watch: Watch
    ) -> tuple[httpx.Response, Iterator[bytes]]:
        watch.check()
        left = max(watch.left, 0.001)
        client = opened.enter_context(
            httpx.Client(
                trust_env=False,
                follow_redirects=False,
                verify=_context(self.url.startswith("https:")),
                timeout=httpx.Timeout(left, connect=min(self._timeouts.connect, left)),
                headers=self._headers,
            )
        )
        watch.allow(left)
        extensions = {"trace": functools.partial(self._trace, watch)}
        headers = {"Content-Type": "application/json"} if body is not None else {}
        with _told(watch):
            response = opened.enter_context(
                client.stream(method, self.url + path, content=body, headers=headers, extensions=extensions)
            )
            pieces = response.iter_raw()
            first = next(pieces, b"")
        watch.check()
        return response, self._rest(first, pieces, watch)

    def _trace(self, watch: Watch, event: str, info: Mapping[str, Any]) -> None:
        watch.trace(event, info)
        if event.endswith(
            "send_request_headers.started"
        ):  # the connection stands: from here on the server has the word
            watch.allow(self._timeouts.first)

    def _rest(self, piece: bytes | None, pieces: Iterator[bytes], watch: Watch) -> Iterator[bytes]:
        while piece is not None:
            watch.allow(watch.left)  # what is done with a piece is not the server's time
            yield piece
            watch.allow(watch.between)
            with _told(watch):
                piece = next(pieces, None)
            watch.check()


@contextlib.contextmanager
def _told(watch: Watch) -> Iterator[None]:
    """What httpx raises, in our own words; what the watch knows better comes first."""
    try:
        yield
    except httpx.TimeoutException as error:
        watch.check()
        if isinstance(error, httpx.ConnectTimeout):
            raise Unreachable("it does not answer") from None
        raise Slow(watch.limit) from None
    except httpx.ConnectError as error:
        watch.check()
        broken = next((each for each in _causes(error) if isinstance(each, ssl.SSLError)), None)
        if broken is not None:
            raise Unreachable(_tls_reason(broken), tls=True) from None
        raise Unreachable(reason(error)) from None
    except (httpx.TransportError, httpx.StreamError, OSError) as error:
        watch.check()
        raise Dropped(reason(error)) from None


@functools.cache
def _context(secure: bool) -> ssl.SSLContext:
    """What certificates are checked with: those the system trusts and, as some systems have none, those of certifi."""
    if not secure:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # never used; it trusts nobody
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def reason(error: BaseException) -> str:
    """Why, in the system's own words where there are any, on one line."""
    system = next((each for each in _causes(error) if isinstance(each, OSError) and each.strerror), None)
    text = str(system.strerror if isinstance(system, OSError) else error) or type(error).__name__
    return " ".join(text.split())[:150]


def _tls_reason(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {' '.join(error.verify_message.split())[:150]}"
    return f"it does not speak TLS: {' '.join(str(error.reason or error).split())[:100].replace('_', ' ').lower()}"


def _asked_pause(text: str) -> float:
    """Seconds of a Retry-After header, which may be a date; 0 where it says nothing."""
    with contextlib.suppress(ValueError):
        return max(0.0, float(text))
    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    return 0.0


def _some(pieces: Iterable[bytes], most: int) -> bytes:
    data = bytearray()
    for piece in pieces:
        data += piece
        if len(data) >= most:
            break
    return bytes(data[:most])
