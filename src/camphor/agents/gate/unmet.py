"""The wishes of a query that no call stands for: each is told of, so that nothing is dropped in silence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from camphor.agents.gate.words import content, gate_words, plain, quoted, stem
from camphor.agents.parts import Part, PartKind, lexicon, parts_of
from camphor.device.people import Person, find_people
from camphor.types import Call

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
    said = " ".join(re.findall(r"[^\W_]+", plain(part.text)))
    for verb, tools in gate_words().orders.items():
        if said.startswith(f"{verb} "):
            return not tools & {call.name for call in calls} and len(_about(part) & stands) == 0
    return False


def _orders(part: Part) -> bool:
    """Whether a part begins as an order does, and says of what: "call ...", "and please remind ..."."""
    said = [word for word in re.findall(r"[^\W_]+", plain(part.text)) if word not in ("please", "pls", "also", "just")]
    return (
        bool(said)
        and "acts.base" in lexicon().classes.get(said[0], ())
        and len(content(part.text) - {stem(said[0])}) > 0
    )


def _about(part: Part) -> frozenset[str]:
    """The telling words of a part; its verb too, as far as a tool has it."""
    first = next(iter(re.findall(r"[^\W_]+", plain(part.text))), "")
    return content(part.text) - {stem(first)} | {
        f"verb {stem(word)}" for word in re.findall(r"[a-z]+", plain(part.text))
    }


def _stands_for(calls: Sequence[Call], people: Sequence[Person]) -> frozenset[str]:
    words: set[str] = set()
    for call in calls:
        verbs = gate_words().verbs.get(call.name) or re.findall(r"[a-z]+", _spaced(call.name))
        words |= {f"verb {stem(verb)}" for verb in verbs}
        for value in call.arguments.values():
            words |= content(str(value))
            for person in find_people(value, people) if isinstance(value, str) and len(value) < 60 else ():
                words |= content(f"{person.get('name')} {person.get('relationship')}")
    return frozenset(words)


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").casefold()
