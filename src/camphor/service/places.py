"""Where the person is reached, and the one delivery that serves both notices to them and messages to others.

Notifications on the desktop of this machine go by desktop-notifier; where there is none, that is said.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from camphor.device.health.outbox import Channel, Message
from camphor.errors import UsageError
from camphor.health.emergency.delivery import Delivery, Handed, HandOverOutcome, delivery_of, hand_to
from camphor.health.emergency.settings import Settings, read_settings

DESKTOP = "desktop"
_SECONDS = 10.0
_Given = TypeVar("_Given")


class Desktop:
    """The desktop that this program's person sits at. Used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._notifier: Any = None

    def problem(self) -> str:
        """Why nothing can be shown; "" where it can."""
        with self._lock:
            try:
                self._run(self._capabilities())
            except ImportError:
                return "desktop-notifier is not installed: run  pip install 'camphor[health]'"
            except Exception:  # whatever a system's own interface raises
                self._notifier = None
                return "this program finds no desktop that shows notifications"
        return ""

    def show(self, title: str, text: str, urgent: bool) -> Handed:
        """Shows it, if the desktop says so.

        The library tells a failure in its log alone, and would tell this one's caller that it was shown.
        """
        with self._lock:
            with _failures() as failed:
                try:
                    self._run(self._send(title, text, urgent))
                except Exception as error:
                    failed.append(type(error).__name__)
            if failed:
                self._notifier = None  # connected anew the next time
                return Handed(HandOverOutcome.REFUSED, "the desktop did not take it")
        return Handed(HandOverOutcome.TAKEN)

    def _made(self) -> Any:
        if self._notifier is None:
            from desktop_notifier import DesktopNotifier

            self._notifier = DesktopNotifier(app_name="camphor")
        return self._notifier

    async def _capabilities(self) -> None:
        notifier = self._made()
        await notifier.get_capabilities()
        if not await notifier.has_authorisation() and not await notifier.request_authorisation():
            raise PermissionError("the desktop allows no notifications of this program")

    async def _send(self, title: str, text: str, urgent: bool) -> None:
        notifier = self._made()
        from desktop_notifier import Urgency

        await notifier.send(title=title, message=text, urgency=Urgency.Critical if urgent else Urgency.Normal)

    def _run(self, work: Coroutine[Any, Any, _Given]) -> _Given:
        """Its connection lives in a loop of its own, which lasts as long as the program."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, daemon=True, name="desktop").start()
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_SECONDS)


@contextmanager
def _failures() -> Iterator[list[str]]:
    """What the library logs of a failure meanwhile, kept from all others: the text may be personal."""
    failed: list[str] = []

    def keep(record: logging.LogRecord) -> bool:
        if record.levelno >= logging.WARNING:
            failed.append(record.getMessage())
        return False

    logs = [logging.getLogger(f"desktop_notifier.backends.{name}") for name in ("base", "dbus", "macos", "winrt")]
    for log in logs:
        log.addFilter(keep)
    try:
        yield failed
    finally:
        for log in logs:
            log.removeFilter(keep)


@dataclass(frozen=True)
class Places:
    """What is set up, as it was read; `problem` says why it could not be.

    Args:
        shows: whether the desktop of this machine shows notifications.
    """

    settings: Settings
    others: Delivery
    desktop: Desktop
    shows: bool
    problem: str = ""

    @classmethod
    def read(cls, path: Path, desktop: Desktop, shows: bool) -> Places:
        """Broken settings never raise here: the desktop still rings, and `problem` says what is broken."""
        try:
            return cls(read_settings(path), delivery_of(path), desktop, shows)
        except UsageError as error:
            return cls(Settings(), delivery_of(path), desktop, shows, str(error))

    @property
    def names(self) -> tuple[str, ...]:
        """The places that a notice goes to."""
        own = (DESKTOP,) if self.shows and self.settings.wishes.desktop else ()
        return (*own, *self.settings.places)

    @property
    def channels(self) -> frozenset[Channel]:
        return self.others.channels | {Channel.NOTICE}

    def hand_over(self, message: Message) -> Handed:
        """Gives a notice to its place, or a message to whoever takes those to others; once."""
        draft = message.draft
        if draft.channel is not Channel.NOTICE:
            return self.others.hand_over(message)
        return self.show(draft.address, draft.recipient, draft.text)

    def show(self, place: str, title: str, text: str, urgent: bool = True) -> Handed:
        """Shows something to the person at one of the places."""
        if place == DESKTOP:
            return self.desktop.show(title, text, urgent)
        url = self.settings.places.get(place)
        if url is None:
            return Handed(HandOverOutcome.REFUSED, "this place was removed")
        return hand_to(url, title, text)


def rings(places: Places, show: Callable[[str, Handed], None], only: str | None = None) -> bool:
    """Rings each place, or one, with a test, and tells what came of it; whether one took it."""
    title, text = "camphor: a test", "If you see this, camphor can remind you here."
    taken = False
    for name in places.names if only is None else (only,):
        handed = places.show(name, title, text, urgent=False)
        taken = taken or handed.outcome is HandOverOutcome.TAKEN
        show(name, handed)
    return taken
