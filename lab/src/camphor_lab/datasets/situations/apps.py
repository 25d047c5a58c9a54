"""Wishes for apps that are not built in, drawn from any manifest of the bank."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from camphor.types import Agent
from camphor_lab.datasets.bank import fill, slots_of
from camphor_lab.datasets.contents import draw
from camphor_lab.datasets.moments import draw_day
from camphor_lab.datasets.situations.facts import shown
from camphor_lab.datasets.telling import tell
from camphor_lab.datasets.wishes import (
    GoldAct,
    LookUp,
    Unfit,
    Wish,
    World,
    contact,
    refer,
    saying,
    sentence,
    situation,
    unique,
)


def _installed(world: World) -> list[str]:
    return [name for name in world.phone.data["apps"] if name in world.bank.apps]


def _tags(world: World, app: Mapping[str, Any]) -> tuple[str, ...]:
    """`unseen_app`: no training set of this bank has it; `held_out_app`: nor has one made before apps were divided."""
    unseen = ("unseen_app",) if world.bank.split == "test" else ()
    return ("own_app", *unseen, *(("held_out_app",) if app.get("split") == "test" else ()))


def _finder(app: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    for tool in app["tools"]:
        if tool["kind"] == "context" and tool.get("returns") == kind:
            found: Mapping[str, Any] = tool
            return found
    raise Unfit("no look-up for this list")


def look_up(tool: Mapping[str, Any], keyword: str) -> LookUp:
    """The app's look-up with words to look for, where it takes them.

    Raises:
        Unfit: it needs parameters that are not such words.
    """
    name = keyword_parameter(tool)
    if set(tool.get("required", ())) - {name}:
        raise Unfit("the look-up takes more than words")
    return LookUp(Agent.CONTEXT, tool["name"], {name: keyword} if name and keyword else {})


def keyword_parameter(tool: Mapping[str, Any]) -> str:
    """The parameter that takes the words to look for: `keyword`, or the only text; empty where there is none."""
    parameters = tool.get("parameters", {})
    texts = [
        name
        for name, schema in parameters.items()
        if schema.get("type") == "string" and "enum" not in schema and "format" not in schema and name != "date"
    ]
    return "keyword" if "keyword" in parameters else texts[0] if len(texts) == 1 else ""


@situation(22)
def app_action(world: World) -> Wish:
    name = world.pick(_installed(world))
    app = world.bank.apps[name]
    tool = world.pick([tool for tool in app["tools"] if tool["kind"] == "action"])
    clauses = tool.get("clause", ())  # the whole app belongs to one split, so all of its lines do
    line = world.pick(world.spread.open((*tool.get("ask", ()), *clauses)))
    slots = _Slots(world, name, app, tool, line)
    text = fill(line, slots.said)
    if set(slots_of(text)):
        raise Unfit("a slot is left")
    act = GoldAct(tool["name"], slots.human, slots.gold)
    return Wish(
        "app_action",
        text,
        line in clauses,
        slots.lookups,
        [act],
        person=slots.person,
        tags=(*_tags(world, app), *(("lookup",) if slots.lookups else ())),
        skeleton=line,
        app=name,
    )


class _Slots:
    """Values of one tool's parameters for one line."""

    def __init__(self, world: World, name: str, app: Mapping[str, Any], tool: Mapping[str, Any], line: str) -> None:
        self.world, self.name, self.app, self.tool, self.line = world, name, app, tool, line
        self.said: dict[str, str] = {}
        self.human: dict[str, Any] = {}
        self.gold: dict[str, Any] = {}
        self.lookups: list[LookUp] = []
        self.person = ""
        self._records: dict[str, dict[str, Any]] = {}
        in_line, required = slots_of(line), set(tool.get("required", ()))
        for parameter, schema in tool.get("parameters", {}).items():
            if parameter in tool.get("always", {}):
                self._set(parameter, tool["always"][parameter], tool["always"][parameter])
            elif parameter in in_line or parameter in required:
                self._fill(parameter, schema, parameter in in_line)
        for slot in in_line - set(self.said):
            for record in self._records.values():
                if slot in record:
                    self.said[slot] = shown(record, world.now.year)[slot]

    def _set(self, parameter: str, human: Any, gold: Any) -> None:
        self.human[parameter], self.gold[parameter] = human, gold

    def _fill(self, parameter: str, schema: Mapping[str, Any], said: bool) -> None:
        rule = self.tool.get("fill", {}).get(parameter)
        if rule is None and "enum" in schema:
            rule = schema["enum"]
        if isinstance(rule, str) and rule.startswith("record "):
            self._from_record(parameter, rule.split(" ", 1)[1])
            return
        if not said:
            raise Unfit("a required value is not in the line")
        if rule == "when" or rule == "day":
            self._time(parameter, rule)
        elif rule == "person":
            who = refer(self.world)
            self.lookups.append(contact(who))
            self.said[parameter], self.person = who.said, who.name
            self._set(parameter, who.name, who.name)
        else:
            value = _typed(draw(rule, self.world.rng, [], self.world.now), schema)
            spoken = self.tool.get("say", {}).get(parameter, {})
            forms = spoken.get(str(value)) or spoken.get(str(value).lower())
            if isinstance(value, bool) and not forms:
                raise Unfit("nobody says true or false")
            self.said[parameter] = self.world.rng.choice(forms) if forms else str(value)
            self._set(parameter, value, value)

    def _time(self, parameter: str, rule: str) -> None:
        moment = self.world.moment()
        if rule == "day":
            day, on, bare = draw_day(self.world.rng, self.world.now)
            after = re.search(rf"\b(for|to|from|by|until|till|since|before|on|of) {{{parameter}}}", self.line)
            self.said[parameter] = bare if after or self.line.startswith(f"{{{parameter}}}") else on
            self._set(parameter, self.said[parameter].removeprefix("on "), day.isoformat())
            return
        if moment.minute:
            self.lookups.append(LookUp(Agent.DEVICE, "get_time_information"))
        self.said[parameter] = moment.bare
        self._set(parameter, moment.bare, moment.value.isoformat())

    def _from_record(self, parameter: str, rule: str) -> None:
        kind, field = rule.split(".", 1)
        records = self.world.phone.data["apps"][self.name]["records"][kind]
        if kind not in self._records:
            record = self.world.pick(records)
            called = str(record[next(iter(record))])
            if not unique(records, called, record):
                raise Unfit("several records")
            self._records[kind] = record
            self.lookups.append(look_up(_finder(self.app, kind), called))
        record = self._records[kind]
        self.said[parameter] = str(record[next(iter(record))])
        self._set(parameter, record[field], record[field])


def _typed(value: Any, schema: Mapping[str, Any]) -> Any:
    kind = schema.get("type")
    if kind == "integer":
        return int(value)
    if kind == "number":
        return float(value) if float(value) % 1 else int(float(value))
    if kind == "boolean":
        return str(value).lower() == "true"
    return value


@situation(11)
def app_question(world: World) -> Wish:
    name = world.pick(_installed(world))
    app = world.bank.apps[name]
    question = world.pick(app.get("questions", ()))
    records = world.phone.data["apps"][name]["records"][question["list"]]
    record = world.pick(records)
    line = world.pick(world.spread.open(question["ask"]))
    called = str(record[next(iter(record))])
    tool = next(tool for tool in app["tools"] if tool["name"] == question["tool"])
    key = next(iter(record))
    if key not in slots_of(line):
        lookup = look_up(tool, "")
        if len(records) > 1:
            raise Unfit("the line names no record")
    else:
        if not unique(records, called, record):
            raise Unfit("several records")
        lookup = look_up(tool, called)
    values = shown(record, world.now.year)
    template = world.rng.choice(question["reply"])
    response = fill(template, values)
    if slots_of(response):
        raise Unfit("the record lacks a field")
    response = sentence(response)
    told = tell(fill(line, values), record, slots_of(template), records)
    return saying(
        "app_question",
        line,
        False,
        values,
        [lookup],
        [],
        tags=("info_only", *_tags(world, app), "lookup"),
        response=response,
        app=name,
        told=told,
    )
