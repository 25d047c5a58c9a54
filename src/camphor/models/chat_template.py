"""Prompts as turns of a chat, and in a model's own chat template.

Prompts are written with ChatML's control tokens (`agents.prompts`); `segments.Cutter` gives a model its own tokens in
their place, which is all that most families need. A model that was tuned to follow instructions may have been tuned on
more than that: a line of its own before the system's text, no system at all. Its template says so.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from camphor.errors import ModelError
from camphor.types import Prompt, Segment

Apply = Callable[[list[dict[str, str]]], str]
"""Messages to the text of a prompt, up to where the assistant's turn begins."""

TOOL_USE = "tool_use"
"""The name of a template of its own for requests with tools, where a model has one."""


@dataclass(frozen=True)
class TemplateSource:
    """A model's chat template as it came with it, and the tokens that matter to it.

    Args:
        default, for_tools: in Jinja's language; both the same where there is one.
        bos, eos: the tokens that begin and end a text, as texts; "" for none.
        controls: tokens that are no text, by what they are written as. added: other tokens that are found in any text.
        begins_with: the token that must begin a prompt, whether or not the template writes it.
    """

    default: str
    for_tools: str
    bos: str
    eos: str
    controls: Mapping[str, int]
    added: frozenset[str] = frozenset()
    begins_with: int | None = None


_TURN = re.compile(r"<\|im_start\|>(\w+)\n|<\|im_end\|>\n?")
# Stands for a message's text while a template is filled, so that nothing in the text is read as the template's.
_HELD = re.compile("\ue000(\\d+)\ue001")


def turns(prompt: Prompt) -> list[tuple[str, str]]:
    """Role and text of each turn; the last is the one that has begun, with what it has of a text.

    Turns are read in `special` segments only, so what a person or a record says cannot open one. Text without turns is
    one of the user.
    """
    found: list[tuple[str, str]] = []
    role, text = "user", ""
    for segment in prompt:
        position = 0
        for mark in _TURN.finditer(segment.text) if segment.special else ():
            text += segment.text[position : mark.start()]
            position = mark.end()
            if text.strip():
                found.append((role, text))
            role, text = mark.group(1) or "user", ""
        text += segment.text[position:]
    return [*found, (role, text)]


def in_template(prompt: Prompt, apply: Apply) -> Prompt:
    """The prompt in a model's own template; one without turns, and function tokens before it, stay as they are.

    A template that refuses a system's text gets it at the head of the first message.

    Raises:
        ModelError: the template cannot take these turns.
    """
    definitions = tuple(itertools.takewhile(lambda each: each.compressed, prompt))
    text = prompt[len(definitions) :]
    if not any(segment.special and _TURN.search(segment.text) for segment in text):
        return prompt
    *closed, (role, begun) = turns(text)
    if role != "assistant":
        raise ModelError("the prompt does not end with a turn of the assistant: a chat template has nothing to open")
    try:
        filled = apply(_held(closed))
    except Exception as error:  # templates raise what they like
        if not closed or closed[0][0] != "system" or len(closed) == 1:
            raise ModelError(f"the model's chat template cannot take this prompt: {error}") from None
        (_, system), (first, said), *others = closed
        return in_template((*definitions, *_chatml([(first, f"{system}\n\n{said}"), *others], begun)), apply)
    if sorted(int(place) for place in _HELD.findall(filled)) != list(range(len(closed))):
        raise ModelError("the model's chat template leaves a message out, or says one twice: do without it")
    pieces = _HELD.split(filled)  # the template's text and places of messages, by turns
    segments = [
        Segment(closed[int(piece)][1]) if number % 2 else Segment(piece, special=True)
        for number, piece in enumerate(pieces)
        if piece
    ]
    return (*definitions, *segments, *([Segment(begun)] if begun else []))


def _held(closed: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"role": role, "content": f"\ue000{place}\ue001"} for place, (role, _) in enumerate(closed)]


def _chatml(closed: Sequence[tuple[str, str]], begun: str) -> Prompt:
    segments: list[Segment] = []
    for role, text in closed:
        segments += [
            Segment(f"<|im_start|>{role}\n", special=True),
            Segment(text),
            Segment("<|im_end|>\n", special=True),
        ]
    return (*segments, Segment("<|im_start|>assistant\n", special=True), Segment(begun))
