"""Tools under other names: what a definition says must be read, because its names are never twice the same.

Verbs, nouns and parameters are exchanged for words that mean the same, names are written as an app would write all of
its own (`get_nimly_jobs`, `getJobs`, `nimly.getJobs`), descriptions are reworded at their start and cut at their end.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

from camphor_lab.datasets.files import tables_beside
from camphor_lab.datasets.public.lines import FoundLater, PublicTool, as_number, stems

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
_COUNTS = re.compile(r"party_size_number|rating_value|best_rating|FloorNumber|^year$|AMOUNT|change_amount")
_CHOICES = re.compile(
    r"house_place|color_type|device_type|coffee_type|music_genre|media_type|player_setting|transport_type|order_type"
    r"|business_type|list_name|weather_descriptor|personal_info|email_folder|relation|meal_type|timeofday|joke_type"
    r"|cooking_type|OrderReference|Category|ListType|genre|object_type|music_item|restaurant_type|rating_unit|cuisine"
    r"|service|sort|movie_type|condition_description|facility|WeatherCondition|VALUE"
)
NUMBERED, CHOSEN = 0.6, 0.3
"""Shares of numbers that are typed as such, and of texts that become a choice among values seen in the set."""
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


def words() -> Mapping[str, Any]:
    """The hand-written file of words that can stand for one another."""
    return tables_beside(__file__, "words.toml")


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
            return f"{first}{second}"


def draw_style(rng: Random, taken: Collection[str]) -> Style:
    return Style(app_name(rng, taken), rng.choices(STYLES, STYLE_WEIGHTS)[0])


def dress(tool: PublicTool, used: Mapping[str, Any], style: Style, rng: Random, *, returns: str = "") -> Dressed:
    """The tool as an app of this style has it; parameters in `used` are always kept, some others are not.

    Args:
        used: the values that a request gives.

    Raises:
        ValueError: a parameter has a name that cannot be written in a call.
    """
    kept = _keep(tool, used, rng)
    renamed = _rename(kept, rng)
    properties = {renamed[name]: dict(tool.parameters[name]) for name in kept}
    for name in kept:
        schema = properties[renamed[name]]
        if rng.random() < 0.3:
            schema.pop("description", None)
        _specify(schema, name, used.get(name), rng)
    required = [renamed[name] for name in kept if name in tool.required]
    if tool.domain:  # the set does not say what is required: what this request gives may be, what it lacks is not
        required = [renamed[name] for name in kept if name in used and rng.random() < 0.4]
    entry: dict[str, Any] = {"name": tool_name(tool, style, rng), "kind": "context" if tool.reads else "action"}
    if tool.reads:
        entry["returns"] = returns or "items"
    entry["description"] = description(tool, rng)
    entry["parameters"] = {"type": "object", "properties": properties, "required": required}
    return Dressed(entry, renamed)


def _specify(schema: dict[str, Any], name: str, value: Any, rng: Random) -> None:
    """Makes a plain text a choice or a number, where the value in use (or none) allows it."""
    values = schema.pop("seen", ())
    if isinstance(value, FoundLater):
        return
    if schema.get("type") != "string" or "enum" in schema:
        return
    if _COUNTS.search(name) and (value is None or as_number(value) is not None) and rng.random() < NUMBERED:
        schema["type"] = "integer"
    elif len(values) > 2 and _CHOICES.fullmatch(name) and not isinstance(value, list) and rng.random() < CHOSEN:
        own = stems(str(value)) if value is not None else frozenset()
        others: list[str] = []
        for other in rng.sample(list(values), len(values)):
            if stems(other) and not stems(other) & own:
                others.append(other)
                own |= stems(other)
        if (value is None or len(str(value).split()) < 4) and len(others) > 1:
            schema["enum"] = [*others[: rng.randint(2, 4)], *([str(value).lower()] if value is not None else [])]
            rng.shuffle(schema["enum"])


def _keep(tool: PublicTool, used: Mapping[str, Any], rng: Random) -> list[str]:
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


def tool_name(tool: PublicTool, style: Style, rng: Random) -> str:
    """A name of the tool, as an app of this style writes it."""
    parts: list[str] = re.findall(r"[a-z0-9]+", rng.choice(tool.names).lower()) or ["run"]
    verbs = _verbs()
    if tool.domain or rng.random() >= SAME_NAME:
        if parts[0] in verbs and rng.random() < SWAP_VERB:
            parts[0] = rng.choice(verbs[parts[0]])
        nouns = words()["nouns"]
        for place, part in enumerate(parts):
            other = str(rng.choice(nouns[part])) if part in nouns and rng.random() < SWAP_NOUN else part
            parts[place] = part if other in parts else other
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


def description(tool: PublicTool, rng: Random) -> str:
    """What the tool does, in one sentence or none."""
    text = " ".join(rng.choice(tool.descriptions).split()).rstrip(".")
    if not text or rng.random() < NO_DESCRIPTION:
        return ""
    if not tool.domain:
        first, _, rest = text.partition(" ")
        openings = words()["opening"].get(re.sub(r"(?<=[a-z])s$", "", first.lower()))
        if openings and rng.random() < REWORD:
            text = f"{rng.choice(openings)} {rest.removeprefix('for ')}"
        shorter = _LOOSE_END.sub("", _TAIL.sub("", text))
        if len(shorter.split()) > 2 and (rng.random() < CUT or len(text) > LONGEST_DESCRIPTION):
            text = shorter
        if len(text) > LONGEST_DESCRIPTION:
            text = text[:LONGEST_DESCRIPTION].rsplit(" ", 1)[0].rstrip(",;:")
            text = _LOOSE_END.sub("", text)
    return text[:1].upper() + text[1:] + ("." if rng.random() < 0.85 else "")
