"""Who may speak to the server: host names, sessions, the way in, forged requests, sizes, and what pages may load.

One plain ASGI layer around everything, so that the event stream is never buffered.

- Host: only names that the server was started with, or of the loopback interface, against DNS rebinding.
- A session is a signed cookie, HttpOnly and SameSite=Strict, that says whether the browser was let in: by the one-time
  address that the server told its terminal, or by the pass code. The loopback interface is no proof of anything: every
  account of the machine reaches it.
- Programs send the key that lies in a file of the person who started the server. Under `/v1`, where a model is and no
  phone, they send another key, as a bearer token; it opens nothing else, and no session opens what is there.
- Anything but GET, HEAD and OPTIONS needs the session's token in `X-CSRF-Token`, and an `Origin`, if any, that is the
  host.
- Pages may load scripts, styles, images and data of this server alone; nothing inline runs; nobody may frame them.
"""

from __future__ import annotations

import hmac
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from itsdangerous import BadSignature, URLSafeSerializer

from camphor.web.problems import (
    API,
    MEDIA_TYPE,
    CodeNeeded,
    Conflict,
    Forbidden,
    KeyNeeded,
    NotEntered,
    Problem,
    TooLarge,
    TooMany,
    body,
    openai_error,
)


class Entrance:
    """The ticket in the one-time address, and the key.

    Args:
        key: what programs send in `X-Camphor-Key`; "" lets none in.
        told: hears the new ticket each time that one was used, for the next browser.
        api_key: what programs send as a bearer token under `/v1`, where there is no phone; "" lets none in.
    """

    def __init__(self, key: str = "", told: Callable[[str], None] = lambda _: None, api_key: str = "") -> None:
        self._key, self._told, self._api_key, self._lock = key, told, api_key, Lock()
        self.ticket = secrets.token_urlsafe(24)

    def take(self, ticket: str) -> None:
        """Use the ticket up. Raises NotEntered: it was used before, or never was one."""
        with self._lock:
            if not hmac.compare_digest(ticket.encode(), self.ticket.encode()):
                raise NotEntered()
            self.ticket = secrets.token_urlsafe(24)
        self._told(self.ticket)

    def is_key(self, key: str) -> bool:
        return bool(self._key) and hmac.compare_digest(key.encode(), self._key.encode())

    def is_api_key(self, authorization: str) -> bool:
        expected = f"Bearer {self._api_key}".encode()
        return bool(self._api_key) and hmac.compare_digest(authorization.encode(), expected)


def no_entry() -> str:
    """The page for a browser that was not let in. It is no template: it must say nothing of this phone."""
    return (files("camphor") / "web" / "templates" / "no-entry.html").read_text(encoding="utf-8")


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE, TOKEN, KEY = "camphor", "x-csrf-token", "x-camphor-key"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
OPEN = ("/static/", "/favicon.ico", "/enter/")
"""What is served to everybody who reaches the server: files of the package, and the way in."""
OPEN_FOR_CODE = ("/welcome/code", "/api/session")
"""And where there is a pass code: where it is told."""
LARGEST, LARGEST_UPLOAD = 256 * 1024, 32 * 1024 * 1024  # bytes
UPLOADS = ("/api/devices/import", "/api/health/prescriptions", "/api/health/import", "/api/health/cards")
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_TRIES, _PAUSE = 5, 30.0  # wrong pass codes, and seconds that then pass
_HEADERS = (
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), microphone=(), geolocation=(), payment=()"),
)


class Guard:
    """The layer.

    Args:
        app: what it guards. hosts: names besides the loopback's under which the server may be called.
        pass_code: what must be told once by each browser; "" for none.
        secret: signs cookies; a new one ends all sessions.
        entrance: the one-time address and the key of programs; without one only the pass code lets anybody in.
    """

    def __init__(
        self,
        app: App,
        hosts: Iterable[str] = (),
        pass_code: str = "",
        secret: str = "",
        entrance: Entrance | None = None,
    ) -> None:
        self._app, self._hosts, self._code = app, frozenset((*LOOPBACK, *hosts)), pass_code
        self._entrance = entrance or Entrance()
        secret = secret or secrets.token_urlsafe(32)
        # sessions of before there was a way in are none
        self._signer, self._key = URLSafeSerializer(secret, salt="entered"), secret.encode()
        self._wrong: list[float] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        if scope["path"].startswith(API):
            await self._api(scope, receive, send, headers)
            return
        session, fresh = self._session(headers.get("cookie", ""))
        scope["session"], scope["csrf"], scope["guard"] = session, self.token(session), self
        page = not scope["path"].startswith("/api/")
        try:
            self._check(scope, headers, session)
            bounded = _bounded(receive, headers, LARGEST_UPLOAD if scope["path"].startswith(UPLOADS) else LARGEST)
        except CodeNeeded as problem:  # a person is led to where the code is asked for
            await (_redirect(send, "/welcome/code") if page else _refuse(send, problem))
            return
        except NotEntered as problem:
            await (_send(send, 401, "text/html; charset=utf-8", no_entry()) if page else _refuse(send, problem))
            return
        except Problem as problem:
            await _refuse(send, problem)
            return
        await self._app(scope, bounded, self._dressed(scope, send, fresh))

    async def _api(self, scope: Scope, receive: Receive, send: Send, headers: dict[str, str]) -> None:
        """A request of a program for a model: no session, no cookie, and faults in OpenAI's form."""
        try:
            self._check_host(headers.get("host", ""))
            if not self._entrance.is_api_key(headers.get("authorization", "")):
                raise KeyNeeded()
            bounded = _bounded(receive, headers, LARGEST)
        except Problem as problem:
            told = json.dumps(openai_error(problem.status, problem.code, str(problem)))
            await _send(send, problem.status, "application/json", told)
            return
        await self._app(scope, bounded, send)

    def token(self, session: MutableMapping[str, Any]) -> str:
        """What requests of the session that change something must carry."""
        return hmac.new(self._key, str(session["id"]).encode(), "sha256").hexdigest()

    def enter(self, session: MutableMapping[str, Any], code: str) -> None:
        """Let the session in. Raises Forbidden: the code is wrong. TooMany: too often. Conflict: there is none."""
        now = time.monotonic()
        self._wrong = [at for at in self._wrong if now - at < _PAUSE]
        if len(self._wrong) >= _TRIES:
            raise TooMany(f"{_TRIES} wrong pass codes: wait {_PAUSE:.0f} seconds, then try again")
        if not self._code:
            raise Conflict("This server has no pass code: open the address that it printed in its terminal")
        if not hmac.compare_digest(code.encode(), self._code.encode()):
            self._wrong.append(now)
            raise Forbidden("This is not the pass code: it is the one that the server was started with")
        session["in"] = True

    def admit(self, session: MutableMapping[str, Any], ticket: str) -> None:
        """Let the session in whose browser came by the one-time address. Raises NotEntered: it is used or wrong."""
        if not session.get("in"):  # the address once more, in the browser that has used it
            self._entrance.take(ticket)
            session["in"] = True

    def _session(self, cookies: str) -> tuple[MutableMapping[str, Any], bool]:
        try:
            held = SimpleCookie(cookies).get(COOKIE)
            session = self._signer.loads(held.value) if held else None
        except (BadSignature, CookieError):
            session = None
        if isinstance(session, dict) and "id" in session:
            return session, False
        return {"id": secrets.token_urlsafe(18), "in": False}, True

    def _check(self, scope: Scope, headers: dict[str, str], session: MutableMapping[str, Any]) -> None:
        host = headers.get("host", "")
        self._check_host(host)
        program = self._entrance.is_key(headers.get(KEY, ""))
        open_ = (*OPEN, *OPEN_FOR_CODE) if self._code else OPEN
        if not program and not session.get("in") and not scope["path"].startswith(open_):
            raise CodeNeeded("This server asks for its pass code first") if self._code else NotEntered()
        if scope["method"] in _SAFE or program:  # no page of another site knows the key
            return
        origin = headers.get("origin")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") or (
            origin is not None and urlsplit(origin).netloc != host
        ):
            raise Forbidden("The request comes from another site")
        if not hmac.compare_digest(headers.get(TOKEN, "").encode(), self.token(session).encode()):
            raise Forbidden("The token of the session is missing: GET /api/session, and send it as X-CSRF-Token")

    def _check_host(self, host: str) -> None:
        if _name(host) not in self._hosts:
            raise Forbidden(
                f"The server is not called {host[:80]!r}: open it under the address that it was started with"
            )

    def _dressed(self, scope: Scope, send: Send, fresh: bool) -> Send:
        before = dict(scope["session"])
        # a picture that a browser asks for beside a page begins no session: it would end the one that the page begins
        cached = scope["path"].startswith(("/static/", "/favicon.ico"))

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                headers += [(key.encode(), value.encode()) for key, value in _HEADERS]
                if not any(key.lower() == b"cache-control" for key, _ in headers):
                    headers.append((b"cache-control", b"max-age=3600" if cached else b"no-store"))
                if (fresh and not cached) or scope["session"] != before:
                    value = self._signer.dumps(dict(scope["session"]))
                    cookie = f"{COOKIE}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
                    headers.append((b"set-cookie", cookie.encode()))
                message = {**message, "headers": headers}
            await send(message)

        return dressed


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "") if host else ""
    except ValueError:
        return ""


def _bounded(receive: Receive, headers: dict[str, str], limit: int) -> Receive:
    """`receive` that ends a body longer than the limit. Raises TooLarge: its length says so already."""
    told = headers.get("content-length", "0")
    if told.isdigit() and int(told) > limit:
        raise TooLarge(f"The request has {int(told):,} bytes and at most {limit:,} are taken")
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > limit:
                raise TooLarge(f"The request has more than {limit:,} bytes, the most that are taken")
        return message

    return bounded


async def _refuse(send: Send, problem: Problem) -> None:
    await _send(send, problem.status, MEDIA_TYPE, json.dumps(body(problem.status, problem.code, str(problem))))


async def _send(send: Send, status: int, kind: str, text: str) -> None:
    headers = [(b"content-type", kind.encode()), (b"cache-control", b"no-store")]
    headers += [(key.encode(), value.encode()) for key, value in _HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})


async def _redirect(send: Send, path: str) -> None:
    headers = [(b"location", path.encode()), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
