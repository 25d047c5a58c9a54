"""A figure at two times: what it was at each, and how far apart ("my steps yesterday compared to the day before")."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from camphor.agents.answering.conditions import number_field
from camphor.agents.answering.lexicon import pattern, word_list
from camphor.agents.answering.programs import Pick, Program
from camphor.agents.answering.question import Operation, ParsedQuestion, read_question
from camphor.agents.answering.ranking import inside
from camphor.agents.answering.stretch import Stretch, read_stretch
from camphor.agents.answering.tables import Table
from camphor.device import dates
from camphor.device.text import fold


@dataclass(frozen=True)
class ComparedTimes:
    """A question that compares two times, as one question of each. Of the first the time may be unsaid: it is now."""

    first: ParsedQuestion
    second: ParsedQuestion


@dataclass(frozen=True)
class ComparedFigure:
    """What a program comes to: a number of a field's unit, or of records where the field is none."""

    value: float
    field: str | None
    sample: object


def compared_times(query: str, now: datetime, names: Collection[str] = ()) -> ComparedTimes | None:
    """The two questions of a query that compares two times; None for any other.

    Args:
        names: of people, which are no times though they look like some.
    """
    for joint in pattern("compares_times").finditer(query):
        left, right = query[: joint.start()], query[joint.end() :]
        if not left.strip():  # "compared to last week, how many ..."
            right, _, left = right.partition(",")
        for_certain = pattern("compares").search(fold(joint[0]))
        if not left.strip() or not (for_certain or pattern("asks_to_compare").search(fold(query))):
            continue
        first, spans, _ = read_stretch(left, now, names)
        said = right.strip(" ?!.,")
        second = _before(said, first) if first else None
        second = second or _only_time(said, now, names)
        if second is None or second == first or len(spans) > 1 or not (spans or for_certain):
            continue
        start, end = spans[0] if spans else (len(left), len(left))
        other = f"{left[:start].rstrip(' ?')} {_written(second, left[:start])}{left[end:]}"
        asked = read_question(left, now, names)
        second_asked = replace(read_question(other, now, names), stretch=second, past=asked.past)
        weekday = bool(pattern("weekday").search(fold(said)))
        return ComparedTimes(_settled(asked), _settled(replace(second_asked, weekday=weekday)))
    return None


def not_compared(query: str) -> str:
    """What a query asks to be compared with; "" where it asks for no comparison."""
    joint = pattern("compares_times").search(query)
    if joint is None or not pattern("compares").search(fold(joint[0])):
        return ""
    return query[joint.end() :].strip(" ?!.,").partition(",")[0]


def figure_of(program: Program, now: datetime) -> ComparedFigure | None:
    """The number that a program comes to; None where it tells none of a field that its question speaks of, or is of
    another time than that."""
    question, picks = program.question, program.picks
    if question is None or not picks or program.lacking or program.operation is Operation.NONE:
        return None
    table = program.scope[0]
    if question.stretch and not {each.row.ordinal for each in picks} <= _of_time(table, question, now):
        return None
    number = number_field(question, table)
    named = number is not None and bool(number.words & question.asked - word_list("reckons"))
    if number is None or not (named or program.operation in (Operation.SUM, Operation.MEAN)):
        return ComparedFigure(float(len(picks)), None, None) if program.operation is Operation.COUNT else None
    values = [value for each in picks if (value := dates.number(each.value(number.name))) is not None]
    if len(values) != len(picks):
        return None
    value = sum(values) / (len(values) if question.operation is Operation.MEAN else 1)
    return ComparedFigure(value, number.name, picks[0].value(number.name))


def at_another_time(program: Program, question: ParsedQuestion, now: datetime) -> Program | None:
    """The program over the records of another time; None where it did not take all that its list has of its own, or by
    words that stand in records: "shifts" are not all events of another week."""
    table, own = program.scope[0], program.question
    taken = {each.row.ordinal for each in program.picks}
    if own is None or own.stretch is None or question.stretch is None or taken != _of_time(table, own, now):
        return None
    if any(table.held(own.content.keys() - table.called)):
        return None
    there = _of_time(table, question, now)
    picks = tuple(Pick(table, row) for row in table.rows if row.ordinal in there)
    operation = program.operation if picks else Operation.NONE
    words = tuple(question.content.values())
    return replace(program, operation=operation, picks=picks, stretch=question.stretch, question=question, words=words)


def _of_time(table: Table, question: ParsedQuestion, now: datetime) -> set[int]:
    """Which records of a list are of the time that a question names."""
    return {row.ordinal for row in table.rows if table.when(row.record) and inside(question, table, row, now)}


def _settled(question: ParsedQuestion) -> ParsedQuestion:
    """The question of one time: what it comes to then, by whatever words it is compared."""
    kept = (Operation.MEAN, Operation.COUNT)
    operation = next((each for each in kept if each in question.operations), Operation.SUM)
    operation = operation if question.stretch else Operation.TELL
    operations = frozenset({operation})
    return replace(question, operation=operation, operations=operations, more=None, less=None, settled=True)


def _only_time(said: str, now: datetime, names: Collection[str]) -> Stretch | None:
    """The time that some words name, where they name nothing else."""
    stretch, spans, _ = read_stretch(said, now, names)
    return stretch if len(spans) == 1 and not read_question(said, now, names).content else None


def _before(said: str, stretch: Stretch) -> Stretch | None:
    """The time that "the day before" and the like name, counted from another."""
    found = pattern("one_before").search(fold(said))
    if found is None:
        return None
    unit = found["unit"] or found["same"] or found["earlier"]
    first, last = stretch.first, stretch.last
    if unit in ("day", "week"):
        by = timedelta(days=1 if unit == "day" else 7)
        return replace(stretch, first=first - by, last=last - by, said=said)
    earlier = _earlier(first.date(), 12 if unit == "year" else 1)
    return replace(
        stretch,
        first=datetime.combine(earlier, first.time()),
        last=first - timedelta(minutes=1) if unit == "month" else last.replace(year=last.year - 1),
        said=said,
    )


def _earlier(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, month + 1, 1) if months == 1 else day.replace(year=year)


def _written(stretch: Stretch, before: str) -> str:
    """A time in words that are read as that time, after others: "on 10 March"."""
    first, last = (f"{each.day} {each:%B}" for each in (stretch.first, stretch.last))
    said = first if first == last else f"from {first} to {last}"
    return said if before.split()[-1:] == ["on"] else f"on {said}" if first == last else said
