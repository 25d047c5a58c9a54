"""All that one emergency on a phone needs, put together: its state, its outbox, and what brings messages away.

A database that cannot be used must keep nobody from calling for help: then messages are kept in memory, and `problem`
says so.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from camphor.device.health.database import HealthDatabase, health_file
from camphor.device.health.outbox import Draft, Message
from camphor.errors import CamphorError, StoreError
from camphor.health.emergency.courier import Courier
from camphor.health.emergency.delivery import Delivery
from camphor.health.emergency.plan import other_way
from camphor.health.emergency.sos import Emergency, Report

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

    def start(self, dry_run: bool = False) -> tuple[Desk, Report]:
        """Begins the emergency, in memory where the database takes nothing; the desk that then holds it."""
        try:
            return self, self.emergency.start(dry_run)
        except StoreError as error:
            desk = Desk.made(self.phone, HealthDatabase(None), self.delivery, in_memory(error))
            return desk, desk.emergency.start(dry_run)

    def now(self, report: Report) -> Report:
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


def report_json(report: Report, problems: list[str]) -> dict[str, Any]:
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


def _draft(draft: Draft) -> dict[str, Any]:
    return {
        "role": draft.role, "to": draft.recipient, "channel": draft.channel.value, "address": draft.address,
        "text": draft.text,
    }  # fmt: skip
