"""All that one emergency on a phone needs, put together: its state, its outbox, and what brings messages away.

A database that cannot be used must keep nobody from calling for help: then messages are kept in memory, and `problem`
says so. And whether an SOS would reach anybody, and how it is set up: with a test message that a service took.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from camphor.device.health.database import HealthDatabase, health_file
from camphor.device.health.outbox import TO_OTHERS, Channel, Message, MessageDraft, MessageState
from camphor.errors import CamphorError, StoreError, UsageError
from camphor.health.emergency.delivery import AppriseDelivery, Courier, Delivery, Handed, HandOverOutcome, understood
from camphor.health.emergency.plan import number_of, other_way, plan, scene_of
from camphor.health.emergency.settings import TO, read_settings, set_way
from camphor.health.emergency.sos import Emergency, SosReport

if TYPE_CHECKING:
    from camphor.device.device import Device

IN_MEMORY = "The messages are kept in memory alone: pressed again, they are sent again"


@dataclass(frozen=True)
class Desk:
    """A phone's emergency, and what brings its messages away; `problem` where it is kept in memory alone."""

    phone: Device
    emergency: Emergency
    courier: Courier
    delivery: Delivery
    problem: str = ""

    @classmethod
    def made(cls, phone: Device, database: HealthDatabase, delivery: Delivery, problem: str = "") -> Desk:
        emergency = Emergency(phone, database, time.time, delivery.channels)
        other = partial(other_way, phone, channels=delivery.channels)
        courier = Courier(emergency.outbox, delivery, time.time, other_way=other)
        return cls(phone, emergency, courier, delivery, problem)

    def start(self, dry_run: bool = False) -> tuple[Desk, SosReport]:
        """Begins the emergency, in memory where the database takes nothing; the desk that then holds it."""
        try:
            return self, self.emergency.start(dry_run)
        except StoreError as error:
            desk = Desk.made(self.phone, HealthDatabase(None), self.delivery, in_memory(error))
            return desk, desk.emergency.start(dry_run)

    def now(self, report: SosReport) -> SosReport:
        """The report with its messages as they are now, and what was written beside them by other ways since."""
        if report.sos is None:
            return report
        texts = {(each.draft.recipient, each.draft.text) for each in report.messages}
        among = self.emergency.outbox.messages(report.sos.thread)
        found = tuple(each for each in among if (each.draft.recipient, each.draft.text) in texts)
        return replace(report, messages=found)


@contextmanager
def desk_of(phone: Device, delivery: Delivery, *, dry_run: bool = False, anyway: bool = False) -> Iterator[Desk]:
    """The desk of a phone; its database is closed at the end.

    Args:
        dry_run: makes no database where there is none. anyway: goes on in memory where it cannot be used.

    Raises:
        StoreError: it cannot be used, and not `anyway`.
    """
    database, problem = _database(phone, dry_run, anyway)
    with database:
        yield Desk.made(phone, database, delivery, problem)


def _database(phone: Device, dry_run: bool, anyway: bool) -> tuple[HealthDatabase, str]:
    path = health_file(phone.path)
    if dry_run and not (path and path.exists()):
        return HealthDatabase(None), ""
    try:
        return HealthDatabase(path), ""
    except CamphorError as error:
        if not anyway:
            raise
        return HealthDatabase(None), in_memory(error)


def in_memory(error: CamphorError) -> str:
    """What the person is told of it."""
    return f"{error}. {IN_MEMORY}"


def report_json(report: SosReport, problems: list[str]) -> dict[str, Any]:
    """What a step did, or would do, as JSON."""
    begun = report.sos
    return {
        "sos": begun and {
            "id": begun.id, "state": begun.state.value, "started": begun.started, "ended": begun.ended,
            "location": dict(begun.location), "ambulance": dict(begun.ambulance),
        },
        "messages": [message_json(each) for each in report.messages],
        "would_send": [_draft(each) for each in report.drafts],
        "withdrawn": report.withdrawn,
        "problems": problems,
    }  # fmt: skip


def message_json(message: Message) -> dict[str, Any]:
    """A message and what became of it."""
    told = {"state": message.state.value, "attempts": message.attempts, "problem": message.problem}
    return {"id": message.id, "written": moment(message.written), **_draft(message.draft), **told}


def moment(seconds: float) -> str:
    """Epoch seconds as people of this machine write them."""
    return datetime.fromtimestamp(seconds).astimezone().isoformat(sep=" ", timespec="seconds")


def _draft(draft: MessageDraft) -> dict[str, Any]:
    return {
        "role": draft.role, "to": draft.recipient, "channel": draft.channel.value, "address": draft.address,
        "text": draft.text,
    }  # fmt: skip


TEST = "This is a test of camphor. In an emergency I would tell you here where I am. Nothing is wrong."


@dataclass(frozen=True)
class Readiness:
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


def readiness(device: Device, settings: Path) -> Readiness:
    """Whether an SOS on the phone would reach anybody. Raises: StoreError."""
    missing: list[str] = []
    try:
        ways = read_settings(settings).ways
        if ways:
            AppriseDelivery({channel: way.url for channel, way in ways.items()}).prepare()
    except CamphorError as error:
        return Readiness((), (str(error),), {})
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
    return Readiness(reached, tuple(missing), {channel.value: way.tested for channel, way in ways.items()})


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
    draft = MessageDraft("test", "test", "test", "test", channel, address, TEST)
    handed = AppriseDelivery({channel: url}).hand_over(Message(0, draft, MessageState.SENDING, 1, 0, 0, 0, ""))
    if handed.outcome is HandOverOutcome.TAKEN:
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
