"""The phrases of directions, by the grammar in directions.lark over the words in words.toml.

At each word the longest phrase counts. A parser of one start symbol for each kind of phrase is fed token by token;
where a word may be several terminals, each is tried. What no phrase takes is left for the reader to doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any

from lark import Lark, Tree, UnexpectedInput
from lark import Token as Terminal
from lark.lexer import Lexer
from lark.parsers.lalr_interactive_parser import InteractiveParser

from camphor.health.prescriptions.drugs import file_of
from camphor.health.prescriptions.lexing import MARK, WORD, Token, words
from camphor.health.prescriptions.meanings import Meanings
from camphor.health.prescriptions.timings import NoMeaning

KINDS = (
    "amount", "strength", "often", "at", "scheme", "most", "gap", "length", "daynumber", "weekdays", "taper", "needed",
    "then", "end", "goon", "form", "stop", "directed", "supply", "site", "mix",
)  # fmt: skip
_MARKS = {"(": "LPAR", ")": "RPAR", ",": "COMMA", "-": "DASH", "/": "SLASH", "%": "PERCENT", ":": "COLON", "=": "COLON"}
_LONGEST = 40
"""Tokens of a phrase."""


@dataclass(frozen=True)
class DirectionPhrase:
    """A phrase of directions: its kind, what it says, and the tokens from `start` to `end` that say it."""

    kind: str
    value: Any
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


def phrases_at(tokens: Sequence[Token], start: int) -> list[DirectionPhrase]:
    """The longest phrases that begin at a token: several where kinds are as long as each other; or none."""
    best: list[DirectionPhrase] = []
    for kind in KINDS:
        found = _longest(kind, tokens, start)
        if found and (not best or found.length >= best[0].length):
            best = [*(best if best and found.length == best[0].length else ()), found]
    return best


def word_at(tokens: Sequence[Token], start: int, terminal: str) -> tuple[str, int] | None:
    """The longest entry of a word list at a token: what it is worth, and the token after it."""
    found = [(value, end) for name, value, end in _terminals(tokens, start) if name == terminal]
    return max(found, key=lambda each: each[1]) if found else None


def _longest(kind: str, tokens: Sequence[Token], start: int) -> DirectionPhrase | None:
    parser = _parser(kind)
    ends: list[tuple[int, Tree[Any]]] = []
    open_: list[tuple[InteractiveParser, int]] = [(parser.parse_interactive(), start)]
    while open_:
        state, place = open_.pop()
        if place >= len(tokens) or place - start > _LONGEST:
            continue
        for name, value, end in _terminals(tokens, place):
            fed = copy(state)
            try:
                fed.feed_token(Terminal(name, value))
            except UnexpectedInput:
                continue
            open_.append((fed, end))
            whole = copy(fed)
            try:
                ends.append((end, whole.feed_eof()))  # type: ignore[no-untyped-call]
            except UnexpectedInput:
                continue
    for end, tree in sorted(ends, key=lambda each: -each[0]):
        try:
            return DirectionPhrase(kind, Meanings().transform(tree), start, end)
        except NoMeaning:
            continue
    return None


def _terminals(tokens: Sequence[Token], place: int) -> Iterator[tuple[str, Any, int]]:
    """What a token may be to the grammar, alone or as the first of a phrase of the word lists: terminal, value, end."""
    token = tokens[place]
    if token.kind in ("NUM", "FRAC", "SPAN", "PAIR", "CLOCK", "SCHEME"):
        yield token.kind, token.value, place + 1
    if token.kind == MARK and token.key in _MARKS:
        yield _MARKS[token.key], token.key, place + 1
    if token.kind in (WORD, MARK, "NUM"):
        for name, value, length, capitals in _lexicon(token.key, tokens, place):
            if not capitals or token.capitals:
                yield name, value, place + length


def in_lexicon(word: str) -> bool:
    """Whether an entry of the word lists begins with a word."""
    return word in _entries()


def _lexicon(key: str, tokens: Sequence[Token], place: int) -> Iterator[tuple[str, Any, int, bool]]:
    for told, name, value, capitals in _entries().get(key, ()):
        if all(
            place + step < len(tokens) and tokens[place + step].key == word for step, word in enumerate(told[1:], 1)
        ):
            yield name, value, len(told), capitals


@cache
def _entries() -> dict[str, list[tuple[tuple[str, ...], str, Any, bool]]]:
    """The word lists by their first word."""
    found: dict[str, list[tuple[tuple[str, ...], str, Any, bool]]] = {}
    for name, told in words().items():
        if not name.isupper():  # a list, and no terminal
            continue
        for value, each in told.items():
            worth = float(value) if name in ("NUM", "HALF", "LATIN", "ONCE", "OTHER", "ALTDAYS", "FORTNIGHT") else value
            for text in each:
                parts = tuple(_split(text))
                found.setdefault(parts[0], []).append((parts, name, worth, False))
    for name, told in words()["capitals"].items():
        for word, value in told.items():
            found.setdefault(word, []).append(((word,), name, value, True))
    return found


def _split(text: str) -> list[str]:
    from camphor.health.prescriptions.lexing import _TOKEN

    return [match.group() for match in _TOKEN.finditer(f"{text} ")]


class _Given(Lexer):
    """Tokens come from lexing.py."""

    def __init__(self, conf: Any) -> None:
        del conf

    def lex(self, data: Any, parser_state: Any = None) -> Iterator[Terminal]:
        del parser_state
        return iter(data or ())


@cache
def _parser(kind: str) -> Lark:
    return Lark(file_of("directions.lark"), parser="lalr", start=kind, lexer=_Given)
