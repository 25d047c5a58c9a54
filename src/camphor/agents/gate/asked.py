"""Whether a query asks for a call at all: which of its parts does, or says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from camphor.agents.answers import BUILT_IN_ACTIONS, WORDS
from camphor.agents.gate.scene import Asked, Scene
from camphor.agents.gate.texts import negated
from camphor.agents.gate.words import content, gate_words, plain, quoted, spaced, stem
from camphor.agents.parts import ACTS, OTHER, Part, PartKind, lexicon, parts_of, read_parts, words_of
from camphor.device.people import Person, find_people
from camphor.tools.tool import PERSON_ROLES, Kind, Role, Tool
from camphor.types import Call, Turn

_AGAINST = frozenset(
    {PartKind.NEGATED, PartKind.DECIDED_NOT, PartKind.REPORT, PartKind.QUOTE, PartKind.PAST, PartKind.MUSING}
)
_REFUSING = frozenset({PartKind.NEGATED, PartKind.DECIDED_NOT})
_FEW = 6  # words of a correction at most
_VERB, _NAME = 2, 1  # what a word of the action, and one of its values, speak for a part
_FREE = frozenset({Role.TEXT, Role.QUERY, Role.KEYWORD, Role.TIME, Role.DATE})
_LEAST_FLOOR = 0.03
_ALIKE = 10.0  # times the floor: an order is a wish then, however unlikely it looks
_TAKES_AWAY = "cancel_calendar_event"  # whose words are those of all that takes something away


def asked_for(tool: Tool, written: Call, call: Call, scene: Scene) -> tuple[Asked, Part]:
    """Whether a call is asked for, and the part of the query that asks or that speaks against it."""
    parts, (least, order, other) = scene.parts, read_parts().floors
    most = max(parts, key=lambda part: part.wish)
    against = [part for part in parts if part.kind in _AGAINST]
    if _goes_on(scene.query, scene.history, parts) and (
        _answers(scene.query, scene.history) or _redoes(tool, call, scene.history)
    ):
        return Asked.YES, most
    shown = gate_words().shows.get(tool.name)
    if shown and shown.search(plain(scene.query)):
        return Asked.YES, most
    wishes = [
        part
        for part in parts
        if part.wish >= (order if part.orders else other)
        or _named_by(part, tool)
        or (part.orders and not negated(part.text) and _likeness([part], tool) >= _ALIKE)
    ]
    if scene.history and any(map(_withdraws, parts)):  # beside that only an order wishes for anything
        wishes = [part for part in wishes if part.orders and not _withdraws(part)]
    if not wishes:
        told = against[0] if against else max(parts, key=lambda part: part.end - part.start)
        return (Asked.NO if most.wish < least else Asked.UNSURE), told
    for part in against:
        fit = _fit(part, tool, written, call, scene)
        best = max(_fit(each, tool, written, call, scene) for each in wishes)
        refuses = part.kind in _REFUSING and fit > best
        alone = not best and not any(each.orders for each in wishes)  # a report may be the reason of an order
        if part not in wishes and fit > _VERB and (refuses or alone):
            return Asked.NO, part
    best_part = max(wishes, key=lambda part: (_fit(part, tool, written, call, scene), part.wish))
    speaks = _speaks_of(best_part, tool, written, call, scene)
    sure = best_part.orders or (speaks and not negated(best_part.text))
    if not sure or _likeness(scene.parts, tool) < 1 or _taken_back(best_part, tool, scene):
        return Asked.UNSURE, best_part
    return Asked.YES, best_part


def _likeness(parts: Sequence[Part], tool: Tool) -> float:
    """How much one of the parts sounds as what asks for such an action does: under 1 as few of these do.

    A part that has a verb of the action may sound as what asks for an action of some app: "cancel book club".
    """
    if tool.name in WORDS and tool.name not in BUILT_IN_ACTIONS:
        return 1.0  # Android's intents do what several of the actions do
    floor = read_parts().act_floors[ACTS.index(tool.name if tool.name in ACTS else OTHER)]
    verbs = _own_verbs(tool)
    named = [bool(verbs & set(_spoken(part))) for part in parts]
    asks = [
        max(part.asks_for(tool.name), part.asks_for(OTHER) if has_verb else 0.0)
        for part, has_verb in zip(parts, named, strict=True)
    ]
    return max(asks) / max(floor, _LEAST_FLOOR)


def _taken_back(wish: Part, tool: Tool, scene: Scene) -> bool:
    """Whether something is refused behind a wish and no such order follows ("ring Becca. nah, leave her be"), or such
    an action before one that rather asks for another ("don't ring him, remind me to ring him")."""
    words = gate_words()
    again = (part for part in scene.parts if part.orders and part.asks_for(tool.name) >= max(part.acts))
    ordered = max((part.start for part in again), default=-1)
    for part in scene.parts:
        refuses = part.kind in _REFUSING
        takes_back = refuses or words.taking_back.search(plain(part.text))
        if takes_back and part.start > wish.start and part.start >= ordered:
            return True
        speaks = bool(set(_spoken(part)) & _own_verbs(tool))
        if refuses and speaks and wish.asks_for(tool.name) < max(wish.acts) / 2:
            return True
    return False


def leaves_open(query: str, done: Sequence[Tool]) -> bool:
    """Whether more may belong to what was just done for a query: it speaks of several, or nothing in it speaks of what
    was taken away, so that something may have to come in its place ("put the new time in")."""
    said = set(re.findall(r"[^\W_]+", plain(query)))
    taking = gate_words().verbs[_TAKES_AWAY] - gate_words().anything
    takes_away = [tool for tool in done if spaced(tool.name).split()[0] in taking]
    if any(tool.app == gone.app and tool not in takes_away for tool in done for gone in takes_away):
        return False  # something stands in its place
    moved = bool(gate_words().moves.search(plain(query)))
    several = len(done) < 2 and bool(gate_words().several.search(plain(query)))
    return several or any(moved or not said & _verbs(tool) for tool in takes_away)


def _verbs(tool: Tool) -> frozenset[str]:
    """The words that speak of an action."""
    return gate_words().verbs.get(tool.name) or frozenset(re.findall(r"[a-z]+", spaced(tool.name)))


def _own_verbs(tool: Tool) -> frozenset[str]:
    """Those that go with few other things."""
    return _verbs(tool) - gate_words().anything


def _spoken(part: Part) -> list[str]:
    """The words of a part, folded."""
    return re.findall(r"[^\W_]+", plain(part.text))


def nothing_asked(query: str, history: Sequence[Turn], tools: Iterable[Tool]) -> Part | None:
    """The part that shows that no action of these tools is asked for; None where one may be.

    What is so need not be written by a model: `asked_for` would refuse each action.
    """
    parts = parts_of(query, bool(history))
    if _goes_on(query, history, parts):
        return None
    if any(shown.search(plain(query)) for shown in gate_words().shows.values()):
        return None
    if max(part.wish for part in parts) >= read_parts().floors[0]:
        return None
    acting = [tool for tool in tools if tool.kind is Kind.ACTION]
    if any(_named_by(part, tool) for part in parts for tool in acting):
        return None
    against = [part for part in parts if part.kind in _AGAINST]
    return against[0] if against else max(parts, key=lambda part: part.end - part.start)


def _goes_on(query: str, history: Sequence[Turn], parts: Sequence[Part]) -> bool:
    """Whether a query answers what the assistant asked back, or puts right what was just done, and refuses nothing."""
    answers = _answers(query, history)
    return (answers or _corrects(query, history)) and not any(_refuses(part, answers) for part in parts)


def _answers(query: str, history: Sequence[Turn]) -> bool:
    """Whether the query may answer what the assistant asked back: any but a question of its own."""
    first = next(iter(words_of(query[:40])), "")
    asks = query.rstrip().endswith("?") and "marks.asking" in lexicon().classes.get(first, ())
    return bool(history) and history[-1].response.rstrip().endswith("?") and not asks


def _corrects(query: str, history: Sequence[Turn]) -> bool:
    """Whether the query is a few words on what was just done: "no, Nora instead", "sorry, half past"."""
    acted = bool(history and history[-1].actions)
    few = len(re.findall(r"[^\W_]+", query)) <= _FEW
    return acted and few and not query.rstrip().endswith("?")


def _redoes(tool: Tool, call: Call, history: Sequence[Turn]) -> bool:
    """Whether a call is an action of the turn before again with one value changed, which is no free text, or undoes it.

    "Unnecessary." after a message is then no other message: it would have another text, and that asks for doubt.
    """
    for before in history[-1].actions:
        names = {*before.arguments, *call.arguments}
        changed = [name for name in names if before.arguments.get(name) != call.arguments.get(name)]
        free = any((parameter := tool.parameter(name)) and parameter.role is Role.TEXT for name in changed)
        if before.name == call.name and len(changed) <= 1 and not free:
            return True
        if tool.name.startswith("cancel") and set(call.arguments.values()) <= set(before.arguments.values()):
            return True
    return False


def _withdraws(part: Part) -> bool:
    """Whether a part leaves the matter: "leave it be", "never mind"."""
    return bool(gate_words().withdrawing.fullmatch(plain(part.text).strip(" .!,")))


def _refuses(part: Part, answers: bool) -> bool:
    """Whether a part says not to do something, or thanks; "no, Nora instead" names no action and refuses none.

    Args:
        answers: whether the assistant had asked: "ok" and "sure" agree then.
    """
    if _withdraws(part):
        return True
    said = re.findall(r"[^\W_]+(?:'[^\W_]+)?", plain(part.text))
    if part.kind is PartKind.THANKS:
        return not (answers and said and said[0] in gate_words().agreeing)
    acts = any({"acts.base", "acts.ing"} & set(lexicon().classes.get(word, ())) for word in said)
    bare = all(word in gate_words().small or negated(word) for word in said)
    return part.kind is PartKind.DECIDED_NOT or (part.kind in _REFUSING and (acts or bare))


def _named_by(part: Part, tool: Tool) -> bool:
    """Whether a part begins with the verb that a tool is called by: "reserve ..." asks for `reserve_bike`.

    Of a verb that was never learnt the kind may be anything, so what denies is read from the words.
    """
    idle = lexicon().fillers | gate_words().agreeing
    said = [word for word in words_of(part.text[:100]) if word not in idle]
    return bool(said) and said[0] == spaced(tool.name).split()[0] and not negated(part.text)


def _fit(part: Part, tool: Tool, written: Call, call: Call, scene: Scene) -> int:
    """How much a part speaks of a call: by a word of its action, and by words of its values."""
    said = set(_spoken(part))
    named = sum(1 for value in _values(tool, written, call) if value & content(part.text))
    return _VERB * bool(said & _verbs(tool)) + _NAME * (named + _speaks_of_receiver(part, tool, call, scene))


def _speaks_of(part: Part, tool: Tool, written: Call, call: Call, scene: Scene) -> bool:
    """Whether a part has a word of the action or of any of its values."""
    values = " ".join(str(value) for value in (*call.arguments.values(), *written.arguments.values()))
    return bool(_fit(part, tool, written, call, scene) or content(values) & content(part.text))


def _values(tool: Tool, written: Call, call: Call) -> Iterator[frozenset[str]]:
    """The telling words of each value that names something; free texts and times name nothing."""
    for name, value in call.arguments.items():
        parameter = tool.parameter(name)
        free = parameter is not None and (parameter.role in _FREE or parameter.role in PERSON_ROLES)
        if not free and isinstance(value, str):
            yield content(f"{value} {written.arguments.get(name) or ''}")


def _speaks_of_receiver(part: Part, tool: Tool, call: Call, scene: Scene) -> bool:
    for parameter in tool.parameters:
        value = call.arguments.get(parameter.name) if parameter.role in PERSON_ROLES else None
        people: list[Mapping[str, Any]] = find_people(value, scene.people) if isinstance(value, str) else []
        if len(people) == 1 and any(_names(word, people[0]) for word in re.findall(r"[^\W_]+(?:-[^\W_]+)*", part.text)):
            return True
    return False


def _names(word: str, person: Mapping[str, Any]) -> bool:
    return plain(word) not in gate_words().common and len(word) > 1 and bool(find_people(word, [person]))


_SURE = 0.7


def unmet(query: str, follows: bool, calls: Sequence[Call], people: Sequence[Person]) -> tuple[Part, ...]:
    """The parts of a query that wish for something of their own which none of the calls is about, in order.

    Args:
        follows: whether the query follows on earlier turns. calls: all that were done, declined or told of.
    """
    wishes = [part for part in parts_of(query, follows) if part.kind is PartKind.WISH and part.wish >= _SURE]
    orders = [part for part in wishes if _orders(part)]
    stands = _stands_for(calls, people)
    more = len(orders) > len(calls)  # one wish may take two calls, but no call stands for two wishes
    return tuple(part for part in orders if (more and not _about(part) & stands) or _left(part, calls, stands))


def tell_unmet(parts: Sequence[Part]) -> str:
    """A sentence for each."""
    return " ".join(gate_words().tell("marked", "unmet", said=quoted(part.text)) for part in parts)


def _left(part: Part, calls: Sequence[Call], stands: frozenset[str]) -> bool:
    """Whether a part orders what only certain tools do, and none of these was called."""
    said = " ".join(_spoken(part))
    for verb, tools in gate_words().orders.items():
        if said.startswith(f"{verb} "):
            return not tools & {call.name for call in calls} and len(_about(part) & stands) == 0
    return False


def _orders(part: Part) -> bool:
    """Whether a part begins as an order does, and says of what: "call ...", "and please remind ..."."""
    said = [word for word in _spoken(part) if word not in ("please", "pls", "also", "just")]
    return (
        bool(said)
        and "acts.base" in lexicon().classes.get(said[0], ())
        and len(content(part.text) - {stem(said[0])}) > 0
    )


def _about(part: Part) -> frozenset[str]:
    """The telling words of a part; its verb too, as far as a tool has it."""
    first = next(iter(_spoken(part)), "")
    return content(part.text) - {stem(first)} | {
        f"verb {stem(word)}" for word in re.findall(r"[a-z]+", plain(part.text))
    }


def _stands_for(calls: Sequence[Call], people: Sequence[Person]) -> frozenset[str]:
    words: set[str] = set()
    for call in calls:
        verbs = gate_words().verbs.get(call.name) or re.findall(r"[a-z]+", spaced(call.name))
        words |= {f"verb {stem(verb)}" for verb in verbs}
        for value in call.arguments.values():
            words |= content(str(value))
            for person in find_people(value, people) if isinstance(value, str) and len(value) < 60 else ():
                words |= content(f"{person.get('name')} {person.get('relationship')}")
    return frozenset(words)
