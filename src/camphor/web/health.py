"""What the health routes share: a phone with its health database, and messages in the words of the pages."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any, TypeVar

from fastapi import Path, Request, Response
from fastapi.routing import APIRoute
from pydantic import WithJsonSchema

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase
from camphor.errors import CamphorError
from camphor.health.assistant import CLINIC
from camphor.web.problems import Conflict
from camphor.web.services import services_of

_Kept = TypeVar("_Kept")
_LOCK = threading.Lock()
Number = Annotated[int, Path(ge=0, le=2**53)]
LocalTime = Annotated[datetime, WithJsonSchema({"type": "string", "format": "date-time-local"})]
"""A moment on the phone's clock. It has no time zone, which the format `date-time` would ask for."""

_COMMANDS = {
    "sos start": "the button Call for help, under Emergency",
    "contacts add": "Add a contact, under Emergency",
    "outbox": "the messages under Emergency",
    "prescription": "Read it, under Medicines",
    "medicines": "your medicines, under Medicines",
    "doses": "the doses under Medicines",
    "taken": "Taken, under Medicines",
    "import": "Take in a file, under Vitals",
    "watch": "the simulated watch",
    "talk": "Talk about it, under Appointments",
    "appointments list": "your appointments",
}
_COMMAND = re.compile(
    rf" ?\bcamphor health ({'|'.join(_COMMANDS)})\b(?: (?:--?[a-z]+|'[^']*'|[A-Z]+|\d+)(?= |$|[.,;]))*"
)
_OPTIONS = (
    ("Add --another if you did take another one", "Say that it was another one if it was"),
    ("or add --another if it was so", "or say that it was another one if it was so"),
    ("; add --despite to keep it all the same", ""),
    (": name those of the prescription, as  --pages 1-2", ": say which those of the prescription are, as 1-2"),
)


def in_words(text: str) -> str:
    """A message of the lower floors, which names commands, with the places of the page Health instead."""
    for option, words in _OPTIONS:
        text = text.replace(option, words)
    return _COMMAND.sub(lambda found: _COMMANDS[found[1]], text).replace("   ", " ").replace("  .", ".")


class HealthRoute(APIRoute):
    """A route whose faults speak of the page, not of the command line."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def told(request: Request) -> Response:
            try:
                return await handle(request)
            except CamphorError as error:
                error.args = (in_words(str(error)),)
                raise

        return told


@contextmanager
def health_of(request: Request, phone: str) -> Iterator[tuple[Device, HealthDatabase]]:
    """A phone and its health database, which is closed at the end.

    Raises:
        NotFound: there is no such phone. StoreError: one of them cannot be read or written.
    """
    device = services_of(request).phone(phone)
    with HealthDatabase.of(device.path) as database:
        yield device, database


def clinic_phone(request: Request, phone: str) -> Device:
    """A phone with the clinic app. Raises NotFound: there is none. Conflict: it has no clinic app."""
    device = services_of(request).phone(phone)
    if CLINIC not in device.apps:
        raise Conflict("This phone has no clinic app: choose a phone that has one, or add the demo phone")
    return device


def of_server(request: Request, name: str, make: Callable[[], _Kept]) -> _Kept:
    """What the server has one of, made when it is first asked for."""
    with _LOCK:
        if not hasattr(request.app.state, name):
            setattr(request.app.state, name, make())
        found: _Kept = getattr(request.app.state, name)
        return found
