"""A phone's doses with a clock that the test sets."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from dateutil import tz

from camphor.device.health.database import HealthDatabase
from camphor.device.health.doses import Doses, Medicine
from camphor.health.scheduler.reminders import DoseReminders, Reminder

ZONE = tz.gettz("Europe/Dublin")
MORNING = datetime(2026, 3, 12, 7)
TWICE = {"times": ["08:00", "20:00"]}


@dataclass
class Phone:
    """Its scheduler at `now`; `shown` is what the person was shown."""

    path: Path | None = None
    now: datetime = MORNING
    shown: list[Reminder] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.doses = Doses(HealthDatabase(self.path))
        self.reminders = DoseReminders(self.doses, lambda: self.now, ZONE, self.shown.append)

    def take(self, plan: dict[str, object] = TWICE, name: str = "Metformin", **facts: object) -> Medicine:
        medicine = Medicine(name, plan, self.now.isoformat(), {"strength": "850 mg", "dose": "1 tablet", **facts})
        return self.doses.add("typed", name, [medicine], self.now)[0]

    def at(self, hour: int, minute: int = 0, day: int | None = None) -> list[Reminder]:
        """What is shown at a time."""
        self.now = self.now.replace(hour=hour, minute=minute, day=day or self.now.day)
        return self.reminders.tick()

    def after(self, **pause: float) -> list[Reminder]:
        self.now += timedelta(**pause)
        return self.reminders.tick()
