"""From a question and the records ranked for it to an answer program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from camphor.agents.answering.conditions import (
    AT,
    LEFT,
    amount_written,
    conditions,
    fields_asked,
    holds,
    number_field,
    of_time_and_name,
    state_of,
)
from camphor.agents.answering.lexicon import lexicon, pattern, stem, stems_of, word_list
from camphor.agents.answering.newer import OVERRULED, may_overrule, newer
from camphor.agents.answering.programs import Pick, Program
from camphor.agents.answering.question import Operation, ParsedQuestion, Want, cues
from camphor.agents.answering.ranking import Candidate, Sight, persons
from camphor.agents.answering.tables import FieldKind, Table
from camphor.agents.answering.verdicts import answered, free, verdict_of, yes_no
from camphor.device import dates
from camphor.device.text import fold
from camphor.retrieval.reading.reader import KINDS

SURE = 0.5
"""The log-odds from which on a record is taken to be what is asked about."""
NEAREST = -4.0
"""What the best record must have to be named as the nearest where none is sure; from `MEMBER` on it is told too."""
NAMED, AHEAD = -2.0, 3.0
"""What is enough of a record that has every word that was asked for, so far ahead of all others."""
FULL = 2.0
"""What a record must have to be told though it is not of the time, the person or the state that was named."""
MEMBER, BEHIND = 0.0, 3.0
"""What a record beside the best must have to be told too, and how far behind it may be."""
CLOSE = 1.5
"""How far behind, but for what others wrote (a talk answers in the message after) and contacts (namesakes)."""
ELSEWHERE = 0.0
"""What a record of another list must have to be told too."""
COMPARED = -0.5
"""What a record must have to be among those that are compared, put in order or added up."""
DOUBT = 1.0
"""How near to that bound a record makes a count doubtful: then the records are told, and no figure."""
NEAR = 1.5
"""How far behind the best record another may be that holds the kind of value that was asked for."""
ALIKE = 1.0
"""How near to the best a record must be to stand for it."""
CLEAR = 0.9
"""How sure the reader must be of the kind of question, where the words that code knows speak of another."""
_RATED = (Operation.SUM, Operation.MEAN, Operation.MOST, Operation.LEAST)
_ORDERED = (Operation.NEXT, Operation.LAST, Operation.FIRST, Operation.UNTIL, Operation.AGO)
_RECKONED = (Operation.SUM, Operation.MEAN, Operation.DIFFERENCE)
_AFTER = (Operation.NEXT, Operation.FIRST)
_COUNTING = (Operation.COUNT, Operation.SUM, Operation.MEAN, Operation.DIFFERENCE)
_SINGLE = (Operation.TELL, Operation.DIFFERENCE, Operation.DURATION, Operation.BETWEEN, Operation.AGE)


def compose(question: ParsedQuestion, sight: Sight, ranked: Sequence[Candidate]) -> Program:
    """The program that answers a question; `Operation.NONE` where no record is about it."""
    if question.operation is Operation.FREE and (told := free(question, sight)):
        return told
    if (told := answered(question, sight)) is not None:
        return told
    wording = tuple(question.content.values())
    nothing = Program(
        Operation.NONE,
        scope=tuple(each.table for each in ranked[:1]),
        stretch=question.stretch,
        words=wording,
        question=question,
    )
    best = _meant(ranked, question)
    if best is None:
        return nothing
    if not _sure(best, ranked, question):
        return _nearest(best, nothing, question, sight)
    if best.table.said and question.operation is Operation.TELL:
        best = next((each for each in ranked if each.table.key in OVERRULED and each.score >= ELSEWHERE), best)
    question = replace(question, operation=_read_kind(question, best))
    if (told := _written_amounts(question, best, ranked)) is not None:
        return replace(told, words=wording)
    operation = _operation(question, best.table)
    if operation in _ORDERED and best.table.said and _of_somebody_unknown(best, question, sight):
        return nothing
    beyond = False
    if operation in _SINGLE:
        chosen = _single(best, ranked, question, sight.now)
    else:
        chosen = _set(best, ranked, question, sight, operation)
        behind = BEHIND if operation in _RATED + _ORDERED else CLOSE
        if best.read and best.score >= FULL and all(each.score < best.score - behind for each in chosen):
            operation, chosen = _beyond_conditions(operation, best, ranked, question, sight.now)
            beyond = True
    if not chosen:
        return replace(nothing, scope=(best.table,))
    if operation in (Operation.SUM, Operation.MEAN) and not _figure_meant(question, best.table, chosen, ranked):
        return _nearest_by_words(ranked, nothing)
    uncounted = operation is Operation.COUNT and _doubtful(best, ranked, question, sight)
    if uncounted:
        operation = Operation.LIST
    picks = tuple(Pick(each.table, each.row) for each in chosen)
    stretch = question.stretch if best.table.time and not beyond else None
    program = Program(operation, picks, (), (best.table,), stretch, words=wording, question=question)
    program = replace(program, uncounted=uncounted)
    says = max(chosen, key=lambda each: each.score).says
    program = _narrowed(program, question, sight, says)
    overruling = _elsewhere(program, ranked, sight.now) or newer(program, sight)
    if overruling and program.operation is not Operation.FREE:
        read = next((each.says for each in ranked if each.row is overruling[-1].row), ())
        verdict = verdict_of(read) if operation is Operation.YES_NO else None
        program = replace(program, verdict=verdict)
    return _with_value(replace(program, newer=overruling), question, best, ranked)


def _nearest(best: Candidate, nothing: Program, question: ParsedQuestion, sight: Sight) -> Program:
    """The nearest record where none is sure: that nothing is there is not known. It is told, or only named.

    None of the web, none that has no word of the question, and none of others than the person who is spoken of; none
    named where a name is what was asked for.
    """
    if _of_somebody_unknown(best, question, sight):
        return nothing
    if not best.features[AT["person"]] and any(_spoken_of(each, question) for each in persons(question, sight)):
        return nothing
    least = MEMBER if question.asked & word_list("asks_name") else NEAREST
    if not best.read or not best.matched or best.score < least or best.table.app == "web":
        return nothing
    lacking = "" if best.score >= MEMBER else "sure answer"
    return replace(nothing, picks=(Pick(best.table, best.row),), lacking=lacking)


def _of_somebody_unknown(best: Candidate, question: ParsedQuestion, sight: Sight) -> bool:
    """Whether a question is about somebody by what they are to the person, whom no contact and not the record names."""
    return bool(_relations(question) - best.matched) and not persons(question, sight)


def _spoken_of(person: Mapping[str, Any], question: ParsedQuestion) -> bool:
    """Whether a question has a word of somebody's name, or one of what people are to each other."""
    named = stems_of(str(person.get("name") or "")) - cues()["nothing_stems"]
    return bool(_relations(question) or named & question.content.keys())


def _relations(question: ParsedQuestion) -> frozenset[str]:
    return frozenset(question.content) & {stem(word) for word in word_list("relations")}


def _nearest_by_words(ranked: Sequence[Candidate], nothing: Program) -> Program:
    """The record named that has most of the question's words, where no figure is what it asks for."""
    read = [each for each in ranked if each.read and each.matched and each.table.app != "web"]
    if not read:
        return nothing
    nearest = max(read, key=lambda each: (len(each.matched), each.score))
    return replace(nothing, picks=(Pick(nearest.table, nearest.row),), lacking="sure answer")


def _figure_meant(
    question: ParsedQuestion, table: Table, chosen: Sequence[Candidate], ranked: Sequence[Candidate]
) -> bool:
    """Whether a question speaks of what would be reckoned: by a word of the field, the list's name, or every record.

    "The total of my library books" is no total of the bikes at the Library's stand. Of money it is enough that the
    reader is sure of each record, or that it has a word of the question, and that no other record has more of them.
    """
    number = number_field(question, table)
    if number is None or number.words & question.asked - word_list("reckons") or question.stems & table.called:
        return True
    named = question.content.keys() - table.spoken - {stem(word) for word in word_list("reckons")}
    if named and all(named <= each.matched for each in chosen):
        return True
    told = frozenset().union(*(each.matched for each in chosen))
    taken = {id(each) for each in chosen}
    others = (each for each in ranked if each.read and id(each) not in taken)
    return (
        bool(number.words & word_list("money_fields"))
        and all(each.matched or each.score >= SURE for each in chosen)
        and not any(len(each.matched & named) > len(told & named) for each in others)
    )


def _written_amounts(question: ParsedQuestion, best: Candidate, ranked: Sequence[Candidate]) -> Program | None:
    """A sum, mean or gap of amounts that stand in texts, where the reader is sure of each and each holds one alone."""
    if question.operation not in _RECKONED or not best.table.said or number_field(question, best.table):
        return None
    sure = [each for each in ranked if each.table is best.table and each.read and each.score >= SURE]
    picks = tuple(Pick(each.table, each.row) for each in sure)
    amounts = tuple(value for each in picks if (value := amount_written(each)) is not None)
    fits = len(picks) == 2 if question.operation is Operation.DIFFERENCE else len(picks) > 1
    if not fits or len(amounts) != len(picks):
        return None
    return Program(question.operation, picks, scope=(best.table,), amounts=amounts, question=question)


def _beyond_conditions(
    operation: Operation, best: Candidate, ranked: Sequence[Candidate], question: ParsedQuestion, now: datetime
) -> tuple[Operation, list[Candidate]]:
    """What is told where the reader is sure of records that a condition leaves out: all of them, or the best one."""
    sure = [each for each in ranked if each.table is best.table and each.read and each.score >= FULL]
    if operation is Operation.LIST and len(sure) > 1:
        return operation, sorted(sure, key=lambda each: (each.table.when(each.row.record) or now, each.row.ordinal))
    kept = operation if operation is Operation.YES_NO else Operation.TELL
    return kept, _single(best, ranked, question, now)


def _with_value(program: Program, question: ParsedQuestion, best: Candidate, ranked: Sequence[Candidate]) -> Program:
    """The program with a record that holds the kind of value that was asked for; where none does, it says so."""
    want = question.wants
    if (
        program.operation is not Operation.TELL
        or question.operation is Operation.YES_NO
        or want is None
        or any(holds(pick, want) for pick in (*program.picks, *program.newer))
    ):
        return program
    others = [Pick(each.table, each.row) for each in ranked[1:] if best.score - each.score < NEAR]
    other = next((each for each in others if holds(each, want)), None)
    if other is None:
        return replace(program, lacking=want.value)
    return replace(program, picks=(other,), scope=(other.table,), fields=fields_asked(question, other.table))


def _meant(ranked: Sequence[Candidate], question: ParsedQuestion) -> Candidate | None:
    """The record to go by: the best; where figures are compared, of those that are nearly as good one that has them.

    None where there is no record, or where it is what comes after the best: which one that is, is not known.
    """
    if not ranked or (question.operation in _AFTER and not question.stretch and "after" in question.asked):
        return None
    if question.operation not in _RATED:
        return ranked[0]
    near = [each for each in ranked if ranked[0].score - each.score <= ALIKE]
    return max(near, key=lambda each: _words_for_figure(question, each.table))


def _words_for_figure(question: ParsedQuestion, table: Table) -> int:
    """How many words of a question name the figure that a list would be asked for; -1 where it has none."""
    number = number_field(question, table)
    return len(number.words & question.asked) if number else -1


def _sure(best: Candidate, ranked: Sequence[Candidate], question: ParsedQuestion) -> bool:
    """Whether the best record is about what is asked at all: by what the reader says, or by its list and time alone.

    Less is enough where it, or it and its namesakes alone, have every word that was asked for; and where it has them
    and is a contact whose name is asked for, or its end is asked for and there.
    """
    of_the_time = best.features[AT["in_time"]] or best.table.field("birthday")  # a birthday comes in any year
    if not _by_words(question, best.table) and question.stretch and of_the_time:
        return True
    named = set(question.content) - best.table.stems
    if pattern("who_is").search(fold(question.text)) and best.table.app == "contacts" and named <= best.matched:
        return True
    asks_end = question.operation is Operation.DURATION or question.wants is Want.END
    if (
        asks_end
        and named
        and named - best.table.spoken <= best.matched
        and (best.row.record.get("seconds") or best.table.has_end(best.row.record))
    ):
        return True
    others = (each.score for each in ranked if not named <= each.matched)
    alone = bool(named) and named <= best.matched and best.score - max(others, default=best.score - AHEAD) >= AHEAD
    return best.score >= (NAMED if alone else SURE)


def _read_kind(question: ParsedQuestion, best: Candidate) -> Operation:
    """The operation that the words of a question speak of, or the one that the reader is sure of.

    What words ask for of a field that they name ("how many steps") is not for the reader to change.
    """
    named = question.operation is not Operation.TELL and _figures_named(question, best.table)
    if (
        named
        or question.settled
        or not best.kinds
        or question.operation not in (Operation.TELL, *map(Operation, KINDS))
    ):
        return question.operation
    likeliest = max(range(len(KINDS)), key=lambda each: best.kinds[each])
    return Operation(KINDS[likeliest]) if best.kinds[likeliest] >= CLEAR else question.operation


def _figures_named(question: ParsedQuestion, table: Table) -> bool:
    return any(question.asked & frozenset(each.name.split("_")) for each in table.of(FieldKind.NUMBER))


def _operation(question: ParsedQuestion, table: Table) -> Operation:
    """The operation, or another that the list has the fields for."""
    operation, numbers = question.operation, table.of(FieldKind.NUMBER)
    bound = question.more is not None or question.less is not None
    counted = _figures_named(question, table)
    if operation is Operation.COUNT and counted and not bound:
        return Operation.SUM if _spans(question) and len(table.rows) > 1 else Operation.TELL
    if operation in (Operation.SUM, Operation.MEAN) and Operation.COUNT in question.operations and not counted:
        operation = Operation.COUNT
    if operation is Operation.FREE:
        operation = Operation.YES_NO if Operation.YES_NO in question.operations else Operation.LIST
    if operation in _RATED and not numbers:
        operation = next((each for each in cues_order(question) if each not in _RATED), Operation.TELL)
    if operation in _ORDERED and (table.time is None or (operation is Operation.UNTIL and table.said)):
        operation = Operation.TELL  # what somebody wrote has the time of its writing
    if operation is Operation.AGE and not table.field("birthday"):
        operation = Operation.TELL
    if operation is Operation.DURATION and not (table.of(FieldKind.END) or table.field("seconds")):
        operation = Operation.TELL
    if operation is Operation.TELL and question.stretch and table.field("birthday") and not _by_words(question, table):
        return Operation.LIST
    if operation is Operation.LIST and table.name == "notes" and not question.asked & {"notes"}:
        return Operation.TELL
    who = (
        table.said
        and "who" in question.asked
        and (question.stretch is not None or pattern("who_wrote").search(fold(question.text)))
    )
    return Operation.LIST if operation is Operation.TELL and who else operation


def _spans(question: ParsedQuestion) -> bool:
    return question.stretch is not None and question.stretch.first.date() != question.stretch.last.date()


def cues_order(question: ParsedQuestion) -> list[Operation]:
    """The operations that a question's words speak of, the surest first."""
    return [operation for operation, _ in cues()["operations"] if operation in question.operations]


def _single(best: Candidate, ranked: Sequence[Candidate], question: ParsedQuestion, now: datetime) -> list[Candidate]:
    """The record that fits best, with the others of its list that the answer rests on too.

    Of several past ones of one title, such as readings of one kind, or of mails of one sender, the latest, where no
    words ask for more than one.
    """
    state = state_of(question, best.table)
    put = [each for each in of_time_and_name(question, best.table) if each(best)]
    beside = [each for each in ranked if each.table is best.table and each is not best and _beside(each, best)]
    beside = [each for each in beside if all(condition(each) for condition in put)]
    found = [best, *(each for each in beside if state is None or state(each.row.record))]
    kind = best.table.author if best.table.said else best.table.title
    if kind is None:
        return found
    alike = [each for each in found if each.row.record.get(kind.name) == best.row.record.get(kind.name)]
    times = [best.table.when(each.row.record) or datetime.max for each in alike]
    if max(times) > now:
        return found
    latest = max(zip(times, range(len(alike)), strict=True))[1]
    return [alike[latest], *(each for each in found if each not in alike)]


def _beside(each: Candidate, best: Candidate) -> bool:
    behind = BEHIND if best.table.said or best.table.app == "contacts" else CLOSE
    return each.score >= min(MEMBER, best.score - 1) and best.score - each.score < behind


def _elsewhere(program: Program, ranked: Sequence[Candidate], now: datetime) -> tuple[Pick, ...]:
    """What others wrote that the answer rests on as well as on a record of the person's own: told first."""
    if program.operation in _COUNTING or not program.picks or program.picks[0].table.said:
        return ()
    found = [each for each in ranked if each.score >= ELSEWHERE and may_overrule(each.table, each.row.record, now)]
    latest = sorted((Pick(each.table, each.row) for each in found), key=lambda each: each.when or datetime.min)
    by_author = {each.table.author and each.value(each.table.author.name): each for each in latest}
    return tuple(by_author.values())[-2:]


def _set(
    best: Candidate, ranked: Sequence[Candidate], question: ParsedQuestion, sight: Sight, operation: Operation
) -> list[Candidate]:
    """The records that meet every condition that the question's words put, in the order of time."""
    tables = [best.table]
    if operation in (Operation.LIST, Operation.YES_NO, Operation.COUNT) and best.table.said:
        near = [each.table for each in ranked if each.score >= ELSEWHERE]
        tables += [each for each in dict.fromkeys(near) if each is not best.table and each.said]
    found: list[Candidate] = []
    for table in tables:
        rows = [each for each in ranked if each.table is table]
        met = rows
        for condition in conditions(best, question, sight, table, operation):
            met = [each for each in met if condition(each)]
        if _by_words(question, table):
            least = COMPARED if operation in _RATED + _ORDERED else MEMBER
            met = [each for each in met if each.score >= min(least, best.score - 1)]
        found += met
    return sorted(
        found,
        key=lambda each: (tables.index(each.table), each.table.when(each.row.record) or sight.now, each.row.ordinal),
    )


def _by_words(question: ParsedQuestion, table: Table) -> bool:
    """Whether words say which records of the list are meant: what is no word of the list, or stands in some of them."""
    telling = {each for each, word in question.content.items() if not LEFT.fullmatch(word)}
    return not telling <= table.stems | table.called or any(0 < held < len(table.rows) for held in table.held(telling))


def _doubtful(best: Candidate, ranked: Sequence[Candidate], question: ParsedQuestion, sight: Sight) -> bool:
    """Whether a record that meets every condition may or may not be counted."""
    table, near = best.table, [each for each in ranked if each.read and abs(each.score - MEMBER) < DOUBT]
    put = list(conditions(best, question, sight, table, Operation.COUNT))
    met = (each for each in near if each.table is table and all(condition(each) for condition in put))
    return _by_words(question, table) and any(met)


def _narrowed(program: Program, question: ParsedQuestion, sight: Sight, says: Sequence[float]) -> Program:
    """The program with the records and fields that its operation needs.

    Args:
        says: how likely the likeliest record says no, yes and neither.
    """
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
    elif operation is Operation.DIFFERENCE:
        return _difference(program, question)
    elif operation is Operation.YES_NO:
        return yes_no(program, question, sight, says)
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


def _rated(program: Program, question: ParsedQuestion) -> Program:
    if program.operation in (Operation.MOST, Operation.LEAST) and (told := _within(program)):
        return told
    number = number_field(question, program.scope[0])
    rated = [
        (value, each)
        for each in program.picks
        if number and (value := dates.number(each.value(number.name))) is not None
    ]
    if not number or not rated:
        left = max(len(program.picks) - 3, 0)
        fields = fields_asked(question, program.scope[0])
        return replace(program, operation=Operation.TELL, picks=program.picks[:3], left_out=left, fields=fields)
    if program.operation in (Operation.MOST, Operation.LEAST):
        rated = sorted(rated, key=lambda pair: pair[0], reverse=program.operation is Operation.MOST)[:1]
    return replace(program, picks=tuple(each for _, each in rated), fields=(number.name,))


def _difference(program: Program, question: ParsedQuestion) -> Program:
    """The gap between the figures of two records of a list; the records themselves where it is not of two."""
    number = number_field(question, program.scope[0])
    held = number is not None and all(dates.number(each.value(number.name)) is not None for each in program.picks)
    if number is None or not held or len(program.picks) != 2:
        return replace(program, operation=Operation.TELL, fields=fields_asked(question, program.scope[0]))
    return replace(program, fields=(number.name,))


def _within(program: Program) -> Program | None:
    """The largest or smallest of one record's own figures ("which app eats most of my data")."""
    table = program.scope[0]
    if len(table.rows) != 1 or table.app == "web":
        return None
    record = table.rows[0].record
    parts = [
        (value, each.name)
        for each in table.of(FieldKind.NUMBER)
        if each.name not in lexicon("tables.toml")["wholes"]
        and (value := dates.number(record.get(each.name))) is not None
    ]
    if len(parts) < 2:
        return None
    choose = max if program.operation is Operation.MOST else min
    return replace(program, operation=Operation.TELL, fields=(choose(parts)[1],))
