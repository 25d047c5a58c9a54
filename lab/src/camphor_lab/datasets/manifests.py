"""Invented apps from the bank: installing them on a phone, and drawing values for their fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from camphor_lab.datasets.bank import Bank

RECORDS = (5, 9)
CHANCES = (0.34, 0.3, 0.23, 0.13)  # of no, one, two, three invented apps on a phone


def install(data: dict[str, Any], bank: Bank, rng: Random, people: Sequence[str], now: datetime) -> None:
    """Put none to three invented apps on a phone; an app is seen in one split only (`bank.split_of_app`)."""
    count = rng.choices(range(len(CHANCES)), CHANCES)[0]
    names = rng.sample(sorted(bank.apps), min(count, len(bank.apps)))
    held_out = sorted(name for name, app in bank.apps.items() if "split" in app)
    number = int(str(data["id"]).rsplit("-", 1)[1])
    if held_out and number % 2:  # each of those that no earlier run has seen has its turn
        names.insert(0, held_out[number // 2 % len(held_out)])
    for name in list(dict.fromkeys(names))[:count]:
        data["apps"][name] = manifest_of(bank.apps[name], rng, people, now)


def manifest_of(app: Mapping[str, Any], rng: Random, people: Sequence[str], now: datetime) -> dict[str, Any]:
    tools = []
    for tool in app.get("tools", ()):
        definition = {"name": tool["name"], "kind": tool["kind"], "description": tool["description"]}
        if "returns" in tool:
            definition["returns"] = tool["returns"]
        definition["parameters"] = {
            "type": "object",
            "properties": tool.get("parameters", {}),
            "required": tool.get("required", []),
        }
        tools.append(definition)
    lists = {name: draw_records(fields, rng, people, now) for name, fields in app.get("records", {}).items()}
    return {"description": app["description"], "tools": tools, "records": lists}


def draw_records(fields: Mapping[str, Any], rng: Random, people: Sequence[str], now: datetime) -> list[dict[str, Any]]:
    key = next(iter(fields))
    choices = fields[key]
    count = rng.randint(*RECORDS)
    firsts = rng.sample(choices, min(count, len(choices))) if isinstance(choices, list) else [None] * count
    records: list[dict[str, Any]] = []
    for first in firsts:
        record = {name: draw(rule, rng, people, now) for name, rule in fields.items()}
        if first is not None:
            record[key] = first
        if all(other[key] != record[key] for other in records):
            records.append(record)
    return records


def draw(rule: Any, rng: Random, people: Sequence[str], now: datetime) -> Any:
    """A value by a field's rule (the bank's README lists them)."""
    if isinstance(rule, list):
        return rng.choice(rule)
    if not isinstance(rule, str):
        return rule
    kind, *rest = rule.split()
    if kind == "int":
        return rng.randint(int(rest[0]), int(rest[1]))
    if kind == "money":
        return round(rng.uniform(float(rest[0]), float(rest[1])), 2)
    if kind == "bool":
        return rng.random() < 0.5
    if kind in ("date", "time"):
        sign = -1 if rest and rest[0] == "past" else 1
        moment = now + sign * timedelta(days=rng.randint(1, 25))
        moment = moment.replace(hour=rng.randint(7, 21), minute=rng.choice((0, 15, 30, 45)), second=0)
        return moment.date().isoformat() if kind == "date" else moment.isoformat()
    if kind == "id":
        return re.sub("#", lambda _: str(rng.randint(0, 9)), rest[0])
    if kind == "person":
        return rng.choice(list(people)) if people else "Alex Kerr"
    return rule
