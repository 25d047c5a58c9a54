"""Answers of yes or no: by a figure, a state, a flag, the calendar; no verdict where none of them decides."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from camphor.agents.answering.conditions import CLOSED, NEGATED, fields_asked, number_field, state_of
from camphor.agents.answering.lexicon import pattern, word_list
from camphor.agents.answering.programs import Pick, Program
from camphor.agents.answering.question import Operation, Question
from camphor.agents.answering.ranking import Sight
from camphor.agents.answering.stems import stems_of
from camphor.agents.answering.tables import Kind
from camphor.device import dates
from camphor.device.text import fold, text_of

_EXISTS = pattern("whether_there_is")


def yes_no(program: Program, question: Question) -> Program:
    """The verdict, where the records decide it; else what they say, without one."""
    table, picks = program.scope[0], program.picks
    asked = fold(question.text)
    if (compared := _compared(program, question)) is not None:
        return compared
    if state_of(question, table) is not None and len(picks) == 1 and table.field("status"):
        return replace(program, fields=("status",), verdict=_settled(str(picks[0].value("status") or ""), asked))
    there = [stems_of(text_of(dict(each.row.record))) for each in picks]
    whole = all(each in table.stems or any(each in stems for stems in there) for each in question.content)
    if _EXISTS.search(asked) and whole and picks and not table.said:
        return replace(program, operation=Operation.LIST, verdict=True)
    flags = [each for each in table.of(Kind.FLAG) if each.words & question.asked and each.name != "from_me"]
    if flags and len(picks) == 1 and isinstance(is_so := picks[0].value(flags[0].name), bool):
        return replace(program, fields=(flags[0].name,), verdict=is_so)
    certain = (
        whole
        and not table.said
        and not (question.stretch and question.stretch.clock)
        and " or " not in asked
        and len(picks) == 1
        and question.content
        and not NEGATED.search(fold(text_of(dict(picks[0].row.record))) + " " + asked)
    )
    return replace(
        program,
        operation=Operation.TELL,
        picks=picks[:3],
        fields=fields_asked(question, table),
        verdict=True if certain else None,
    )


def _settled(status: str, asked: str) -> bool | None:
    """Whether something has come or is done, by its status; None where the words of the two do not tell."""
    if NEGATED.search(asked):
        return None
    if CLOSED.search(fold(status)):
        return True
    return False if pattern("unsettled_status").search(fold(status)) else None


def _compared(program: Program, question: Question) -> Program | None:
    """The verdict where a figure decides it: one that was named, or the end of what is read; None where none does."""
    table, picks = program.scope[0], program.picks
    figure = question.more if question.more is not None else question.less
    number = number_field(question, table)
    if figure is not None and number and picks and (value := dates.number(picks[-1].value(number.name))) is not None:
        verdict = value > figure if question.more is not None else value < figure
        return replace(program, picks=picks[-1:], fields=(number.name,), verdict=verdict)
    finished = table.field("progress") and question.asked & word_list("finished")
    if finished and picks and (read := dates.number(picks[0].value("progress"))) is not None:
        return replace(program, picks=picks[:1], fields=("progress",), verdict=read >= 100)
    return None


def free(question: Question, sight: Sight) -> Program | None:
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
