"""Tools under other names: what a definition says must be read, because its names are never twice the same.

Verbs, nouns and parameters are exchanged for words that mean the same, names are written as an app would write all of
its own (`get_nimly_jobs`, `getJobs`, `nimly.getJobs`), descriptions are reworded at their start and cut at their end.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from camphor.datasets.public.lines import Known

STYLES = ("infix", "plain", "camel", "prefix", "dotted", "suffix")
STYLE_WEIGHTS = (34, 30, 14, 10, 8, 4)
SAME_NAME = 0.25
"""Share of tools with an own description that keep the words of their name."""
SWAP_VERB, SWAP_NOUN, SWAP_PARAMETER = 0.35, 0.3, 0.55
REWORD, CUT, NO_DESCRIPTION = 0.5, 0.35, 0.04
MOST_PARAMETERS = 6
LONGEST_DESCRIPTION = 90  # characters
_TAIL = re.compile(
    r",? (?:based on|in order to|including|such as|according to|using|within|with the|for the purpose|given|so that"
    r"|to help|from the|by its|e\.g\.|which|that)\b.*|\s*\(.*|[.;:] .*|, .*"
)
_LOOSE_END = re.compile(
    r"(?: (?:a|an|the|of|at|to|in|for|on|or|and|with|by|between|specific|certain|given|its|their))+$"
)
_VALID = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Style:
    """How one app writes the names of its tools."""

    app: str
    way: str


@dataclass(frozen=True)
class Dressed:
    """A tool as one phone has it: a manifest's entry, and what its parameters were called."""

    tool: Mapping[str, Any]
    renamed: Mapping[str, str]


@lru_cache(maxsize=1)
def words() -> dict[str, Any]:
    """The hand-written file of words that can stand for one another."""
    with (Path(__file__).parent / "words.toml").open("rb") as stream:
        return tomllib.load(stream)


@lru_cache(maxsize=1)
def _verbs() -> dict[str, list[str]]:
    return {verb: group for group in words()["verbs"].values() for verb in group}


@lru_cache(maxsize=1)
def _parameter_names() -> dict[str, list[str]]:
    """Other names of a parameter: those of the group that it opens, else of the first that has it."""
    found: dict[str, list[str]] = {}
    for group in words()["parameters"]["groups"]:
        found.setdefault(group[0], group)
    return found


def app_name(rng: Random, taken: Collection[str]) -> str:
    """A made-up name of an app, none of `taken`."""
    halves = words()["apps"]
    while True:
        first, second = rng.choice(halves["first"]), rng.choice(halves["second"])
        if first != second and first + second not in taken:
            return str(first + second)


def draw_style(rng: Random, taken: Collection[str]) -> Style:
    return Style(app_name(rng, taken), rng.choices(STYLES, STYLE_WEIGHTS)[0])


def dress(tool: Known, used: Collection[str], style: Style, rng: Random, *, returns: str = "") -> Dressed:
    """The tool as an app of this style has it; parameters in `used` are always kept, some others are not.

    Raises:
        ValueError: a parameter has a name that cannot be written in a call.
    """
    kept = _keep(tool, used, rng)
    renamed = _rename(kept, rng)
    properties = {renamed[name]: dict(tool.parameters[name]) for name in kept}
    for schema in properties.values():
        if rng.random() < 0.3:
            schema.pop("description", None)
    required = [renamed[name] for name in kept if name in tool.required]
    if tool.domain:  # the set does not say what is required: what this request gives may be, what it lacks is not
        required = [renamed[name] for name in kept if name in used and rng.random() < 0.4]
    entry: dict[str, Any] = {"name": tool_name(tool, style, rng), "kind": "context" if tool.reads else "action"}
    if tool.reads:
        entry["returns"] = returns or "items"
    entry["description"] = description(tool, rng)
    entry["parameters"] = {"type": "object", "properties": properties, "required": required}
    return Dressed(entry, renamed)


def _keep(tool: Known, used: Collection[str], rng: Random) -> list[str]:
    others = [name for name in tool.parameters if name not in used and name not in tool.required]
    rng.shuffle(others)
    room = max(0, min(MOST_PARAMETERS, len(used) + rng.choice((0, 1, 1, 2, 2, 3))) - len(used))
    wanted = {*used, *tool.required, *others[:room]}
    names = [name for name in tool.parameters if name in wanted]
    if tool.domain or rng.random() < 0.3:
        rng.shuffle(names)
    if rng.random() < 0.7:  # as most schemas are written
        names.sort(key=lambda name: name not in tool.required)
    return names


def _rename(names: Sequence[str], rng: Random) -> dict[str, str]:
    """New names, all different; some stay. Names of machines (`FromDate`, `EXTRA_HOUR`) rarely do."""
    groups = _parameter_names()
    renamed: dict[str, str] = {}
    for name in names:
        if not _VALID.fullmatch(name):
            raise ValueError(f"parameter {name!r} cannot be written in a call")
        group = groups.get(name, [name])
        swap = SWAP_PARAMETER if name.islower() else 0.9
        choice = rng.choice(group[1:]) if len(group) > 1 and rng.random() < swap else name
        renamed[name] = choice if choice not in renamed.values() and choice not in names else name
    return renamed


def tool_name(tool: Known, style: Style, rng: Random) -> str:
    """A name of the tool, as an app of this style writes it."""
    parts = re.findall(r"[a-z0-9]+", rng.choice(tool.names).lower()) or ["run"]
    verbs = _verbs()
    if tool.domain or rng.random() >= SAME_NAME:
        if parts[0] in verbs and rng.random() < SWAP_VERB:
            parts[0] = rng.choice(verbs[parts[0]])
        nouns = words()["nouns"]
        parts = [rng.choice(nouns[part]) if part in nouns and rng.random() < SWAP_NOUN else part for part in parts]
    app = style.app
    if style.way == "camel":
        return parts[0] + "".join(part.capitalize() for part in parts[1:])
    if style.way == "dotted":
        return f"{app}.{parts[0]}" + "".join(part.capitalize() for part in parts[1:])
    if style.way == "infix" and parts[0] in verbs and len(parts) > 1:
        parts.insert(1, app)
    elif style.way in ("prefix", "infix"):
        parts.insert(0, app)
    elif style.way == "suffix":
        parts = [*parts[1:], parts[0]] if parts[0] in verbs and len(parts) > 1 else parts
    return "_".join(parts)


def description(tool: Known, rng: Random) -> str:
    """What the tool does, in one sentence or none."""
    text = " ".join(rng.choice(tool.descriptions).split()).rstrip(".")
    if not text or rng.random() < NO_DESCRIPTION:
        return ""
    if not tool.domain:
        first, _, rest = text.partition(" ")
        openings = words()["opening"].get(re.sub(r"(?<=[a-z])s$", "", first.lower()))
        if openings and rng.random() < REWORD:
            text = f"{rng.choice(openings)} {rest}"
        shorter = _LOOSE_END.sub("", _TAIL.sub("", text))
        if len(shorter.split()) > 2 and (rng.random() < CUT or len(text) > LONGEST_DESCRIPTION):
            text = shorter
        if len(text) > LONGEST_DESCRIPTION:
            text = text[:LONGEST_DESCRIPTION].rsplit(" ", 1)[0].rstrip(",;:")
            text = _LOOSE_END.sub("", text)
    return text[:1].upper() + text[1:] + ("." if rng.random() < 0.85 else "")
