"""What people asked of assistants in public sets, from a folder the user gives, put onto a sampled phone.

Sets (one JSON object a line with `query` and annotated `calls`): SLURP and HWU64 (CC-BY-4.0), Microsoft's
language-understanding files (MIT), CLINC out-of-scope (CC-BY-3.0), DroidCall's early prototype (MIT). A mapper takes an
utterance with its annotated arguments and gives the wish that it is on this phone, whose people, events, songs and
places stand in place of those it names; times are kept as said and resolved again. It raises `Unfit` where that is not
plain.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from camphor.device.when import parse_range, parse_time, show_time
from camphor.errors import ToolError
from camphor.trajectories.items import Item
from camphor.types import Agent
from camphor_lab.datasets.bank import Bank, split_of
from camphor_lab.datasets.compose import turn_of
from camphor_lab.datasets.files import read_lines
from camphor_lab.datasets.handwritten import holds
from camphor_lab.datasets.phones import make_phone
from camphor_lab.datasets.wishes import (
    GoldAct,
    LookUp,
    Unfit,
    Wish,
    World,
    at_time,
    contact,
    find,
    look_up_event,
    refer,
    refer_event,
    same,
    unique,
)

Arguments = Mapping[str, Any]
Mapper = Callable[[World, str, Arguments], Wish]

# The sets' own names of one kind, as patterns of their beginnings.
_SAME = {
    "impossible": r"(audio_volume|iot_|transport_ti|transport_ta|takeaway_order|play_game|music_likeness|music_settings"
    r"|play_radio|automotive_VEHICLE_SETTINGS_CHANGE|ACTION_\w+_SETTINGS$|ACTION_(IMAGE|VIDEO)_CAPTURE)",
    "question": r"(qa_factoid|qa_definition|qa_currency|qa_stock|cooking_recipe|ACTION_WEB_SEARCH|none:clinc_oos)",
    "weather": r"(weather_query|weather_QueryWeather)",
    "event": r"(calendar_set|calendar_CreateCalendarEntry)$",
    "cancel": r"(calendar_remove|calendar_DeleteCalendarEntry)$",
}


def kind_of(intent: str) -> str:
    """The kind, a key of `MAPPERS`, that a set's own name for it means; other names stay as they are."""
    return next((kind for kind, names in _SAME.items() if re.match(names, intent)), intent)


def _swap_in(query: str, old: Any, new: str) -> str:
    if not isinstance(old, str) or len(re.findall(rf"\b{re.escape(old)}\b", query, re.IGNORECASE)) != 1:
        raise Unfit("the value is not in the query")
    return re.sub(rf"\b{re.escape(old)}\b", lambda _: new, query, flags=re.IGNORECASE)


def _time_words(query: str, *parts: Any) -> str:
    words = [part for part in parts if isinstance(part, str) and part]
    if not words or not all(part.lower() in query.lower() for part in words):
        raise Unfit("no time in the query")
    ordered = sorted(words, key=lambda part: query.lower().index(part.lower()))
    joined = re.search(r"(?:at |on )?".join(rf"{re.escape(part)}\s*" for part in ordered), query, re.IGNORECASE)
    return joined.group().strip() if joined else " ".join(ordered)


def _alarm(world: World, query: str, arguments: Arguments) -> Wish:
    world.need("reminders")
    if re.search(r"every|daily|week(ly|days)|repeat|minutes before|snooze", query):
        raise Unfit("repeated alarms are not kept")
    words = _time_words(query, arguments.get("time"), arguments.get("date"))
    if not arguments.get("time"):
        raise Unfit("no hour")
    value = parse_time(words, world.now)
    minute = re.search(r"\b(in|from now|minutes?|hours?)\b", words) is not None
    lookups = [LookUp(Agent.DEVICE, "get_time_information")] if minute else []
    what = "Wake up" if "wake" in query else "Alarm"
    gold = {"any_of": [what, "Alarm", "Wake up"] if what == "Wake up" else [what]}
    act = GoldAct("create_reminders", {"time": words, "content": what}, {"time": value.isoformat(), "content": gold})
    return Wish("alarm", query, lookups=lookups, acts=[act], tags=("relative_time",))


def _event(world: World, query: str, arguments: Arguments) -> Wish:
    subject = arguments.get("event_name") or arguments.get("Subject")
    date, time = arguments.get("date") or arguments.get("FromDate"), arguments.get("time") or arguments.get("FromTime")
    if (
        not isinstance(subject, str)
        or subject.lower() not in query.lower()
        or re.search(r"every|week(ly|days)|repeat|daily|remind|monthly", query)
    ):
        raise Unfit("no plain event")
    if not isinstance(time, str):
        if isinstance(date, str):
            raise Unfit("a day without an hour")
        if not re.match(
            r"(please |hey |can you |could you |i (want|need|would like) to )*"
            r"(add|set|put|create|schedule|make|book)\b",
            query,
            re.IGNORECASE,
        ):
            raise Unfit("not plainly a new event")
        return Wish("event_when", query, response=f"When is {subject}?", tags=("incomplete",))
    if not isinstance(date, str) and not re.search(r"[ap]\.?m|noon|tonight|evening|morning", time):
        raise Unfit("the half of the day is open")
    words = _time_words(query, time, date)
    title = subject[:1].upper() + subject[1:]
    act = at_time("create_calendar_event", words, parse_time(words, world.now), "event_title", (title,))
    return Wish("event", query, acts=[act], tags=("relative_time",))


def _cancel(world: World, query: str, arguments: Arguments) -> Wish:
    subject = arguments.get("event_name") or arguments.get("Subject")
    if any(arguments.get(name) for name in ("date", "time", "person", "FromDate", "FromTime", "contact")):
        raise Unfit("more than a title")
    event = refer_event(world)
    text = _swap_in(query, subject, event.said.removeprefix("my ").removeprefix("the "))
    act = same("cancel_calendar_event", event_title=event.title)
    return Wish("cancel", text, lookups=[look_up_event(event)], acts=[act], tags=("lookup", "cancel"))


def _agenda(world: World, query: str, arguments: Arguments) -> Wish:
    date = arguments.get("date")
    if (
        set(arguments) != {"date"}
        or not isinstance(date, str)
        or date not in query
        or not re.search(r"schedul|calendar|agenda|appointment|plan|have|event", query)
    ):
        raise Unfit("more than a day")
    span = parse_range(date, world.now)
    first, _, last = span.partition("/")
    events = [
        e for e in world.phone.records("calendar", "events") if first[:10] <= e["start"][:10] <= (last or first)[:10]
    ]
    listed = ", ".join(
        f"{e['title']} {show_time(datetime.fromisoformat(e['start']), world.now.year)}" for e in events[:5]
    )
    response = f"You have {listed}." if events else "Nothing is in your calendar then."
    lookup = find("get_calendar_event", time_range=date)
    return Wish("agenda", query, lookups=[lookup], response=response, tags=("info_only", "lookup"))


def _music(world: World, query: str, arguments: Arguments) -> Wish:
    world.need("music")
    songs = world.phone.records("music", "songs")
    song = world.pick(songs)
    if set(arguments) == {"song_name"}:
        said = song["title"]
    elif set(arguments) == {"artist_name"}:
        said = song["artist"]
    else:
        raise Unfit("no one song is meant")
    if not unique(songs, said, song):
        raise Unfit("several songs")
    text = _swap_in(query, next(iter(arguments.values())), said.lower() if query.islower() else said)
    act = same("play_music", title=song["title"])
    lookup = find("get_music_playlist", keyword=said)
    return Wish("music", text, lookups=[lookup], acts=[act], tags=("lookup",))


def _podcast(world: World, query: str, arguments: Arguments) -> Wish:
    world.need("podcasts")
    episodes = world.phone.records("podcasts", "episodes")
    episode = world.pick(episodes)
    if set(arguments) != {"podcast_name"} or not unique(episodes, episode["show"], episode):
        raise Unfit("no one episode is meant")
    text = _swap_in(query, arguments["podcast_name"], episode["show"].lower())
    act = same("play_podcasts", title=episode["title"])
    lookup = find("get_podcasts_history", keyword=episode["show"])
    return Wish("podcast", text, lookups=[lookup], acts=[act], tags=("lookup",))


def _call(world: World, query: str, arguments: Arguments) -> Wish:
    who = refer(world)
    name = arguments.get("contactName")
    said = who.said
    if re.search(rf"\b(my|the|our) {re.escape(str(name))}\b", query, re.IGNORECASE):
        said = said.removeprefix("my ").removeprefix("the ").removeprefix("our ")
        if said == who.said:
            raise Unfit("a relation is meant")
    act = same("call_contacts", person=who.name)
    return Wish("call", _swap_in(query, name, said), lookups=[contact(who)], acts=[act], tags=("lookup",))


def _mail_what(world: World, query: str, arguments: Arguments) -> Wish:
    """A mail to somebody without a word of what it should say."""
    world.need("mail")
    rest = re.sub(
        r"\b(please|can|could|you|i|want|need|would|like|to|send|write|an?|my|e-?mails?|mail|new|compose|start|create|olly|for|me|of)\b",
        "",
        query.lower(),
    )
    if set(arguments) != {"person"} or rest.strip() != str(arguments["person"]).lower():
        raise Unfit("it says more")
    who = refer(world, having="email")
    return Wish(
        "mail_what",
        _swap_in(query, arguments["person"], who.said),
        lookups=[contact(who)],
        response=f"What should the mail to {who.name} say?",
        tags=("incomplete", "lookup"),
    )


def _place(world: World, query: str, arguments: Arguments) -> Wish:
    world.need("maps")
    places = world.phone.records("maps", "places")
    place = world.pick(places)
    if (
        set(arguments) != {"Keyword"}
        or not unique(places, place["category"], place)
        or re.search(r"\d|price|cheap|rating|stars?|under|over|hours|open", query)
    ):
        raise Unfit("more than a kind of place")
    act = same("show_maps_place", name=place["name"])
    text = _swap_in(query, arguments["Keyword"], place["category"])
    lookup = find("get_maps_places", keyword=place["category"])
    return Wish("place", text, lookups=[lookup], acts=[act], tags=("lookup",))


_LEAD = re.compile(
    r"^(?:(?:hey|ok|please|olly|alexa|siri|can you|could you|would you|tell me|let me know|i want to know"
    r"|i would like to know|do you know|find out|find me|find|search for|search|look up|google|give me|show me"
    r"|show|i need|what(?:'s| is| are| was)|who(?:'s| is| was)|how (?:do|to|can) i|me|the|a|an|about|some|for)\s+)+",
    re.IGNORECASE,
)


def _question(world: World, query: str, arguments: Arguments) -> Wish:
    words = _LEAD.sub("", query).strip(" ?.!")
    if (
        len(words.split()) < 2
        or re.search(r"\b(my|you|your)\b", query)
        or re.search(r"\b(change|turn|open|play|set)\b", query)
    ):
        raise Unfit("nothing to search for")
    result = f"{words[:1].upper()}{words[1:]}: {world.rng.choice(world.bank.content['found'])}"
    world.phone.data["web"].append({"query": words, "result": result})
    lookup = LookUp(Agent.KNOWLEDGE, "search_safari", {"query": words})
    return Wish("question", query, lookups=[lookup], response=f"{result}.", tags=("info_only", "web"))


def _weather(world: World, query: str, arguments: Arguments) -> Wish:
    parts = [
        str(value)
        for name, value in arguments.items()
        if name in ("place_name", "date", "WeatherCondition", "weather_descriptor")
        and isinstance(value, str)
        and value in query
    ]
    place_said = re.search(
        r"\b(in|at|for|near) "
        r"(?!the (?:morning|afternoon|evening)|me\b|my\b|today|tomorrow|this|next|the week)[a-z]{3,}",
        query,
    )
    if not parts or re.search(r"alarm|remind|\bmy\b", query) or (place_said and "place_name" not in arguments):
        raise Unfit("no subject")
    where = "" if "place_name" in arguments else f" {world.phone.data['location']['city']}"
    words = "weather " + " ".join(part for part in parts if part != "weather") + where
    result = world.rng.choice(world.bank.content["sky"])
    world.phone.data["web"].append({"query": words, "result": result})
    lookups = [LookUp(Agent.KNOWLEDGE, "search_safari", {"query": words}, 1)]
    if where:
        lookups.insert(0, LookUp(Agent.DEVICE, "get_location_information"))
    return Wish(
        "weather", query, lookups=lookups, response=f"{result[:1].upper()}{result[1:]}.", tags=("info_only", "web")
    )


def _impossible(world: World, query: str, arguments: Arguments) -> Wish:
    if any(name in world.bank.apps for name in world.phone.data["apps"]):
        raise Unfit("an invented app might do it")
    return Wish("impossible", query, response=world.reply("impossible", {}), tags=("impossible",))


MAPPERS: dict[str, Mapper] = {
    "alarm_set": _alarm,
    "event": _event,
    "cancel": _cancel,
    "calendar_query": _agenda,
    "play_music": _music,
    "play_podcasts": _podcast,
    "phone_OutgoingCall": _call,
    "email_sendemail": _mail_what,
    "pointofinterest_FindPointOfInterest": _place,
    "question": _question,
    "weather": _weather,
    "impossible": _impossible,
}


SETS = ("slurp", "hwu64", "ms_lu", "clinc_oos", "droidcall_early")
PHONE = 10
MOST_OF_A_KIND = 260


def human_items(folder: Path | str, out: Path | str, *, seed: int = 7, limit: int = 4000) -> Iterator[Item]:
    """Map utterances in `folder` onto phones written to `OUT/devices`; at most `limit` items, all for training."""
    target = Path(out) / "devices"
    target.mkdir(parents=True, exist_ok=True)
    rng = Random(f"{seed}:human")
    lines = list(_utterances(Path(folder), rng))
    bank = Bank("train")
    made, number = 0, 0
    while lines and made < limit:
        batch, lines = lines[:PHONE], lines[PHONE:]
        phone = make_phone(bank, Random(f"{seed}:human:{number}"), number)
        phone.data["id"] = f"human-{number:04d}"
        number += 1
        world = World(phone, bank, rng)
        wishes = []
        for query, intent, arguments in batch:
            try:
                wishes.append(MAPPERS[intent](world, query, arguments))
            except (Unfit, LookupError, ToolError):
                continue
        items = [_item(wish, f"{phone.data['id']}-{place:02d}", phone.data["id"]) for place, wish in enumerate(wishes)]
        kept = [item for item in items if holds(item, phone.data, Counter())][: limit - made]
        if kept:
            (target / f"{phone.data['id']}.device.json").write_text(
                json.dumps(phone.data, ensure_ascii=False, indent=1), encoding="utf-8"
            )
        made += len(kept)
        yield from kept


def _item(wish: Wish, identity: str, device: str) -> Item:
    turn = turn_of(wish, wish.text)
    return Item(
        identity,
        f"devices/{device}.device.json",
        wish.text,
        (),
        tuple(turn["steps"]),
        tuple(turn["calls"]),
        turn["response"],
        ("human", *wish.tags),
        {"situation": f"human:{wish.situation}"},
    )


def _utterances(folder: Path, rng: Random) -> Iterator[tuple[str, str, Arguments]]:
    found: dict[str, list[tuple[str, str, Arguments]]] = {}
    for name in SETS:
        for path in sorted(folder.glob(f"{name}*/*.jsonl")) + sorted(folder.glob(f"{name}*.jsonl")):
            for _, line in read_lines(path):
                query, calls = line.get("query"), line.get("calls", [])
                if not query or len(calls) > 1 or split_of(query) == "test" or not 2 < len(query.split()) < 24:
                    continue
                intent = kind_of(calls[0]["name"] if calls else f"none:{name}")
                if intent in MAPPERS:
                    found.setdefault(intent, []).append((query, intent, calls[0]["arguments"] if calls else {}))
    lines = []
    for alike in found.values():
        rng.shuffle(alike)
        lines += alike[:MOST_OF_A_KIND]
    rng.shuffle(lines)
    return iter(lines)
