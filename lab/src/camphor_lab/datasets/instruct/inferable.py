"""Whether every argument's value can be inferred from the query, by evidence in its words.

DroidCall's prompts forbid values that the query does not tell (Appendix A); nothing checks it there. Here each value
needs evidence: its words, its number in digits or words, the clock, day, length or weekday that it was computed from,
the words that a parameter's description explains a choice with, a result of an earlier call. It holds for any function:
what is looked at is the value, its type and its description. The check errs on the side of refusing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from camphor.device.numbers import clock_length, length_of, numbers_in
from camphor.device.text import COMMON, near, words
from camphor.device.when.lexicon import WEEKDAYS
from camphor.tools.plans import Plan, Reference
from camphor.tools.tool import Parameter, Tool
from camphor_lab.datasets.files import tables_beside
from camphor_lab.datasets.instruct.said import SaidInQuery

_WORDS = tables_beside(__file__, "evidence.toml")
_FREE = COMMON | frozenset(words(_WORDS["free"]))
_SEVERAL, _OF_SWITCHES = (frozenset(words(_WORDS[name])) for name in ("several", "of_switches"))
_ENDINGS = ("ing", "ion", "ions", "edly", "ed", "es", "ly", "s", "er", "e")
_SHORTEST_STEM = 3
_A_MISS_IN = 6  # of so many words of a long text one may be the writer's own
_MOST_JOINED = 6

_SIGNS = {"at": "@", "dot": ".", "underscore": "_", "dash": "-", "hyphen": "-", "slash": "/"}
_WHOLE_DAY = re.compile(r"\b(?:all|whole|entire|full)[ -]?day\b")
_MANY = re.compile(r"\b(?:multiple|several|many|more than one|one or more)\b", re.IGNORECASE)


def content(text: str) -> set[str]:
    """The words of a text that carry meaning."""
    return {word for word in words(text) if word not in _FREE}


def alike(one: str, other: str) -> bool:
    """Whether two words are forms of one: inflected, with a slip, or one at the end of the other (email, mail)."""
    if one == other or near(one, other) or _stems(one) & _stems(other):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) > _SHORTEST_STEM and long.endswith(short)


def _stems(word: str) -> set[str]:
    found = {word}
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            stem = word[: -len(ending)]
            found |= {stem, stem[:-1]} if len(stem) > _SHORTEST_STEM and stem[-1:] == stem[-2:-1] else {stem}
            if ending == "es" and stem.endswith("i"):
                found.add(stem[:-1] + "y")
    return found


def heard(said: SaidInQuery, word: str) -> bool:
    """Whether a word, a form of it or what people call it is in the query."""
    called = (word, *_WORDS["called"].get(word, "").split())
    return any(alike(each, other) for each in called for other in said.words)


def coded(said: SaidInQuery, value: str) -> bool:
    """A code for a currency or a language whose name is said."""
    return not set(_WORDS["codes"].get(value, "").split()).isdisjoint(said.words)


def joined(said: SaidInQuery, value: str) -> bool:
    """Whether the query says a value with other spaces and marks: "Wi-Fi" and wifi."""
    wanted = "".join(words(value.replace("_", " ")))
    spoken = said.words
    return bool(wanted) and any(
        "".join(spoken[start : start + size]) == wanted
        for size in range(1, _MOST_JOINED + 1)
        for start in range(len(spoken) - size + 1)
    )


def worded(said: SaidInQuery, value: str) -> bool:
    """Whether a free text is made of the query's words and numbers.

    Small words are free where others carry the meaning; of a long text one word in six may be the writer's own, but no
    number.
    """
    if joined(said, value):
        return True
    stem, _, ending = value.rpartition(".")
    if stem and re.fullmatch(r"[A-Za-z0-9]{1,5}", ending) and " " not in value:
        # a file's name: its ending is a kind of file
        value = re.sub(r"[_\W]+|(?<=[a-z])(?=[A-Z])", " ", stem)
    spoken = content(value)
    if not spoken:
        return bool(set(words(value)) & set(said.words))
    figures = {word for word in spoken if any(char.isdigit() for char in word)}
    if any(not _figure(said, figure) for figure in figures):
        return False
    numerals = {word for word in spoken - figures if word not in said.words and numbers_in(word) & said.numbers}
    missing = [word for word in spoken - figures - numerals if not any(alike(word, other) for other in said.words)]
    return len(missing) <= len(spoken) // _A_MISS_IN


def _figure(said: SaidInQuery, figure: str) -> bool:
    found = numbers_in(figure)
    clocks = {float(part) for clock in said.clocks for part in (*clock, clock[0] % 12)}
    days = {float(part) for day in said.days for part in (day.year, day.month, day.day)}
    return figure in said.words or (bool(found) and found <= said.numbers | clocks | days)


def spoken_address(said: SaidInQuery, address: str) -> bool:
    """An address that is written in the query, or dictated: "bob at mail dot com"."""
    folded = said.folded
    if address.casefold() in folded:
        return True
    dictated = folded
    for spoken, sign in _SIGNS.items():
        dictated = re.sub(rf"\s+\(?{spoken}\)?\s+", sign, dictated)
    return address.casefold() in dictated


def spoken_type(said: SaidInQuery, kind: str, form: str) -> bool:
    """A MIME type, meant by what people call such files; `*/*` by any of them."""
    if kind == "*":
        return any(alike(each, other) for each in _WORDS["any_file"].split() for other in said.words)
    if form == "*":
        return heard(said, kind)
    return (
        heard(said, form)
        if form in _WORDS["called"]
        else any(heard(said, part) for part in content(form.replace("-", " ")))
    )


def speaks_of(said: SaidInQuery, parameter: Parameter) -> bool:
    """Whether the query has a word of what a switch is about, or, of one for several things, speaks of several."""
    about = f"{parameter.name.replace('_', ' ')} {parameter.description}"
    topic = content(about) - _OF_SWITCHES
    if _MANY.search(about):
        plural = {word for word in said.words if word.endswith("s") and any(alike(word, other) for other in topic)}
        plural |= {word for word in said.words if word.endswith("s") and len(word) > 3 and word not in _FREE}
        return bool(plural or _SEVERAL & set(said.words) or any(number >= 2 for number in said.numbers))
    name = content(parameter.name.replace("_", " ")) - {"extra", "is", "allow"}
    if _WHOLE_DAY.search(about.casefold()) and _WHOLE_DAY.search(said.folded):
        return True
    return any(alike(word, other) for word in (name or topic) for other in said.words)


_CHOICE = re.compile(r"[\"'“‘`]([\w./*+ -]{1,40})[\"'”’`]")
_ISO_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::[0-5]\d)?\s*([ap]\.?m\.?)?|(\d{1,2})\s*([ap]\.?m\.?)", re.IGNORECASE)
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_PHONE = re.compile(r"\+?[\d\s().-]{5,25}\d")
_MIME = re.compile(r"(\*|application|audio|font|image|message|model|multipart|text|video)/([\w.+*-]+)")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+|www\.\S+", re.IGNORECASE)
_DAY_LIKE = re.compile(r"\b(?:week)?days?\b", re.IGNORECASE)
_SHORT_DAYS = {name[:size]: place for place, name in enumerate(WEEKDAYS) for size in (2, 3)}
_ENDS_OF_DAY = ((0, 0), (23, 59))


@dataclass(frozen=True)
class NotInferable:
    """An argument whose value the query does not tell. `call` is the call's place in the plan."""

    call: int
    name: str
    parameter: str
    value: Any

    def __str__(self) -> str:
        shown = repr(self.value)
        return f"{self.name}({self.parameter}={shown if len(shown) <= 60 else shown[:57] + '...'})"


def not_inferable(
    query: str,
    plan: Plan,
    tools: Sequence[Tool],
    now: datetime | None = None,
    said: MutableMapping[str, str] | None = None,
) -> list[NotInferable]:
    """The arguments without evidence in the query, in the order of the plan; of lists and objects the items.

    Args:
        now: the clock that the query counts from; None where "tomorrow" tells no date.
        said: takes in the words that moments were computed from, as samples hold them: {"0.time": "next Friday at 3"}.
    """
    known = {tool.name: tool for tool in tools}
    judge = _Judge(SaidInQuery(query, now))
    faults = []
    for place, call in enumerate(plan):
        tool = known.get(call.name)
        for name, value in call.arguments.items():
            parameter = (tool.parameter(name) if tool else None) or Parameter(name, "")
            for part in judge.unheard(value, parameter):
                faults.append(NotInferable(place, call.name, name, part))
            source = judge.source(value)
            if said is not None and source:
                said[f"{place}.{name}"] = source
    return faults


class _Judge:
    def __init__(self, said: SaidInQuery) -> None:
        self._said = said

    def source(self, value: Any) -> str:
        """The words that a moment was computed from."""
        moment = _moment(value) if isinstance(value, str) and value not in self._said.query else None
        return self._said.source_of(moment) if moment else ""

    def unheard(self, value: Any, parameter: Parameter) -> Iterator[Any]:
        """The parts of a value that have no"""
        if isinstance(value, Reference) or value is None or (value == parameter.default and value is not None):
            return
        if isinstance(value, Mapping):
            inside: Any = getattr(parameter, "fields", ())
            fields = {each.name: each for each in inside}
            for key, each in value.items():
                yield from self.unheard(each, fields.get(str(key)) or Parameter("value", ""))
        elif isinstance(value, list | tuple):
            for each in value:
                yield from self.unheard(each, parameter)
        elif not self._holds(value, parameter):
            yield value

    def _holds(self, value: Any, parameter: Parameter) -> bool:
        if isinstance(value, bool):
            return self._boolean(value, parameter)
        if isinstance(value, int | float):
            return self._number(float(value), parameter)
        return self._text(str(value).strip(), parameter)

    def _boolean(self, value: bool, parameter: Parameter) -> bool:
        """Spoken of by a word of its name or description. One that is false by itself is no news."""
        if value is False and parameter.default is None and not parameter.required:
            return True
        return speaks_of(self._said, parameter)

    def _number(self, value: float, parameter: Parameter) -> bool:
        said, about = self._said, f"{parameter.name} {parameter.description}".casefold().replace("_", " ")
        hours = {float(hour) for hour, _ in said.clocks}
        if re.search(r"\bhours?\b", about) and said.marked_hours and (parameter.maximum or 24) > 12:
            others = said.numbers - {float(hour) for hour in said.marked_hours}
            return value in hours | others
        if value in said.numbers or value in hours or value in {float(minute) for _, minute in said.clocks}:
            return True
        if re.search(r"%|\bper ?cent\b", said.folded) and any(abs(value * 100 - each) < 1e-9 for each in said.numbers):
            return True
        if "hour" not in about and said.between(value):
            return True
        if any(value == length / size for length in said.lengths for size in (0.001, 1, 60, 3600, 86400, 604800)):
            return True
        if value in {float(part) for day in said.days for part in (day.year, day.month, day.day)}:
            return True
        # weekdays are counted from 0 or 1, for Monday or Sunday
        counted = {
            float(number) for day in said.weekdays for number in (day, day + 1, (day + 1) % 7, (day + 1) % 7 + 1)
        }
        return bool(_DAY_LIKE.search(about)) and value in counted

    def _text(self, value: str, parameter: Parameter) -> bool:
        said = self._said
        if value and value.casefold() in said.folded and len(value) > 2:
            return True
        if self._chosen(value, parameter) or self._formal(value, parameter) or coded(said, value):
            return True
        if _ISO_MOMENT.fullmatch(value) or _EMAIL.fullmatch(value) or _ADDRESS.fullmatch(value):
            return False
        if _MIME.fullmatch(value) or _CLOCK.fullmatch(value) or length_of(value) is not None:
            return False
        return worded(said, value)

    def _formal(self, value: str, parameter: Parameter) -> bool:
        """A value of a form that people say in other words: a moment, a length, a weekday, a number, an address."""
        said = self._said
        if moment := _moment(value):
            return self._when(moment, "T" in value or " " in value)
        if clock := _CLOCK.fullmatch(value):
            return _hour_and_minute(clock) in said.clocks or clock_length(value) in said.lengths
        if (length := length_of(value)) is not None:
            return length in said.lengths
        day = _weekday(value, parameter)
        if day is not None:
            return day in said.weekdays
        if _EMAIL.fullmatch(value):
            return spoken_address(said, value)
        if _ADDRESS.fullmatch(value):
            return spoken_address(said, re.sub(r"^[a-z]+://|^www\.|/$", "", value.casefold()))
        if mime := _MIME.fullmatch(value):
            return spoken_type(said, mime[1], mime[2])
        digits = re.sub(r"\D", "", value)
        if _PHONE.fullmatch(value) and len(digits) > 4:
            return digits in said.digits
        return bool(re.fullmatch(r"[+-]?\d+(?:\.\d+)?", value)) and self._number(float(value), parameter)

    def _when(self, moment: datetime, with_clock: bool) -> bool:
        said = self._said
        clock = (moment.hour, moment.minute)
        if with_clock and moment.replace(second=0) in said.moments:
            return True
        return moment.date() in said.days and (not with_clock or (clock in _ENDS_OF_DAY and not said.names_an_hour))

    def _chosen(self, value: str, parameter: Parameter) -> bool:
        """One of the values that the parameter lists, meant by words of its own or of what the list says of it."""
        listed = {str(each) for each in parameter.enum} or set(_CHOICE.findall(parameter.description))
        if value not in listed:
            return False
        # heard by its own words or by what the list says of it, not by what it says of every value
        meant = content(re.sub(r"[_\W]+|(?<=[a-z])(?=[A-Z])", " ", value))
        explained = _explained(value, listed, parameter.description)
        return any(heard(self._said, word) for word in meant | explained) or joined(self._said, value)


def _explained(value: str, listed: set[str], description: str) -> set[str]:
    """The words with which a description explains this of the listed values, and no other of them."""
    places = [(match.start(), match.end(), match[1]) for match in _CHOICE.finditer(description)]
    own: set[str] = set()
    others: set[str] = set()
    for (_, end, name), (start, _, _) in pairwise([*places, (len(description), 0, "")]):
        text = re.split(r"\n|[.;]\s", description[end:start])[0]
        (own if name == value else others).update(content(text))
    return own - others if len(listed) > 1 else own


def _moment(value: str) -> datetime | None:
    found = _ISO_MOMENT.fullmatch(value.strip())
    if not found:
        return None
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2] or '00:00'}")
    except ValueError:
        return None


def _hour_and_minute(clock: re.Match[str]) -> tuple[int, int]:
    hour, minute, mark = int(clock[1] or clock[4]), int(clock[2] or 0), (clock[3] or clock[5] or "")[:1].lower()
    return (hour % 12 + (12 if mark == "p" else 0) if mark else hour), minute


def _weekday(value: str, parameter: Parameter) -> int | None:
    word = value.casefold().rstrip(".").removesuffix("s")
    if word in WEEKDAYS:
        return WEEKDAYS.index(word)
    short = value.casefold().rstrip(".")
    return _SHORT_DAYS.get(short) if _DAY_LIKE.search(f"{parameter.name} {parameter.description}") else None
