"""What a model on this machine may write as the next message: words, or calls of tools that exist, as its family writes
them, with arguments by their schemas.

Words are free until they have what opens a call; from there on nothing but calls can follow. Before both there may be
thoughts, in which anything may stand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from camphor.models.call_families import CallFamily
from camphor.models.chat import ChatRequest, ChatTool
from camphor.models.reasoning import TAGS

MOST_CALLS = 16
"""In one message: a small model may find no end."""
_ANY = r"ANY: /(.|\n)*/"
_SPACE = r"SPACE: /\s+/"
_NUMBERS = {"integer": "/-?(0|[1-9][0-9]*)/", "number": r"/-?(0|[1-9][0-9]*)(\.[0-9]+)?/"}


def chat_grammar(
    request: ChatRequest,
    family: CallFamily,
    controls: Mapping[str, int],
    opened: tuple[str, str] | None = None,
    *,
    thinks: bool = True,
) -> str:
    """llguidance's Lark text of the messages that may answer a request.

    Args:
        controls: the model's control tokens, by what they are written as. opened: the tags of thoughts that the prompt
            has opened already. thinks: whether the model is known to think; one that is not does so before words only.
    """
    rules = _Rules(family, controls)
    tools = [tool for tool in request.tools if request.choice in ("auto", "required", tool.name)]
    may_call = bool(tools) and request.choice != "none"
    bodies: list[str] = []
    if request.schema is not None:
        bodies.append(f"%json {_schema(request.schema)}")
    elif not may_call or request.choice == "auto":
        bodies.append("TEXT")
    if may_call:
        bodies += rules.calls(tools, after_text=request.choice == "auto" and request.schema is None)
    thoughts = [opened] if opened else TAGS if thinks or "TEXT" in bodies else ()
    begun = [rules.thoughts(number, pair, begun=opened is not None) for number, pair in enumerate(thoughts)]
    start = " | ".join([f"{each} body" for each in begun] + ([] if opened else ["body"]))
    head = [f"start: {start}", f"body: {' | '.join(bodies)}", _ANY, _SPACE]
    return "\n".join([*head, *rules.texts(bool(request.tools)), *rules.made, ""])


@dataclass
class _Rules:
    """The rules of one grammar."""

    family: CallFamily
    controls: Mapping[str, int]
    made: list[str] = field(default_factory=list)

    def texts(self, tools: bool) -> list[str]:
        """Words that open neither thoughts nor a call, and those up to a call."""
        tags = [opening for opening, _ in TAGS if opening not in self.controls]
        unopened = "ANY" + "".join(f" & ~/{_escaped(each)}(.|\\n)*/" for each in tags)
        mark = self.family.mark
        before = ""
        if tools and mark not in self.controls:
            # one that begins with a mark of its own is no text, whatever stands between
            begin = rf"\s*{_loose(mark)}" if self.family.first else rf"(.|\n)*{_escaped(mark)}"
            before = rf" & ~/{begin}(.|\n)*/"
        return [f"BEFORE: {unopened}", f"TEXT: {unopened}{before}"]

    def thoughts(self, number: int, pair: tuple[str, str], *, begun: bool) -> str:
        """The rule for thoughts between two tags."""
        opening = "" if begun else f"{self.literal(pair[0])} "
        self.made.append(f"thoughts{number}: {opening}{self.until(f'thought{number}', pair[1])} SPACE?")
        return f"thoughts{number}"

    def calls(self, tools: Sequence[ChatTool], *, after_text: bool) -> list[str]:
        """The bodies that have calls: at the beginning, or behind words."""
        family = self.family
        begin = family.section[0] or family.call[0]
        if not begin.startswith(family.mark):
            raise ValueError(f"calls of the family {family.name} do not begin with its mark")
        one = " | ".join(self._call(number, tool) for number, tool in enumerate(tools))
        rest = self.literal(begin[len(family.mark) :])
        if family.section[0]:
            self.made.append(f"call: {self.literal(family.call[0])} one")
            further = f"({self.literal(family.between)} call){{0,{MOST_CALLS - 1}}}"
            self.made.append(f"calls: {rest} call {further} {self.literal(family.section[1])}")
        else:
            self.made.append(
                f"calls: {rest} one ({self.literal(family.between + family.call[0])} one){{0,{MOST_CALLS - 1}}}"
            )
        self.made.append(f"one: {one}")
        if not after_text:
            return [f"{self.literal(family.mark)} calls"]
        self.made.append(r"SPACES: /\s*/")
        return [f"{self.until('words', family.mark, 'SPACES' if family.first else 'BEFORE')} calls"]

    def _call(self, number: int, tool: ChatTool) -> str:
        _, middle, behind = self.family.call
        if self.family.arguments in ("object", "json"):
            arguments = f"%json {_schema({'additionalProperties': False, **tool.parameters})}"
        else:
            self.made.append(f"arguments{number}: {self._arguments(number, tool.parameters)}")
            arguments = f"arguments{number}"
        return f"{self.literal(tool.name + middle)} {arguments} {self.literal(behind)}"

    def _arguments(self, number: int, schema: Mapping[str, Any]) -> str:
        """Each argument in the schema's order; those that are not required may be left out."""
        required, items = set(schema.get("required", ())), list(schema.get("properties", {}).items())
        write: Callable[[str, str, Any], str] = {
            "tagged": self._tagged,
            "quoted": self._quoted,
            "code": self._code,
        }[self.family.arguments]
        written = [(write(f"a{number}x{at}", key, value), key in required) for at, (key, value) in enumerate(items)]
        if self.family.arguments == "tagged":
            return " ".join(rule if must else f"({rule})?" for rule, must in written)
        comma = self.literal("," if self.family.arguments == "quoted" else ", ")
        # F: nothing has been written yet; N: something has, so that a comma comes first
        self.made += [f"f{number}x{len(written)}: ", f"n{number}x{len(written)}: "]
        for at, (rule, must) in enumerate(written):
            skip_f, skip_n = ("", "") if must else (f" | f{number}x{at + 1}", f" | n{number}x{at + 1}")
            self.made.append(f"f{number}x{at}: {rule} n{number}x{at + 1}{skip_f}")
            self.made.append(f"n{number}x{at}: {comma} {rule} n{number}x{at + 1}{skip_n}")
        return f"f{number}x0"

    def _tagged(self, name: str, key: str, schema: Any) -> str:
        before, middle, behind = self.family.argument
        if (choices := _choices(schema)) is not None:
            value = f"({' | '.join(self.literal(each) for each in choices)}) {self.literal(behind)}"
        elif _is_text(schema):
            value = self.until(name, behind)
        else:
            value = f"%json {_schema(schema)} {self.literal(behind)}"
        return f"{self.literal(before + key + middle)} {value}"

    def _quoted(self, name: str, key: str, schema: Any) -> str:
        quote = self.literal(self.family.quote)
        if (choices := _choices(schema)) is not None:
            value = f"{quote} ({' | '.join(self.literal(each) for each in choices)}) {quote}"
        elif _is_text(schema):
            value = f"{quote} {self.until(name, self.family.quote)}"
        elif (number := _NUMBERS.get(_type(schema))) is not None:
            value = number
        elif _type(schema) == "boolean":
            value = '("true" | "false")'
        else:
            value = "quoted"
            if not any(rule.startswith("quoted:") for rule in self.made):
                self.made += [
                    f'quoted: {quote} {self.until("text", self.family.quote)} | {_NUMBERS["number"]} | "true" | "false"'
                    ' | "null" | "[" (quoted ("," quoted)*)? "]" | "{" (member ("," member)*)? "}"',
                    'member: /[^":,{}\\[\\]<>\\s]+/ ":" quoted',
                ]
        return f"{self.literal(key + ':')} {value}"

    def _code(self, name: str, key: str, schema: Any) -> str:
        if _type(schema) == "boolean":
            value = '("True" | "False")'
        else:
            value = f"%json {_schema(schema)}"
        return f"{self.literal(key + '=')} {value}"

    def until(self, name: str, mark: str, text: str = "ANY") -> str:
        """Any text up to a mark, and the mark."""
        if any(mark.startswith(each) for each in self.controls):
            return f"{text} {self.literal(mark)}"  # no text has a control token in it
        self.made.append(f"{name}[suffix={json.dumps(mark, ensure_ascii=False)}]: {text}")
        return name

    def literal(self, text: str) -> str:
        """A text as it is, its control tokens as such."""
        if not text:
            return '""'
        names = [each for each in self.controls if each and each in text]
        parts = (
            re.split("|".join(f"({re.escape(each)})" for each in sorted(names, key=len, reverse=True)), text)
            if (names)
            else [text]
        )
        return " ".join(
            f"<[{self.controls[part]}]>" if part in self.controls else json.dumps(part, ensure_ascii=False)
            for part in parts
            if part
        )


def _escaped(text: str) -> str:
    """A text as it stands in a pattern of Lark."""
    return re.sub(r"[\\.^$|?*+()\[\]{}/]", r"\\\g<0>", text).replace("\n", "\\n")


def _loose(text: str) -> str:
    return r"\s*".join(_escaped(part) for part in re.split(r"\s+|(?<=[{:])", text) if part)


def _schema(schema: Any) -> str:
    """A schema for llguidance: JSON as chat templates write it, and what it does not know left out."""
    written = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": ", "lenient": True}
    return json.dumps({**(schema if isinstance(schema, Mapping) else {}), "x-guidance": written}, ensure_ascii=False)


def _type(schema: Any) -> str:
    told = schema.get("type", "") if isinstance(schema, Mapping) else ""
    return told if isinstance(told, str) else ""


def _is_text(schema: Any) -> bool:
    return _type(schema) == "string"


def _choices(schema: Any) -> list[str] | None:
    """The texts that a value is one of."""
    choices = schema.get("enum") if isinstance(schema, Mapping) else None
    return choices if isinstance(choices, list) and choices and all(isinstance(each, str) for each in choices) else None
