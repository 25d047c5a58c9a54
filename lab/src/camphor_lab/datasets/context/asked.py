"""When people ask: moments of a life's last week at which a query about a thread is plausible."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random

from camphor_lab.datasets.context.lives import Life, Thread

Asked = Callable[[Life, Thread, Random], datetime | None]
_HOURS = (7, 7, 8, 8, 9, 10, 11, 12, 12, 13, 14, 15, 16, 17, 17, 18, 18, 19, 19, 20, 20, 21, 21, 22)


_AT_ONCE = 5  # minutes after a use in which the person is surely awake
_WAKING = (6.5, 23.5)  # hours


def _inside(life: Life, moment: datetime) -> datetime | None:
    return moment if life.window <= moment <= life.end else None


def _waking(moment: datetime) -> bool:
    return _WAKING[0] <= moment.hour + moment.minute / 60 < _WAKING[1]


def _from(moments: list[datetime], rng: Random) -> datetime | None:
    return rng.choice(moments) if moments else None


def awake(life: Life, thread: Thread, rng: Random) -> datetime | None:
    """Some waking hour."""
    days = (life.end - life.window).days
    day = life.end - timedelta(days=rng.randrange(days + 1))
    moment = day.replace(hour=rng.choice(_HOURS), minute=rng.randrange(60), second=0, microsecond=0)
    return _inside(life, moment)


def before_event(least: float, most: float) -> Asked:
    """So many minutes before one of the thread's events, negative for after its begin."""

    def propose(life: Life, thread: Thread, rng: Random) -> datetime | None:
        events = [life.items[item] for item in thread.items if life.items[item].role == "event"]
        starts = [datetime.fromisoformat(str(event.fields["start"])) for event in events]
        moments = [start - timedelta(minutes=round(rng.uniform(least, most))) for start in starts]
        return _from([moment for moment in moments if _inside(life, moment) and _waking(moment)], rng)

    return propose


def at_use(least: float, most: float, *roles: str) -> Asked:
    """So many minutes after a use of one of the thread's items, negative for before it; long after, only if awake."""

    def propose(life: Life, thread: Thread, rng: Random) -> datetime | None:
        items = [item for item in thread.items if not roles or life.items[item].role in roles]
        uses = [use.at for item in items for use in life.used(item, life.end + timedelta(days=1))]
        moments = [at + timedelta(minutes=round(rng.uniform(least, most), 1)) for at in uses]
        inside = [moment.replace(second=0) for moment in moments if _inside(life, moment)]
        return _from([moment for moment in inside if most <= _AT_ONCE or _waking(moment)], rng)

    return propose


def at_due(least: float, most: float) -> Asked:
    """So many minutes after one of the thread's reminders is due, negative for before."""

    def propose(life: Life, thread: Thread, rng: Random) -> datetime | None:
        dues = [due for item in thread.items for due in life.items[item].dues]
        moments = [due + timedelta(minutes=round(rng.uniform(least, most))) for due in dues]
        inside = [moment for moment in moments if _inside(life, moment) and _waking(moment)]
        return _from(inside, rng)

    return propose
