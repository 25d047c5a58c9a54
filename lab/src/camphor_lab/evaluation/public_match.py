"""Whether calls are among the accepted ones: names, arguments and values, as function-calling leaderboards compare.

After the syntax-tree comparison of the Berkeley Function-Calling Leaderboard (Patil et al. 2025): a call is right when
it names the function, every argument given is known and has one of its accepted values, and none is missing that may
not be left out. Texts are compared without case, spaces and the signs that people leave out or put in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from camphor.types import Call
from camphor_lab.evaluation.matching import matching_size
from camphor_lab.evaluation.public_lines import AcceptedCall

_IGNORED = re.compile(r"[\s,./\-_*^]")


def problem(accept: Sequence[AcceptedCall], calls: Sequence[Call]) -> str:
    """What is wrong with the calls, in a few words; "" where they are right. Their order does not matter."""
    if not accept:
        return "a call where none is right" if calls else ""
    if not calls:
        return "no call"
    if len(calls) != len(accept):
        return "too few calls" if len(calls) < len(accept) else "too many calls"
    if sorted(call.name for call in calls) != sorted(each.name for each in accept):
        return "another function"
    faults = [[fault(each, call) for call in calls] for each in accept]
    if matching_size([[place for place, found in enumerate(row) if not found] for row in faults]) == len(accept):
        return ""
    kinds = {found for row in faults for found in row if found} - {"another function"}
    return min(kinds, default="a value")


def fault(accepted: AcceptedCall, call: Call) -> str:
    """What keeps one call from being the accepted one; "" where nothing does."""
    if call.name != accepted.name:
        return "another function"
    if any(name not in accepted.arguments for name in call.arguments):
        return "an argument that is not wanted"
    for name, values in accepted.arguments.items():
        if name not in call.arguments:
            if values and "" not in values:
                return "an argument is missing"
        elif not _among(values, call.arguments[name]):
            return "an argument that is not wanted" if _left_out(values) else "a value"
    return ""


def _left_out(values: Sequence[Any]) -> bool:
    return all(value in ("", None) for value in values)


def _among(accepted: Any, given: Any) -> bool:
    """Whether a value is one of the accepted ones. Within objects some sets give the value itself, not a list."""
    return any(same(value, given) for value in (accepted if isinstance(accepted, list) else [accepted]))


def same(accepted: Any, given: Any) -> bool:
    """Whether a value is the accepted one: lists in order, objects key by key, numbers as numbers, texts folded."""
    if isinstance(accepted, Mapping):
        return isinstance(given, Mapping) and _same_object(accepted, given)
    if isinstance(accepted, list):
        return (
            isinstance(given, list)
            and len(accepted) == len(given)
            and all(same(one, other) for one, other in zip(accepted, given, strict=True))
        )
    if isinstance(accepted, str) and isinstance(given, str):
        return folded(accepted) == folded(given)
    if isinstance(accepted, bool) or isinstance(given, bool):
        return accepted is given
    return bool(accepted == given)


def _same_object(accepted: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    missing = [accepted[key] for key in accepted if key not in given]
    return all(isinstance(values, list) and "" in values for values in missing) and all(
        key in accepted and _among(accepted[key], value) for key, value in given.items()
    )


def folded(text: str) -> str:
    """A text as it is compared: no case, no white space, none of `, . / - _ * ^`, one kind of quotation mark."""
    return _IGNORED.sub("", text.lower()).replace("'", '"')
