"""A request on a made-up phone becomes a dataset item, carried out so that what is observed comes from the device."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations
from random import Random
from typing import Any

from camphor.datasets.bank import load
from camphor.datasets.items import Item
from camphor.datasets.manifests import draw
from camphor.datasets.moments import show_day, show_time
from camphor.datasets.public.lines import Known, Request, Use, span, stems, tables
from camphor.datasets.public.naming import Dressed, Style, draw_style, dress, words
from camphor.device.apps import BUILT_IN_APPS
from camphor.device.device import Device
from camphor.errors import ArgumentError, CamphorError, ToolError
from camphor.types import Agent, Call

PLACES = (
    ("Dublin", "Ireland"), ("Leeds", "United Kingdom"), ("Porto", "Portugal"), ("Denver", "United States"),
    ("Nairobi", "Kenya"), ("Perth", "Australia"), ("Bergen", "Norway"), ("Pune", "India"), ("Halifax", "Canada"),
    ("Ghent", "Belgium"), ("Austin", "United States"), ("Cork", "Ireland"), ("Turin", "Italy"), ("Lagos", "Nigeria"),
)  # fmt: skip
PEOPLE = ("Noor Haddad", "Alex Kerr", "Mina Okafor", "Tom Brandt", "Lucia Pires", "Ravi Menon", "Ida Holm", "Sam Doyle")
TOOLS = ((3, 4, 5, 6, 7, 8, 9, 10, 12, 14), (16, 18, 17, 14, 11, 8, 6, 5, 3, 2))
"""How many tools of apps that are not built in a phone has, and how often."""
MOST_DEFINED = 900  # characters of all definitions, about 240 tokens
ALIKE = 0.45
"""Share of the words of two tools that makes them too alike to be set side by side as right and wrong."""
WEB = frozenset(
    ("facts", "dictionary", "news", "stocks", "exchange_rate", "recipe", "movies", "works", "cinema", "events_near", "")
)
_PERSON = re.compile(r"person|contact|name|who|recipient|attendee|relation|receiver|^to$|friend|email", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:(?:hey|hi|ok|okay|please|olly|alexa|siri|can you|could you|would you|tell me|let me know|i want to know"
    r"|i want|i would like to know|do you know|find out|find me|find|search for|search|look up|google|give me"
    r"|show me|show|i need|what(?:'s| is| are| was)|who(?:'s| is| was)|how (?:do|to|can|would) i|me|the|an?|about|some|for|to)\s+)+",
    re.IGNORECASE,
)


class Unfit(Exception):
    """No item can be made of this request; says why."""


@dataclass(frozen=True)
class Phone:
    """The parts of a phone that are drawn before its tools."""

    now: datetime
    city: str
    country: str


def draw_phone(rng: Random) -> Phone:
    city, country = rng.choice(PLACES)
    now = datetime(rng.choice((2024, 2025, 2026)), 1, 1) + timedelta(days=rng.randrange(365), hours=rng.randint(6, 22))
    return Phone(now.replace(minute=rng.choice((0, 5, 10, 15, 20, 30, 40, 45, 55))), city, country)


def too_near(tool: Known, other: Known) -> bool:
    """Whether a request for one tool may well be met by the other."""
    if tool.name == other.name:
        return True
    if tool.domain and other.domain:
        return tool.domain == other.domain or frozenset((tool.domain, other.domain)) in _near_domains()
    shared = len(tool.stems & other.stems)
    return shared / max(1, min(len(tool.stems), len(other.stems))) >= ALIKE


def _near_domains() -> frozenset[frozenset[str]]:
    global _NEAR
    if _NEAR is None:
        groups = tables()["near"]["groups"]
        _NEAR = frozenset(frozenset(pair) for group in groups for pair in combinations(group, 2))
    return _NEAR


_NEAR: frozenset[frozenset[str]] | None = None


def distractors(request: Request, pools: Sequence[Sequence[Known]], count: int, rng: Random) -> list[Known]:
    """Tools that the request does not mean: half from its own line or set, half from anywhere."""
    meant = [use.tool for use in request.uses]
    said = stems(request.query)
    found: list[Known] = []
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
    request: Request,
    identity: str,
    pools: Sequence[Sequence[Known]],
    rng: Random,
    *,
    without: bool = False,
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
    maker = _Maker(phone, rng, uses)
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
        raise Unfit(str(error)) from None


def _call(use: Use, dressed: Dressed, query: str) -> Call:
    said = {
        name: (span(value, query) or value) if isinstance(value, str) else value
        for name, value in use.arguments.items()
    }
    order = list(dressed.tool["parameters"]["properties"])
    renamed = {dressed.renamed[name]: value for name, value in said.items()}
    return Call(str(dressed.tool["name"]), {name: renamed[name] for name in order if name in renamed})


def _built_in(request: Request, rng: Random) -> list[str]:
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
    rivals |= {app for word, apps in _SAID.items() if word in text for app in apps}
    names = [name for name in BUILT_IN_APPS if name not in rivals]
    chosen = set(rng.sample(names, min(len(names), rng.choice((0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12)))))
    return [name for name in names if name in chosen]


_SAID = {
    "event": ("calendar",), "meeting": ("calendar",), "appointment": ("calendar",), "schedule": ("calendar",),
    "remind": ("reminders", "calendar"), "task": ("reminders",), "note": ("notes",), "message": ("imessage",),
    "text ": ("imessage",), "email": ("mail",), "mail": ("mail",), "song": ("music",), "music": ("music",),
    "play": ("music", "podcasts"), "photo": ("instagram",), "post": ("instagram",), "buy": ("amazon",),
    "order": ("amazon",), "store": ("maps", "amazon"), "book": ("books",), "restaurant": ("maps",), "near": ("maps",),
    "hotel": ("maps",), "direction": ("maps",), "call": ("contacts",), "contact": ("contacts",),
    "health": ("health",), "fitness": ("fitness",), "workout": ("fitness",), "step": ("fitness",), "medic": ("health",),
    "download": ("appstore",), "install": ("appstore",), "record": ("voice_memos",), "data": ("settings",),
    "phone": ("contacts",), "history": ("safari",), "web": ("safari",), "article": ("news",), "podcast": ("podcasts",),
}  # fmt: skip


class _Maker:
    """Puts tools into apps, and records where look-ups need some."""

    def __init__(self, phone: Phone, rng: Random, uses: Sequence[Use]) -> None:
        self.phone, self.rng = phone, rng
        self.apps: dict[str, dict[str, Any]] = {}
        self._uses = {use.tool.name: use for use in uses}
        self._taken = {*BUILT_IN_APPS, *load()["apps"]}
        self._names: set[str] = set()

    def install(self, needed: Sequence[Use], others: Sequence[Known]) -> dict[str, Dressed]:
        """One to three apps with these tools, in any order, as long as their definitions stay short."""
        rng = self.rng
        styles: list[Style] = []
        for _ in range(rng.choices((1, 2, 3), (35, 45, 20))[0]):
            styles.append(draw_style(rng, self._taken))
            self._taken.add(styles[-1].app)
        left = MOST_DEFINED
        placed: list[tuple[Style, Known, Dressed]] = []
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
                use = self._uses.get(tool.name)
                app["records"].setdefault(dressed.tool["returns"], []).extend(
                    self._records(use, dressed) if use else []
                )
        return {tool.name: dressed for _, tool, dressed in placed}

    def _dress(self, tool: Known, style: Style) -> Dressed:
        use = self._uses.get(tool.name)
        for attempt in range(8):
            returns = f"{tool.domain or 'found'}_{len(self._names)}"
            try:
                dressed = dress(tool, use.arguments if use else (), style, self.rng, returns=returns)
            except ValueError as error:
                raise Unfit(str(error)) from None
            name = str(dressed.tool["name"])
            if name not in self._names:
                self._names.add(name)
                return dressed
            if attempt == 5:
                style = Style(style.app, "prefix")
        raise Unfit("two tools have one name")

    def _records(self, use: Use, dressed: Dressed) -> list[dict[str, Any]]:
        """None to three records that fit the call, made up."""
        rng = self.rng
        fields = self._fields(use.tool)
        echo = {dressed.renamed[name]: value for name, value in use.arguments.items()}
        count = rng.choices((0, 1, 2, 3), (8, 72, 14, 6) if len(self._uses) == 1 else (2, 98, 0, 0))[0]
        return [
            {**echo, **{name: draw(rule, rng, PEOPLE, self.phone.now) for name, rule in fields.items()}}
            for _ in range(count)
        ]

    def _fields(self, tool: Known) -> dict[str, Any]:
        results = tables()["results"]
        if tool.domain:
            return dict(results.get(tool.domain) or results["other"])
        chosen = self.rng.sample(list(results["other"]), self.rng.choice((1, 1, 2)))
        return {name: results["other"][name] for name in chosen}


def _carry_out(
    request: Request,
    identity: str,
    data: dict[str, Any],
    calls: Sequence[tuple[bool, Call]],
    maker: _Maker,
    *,
    without: bool,
) -> Item:
    rng = maker.rng
    steps: list[dict[str, Any]] = []
    gold: list[dict[str, Any]] = []
    response = ""
    if not calls:
        response = _without_tool(request, data, steps, rng)
    reads = [call for reading, call in calls if reading]
    acts = [call for reading, call in calls if not reading]
    with _settled(data, [*reads, *acts]) as device:
        if reads:
            steps.append({"agent": Agent.CONTEXT.value, "calls": [call.to_json() for call in reads]})
            records = []
            for call in reads:
                observation = device.execute(call)
                if observation.error is not None:
                    raise Unfit(observation.error)
                records.append(observation.records)
            response = "" if acts else _reply(reads, records, device.now.year, rng)
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
                raise Unfit(str(error)) from None
            schema["x-role"] = "text"
        except ToolError as error:
            device.close()
            raise Unfit(str(error)) from None
    raise Unfit("values that the phone does not understand")


def _schema(data: Mapping[str, Any], tool: str, parameter: str) -> dict[str, Any] | None:
    for app in data["apps"].values():
        for entry in app.get("tools", ()):
            if entry["name"] == tool:
                found: dict[str, Any] | None = entry["parameters"]["properties"].get(parameter)
                return found
    return None


def _without_tool(request: Request, data: dict[str, Any], steps: list[dict[str, Any]], rng: Random) -> str:
    """What is done where no tool fits: a question about the world is looked up on the web, else it is said."""
    domains = {use.tool.domain for use in request.uses}
    asks = request.source == "clinc_oos" or (request.uses and all(use.tool.reads for use in request.uses))
    if not asks:
        chat = not request.uses and request.source in ("hwu64", "slurp")
        return str(rng.choice(words()["cannot"]["chat" if chat and rng.random() < 0.75 else "replies"]))
    subject = _LEAD.sub("", request.query).strip(" ?.!")
    if request.source != "clinc_oos" and not domains <= WEB - {""}:
        return str(rng.choice(words()["cannot"]["replies"]))
    if len(subject.split()) < 2 or re.search(r"\b(my|your?|me|i|we|our)\b", subject, re.IGNORECASE):
        raise Unfit("nothing to search the web for")
    result = f"{subject[:1].upper()}{subject[1:]}: {rng.choice(load()['content']['found'])}"
    data["web"] = [{"query": subject, "result": result}]
    steps.append(
        {"agent": Agent.KNOWLEDGE.value, "calls": [{"name": "search_safari", "arguments": {"query": subject}}]}
    )
    return f"{result}."


def _reply(calls: Sequence[Call], found: Sequence[Sequence[Mapping[str, Any]]], year: int, rng: Random) -> str:
    """An answer from what was observed alone."""
    parts = []
    for call, records in zip(calls, found, strict=True):
        told = []
        for record in records:
            news = {name: value for name, value in record.items() if name not in call.arguments} or dict(record)
            told.append(_told(news, year, rng))
        if told:
            parts.append("; ".join(told))
    if not parts:
        return str(rng.choice(words()["cannot"]["nothing"]))
    text = ". ".join(part[:1].upper() + part[1:] for part in parts)
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _told(news: Mapping[str, Any], year: int, rng: Random) -> str:
    shown = {name.replace("_", " "): _shown(value, year) for name, value in news.items()}
    if rng.random() < 0.85 or len(shown) == 1:
        return ", ".join(shown.values())
    return ", ".join(f"{name} {value}" for name, value in shown.items())


def _shown(value: Any, year: int) -> str:
    """A value of a record as prompts show it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    try:
        moment = datetime.fromisoformat(text) if text[4:5] == "-" else None
    except ValueError:
        moment = None
    if moment is None:
        return text
    return show_time(moment, year) if "T" in text else show_day(moment.date(), year)
