"""What is right of an answer or of actions where only some pieces matter: as people write it beside a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from camphor.device.device import Device
from camphor.errors import ToolError
from camphor.types import Call
from camphor_lab.evaluation.answer_scores import ReadResponse
from camphor_lab.evaluation.values import ValueMatcher


def normalised(call: Mapping[str, Any], device: Device) -> Call:
    """A gold call with its people and times as the phone writes them; texts that are open stay as they are."""
    given = dict(call.get("arguments") or {})
    open_ones = {name: value for name, value in given.items() if isinstance(value, Mapping)}
    try:
        plain = {name: ("…" if name in open_ones else value) for name, value in given.items()}
        found = device.normalise(Call(str(call["name"]), plain))
        given = {name: value for name, value in found.arguments.items() if name in given}
    except ToolError:  # it leaves out what does not matter
        pass
    return Call(str(call["name"]), {**given, **open_ones})


def same_calls(gold: Sequence[Call], made: Sequence[Call], matcher: ValueMatcher) -> bool:
    """Whether as many calls were made as are right, and each right one is among them."""
    return len(made) == len(gold) and all(any(right(each, one, matcher) for one in made) for each in gold)


def right(gold: Call, made: Call, matcher: ValueMatcher) -> bool:
    """Whether a call is the gold one: every value that matters, free text by the pieces that it must have."""
    if gold.name != made.name:
        return False
    wanted = dict(gold.arguments)
    for name in [name for name, value in wanted.items() if isinstance(value, Mapping)]:
        verdict = _has_pieces(wanted[name], folded(str(made.arguments.get(name, ""))))
        if verdict is False:
            return False
        if verdict:
            wanted.pop(name)
    if not wanted.keys() <= made.arguments.keys():
        return False
    return matcher.matches(Call(made.name, wanted), Call(made.name, {name: made.arguments[name] for name in wanted}))


def _has_pieces(value: Mapping[str, Any], said: str) -> bool | None:
    """Whether a text has all the pieces of "has" and one of those of "any_of"; None where pieces do not decide.

    What of "any_of" holds all of "has" is a whole text that would be right, and not a piece that must be there beside.
    """
    must = [folded(str(piece)) for piece in value.get("has") or ()]
    if not all(piece in said for piece in must):
        return False
    options = [folded(str(option)) for option in value.get("any_of") or ()]
    pieces = [option for option in options if not must or not all(piece in option for piece in must)]
    if not pieces or any(piece in said for piece in pieces):
        return True
    return False if must else None


def says(response: str, answer: Mapping[str, Any], now: datetime) -> bool:
    """Whether an answer has every piece that it must have, in any writing, and none that it must not."""
    read = ReadResponse(response, now)
    must = [_pieces(piece) for piece in answer.get("must") or ()]
    must_not = [_pieces(piece) for piece in answer.get("must_not") or ()]
    return all(read.has(piece) for piece in must) and not any(read.has(piece) for piece in must_not)


def _pieces(piece: Any) -> tuple[str, ...]:
    return tuple(map(str, piece["any_of"])) if isinstance(piece, Mapping) else (str(piece),)


def folded(text: str) -> str:
    """A text as pieces are sought in it: any case, straight apostrophes, single spaces."""
    return " ".join(text.casefold().replace("’", "'").split())
