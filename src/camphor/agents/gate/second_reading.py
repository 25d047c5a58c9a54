"""What two readings of a query agree on: a model's call, and those that the shipped model makes of the query alone.

A capable model may be wrong in ways that no rule foresees: the hour that was taken back, the other one of two jobs, who
does what. The shipped model errs too, and otherwise. So what nobody looks at is done where both take a query for the
same action with the same values; a text may also be the person's own words in their order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from datetime import datetime
from typing import Any

from rapidfuzz.distance import LCSseq

from camphor.agents.gate.figures import in_figures
from camphor.agents.gate.left_open import left_open
from camphor.agents.gate.scene import Scene, title_of
from camphor.agents.gate.texts import DAY_STEMS, is_negation, negated
from camphor.agents.gate.values import is_at, phrases, whole_pieces
from camphor.agents.gate.words import any_of, content, gate_words, plain, quoted, stem
from camphor.agents.parts import ACTS, PartKind
from camphor.device.arithmetic import units_called
from camphor.device.people import find_people
from camphor.device.text import Record, text_of, words
from camphor.device.when.fragments import TimeKind
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


def doubt_of_unseen(
    tool: Tool,
    call: Call,
    scene: Scene,
    most: int,
    lists: Callable[[], Iterable[Sequence[Record]]],
    readings: Callable[[], Sequence[Call]],
    tell: Callable[[Call], str],
) -> str:
    """Why a call is not to be done before a person has seen it; "" where it may be.

    Args:
        call: normalised, and not in doubt by itself. most: how often the model called this action: of more readings
            none is sure. lists: gives the records of the tool's app, list by list. readings: gives the actions that a
            second reading takes the query for, normalised; asked where the query's words alone do not settle it.
        tell: what a call does, in words.
    """
    told = gate_words()
    if open_question := left_open(tool, call, scene):
        return open_question
    if names := _namesakes(tool, call, scene):
        return told.tell("marked", "namesakes", names=any_of(names))
    if rival := _rival(tool, call, scene.query, lists):
        return told.tell("marked", "rival", rival=quoted(rival))
    if _is_plain(tool, call, scene):
        return ""
    alike = [each for each in readings() if each.name == call.name]
    alone = len(alike) == 1  # of several texts each goes to its own receiver
    if len(alike) <= most and any(_same(tool, call, each, scene, own_words=alone) for each in alike):
        return ""
    if not alike:
        return told.tell("marked", "second_none")
    done = tell(alike[0])
    return told.tell("marked", "second", do=done[:1].lower() + done[1:])


def _namesakes(tool: Tool, call: Call, scene: Scene) -> list[str]:
    """The contacts of whom one is the call's, where the query has a name that they share and none of theirs in full."""
    asked = words(scene.query)
    for name, value in call.arguments.items():
        parameter = tool.parameter(name)
        receives = parameter is not None and parameter.role in PERSON_ROLES and isinstance(value, str)
        meant = find_people(str(value), scene.people) if receives else []
        theirs = {word for each in meant for word in words(str(each.get("name")))}
        alike = [each for each in scene.people if set(words(str(each.get("name")))) & theirs & set(asked)]
        if len(alike) > 1 and not any(_in_full(str(each.get("name")), asked) for each in meant):
            return [str(each.get("name")) for each in alike]
    return []


def _rival(tool: Tool, call: Call, query: str, lists: Callable[[], Iterable[Sequence[Record]]]) -> str:
    """What a record is called that a query fits as well as the one of the call; "" without one."""
    asked = content(query)
    for name, value in call.arguments.items():
        parameter = tool.parameter(name)
        if parameter is None or parameter.role not in (Role.REFERENCE, Role.NAME) or not isinstance(value, str):
            continue
        for records in lists():
            own = [asked & content(text_of(dict(each))) for each in records if value in each.values()]
            for other in records if own else ():
                if value not in other.values() and frozenset().union(*own) <= content(text_of(dict(other))):
                    return title_of(other)
    return ""


def _in_full(name: str, asked: Sequence[str]) -> bool:
    return f" {' '.join(words(name))} " in f" {' '.join(asked)} "


def _is_plain(tool: Tool, call: Call, scene: Scene) -> bool:
    """Whether a query can mean nothing else: it asks for this action above all, and has one time, one person and one
    text for its values."""
    wish = max(scene.parts, key=lambda part: part.wish)
    if scene.history or tool.name not in ACTS or not wish.orders or wish.asks_for(tool.name) < max(wish.acts):
        return False
    if any(negated(part.text) for part in scene.parts if part is not wish and part.kind is not PartKind.WISH):
        return False
    texts = 0
    for name, value in call.arguments.items():
        parameter = tool.parameter(name)
        if parameter is None or not isinstance(value, str):
            return False
        if _is_free(parameter):
            texts += 1
            if not says_as_said(value, scene.query, scene.now, _names(tool, call, scene)):
                return False
        elif parameter.role is Role.TIME:
            if not _is_only_time(value, call, scene):
                return False
        elif parameter.role not in PERSON_ROLES or not _is_only_person(value, scene):
            return False
    return texts == 1 < len(call.arguments)


def _is_only_time(value: str, call: Call, scene: Scene) -> bool:
    """Whether the query has one time outside of the call's text, with its day, and a value is it."""
    texts = [plain(str(each)) for each in call.arguments.values() if each != value]
    said = [
        (piece, at)
        for piece, at in whole_pieces(scene.moments_said)
        if piece.text in scene.query and not any(plain(piece.text) in text for text in texts)
    ]
    if len(said) != 1:
        return False
    (piece, at), *_ = said
    return piece.kind is TimeKind.MOMENT and is_at(at, value)


def _is_only_person(value: str, scene: Scene) -> bool:
    """Whether the query speaks of one contact, and a value is theirs; of whom only a name is shared with one who is
    named in full, it does not speak."""
    names = {str(each.get("name")) for phrase in phrases(scene) for each in find_people(phrase, scene.people)}
    asked = words(scene.query)
    whole = {word for name in names if _in_full(name, asked) for word in words(name)}
    named = {name for name in names if set(words(name)) <= whole or not set(words(name)) & whole}
    return named == {str(each.get("name")) for each in find_people(value, scene.people)} and len(named) == 1


def _same(tool: Tool, call: Call, reading: Call, scene: Scene, *, own_words: bool) -> bool:
    """Whether two calls of a tool have the same values.

    Args:
        own_words: a text may be the person's own words instead.
    """
    for name in {*call.arguments, *reading.arguments}:
        value, other = call.arguments.get(name), reading.arguments.get(name)
        if isinstance(value, str) and _is_free(tool.parameter(name)):
            names = _names(tool, call, scene)
            agreed = isinstance(other, str) and same_sense(value, other, scene.query, scene.now, names)
            if not agreed and not (own_words and says_as_said(value, scene.query, scene.now, names)):
                return False
        elif _bare(value) != _bare(other):
            return False
    return True


def _is_free(parameter: Parameter | None) -> bool:
    return parameter is not None and parameter.role is Role.TEXT and not (parameter.enum or parameter.choices)


def _bare(value: Any) -> str:
    return "" if value is None else " ".join(re.findall(r"[^\W_]+", plain(str(value))))


def _names(tool: Tool, call: Call, scene: Scene) -> frozenset[str]:
    """The names with which a text may begin and end: its receiver's and the person's own."""
    found = words(scene.place)
    for name, value in call.arguments.items():
        parameter = tool.parameter(name)
        if parameter is not None and parameter.role in PERSON_ROLES and isinstance(value, str):
            for each in find_people(value, scene.people):
                found = (*found, *words(f"{each.get('name')} {each.get('relationship') or ''}"))
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
