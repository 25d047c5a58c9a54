"""From a question and the records ranked for it to an answer program."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from camphor.agents.answering.conditions import AT, conditions, fields_asked, holds, number_field
from camphor.agents.answering.lexicon import lexicon, pattern, word_list
from camphor.agents.answering.newer import newer
from camphor.agents.answering.programs import Pick, Program
from camphor.agents.answering.question import Operation, Question, Want, cues
from camphor.agents.answering.ranking import Candidate, Sight
from camphor.agents.answering.stems import stem
from camphor.agents.answering.tables import Kind, Table
from camphor.agents.answering.verdicts import free, yes_no
from camphor.device import dates
from camphor.device.text import fold, text_of, words

ENOUGH = 3.0
"""The score from which on a record is taken to be what is asked about."""
CLOSE = 0.8
_ALIKE = 0.6
_NAMESAKES = 2.0
NAMED, TELLING, ALIKE = 4.0, 0.55, 0.5
NEAR = 1.5
"""How far behind the best record another may be that holds the kind of value that was asked for."""
_RATED = (Operation.SUM, Operation.MEAN, Operation.MOST, Operation.LEAST)
_ORDERED = (Operation.NEXT, Operation.LAST, Operation.FIRST, Operation.UNTIL, Operation.AGO)
_OF_PEOPLE = (Want.BIRTHDAY, Want.PHONE, Want.EMAIL)
_SINGLE = (Operation.TELL, Operation.DURATION, Operation.BETWEEN, Operation.AGE)


def compose(question: Question, sight: Sight, ranked: Sequence[Candidate]) -> Program:
    """The program that answers a question; `Operation.NONE` where no record is about it."""
    if question.operation is Operation.FREE and (told := free(question, sight)):
        return told
    wording = tuple(question.content.values())
    nothing = Program(
        Operation.NONE,
        scope=tuple(each.table for each in ranked[:1]),
        stretch=question.stretch,
        words=wording,
        question=question,
    )
    enough = [each for each in ranked if _possible(each)]
    best = _fitting(enough, question, sight) if enough else None
    if best is None or not _sure(best, question, sight):
        return nothing
    if (marks := question.asked & word_list("marks")) and not best.table.field(next(iter(marks))):
        pick = Pick(best.table, best.row)
        return replace(
            nothing, operation=Operation.TELL, picks=(pick,), scope=(best.table,), lacking=f"mark “{next(iter(marks))}”"
        )
    operation = _operation(question, best.table)
    chosen = _single(best, enough) if operation in _SINGLE else _set(best, ranked, question, sight, operation)
    if not chosen:
        return replace(nothing, scope=(best.table,))
    picks = tuple(Pick(each.table, each.row) for each in chosen)
    stretch = question.stretch if best.table.time else None
    program = Program(operation, picks, scope=(best.table,), stretch=stretch, words=wording, question=question)
    program = _counted(_narrowed(program, question, sight), question)
    return _with_value(replace(program, newer=newer(program, sight)), question, best, enough)


_COUNTED = pattern("counted_noun")
_NAME = re.compile(r"(?<=[^\s.?!:] )[A-Z][^\W\d_]+")


def _counted(program: Program, question: Question) -> Program:
    """Where what is to be counted is not what the list holds, the record that speaks of it is told instead."""
    if program.operation is not Operation.COUNT or not program.picks:
        return program
    table = program.scope[0]
    found = _COUNTED.search(fold(question.text))
    noun = stem(found[1]) if found else ""
    own = table.stems | {stem(table.noun), stem(table.nouns)}
    named = noun in own or bool(question.asked & table.explicit) or "times" in question.asked
    if not noun or (named and not (table.name == "notes" and noun not in own)):
        return program
    if len(program.picks) == 1 or table.text is not None:
        return replace(program, operation=Operation.TELL, picks=program.picks[:1])
    return program


def _with_value(program: Program, question: Question, best: Candidate, enough: Sequence[Candidate]) -> Program:
    """The program with a record that holds the kind of value that was asked for; where none does, it says so."""
    want = question.wants
    if program.operation is Operation.TELL and want is None and (noun := _unheld_noun(program, question)):
        return replace(program, unsaid=noun)
    if (
        program.operation is not Operation.TELL
        or want is None
        or any(holds(pick, want) for pick in (*program.picks, *program.newer))
    ):
        return program
    others = [Pick(each.table, each.row) for each in enough[1:] if best.score - each.score < NEAR]
    other = next((each for each in others if holds(each, want)), None)
    if other is None:
        return replace(program, lacking=want.value)
    return replace(program, picks=(other,), scope=(other.table,), fields=fields_asked(question, other.table))


_ASKED_NOUN = pattern("asked_noun")
_ANY_NOUN = word_list("no_asked_noun")


def _unheld_noun(program: Program, question: Question) -> str:
    """What is asked for by its name ("which size", "what mark"), where no record told has that word; else ""."""
    found = _ASKED_NOUN.search(fold(question.text))
    noun = stem(found[1]) if found else ""
    if not found or found[1] in _ANY_NOUN or noun in _ANY_STEMS:
        return ""
    meant = {noun} | cues()["alike"].get(noun, frozenset())
    for pick in (*program.picks, *program.newer):
        own = pick.table.stems | {stem(word) for each in pick.table.fields for word in (*each.words, each.name)}
        if meant & (own | {stem(word) for word in words(text_of(dict(pick.row.record)))}):
            return ""
    return found[1]


_ANY_STEMS = frozenset(stem(word) for word in _ANY_NOUN)


def _possible(candidate: Candidate) -> bool:
    """Whether nothing that was said speaks against a record."""
    values = candidate.features
    late = values[AT["out_of_time"]] and not candidate.table.said
    return not late and not (values[AT["other_person"]] and candidate.table.app == "contacts")


def _fitting(enough: Sequence[Candidate], question: Question, sight: Sight) -> Candidate | None:
    """The record to go by: the best, or of those near it one whose list the question names or needs; None for none.

    A question of time alone is about the calendar. The web is asked only where the model asked it, or nothing else is
    there. What is to come is in lists with times, what is compared or added in lists with figures.
    """
    best, operation = enough[0], question.operation
    named = [each for each in sight.tables if question.asked & each.explicit]
    if not question.content and question.stretch and not named and operation is not Operation.DURATION:
        return next((each for each in enough if each.table.app == "calendar" and each.features[AT["in_time"]]), None)
    if best.table.name != "messages" and pattern("who_wrote").search(
        fold(question.text)
    ):  # of those that people write to each other
        best = _near(
            enough,
            best,
            lambda each: each.table.name == "messages" and bool(each.matched or not question.content),
            3 * NEAR,
        )
    elif question.wants in _OF_PEOPLE:
        best = _near(
            enough,
            best,
            lambda each: each.table.app == "contacts" and bool(each.features[AT["person"]] or each.matched),
            3 * NEAR,
        )
    elif len(named) == 1 and best.table is not named[0]:
        words_of_it = named[0].stems | {stem(word) for each in named[0].fields for word in each.words}
        most = float("inf") if best.matched <= words_of_it else NAMED  # what it matched only names the list
        best = _near(enough, best, lambda each: each.table is named[0], most)
    if best.table.app == "web" and "web.result" not in sight.looked_up and best.table not in named:
        best = _near(enough, best, lambda each: each.table.app != "web", best.score - ENOUGH)
    if operation in (Operation.NEXT, Operation.UNTIL) and (best.table.said or not best.table.time):
        best = _near(enough, best, lambda each: _to_come(each), 2 * NEAR)
    if operation in _RATED and not best.table.of(Kind.NUMBER):
        best = _near(enough, best, lambda each: bool(each.table.of(Kind.NUMBER)), 2 * NEAR)
    return best


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The stems of a text's words."""
    return frozenset(stem(word) for word in words(text))


def _near(enough: Sequence[Candidate], best: Candidate, fits: Callable[[Candidate], bool], most: float) -> Candidate:
    return next((each for each in enough if fits(each) and best.score - each.score < most), best)


def _to_come(candidate: Candidate) -> bool:
    return bool(candidate.table.time and not candidate.table.said and candidate.features[AT["coming"]])


def _sure(best: Candidate, question: Question, sight: Sight) -> bool:
    """Whether the best record is about what is asked at all."""
    compared = question.more is not None or question.less is not None
    names = {
        each
        for each, written in question.content.items()
        if written[:1].isupper() or (written.isdigit() and not compared)
    }
    if names and len(names - best.matched - best.table.stems) * 2 > len(names):
        return False
    telling = set(question.content) - best.table.stems
    if not telling and (best.features[AT["cue"]] or best.features[AT["in_time"]] or best.features[AT["found"]]):
        return True
    own = best.table.stems | {stem(word) for each in best.table.fields for word in each.words}
    named = telling - own
    if named and not named & best.matched and not best.features[AT["person"]] and _is_one(question, best.table, named):
        return False
    if question.asked & best.table.explicit:
        return True
    unknown = [each for each in telling - own if sight.common.get(each, 1.0) > TELLING]
    cued = any(best.features[AT[name]] for name in ("cue", "looked_up", "found")) or question.operation in _RATED
    if unknown and not best.matched and not telling & own and not cued and best.features[AT["sentence"]] < ALIKE:
        return False
    return best.score >= ENOUGH


def _is_one(question: Question, table: Table, named: Collection[str]) -> bool:
    """Whether some words of a question that no record has name a person or thing: by a capital, or among people."""
    capitals = {stem(fold(word)) for word in _NAME.findall(question.text)}
    asked_of_one = question.operation in (*_SINGLE, Operation.COUNT)
    return bool(capitals & set(named)) or (asked_of_one and table.field("birthday") is not None)


def _to_call(question: Question, table: Table) -> bool:
    """Whether "the number of Petra" is one to call, and counts nothing."""
    found = _COUNTED.search(fold(question.text))
    own = table.stems | {stem(table.noun), stem(table.nouns)}
    return bool(found and "number" in question.asked and table.field("phone_number") and stem(found[1]) not in own)


def _operation(question: Question, table: Table) -> Operation:
    """The operation, or another that the list has the fields for."""
    operation, numbers = question.operation, table.of(Kind.NUMBER)
    bound = question.more is not None or question.less is not None
    counted = [each for each in numbers if question.asked & frozenset(each.name.split("_"))]
    if operation is Operation.COUNT and _to_call(question, table):
        operation = Operation.TELL
    if operation is Operation.COUNT and counted and not bound:
        return Operation.SUM if _spans(question) and len(table.rows) > 1 else Operation.TELL
    if operation in (Operation.SUM, Operation.MEAN) and Operation.COUNT in question.operations and not counted:
        operation = Operation.COUNT
    if operation is Operation.FREE:
        operation = Operation.YES_NO if Operation.YES_NO in question.operations else Operation.LIST
    if operation in _RATED and not numbers:
        operation = next((each for each in cues_order(question) if each not in _RATED), Operation.TELL)
    if operation in _ORDERED and table.time is None:
        operation = Operation.TELL
    if operation is Operation.AGE and not table.field("birthday"):
        operation = Operation.TELL
    if operation is Operation.DURATION and not (table.of(Kind.END) or table.field("seconds")):
        operation = Operation.TELL
    if operation is Operation.LIST and table.name == "notes" and not question.asked & {"notes"}:
        return Operation.TELL
    who = (
        table.said
        and "who" in question.asked
        and (question.stretch is not None or pattern("who_wrote").search(fold(question.text)))
    )
    return Operation.LIST if operation is Operation.TELL and (who or _plural(question, table)) else operation


def _spans(question: Question) -> bool:
    return question.stretch is not None and question.stretch.first.date() != question.stretch.last.date()


def _plural(question: Question, table: Table) -> bool:
    """Whether a question speaks of several records of the list ("which orders ...", "my open reminders")."""
    nouns = {word for word in question.asked & table.words if word.endswith("s") and stem(word) != word}
    asks = question.asked & word_list("asks_for_several")
    opening = set(words(question.text)[:3])
    return bool(nouns) and bool(asks or opening & nouns)


def cues_order(question: Question) -> list[Operation]:
    """The operations that a question's words speak of, the surest first."""
    return [operation for operation, _ in cues()["operations"] if operation in question.operations]


def _single(best: Candidate, enough: Sequence[Candidate]) -> list[Candidate]:
    """The record that fits best, with others that fit as well; of what was written about one thing, the newest."""
    if best.table.said and best.table.time and best.matched:
        alike = [
            each
            for each in enough
            if each.table is best.table and best.score - each.score < _ALIKE and each.matched >= best.matched
        ]
        return [max(alike, key=lambda each: each.table.when(each.row.record) or datetime.min)]
    return [
        best,
        *(
            each
            for each in enough[:8]
            if each is not best
            and each.table is best.table
            and abs(best.score - each.score) < 0.05
            and each.matched >= best.matched
        ),
    ]


def _set(
    best: Candidate, ranked: Sequence[Candidate], question: Question, sight: Sight, operation: Operation
) -> list[Candidate]:
    """The records that meet every condition that the question's words put, in the order of time."""
    tables = [best.table]
    if operation in (Operation.LIST, Operation.YES_NO, Operation.COUNT) and best.matched and best.table.said:
        near = [
            each.table
            for each in ranked
            if _possible(each) and best.score - each.score < CLOSE and each.matched >= best.matched
        ]
        tables += [each for each in dict.fromkeys(near) if each is not best.table and each.said]
    found: list[Candidate] = []
    for table in tables:
        rows = [each for each in ranked if each.table is table]
        for condition in conditions(best, question, sight, table, operation):
            rows = [each for each in rows if condition(each)]
        own = best.table.stems | {stem(word) for each in best.table.fields for word in each.words}
        title = best.table.title
        named = stems(str(best.row.record.get(title.name) or "")) if title else frozenset()
        wanted = [
            each
            for each in best.matched
            if each not in own
            or (each in named and operation not in _RATED)
            or (operation is Operation.LIST and each not in best.table.stems)
        ]
        found += [each for each in rows if all(word in each.matched for word in wanted)]
    return sorted(
        found,
        key=lambda each: (tables.index(each.table), each.table.when(each.row.record) or sight.now, each.row.ordinal),
    )


def _narrowed(program: Program, question: Question, sight: Sight) -> Program:
    """The program with the records and fields that its operation needs."""
    table, picks, operation = program.scope[0], list(program.picks), program.operation
    timed = sorted(((when, each) for each in picks if (when := each.when)), key=lambda pair: pair[0])
    if operation in (Operation.NEXT, Operation.UNTIL):
        ahead = _ahead(timed, table, sight.now)
        picks = ahead[:1] if operation is Operation.NEXT or ahead else picks[:1]
    elif operation in (Operation.LAST, Operation.AGO):
        before = [each for when, each in timed if when <= sight.now] or [each for _, each in timed]
        picks = before[: len(before) - question.skipped][-1:] or before[:1]
    elif operation is Operation.FIRST:
        picks = [each for _, each in timed][:1]
    elif operation in _RATED:
        return _rated(program, question)
    elif operation is Operation.YES_NO:
        return yes_no(program, question)
    if not picks and operation is not Operation.COUNT:
        return replace(program, operation=Operation.NONE, picks=())
    return replace(program, picks=tuple(picks), fields=fields_asked(question, table))


def _ahead(timed: Sequence[tuple[datetime, Pick]], table: Table, now: datetime) -> list[Pick]:
    """What is still to come, the next first; birthdays come every year."""
    if not table.field("birthday"):
        return [each for when, each in timed if when >= now]
    return [
        each
        for _, each in sorted(
            timed, key=lambda pair: ((pair[0].month, pair[0].day) < (now.month, now.day), pair[0].month, pair[0].day)
        )
    ]


def _rated(program: Program, question: Question) -> Program:
    if program.operation in (Operation.MOST, Operation.LEAST) and (told := _within(program)):
        return told
    number = number_field(question, program.scope[0])
    rated = [
        (value, each)
        for each in program.picks
        if number and (value := dates.number(each.value(number.name))) is not None
    ]
    if not number or not rated:
        return replace(
            program, operation=Operation.TELL, picks=program.picks[:3], fields=fields_asked(question, program.scope[0])
        )
    if program.operation in (Operation.MOST, Operation.LEAST):
        rated = sorted(rated, key=lambda pair: pair[0], reverse=program.operation is Operation.MOST)[:1]
    return replace(program, picks=tuple(each for _, each in rated), fields=(number.name,))


def _within(program: Program) -> Program | None:
    """The largest or smallest of one record's own figures ("which app eats most of my data")."""
    table = program.scope[0]
    if len(table.rows) != 1 or table.app == "web":
        return None
    record = table.rows[0].record
    parts = [
        (value, each.name)
        for each in table.of(Kind.NUMBER)
        if each.name not in lexicon("tables.toml")["wholes"]
        and (value := dates.number(record.get(each.name))) is not None
    ]
    if len(parts) < 2:
        return None
    choose = max if program.operation is Operation.MOST else min
    return replace(program, operation=Operation.TELL, fields=(choose(parts)[1],))
