"""The two forms in which an assistant writes a plan: a JSON list of calls, and lines of code (DroidCall, section 4.1).

    [{"id": 0, "name": "f", "arguments": {"a": "x"}}, {"id": 1, "name": "g", "arguments": {"b": "#0"}}]

    result0 = f(a="x")
    result1 = g(b=result0)

Writing has one form each. Reading takes what models write: prose and code fences around, any names of variables,
inline calls `g(b=f(a="x"))`, positional arguments where the tool is known, single quotes, a list in Python's spelling.
What is not certain is refused with its line and character. Nothing is ever evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from camphor.errors import ArgumentError, CallSyntaxError
from camphor.tools.calls import CONSTANTS, CallReader, escape, render_value
from camphor.tools.plans import Plan, Reference, plan_from_json
from camphor.tools.tool import NAME, Parameter, Tool
from camphor.types import Call

NO_CALL = "# none"
"""What code says where no call is made: a comment, as an empty answer could be a failure as well."""
RESULT = "result"
"""The variable of call 3 is `result3`."""

_FENCE = re.compile(
    r"^[ \t]*(?P<mark>```|~~~)[^\n`]*\n(?P<inside>.*?)(?:^[ \t]*(?P=mark)|\Z)", re.MULTILINE | re.DOTALL
)
_OUTSIDE = re.compile(r"[^\n]")
_STATEMENT = re.compile(rf"[ \t]*(?:[^\W\d]\w*[ \t]*=(?!=)|{NAME.pattern}\()")
_SPACE = re.compile(r"(?:\s|#[^\n]*)*")
_LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)|[ \t]*;[ \t]*")
_TRIPLE = {quote: re.compile(rf"{quote * 3}((?:\\.|[^\\])*?){quote * 3}", re.DOTALL) for quote in "\"'"}
_JSON_START = re.compile(r"\[\s*(?:[{\]]|\Z)|\{\s*(?:[\"'}]|\Z)")


def write_code(plan: Plan, tools: Iterable[Tool] = ()) -> str:
    """The plan as code, a line each call; arguments stand in the order of the tool's parameters where it is known.

    Raises:
        ArgumentError: a value that is not JSON, such as NaN.
    """
    lines = [f"{RESULT}{place} = {_code_call(call)}" for place, call in enumerate(_in_order(plan, tools))]
    return "\n".join(lines) or NO_CALL


def write_json(plan: Plan, tools: Iterable[Tool] = ()) -> str:
    """The plan as JSON on one line.

    The form has no way to say that a text which is "#" and the id of a call is no reference: it is read as one.

    Raises:
        ArgumentError: a value that is not JSON, such as NaN.
    """
    items = [
        f'{{"id": {place}, "name": "{escape(call.name)}", "arguments": {_written(call, None, call.arguments, False)}}}'
        for place, call in enumerate(_in_order(plan, tools))
    ]
    return f"[{', '.join(items)}]"


def read_code(text: str, tools: Iterable[Tool] = ()) -> Plan:
    """The plan written in a text. Lines that are no calls are taken for prose and left out.

    Where there are code fences, what stands outside them is prose.

    Raises:
        CallSyntaxError: no call, or one that is broken, cut off, or uses a result that there is not; says where.
    """
    return _CodeReader(_within_fences(text), tools).plan()


def read_json(text: str) -> Plan:
    """The plan written in a text as a JSON list of calls, or as one call a line.

    Raises:
        CallSyntaxError: no list, more than one, one that is cut off or is not of the form; says where. Of a list that
        is cut off nothing is read: what the missing part would have said is not known.
    """
    inside = _within_fences(text)
    values: list[Any] = []
    at = 0
    while found := _JSON_START.search(inside, at):
        value, at = _json_value(inside, found.start())
        values.append(value)
    if not values:
        raise CallSyntaxError(f"there is no JSON list of calls: {_told(text)}")
    if len(values) == 1:
        return plan_from_json(values[0])
    if not all(isinstance(value, Mapping) for value in values):
        raise CallSyntaxError(f"expected one JSON list of calls, found {len(values)} values of JSON")
    return plan_from_json(values)


def _in_order(plan: Plan, tools: Iterable[Tool]) -> Iterator[Call]:
    """The calls with arguments, and the fields of objects, in the order in which the tools declare them."""
    known = {tool.name: tool.parameters for tool in tools}
    for call in plan:
        yield Call(call.name, _sorted(call.arguments, known.get(call.name, ())))


def _sorted(values: Mapping[str, Any], declared: Sequence[Parameter]) -> dict[str, Any]:
    first = {each.name: _inside(values[each.name], each) for each in declared if each.name in values}
    return first | {name: value for name, value in values.items() if name not in first}


def _inside(value: Any, parameter: Parameter) -> Any:
    if not parameter.fields:
        return value
    if isinstance(value, Mapping):
        return _sorted(value, parameter.fields)
    return [_inside(each, parameter) for each in value] if isinstance(value, list | tuple) else value


def _code_call(call: Call) -> str:
    parts = [f"{name}={_written(call, name, value, True)}" for name, value in call.arguments.items()]
    return f"{call.name}({', '.join(parts)})"


def _written(call: Call, parameter: str | None, value: Any, code: bool) -> str:
    try:
        return write_value(value, code=code)
    except ValueError as error:
        raise ArgumentError(call.name, parameter or "arguments", value, str(error)) from None


def write_value(value: Any, *, code: bool) -> str:
    """A value as it stands in code, else in JSON.

    Raises:
        ValueError: not a JSON value; the message says what would be.
    """
    if isinstance(value, Reference):
        return f"{RESULT}{value.to}" if code else f'"{value}"'
    if not code and (value is None or isinstance(value, bool)):
        return json.dumps(value)
    return render_value(value, partial(write_value, code=code))


def _within_fences(text: str) -> str:
    """The text with all that stands outside of code fences blanked, if there are any; places stay the same."""
    spans = [found.span("inside") for found in _FENCE.finditer(text)]
    if not spans:
        return text
    parts, at = [], 0
    for start, end in spans:
        parts += [_OUTSIDE.sub(" ", text[at:start]), text[start:end]]
        at = end
    return "".join([*parts, _OUTSIDE.sub(" ", text[at:])])


def _told(text: str) -> str:
    shown = " ".join(text.split())
    return f"the text is {shown[:60]!r}{'...' if len(shown) > 60 else ''}" if shown else "nothing was written"


class _PlacedReader(CallReader):
    """Names line and character."""

    def _place(self) -> str:
        line = self.text.count("\n", 0, self.at) + 1
        return f"line {line}, character {self.at - self.text.rfind(chr(10), 0, self.at)}"


class _CodeReader(_PlacedReader):
    """Reads statements line by line."""

    def __init__(self, text: str, tools: Iterable[Tool]) -> None:
        super().__init__(text)
        self._tools = {tool.name: tool for tool in tools}
        self._calls: list[Call] = []
        self._results: dict[str, int] = {}

    def plan(self) -> Plan:
        while self.at < len(self.text):
            if _STATEMENT.match(self.text, self.at):
                self._statement()
            else:
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end + 1
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        if not self._calls and not (lines and all(line.startswith("#") for line in lines)):
            raise CallSyntaxError(f"there is no call: {_told(self.text)}")
        return tuple(self._calls)

    def _statement(self) -> None:
        """`name = call` or a call alone, to the end of its line."""
        start = self.at
        name = self._name("a call")
        if self._take("="):
            start = self.at
        else:
            name, self.at = "", start
        value = self._value()
        if not isinstance(value, Reference):
            self.at = start
            self._fail("a call")
        if name:
            self._results[name] = value.to
        end = _LINE_END.match(self.text, self.at)
        if not end:
            self._fail("the end of the line")
        self.at = end.end()

    def _word(self, depth: int) -> Any:
        """A constant, an earlier result, or a call: its result then, as the call is made before the one around it."""
        found = NAME.match(self.text, self.at)
        if not found:
            self._fail("a value: text in quotes, a number, True, False, a list, an object or a call")
        word = found[0]
        if self.text.startswith("(", found.end()):
            self.at = found.end() + 1
            self._calls.append(Call(word, self._arguments(word, depth + 1)))
            return Reference(len(self._calls) - 1)
        if word in CONSTANTS or word in self._results:
            self.at = found.end()
            if self.text[self.at : self.at + 1] == "[":
                self._fail(f"{word} as a whole")
            return CONSTANTS[word] if word in CONSTANTS else Reference(self._results[word])
        self._fail(f"a value (no earlier line says what {word[:40]} is)")

    def _arguments(self, name: str, depth: int) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        named = False
        for _ in self._members(")"):
            self._skip()
            start = self.at
            found = NAME.match(self.text, self.at)
            self.at = found.end() if found else self.at
            if found and self._take("="):
                parameter, named = found[0], True
            else:
                self.at = start
                parameter = self._positional(name, len(arguments), named)
            if parameter in arguments:
                self.at = start
                self._fail(f"{parameter} only once")
            arguments[parameter] = self._value(depth)
        return arguments

    def _positional(self, name: str, place: int, named: bool) -> str:
        """The parameter that an argument without a name is for."""
        if named or name not in self._tools:
            self._fail("parameter=value")
        parameters = self._tools[name].parameters
        if place >= len(parameters):
            self._fail(f"')', as {name} has {len(parameters)} parameters")
        return parameters[place].name

    def _string(self, quote: str) -> str:
        tripled = _TRIPLE[quote].match(self.text, self.at)
        if not tripled:
            return super()._string(quote)
        start, self.at = self.at, tripled.end()
        inside = _PlacedReader(quote + re.sub(rf"(?<!\\){quote}", rf"\\{quote}", tripled[1]) + quote)
        try:
            return inside._string(quote)
        except CallSyntaxError:
            self.at = start
            self._fail("text in quotes")

    def _skip(self) -> None:
        space = _SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise CallSyntaxError(f"{key[:40]!r} stands twice in one JSON object")
        found[key] = value
    return found


def _refused(constant: str) -> Any:
    raise CallSyntaxError(f"{constant} is no JSON value: expected a finite number")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refused)


def _json_value(text: str, start: int) -> tuple[Any, int]:
    """The value that begins there and where it ends; Python's spelling is read too."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        return value, end
    except (ValueError, RecursionError):
        pass
    reader = _PlacedReader(text)
    reader.at = start
    try:
        return reader._value(), reader.at
    except CallSyntaxError as error:
        complete = _complete(text, start + 1) if text[start] == "[" else 0
        before = f" (before it {complete} of the calls are complete)" if complete else ""
        raise CallSyntaxError(f"{error}{before}") from None


def _complete(text: str, at: int) -> int:
    """How many items of a list can be read."""
    count = 0
    while True:
        begin = re.compile(r"[\s,]*").match(text, at)
        try:
            _, at = _DECODER.raw_decode(text, begin.end() if begin else at)
        except (ValueError, RecursionError, CallSyntaxError):
            return count
        count += 1
