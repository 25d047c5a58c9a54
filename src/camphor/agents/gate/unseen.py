"""What may be done before a person has seen it: an action with every word of the query, that two readings agree on.

The gate judges an action by its values; this judges it by the query. `coverage` finds what the person said and the
action has not, `second_reading` compares it with what the shipped model takes the query for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from camphor.agents.answers import BUILT_IN_ACTIONS
from camphor.agents.gate.coverage import Known, left_out, pointed
from camphor.agents.gate.figures import in_figures
from camphor.agents.gate.half_of_day import either_half
from camphor.agents.gate.scene import Scene
from camphor.agents.gate.second_reading import bare, is_free, names_of, same_action, says_as_said
from camphor.agents.gate.values import is_at, phrases, whole_pieces
from camphor.agents.gate.words import content, gate_words, plain, quoted
from camphor.agents.parts import ACTS
from camphor.device.people import find_people
from camphor.device.text import Record, text_of, words
from camphor.device.when.fragments import TimeKind
from camphor.tools.tool import PERSON_ROLES, Parameter, Role, Tool
from camphor.types import Call

Lists = Callable[[Tool], Iterable[Sequence[Record]]]


def doubt_of_unseen(
    tool: Tool,
    call: Call,
    scene: Scene,
    most: int,
    lists: Lists,
    readings: Callable[[], Sequence[Call]],
    tell: Callable[[Call], str],
) -> str:
    """Why a call is not to be done before a person has seen it; "" where it may be.

    Args:
        call: normalised, and not in doubt by itself. most: how often the model called this action: of more readings
            none is sure. lists: gives the records of a tool's app, list by list. readings: gives the actions that a
            second reading takes the query for, normalised; asked where the query's words alone do not settle it.
        tell: what a call does, in words.
    """
    told = gate_words()
    if clause := _left_out(tool, call, scene, lists, readings):
        return told.tell("marked", "left_out", said=quoted(clause))
    if hour := either_half(tool, call, scene):
        return told.tell("marked", "either_half", said=quoted(hour))
    if _is_plain(tool, call, scene, lists):
        return ""
    alike = [each for each in readings() if each.name == call.name]
    alone = len(alike) == 1  # of several texts each goes to its own receiver
    if len(alike) <= most and any(same_action(tool, call, each, scene, own_words=alone) for each in alike):
        return ""
    if not alike:
        return told.tell("marked", "second_none")
    done = tell(alike[0])
    return told.tell("marked", "second", do=done[:1].lower() + done[1:])


def _left_out(tool: Tool, call: Call, scene: Scene, lists: Lists, readings: Callable[[], Sequence[Call]]) -> str:
    """The clause of a query with a word that is in no action: not in this one, in none that was done, and in none
    that a second reading finds beside it."""
    own = Known(tool, call, pointed(tool, call, lists(tool)))
    if not left_out([own], scene):
        return ""
    done = (Known(of, seen.call, seen.records) for of, seen in scene.done)
    tools = {each.name: each for each in scene.actions}
    read = [each for each in readings() if each.name in tools]
    beside = ((tools[each.name], each) for each in read if each.name != call.name or _differs(call, each, read))
    others = (Known(of, each, pointed(of, each, lists(of))) for of, each in beside)
    if not (left := left_out([own, *done, *others], scene)):
        return ""
    clauses = [(part.text, set(in_figures(part.text, scene.now))) for part in scene.parts]
    return next((text for word in left for text, said in clauses if word in said), scene.query)


def _differs(call: Call, reading: Call, readings: Sequence[Call]) -> bool:
    """Whether a reading of the same tool is of another action than a call: one of several, without a value of it."""
    several = sum(each.name == call.name for each in readings) > 1
    return several and not set(map(bare, call.arguments.values())) & set(map(bare, reading.arguments.values()))


def _is_plain(tool: Tool, call: Call, scene: Scene, lists: Lists) -> bool:
    """Whether the words of a query alone, all of which are in a call, settle it: nothing of its values is not in them,
    and there is one of each kind, so that none is in another's place."""
    wish = max(scene.parts, key=lambda part: part.wish)
    if scene.history or (
        tool.name in ACTS and (not wish.orders or wish.asks_for(tool.name) < max(wish.acts[: len(BUILT_IN_ACTIONS)]))
    ):
        return False
    kinds = []
    for name, value in call.arguments.items():
        parameter = tool.parameter(name)
        if parameter is None or not _is_said(parameter, value, tool, call, scene, lists):
            return False
        kinds.append("" if parameter.enum or parameter.choices else parameter.role)
    return len(kinds) == len(set(kinds)) > 0


def _is_said(parameter: Parameter, value: Any, tool: Tool, call: Call, scene: Scene, lists: Lists) -> bool:
    """Whether a query says a value and no other in its place."""
    if not isinstance(value, str):
        figures = [word for word in in_figures(scene.query, scene.now) if word[:1].isdigit()]
        return not isinstance(value, bool | Mapping | list) and figures == [f"{value:g}"]
    if is_free(parameter):
        return says_as_said(value, scene.query, scene.now, names_of(tool, call, scene))
    if parameter.role in (Role.TIME, Role.DATE):
        return _is_only_time(value, call, scene)
    if parameter.role in PERSON_ROLES:
        return _is_only_person(value, scene)
    return _is_only_record(value, scene.query, lists(tool))


def _is_only_record(value: str, query: str, lists: Iterable[Sequence[Record]]) -> bool:
    """Whether a query has words of the record that a value names which no other record has all of; of a value that
    names none, whether it is said in full."""
    asked, known = content(query), False
    for records in lists:
        own = [asked & content(text_of(dict(each))) for each in records if value in each.values()]
        others = [content(text_of(dict(each))) for each in records if value not in each.values()]
        said = frozenset[str]().union(*own)
        if own and (not said or any(said <= each for each in others)):
            return False
        known = known or bool(own)
    return known or f" {bare(value)} " in f" {bare(query)} "


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
    return piece.kind is (TimeKind.MOMENT if "T" in value else TimeKind.DAY) and is_at(at, value)


def _is_only_person(value: str, scene: Scene) -> bool:
    """Whether the query speaks of one contact, and a value is theirs; of whom only a name is shared with one who is
    named in full, it does not speak."""
    names = {str(each.get("name")) for phrase in phrases(scene) for each in find_people(phrase, scene.people)}
    asked = words(scene.query)
    whole = {word for name in names if _in_full(name, asked) for word in words(name)}
    named = {name for name in names if set(words(name)) <= whole or not set(words(name)) & whole}
    return named == {str(each.get("name")) for each in find_people(value, scene.people)} and len(named) == 1


def _in_full(name: str, asked: Sequence[str]) -> bool:
    return f" {' '.join(words(name))} " in f" {' '.join(asked)} "
