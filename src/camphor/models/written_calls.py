"""Calls that stand in a text, read back: in the form of any family, as fenced JSON, or as JSON alone.

Nothing is ever evaluated. Only calls of known tools are calls; all else stays text.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from camphor.errors import ToolError
from camphor.models.call_families import CallFamily, as_json, families
from camphor.tools.calls import parse_calls
from camphor.tools.tool import NAME

Schemas = Mapping[str, Mapping[str, Any]]
"""The JSON schema of each known tool's arguments, by the tool's name."""
Found = list[tuple[str, str]]
"""Names and the texts of arguments, which may be no JSON."""

_FENCE = re.compile(r"```[\w-]*\s*(.*?)```", re.DOTALL)
_BETWEEN = re.compile(r"[\s,;\[\]]*")
_BARE = re.compile(r"[^,{}\[\]]+")
_KEY = re.compile(r"\s*([^:{}\[\],]+?)\s*:\s*")
_DECODER = json.JSONDecoder()


def read_calls(text: str, tools: Schemas) -> tuple[Found, str]:
    """The calls of known tools in a text, in order, and the text without them."""
    found, rest = _marked(text, tools)
    if found or has_mark(text):
        return found, rest.strip()
    for fence in _FENCE.finditer(text):
        if read := list(_listed(fence[1], tools)):
            found += read
            rest = rest.replace(fence[0], " ", 1)
    bare = NAME.match(text.strip())  # "get_notes(keyword='x')", with nothing around it
    called = bare is not None and bare[0] in tools and text.strip()[bare.end() :].startswith("(")
    if not found and (called or text.strip()[:1] in ("{", "[")):
        found = list(_listed(text.strip(), tools))
        rest = "" if found else rest
    return found, rest.strip()


def has_mark(text: str) -> bool:
    """Whether a text has something in it that opens calls, in whichever family."""
    return next(_openings(text, 0), None) is not None


def _openings(text: str, start: int) -> Iterator[tuple[int, CallFamily]]:
    """Where calls may begin, each place with the families that open them so."""
    places = [(text.find(each.mark, start), each) for each in families()]
    for place, family in sorted((each for each in places if each[0] >= 0), key=lambda each: each[0]):
        if not family.first or not text[:place].strip():
            yield place, family


def _marked(text: str, tools: Schemas) -> tuple[Found, str]:
    found: Found = []
    rest, start = "", 0
    while (opening := next(_openings(text, start), None)) is not None:
        place = opening[0]
        for at, family in _openings(text, place):
            read, stop = _READERS[family.arguments](text, place, family, tools) if at == place else ([], 0)
            if read := [each for each in read if each[0] in tools]:
                found += read
                rest += f"{text[start:place]} "
                break
        else:
            stop = place + len(opening[1].mark)
            rest += text[start:stop]
        start = stop
    return found, rest + text[start:]


def _objects(text: str, place: int, family: CallFamily, tools: Schemas) -> tuple[Found, int]:
    """Objects or lists of them behind a mark; where there are none, whatever stands before the end."""
    found: Found = []
    start = stop = place if family.mark.startswith("{") else place + len(family.mark)
    while True:
        between = _BETWEEN.match(text, stop)
        at = between.end() if between else stop
        try:
            value, after = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        if not isinstance(value, Mapping):
            break
        found += _of_data(value, tools)
        stop = after
    if found:
        return found, _passed(text, stop, rf"(\s*\])?(\s*{_loose(family.end)})?")
    body, stop = _body(text, start, family)
    return list(_listed(body, tools)), stop


def _code(text: str, place: int, family: CallFamily, tools: Schemas) -> tuple[Found, int]:
    body, stop = _body(text, place + len(family.mark), family)
    return list(_listed(body, tools)), stop


def _named(text: str, place: int, family: CallFamily, tools: Schemas) -> tuple[Found, int]:
    """Calls whose names stand apart from their arguments."""
    found: Found = []
    stop = _passed(text, place, _loose(family.section[0]))
    head = re.compile(rf"\s*{_loose(family.call[0])}\s*({NAME.pattern}){_loose(family.call[1])}")
    while (named := head.match(text, stop)) is not None:
        properties = tools.get(named[1], {}).get("properties", {})
        if family.arguments == "json":
            try:
                values, after = _DECODER.raw_decode(text, _passed(text, named.end(), r"\s*"))
            except (ValueError, RecursionError):
                break
        elif family.arguments == "tagged":
            values, after = _tagged(text, named.end(), family, properties)
        else:
            try:
                values, after = _quoted_object(text, named.end(), family.quote)
            except ValueError:
                break
            if not re.compile(_loose(family.call[2])).match(text, after):
                after = _passed(text, after, r"\}")
        stop = _passed(text, after, rf"\s*{_loose(family.call[2])}")
        found.append((named[1], as_json(values)))
    return found, _passed(text, stop, rf"\s*{_loose(family.section[1] or family.end)}")


def _tagged(text: str, place: int, family: CallFamily, properties: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    before, middle, behind = family.argument
    one = re.compile(
        rf"\s*{_loose(before)}\s*([^<>\s]+?)\s*{_loose(middle.strip())}\n?(.*?)\n?{_loose(behind.strip())}", re.DOTALL
    )
    values: dict[str, Any] = {}
    while (argument := one.match(text, place)) is not None:
        values[argument[1]] = _typed(argument[2], properties.get(argument[1], {}))
        place = argument.end()
    return values, place


def _typed(text: str, schema: Any) -> Any:
    """A value that was written without quotation marks: a text where the schema says so, else what JSON makes of it."""
    types = schema.get("type", ()) if isinstance(schema, Mapping) else ()
    if types == "string" or (not types and isinstance(schema, Mapping) and "enum" in schema):
        return text
    words = {"True": True, "False": False, "None": None}
    try:
        return words[text.strip()] if text.strip() in words else json.loads(text)
    except (ValueError, RecursionError):
        return text


def _quoted_object(text: str, place: int, quote: str, depth: int = 0) -> tuple[dict[str, Any], int]:
    """`key:value,...` up to the brace that closes it. Raises ValueError: no such text, or nested too deeply."""
    values: dict[str, Any] = {}
    while key := _KEY.match(text, place):
        values[key[1]], place = _quoted(text, key.end(), quote, depth)
        place = _passed(text, place, r"\s*,")
    return values, _passed(text, place, r"\s*")


def _quoted(text: str, place: int, quote: str, depth: int) -> tuple[Any, int]:
    if depth > 16:
        raise ValueError("nested too deeply")
    if text.startswith(quote, place):
        stop = text.index(quote, place + len(quote))
        return text[place + len(quote) : stop], stop + len(quote)
    if text.startswith("{", place):
        values, stop = _quoted_object(text, place + 1, quote, depth + 1)
        return values, _passed(text, stop, r"\}")
    if text.startswith("[", place):
        listed: list[Any] = []
        place += 1
        while place < len(text) and text[place] != "]":
            value, after = _quoted(text, place, quote, depth + 1)
            listed.append(value)
            place = _passed(text, after, r"\s*,?\s*")
        return listed, place + 1
    bare = _BARE.match(text, place)
    if bare is None:
        raise ValueError("no value")
    return _typed(bare[0].strip(), {}), bare.end()


_READERS: Mapping[str, Callable[[str, int, CallFamily, Schemas], tuple[Found, int]]] = {
    "object": _objects,
    "code": _code,
    "json": _named,
    "tagged": _named,
    "quoted": _named,
}


def _body(text: str, start: int, family: CallFamily) -> tuple[str, int]:
    """What stands before the end of a family's calls, or of the text."""
    stop = text.find(family.end, start) if family.end else -1
    return (text[start:], len(text)) if stop < 0 else (text[start:stop], stop + len(family.end))


@functools.cache
def _loose(text: str) -> str:
    """A pattern for a text with whatever white space."""
    return r"\s*".join(re.escape(part) for part in re.split(r"\s+", text))


def _passed(text: str, place: int, pattern: str) -> int:
    """Where a text goes on behind a pattern, if that stands there."""
    found = re.compile(pattern).match(text, place)
    return found.end() if found else place


def _listed(body: str, tools: Schemas) -> Iterator[tuple[str, str]]:
    """The calls that a whole text is: JSON, in a fence or not, or code."""
    fenced = _FENCE.search(body)
    body = (fenced[1] if fenced else body).strip()
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        try:
            yield from ((call.name, as_json(call.arguments)) for call in parse_calls(body) if call.name in tools)
        except ToolError:
            return
        return
    yield from _of_data(data, tools)


def _of_data(data: Any, tools: Schemas) -> Iterator[tuple[str, str]]:
    for each in data if isinstance(data, list) else [data]:
        if not isinstance(each, Mapping):
            continue
        each = each["function"] if isinstance(each.get("function"), Mapping) else each
        name = each.get("name") or each.get("tool") or each.get("function")
        arguments: Any = next((each[key] for key in ("arguments", "parameters", "args") if key in each), {})
        if isinstance(name, str) and name in tools:
            yield name, arguments if isinstance(arguments, str) else as_json(arguments)
