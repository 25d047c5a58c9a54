"""Times of calls, as the request says them, made into ISO 8601: the model copies, code computes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any

from camphor.device.when import parse_range, parse_time
from camphor.device.when.events import clock_of, event_begin, event_end, timer_text, weekdays_of
from camphor.device.when.lexicon import canonical
from camphor.device.when.phrases import PhraseReader, read
from camphor.errors import ArgumentError, ToolError
from camphor.tools.plans import Plan
from camphor.tools.tool import Parameter, Role, Tool, Toolbox
from camphor.types import Call

_MOMENTS = (Role.TIME, Role.DATE)
_WITHOUT_A_CLOCK: dict[Role, Callable[[str], Any]] = {
    Role.HOUR: lambda words: clock_of(words).hour,
    Role.MINUTE: lambda words: clock_of(words).minute,
    Role.DURATION: timer_text,
    Role.CLOCK: lambda words: f"{clock_of(words):%H:%M}",
    Role.WEEKDAYS: weekdays_of,
}
_NUMBER = re.compile(r"\s*\d{1,2}\s*")
_BEGINS = re.compile(r"(^|_)(begin|begins|beginning|start|starts|from|departure|check_?in)(_|$)", re.IGNORECASE)
_ENDS = re.compile(r"(^|_)(end|ends|ending|stop|finish|until|to|arrival|return|check_?out)(_|$)", re.IGNORECASE)
_LEADS = re.compile(r"(?:(?:until|till|til|to|ending|ends|finishing|lasting|lasts|for|at) )+", re.IGNORECASE)
_LONGEST_TIME = 12  # words of one: "from a quarter past nine in the morning to noon on the first Friday of May"
_MARKS = ".,;:!?\"'()[]"
_WHOLE_DAY = re.compile(r"all_?day|whole_?day|full_?day", re.IGNORECASE)


def settle_times(plan: Plan, toolbox: Toolbox, now: datetime | None) -> Plan:
    """The plan with every time that is given in words as ISO 8601: a moment for `Role.TIME`, a day for `Role.DATE`.

    Of a parameter that ends what another one begins, an hour alone is the first such hour after the begin, and a
    length ("two hours") counts from it. Hours, minutes, lengths, weekdays and, where there is a clock, ranges of days
    ("this week") in words are computed too. Values in their final form stay as they are, and so do calls of tools that
    are not there.

    Raises:
        ArgumentError: words that say no time, or words where there is no clock; names the parameter.
    """
    known = {tool.name: tool for tool in toolbox}
    return tuple(_settled(call, known[call.name], now) if call.name in known else call for call in plan)


def words_of_time(text: str, roles: Iterable[Role], now: datetime | None) -> dict[Role, tuple[str, ...]]:
    """The runs of a text's words that say a value of each role, which is all that a call can copy for it.

    A role for which nothing is said, or cannot be told without a clock, is left out.
    """
    words = text.split()
    text = " ".join(words)
    spans = (words[begin:end] for begin in range(len(words)) for end in range(begin + 1, begin + _LONGEST_TIME + 1))
    bare = (" ".join(span).strip(_MARKS) for span in spans)
    runs = tuple(dict.fromkeys(run for each in bare if each for run in (each, f"{each}.") if run in text))  # "7 p.m."
    found = {}
    for role in dict.fromkeys(roles):
        compute = _WITHOUT_A_CLOCK.get(role)
        if compute is None and (now is None or role not in _MOMENTS):
            continue
        said = tuple(run for run in runs if (_says(compute, run) if compute else now and _says_moment(run, role, now)))
        if said:
            found[role] = said
    return found


def _says(compute: Callable[[str], Any], words: str) -> bool:
    try:
        compute(words)
    except (ToolError, ValueError, OverflowError):
        return False
    return True


def _says_moment(words: str, role: Role, now: datetime) -> bool:
    """Whether the words are a day, or for `Role.TIME` a moment, a range or a length, as a begin or an end may be."""
    if _says(lambda text: event_begin(text, now, whole_day=True), words):
        return True
    if role is Role.DATE:
        return False
    lead = _LEADS.match(words)
    return _says(lambda text: event_end(text, now, now), words[lead.end() :] if lead else words)


def _settled(call: Call, tool: Tool, now: datetime | None) -> Call:
    settled: dict[str, Any] = dict(call.arguments)
    for parameter in tool.parameters:
        words, compute = settled.get(parameter.name), _WITHOUT_A_CLOCK.get(parameter.role)
        if compute and isinstance(words, str) and words.strip() and not _is_number(words, parameter):
            try:
                settled[parameter.name] = compute(words.strip())
            except ToolError as error:
                expected = f"words that say its {parameter.role.value}: {error}"
                raise ArgumentError(tool.name, parameter.name, words, expected) from None
    if now is not None:
        settled |= _ranges(call, tool, now)
    timed = [each for each in tool.parameters if each.role in _MOMENTS and isinstance(settled.get(each.name), str)]
    whole_day = any(_WHOLE_DAY.search(name) and _is_true(value) for name, value in call.arguments.items())
    for parameter in sorted(timed, key=lambda each: bool(_ENDS.search(each.name))):
        words = settled[parameter.name].strip()
        if not words or _is_iso(words):
            continue
        if now is None:
            raise ArgumentError(tool.name, parameter.name, words, "a time in ISO 8601, as no clock says what now is")
        begin = _begin_of(parameter, settled, tool)
        try:
            resolved = _resolved(words, parameter, begin, now, whole_day)
        except ToolError as error:
            raise ArgumentError(tool.name, parameter.name, words, f"a time that can be understood: {error}") from None
        may_end = not whole_day and not parameter.required and _ENDS.search(parameter.name)
        if may_end and begin and resolved == begin.isoformat():
            del settled[parameter.name]  # the words of the begin once more say no end
        else:
            settled[parameter.name] = resolved
    return Call(call.name, settled)


def _ranges(call: Call, tool: Tool, now: datetime) -> dict[str, str]:
    """The ranges of days of a call, as `parse_range` gives them."""
    found = {}
    for parameter in tool.parameters:
        words = call.arguments.get(parameter.name)
        if parameter.role is Role.TIME_RANGE and isinstance(words, str) and words.strip():
            try:
                found[parameter.name] = parse_range(words, now)
            except ToolError as error:
                expected = f"days that can be understood: {error}"
                raise ArgumentError(tool.name, parameter.name, words, expected) from None
    return found


def _resolved(words: str, parameter: Parameter, begin: datetime | None, now: datetime, whole_day: bool) -> str:
    if parameter.role is Role.DATE:
        day = words[lead.end() :] if (lead := _LEADS.match(words)) else words  # "until Friday" is a range, from today
        return event_begin(day, now, whole_day=True).date().isoformat()
    if begin is None or not _ENDS.search(parameter.name):
        return event_begin(words, now, whole_day=whole_day).isoformat()
    if whole_day:
        return event_begin(words, now, whole_day=True).isoformat()
    words = words[lead.end() :] if (lead := _LEADS.match(words)) else words
    if _is_hour_alone(words, now):
        return parse_time(words, begin).isoformat()
    return event_end(words, begin, now).isoformat()


def _is_hour_alone(words: str, now: datetime) -> bool:
    """ "5 pm", "half past six": an hour and no day."""
    try:
        phrase = read(canonical(words), PhraseReader(now))
    except (ValueError, OverflowError):  # a date that no calendar has, which is refused where it is resolved
        return False
    return phrase is not None and phrase.day is None and bool(phrase.clocks)


def _begin_of(parameter: Parameter, arguments: Mapping[str, Any], tool: Tool) -> datetime | None:
    """The moment at which that begins which the parameter ends: that of the parameter named so."""
    for other in tool.parameters:
        value = arguments.get(other.name)
        begins = other is not parameter and other.role in _MOMENTS and _BEGINS.search(other.name)
        if begins and isinstance(value, str) and _is_iso(value):
            return datetime.fromisoformat(value)
    return None


def _is_number(words: str, parameter: Parameter) -> bool:
    """A minute that is a number already; an hour of one or two digits is read as a clock, which gives the same."""
    return parameter.role is Role.MINUTE and bool(_NUMBER.fullmatch(words))


def _is_true(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.strip().casefold() in ("true", "yes"))


def _is_iso(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        try:
            date.fromisoformat(text)
        except ValueError:
            return False
    # "0900" and "20260312" are hours and numbers that people write
    return text[4:5] == "-"
