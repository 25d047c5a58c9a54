"""What a record must meet to be asked about: a time, a person, a state, a figure that its value is compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from camphor.agents.answering.lexicon import lexicon, pattern, stems_of, word_list
from camphor.agents.answering.programs import Pick
from camphor.agents.answering.question import Operation, ParsedQuestion, Want, cues
from camphor.agents.answering.ranking import FEATURES, Candidate, Sight
from camphor.agents.answering.stretch import Stretch
from camphor.agents.answering.tables import Field, FieldKind, Record, Table
from camphor.device import dates
from camphor.device.text import fold, text_of, words

AT = {name: place for place, name in enumerate(FEATURES)}
Condition = Callable[[Candidate], bool]

NEGATED = pattern("negated")
_ARRIVED = word_list("arrived")
_COMING = word_list("coming")
_UNSETTLED = word_list("unsettled")
CLOSED = pattern("closed")
_ENDED = word_list("ended")
_PARTS_OF_DAY = word_list("parts_of_day")
_READ = word_list("read_through")
_DEEDS = lexicon("words.toml")["deeds"]


def conditions(
    best: Candidate, question: ParsedQuestion, sight: Sight, table: Table, operation: Operation
) -> Iterator[Condition]:
    """All that the question's words put, for a list; `best` is the record that fits them best."""
    than = operation is Operation.YES_NO and "than" in question.asked and table.of(FieldKind.NUMBER)
    if not than:
        yield from of_time_and_name(question, table)
    if best.features[AT["person"]]:
        yield lambda each: bool(each.features[AT["person"]])
    about_one = operation is Operation.YES_NO and best.matched and table.field("status")
    if (state := state_of(question, table)) is not None and not about_one:
        yield lambda each: state(each.row.record)
    yield from _of_list(question, sight, table, operation)
    figure = question.more if question.more is not None else question.less
    measured = table.field("seconds") or number_field(question, table)
    if figure is not None and operation is not Operation.YES_NO and measured:
        bound = figure * (60 if measured.name == "seconds" and question.asked & word_list("minutes") else 1)
        more = question.more is not None
        yield (
            lambda each: (
                (value := dates.number(each.row.record.get(measured.name))) is not None
                and (value > bound if more else value < bound)
            )
        )


def of_time_and_name(question: ParsedQuestion, table: Table) -> Iterator[Condition]:
    """The time that is named, and of contacts the name: somebody else's record may speak of the one who is meant."""
    stretch, birthday = question.stretch, table.field("birthday")
    if stretch and table.time and not birthday:
        yield lambda each: bool(each.features[AT["in_time"]])
    if stretch and birthday:
        yield lambda each: _comes_in(stretch, dates.moment(each.row.record.get(birthday.name)))
    if table.app == "contacts":
        names = {id(row): stems_of(str(row.record.get("name") or "")) for row in table.rows}
        called = question.content.keys() & frozenset().union(*names.values())
        if called:
            yield lambda each: called <= names[id(each.row)]


def _comes_in(stretch: Stretch, day: datetime | None) -> bool:
    """Whether a day that comes every year comes in a stretch of time."""
    years = {stretch.first.year, stretch.last.year}
    return day is not None and any(
        stretch.meets(comes, comes + timedelta(hours=23, minutes=59))
        for comes in (dates.in_year(day, year) for year in years)
    )


_USES = lexicon("words.toml")["uses"]
LEFT = pattern("asks_what_is_left")


def _of_list(question: ParsedQuestion, sight: Sight, table: Table, operation: Operation) -> Iterator[Condition]:
    """Conditions that only lists of a kind know: medicines that ended, books read, apps deleted, what is ahead."""
    several = operation in (Operation.COUNT, Operation.LIST)
    if table.name == "medications":
        yield from _of_medications(question, sight, table)
    if table.field("progress") and several and question.asked & _READ:
        whole = not NEGATED.search(fold(question.text))
        yield lambda each: ((dates.number(each.row.record.get("progress")) or 0) >= 100) is whole
    asked_of = (table.field(name) for name, said in _USES.items() if question.asked & frozenset(said.split()))
    if (used := next((each for each in asked_of if each), None)) and several:
        wanted = not NEGATED.search(fold(question.text))
        yield lambda each: bool(each.row.record.get(used.name)) is wanted
    if several and (flag := _flag_named(question, table)):
        wanted = not NEGATED.search(fold(question.text))
        yield lambda each: bool(each.row.record.get(flag.name)) is wanted
    if several and question.wants is Want.BIRTHDAY and (birthday := table.field("birthday")):
        yield lambda each: bool(each.row.record.get(birthday.name))
    if table.field("action"):
        said = {fold(str(row.record.get("action", ""))) for row in table.rows}
        deeds = {
            value
            for value in said
            for deed, told in _DEEDS.items()
            if deed in value and question.asked & frozenset(told.split())
        }
        if deeds:
            yield lambda each: fold(str(each.row.record.get("action", ""))) in deeds
    left = LEFT.search(fold(question.text)) and not question.past
    ahead = question.asked & frozenset(cues()["side"]["ahead"].split()) or (
        operation is Operation.LIST and not question.past and not question.content.keys() - table.stems
    )
    if (
        table.name in ("events", "reminders")
        and several
        and (left or (not question.stretch and ahead))
        and not state_of(question, table)
    ):
        yield lambda each: (when := table.when(each.row.record)) is None or when >= sight.now


def _flag_named(question: ParsedQuestion, table: Table) -> Field | None:
    """The flag of a list that the question calls by all its words, or by "un-" before one: "paid november"."""
    named = (
        each
        for each in table.of(FieldKind.FLAG)
        if all({part, f"un{part}"} & question.asked for part in each.name.casefold().split("_"))
    )
    return next(named, None)


def _of_medications(question: ParsedQuestion, sight: Sight, table: Table) -> Iterator[Condition]:
    """Medicines that are taken still, and those of a part of the day."""
    ends = table.of(FieldKind.END)
    if ends and not question.asked & word_list("no_longer"):
        yield (
            lambda each: (
                (over := dates.moment(each.row.record.get(ends[0].name))) is None or over.date() >= sight.now.date()
            )
        )
    parts = question.asked & _PARTS_OF_DAY
    if any(parts & set(words(text_of(dict(row.record)))) for row in table.rows):
        yield lambda each: bool(parts & set(words(text_of(dict(each.row.record)))))


def state_of(question: ParsedQuestion, table: Table) -> Callable[[Record], bool] | None:
    """A condition on a flag or a status that the question's words put ("open", "not yet arrived"); None for none."""
    plain = fold(question.text).replace("’", "'")
    negated = bool(NEGATED.search(plain))
    for each in cues()["state"]:
        flag = table.field(each["flag"])
        if (
            flag
            and question.asked & frozenset(each["asked"].split())
            and (each["name"] == "done" or not question.asked & _ENDED)
        ):
            wanted = bool(each["value"]) if each["name"] != "done" else not negated
            return lambda record, name=flag.name, wanted=wanted: bool(record.get(name)) is wanted  # type: ignore[misc]
    status = table.field("status") or table.field("state")
    if (
        status
        and question.asked & (_ARRIVED | _COMING | _ENDED | _UNSETTLED)
        and question.operation is not Operation.TELL
    ):
        there = not (negated or question.asked & (_COMING | _UNSETTLED))
        return lambda record: bool(CLOSED.search(fold(str(record.get(status.name, ""))))) is there
    if table.field("from_me"):
        return _writer(plain)
    return None


def _writer(plain: str) -> Callable[[Record], bool] | None:
    """Whether what the person wrote is meant, or what others wrote."""
    if pattern("i_wrote").search(plain):
        return lambda record: bool(record.get("from_me"))
    if pattern("others_wrote").search(plain):
        return lambda record: not record.get("from_me")
    return None


def number_field(question: ParsedQuestion, table: Table) -> Field | None:
    """The field with figures that a question asks for; one with amounts where no words tell."""
    numbers = table.of(FieldKind.NUMBER)
    if not numbers:
        return None
    money = [each for each in numbers if each.words & _MONEY_FIELDS]
    asked = max(numbers, key=lambda each: len(each.words & question.asked))
    return asked if asked.words & question.asked or not money else money[0]


def amount_written(pick: Pick) -> float | None:
    """The amount that a text holds, where it holds one alone: with a currency, or written as prices are."""
    field = pick.table.text
    text = _NO_AMOUNT.sub(" ", str(pick.value(field.name) or "")) if field else ""
    found = [value for each in pattern("written_amount").finditer(text) if (value := dates.number(each[0])) is not None]
    return found[0] if len(found) == 1 else None


_WH = word_list("question_words")


def fields_asked(question: ParsedQuestion, table: Table) -> tuple[str, ...]:
    """The fields that the question's words ask for, in the order of the list; none where none is."""
    asked = question.asked
    scores = {
        each.name: sum(1 if word in _WH else 2 for word in each.words & asked)
        for each in table.fields
        if each is not table.title or each.words & asked & _WH
    }
    best = max(scores.values(), default=0)
    return tuple(name for name, score in scores.items() if best and (score == best or score >= 2))


_MONEY_FIELDS = word_list("money_fields")
_FIGURE = pattern("figure")
_NO_AMOUNT = pattern("no_amount")
_SPEAKS_OF_TIME = pattern("time")
_ENDS = pattern("end_in_text")


def holds(pick: Pick, want: Want) -> bool:
    """Whether a record holds a value of a kind at all."""
    table, record = pick.table, pick.row.record
    text = text_of(dict(record))
    undated = " ".join(str(value) for value in record.values() if dates.moment(value) is None)
    if want is Want.BIRTHDAY:
        return bool(record.get("birthday")) or (
            table.app != "contacts" and "birthday" in fold(text) and pick.when is not None
        )
    if want is Want.EMAIL:
        return bool(pattern("mail_address").search(text))
    if want is Want.PHONE:
        return bool(record.get("phone_number")) or bool(pattern("phone_number").search(text))
    if want is Want.CODE:
        return bool(_FIGURE.search(_NO_AMOUNT.sub(" ", undated))) or bool(pattern("secret").search(fold(undated)))
    if want is Want.MONEY:
        return bool(_FIGURE.search(_NO_AMOUNT.sub(" ", undated))) and table.app not in ("contacts", "calendar")
    if want is Want.END:
        return table.has_end(record) or bool(_ENDS.search(undated))
    if want is Want.TIME:
        return (table.when(record) is not None and not table.said) or bool(_SPEAKS_OF_TIME.search(text))
    return True
