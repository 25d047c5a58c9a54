"""Whether every word of a query is in an action: what nobody looks at leaves nothing out that a person said.

A word that is in no value, names neither person nor thing of the action and does not ask for it may be the one that
turns the wish: "keep", "the older one", "if", "no, Wednesday". Which words do, no table knows, and two readings that
miss the same one agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from camphor.agents.gate.figures import in_figures
from camphor.agents.gate.scene import ISO, NOON, Scene
from camphor.agents.gate.texts import is_negation
from camphor.agents.gate.values import whole_pieces
from camphor.agents.gate.words import gate_words, plain, spaced, stem
from camphor.agents.parts import begins_as_question
from camphor.device.people import find_people
from camphor.device.text import Record, text_of
from camphor.device.when.fragments import Fragment, TimeKind
from camphor.tools.tool import PERSON_ROLES, Role, Tool
from camphor.types import Call

_NOT = "not"


@dataclass(frozen=True)
class Known:
    """A normalised call with its tool, and the records that it is about."""

    tool: Tool
    call: Call
    records: tuple[Record, ...] = ()


def left_out(calls: Iterable[Known], scene: Scene) -> tuple[str, ...]:
    """The words of a query that no call accounts for, folded and with hours and numbers in figures, in order."""
    known: set[str] = set()
    times: list[datetime] = []
    for each in calls:
        known.update(_words_of(each, scene))
        times += [at for values in (each.call.arguments, *each.records) for at in _times(values)]
    small = gate_words().function_words
    query = gate_words().opening.sub(" ", plain(_without_questions(scene)))
    said = _tokens(_without_times(query, times, scene), scene.now)
    return tuple(each for each in said if each not in small and not {each, stem(each)} & known)


def _without_questions(scene: Scene) -> str:
    """A query without what it asks to be told before the first order: that is answered, and turns no wish."""
    first = next((part.start for part in scene.parts if part.orders), 0)
    query = scene.query
    for part in reversed([part for part in scene.parts if part.end <= first]):
        if part.text.endswith("?") or begins_as_question(part.text):
            query = f"{query[: part.start]} {query[part.end :]}"
    return query


def pointed(tool: Tool, call: Call, lists: Iterable[Sequence[Record]]) -> tuple[Record, ...]:
    """The records that the values of a call name, of all of its app's."""
    named = ((tool.parameter(name), value) for name, value in call.arguments.items() if isinstance(value, str))
    values = {value for each, value in named if each is not None and each.role in (Role.REFERENCE, Role.NAME)}
    return tuple(each for records in lists for each in records if any(value in each.values() for value in values))


def _words_of(known: Known, scene: Scene) -> Iterator[str]:
    """The words that ask for a call, those of its values and records, and those that name its person."""
    told, tool = gate_words(), known.tool
    texts = any(each.role is Role.TEXT for each in tool.parameters)
    yield from told.verbs.get(tool.name, frozenset()) - (told.asking if texts else frozenset())
    yield from told.beside.get(tool.name, ())
    about = [spaced(tool.name), tool.app, tool.description, *(text_of(dict(each)) for each in known.records)]
    for name, value in known.call.arguments.items():
        parameter = tool.parameter(name)
        if parameter is None:
            continue
        text = f"{value:g}" if isinstance(value, float) else text_of(value)
        about += [spaced(name), parameter.description, text, spaced(text)]
        if parameter.role in PERSON_ROLES:
            about += [f"{each.get('name')} {each.get('relationship') or ''}" for each in _people(value, scene)]
        elif "?" in text or begins_as_question(text):
            yield from told.asking
    for each in about:
        yield from _stems(each, scene.now)


def _people(value: Any, scene: Scene) -> Sequence[Record]:
    return find_people(value, scene.people) if isinstance(value, str) else ()


def _stems(text: str, now: datetime) -> Iterator[str]:
    for each in _tokens(text, now):
        yield each
        yield stem(each)


def _tokens(text: str, now: datetime) -> Iterator[str]:
    """The words of a text with hours and numbers in figures, each "not" as such."""
    for word in in_figures(text, now):
        yield from (_NOT if is_negation(each) else each for each in word.split())


def _times(values: Mapping[str, Any]) -> Iterator[datetime]:
    for value in values.values():
        if isinstance(value, str) and ISO.fullmatch(value):
            with suppress(ValueError):
                yield datetime.fromisoformat(value)


def _without_times(query: str, times: Sequence[datetime], scene: Scene) -> str:
    """A folded query without the words that say one of some times, or its day or hour."""
    for piece, at in sorted(whole_pieces(scene.moments_said), key=lambda each: -len(each[0].text)):
        if any(_says(piece, at, time) for time in times):
            query = query.replace(plain(piece.text), " ")
    return query


def _says(piece: Fragment, at: datetime, time: datetime) -> bool:
    if piece.kind is TimeKind.DAY:
        return at.date() == time.date()
    if piece.kind is TimeKind.CLOCK:
        return (at.hour % NOON, at.minute) == (time.hour % NOON, time.minute)
    return at.replace(tzinfo=None) == time
