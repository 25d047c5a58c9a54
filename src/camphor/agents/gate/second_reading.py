"""What two readings of a query agree on: a model's call, and those that the shipped model makes of the query alone.

A capable model may be wrong in ways that no rule foresees: the hour that was taken back, the other one of two jobs, who
does what. The shipped model errs too, and otherwise. So what nobody looks at is done where both take a query for the same
action with the same values; a text may also be the person's own words in their order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from rapidfuzz.distance import LCSseq

from camphor.agents.gate.texts import DAY_STEMS, is_negation
from camphor.agents.gate.words import gate_words, plain, stem
from camphor.device.when import WhenError, parse_time
from camphor.device.when.fragments import TimeKind, fragments
from camphor.device.when.lexicon import canonical
from camphor.tools.tool import Parameter, Role, Tool
from camphor.types import Call

_ALIKE = 0.8  # share of the telling words of two texts that stand in both, in one order
_FIRST, _OTHERS, _END = "<first>", "<others>", "<end>"
_SENTENCE_END = re.compile(r"[.!?;]+(?:\s+|$)")
_NEAR = 2  # words before the first that is rendered, in which a "not" belongs to it
_BEGINS = 3  # words of a text, one of which begins what it renders: the others greet


def doubt_of_second(
    tool: Tool, call: Call, readings: Sequence[Call], query: str, now: datetime, words: Callable[[Call], str]
) -> str:
    """What is in doubt of a call where no reading is the same action with the same values; "" where one is.

    Args:
        readings: actions that the query was taken for, normalised as the call is. words: what a call does, in words.
    """
    alike = [each for each in readings if each.name == call.name]
    if any(_same(tool, call, each, query, now) for each in alike):
        return ""
    if not alike:
        return gate_words().tell("marked", "second_none")
    told = words(alike[0])
    return gate_words().tell("marked", "second", do=told[:1].lower() + told[1:])


def _same(tool: Tool, call: Call, reading: Call, query: str, now: datetime) -> bool:
    for name in {*call.arguments, *reading.arguments}:
        value, other = call.arguments.get(name), reading.arguments.get(name)
        if isinstance(value, str) and _is_free(tool.parameter(name)):
            agreed = isinstance(other, str) and same_sense(value, other, now)
            if not agreed and not says_as_said(value, query, now):
                return False
        elif _bare(value) != _bare(other):
            return False
    return True


def _is_free(parameter: Parameter | None) -> bool:
    return parameter is not None and parameter.role is Role.TEXT and not (parameter.enum or parameter.choices)


def _bare(value: Any) -> str:
    return "" if value is None else " ".join(re.findall(r"[^\W_]+", plain(str(value))))


def same_sense(one: str, other: str, now: datetime) -> bool:
    """Whether two texts have most of their telling words in one order, and every figure and "not"."""
    mine, theirs = ([word for word in _telling(text, now) if word != _END] for text in (one, other))
    blocks = _blocks(mine, theirs)
    beside = [*_beside(mine, [each[0] for each in blocks]), *_beside(theirs, [each[1] for each in blocks])]
    return 2 * len(blocks) >= _ALIKE * (len(mine) + len(theirs)) and not any(map(_turns, beside))


def says_as_said(text: str, query: str, now: datetime) -> bool:
    """Whether a text is words of a query in their order, and nothing between or behind them is left out that turns their
    sense: of "I'll come at 5, but only until 8" it is not "I'll come at 5"."""
    mine = [word for word in _telling(text, now) if word != _END]
    said = list(_telling(query, now))
    return any(_renders(mine, said, at) for at, word in enumerate(said) if word in mine[:_BEGINS])


def _renders(mine: Sequence[str], said: Sequence[str], start: int) -> bool:
    blocks = _blocks(mine, said[start:])
    if not blocks or len(blocks) < _ALIKE * len(mine) or any(map(_turns, _beside(mine, [each[0] for each in blocks]))):
        return False
    there = {start + each[1] for each in blocks}
    end = next((at for at in range(max(there), len(said)) if said[at] == _END), len(said))
    denied = any(map(is_negation, said[max(0, start - _NEAR) : start]))
    return not denied and not any(at not in there and _turns(said[at]) for at in range(start, end))


def _blocks(mine: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """The places of the words that two texts have in common, in one order."""
    return [
        (block.src_start + at, block.dest_start + at)
        for block in LCSseq.opcodes(mine, theirs)
        if block.tag == "equal"
        for at in range(block.src_end - block.src_start)
    ]


def _beside(words: Sequence[str], places: Sequence[int]) -> Iterator[str]:
    return (word for at, word in enumerate(words) if at not in places)


def _turns(word: str) -> bool:
    """Whether a word turns the sense of those beside it: a figure, a day, a "not", a limit."""
    return word[0].isdigit() or word in DAY_STEMS or is_negation(word) or word in gate_words().limits


def _telling(text: str, now: datetime) -> Iterator[str]:
    """The stems of a text's telling words with its figures, every "not", and who is spoken of; where sentences end."""
    told = gate_words()
    for sentence in _SENTENCE_END.split(text):
        for word in _with_figures(sentence, now).split():
            if word[0].isdigit() or is_negation(word) or word in told.limits:
                yield word
            elif word in told.first_person:
                yield _FIRST
            elif word in told.other_persons:
                yield _OTHERS
            elif word not in told.fillers and stem(word) not in told.small:
                yield stem(word)
        yield _END


def _with_figures(text: str, now: datetime) -> str:
    """A text's words, folded, with its hours and numbers in figures: "half past ten" and "10.30" are "10:30"."""
    pieces, end = [], 0
    clocks = (each for each in fragments(text, now) if each.kind is TimeKind.CLOCK)
    for each in sorted(clocks, key=lambda piece: (piece.start, -len(piece.text))):
        if each.start >= end and re.search(r"\d", canonical(each.text)):
            with suppress(WhenError):
                at = parse_time(each.text, now)
                pieces.append(f"{canonical(text[end : each.start])} {at.hour % 12}:{at.minute:02} ")
                end = each.start + len(each.text)
    return "".join([*pieces, canonical(text[end:])])
