"""A phone with ambulances and contacts, a clock to set, and services that take messages."""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from camphor.device.device import Device
from camphor.device.health.outbox import TO_OTHERS, Channel, Message
from camphor.health.emergency.delivery import Handed, HandOverOutcome

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "leah",
    "owner": "Leah Lima",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "location": {"latitude": 53.34, "longitude": -6.26, "formatted_address": "12 Dame St, Dublin"},
    "apps": {
        "contacts": {"people": [{"name": "Leah Lima", "phone_number": "+353 85 555 0100", "is_self": True}]},
        "clinic": {
            "profile": {"user_id": "EORZ618635"},
            "ambulances": [
                {"ambulance_id": "FAR", "phone_no": "+353 1 555 0901", "latitude": 53.0, "longitude": -6.0},
                {"ambulance_id": "NEAR", "phone_no": "+353 1 555 0902", "latitude": 53.35, "longitude": -6.25},
                {"ambulance_id": "NEARER", "phone_no": "+353 1 555 0903", "latitude": 53.34, "longitude": -6.26,
                 "assigned": "OTHER"},
            ],
            "emergency_contacts": [
                {"name": "Rui Lima", "phone_number": "+353 (0)85 555 0101", "email": "rui@example.org"},
                {"name": "Ana Sousa", "phone_number": "", "email": "ana@example.org"},
                {"name": "Old Mr Finch"},
            ],
        },
    },
}  # fmt: skip

NEAR, RUI = "+35315550902", "+353855550101"
SMS, BOTH = frozenset([Channel.SMS]), frozenset(TO_OTHERS)


def phone(**changes: Any) -> Device:
    """The phone in memory; `ambulances` and `emergency_contacts` replace the clinic's, anything else the phone's."""
    data = copy.deepcopy(PHONE)
    for name, value in changes.items():
        (data["apps"]["clinic"] if name in data["apps"]["clinic"] else data)[name] = value
    return Device.create(None, data)


class Clock:
    """Epoch seconds that pass when slept."""

    def __init__(self) -> None:
        self.now = 1_773_305_100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Service:
    """A delivery that gives these outcomes, then takes everything; what it was given is kept."""

    def __init__(self, *outcomes: HandOverOutcome, channels: frozenset[Channel] = SMS) -> None:
        self.channels, self.given = channels, list[Message]()
        self._outcomes, self._lock = list(outcomes), threading.Lock()

    def hand_over(self, message: Message) -> Handed:
        with self._lock:
            self.given.append(message)
            outcome = self._outcomes.pop(0) if self._outcomes else HandOverOutcome.TAKEN
        return Handed(outcome, "" if outcome is HandOverOutcome.TAKEN else "the service said so")

    @property
    def told(self) -> list[str]:
        """Names of those who were told, in order."""
        return [message.draft.recipient for message in self.given]


class Server(ThreadingHTTPServer):
    """A service on this machine: keeps path and message of each post and answers with these statuses, then with 200.

    A status 0 takes the message and never answers.
    """

    def __init__(self, *statuses: int) -> None:
        super().__init__(("127.0.0.1", 0), _Post)
        self.posts: list[tuple[str, str]] = []
        self.statuses, self.lock = list(statuses), threading.Lock()
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"json://127.0.0.1:{self.server_port}/{{to}}"


class _Post(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.posts.append((self.path, body["message"]))
            status = self.server.statuses.pop(0) if self.server.statuses else 200
        if status == 0:
            self.server.released.wait(60)
            return
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serving(*statuses: int) -> Iterator[Server]:
    server = Server(*statuses)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
