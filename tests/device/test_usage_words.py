"""Why an item counts as it does, in words."""

from __future__ import annotations

from datetime import datetime, timedelta

from camphor.device.usage_events import Cells, ItemRef, UsageEvent, screen_name
from camphor.device.usage_review import sentences

MONDAY = datetime(2026, 3, 2, 7, 10)


def used(*times: datetime, place: int | None = None) -> Cells:
    use = Cells()
    for at in times:
        use.add(UsageEvent(ItemRef("music", "songs", 0), "played", at), place, None)
    return use


def test_one_use_is_no_habit() -> None:
    assert sentences(used(MONDAY), [], [], 2026) == ["used once, on Mon 2 Mar 07:10", "played once"]


def test_a_habit_is_told_by_day_part_and_hour() -> None:
    use = used(*(MONDAY + timedelta(days=7 * week) for week in range(4)), MONDAY + timedelta(hours=40), place=1)
    told = sentences(use, ["home", "gym"], [], 2025)
    assert told[0] == "used 5 times, from Mon 2 Mar 2026 07:10 to Mon 23 Mar 2026 07:10"
    assert told[2] == "mostly on Mondays (4 of 5), in the morning (4 of 5), from 07:00 to 08:00 (4 of 5)"
    assert told[3] == "at gym 5 times"


def test_what_a_screen_is_called() -> None:
    assert screen_name("Mail: inbox, 3 new") == "Mail"
    assert screen_name("  Music\nplaying") == "Music"
    assert screen_name("") == ""
    assert len(screen_name("x" * 1000)) == 40
