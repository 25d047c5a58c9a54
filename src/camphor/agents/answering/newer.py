"""What somebody wrote lately that may overrule a record: the newest information wins, and both are told."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from camphor.agents.answering.programs import Pick, Program
from camphor.agents.answering.question import Operation, cues
from camphor.agents.answering.ranking import Sight
from camphor.agents.answering.stems import stem
from camphor.device.text import fold, text_of, words

_CHANGES = re.compile(
    r"\b(?:moved?|moves|moving|instead|changed?|changes|change|reschedul\w*|postpon\w*|delay(?:ed|s)?|cancell?ed|have to cancel|must cancel|called off|is off|earlier|later|now (?:leaves?|at|on|starts?|in)|new (?:time|date|place|room|day|gate)|pushed?|brought forward|swap\w*"
    r"|not \w+ but|no longer|correction|update[ds]?|was \d|is now|are now|make it|can't|cannot|won't|flooded|closed|broken|half an hour|put (?:back|off)|no \w+ (?:today|tonight|tomorrow)|report (?:at )?\d|needed at|start(?:s|ing)? at|bumped|switch\w*)\b",
    re.IGNORECASE,
)
_OVERRULED = ("calendar.events", "reminders.reminders", "amazon.orders")
_RECENT = timedelta(days=45)
_SHARE = 0.6
"""Of what a record's title tells, how much a text must speak of; that it names the day counts for a quarter."""


def newer(program: Program, sight: Sight) -> tuple[Pick, ...]:
    """What was written lately about one of the program's records and says that something changed; the newest of it."""
    if program.operation in (Operation.NONE, Operation.COUNT, Operation.SUM, Operation.MEAN) or len(program.picks) > 6:
        return ()
    found: list[tuple[datetime, Pick]] = []
    for pick in program.picks:
        past = pick.when is not None and pick.when < sight.now - timedelta(days=1)
        if f"{pick.table.app}.{pick.table.name}" in _OVERRULED and pick.table.title and not past:
            found += _about(pick, sight)
    return tuple(pick for _, pick in sorted(found, key=lambda pair: pair[0])[-1:])


def _about(pick: Pick, sight: Sight) -> list[tuple[datetime, Pick]]:
    title = pick.table.title
    named = str(pick.value(title.name) or "") if title else ""
    telling = {stem(word) for word in words(named) if len(word) > 2} - {stem(word) for word in cues()["nothing"]}
    worth = {word: sight.rarity.get(word, 0.0) for word in telling}
    total = sum(worth.values()) or 1.0
    found = []
    for table in sight.tables:
        if not table.said or table.app in ("web", "news"):
            continue
        for row in table.rows:
            when = table.when(row.record)
            if when is None or row.record.get("from_me") or not sight.now - _RECENT <= when <= sight.now:
                continue
            there = sight.texts[f"{table.app}.{table.name}", row.ordinal]
            share = sum(value for word, value in worth.items() if word in there) / total
            text = text_of(dict(row.record))
            day = _names_day(text, pick.when, when)
            if share + 0.25 * day >= _SHARE and (_CHANGES.search(text) or (day and _other_clock(text, pick))):
                found.append((when, Pick(table, row)))
    return found


_CLOCK = re.compile(r"\b(\d{1,2})[:.](\d\d)\b")


def _other_clock(text: str, pick: Pick) -> bool:
    """Whether a text names hours and the record's own is not among them."""
    said = {(int(hour) % 12, int(minute)) for hour, minute in _CLOCK.findall(text)}
    when = pick.when
    return bool(said) and when is not None and when.hour + when.minute > 0 and (when.hour % 12, when.minute) not in said


def _names_day(text: str, day: datetime | None, written: datetime) -> bool:
    """Whether a text that was written then speaks of a day."""
    if day is None:
        return False
    names = [f"{day:%A}", f"{day:%a}", f"{day.day} {day:%B}", f"{day:%B} {day.day}", f"{day.day}th"]
    ahead = (day.date() - written.date()).days
    names += {0: ["today", "tonight"], 1: ["tomorrow"]}.get(ahead, [])
    plain = fold(text)
    return any(re.search(rf"\b{name.lower()}\b", plain) for name in names)
