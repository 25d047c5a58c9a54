"""Grammars for constrained decoding, as Lark text for llguidance.

Only the tools given, their parameters and allowed values can be written: a call cannot be wrong in form (architecture,
decision 2). A parameter that refers to a person or a record takes values that this trajectory has observed, or words that
the person wrote. The text accepted is exactly that of `calls.render_calls`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from camphor.tools.calls import escape, render_value
from camphor.tools.tool import Parameter, Role, Tool

_REFERRING = (Role.REFERENCE, Role.PERSON, Role.PHONE, Role.EMAIL)
# Characters of a text; short where a value is a name or a moment, so that a model that rambles is stopped early.
_LONGEST = {Role.TEXT: 300, Role.QUERY: 120, Role.NAME: 100, Role.KEYWORD: 60, Role.TIME: 60, Role.DATE: 60, Role.TIME_RANGE: 60}
_CHARACTER = r'([^"\\\x00-\x1f\x7f]|\\["\\nrt])'

Choices = Mapping[Role | tuple[str, str], Sequence[str]]


def call_list_grammar(
    tools: Iterable[Tool], *, choices: Choices | None = None, said: str = "", may_be_empty: bool = True, most: int = 6, prefix: str = ""
) -> str:
    """The grammar of a list of 0 or 1 to `most` calls of these tools, after `prefix`.

    Args:
        choices: values observed, by (tool, parameter) or by role; where a referring parameter has neither choices nor said
            words, any text is taken. said: what the person wrote in this conversation.
    """
    writer = _Writer(choices or {}, " ".join(said.replace('"', " ").replace("\\", " ").split()))
    names = [writer.tool(tool) for tool in tools]
    start = _quote(prefix + "[")
    lists = []
    if names:
        lists.append(f'call ("; " call){{0,{most - 1}}} "]"')
        writer.rules.append("call: " + " | ".join(names))
    if may_be_empty or not names:
        lists.append('"]"')
    return "\n".join([f"start: {start} ({' | '.join(lists)})", *writer.rules]) + "\n"


def agent_grammar(names: Sequence[str]) -> str:
    """One of these names."""
    return "start: " + " | ".join(_quote(name) for name in names) + "\n"


def line_grammar(longest: int = 500) -> str:
    """One line of free text."""
    return f"start: /[^\\n\\r]{{1,{longest}}}/\n"


class _Writer:
    """Collects the rules of one grammar; equal values share a rule."""

    def __init__(self, choices: Choices, said: str) -> None:
        self.rules: list[str] = []
        self._choices = choices
        self._said = said
        self._values: dict[str, str] = {}

    def tool(self, tool: Tool) -> str:
        name = f"t{len(self.rules)}"
        self.rules.append("")
        place = len(self.rules) - 1
        self.rules[place] = f"{name}: {_quote(tool.name + '(')} {self._arguments(tool, 0, first=True)}".rstrip()
        return name

    def _arguments(self, tool: Tool, position: int, *, first: bool) -> str:
        """What may follow before position `position`: that parameter or, where it is optional, the ones after it."""
        if position == len(tool.parameters):
            return '")"'
        parameter = tool.parameters[position]
        given = f"{_quote(('' if first else ', ') + parameter.name + '=')} {self._value(tool, parameter)} "
        given += self._arguments(tool, position + 1, first=False)
        if parameter.required:
            return given
        return f"({given} | {self._arguments(tool, position + 1, first=first)})"

    def _value(self, tool: Tool, parameter: Parameter) -> str:
        if parameter.enum:
            return "(" + " | ".join(_quote(render_value(value)) for value in parameter.enum) + ")"
        options = [self._typed(tool, parameter, kind) for kind in parameter.types or ("string", "number", "boolean")]
        return options[0] if len(options) == 1 else "(" + " | ".join(options) + ")"

    def _typed(self, tool: Tool, parameter: Parameter, kind: str) -> str:
        if kind == "string":
            return self._string(tool, parameter)
        if kind == "boolean":
            return '("True" | "False")'
        if kind in ("integer", "number"):
            schema: dict[str, object] = {"type": kind}
            for bound, value in (("minimum", parameter.minimum), ("maximum", parameter.maximum)):
                if value is not None:
                    schema[bound] = value
            return self._named(f"%json {json.dumps(schema)}")
        if kind == "array":
            item = self._typed(tool, parameter, (parameter.items or "string").split("|")[0])
            return f'("[" ({item} (", " {item}){{0,15}})? "]")'
        if kind == "object":
            text = self._named(f'/"{_CHARACTER}{{1,60}}"/')
            return f'("{{" ({text} ": " {text} (", " {text} ": " {text}){{0,15}})? "}}")'
        return '"None"'

    def _string(self, tool: Tool, parameter: Parameter) -> str:
        if parameter.role in _REFERRING:
            values = self._choices.get((tool.name, parameter.name)) or self._choices.get(parameter.role) or ()
            options = [_quote(escape(value)) for value in dict.fromkeys(values) if value]
            if self._said:
                options.append(self._named(f"%regex {json.dumps({'substring_words': self._said}, ensure_ascii=False)}"))
            if options:
                return f'("\\"" ({" | ".join(options)}) "\\"")'
        return self._named(f'/"{_CHARACTER}{{1,{_LONGEST.get(parameter.role, 200)}}}"/')

    def _named(self, body: str) -> str:
        """A terminal or rule with that body; JSON values are rules, patterns are terminals."""
        if body not in self._values:
            name = f"v{len(self._values)}" if body.startswith("%json") else f"V{len(self._values)}"
            self._values[body] = name
            self.rules.append(f"{name}: {body}")
        return self._values[body]


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
