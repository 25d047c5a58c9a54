"""Questions that code reckons: sums, other units, days (the tools of `camphor.device.general`).

`reckon` reads such a question, and nothing that is not one for certain: what is said must be a sum, an amount or a day
from the first word to the last. `days_to` is for days that are on the phone.
"""

from __future__ import annotations

from datetime import datetime

from camphor.agents.reckoning.days import FoundDay, LookUp, day_of, days_of, days_to
from camphor.agents.reckoning.measures import measure_of
from camphor.agents.reckoning.sums import sum_of
from camphor.agents.reckoning.words import Reckoning, said

__all__ = ["FoundDay", "LookUp", "Reckoning", "days_of", "days_to", "reckon"]

_LONGEST = 150  # characters


def reckon(query: str, now: datetime, country: str = "", day_first: bool | None = None) -> Reckoning | None:
    """The call and the answer of a question that asks for a sum, another unit or a day; None for any other.

    Args:
        query: as the person said it. now: the device's clock. country: where the device is, in English.
        day_first: how 3/4 is read, as in `parse_time`; None reckons with no date that can be read in both ways.
    """
    if len(query) > _LONGEST:
        return None
    asked = said(query)
    if not asked.text:
        return None
    return sum_of(asked) or measure_of(asked, country.casefold()) or day_of(asked, now, day_first)
