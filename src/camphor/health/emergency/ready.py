"""Whether an SOS would reach anybody, and how it is set up: with a test message that a service took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from camphor.device.health.outbox import TO_OTHERS, Channel, Draft, Message, MessageState
from camphor.errors import CamphorError, UsageError
from camphor.health.emergency.delivery import AppriseDelivery, Handed, Outcome, understood
from camphor.health.emergency.plan import number_of, plan, scene_of
from camphor.health.emergency.settings import TO, read_settings, set_way

if TYPE_CHECKING:
    from camphor.device.device import Device

TEST = "This is a test of camphor. In an emergency I would tell you here where I am. Nothing is wrong."


@dataclass(frozen=True)
class Ready:
    """What an SOS on a phone would do now.

    Args:
        reached: names of those who would be told by a way that was tested. missing: what is to be done before anybody
        is, in sentences. ways: each way that is set up, and when it was tested ("" never).
    """

    reached: tuple[str, ...]
    missing: tuple[str, ...]
    ways: dict[str, str]

    @property
    def ready(self) -> bool:
        return bool(self.reached)


def readiness(device: Device, settings: Path) -> Ready:
    """Whether an SOS on the phone would reach anybody. Raises: StoreError."""
    missing: list[str] = []
    try:
        ways = read_settings(settings).ways
        if ways:
            AppriseDelivery({channel: way.url for channel, way in ways.items()}).prepare()
    except CamphorError as error:
        return Ready((), (str(error),), {})
    tested = frozenset(channel for channel, way in ways.items() if way.tested)
    if not ways:
        missing.append("Nothing sends messages yet: say which service sends your text messages or e-mails, and test it")
    elif not tested:
        missing.append("No test message has gone out yet: send one to yourself or to a contact")
    recipients = plan(scene_of(device), frozenset(ways)).recipients
    if not recipients:
        missing.append("Nobody is there to be told: add an emergency contact")
    elif tested and not any(each.channel in tested for each in recipients):
        missing.append("Nobody can be told by a way that was tested: give a contact such a number or address")
    reached = tuple(each.name for each in recipients if each.channel in tested)
    return Ready(reached, tuple(missing), {channel.value: way.tested for channel, way in ways.items()})


def set_up(settings: Path, channel: Channel, url: str, to: str) -> Handed:
    """Sets up how messages to others leave, and sends a test message; it counts once the service took it.

    A URL whose test fails is kept, to be tried again; but never in the place of one that was tested.

    Args:
        url: of apprise, with {to}; "" tests the one that is set up. to: who gets the test.

    Raises:
        UsageError: the URL or the address is none. MissingExtra: apprise is not installed.
    """
    if channel not in TO_OTHERS:
        raise UsageError("Messages to others leave as sms or email")
    known = read_settings(settings).ways.get(channel)
    url = url.strip() or (known.url if known else "")
    if not url:
        raise UsageError(f"No service for {channel.value} is set up: say its url, as docs/emergency.md shows")
    address = number_of(to) if channel is Channel.SMS else to.strip()
    if not address or (channel is Channel.EMAIL and "@" not in address):
        raise UsageError("Say who gets the test message: a phone number for sms, an address for email")
    if TO not in url:
        raise UsageError(f"The url has no {TO}: write that where the number or address of each reader belongs")
    if "://" not in url or not understood(url):
        raise UsageError(f"apprise does not understand the url of {channel.value}: its wiki lists services and urls")
    before = known.tested if known and known.url != url else ""
    if not before and (known is None or known.url != url):
        set_way(settings, channel, url)
    draft = Draft("test", "test", "test", "test", channel, address, TEST)
    handed = AppriseDelivery({channel: url}).hand_over(Message(0, draft, MessageState.SENDING, 1, 0, 0, 0, ""))
    if handed.outcome is Outcome.TAKEN:
        # the machine's clock: that of a demo phone stands still
        set_way(settings, channel, url, datetime.now().isoformat(sep=" ", timespec="minutes"))
        return handed
    stays = f"the one tested {before} stays set up" if before else "the url is kept, and not ready yet"
    return Handed(handed.outcome, f"The test message did not go out: {handed.problem}; {stays}")


def not_told(messages: Sequence[Message]) -> list[str]:
    """Names of those of whom it is not certain that a message to them was taken, by whichever way."""
    taken = {(each.draft.recipient, each.draft.text) for each in messages if each.state is MessageState.SENT}
    told = (MessageState.SENT, MessageState.WITHDRAWN)
    lost = (each.draft for each in messages if each.state not in told)
    return list(dict.fromkeys(each.recipient for each in lost if (each.recipient, each.text) not in taken))
