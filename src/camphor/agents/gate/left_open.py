"""What of a query an action leaves open: words that turn its sense and are not in the action are the person's to judge.

Two readings that miss the same word agree, so they are no proof of each other there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from camphor.agents.gate.scene import Scene, clocks_of
from camphor.agents.gate.texts import is_negation, tokens_of
from camphor.agents.gate.values import is_at, whole_pieces
from camphor.agents.gate.words import gate_words, plain, quoted
from camphor.agents.parts import ACTS, Part, PartKind
from camphor.device.text import text_of
from camphor.device.when.fragments import Fragment, TimeKind, fragments
from camphor.device.when.lexicon import MONTHS, WEEKDAYS, canonical
from camphor.tools.tool import Role, Tool
from camphor.types import Call

_NOT = "not"
_NOON = 12
_DAY = 10  # characters of a day in ISO 8601
_EARLIEST = 3  # hour: who says "half two" means the afternoon
_ANOTHER_ACT = 3  # times as likely as the call's action, another is what a clause orders
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\b")


def left_open(tool: Tool, call: Call, scene: Scene) -> str:
    """Why only the person can say that a call is meant; "" where the query leaves nothing open."""
    told = gate_words()
    if told.retraction.search(plain(scene.query)):
        return told.tell("marked", "taken_back")
    if condition := _condition(call, scene.query):
        return told.tell("marked", "depends", said=quoted(condition))
    if clause := _left_over(tool, call, scene):
        return told.tell("marked", "left_over", said=quoted(clause))
    if either := next((piece for piece, at in _used(tool, call, scene) if not _one_half(piece, at, scene.now)), None):
        return told.tell("marked", "either_half", said=quoted(either.text))
    days = [value[:_DAY] for value in _times(tool, call)]
    for piece, at in whole_pieces(scene.moments_said):
        if any(is_at(at, day) for day in days) and _any_month(piece):
            return told.tell("marked", "any_month", said=quoted(piece.text))
    return ""


def _condition(call: Call, query: str) -> str:
    """On what a query makes its wish depend, where no text of the call has it; "" where on nothing."""
    told = gate_words()
    asked = told.indirect.sub(lambda found: "_" * len(found[0]), plain(query))
    there = told.depends.search(asked)
    if there is None or any(told.depends.search(plain(str(value))) for value in call.arguments.values()):
        return ""
    return re.split(r"[,.;!?]", asked[there.start() :])[0]


def _left_over(tool: Tool, call: Call, scene: Scene) -> str:
    """The clause of a query with a "not", an "only" or an "other" that no value of a call has; "" without one. Clauses
    that order something else have words of their own."""
    left = Counter(_turning(text_of(dict(call.arguments))))
    for part in scene.parts:
        if _orders_another(part, tool, scene.parts):
            continue
        said = Counter(_turning(part.text))
        if said - left:
            return part.text
        left -= said
    return ""


def _orders_another(part: Part, tool: Tool, parts: Sequence[Part]) -> bool:
    """Whether a clause orders another action than a call's."""
    own, most = part.asks_for(tool.name), max(part.acts)
    if part.kind is not PartKind.WISH or not part.orders or tool.name not in ACTS or own == most:
        return False
    return own < most / _ANOTHER_ACT or any(each.orders and each.asks_for(tool.name) > own for each in parts)


def _turning(text: str) -> Iterator[str]:
    """The words of a text that say what is not meant, or which of several; each "not" as such."""
    told = gate_words()
    for word in tokens_of(told.idle.sub(" ", plain(text))):
        if is_negation(word) or word in told.excluding:
            yield _NOT if is_negation(word) else word


def _times(tool: Tool, call: Call) -> list[str]:
    """The values of a call that are a time, or a day."""
    named = ((tool.parameter(name), value) for name, value in call.arguments.items())
    return [str(value) for one, value in named if one is not None and one.role in (Role.TIME, Role.DATE)]


def _used(tool: Tool, call: Call, scene: Scene) -> Iterator[tuple[Fragment, datetime]]:
    """The words of a query for the times of a call, with the moment that they mean."""
    times = _times(tool, call)
    for piece, at in whole_pieces(scene.moments_said):
        halves = (at.replace(hour=hour, minute=minute) for hour, minute in clocks_of(piece.text, at))
        if meant := next((each for each in halves if any(is_at(each, value) for value in times)), None):
            yield piece, meant


def _one_half(piece: Fragment, at: datetime, now: datetime) -> bool:
    """Whether it is clear which half of the day an hour is in: it is said, or the other one is over or in the night."""
    said = canonical(piece.text)
    if piece.kind is TimeKind.DAY or any(each.kind is TimeKind.LENGTH for each in fragments(piece.text, now)):
        return True
    written = at.hour > _NOON and re.search(rf"\b{at.hour}\b", said)
    over = at.hour >= _NOON and at - timedelta(hours=_NOON) < now
    return len(clocks_of(said, at)) == 1 or bool(written) or over or at.hour % _NOON < _EARLIEST


def _any_month(piece: Fragment) -> bool:
    """Whether a day is said by its number alone: "on the 22nd"."""
    said = canonical(piece.text)
    return bool(_ORDINAL.search(said)) and not any(re.search(rf"\b{each[:3]}", said) for each in (*MONTHS, *WEEKDAYS))
