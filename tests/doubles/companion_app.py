"""camphor's companion app for a phone (the folder `phone`), as far as it is heard over adb, and apps that only look so.

It reads requests as the app does, and a test says beforehand what the person would choose.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from io import BufferedIOBase
from typing import Any

from camphor.device.android.intent import Extra, Intent, Long, Uri
from tests.doubles.adb_server import Phone

TOKEN = "0123456789abcdef" * 2
SHOWN = " ".join(TOKEN[place : place + 4] for place in range(0, len(TOKEN), 4))
"""The token as the app shows it."""
_KINDS: dict[str, Callable[[Any], Extra]] = {
    "string": str, "int": int, "long": Long, "boolean": bool, "uri": Uri, "strings": tuple, "ints": tuple,
    "uris": lambda values: tuple(map(Uri, values)),
}  # fmt: skip


class CompanionApp:
    """The app, on and listening on that phone."""

    def __init__(self, phone: Phone) -> None:
        self._phone, self._wrong = phone, 0
        self.chosen: dict[str, Any] = {}
        """What the person chooses: the answer's `result`."""
        self.refuses = ""
        """What it says in place of that, such as of a locked screen."""
        self.asked: list[dict[str, Any]] = []
        """The requests that brought the token."""
        phone.program("pm", 'case "$*" in "path org.camphor.phone") echo package:/data/app/base.apk;; *) exit 1;; esac')
        phone.sockets["camphor-phone"] = self._serve

    def off(self) -> None:
        self._phone.sockets.pop("camphor-phone", None)

    @property
    def intents(self) -> list[Intent]:
        """What it was asked to start, read as the app reads it."""
        return [intent_of(each["intent"]) for each in self.asked if "intent" in each]

    def _serve(self, reader: BufferedIOBase, writer: BufferedIOBase) -> None:
        line = reader.readline(65_537)
        if not line.endswith(b"\n"):
            return
        writer.write(json.dumps(self._answer(json.loads(line))).encode() + b"\n")

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if request.pop("token") != TOKEN:
            self._wrong += 1
            if self._wrong >= 5:
                self.off()
            return {"ok": False, "error": "wrong token"}
        self.asked.append(request)
        if "intent" not in request:
            return {"ok": True, "result": {}}
        if self.refuses:
            return {"ok": False, "error": self.refuses}
        return {"ok": True, "result": self.chosen if request["result"] else {}}


def intent_of(told: dict[str, Any]) -> Intent:
    """Raises KeyError: a key or a kind that the app does not know."""
    extras = {name: _KINDS[extra["kind"]](extra["value"]) for name, extra in told["extras"].items()}
    rest = {key: told[key] for key in ("action", "data", "type", "package")}
    return Intent(**rest, extras=extras, categories=tuple(told["categories"]))


class FalseApp:
    """Something else that has taken the app's name: it answers the same bytes to whoever comes.

    Args:
        says: the bytes, in pieces. pause: seconds before each. stays: whether it then leaves the connection open.
    """

    def __init__(self, phone: Phone, *says: bytes, pause: float = 0.0, stays: bool = False) -> None:
        self._says, self._pause, self._stays = says, pause, stays
        self.heard: list[bytes] = []
        phone.program("pm", "echo package:/data/app/base.apk")
        phone.sockets["camphor-phone"] = self._serve

    def _serve(self, reader: BufferedIOBase, writer: BufferedIOBase) -> None:
        self.heard.append(reader.readline())
        for piece in self._says:
            time.sleep(self._pause)
            writer.write(piece)
        if self._stays:
            reader.read()  # until the other side goes
