"""The use of an item in words."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from camphor.device.usage_events import ItemRef, UsageEvent
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.context.relevance import Tally
from camphor.retrieval.context.use_line import use_line

NOW = datetime(2026, 3, 12, 8, 0)  # a Thursday
CALLS, NEVER = ItemRef("contacts", "people", 0), ItemRef("contacts", "people", 1)


def used(*uses: tuple[str, timedelta, str]) -> str:
    signals = Tally().add(UsageEvent(CALLS, kind, NOW - ago, place) for kind, ago, place in uses)
    return use_line(signals, CALLS, UseSituation(NOW, "home"))


def test_kinds_times_and_places_are_counted() -> None:
    day = timedelta(days=1)
    uses = [("called", 7 * day, "home"), ("called", 3 * day + timedelta(hours=5), "work")]
    told = used(*uses, ("missed", timedelta(minutes=20), "home"))
    assert told == "3 times: called 2, missed 1; 20 minutes ago; at this hour 2; on Thursdays 2; here 2"


@pytest.mark.parametrize(
    ("ago", "told"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=119), "119 minutes ago"),
        (timedelta(hours=3), "3 hours ago"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=20), "2 weeks ago"),
    ],
)
def test_how_long_ago_is_told_in_one_number(ago: timedelta, told: str) -> None:
    assert used(("opened", ago, "")).split("; ")[1] == told


def test_what_was_never_used_says_so() -> None:
    assert use_line(Tally().add([]), NEVER, UseSituation(NOW)) == "never"
