"""What somebody wrote lately that may overrule a record: the newest information wins, and both are told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from datetime import datetime, timedelta
from typing import Any

from camphor.agents.answering.lexicon import alternatives, lexicon, pattern, stem, stems_of
from camphor.agents.answering.programs import Pick, Program
from camphor.agents.answering.question import Operation, cues
from camphor.agents.answering.ranking import Sight
from camphor.agents.answering.tables import Table
from camphor.device.text import fold, text_of, words

_CHANGES = pattern("changes")
_CLOCK = pattern("hours")
_HALF = {name: hour for hour, name in enumerate(alternatives("hour"), 1)}
OVERRULED = frozenset(lexicon("tables.toml")["overruled"])
_RECENT, _FRESH, _ENOUGH = timedelta(days=45), timedelta(days=4), 3
_SOME = 0.25
_HALF_DAY, _NEAR = 12 * 60, 3 * 60  # minutes
_TOLD = 3  # records of a list whose changes are told


def newer(program: Program, sight: Sight) -> tuple[Pick, ...]:
    """What was written lately about the program's records and says that something changed; of each the newest."""
    if program.operation in (Operation.NONE, Operation.COUNT, Operation.SUM, Operation.MEAN) or len(program.picks) > 6:
        return ()
    found: list[tuple[datetime, Pick]] = []
    for pick in program.picks:
        ordered = pick.table.field("status") is not None  # the time of an order is when it was made
        past = not ordered and pick.when is not None and pick.when < sight.now - timedelta(days=1)
        if pick.table.key in OVERRULED and pick.table.title and not past and (about := _about(pick, sight)):
            found.append(max(about, key=lambda pair: pair[0]))
    if not found:
        return ()
    found.sort(key=lambda pair: pair[0])
    told = {id(one.row): one for _, one in found[-_TOLD:]}
    return tuple(told.values())


def _about(pick: Pick, sight: Sight) -> list[tuple[datetime, Pick]]:
    """What others wrote lately that speaks of a record and says something else."""
    found = []
    worths = [_worth(pick, sight, names) for names in (_TITLES, (*_TITLES, "location"))]
    named = _people_of(pick, sight)
    own = {each for each in stems_of(text_of(dict(pick.row.record))) if len(each) > 1}
    for table in sight.tables:
        for row in table.rows:
            when = table.when(row.record)
            if when is None or not may_overrule(table, row.record, sight.now):
                continue
            author = str(row.record.get(table.author.name) or "") if table.author else ""
            by_one = any(stem(word) in own for word in words(author) if len(word) > 2)
            if _overrules(row.record, when, pick, worths, named - stems_of(author), by_one, sight.now):
                found.append((when, Pick(table, row)))
    return found


def may_overrule(table: Table, record: Mapping[str, Any], now: datetime) -> bool:
    """Whether a record is what somebody else wrote to the person of late."""
    if not table.said or table.app in ("web", "news") or record.get("from_me"):
        return False
    when = table.when(record)
    return when is not None and now - _RECENT <= when <= now


_TITLES = ("title", "content", "item")


def _people_of(pick: Pick, sight: Sight) -> frozenset[str]:
    """The stems of people's names that a record holds; not the person's own."""
    people = (each for each in sight.people if not each.get("is_self"))
    known = {each for person in people for each in stems_of(str(person.get("name", ""))) if len(each) > 2}
    told = " ".join(text_of({name: pick.value(name)}) for name in (*_TITLES, "participants"))
    return frozenset((known & stems_of(told)) - cues()["nothing_stems"])


def _worth(pick: Pick, sight: Sight, names: Sequence[str]) -> dict[str, float]:
    """The stems of some fields that tell what a record is about, with how much each tells; people's names left out."""
    people = {each for person in sight.people for each in stems_of(str(person.get("name", "")))}
    told = words(" ".join(str(pick.value(name) or "") for name in names))
    about = {stem(word) for word in told if len(word) > 2} - cues()["nothing_stems"] - people
    return {each: sight.rarity.get(each, 0.0) for each in about}


def _overrules(
    record: Mapping[str, Any],
    when: datetime,
    pick: Pick,
    worths: Sequence[Mapping[str, float]],
    named: Set[str],
    by_one: bool,
    now: datetime,
) -> bool:
    """Whether a text speaks of a record and says something else: signs are added up.

    Args:
        worths: what the record is about (`_worth`), by its title and with its place. named: people's names in it.
        by_one: whether the author of the text stands in the record.
    """
    text = "\n".join(str(record.get(name) or "") for name in ("subject", "title", "text", "body"))
    said = stems_of(text)
    share = max(
        sum(value for word, value in worth.items() if word in said) / (sum(worth.values()) or 1.0) for worth in worths
    )
    speaks_of = min(len(named & said), 2)
    changes, clock, day = bool(_CHANGES.search(text)), other_clock(text, pick.when), _names_day(text, pick.when, when)
    spoken_of = share >= _SOME or (
        (by_one or speaks_of) and (changes or (day and clock and _near_clock(text, pick.when)))
    )
    another_day = not changes and not day and pattern("weekday").search(fold(text))
    if not (changes or clock) or not spoken_of or another_day:
        return False
    signs = by_one + speaks_of + (share >= 0.34) + (share >= 0.6) + day + changes + clock + (now - when <= _FRESH)
    return signs >= _ENOUGH + 1


def other_clock(text: str, when: datetime | None) -> bool:
    """Whether a text names hours and the first of them is not the record's own; by twelve hours, as people say them."""
    hours = _hours(text)
    return bool(hours) and _timed(when) is not None and hours[0] != _timed(when)


def _near_clock(text: str, when: datetime | None) -> bool:
    """Whether the first hour that a text names is within three of the record's own."""
    own, hours = _timed(when), _hours(text)
    return bool(hours) and own is not None and min((hours[0] - own) % _HALF_DAY, (own - hours[0]) % _HALF_DAY) <= _NEAR


def _timed(when: datetime | None) -> int | None:
    """Minutes of a moment after noon or midnight; None for midnight itself, where no hour is known."""
    return None if when is None or (when.hour, when.minute) == (0, 0) else when.hour % 12 * 60 + when.minute


def _hours(text: str) -> list[int]:
    """The hours that a text names, in minutes after noon or midnight."""
    said = []
    for hour, minute, bare, _, whole, _, half in _CLOCK.findall(text):
        if hour:
            said.append(int(hour) % 12 * 60 + int(minute))
        elif bare or whole:
            said.append(int(bare or whole) % 12 * 60)
        elif half.casefold() in _HALF:
            said.append(_HALF[half.casefold()] % 12 * 60 + 30)
    return said


def _names_day(text: str, day: datetime | None, written: datetime) -> bool:
    """Whether a text that was written then speaks of a day."""
    if day is None:
        return False
    names = [
        f"{day:%A}",
        f"{day:%a}",
        f"{day.day} {day:%B}",
        f"{day.day} {day:%b}",
        f"{day:%B} {day.day}",
        f"{day.day}th",
        f"the {day.day}",
    ]
    ahead = (day.date() - written.date()).days
    names += {0: ["today", "tonight"], 1: ["tomorrow"]}.get(ahead, [])
    plain = fold(text)
    return any(re.search(rf"\b{name.lower()}\b", plain) for name in names)
