"""JSON out of what a model wrote: prose, code fences, several lists, a list that breaks off.

DroidCall's JsonExtractor (section 3.2.3) takes structured data out of an answer with a parser. Here a scanner walks the
text and tries the standard JSON decoder wherever an object or a list may begin. A list that is broken loses the broken
entry alone: the scanner goes on inside it and takes what is whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST = 1_000_000  # characters of an answer that are looked through; models write a few thousand
_DEEPEST = 64  # brackets in a row; keeps hostile text from exhausting the stack
_MOST_BROKEN = 1000  # beginnings that lead nowhere; with each the rest of the text may be read once


def json_values(text: str) -> Iterator[Any]:
    """The outermost complete JSON objects and lists in a text, in order.

    In a list or object that never closes, those that are whole within it are the outermost. Numbers that JSON does not
    know (NaN) make a value incomplete.
    """
    decoder = json.JSONDecoder(parse_constant=_refuse)
    text = text[:LONGEST]
    place, end, broken = 0, len(text), 0
    while (place := _next_opening(text, place)) < end and broken < _MOST_BROKEN:
        if _too_deep(text, place):
            place += 1
            continue
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            broken += 1
            place += 1
            continue
        yield value


def objects_with(key: str, text: str) -> list[Mapping[str, Any]]:
    """The objects in a text that have a key, in order, however lists and objects without it are wrapped around them."""
    return [found for value in json_values(text) for found in _within(value, key)]


def _within(value: Any, key: str) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        if key in value:
            yield value
        else:
            for each in value.values():
                yield from _within(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from _within(each, key)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _next_opening(text: str, place: int) -> int:
    found = [at for at in (text.find("{", place), text.find("[", place)) if at >= 0]
    return min(found, default=len(text))


def _too_deep(text: str, place: int) -> bool:
    """Whether so many brackets open at once that no answer means it."""
    run = text[place : place + _DEEPEST]
    return len(run) == _DEEPEST and not run.strip("[{ \n")
