"""Reminders, notes and the calendar."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from camphor.device.when import show_time
from camphor.types import Agent
from camphor_lab.datasets.bank import fill, slots_of
from camphor_lab.datasets.moments import SpokenMoment, draw_day, hours_of, say_day
from camphor_lab.datasets.situations.messages import slots
from camphor_lab.datasets.wishes import (
    GoldAct,
    LookUp,
    Unfit,
    Wish,
    World,
    at_time,
    contact,
    find,
    gold_text,
    look_up_event,
    refer,
    refer_event,
    same,
    saying,
    situation,
    timed,
)


def clock(moment: SpokenMoment) -> list[LookUp]:
    return [LookUp(Agent.DEVICE, "get_time_information")] if moment.minute else []


@situation(9)
def reminder(world: World) -> Wish:
    world.need("reminders")
    line, joined = world.line("reminder")
    slot = "task" if "task" in slots_of(line) else "thing"
    said, moment = world.bank.say(world.rng, slot), world.moment()
    act = timed("create_reminders", "content", moment, said.written, line)
    values = {slot: said.said, "at": moment.at, "when": moment.bare}
    return saying("reminder", line, joined, values, clock(moment), [act], "relative_time")


def _around(world: World, name: str, sign: int) -> Wish:
    world.need("reminders")
    event, span = refer_event(world), world.span()
    base = event.start if sign < 0 else event.end
    value = base + sign * span.length
    if value <= world.now or (sign > 0 and span.length > timedelta(hours=5)):
        raise Unfit("that time is past")
    line, joined = world.line(name)
    said = world.bank.say(world.rng, "task") if "task" in slots_of(line) else None
    word = "before" if sign < 0 else "after"
    human = f"{span.said} {word} {show_time(base, world.now.year)}"
    written = said.written if said else (event.title,)
    act = at_time("create_reminders", human, value, "content", written)
    values = {"span": span.said, "event": event.said, "task": said.said if said else ""}
    return saying(name, line, joined, values, [look_up_event(event)], [act], "lookup relative_time")


@situation(4)
def reminder_before(world: World) -> Wish:
    return _around(world, "reminder_before", -1)


@situation(1.5)
def reminder_after(world: World) -> Wish:
    return _around(world, "reminder_after", 1)


@situation(4)
def note(world: World) -> Wish:
    world.need("notes")
    line, joined = world.line("note")
    said = world.bank.say(world.rng, "note")
    act = GoldAct("create_notes", {"content": said.written[0]}, {"content": gold_text(said.written)})
    return saying("note", line, joined, {"note": said.said}, [], [act])


@situation(5)
def event_new(world: World) -> Wish:
    line, joined = world.line("event_new")
    said = world.bank.say(world.rng, "new")
    moment = world.moment(said.said)
    values = {"new": said.said, "at": moment.at, "when": moment.bare}
    acts = [timed("create_calendar_event", "event_title", moment, said.written, line)]
    return saying("event_new", line, joined, values, clock(moment), acts, "relative_time")


@situation(3)
def event_new_with(world: World) -> Wish:
    who = refer(world)
    line, joined = world.line("event_new_with")
    request, _, title = line.partition(" => ")
    moment = world.moment(title or request)
    text = fill(request, {**slots(world, who), "at": moment.at, "when": moment.bare})
    title = title or "Meeting with {name}"
    written = (fill(title, {"name": who.name}), fill(title, {"name": who.name.split()[0]}))
    lookups = [*clock(moment), contact(who)]
    act = timed("create_calendar_event", "event_title", moment, written, request)
    return Wish(
        "event_new_with", text, joined, lookups, [act], person=who.name, skeleton=line, tags=("lookup", "relative_time")
    )


@situation(4)
def event_cancel(world: World) -> Wish:
    event = refer_event(world)
    line, joined = world.line("event_cancel")
    values = {"event": event.said}
    arguments: dict[str, Any] = {"theme": event.theme}
    if "day" in slots_of(line):
        day = say_day(world.rng, world.now, event.start.date())
        if day is None:
            raise Unfit("far away")
        values["day"] = day
        arguments["time_range"] = day.removeprefix("on ")
    lookup = LookUp(Agent.CONTEXT, "get_calendar_event", arguments)
    act = same("cancel_calendar_event", event_title=event.title)
    return saying("event_cancel", line, joined, values, [lookup], [act], "lookup cancel")


@situation(3.5)
def event_move(world: World) -> Wish:
    event = refer_event(world)
    moment = world.moment(event.title)
    line, joined = world.line("event_move")
    acts = [
        same("cancel_calendar_event", event_title=event.title),
        timed("create_calendar_event", "event_title", moment, (event.title,), line),
    ]
    values = {"event": event.said, "at": moment.at, "when": moment.bare}
    return saying("event_move", line, joined, values, [look_up_event(event)], acts, "lookup cancel relative_time multi")


@situation(1.2)
def if_event_free(world: World) -> Wish:
    """A condition on the calendar: the new event is made only if the day is empty."""
    day, on, _ = draw_day(world.rng, world.now)
    line, joined = world.line("if_event_free")
    said = world.bank.say(world.rng, "new")
    hour = world.rng.randint(*hours_of(said.said))
    words = f"{hour % 12 or 12} {'am' if hour < 12 else 'pm'}"
    value = datetime(day.year, day.month, day.day, hour)
    there = [event for event in world.phone.records("calendar", "events") if event["start"][:10] == day.isoformat()]
    spoken = on.removeprefix("on ")
    lookup = find("get_calendar_event", time_range=spoken)
    act = at_time("create_calendar_event", f"{spoken} {words}", value, "event_title", said.written)
    response = f"You already have {there[0]['title']} then, so I added nothing." if there else ""
    values = {"day": on, "new": said.said, "when": words}
    return saying(
        "if_event_free",
        line,
        joined,
        values,
        [lookup],
        [] if there else [act],
        "lookup relative_time",
        response=response,
    )
