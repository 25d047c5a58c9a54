"""The report of each evening: put together, kept, and told of once; whoever runs all the time calls it often.

It looks at the phone's clock alone. An evening on which nothing ran is made up for the next day. A report that cannot
be made is said and keeps nobody from reminding of doses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, time, timedelta

from camphor.errors import CamphorError
from camphor.health.report.day import DayReport, Reports
from camphor.health.report.words import long_day, tiles

AT = time(20, 30)
"""When the day's report is told: our choice, for each person to change."""


@dataclass
class Evening:
    """Tells of the day's report, once a day.

    Args:
        reports: of the phone; tell: says something to the person; at: when, by the phone's clock.
    """

    reports: Reports
    tell: Callable[[str], None]
    at: time = AT
    _done: set[date] = field(default_factory=set)

    def __call__(self) -> DayReport | None:
        """Tells of the report that is due, if one is; that report."""
        now = self.reports.device.now
        day = now.date() if now.time() >= self.at else now.date() - timedelta(days=1)
        if day in self._done:
            return None
        self._done.add(day)
        try:
            return self._report(day)
        except CamphorError as error:
            self.tell(f"The report of {long_day(day)} could not be made: {error}")
            return None

    def _report(self, day: date) -> DayReport | None:
        reports = self.reports
        if reports.days.told(day):
            return None
        reports.finish()  # as long as the single readings of days that are over are there
        report = reports.of(day)
        if not report.empty:
            self.tell(notice(report))
        # noted afterwards: told twice after a crash is better than never
        reports.days.note_told(day, reports.now)
        return None if report.empty else report


def notice(report: DayReport) -> str:
    """What is told of a report: the day at a glance."""
    glance = "; ".join(f"{tile.name.lower()}: {tile.text}" for tile in tiles(report))
    return f"Your health report of {long_day(report.day)}. {glance}"
