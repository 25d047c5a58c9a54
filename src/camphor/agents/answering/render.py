"""An answer program as words: every value as the record has it, with where it is from; what others wrote in quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from camphor.agents.answering.comparing import ComparedFigure
from camphor.agents.answering.conditions import LEFT
from camphor.agents.answering.lexicon import lexicon, pattern, stems_of, word_list
from camphor.agents.answering.programs import Pick, Program, tables_of_picks
from camphor.agents.answering.question import Operation, ParsedQuestion
from camphor.agents.answering.ranking import Sight
from camphor.agents.answering.stretch import Stretch
from camphor.agents.answering.tables import FieldKind, Table
from camphor.agents.display import show_value
from camphor.device import dates
from camphor.device.text import fold
from camphor.device.when import show_day, show_time

_SHOWN = 12
_LONGEST_QUOTE = 280


def render(program: Program, sight: Sight) -> str:
    """What the person is told."""
    year = sight.now.year
    question = program.question
    assert question is not None
    if not program.picks and program.operation not in (Operation.COUNT, Operation.FREE):
        return _nothing(program)
    if program.operation is Operation.NONE and not program.lacking:
        return f"I am not sure what answers that. The nearest is: {_tell(program.picks[0], program, sight)}"
    if program.lacking:
        return (
            f"I found no {program.lacking} for that on this phone. The nearest is {_mention(program.picks[0], sight)}."
        )
    if program.amounts:
        told = _of_amounts(program, sight)
    elif program.operation is Operation.FREE:
        told = _free(program, year)
    elif program.operation is Operation.COUNT:
        told = _count(program, sight)
    elif program.operation in (Operation.SUM, Operation.MEAN):
        told = _sum(program, sight)
    elif program.operation is Operation.DIFFERENCE:
        told = _gap(program, sight)
    elif program.operation in (Operation.UNTIL, Operation.AGO):
        told = _away(program, sight)
    elif program.operation is Operation.AGE:
        told = _age(program, sight)
    elif program.operation is Operation.DURATION:
        told = _duration(program, sight)
    elif len(program.picks) > 1 and program.operation in (Operation.LIST, Operation.YES_NO, Operation.TELL):
        told = _list(program, sight)
    else:
        told = " ".join(_tell(pick, program, sight) for pick in program.picks)
    if program.newer:
        later = " ".join(quote(pick, question, sight, most=3) for pick in program.newer)
        place = program.scope[0].label
        several = len(program.picks) > 1
        told = f"{told}\nNewer than {place}: {later}" if several else f"{later} {place.capitalize()} still has: {told}"
    if program.verdict is not None and program.operation is not Operation.FREE:
        told = f"{'Yes' if program.verdict else 'No'}: {told}"
    return told


def render_likely(picks: Sequence[Pick], question: ParsedQuestion, sight: Sight) -> str:
    """Records that a question may be about, though none of its words says so: shown as no more than that."""
    program = Program(Operation.TELL, tuple(picks), question=question)
    told = [_tell(pick, program, sight) for pick in picks]
    if len(told) == 1:
        return f"Perhaps you mean this: {told[0]}"
    return "\n".join(["Perhaps you mean one of these:", *(f"· {each}" for each in told)])


def _mention(pick: Pick, sight: Sight) -> str:
    """A record named, and nothing told of it."""
    return f"{short(pick, sight)}, in {pick.table.label}"


def _nothing(program: Program) -> str:
    about = f" about “{' '.join(program.words)}”" if program.words else ""
    when = f" ({program.stretch.said})" if program.stretch else ""
    where = f" in {program.scope[0].label}" if program.scope and not about else " on this phone"
    return f"I found nothing{about}{when}{where}."


def said_stretch(stretch: Stretch, year: int) -> str:
    """A stretch of time: `Thu 12 Mar`, `Mon 16 Mar to Wed 18 Mar`."""
    first, last = stretch.first, stretch.last
    if first == last:
        return show_time(first, year)
    if first.date() == last.date():
        return f"{show_day(first.date(), year)} from {first:%H:%M}" if first.hour else show_day(first.date(), year)
    return f"{show_day(first.date(), year)} to {show_day(last.date(), year)}"


def _free(program: Program, year: int) -> str:
    assert program.stretch is not None
    when = said_stretch(program.stretch, year)
    if not program.picks:
        return f"Yes: your calendar has nothing on {when}."
    events = "; ".join(_event(pick, year) for pick in program.picks)
    return f"{'Yes' if program.verdict else 'No'}: on {when} your calendar has {events}."


def _event(pick: Pick, year: int, day: bool = True) -> str:
    """`Dentist, Thu 12 Mar 10:00 to 11:30, Tully Marsh`."""
    title = str(pick.value("title") or "")
    return ", ".join(
        part for part in (title, span(pick, year, day), show_value(pick.value("location") or "", year)) if part
    )


def span(pick: Pick, year: int, day: bool = True) -> str:
    """When a record is: its beginning and, where it has one, its end."""
    first, last = pick.when, pick.table.ends(pick.row.record)
    if first is None:
        return ""
    clock = len(str(pick.value(pick.table.time.name) if pick.table.time else "")) > 10
    begin = (show_time(first, year) if day else f"{first:%H:%M}") if clock else show_day(first.date(), year)
    if last is None or last <= first:
        return begin
    end = f"{last:%H:%M}" if last.date() == first.date() else show_time(last, year, clock=clock)
    return f"{begin} to {end}"


def _count(program: Program, sight: Sight) -> str:
    table = program.scope[0]
    count = len(program.picks)
    noun = table.noun if count == 1 else table.nouns
    when = f" ({program.stretch.said})" if program.stretch else ""
    names = _shortened([short(pick, sight) for pick in program.picks])
    return f"{count} {noun}{when} in {table.label}" + (f": {names}." if names else ".")


def _shortened(told: Sequence[str]) -> str:
    """The first of some records, and how many more there are."""
    more = len(told) - _SHOWN
    return "; ".join(told[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _sum(program: Program, sight: Sight) -> str:
    name = program.fields[0]
    values = [dates.number(pick.value(name)) or 0.0 for pick in program.picks]
    result = sum(values) / (len(values) if program.operation is Operation.MEAN else 1)
    sample = program.picks[0].value(name)
    unit = _unit(sample, name)
    parts = _shortened(
        [f"{short(pick, sight)}: {show_value(pick.value(name), sight.now.year)}" for pick in program.picks]
    )
    word = "on average" if program.operation is Operation.MEAN else "in all"
    table = program.scope[0]
    nouns = table.noun if len(values) == 1 else table.nouns
    return f"{unit[0]}{_figure(result)}{unit[1]} {word}, of {len(values)} {nouns}: {parts}."


def _of_amounts(program: Program, sight: Sight) -> str:
    """A figure reckoned of amounts in texts, with the sentences that hold them."""
    assert program.question is not None
    amounts = program.amounts
    if program.operation is Operation.DIFFERENCE:
        told = f"{_figure(abs(amounts[0] - amounts[1]))} apart"
    elif program.operation is Operation.MEAN:
        told = f"{_figure(sum(amounts) / len(amounts))} on average"
    else:
        told = f"{_figure(sum(amounts))} in all"
    lines = (
        f"· {_figure(amount)}: {quote(pick, program.question, sight)}"
        for pick, amount in zip(program.picks, amounts, strict=True)
    )
    return f"{told}:\n" + "\n".join(lines)


def _gap(program: Program, sight: Sight) -> str:
    name = program.fields[0]
    first, second = program.picks
    gap = abs((dates.number(first.value(name)) or 0.0) - (dates.number(second.value(name)) or 0.0))
    unit = _unit(first.value(name), name)
    parts = "; ".join(f"{short(pick, sight)}: {show_value(pick.value(name), sight.now.year)}" for pick in program.picks)
    return f"{unit[0]}{_figure(gap)}{unit[1]} apart: {parts} ({first.table.label})."


def render_gap(
    programs: Sequence[Program], figures: Sequence[ComparedFigure | None], questions: Sequence[ParsedQuestion]
) -> str | None:
    """A figure at two times and how far these are apart; None where one of the two is not known, or is of another kind.

    `9214 steps yesterday, 7034 steps the day before: 2180 steps more (your activity).`
    """
    one, other = figures
    parts = [
        _at_time(program, figure, question)
        for program, figure, question in zip(programs, figures, questions, strict=True)
        if figure
    ]
    if one is None or other is None:
        unknown = programs[0] if one is None else programs[1]
        return "\n".join([f"{each}." for each in parts] + [_nothing(unknown)]) if parts and not unknown.picks else None
    tables = [each.scope[0] for each in programs]
    if one.field != other.field or tables[0].key != tables[1].key:
        return None
    gap = one.value - other.value
    apart = f"{_of_unit(abs(gap), one, tables[0])} {'more' if gap > 0 else 'less'}" if gap else "no difference"
    told = f"{parts[0]}, {parts[1]}: {apart} ({tables[0].label})."
    asked = fold(questions[0].text)
    more, less = (bool(pattern(each).search(asked)) for each in ("says_more", "says_less"))
    if not pattern("asks_whether").search(asked) or more is less:
        return told
    return f"{'Yes' if gap and (gap > 0) is more else 'No'}: {told}"


def tell_uncompared(said: str) -> str:
    """That a part of a question is not answered: what it asks to be compared with."""
    return f"I did not compare that with “{said}”."


def _at_time(program: Program, figure: ComparedFigure, question: ParsedQuestion) -> str:
    """`9214 steps yesterday`."""
    mean = " on average" if program.operation is Operation.MEAN else ""
    said = question.stretch.said if question.stretch else "now"
    return f"{_of_unit(figure.value, figure, program.scope[0])}{mean} {said}"


def _of_unit(value: float, figure: ComparedFigure, table: Table) -> str:
    """A number with the unit of a figure, or of so many records."""
    nouns = table.noun if value == 1 else table.nouns
    before, after = _unit(figure.sample, figure.field) if figure.field else ("", f" {nouns}")
    return f"{before}{_figure(value)}{after}"


def _figure(value: float) -> str:
    rounded = round(value, 2)
    return f"{rounded:.0f}" if rounded == int(rounded) else f"{rounded:.2f}".rstrip("0").rstrip(".")


def _unit(sample: object, name: str) -> tuple[str, str]:
    if isinstance(sample, str):
        found = re.fullmatch(r"\s*(\D*?)\s*-?[\d][\d,. ]*\s*(\D*)", sample)
        return (found[1].strip(), f" {found[2].strip()}" if found[2].strip() else "") if found else ("", "")
    return "", " " + name.replace("_", " ")


def _away(program: Program, sight: Sight) -> str:
    pick = program.picks[0]
    when = pick.when
    if when is None:
        return _tell(pick, program, sight)
    name = str(pick.table.time.name) if pick.table.time else ""
    if name == "birthday":
        born, this_year = when, sight.now.year
        when = dates.in_year(born, this_year)
        if when.date() < sight.now.date():
            when = dates.in_year(born, this_year + 1)
    gap = when - sight.now
    clock = len(str(pick.value(name))) > 10
    days = (when.date() - sight.now.date()).days
    shown = show_time(when, sight.now.year, clock=clock)
    if clock and abs(gap) < timedelta(days=2):
        long = lasting(abs(gap))
    else:
        long = f"{abs(days)} day{'s' if abs(days) != 1 else ''}"
    if when >= sight.now:
        return f"{long} until {short(pick, sight)} ({shown}, {pick.table.label})."
    return f"{long} ago: {short(pick, sight)} ({shown}, {pick.table.label})."


def _age(program: Program, sight: Sight) -> str:
    pick = program.picks[0]
    born = dates.moment(pick.value("birthday"))
    if born is None or born.year < 1900:
        return _tell(pick, program, sight)
    question, now = program.question, sight.now
    assert question is not None
    at = question.stretch.last if question.stretch and question.stretch.last > now else now
    age = at.year - born.year - ((at.month, at.day) < (born.month, born.day))
    coming = at is now and bool(question.asked & word_list("coming_age"))
    told = f"will be {age + coming}" if coming or at > now else f"is {age}"
    return f"{short(pick, sight)} {told}: birthday {show_day(born.date(), now.year)} ({pick.table.label})."


def lasting(gap: timedelta) -> str:
    """A length of time: `1 day 2 hours 5 minutes`."""
    minutes = round(gap.total_seconds() / 60)
    parts = [(minutes // 1440, "day"), (minutes % 1440 // 60, "hour"), (minutes % 60, "minute")]
    return " ".join(f"{count} {unit}{'s' if count != 1 else ''}" for count, unit in parts if count) or "0 minutes"


def _duration(program: Program, sight: Sight) -> str:
    parts = []
    for pick in program.picks:
        seconds = dates.number(pick.value("seconds"))
        first, last = pick.when, pick.table.ends(pick.row.record)
        if seconds is not None:
            minutes, rest = divmod(round(seconds), 60)
            long = f"{minutes} minute{'s' if minutes != 1 else ''} {rest} seconds"
            parts.append(f"{long}: {short(pick, sight)} ({pick.table.label}).")
        elif first and last and last > first:
            parts.append(f"{lasting(last - first)}: {_event(pick, sight.now.year)} ({pick.table.label}).")
        else:
            parts.append(_tell(pick, program, sight))
    return " ".join(parts)


def _list(program: Program, sight: Sight) -> str:
    picks = program.picks[:_SHOWN]
    places = " and ".join(each.label for each in tables_of_picks(program.picks))
    when = f" ({program.stretch.said})" if program.stretch else ""
    one_day = bool(program.stretch and program.stretch.first.date() == program.stretch.last.date())
    lines = [f"· {_line(pick, program, sight, one_day)}" for pick in picks]
    if more := len(program.picks) - len(picks) + program.left_out:
        lines.append(f"· and {more} more")
    doubt = "I cannot tell for certain which of these count. " if program.uncounted else ""
    return f"{doubt}In {places}{when}:\n" + "\n".join(lines)


def _line(pick: Pick, program: Program, sight: Sight, one_day: bool) -> str:
    year = sight.now.year
    if pick.table.said and pick.table.text:
        assert program.question is not None
        return quote(pick, program.question, sight)
    if pick.table.app == "calendar":
        return _event(pick, year, day=not one_day)
    title, text = pick.table.title, pick.table.text
    if program.operation is Operation.TELL and text and text is not title and pick.value(text.name):
        assert program.question is not None
        return quote(pick, program.question, sight, most=2)
    shown = [show_value(pick.value(title.name), year)] if title else []
    wanted = [name for name in program.fields if not title or name != title.name]
    others = [each.name for each in pick.table.fields if each is not title and each.kind is not FieldKind.TEXT]
    for name in dict.fromkeys([*wanted, *others][: max(4, len(wanted))]):
        value = pick.value(name)
        if value not in (None, "", []):
            shown.append(_labelled(name, value, year))
    return ", ".join(shown)


def _labelled(name: str, value: object, year: int) -> str:
    shown = show_value(value, year)
    if isinstance(value, int | float):
        return f"{name.replace('_', ' ')} {shown}"
    return shown


def short(pick: Pick, sight: Sight) -> str:
    """A record in a few words."""
    title = pick.table.title
    if pick.table.said and pick.table.author and pick.table.app != "web":
        who = show_value(pick.value(pick.table.author.name) or "", sight.now.year)
        about = pick.value("subject") or pick.value("title")
        when = f" {show_time(pick.when, sight.now.year)}" if pick.when else ""
        return f"{who}{when}" + (f" “{about}”" if about else "")
    if title is None:
        time = pick.table.time
        return show_value(pick.value(time.name) or "", sight.now.year) if time and pick.when else pick.table.noun
    named = show_value(pick.value(title.name) or "", sight.now.year) or pick.table.noun
    return named


def _tell(pick: Pick, program: Program, sight: Sight) -> str:
    year = sight.now.year
    question = program.question
    assert question is not None
    table = pick.table
    if table.app == "web":
        return f"The web says: “{sentence_of(pick, question, sight, most=3)}”"
    asked = [name for name in program.fields if pick.value(name) not in (None, "", [])]
    if table.text and table.said:
        return quote(pick, question, sight, most=3)
    title = table.title
    named = show_value(pick.value(title.name) or "", year) if title else ""
    text = table.text
    noted = ""
    if text and text is not title and pick.value(text.name):
        there = stems_of(str(pick.value(text.name)))
        told = stems_of(named)
        if (
            text.name in asked
            or any(each in there and each not in told for each in question.content)
            or not table.time
            or table.app == "notes"
        ):
            noted = f" “{sentence_of(pick, question, sight, most=3)}”"
    if table.app == "calendar":
        who = [name for name in asked if name == "participants"]
        with_whom = "".join(f", with {show_value(pick.value(name), year)}" for name in who)
        return f"{_event(pick, year)}{with_whom}{'.' if noted else ''}{noted} ({table.label})."
    order = [*asked, *(each.name for each in table.fields if each.name not in asked)]
    shown = [
        name
        for name in order
        if (not title or name != title.name)
        and (not text or name != text.name)
        and pick.value(name) not in (None, "", [])
    ]
    if table.key in lexicon("tables.toml")["single"] and asked:  # an object with many figures, such as the mobile data
        shown = [name for name in shown if name in asked]
    values = ", ".join(_pair(name, pick.value(name), year) for name in shown[:_FIELDS]) + _left(pick, question)
    return f"{': '.join(part for part in (named, values) if part)}{'.' if noted else ''}{noted} ({table.label})."


_FIELDS = 7
_GOALS = word_list("goals")
_DONE = word_list("so_far")


def _left(pick: Pick, question: ParsedQuestion) -> str:
    """What is left of a goal, where a record has both and the question asks for it: `, 44 left`."""
    if not LEFT.search(question.text.casefold()):
        return ""
    read = {frozenset(name.casefold().split("_")): dates.number(value) for name, value in pick.row.record.items()}
    goals = [number for name, number in read.items() if number is not None and _GOALS & name]
    done = [number for name, number in read.items() if number is not None and _DONE & name]
    return f", {_figure(goals[0] - done[0])} left" if len(goals) == len(done) == 1 else ""


def _pair(name: str, value: object, year: int) -> str:
    return f"{name.replace('_', ' ')} {show_value(value, year)}"


def quote(pick: Pick, question: ParsedQuestion, sight: Sight, most: int = 1) -> str:
    """What somebody wrote, in quotes, with who and when."""
    year = sight.now.year
    table = pick.table
    said = sentence_of(pick, question, sight, most)
    when = f" on {show_time(pick.when, year)}" if pick.when else ""
    if pick.value("from_me"):
        return f"You wrote to {show_value(pick.value('contact') or '', year)}{when}: “{said}”"
    if table.said and table.author:
        who = show_value(pick.value(table.author.name) or "", year)
        about = f", “{pick.value('subject')}”" if pick.value("subject") else ""
        return f"{who} wrote{when}{about}: “{said}”" if table.name == "messages" else f"{who}{when}: “{said}”"
    title = table.title
    named = show_value(pick.value(title.name) or "", year) if title and title is not table.text else ""
    return f"{named + ': ' if named else ''}“{said}” ({table.label})."


def sentence_of(pick: Pick, question: ParsedQuestion, sight: Sight, most: int = 1) -> str:
    """The sentences of a record's text that the question's words point at, at most so many, in their order."""
    field = pick.table.text or pick.table.title
    text = " ".join(str(pick.value(field.name) or "").split()) if field else ""
    parts = [part for part in pattern("sentence_end").split(text) if part.strip()]
    if len(text) <= _WHOLE * min(most, 2) or len(parts) < 2:
        return text[:_LONGEST_QUOTE] + (" ..." if len(text) > _LONGEST_QUOTE else "")
    held = [stems_of(part) for part in parts]
    worth = [sum(sight.rarity.get(each, 1.0) for each in question.content if each in there) for there in held]
    best = sorted(range(len(parts)), key=lambda place: (-worth[place], place))[:most]
    return " … ".join(parts[place] for place in sorted(best))[: _LONGEST_QUOTE * 2]


_WHOLE = 160  # characters of a text that is quoted whole
