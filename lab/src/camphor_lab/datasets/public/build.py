"""A request on a made-up phone becomes a dataset item, carried out so that what is observed comes from the device."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import combinations, product
from random import Random
from typing import Any

from camphor.agents.display import show_value
from camphor.device.apps import BUILT_IN_APPS, tools_of
from camphor.device.device import Device
from camphor.device.general import general_tools
from camphor.errors import ArgumentError, CamphorError, ToolError
from camphor.trajectories.items import Item
from camphor.types import Agent, Call
from camphor_lab.datasets.bank import load
from camphor_lab.datasets.contents import draw
from camphor_lab.datasets.public.endings import NotBuilt, reply, without_tool
from camphor_lab.datasets.public.lines import (
    FoundLater,
    PublicRequest,
    PublicTool,
    ToolUse,
    as_number,
    span,
    stems,
    tables,
)
from camphor_lab.datasets.public.naming import Dressed, Style, draw_style, dress

TOOLS = ((3, 4, 5, 6, 7, 8, 9, 10, 12, 14), (18, 20, 18, 14, 10, 7, 5, 4, 2, 2))
"""How many tools of apps that are not built in a phone has, and how often."""
MOST_DEFINED = 720  # characters of all definitions, about 190 tokens
ALIKE = 0.45
"""Share of the words of two tools that makes them too alike to be set side by side as right and wrong."""
_RANGE = re.compile(r"\d{4}-\d\d-\d\d\S*/\d{4}-")
_PERSON = re.compile(r"person|contact|name|who|recipient|attendee|relation|receiver|^to$|friend|email", re.IGNORECASE)


@dataclass(frozen=True)
class DrawnPhone:
    """The parts of a phone that are drawn before its tools."""

    now: datetime
    city: str
    country: str


def draw_phone(rng: Random) -> DrawnPhone:
    city, country = rng.choice(tables()["phones"]["places"])
    now = datetime(rng.choice((2024, 2025, 2026)), 1, 1) + timedelta(days=rng.randrange(365), hours=rng.randint(6, 22))
    return DrawnPhone(now.replace(minute=rng.choice((0, 5, 10, 15, 20, 30, 40, 45, 55))), city, country)


def too_near(tool: PublicTool, other: PublicTool) -> bool:
    """Whether a request for one tool may well be met by the other."""
    if tool.name == other.name:
        return True
    if tool.domains & other.domains:
        return True
    if any(frozenset(pair) in _near_domains() for pair in product(tool.domains, other.domains)):
        return True
    if tool.domain and other.domain:
        return False
    shared = len(tool.stems & other.stems)
    return shared / max(1, min(len(tool.stems), len(other.stems))) >= ALIKE


@lru_cache(maxsize=1)
def _near_domains() -> frozenset[frozenset[str]]:
    groups = tables()["near"]["groups"]
    return frozenset(frozenset(pair) for group in groups for pair in combinations(group, 2))


def distractors(
    request: PublicRequest, pools: Sequence[Sequence[PublicTool]], count: int, rng: Random
) -> list[PublicTool]:
    """Tools that the request does not mean: half from its own line or set, half from anywhere."""
    meant = [use.tool for use in request.uses]
    said = stems(request.query)
    found: list[PublicTool] = []
    for _ in range(count * 6):
        if len(found) == count:
            break
        own = request.beside or pools[0]
        pool = own if own and rng.random() < 0.55 else rng.choice(pools)
        tool = rng.choice(pool)
        near_query = not meant and len(tool.stems & said) > (0 if not tool.domain else 1)
        if near_query or any(too_near(tool, other) for other in meant) or any(tool.name == o.name for o in found):
            continue
        found.append(tool)
    return found


def build(
    request: PublicRequest, identity: str, pools: Sequence[Sequence[PublicTool]], rng: Random, *, without: bool = False
) -> Item:
    """An item for the request; `without`: on a phone where the tools that it needs are missing.

    Args:
        pools: tools to draw distractors from, those of the request's own set first.

    Raises:
        Unfit: the values are not understood on the phone, or nothing honest can be answered.
    """
    phone = draw_phone(rng)
    count = rng.choices(*TOOLS)[0]
    meant = {use.tool.name: use for use in request.uses}
    others = distractors(request, pools, max(2, count - len(meant)), rng)
    uses = () if without else request.uses
    maker = _AppMaker(phone, rng, uses)
    tools = maker.install([*({} if without else meant).values()], others)
    data = {
        "format": "camphor.device/1",
        "id": identity,
        "owner": "",
        "now": phone.now.isoformat(),
        "location": {"city": phone.city, "country": phone.country} if rng.random() < 0.9 else {},
        "apps": {**{name: {} for name in _built_in(request, rng)}, **maker.apps},
    }
    calls = [(use.tool.reads, _call(use, tools[use.tool.name], request.query)) for use in uses]
    try:
        return _carry_out(request, identity, data, calls, maker, without=without)
    except CamphorError as error:
        raise NotBuilt(str(error)) from None


def _call(use: ToolUse, dressed: Dressed, query: str) -> Call:
    """The call in the phone's names, its values in the query's writing or as the choice that they are."""
    properties = dressed.tool["parameters"]["properties"]
    renamed = {dressed.renamed[name]: value for name, value in use.arguments.items()}
    arguments = {}
    for name, schema in properties.items():
        if name not in renamed:
            continue
        value = renamed[name]
        if isinstance(value, FoundLater):
            arguments[name] = value
            continue
        if "enum" in schema:
            value = next((option for option in schema["enum"] if str(option).lower() == str(value).lower()), value)
        elif schema.get("type") in ("integer", "number") and isinstance(value, str):
            value = as_number(value)
        elif isinstance(value, str):
            value = span(value, query) or value
        arguments[name] = value
    return Call(str(dressed.tool["name"]), arguments)


def _built_in(request: PublicRequest, rng: Random) -> list[str]:
    """Some built-in apps, in the usual order, without those that could do what is asked as well."""
    rivals: set[str] = set()
    for use in request.uses:
        for domain, apps in tables()["rivals"].items():
            if use.tool.domain.startswith(domain) or (not use.tool.domain and domain in use.tool.name.lower()):
                rivals |= set(apps)
        if any(_PERSON.search(name) for name in use.arguments):
            rivals |= {"contacts", "imessage", "mail"}
    text = request.query.lower() + " " + " ".join(use.tool.name.lower() for use in request.uses)
    rivals |= {app for app in BUILT_IN_APPS if app.rstrip("s") in text} if request.uses else set()
    rivals |= {app for word, apps in tables()["said"].items() if word in text for app in apps}
    names = [name for name in BUILT_IN_APPS if name not in rivals]
    chosen = set(rng.sample(names, min(len(names), rng.choice((0, 1, 2, 3, 4, 5, 6, 8, 11)))))
    return [name for name in names if name in chosen]


class _AppMaker:
    """Puts tools into apps, and records where look-ups need some."""

    def __init__(self, phone: DrawnPhone, rng: Random, uses: Sequence[ToolUse]) -> None:
        self.phone, self.rng = phone, rng
        self.apps: dict[str, dict[str, Any]] = {}
        self._all = uses
        self._uses = {use.tool.name: use for use in uses}
        self._taken = {*BUILT_IN_APPS, *load()["apps"]}
        self._names = {tool.name for tool in general_tools()}
        self._names.update(tool.name for app in BUILT_IN_APPS for tool in tools_of(app))

    def install(self, needed: Sequence[ToolUse], others: Sequence[PublicTool]) -> dict[str, Dressed]:
        """One to three apps with these tools, in any order, as long as their definitions stay short."""
        rng = self.rng
        styles: list[Style] = []
        for _ in range(rng.choices((1, 2, 3), (35, 45, 20))[0]):
            styles.append(draw_style(rng, self._taken))
            self._taken.add(styles[-1].app)
        left = MOST_DEFINED
        placed: list[tuple[Style, PublicTool, Dressed]] = []
        for tool in [*(use.tool for use in needed), *others]:
            style = rng.choice(styles)
            dressed = self._dress(tool, style)
            size = len(str(dressed.tool["description"])) + sum(len(name) + 4 for name in dressed.renamed.values()) + 24
            if tool.name in self._uses or left > size:
                left -= size
                placed.append((style, tool, dressed))
        rng.shuffle(placed)
        for style, tool, dressed in placed:
            app = self.apps.setdefault(style.app, {"description": "", "tools": [], "records": {}})
            app["tools"].append(dict(dressed.tool))
            if tool.reads:
                app["records"].setdefault(dressed.tool["returns"], [])
        return {tool.name: dressed for _, tool, dressed in placed}

    def _dress(self, tool: PublicTool, style: Style) -> Dressed:
        for attempt in range(8):
            returns = f"{tool.domain or 'found'}_{len(self._names)}"
            try:
                dressed = dress(tool, self._given(tool), style, self.rng, returns=returns)
            except ValueError as error:
                raise NotBuilt(str(error)) from None
            name = str(dressed.tool["name"])
            if name not in self._names:
                self._names.add(name)
                return dressed
            if attempt == 5:
                style = Style(style.app, "prefix")
        raise NotBuilt("two tools have one name")

    def _given(self, tool: PublicTool) -> dict[str, Any]:
        """All values that the calls of a tool give, by parameter."""
        return {name: value for use in self._all if use.tool.name == tool.name for name, value in use.arguments.items()}

    def answer(self, tool: PublicTool, call: Call) -> list[dict[str, Any]]:
        """None to three made-up records that fit a normalised call, put where its tool looks."""
        rng = self.rng
        fields = self._fields(tool)
        echo = {name: str(value).partition("/")[0] if _RANGE.match(str(value)) else value
                for name, value in call.arguments.items()}  # fmt: skip
        count = rng.choices((0, 1, 2, 3), (8, 74, 13, 5) if len(self._all) == 1 else (2, 98, 0, 0))[0]
        found: list[dict[str, Any]] = []
        for app in self.apps.values():
            for entry in app["tools"]:
                if entry["name"] == call.name:
                    found = app["records"][entry["returns"]]
        for _ in range(count):
            record = {
                **{
                    name: draw(rule, rng, tables()["phones"]["people"], self.phone.now) for name, rule in fields.items()
                },
                **echo,
            }
            if record not in found:
                found.append(record)
        return found

    def _fields(self, tool: PublicTool) -> dict[str, Any]:
        results = tables()["results"]
        if tool.domain:
            fields = results.get(tool.domain) or results["other"]
            return {name: rule for name, rule in fields.items() if name != "say"}
        chosen = self.rng.sample(list(results["other"]), self.rng.choice((1, 1, 2)))
        return {name: results["other"][name] for name in chosen}


def _carry_out(
    request: PublicRequest,
    identity: str,
    data: dict[str, Any],
    calls: Sequence[tuple[bool, Call]],
    maker: _AppMaker,
    *,
    without: bool,
) -> Item:
    rng = maker.rng
    steps: list[dict[str, Any]] = []
    gold: list[dict[str, Any]] = []
    response = ""
    if not calls:
        response = without_tool(request, data, steps, rng)
    reads = [call for reading, call in calls if reading]
    acts = [call for reading, call in calls if not reading]
    with _settled(data, reads) as device:
        normal = [device.normalise(call) for call in reads]
    reading = [use.tool for use in request.uses if use.tool.reads]
    made = [maker.answer(tool, call) for tool, call in zip(reading, normal, strict=False)]
    acts = _with_found(acts, made, normal, maker.phone.now.year)
    with _settled(data, [*reads, *acts]) as device:
        if reads:
            steps.append({"agent": Agent.CONTEXT.value, "calls": [call.to_json() for call in reads]})
            observations = [device.execute(call) for call in reads]
            for observation in observations:
                if observation.error is not None:
                    raise NotBuilt(observation.error)
            if not acts:
                records = [observation.records for observation in observations]
                response = reply(reads, [tool.domain for tool in reading], records, device.now.year, rng)
        gold = [device.normalise(call).to_json() for call in acts]
    steps.append({"agent": Agent.TASK.value, "calls": [call.to_json() for call in acts]})
    tags = [
        "public",
        request.source,
        "without" if without else "read" if reads and not acts else "act" if acts else "none",
    ]
    return Item(
        identity, data, request.query, (), tuple(steps), tuple(gold), response, tuple(tags), {"origin": request.id}
    )


def _with_found(
    acts: Sequence[Call], made: Sequence[Sequence[Mapping[str, Any]]], reads: Sequence[Call], year: int
) -> list[Call]:
    """The actions with what the look-up before them found; none where it found nothing.

    Raises:
        Unfit: it found several records, and nothing says which is meant, or none that has the field.
    """
    if not any(isinstance(value, FoundLater) for call in acts for value in call.arguments.values()):
        return list(acts)
    if not made[0]:
        return []
    if len(made[0]) > 1:
        raise NotBuilt("several records were found")
    asked = reads[0].arguments
    news = {name: show_value(value, year) for name, value in made[0][0].items() if name not in asked}
    news["*"] = next(iter(news.values()), "")
    calls = []
    for call in acts:
        wanted = [value.field for value in call.arguments.values() if isinstance(value, FoundLater)]
        if not all(news.get(field) for field in wanted):
            raise NotBuilt("the record has no such field")
        values = {
            name: news[value.field] if isinstance(value, FoundLater) else value
            for name, value in call.arguments.items()
        }
        calls.append(Call(call.name, values))
    return calls


def _settled(data: dict[str, Any], calls: Iterable[Call]) -> Device:
    """The device; a parameter whose value it would not understand (a person who is no contact) is plain text there."""
    calls = list(calls)
    for _ in range(8):
        device = Device.create(None, data)
        try:
            for call in calls:
                device.normalise(call)
            return device
        except ArgumentError as error:
            device.close()
            schema = _schema(data, error.tool, error.parameter)
            if schema is None or "x-role" in schema:
                raise NotBuilt(str(error)) from None
            schema["x-role"] = "text"
        except ToolError as error:
            device.close()
            raise NotBuilt(str(error)) from None
    raise NotBuilt("values that the phone does not understand")


def _schema(data: Mapping[str, Any], tool: str, parameter: str) -> dict[str, Any] | None:
    for app in data["apps"].values():
        for entry in app.get("tools", ()):
            if entry["name"] == tool:
                found: dict[str, Any] | None = entry["parameters"]["properties"].get(parameter)
                return found
    return None
