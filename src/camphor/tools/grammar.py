"""Grammars for constrained decoding, as Lark text for llguidance.

Only the tools given, their parameters in the order declared, and allowed values can be written: a call cannot be wrong
in form (architecture, decision 2). A parameter that refers to a person or a record takes values that this trajectory
has observed, or words that the person wrote. What is accepted is the form of `calls.render_calls`, nothing looser, so
that most of a call is forced: a model chooses the tool, the optional parameters and the values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from camphor.tools.calls import escape, render_value
from camphor.tools.rules import CHUNK, HIDDEN, GrammarRules, Numbers, decimals, either, quote, whole_numbers
from camphor.tools.tool import PERSON_ROLES, Kind, Parameter, Role, Tool

Choices = Mapping[Role | tuple[str, str], Sequence[str]]


@dataclass(frozen=True)
class TimeWords:
    """The words of time at hand: "tomorrow at 5", "Friday", "half ten", "an hour", "the night before"."""

    moments: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    clocks: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ()
    shifts: tuple[str, ...] = ()


REFERRING = (Role.REFERENCE, *PERSON_ROLES)

# Characters of a text; short where a value is a name or a moment, so that a model that rambles is stopped early.
_LONGEST = {Role.QUERY: 120, Role.NAME: 100, Role.KEYWORD: 60, Role.TIME: 60, Role.DATE: 60, Role.TIME_RANGE: 60}
_LONGEST_TEXT = 300
_MOST_ITEMS = 16
_MOST_WORDS = 5
_ANY = ("string", "number", "boolean")
_BOOLEAN = '("True" | "False")'
_USUAL_SHIFTS = ('"an hour"', '"the day"', '"the night"', '"the evening"')  # without that the person said it
_USUAL_SHIFT = re.compile(r"(?:day|night|evening) (?:before|after)", re.IGNORECASE)
# What identifies a record is no plain word: of 262 such values in hand-written training calls each had a digit.
_IDENTIFIER = re.compile(r"(^|_)(id|no|number)$")
_CODED = "([0-9]|[A-Z]{2})"
# Of the person's words only the latest count: a pasted novel would make every mask slow.
_LONGEST_SAID = 4000
_LONGEST_SEEN = 6000

_ESCAPED = r'\\["\\n]'
_CHARACTER = rf"([^{HIDDEN}]|{_ESCAPED})"
_FIRST_CHARACTER = rf"([^ {HIDDEN}]|{_ESCAPED})"


def call_list_grammar(
    tools: Iterable[Tool],
    *,
    choices: Choices | None = None,
    times: TimeWords | None = None,
    numbers: Sequence[str] | None = None,
    figures: Numbers | None = None,
    said: str = "",
    seen: str | None = None,
    may_be_empty: bool = True,
    most: int = 6,
    prefix: str = "",
) -> str:
    """The grammar of a list of calls of these tools.

    Args:
        choices: values observed, by (tool, parameter) or by role; both count. Those of `Role.KEYWORD` are single words:
            a keyword is made of them, or of anything where none are given.
        times: what a parameter of `Role.TIME` is made of: a moment, day or hour, a day with an hour, or a length or a
            shift before or after one. None leaves such parameters free; where nothing says when, they take nothing.
        numbers: the only runs of digits that a free text may hold; None leaves texts free.
        figures: which numbers an action's parameter may be, given it and whether they have to be whole; None leaves
            them free.
        said: what the person wrote in this conversation, a line or more. Any run of whole words within a line may be a
            reference, its white space as single spaces.
        seen: values found, one a line: a name is any run of whole words of one of them, or of `said`. None leaves names
            free.
        may_be_empty: whether `[]` is accepted too.
        most: the largest number of calls.
        prefix: text that comes first, such as a space.

    A reference for which there are neither choices nor words cannot be written, nor a time where nothing says when: an
    optional parameter is then left out, and so is a tool that requires it, for the device would refuse any value. Where
    no tool is left, `[]` is all that is accepted.
    """
    writer = _Writer(choices or {}, said, times, numbers, seen, figures)
    names = [name for tool in tools if (name := writer.tool(tool))]
    lists = []
    if names:
        writer.rules.append("call: " + " | ".join(names))
        more = f' ("; " call){{0,{most - 1}}}' if most > 1 else ""
        lists.append(f'call{more} "]"')
    if may_be_empty or not names:
        lists.append('"]"')
    return "\n".join([f"start: {quote(prefix + '[')} ({' | '.join(lists)})", *writer.rules]) + "\n"


def agent_grammar(names: Sequence[str]) -> str:
    """One of these names, and nothing else."""
    return "start: " + " | ".join(quote(name) for name in names) + "\n"


def line_grammar(longest: int = 500) -> str:
    """One line of free text, of 1 to `longest` characters."""
    return f"start: /[^\\x00-\\x1f\\x7f-\\x{{9f}}\\x{{2028}}\\x{{2029}}]{{1,{longest}}}/\n"


class _Writer(GrammarRules):
    """Collects the rules of one grammar; equal values share a rule."""

    def __init__(
        self,
        choices: Choices,
        said: str,
        times: TimeWords | None,
        numbers: Sequence[str] | None,
        seen: str | None,
        figures: Numbers | None,
    ) -> None:
        super().__init__()
        self._figures = figures
        self._choices = choices
        self._times = times
        self._numbers = numbers
        self._said = self._said_runs(said[-_LONGEST_SAID:])
        self._has_code = re.search(_CODED, said) is not None
        self._seen = None if seen is None else [*self._said, *self._runs(seen)]

    @cached_property
    def _coded(self) -> list[str]:
        """What of the person's words may identify something; few tools ask for it, so it is made when one does."""
        return [self._terminal(f"{run} & /(?s:.*){_CODED}(?s:.*)/") for run in self._said] if self._has_code else []

    def tool(self, tool: Tool) -> str:
        """Name of the rule of that tool's calls, or "" where a required value cannot be written."""
        values = [(parameter, self._value(tool, parameter)) for parameter in tool.parameters]
        if any(parameter.required and not value for parameter, value in values):
            return ""
        rule = self._rule("t")
        named = [(parameter.required, f"{parameter.name}=", value) for parameter, value in values if value]
        self.rules.append(f"{rule}: {quote(tool.name + '(')} {self._members(rule, named, ')')}")
        return rule

    def _object(self, tool: Tool, fields: Sequence[Parameter]) -> str:
        """Name of the rule of an object with these fields, or "" where a required one cannot be written."""
        values = [(field, self._value(tool, field)) for field in fields]
        if any(field.required and not value for field, value in values):
            return ""
        rule = self._rule("o")
        named = [(field.required, f"{json.dumps(field.name)}: ", value) for field, value in values if value]
        self.rules.append(f'{rule}: "{{" {self._members(rule, named, "}")}')
        return rule

    def _value(self, tool: Tool, parameter: Parameter) -> str:
        """What the parameter takes, as an expression of a rule; "" for nothing."""
        if parameter.enum:
            return either([quote(render_value(value)) for value in parameter.enum])
        kinds = parameter.types or _ANY
        return either([self._typed(tool, parameter, kind) for kind in kinds])

    def _typed(self, tool: Tool, parameter: Parameter, kind: str) -> str:
        if kind == "string":
            return self._string(tool, parameter)
        if kind == "boolean":
            return _BOOLEAN
        counted = kind in ("integer", "number") and parameter.role is Role.TEXT and tool.kind is Kind.ACTION
        if counted and self._figures is not None:
            return either([quote(render_value(each)) for each in self._figures(parameter, kind == "integer")])
        if kind == "integer":
            pattern = whole_numbers(parameter.minimum, parameter.maximum)
            return self._terminal(f"/{pattern}/") if pattern else ""
        if kind == "number":
            pattern = decimals(parameter.minimum, parameter.maximum)
            return self._terminal(f"/{pattern}/") if pattern else ""
        if kind == "array":
            item = self._item(tool, parameter)
            return f'("[" ({item} (", " {item}){{0,{_MOST_ITEMS - 1}}})? "]")' if item else '"[]"'
        if kind == "object":
            if parameter.fields:
                return self._object(tool, parameter.fields)
            text = self._terminal(f'/"{_FIRST_CHARACTER}{_CHARACTER}{{0,59}}"/')
            pair = f'{text} ": " {either([text, self._terminal(f"/{decimals()}/"), _BOOLEAN])}'
            return f'("{{" ({pair} (", " {pair}){{0,{_MOST_ITEMS - 1}}})? "}}")'
        return '"None"'

    def _item(self, tool: Tool, parameter: Parameter) -> str:
        """What an array holds: no arrays, so that what is written stays shallow."""
        if parameter.choices:
            return either([quote(render_value(value)) for value in parameter.choices])
        kinds = parameter.items.split("|") if parameter.items else _ANY
        return either([self._typed(tool, parameter, each) for each in kinds if each != "array"])

    def _string(self, tool: Tool, parameter: Parameter) -> str:
        if parameter.role is Role.KEYWORD and self._choices.get(Role.KEYWORD):
            return self._copied(self._choices[Role.KEYWORD])
        if parameter.role is Role.TIME and self._times is not None:
            return self._time(self._times)
        if parameter.role is Role.TEXT and self._numbers is not None:
            return self._text(self._numbers)
        if parameter.role is Role.NAME and self._seen is not None:
            return self._terminal(f'"\\"" ({" | ".join(self._seen)}) "\\""') if self._seen else ""
        if parameter.role not in REFERRING:
            longest = _LONGEST.get(parameter.role, _LONGEST_TEXT)
            return self._terminal(f'/"{_FIRST_CHARACTER}{_CHARACTER}{{0,{longest - 1}}}"/')
        observed = [*self._choices.get((tool.name, parameter.name), ()), *self._choices.get(parameter.role, ())]
        return self._named(observed, self._coded if _IDENTIFIER.search(parameter.name) else self._said)

    def _text(self, numbers: Sequence[str]) -> str:
        """Free text whose runs of digits are among these: a figure is copied whole or not written."""
        first, other = (rf"([^{hidden}0-9{HIDDEN}]|{_ESCAPED})" for hidden in (" ,;:.!?)", ""))
        runs = "|".join(dict.fromkeys(number for number in numbers if number.isascii() and number.isdigit()))
        if not runs:
            return self._terminal(f'/"{first}{other}{{0,{_LONGEST_TEXT - 1}}}"/')
        rest = f"(({runs})?{other}){{0,{_LONGEST_TEXT - 2}}}({runs})?"
        return self._terminal(f'/"(({first}|({runs}){other}){rest}|({runs}))"/')

    def _time(self, times: TimeWords) -> str:
        """One terminal, so that an hour that begins a moment is no choice between two readings.

        "" where nothing names a moment: a length or a shift alone ("the night before") does not say when.
        """
        # what is spelt in another way too is left out: llguidance 1.9.1 fails where two readings are the same text
        composed = {f"{a}{at}{b}".casefold() for a, b, at in _joined(times)}
        moments = tuple(moment for moment in times.moments if moment.casefold() not in composed)
        shifts = tuple(shift for shift in times.shifts if not _USUAL_SHIFT.fullmatch(shift))
        moment, day, clock, length, shift = (
            self._one_of(words) for words in (moments, times.days, times.clocks, times.lengths, shifts)
        )
        at = '(" " | " at " | ", ")'
        bases = [moment, day, clock]
        bases += [f"{day} {at} {clock}", f'{clock} " " {day}'] if day and clock else []
        if not either(bases):
            return ""
        base = f'"the "? {self._terminal(either(bases))}'
        before = either([length, *_USUAL_SHIFTS])
        apart = [f'{before} (" before " | " after ")', f'"the " {shift} " "' if shift else ""]
        related = f"{either(apart)} {base}" + (f" ({at} {clock})?" if clock else "")
        return self._terminal(f'"\\"" ({base} | {related}) "\\""')

    def _one_of(self, words: Sequence[str]) -> str:
        """A terminal of these words, as they are or with a small first letter; "" where there are none."""
        forms = dict.fromkeys(form for word in words for form in (word, word[:1].lower() + word[1:]))
        return self._terminal("(" + " | ".join(quote(escape(form)) for form in forms) + ")") if forms else ""

    def _copied(self, words: Sequence[str]) -> str:
        """One to `_MOST_WORDS` of these words, in any order."""
        word = "(" + " | ".join(quote(escape(each)) for each in dict.fromkeys(words)) + ")"
        named = self._terminal(word)
        return self._terminal(f'"\\"" {named} (" " {named}){{0,{_MOST_WORDS - 1}}} "\\""')

    def _runs(self, seen: str) -> list[str]:
        """One terminal for all values found, as they may be many: any run of words that lies within one of them."""
        values = filter(None, (" ".join(line.split()) for line in seen[:_LONGEST_SEEN].splitlines()))
        chunks = [chunk for value in dict.fromkeys(values) for chunk in (*map(escape, CHUNK.findall(value)), "\0")]
        if not chunks:
            return []
        run = self._terminal("%regex " + json.dumps({"substring_chunks": chunks}, ensure_ascii=False))
        return [self._terminal(f"{run} & /[^ \\x00]((?s:[^\\x00]*)[^ \\x00])?/")]


def _joined(times: TimeWords) -> Iterator[tuple[str, str, str]]:
    """Every day with every hour, in the orders and with the words between them that the grammar has."""
    for day in times.days:
        for clock in times.clocks:
            yield clock, day, " "
            yield from ((day, clock, at) for at in (" ", " at ", ", "))
