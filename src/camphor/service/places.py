"""Where the person is reached, and the one delivery that serves both notices to them and messages to others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from camphor.device.health.outbox import Channel, Message
from camphor.errors import UsageError
from camphor.health.emergency.delivery import Delivery, Handed, Outcome, delivery_of, hand_to
from camphor.health.emergency.settings import Settings, read_settings
from camphor.service.desktop import Desktop

DESKTOP = "desktop"


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
            return Handed(Outcome.REFUSED, "this place was removed")
        return hand_to(url, title, text)


def rings(places: Places, show: Callable[[str, Handed], None], only: str | None = None) -> bool:
    """Rings each place, or one, with a test, and tells what came of it; whether one took it."""
    title, text = "camphor: a test", "If you see this, camphor can remind you here."
    taken = False
    for name in places.names if only is None else (only,):
        handed = places.show(name, title, text, urgent=False)
        taken = taken or handed.outcome is Outcome.TAKEN
        show(name, handed)
    return taken
