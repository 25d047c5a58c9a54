"""A conversation in a model's own chat template, in which no message, tool or record can open a turn.

Templates are programs that came with a file of weights: they run in Jinja's sandbox, and see nothing but the
conversation. What a template makes of a conversation is cut into tokens as the model was trained on it, all but the
names of control tokens that stood in the conversation itself: those stay text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from camphor.errors import ModelError
from camphor.models.chat_template import TemplateSource
from camphor.types import Prompt, Segment

Body = dict[str, Any]
# Characters that Unicode keeps for the inside of programs. A name between the two is text; one alone parts a text.
_OPEN, _SHUT = "\ufdd0", "\ufdd1"


class TemplateFailed(ModelError):
    """A template that cannot be filled."""


class _Generation(Extension):
    """`{% generation %}`, with which training marks what a model is to learn: its inside as it is."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class ModelTemplate:
    """A template that can be filled.

    Raises:
        TemplateFailed: it is none.
    """

    def __init__(self, source: TemplateSource) -> None:
        self.source = source
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
        )
        environment.filters["tojson"] = _tojson
        environment.globals.update(raise_exception=_raise, strftime_now=_strftime_now)
        try:
            self._default = environment.from_string(source.default)
            self._for_tools = environment.from_string(source.for_tools)
        except Exception as error:  # whatever a file has for a template
            raise TemplateFailed(f"the model's chat template cannot be read ({_line(error)})") from None
        text = source.default + source.for_tools
        own = {name for name in source.added if name.strip() and name in text}
        self._guard = _Guard({*source.controls, *own})

    def fill(self, messages: Sequence[Body], tools: Sequence[Body] = ()) -> Prompt:
        """The prompt up to where the assistant's turn begins. Names of control tokens are read as such in `special`
        segments, and stand nowhere else than the template put them.

        Raises:
            TemplateFailed: the template does not take this conversation.
        """
        template = self._for_tools if tools else self._default
        told: Body = {"tools": self._guard.mark(list(tools))} if tools else {}
        try:
            text = template.render(
                messages=self._guard.mark(list(messages)),
                add_generation_prompt=True,
                bos_token=self.source.bos,
                eos_token=self.source.eos,
                **told,
            )
        except Exception as error:  # templates raise what they like
            raise TemplateFailed(f"the model's chat template cannot take this conversation ({_line(error)})") from None
        return self._guard.segments(text)

    def filled(self, messages: Sequence[Body], tools: Sequence[Body] = ()) -> str:
        """The same as one text; "" where the template does not take it."""
        try:
            return "".join(segment.text for segment in self.fill(messages, tools))
        except TemplateFailed:
            return ""


class _Guard:
    """Marks in texts from outside what could be read as a control token, alone or with what a template puts beside it.

    Args:
        names: what control tokens are written as.
    """

    def __init__(self, names: Iterable[str]) -> None:
        known = sorted(filter(None, names), key=len, reverse=True)
        # in letters of either case: a template may change them
        self._whole = re.compile("|".join(map(re.escape, known)) or "(?!)", re.IGNORECASE)
        self._marked = re.compile(f"{_OPEN}({self._whole.pattern}){_SHUT}|[{_OPEN}{_SHUT}]", re.IGNORECASE)
        lower = [name.lower() for name in known]
        self._all = "\0".join(lower)
        self._beginnings = {name[:count] for name in lower for count in range(1, len(name))} - {""}
        self._endings = {name[count:] for name in lower for count in range(1, len(name))} - {""}
        self._longest = max(map(len, known), default=0)

    def mark(self, value: Any) -> Any:
        """A value like it whose texts are marked, keys of objects among them."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return {self._text(str(key)): self.mark(each) for key, each in value.items()}
        return [self.mark(each) for each in value] if isinstance(value, list | tuple) else value

    def segments(self, text: str) -> Prompt:
        """A filled template as a prompt: a marked name is cut in two, so that no kind of token is found in it."""
        found: list[Segment] = []
        start = 0
        for each in self._marked.finditer(text):
            name = each[1] or ""
            found += [Segment(text[start : each.start()], special=True), Segment(name[:1]), Segment(name[1:])]
            start = each.end()
        found.append(Segment(text[start:], special=True))
        return tuple(segment for segment in found if segment.text)

    def _text(self, text: str) -> str:
        text = text.replace(_OPEN, "").replace(_SHUT, "")
        if not text or text.isspace():
            return text
        marked = self._whole.sub(f"{_OPEN}\\g<0>{_SHUT}", text)
        lower = text.lower()
        inside = _signed(lower) and lower in self._all
        if inside or self._joins(lower, self._endings, front=True):
            marked = _SHUT + marked
        if inside or self._joins(lower, self._beginnings, front=False):
            marked += _SHUT
        return marked

    def _joins(self, text: str, parts: set[str], *, front: bool) -> bool:
        """Whether a text begins or ends with a part of a name that is more than a word."""
        for count in range(1, min(self._longest, len(text)) + 1):
            part = text[:count] if front else text[-count:]
            if part in parts and _signed(part):
                return True
        return False


def _signed(text: str) -> bool:
    return not text.replace("_", "").isalnum()


def _tojson(
    value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
) -> str:
    """JSON as templates expect it: Jinja's own filter escapes for web pages. Never in ASCII alone, where marks would
    be lost."""
    return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, sort_keys=sort_keys)


def _raise(message: object) -> None:
    raise TemplateFailed(str(message))


def _strftime_now(form: str) -> str:
    return datetime.now().strftime(form)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
