"""Answers of yes or no: by a figure, by the calendar, by who wrote last, else as the reader has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from camphor.agents.answering.conditions import CLOSED, NEGATED, fields_asked, number_field, state_of
from camphor.agents.answering.lexicon import pattern, stem, stems_of, word_list
from camphor.agents.answering.programs import Pick, Program
from camphor.agents.answering.question import Operation, ParsedQuestion
from camphor.agents.answering.ranking import Sight
from camphor.agents.answering.stretch import Stretch
from camphor.agents.answering.tables import FieldKind, Row
from camphor.device import dates
from camphor.device.text import fold, words
from camphor.retrieval.reading.reader import NO, YES

_TOLD = 3
"""Records that are told beside a verdict."""
CERTAIN = 0.8
"""How sure the reader must be that a record says yes, or no."""


def verdict_of(says: Sequence[float]) -> bool | None:
    """Yes or no where the reader is sure that a record says so; None where it is not, or the record was not read.

    Args:
        says: how likely the record says no, yes and neither.
    """
    return None if not says else True if says[YES] >= CERTAIN else False if says[NO] >= CERTAIN else None


def yes_no(program: Program, question: ParsedQuestion, sight: Sight, says: Sequence[float]) -> Program:
    """The verdict, where a figure, an end or a talk decides it or the reader is sure; else the records without one.

    Args:
        says: how likely the likeliest record says no, yes and neither, as the reader has it; empty where it was unread.
    """
    table, picks = program.scope[0], program.picks
    if (compared := _compared(program, question)) is not None:
        return compared
    if (lasts := _lasts(program, question, sight)) is not None:
        return lasts
    if (unsaid := _unsaid(program, question)) is not None:
        return unsaid
    goes_on = "still" in question.asked and table.name == "medications"  # an end decides it, or nothing does
    read = None if goes_on else verdict_of(says)
    if read is None and state_of(question, table) is not None and len(picks) == 1:
        read = _settled(str(picks[0].value("status") or ""), question)
    return replace(
        program,
        operation=Operation.TELL,
        picks=picks[:_TOLD],
        left_out=max(len(picks) - _TOLD, 0),
        fields=fields_asked(question, table),
        verdict=read,
    )


def _settled(status: str, question: ParsedQuestion) -> bool | None:
    """Whether something has come or is done, by its status; None where the words of the two do not tell."""
    if NEGATED.search(fold(question.text)) or question.asked & word_list("coming"):
        return None
    if CLOSED.search(fold(status)):
        return True
    return False if pattern("unsettled_status").search(fold(status)) else None


def _compared(program: Program, question: ParsedQuestion) -> Program | None:
    """The verdict where a figure decides it: one that was named, or the end of what is read; None where none does."""
    table, picks = program.scope[0], program.picks
    figure = question.more if question.more is not None else question.less
    number = number_field(question, table)
    if figure is not None and number and picks and (value := dates.number(picks[-1].value(number.name))) is not None:
        verdict = value > figure if question.more is not None else value < figure
        return replace(program, picks=picks[-1:], fields=(number.name,), verdict=verdict)
    if "than" in question.asked and len(picks) == 2 and number and (told := _of_two(program, question, number.name)):
        return told
    finished = table.field("progress") and question.asked & word_list("finished")
    if finished and picks and (read := dates.number(picks[0].value("progress"))) is not None:
        return replace(program, picks=picks[:1], fields=("progress",), verdict=read >= 100)
    return None


def _of_two(program: Program, question: ParsedQuestion, name: str) -> Program | None:
    """Whether the later of two records is more, or less, than the earlier one; None where words do not say."""
    more, less = (bool(pattern(each).search(fold(question.text))) for each in ("says_more", "says_less"))
    first, last = sorted(program.picks, key=lambda each: each.when or datetime.min)
    one, other = (_figures(each.value(name)) for each in (first, last))
    title = program.scope[0].title
    like = title is None or first.value(title.name) == last.value(title.name)
    stretch = question.stretch  # "than in May": the earlier one is of that time, the later one is not
    in_turn = stretch is None or (_is_of(stretch, first) and not _is_of(stretch, last))
    if not (like and in_turn) or more is less or not one or len(one) != len(other) or first.when == last.when:
        return None
    rises = [after > before for before, after in zip(one, other, strict=True)]
    falls = [after < before for before, after in zip(one, other, strict=True)]
    verdict = all(rises if more else falls)
    return replace(program, operation=Operation.TELL, picks=(last, first), fields=(name,), verdict=verdict)


def _is_of(stretch: Stretch, pick: Pick) -> bool:
    return pick.when is not None and stretch.meets(pick.when, pick.when)


def _figures(value: object) -> list[float]:
    """The figures of a reading: one, or the two of a blood pressure."""
    parts = [dates.number(each) for each in str(value).split("/")]
    return [each for each in parts if each is not None] if None not in parts else []


def _lasts(program: Program, question: ParsedQuestion, sight: Sight) -> Program | None:
    """Whether what has begun goes on still, by its end: "am I still on the antibiotic"; None for anything else."""
    table, picks = program.scope[0], program.picks
    ends = table.of(FieldKind.END)
    if "still" not in question.asked or question.stretch or not ends or not picks or picks[0].when is None:
        return None
    over = dates.moment(picks[0].value(ends[0].name))
    if over is None or picks[0].when > sight.now:
        return None
    return replace(program, operation=Operation.TELL, picks=picks[:1], verdict=over.date() >= sight.now.date())


def _unsaid(program: Program, question: ParsedQuestion) -> Program | None:
    """No, where what the one is asked to have said would answer the last that the other wrote, and never came.

    "Did I tell Pam about the urn": she asked for it, and nothing was written to her since.
    """
    asks = pattern("whether_told").search(fold(question.text).replace("’", "'"))
    table = program.scope[0]
    if asks is None or table.author is None or not table.field("from_me") or not program.picks:
        return None
    author = table.author.name
    pick = max(program.picks, key=lambda each: (each.when or datetime.min, each.row.ordinal))
    mine = bool(asks["me"])
    later = [
        row
        for row in table.rows
        if row.record.get(author) == pick.value(author)
        and (table.when(row.record) or datetime.min, row.ordinal) > (pick.when or datetime.min, pick.row.ordinal)
        and bool(row.record.get("from_me")) is mine
    ]
    text = str(pick.value(table.text.name) or "") if table.text else ""
    said = bool(pick.value("from_me")) is mine or bool(later)
    if pick.table is not table or said or not pattern("wants_reply").search(text):
        return None
    return replace(program, operation=Operation.TELL, picks=(pick,), verdict=False)


def answered(question: ParsedQuestion, sight: Sight) -> Program | None:
    """Whether the person, or another, wrote last in the talk of the two; None where that is not what is asked."""
    asks = pattern("whether_answered").search(fold(question.text).replace("’", "'"))
    table = next((each for each in sight.tables if each.author and each.field("from_me")), None)
    if asks is None or table is None or table.author is None:
        return None
    said = set(map(stem, words(asks[0])))
    talks: dict[str, list[Row]] = {}
    for row in table.rows:
        talks.setdefault(str(row.record.get(table.author.name) or ""), []).append(row)
    named = [
        who
        for who in talks
        if (own := stems_of(who)) and own & question.content.keys() and question.content.keys() <= own | said
    ]
    if len(named) != 1:
        return None
    last = max(talks[named[0]], key=lambda row: (table.when(row.record) or datetime.min, row.ordinal))
    verdict = bool(last.record.get("from_me")) is bool(asks["me"])
    return Program(Operation.TELL, (Pick(table, last),), scope=(table,), verdict=verdict, question=question)


def free(question: ParsedQuestion, sight: Sight) -> Program | None:
    """Whether the calendar holds anything in the stretch of time that was named."""
    table = next((each for each in sight.tables if (each.app, each.name) == ("calendar", "events")), None)
    asked = fold(question.text)
    if table is None or question.stretch is None or not pattern("whether_free").search(asked):
        return None
    stretch = question.stretch
    if stretch.first == stretch.last:
        stretch = replace(stretch, last=stretch.first + timedelta(minutes=59))
    picks = []
    for row in table.rows:
        first, last = table.when(row.record), table.ends(row.record)
        if first and stretch.meets(first, max(first, (last or first) - timedelta(minutes=1))):
            picks.append(Pick(table, row))
    picks.sort(key=lambda each: each.when or sight.now)
    verdict = bool(picks) if "clash" in asked else not picks
    return Program(
        Operation.FREE, tuple(picks), scope=(table,), stretch=question.stretch, verdict=verdict, question=question
    )
