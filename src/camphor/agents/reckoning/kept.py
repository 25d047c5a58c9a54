"""Days that are on the phone, for `days_to`: birthdays of contacts, and events of the calendar."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

from dateutil.relativedelta import relativedelta

from camphor.agents.reckoning.days import Found, LookUp
from camphor.device.people import find_people
from camphor.device.text import words
from camphor.types import Call

if TYPE_CHECKING:
    from camphor.device.device import Device

_BIRTHDAY = re.compile(r"(?P<whose>.+?)(?:'s|s'|')? (?:birthday|bday|b-day|birth day)")
_LEFT_OUT = frozenset(words("the my our a an next for with of to at in on go i we leave"))
_FINDER = "get_calendar_event"


def days_of(device: Device) -> LookUp:
    """What finds days on a device: the next birthday of the one contact meant, or the next event of that name."""

    def look_up(said: str) -> list[Found]:
        today = device.now.date()
        if birthday := _BIRTHDAY.fullmatch(said):
            return _birthdays(birthday["whose"], device, today)
        return _events(said, device, today)

    return look_up


def _birthdays(whose: str, device: Device, today: date) -> list[Found]:
    people = device.people()
    mine = whose in ("my", "our")
    meant = [each for each in people if each.get("is_self")] if mine else find_people(whose.removeprefix("my "), people)
    found = []
    for person in meant:
        if born := _date(person.get("birthday")):
            name = "your" if mine else f"{person.get('name')}'s"
            found.append(Found(f"{name} birthday", _next(born, today)))
    return found if len(meant) == 1 else []  # of two Anas one may have no birthday noted


def _next(born: date, today: date) -> date:
    years = today.year - born.year
    this: date = born + relativedelta(years=years)
    following: date = born + relativedelta(years=years + 1)
    return this if this >= today else following


def _events(said: str, device: Device, today: date) -> list[Found]:
    wanted = set(words(said)) - _LEFT_OUT
    if not wanted or _FINDER not in device.toolbox:
        return []
    ahead: dict[str, date] = {}
    for event in device.execute(Call(_FINDER, {"theme": " ".join(sorted(wanted))})).records:
        title, day = str(event.get("title") or ""), _date(event.get("start"))
        if day and day >= today and wanted <= set(words(title)):
            ahead[title] = min(day, ahead.get(title, day))
    return [Found(title, day) for title, day in ahead.items()]


def _date(value: Any) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
