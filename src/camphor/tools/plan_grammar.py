"""Grammars of plans, in code and in JSON, as Lark text for llguidance.

Only tools given, their parameters in the order declared, values of their types, and results of calls written before can
be written. What is accepted is what `call_formats` writes, nothing looser, so that most of a plan is forced; where the
last line or the list ends, so does the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from camphor.tools.call_formats import NO_CALL, RESULT, write_value
from camphor.tools.plans import fits, result_types
from camphor.tools.roles import infer
from camphor.tools.rules import HIDDEN, GrammarRules, Numbers, decimals, either, quote, whole_numbers
from camphor.tools.tool import COMPUTED, Parameter, Role, Tool

LONGEST_TEXT = 1000
"""Characters of one text; a model that rambles is stopped there."""
MOST_ITEMS = 32

_WORDED = (*COMPUTED, Role.TIME_RANGE)  # given in words, from which code computes the value
# What words must have that a value is copied from.
_SIGNS = {
    Role.PHONE: "[0-9]",
    Role.EMAIL: "@",
    Role.WEEKDAYS: "(?i:day|week|daily|morning|evening|night|mon|tue|wed|thu|fri|sat|sun)",
}
_MEANS_CODE = re.compile(
    r'(\b|_)(types?|formats?|codes?|languages?|units?|currency|modes?|mime|ids?|symbol|ticker)(\b|_)|"[^" ]+"',
    re.IGNORECASE,
)
_URI = r":\/\/"
_MEANS_URI = re.compile(r"(^|_)ur[il]s?$", re.IGNORECASE)
# One whose description quotes a word ("silent") allows that too.
_TOLD_AS_URI = re.compile(r'^(a |the |content )*ur[il]s?\b[^"]*$', re.IGNORECASE)
_MIME = r"(application|audio|font|image|message|model|multipart|text|video|\*)\/[-+.*a-z0-9]{1,100}"
_MEANS_MIME = re.compile(r"(^|_)mime(_|$)|\bMIME type", re.IGNORECASE)

_ESCAPED = r'\\(["\\nrt]|u[0-9a-f]{4})'
_CHARACTER = rf"([^{HIDDEN}]|{_ESCAPED})"
_KEY = f'/"{_CHARACTER}{{1,100}}"/'
_COINED = f"/[^{HIDDEN} ]{{1,80}}/ & ~/(result|#)[0-9]+/"
_WHOLE = "-?(0|[1-9][0-9]{0,17})"
_NUMBER = rf"{_WHOLE}(\.[0-9]{{1,40}})?([eE][-+]?[0-9]{{1,3}})?"


def plan_grammar(
    tools: Iterable[Tool],
    *,
    code: bool = True,
    most: int = 6,
    may_be_empty: bool = True,
    may_refer: bool = True,
    values: Sequence[str] | None = None,
    said: str = "",
    coined: bool = False,
    worded: Mapping[Role, Sequence[str]] | None = None,
    numbers: Numbers | None = None,
) -> str:
    """The grammar of a plan of calls of these tools.

    Args:
        code: whether it is written as code, else as JSON.
        most: the largest number of calls.
        may_be_empty: whether a plan without calls is accepted too.
        may_refer: whether arguments may be results of earlier calls.
        values: what texts may be, whole, beside any run of words of `said`, which the person wrote: what is copied is
            copied exactly. None leaves texts free, and words of time are free always.
        worded: what a copied value of a role may be where that is known, in place of any run of words.
        numbers: which numbers a parameter may be, given it and whether they have to be whole; None leaves them free.
        coined: whether a text may also be one word of the model's own where the parameter is a code: a kind of file, a
            language. A phone number has a digit then, an e-mail address an "@", an address of a thing a "://", or each
            is an earlier result; and lists are not empty.

    A parameter takes the result of an earlier call only if one of the tools gives back what fits, or does not say what
    it gives back; which of the calls written before that was is for `plans.check` to see. In JSON a text that is "#"
    and a number below `most` is such a reference, or cannot be written. A tool that requires what no value satisfies
    cannot be called; where none is left, the empty plan is all that is accepted.
    """
    known = tuple(tools)
    writer = (_CodeWriter if code else _JsonWriter)(known, most, may_refer, values, said, coined, worded or {}, numbers)
    return writer.grammar(may_be_empty)


class _PlanWriter(GrammarRules):
    """The rules that both forms share: a call at each place of the plan, and values with the references it may hold."""

    code: bool

    def __init__(
        self,
        tools: Sequence[Tool],
        most: int,
        may_refer: bool,
        values: Sequence[str] | None,
        said: str,
        coined: bool,
        worded: Mapping[Role, Sequence[str]],
        numbers: Numbers | None,
    ) -> None:
        super().__init__()
        self._tools, self._most, self._may_refer = tools, most, may_refer
        self._values, self._words, self._worded, self._numbers = values, said, worded, numbers
        # What was taught to be copied has its own capitals, or none.
        copied = f"{said}\n{said.lower()}" if coined else said
        self._said = [] if values is None else self._said_runs(copied, capitals=not coined)
        self._coined = [self._terminal(_COINED)] if coined else []
        results = [result_types(tool) for tool in tools]
        self._anything = () in results
        self._kinds = tuple({kind for kinds in results for kind in kinds} - {"null"})

    def grammar(self, may_be_empty: bool) -> str:
        raise NotImplementedError

    def _calls(self, place: int) -> str:
        """Any call at that place; "" where no tool can be called."""
        return either([self._call(tool, place) for tool in self._tools])

    def _call(self, tool: Tool, place: int) -> str:
        raise NotImplementedError

    def _written(self, parameters: Sequence[Parameter], place: int, label: str) -> list[tuple[bool, str, str]] | None:
        """The members of a call or an object; None where one that is required cannot be written."""
        values = [(parameter, self._value(parameter, place)) for parameter in parameters]
        if any(parameter.required and not value for parameter, value in values):
            return None
        return [(parameter.required, label.format(parameter.name), value) for parameter, value in values if value]

    def _value(self, parameter: Parameter, place: int) -> str:
        wanted = (*parameter.types, *parameter.items.split("|")) if parameter.items else parameter.types
        references = self._references(place) if self._takes_results(wanted) else []
        if parameter.enum:
            return either([*self._listed(parameter.enum), *references])
        if self._coined and self.code and parameter.role in self._worded:  # the model copies, code computes
            return either([self._copied(parameter), *references])
        kinds = [self._typed(parameter, kind, place) for kind in parameter.types] or [self._any(place)]
        if self.code and parameter.role in COMPUTED and "string" not in parameter.types:
            kinds.append(self._copied(parameter) if self._coined else self._text())  # words that code computes it from
        return either([*kinds, *references])

    def _takes_results(self, kinds: Sequence[str]) -> bool:
        """Whether a result may stand where these types are wanted; none stand for any."""
        return self._may_refer and (self._anything or (bool(self._kinds) and fits(self._kinds, kinds)))

    def _listed(self, values: Iterable[object]) -> list[str]:
        return [quote(write_value(value, code=self.code)) for value in values]

    def _references(self, place: int) -> list[str]:
        return [self._reference(earlier) for earlier in range(place)]

    def _reference(self, place: int) -> str:
        raise NotImplementedError

    def _typed(self, parameter: Parameter, kind: str, place: int) -> str:
        if kind == "string":
            if self._values is None or (parameter.role in _WORDED and not self._coined):
                return self._text()
            return self._copied(parameter)
        if kind == "boolean":
            return either(self._listed([True, False]))
        if kind in ("integer", "number"):
            if self._numbers is not None:
                return either(self._listed(self._numbers(parameter, kind == "integer")))
            pattern = _WHOLE if kind == "integer" else _NUMBER
            if parameter.minimum is not None or parameter.maximum is not None:
                pattern = (whole_numbers if kind == "integer" else decimals)(parameter.minimum, parameter.maximum)
            return self._terminal(f"/{pattern}/") if pattern else ""
        if kind == "array":
            return self._array(self._item(parameter, place))
        if kind == "object":
            return self._object(parameter, place)
        return either(self._listed([None]))

    def _copied(self, parameter: Parameter) -> str:
        values = self._values or ()
        if not self._coined or parameter.role is Role.PERSON:
            return self._named(values, self._said)
        if parameter.role in self._worded:
            return self._named((*values, *self._worded[parameter.role]), ())
        if _MEANS_MIME.search(f"{parameter.name} {parameter.description}"):
            return self._named(values, [self._terminal(f"/{_MIME}/")])
        is_uri = _MEANS_URI.search(parameter.name) or _TOLD_AS_URI.search(parameter.description)
        pattern = _URI if is_uri else _SIGNS.get(parameter.role)
        if pattern is None:
            is_code = parameter.role not in _WORDED and _MEANS_CODE.search(f"{parameter.name} {parameter.description}")
            return self._named(values, (*self._said, *(self._coined if is_code else ())))
        sign = re.compile(pattern)
        runs = [self._terminal(f"{run} & /(?s:.*){pattern}(?s:.*)/") for run in self._said]
        return self._named([value for value in values if sign.search(value)], runs if sign.search(self._words) else ())

    def _item(self, parameter: Parameter, place: int) -> str:
        kinds = tuple(filter(None, parameter.items.split("|")))
        references = self._references(place) if self._takes_results((*kinds, "array")) else []
        if parameter.choices:
            return either([*self._listed(parameter.choices), *references])
        if not kinds:
            return self._any(place)
        bare = Parameter(parameter.name, description=parameter.description, role=parameter.role)
        typed = [
            self._object(parameter, place) if kind == "object" else self._typed(bare, kind, place) for kind in kinds
        ]
        return either([*typed, *references])

    def _array(self, item: str) -> str:
        if not item:
            return "" if self._coined else '"[]"'
        return f'("[" ({item} (", " {item}){{0,{MOST_ITEMS - 1}}}){"" if self._coined else "?"} "]")'

    def _object(self, parameter: Parameter, place: int) -> str:
        if not parameter.fields:
            return self._any_object(self._any(place))
        # what is called an address or a number looks like one, whatever else it means
        fields = [
            replace(each, role=role) if each.role is Role.TEXT and (role := infer(each.name)) in _SIGNS else each
            for each in parameter.fields
        ]
        members = self._written(fields, place, '"{}": ')
        if members is None:
            return ""
        rule = self._rule("o")
        self.rules.append(f'{rule}: "{{" {self._members(rule, members, "}")}')
        return rule

    def _any_object(self, value: str) -> str:
        pair = f'{self._terminal(_KEY)} ": " {value}'
        return f'("{{" ({pair} (", " {pair}){{0,{MOST_ITEMS - 1}}})? "}}")'

    def _any(self, place: int) -> str:
        """Any JSON value at that place of the plan."""
        name = f"any{place}"
        if not any(rule.startswith(f"{name}:") for rule in self.rules):
            at = len(self.rules)
            self.rules.append(f"{name}:")
            references = self._references(place) if self._takes_results(()) else []
            scalars = [self._text(), self._terminal(f"/{_NUMBER}/"), *self._listed([True, False, None]), *references]
            self.rules[at] = f"{name}: {either([*scalars, self._array(name), self._any_object(name)])}"
        return name

    def _text(self) -> str:
        return self._terminal(f'/"{_CHARACTER}{{1,{LONGEST_TEXT}}}"/')


class _CodeWriter(_PlanWriter):
    code = True

    def grammar(self, may_be_empty: bool) -> str:
        """A line each call, the lines joined by line breaks."""
        lines: list[str] = []
        for place in range(self._most):
            calls = self._calls(place)
            if not calls:
                break
            more = f' ("\\n" line{place + 1})?' if place + 1 < self._most else ""
            lines.append(f"line{place}: {quote(f'{RESULT}{place} = ')} {calls}{more}")
        options = (["line0"] if lines else []) + ([quote(NO_CALL)] if may_be_empty or not lines else [])
        return "\n".join([f"start: {' | '.join(options)}", *lines, *self.rules]) + "\n"

    def _call(self, tool: Tool, place: int) -> str:
        members = self._written(tool.parameters, place, "{}=")
        if members is None:
            return ""
        rule = self._rule("t")
        self.rules.append(f"{rule}: {quote(tool.name + '(')} {self._members(rule, members, ')')}")
        return rule

    def _reference(self, place: int) -> str:
        return quote(f"{RESULT}{place}")


class _JsonWriter(_PlanWriter):
    code = False

    def grammar(self, may_be_empty: bool) -> str:
        """A list of objects on one line."""
        items: list[str] = []
        for place in range(self._most):
            calls = self._calls(place)
            if not calls:
                break
            more = f'(", " item{place + 1} | "]")' if place + 1 < self._most else '"]"'
            head = quote(f'{{"id": {place}, "name": ')
            items.append(f"item{place}: {head} {calls} {more}")
        options = (["item0"] if items else []) + (['"]"'] if may_be_empty or not items else [])
        return "\n".join([f'start: "[" ({" | ".join(options)})', *items, *self.rules]) + "\n"

    def _call(self, tool: Tool, place: int) -> str:
        members = self._written(tool.parameters, place, '"{}": ')
        if members is None:
            return ""
        rule = self._rule("t")
        head = f'{json.dumps(tool.name, ensure_ascii=False)}, "arguments": {{'
        self.rules.append(f"{rule}: {quote(head)} {self._members(rule, members, '}}')}")
        return rule

    def _reference(self, place: int) -> str:
        return quote(f'"#{place}"')

    def _text(self) -> str:
        if not self._may_refer:
            return super()._text()
        text = self._terminal(f'/"{_CHARACTER}{{1,{LONGEST_TEXT}}}"/')
        numbers = "|".join(map(str, range(self._most)))
        return self._terminal(f'{text} & ~/"#({numbers})"/')
