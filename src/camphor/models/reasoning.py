"""What a model thinks aloud before it answers, and marks of its template: kept apart from what a person is shown."""

from __future__ import annotations

import re

TAGS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
)
"""What opens thoughts and what closes them, in one family or another; in letters of either case."""
_OPEN, _SHUT = ("|".join(re.escape(pair[side]) for pair in TAGS) for side in (0, 1))
_TAG = re.compile(f"(?P<shut>{_SHUT})|{_OPEN}", re.IGNORECASE)
_BLOCK = re.compile(f"(?:{_OPEN}).*?(?:{_SHUT}|$)", re.IGNORECASE | re.DOTALL)
_OPENED = re.compile(rf"({_OPEN})\s*\Z", re.IGNORECASE)
_TAGS = tuple(tag.lower() for pair in TAGS for tag in pair)
_LONGEST = max(map(len, _TAGS))
_QUOTES = ("`", "'", '"')
_THINKS = re.compile(r"(?:^|[^a-z0-9])(?:r1|qwq|reason\w*|think\w*)(?![a-z0-9])", re.IGNORECASE)


def likely_thinks(model: str) -> bool:
    """Whether a model's name says that it was tuned to think before it answers, as `deepseek-r1:14b` does."""
    return bool(_THINKS.search(model))


def without_thoughts(text: str) -> str:
    """A whole text without what stands between tags, or behind one that nothing closes."""
    return _BLOCK.sub("", text)


_MARK = re.compile(r"<[|｜][^<>|｜\s]{1,40}[|｜]>")
_ROLE = re.compile(r"\s*(?:system|user|assistant|model|tool|analysis|commentary|final)\b[ \t]*(?:\n|$)")


def without_marks(text: str) -> str:
    """Of a text with control marks of a chat template in it (`<|im_start|>`, `<|channel|>`), the last that is said."""
    if not _MARK.search(text):
        return text
    said = [each for part in _MARK.split(text) if (each := _ROLE.sub("", part, count=1).strip())]
    return said[-1] if said else ""


def opened_by(prompt: str) -> tuple[str, str] | None:
    """The tags of the thoughts that a prompt has opened at its end, for the model to go on; None where it has not."""
    found = _OPENED.search(prompt[-2 * _LONGEST :])
    return next(pair for pair in TAGS if pair[0].lower() == found[1].lower()) if found else None


class Thoughts:
    """Parts a text that comes in pieces into what is said and what is thought.

    Thoughts stand between `<think>` and `</think>`, or words like them, also where a piece ends within a tag; an
    opening tag that nothing closes opens thoughts to the end. Where a closing tag comes alone, the chat template wrote
    the opening one into the prompt, so all before it was thought. A tag in quotation marks is part of the text, since a
    person may ask about one.

    Args:
        hold: say nothing before the closing tag or the end: for a model that is known to begin with thoughts that no
            tag opens.
    """

    def __init__(self, *, hold: bool = False) -> None:
        self.said = self.thought = ""
        self.tagged = False
        """Whether there was a tag."""
        self.unopened = False
        """Whether a tag closed thoughts that none had opened."""
        self._thinking, self._hold = False, hold
        self._held = self._rest = self._last = ""

    def feed(self, piece: str) -> str:
        """What of the text can be said now."""
        return self._part(self._rest + piece, end=False)

    def release(self) -> None:
        """Hold nothing back any more: the thoughts came in a field of their own."""
        self._hold = False

    def finish(self, *, cut: bool) -> str:
        """What is left to say. `cut`: the text broke off, so what is held may be thoughts whose end never came."""
        self._thinking = self._thinking or (self._hold and cut)
        self._hold = False
        held, self._held = self._held, ""
        return self._take(held) + self._part(self._rest, end=True)

    def _part(self, text: str, *, end: bool) -> str:
        new, start, stop = "", 0, len(text)
        for tag in _TAG.finditer(text):
            before = text[tag.start() - 1] if tag.start() else self._last
            if before in _QUOTES:
                after = text[tag.end() : tag.end() + 1]
                if not after and not end:
                    stop = tag.start()  # whether it is quoted, the next piece tells
                    break
                if after == before:
                    continue
            new += self._take(text[start : tag.start()])
            new = self._turn(new, closes=bool(tag["shut"]))
            start = tag.end()
        if not end and stop == len(text):
            stop = _begun_tag(text, start)
        self._rest = text[stop:]
        return new + self._take(text[start:stop])

    def _turn(self, new: str, *, closes: bool) -> str:
        """Pass a tag; what is new to say, which a closing tag on its own takes back."""
        held, self._held = self._held, ""
        if closes and not self._thinking:
            self.thought += self.said + held
            self.said, new, self.unopened = "", "", True
        self.tagged, self._hold, self._last = True, False, ""
        if not closes:
            new += self._take(held)
        self._thinking = not closes
        return new

    def _take(self, part: str) -> str:
        self._last = part[-1:] or self._last
        if self._hold:
            self._held += part
            return ""
        if self._thinking:
            self.thought += part
            return ""
        if self._held:
            part, self._held = self._held + part, ""
        part = part if self.said else part.lstrip()
        self.said += part
        return part


def _begun_tag(text: str, start: int) -> int:
    """Where at its end a text may have begun a tag; its length where it has not."""
    for place in range(max(start, len(text) - _LONGEST + 1), len(text)):
        if text[place] in "<[◁" and any(tag.startswith(text[place:].lower()) for tag in _TAGS):
            return place
    return len(text)
