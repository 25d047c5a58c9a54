"""The way into the server: an address that lets one browser in, once, and the key that programs send.

Whoever started the server reads its terminal and their own files; another account of the machine reads neither.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from importlib.resources import files
from threading import Lock

from camphor.web.problems import NotEntered


class Entrance:
    """The ticket in the one-time address, and the key.

    Args:
        key: what programs send in `X-Camphor-Key`; "" lets none in.
        told: hears the new ticket each time that one was used, for the next browser.
    """

    def __init__(self, key: str = "", told: Callable[[str], None] = lambda _: None) -> None:
        self._key, self._told, self._lock = key, told, Lock()
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


def no_entry() -> str:
    """The page for a browser that was not let in. It is no template: it must say nothing of this phone."""
    return (files("camphor") / "web" / "templates" / "no-entry.html").read_text(encoding="utf-8")
