"""Lines of a public set: a request, the functions at hand, and the answers that count as right.

The format (`docs/lab.md`) is the one of every public set this project reads: a JSON object a line with `id`,
`query` or `messages`, `tools`, `calls` (one right answer) and, where a set lists them, `accept`, the accepted values of
each argument, and `category`.

Calls are compared with the accepted ones after the syntax-tree comparison of the Berkeley Function-Calling Leaderboard
(Patil et al. 2025): a call is right when it names the function, every argument given is known and has one of its
accepted values, and none is missing that may not be left out. Texts are compared without case, spaces and the signs
that people leave out or put in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from camphor.errors import CallSyntaxError, DatasetError, UsageError
from camphor.tools.calls import calls_from_json
from camphor.types import Call, Turn
from camphor_lab.evaluation.values import matching_size


@dataclass(frozen=True)
class AcceptedCall:
    """One call that must be made.

    `arguments` holds the accepted values of each argument; "" among them, or none at all, says that the argument may
    be left out. Values of an object are themselves lists of accepted values.
    """

    name: str
    arguments: Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class PublicLine:
    """One line. `calls` is one right answer; no `accept` means that no call is right."""

    id: str
    category: str
    query: str
    history: tuple[Turn, ...]
    tools: tuple[Mapping[str, Any], ...]
    accept: tuple[AcceptedCall, ...]
    calls: tuple[Call, ...]


def read_lines(path: Path) -> list[PublicLine]:
    """The lines of a public set, in order.

    Raises:
        DatasetError: a line breaks the format. UsageError: the file cannot be read or has no lines.
    """
    try:
        texts = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}: give a JSONL file, one line a request") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: give a JSONL file, one line a request") from error
    lines = []
    for number, text in enumerate(texts, 1):
        if text.strip():
            try:
                lines.append(_line(text))
            except (ValueError, CallSyntaxError) as error:
                raise DatasetError(str(path), number, str(error)) from None
    if not lines:
        raise UsageError(f"{path} holds no lines: give a JSONL file, one line a request")
    return lines


def sample(lines: Sequence[PublicLine], limit: int | None, seed: int = 0) -> list[PublicLine]:
    """At most `limit` lines, as many of each category as of any other where there are so many, in the file's order.

    Raises:
        UsageError: a limit under 1.
    """
    if limit is None:
        return list(lines)
    if limit < 1:
        raise UsageError(f"--limit {limit}: expected 1 or more")
    rng = Random(seed)
    shuffled: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        shuffled.setdefault(line.category, []).append(place)
    for places in shuffled.values():
        rng.shuffle(places)
    # the first of every category, then the second of every category, and so on
    ranked = sorted((rank, place) for places in shuffled.values() for rank, place in enumerate(places))
    return [lines[place] for place in sorted(place for _, place in ranked[:limit])]


def _line(text: str) -> PublicLine:
    """Raises: ValueError or CallSyntaxError, saying what was expected."""
    data = json.loads(text)
    if not isinstance(data, Mapping) or not isinstance(data.get("id"), str):
        raise ValueError("expected an object with an id")
    query, history = _turns(data.get("messages") or [{"role": "user", "content": data.get("query")}])
    if not query:
        raise ValueError("expected a query, or messages that end with the person's")
    tools = data.get("tools")
    if not isinstance(tools, list) or not all(isinstance(tool, Mapping) for tool in tools):
        raise ValueError("expected tools as a list of objects")
    calls = calls_from_json(data.get("calls") or [])
    accept = data.get("accept")
    if accept is None:
        accept = [{"name": c.name, "arguments": {key: [value] for key, value in c.arguments.items()}} for c in calls]
    if not _is_accept(accept):
        raise ValueError("expected accept as a list of calls whose arguments are lists of accepted values")
    accepted = tuple(AcceptedCall(each["name"], each["arguments"]) for each in accept)
    return PublicLine(data["id"], str(data.get("category") or "all"), query, history, tuple(tools), accepted, calls)


def _is_accept(accept: Any) -> bool:
    return isinstance(accept, list) and all(
        isinstance(each, Mapping)
        and isinstance(each.get("name"), str)
        and isinstance(each.get("arguments"), Mapping)
        and all(isinstance(values, list) for values in each["arguments"].values())
        for each in accept
    )


def _turns(messages: Any) -> tuple[str, tuple[Turn, ...]]:
    """The last query and the turns before it. What a system message says stands before the first query."""
    said: list[str] = []
    turns: list[Turn] = []
    for message in messages if isinstance(messages, list) else ():
        content = message.get("content") if isinstance(message, Mapping) else None
        text = content.strip() if isinstance(content, str) else ""
        if text and message.get("role") == "assistant":
            turns.append(Turn(" ".join(said), (), text))
            said = []
        elif text:
            said.append(text)
    return " ".join(said), tuple(turns)


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
