"""What is said at the end: what a look-up found, or that no tool of the phone does what was asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from camphor.agents.display import show_value
from camphor.types import Agent, Call
from camphor_lab.datasets.bank import fill, load
from camphor_lab.datasets.public.lines import PublicRequest, tables
from camphor_lab.datasets.public.naming import words

WEB = frozenset(
    ("facts", "dictionary", "news", "stocks", "exchange_rate", "recipe", "movies", "works", "cinema", "events_near")
)
"""Domains of questions that the web answers where no tool does."""
PERHAPS = frozenset(("weather", "weather_alert", "timezone", "traffic", "transport", "maths", "places_near", "parking"))
"""Domains that the web may answer, given a place or luck: nothing is taught of them where their tool is missing."""
_LEAD = re.compile(
    r"^(?:(?:hey|hi|ok|okay|please|olly|alexa|siri|can you|could you|would you|tell me|let me know|i want to know"
    r"|i want|i would like to know|do you know|find out|find me|find|search for|search|look up|google|give me"
    r"|show me|show|i need|what(?:'s| is| are| was)|who(?:'s| is| was)|how (?:do|to|can|would) i|me|the|an?"
    r"|about|some|for|to)\s+)+",
    re.IGNORECASE,
)


class NotBuilt(Exception):
    """No item can be made of this request; says why."""


def without_tool(request: PublicRequest, data: dict[str, Any], steps: list[dict[str, Any]], rng: Random) -> str:
    """What is done where no tool fits: a question about the world is looked up on the web, else it is said."""
    domains = {use.tool.domain for use in request.uses}
    asks = request.source == "clinc_oos" or (request.uses and all(use.tool.reads for use in request.uses))
    if not asks:
        chat = not request.uses and request.source in ("hwu64", "slurp")
        return str(rng.choice(words()["cannot"]["chat" if chat and rng.random() < 0.75 else "replies"]))
    if domains & PERHAPS:
        raise NotBuilt("the web might answer it")
    subject = _LEAD.sub("", request.query).strip(" ?.!")
    if request.source != "clinc_oos" and not domains <= WEB:
        return str(rng.choice(words()["cannot"]["replies"]))
    if len(subject.split()) < 2 or re.search(r"\b(my|your?|me|i|we|our)\b", subject, re.IGNORECASE):
        raise NotBuilt("nothing to search the web for")
    result = f"{subject[:1].upper()}{subject[1:]}: {rng.choice(load()['content']['found'])}"
    data["web"] = [{"query": subject, "result": result}]
    steps.append(
        {"agent": Agent.KNOWLEDGE.value, "calls": [{"name": "search_safari", "arguments": {"query": subject}}]}
    )
    return f"{result}."


def reply(
    calls: Sequence[Call], domains: Sequence[str], found: Sequence[Sequence[Mapping[str, Any]]], year: int, rng: Random
) -> str:
    """An answer from what was observed alone."""
    parts = []
    for call, domain, records in zip(calls, domains, found, strict=True):
        way = rng.random() if len(records) == 1 else 0.0
        told = [_told(record, call, domain, year, way) for record in records]
        if told:
            parts.append("; ".join([*(part.rstrip(".") for part in told[:-1]), told[-1]]))
    if not parts:
        return str(rng.choice(words()["cannot"]["nothing"]))
    text = " ".join(part[:1].upper() + part[1:] for part in parts)
    return re.sub(r"([.?!])\.", r"\1", text)


def _told(record: Mapping[str, Any], call: Call, domain: str, year: int, way: float) -> str:
    shown = {name: show_value(value, year) for name, value in record.items()}
    said = tables()["results"].get(domain, {}).get("say")
    if said:
        return fill(said[int(way * len(said))], shown)
    news = {name.replace("_", " "): value for name, value in shown.items() if name not in call.arguments}
    if len(news) == 1 or way < 0.5:
        return ", ".join(news.values() or shown.values()) + "."
    return ", ".join(f"{name} {value}" for name, value in news.items()) + "."
