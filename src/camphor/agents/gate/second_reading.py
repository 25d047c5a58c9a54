"""What two readings of a query agree on: a model's call, and those that the shipped model makes of the query alone.

A capable model may be wrong in ways that no rule foresees: the hour that was taken back, the other one of two jobs, who
does what. The shipped model errs too, and otherwise. So what nobody looks at is done where both take a query for the
same action with the same values; a text may also be the person's own words in their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from datetime import datetime
from typing import Any

from rapidfuzz.distance import LCSseq

from camphor.agents.gate.figures import in_figures
from camphor.agents.gate.scene import Scene
from camphor.agents.gate.texts import DAY_STEMS, is_negation
from camphor.agents.gate.words import gate_words, plain, stem
from camphor.device.arithmetic import units_called
from camphor.device.people import find_people
from camphor.device.text import words
from camphor.tools.tool import PERSON_ROLES, Parameter, Role, Tool
from camphor.types import Call

_ALIKE = 0.8  # share of the telling words of two texts that stand in both, in one order
_FIRST, _OTHERS, _END = "<first>", "<others>", "<end>"
_WHO = {_FIRST, _OTHERS}
_SENTENCE_END = re.compile(r"[.!?;]+(?:\s+|$)")
_LETTER = "qletter"
_ONE_LETTER = re.compile(r"(?<!['’.\w])([B-HJ-Z])(?!['’.\w])")  # "box B"
_NEAR = 2  # words before the first that is rendered, in which a "not" belongs to it
_RETRACTED = 3  # words behind the sentence that is rendered, in which a "no" takes it back; its end is one
_BEGINS = 3  # words of a text, one of which begins what it renders: the others greet


def same_action(tool: Tool, call: Call, reading: Call, scene: Scene, *, own_words: bool) -> bool:
    """Whether two calls of a tool have the same values.

    Args:
        own_words: a text may be the person's own words instead.
    """
    for name in {*call.arguments, *reading.arguments}:
        value, other = call.arguments.get(name), reading.arguments.get(name)
        if isinstance(value, str) and is_free(tool.parameter(name)):
            names = names_of(tool, call, scene)
            agreed = isinstance(other, str) and same_sense(value, other, scene.query, scene.now, names)
            if not agreed and not (own_words and says_as_said(value, scene.query, scene.now, names)):
                return False
        elif bare(value) != bare(other):
            return False
    return True


def is_free(parameter: Parameter | None) -> bool:
    return parameter is not None and parameter.role is Role.TEXT and not (parameter.enum or parameter.choices)


def bare(value: Any) -> str:
    return "" if value is None else " ".join(re.findall(r"[^\W_]+", plain(str(value))))


def names_of(tool: Tool, call: Call, scene: Scene) -> frozenset[str]:
    """The names that a text may have unsaid, by stems: those of whom this call, or one that was done, reaches, and the
    person's own."""
    found = words(scene.place)
    for of, each in ((tool, call), *((of, seen.call) for of, seen in scene.done)):
        for name, value in each.arguments.items():
            parameter = of.parameter(name)
            if parameter is not None and parameter.role in PERSON_ROLES and isinstance(value, str):
                for person in find_people(value, scene.people):
                    found = (*found, *words(f"{person.get('name')} {person.get('relationship') or ''}"))
    return frozenset(map(stem, found))


def same_sense(one: str, other: str, query: str, now: datetime, names: Set[str] = frozenset()) -> bool:
    """Whether two texts have most of their telling words in one order, and every figure and "not", and the first has
    no word that the query has not: what a record says is not written to anybody unseen.

    Args:
        names: stems that a text may begin and end with.
    """
    mine, theirs = ([word for word in _telling(text, now) if word != _END] for text in (one, other))
    blocks = _blocks(mine, theirs)
    new, lost = _beside(mine, [each[0] for each in blocks]), _beside(theirs, [each[1] for each in blocks])
    alike = 2 * len(blocks) >= _ALIKE * (len(mine) + len(theirs))
    said = set(mine) - names <= set(_telling(query, now))
    return alike and said and not any(word in _WHO or _turns(word) for word in new) and not any(map(_turns, lost))


def says_as_said(text: str, query: str, now: datetime, names: Set[str] = frozenset()) -> bool:
    """Whether a text is words of one sentence of a query in their order, and nothing between or behind them is left out
    that turns their sense: of "I'll come at 5, but only until 8" it is not "I'll come at 5".

    Args:
        names: stems that a text may begin and end with.
    """
    said = list(_telling(query, now))
    mine = [word for word in _telling(text, now) if word != _END and (word in said or word not in names)]
    return any(_renders(mine, said, at) for at, word in enumerate(said) if word in mine[:_BEGINS])


def _renders(mine: Sequence[str], said: Sequence[str], start: int) -> bool:
    blocks = _blocks(mine, said[start:])
    if len(blocks) < _ALIKE * len(mine) or not set(mine) <= set(said):
        return False
    if any(_turns(word) or word in _WHO for word in _beside(mine, [each[0] for each in blocks])):
        return False
    there = {start + each[1] for each in blocks}
    if _END in said[min(there) : max(there)]:
        return False
    end = next((at for at in range(max(there), len(said)) if said[at] == _END), len(said))
    denied = any(map(is_negation, (*said[max(0, start - _NEAR) : start], *said[end : end + _RETRACTED])))
    return not denied and not any(at not in there and _turns(said[at]) for at in range(start, end))


def _blocks(mine: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """The places of the words that two texts have in common, in one order."""
    return [
        (block.src_start + at, block.dest_start + at)
        for block in LCSseq.opcodes(mine, theirs)
        if block.tag == "equal"
        for at in range(block.src_end - block.src_start)
    ]


def _beside(told: Sequence[str], places: Sequence[int]) -> Iterator[str]:
    return (word for at, word in enumerate(told) if at not in places)


def _turns(word: str) -> bool:
    """Whether a word turns the sense of those beside it: a figure, a unit, a letter, a day, a "not", a limit."""
    told = gate_words()
    return (
        word[0].isdigit()
        or bool(units_called(word))
        or word.startswith(_LETTER)
        or is_negation(word)
        or word in DAY_STEMS | told.limits | told.early | told.late
    )


def _telling(text: str, now: datetime) -> Iterator[str]:
    """The stems of a text's telling words with its figures, every "not", and who is spoken of; where sentences end."""
    told = gate_words()
    for sentence in _SENTENCE_END.split(_ONE_LETTER.sub(rf"{_LETTER}\1", text)):
        for word in in_figures(sentence, now):
            if word[0].isdigit() or is_negation(word) or word in told.limits or word in told.early | told.late:
                yield word
            elif word in told.first_person:
                yield _FIRST
            elif word in told.other_persons:
                yield _OTHERS
            elif word not in told.fillers and stem(word) not in told.small:
                yield next((unit.name for unit in units_called(word)), stem(word))
        yield _END
