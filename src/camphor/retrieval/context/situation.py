"""When and where a query is asked, and what is on the screen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from camphor.device.usage_events import seconds


@dataclass(frozen=True)
class Situation:
    """The moment of a query.

    Attributes:
        now: the device's clock, naive local time.
        place: where the person is, by the name that usage events use ("work"); empty where it is not known.
        screen: plain text of what the screen shows.
        activity: lines of what was done lately, oldest first.
    """

    now: datetime
    place: str = ""
    screen: str = ""
    activity: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """The clock in seconds, on the scale of the moments of items and of usage signals."""
        return seconds(self.now)
