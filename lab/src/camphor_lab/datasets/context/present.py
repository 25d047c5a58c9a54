"""One device file a life, and what the phone held at any moment of it.

The file is the device as it is at the life's end. Three things more make earlier moments exact, under `history`:
`since` (by app, when each item came to the phone), `dues` (by the index of a reminder, all times it is due) and
`places` (the addresses of home, work and so on). Items stand in the order in which they came, so that those of an
earlier moment are the first of each list, under the same places; `usage` tells what songs, notes, searches, calls and
reminders were at the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from dateutil import tz

from camphor.device.apps import KNOWN_APPS
from camphor.device.usage_events import UsageEvent, read_event
from camphor_lab.datasets.context.lives import LISTS, ItemUse, Life, LifeItem, Persona
from camphor_lab.datasets.context.toolbox import manifest

_MANIFESTS = {app: manifest(app) for app in LISTS if app not in KNOWN_APPS}


def whole(life: Life) -> dict[str, Any]:
    """The device file of a life: all of it."""
    document, refs = life.document(life.end, apps=_MANIFESTS)
    since: dict[str, list[str]] = {app: [] for app in LISTS}
    dues = {}
    for index, ref in sorted(refs.items(), key=lambda each: each[1].ordinal):
        item = life.items[index]
        since[ref.app].append(item.since.isoformat())
        if item.dues:
            dues[str(ref.ordinal)] = [due.isoformat() for due in item.dues]
    history = {"since": since, "dues": dues, "places": dict(life.persona.places)}
    return {**document, "history": history}


def document_at(document: Mapping[str, Any], now: datetime, place: str = "", screen: str = "") -> dict[str, Any]:
    """The device as it was at a moment; the argument stays as it is.

    Args:
        document: what `whole` made; of any other device file, which knows no earlier moments, all items are there,
            and only its use until then. It may lack whatever the format lets it lack.
        now: the moment; the device's clock.
        place: where the person is, by the name that usage events use.
        screen: what the screen shows.
    """
    if "history" not in document:
        told = {"now": now.isoformat(timespec="seconds"), "place": place, "screen": screen}
        return {**document, **told, "usage": [entry for entry, event in _usage(document) if event.at <= now]}
    made = _life(document, now).document(now, place, screen, apps=_MANIFESTS)[0]
    return made if document.get("location") else {key: each for key, each in made.items() if key != "location"}


def records_of(document: Mapping[str, Any], app: str) -> list[dict[str, Any]]:
    """The records of one of the seven apps."""
    one = (document.get("apps") or {}).get(app) or {}
    found: list[dict[str, Any]] = (one if app in KNOWN_APPS else one.get("records") or {}).get(LISTS[app]) or []
    return found


def _usage(document: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], UsageEvent]]:
    """The entries of `usage` that are events, and those."""
    zone = tz.gettz(document.get("timezone") or None)
    found = ((entry, read_event(entry, zone)) for entry in document.get("usage") or ())
    return [(entry, event) for entry, event in found if event is not None]


def _life(document: Mapping[str, Any], now: datetime) -> Life:
    """As much of the life as its phone needs: items and their use, without threads."""
    history = {"since": {}, "dues": {}, **document["history"]}
    items: list[LifeItem] = []
    places: dict[tuple[str, str, int], int] = {}
    for app, name in LISTS.items():
        for number, record in enumerate(records_of(document, app)):
            dues = history["dues"].get(str(number), ()) if app == "reminders" else ()
            places[app, name, number] = len(items)
            came = (history["since"].get(app) or [])[number : number + 1]
            since = datetime.fromisoformat(came[0]) if came else datetime.min
            items.append(LifeItem(app, "", dict(record), since, tuple(map(datetime.fromisoformat, dues))))
    uses = [
        ItemUse(places[event.ref], event.kind, event.at, event.place, event.screen)
        for _, event in _usage(document)
        if event.ref in places
    ]
    return Life(_owner(document), now, now, items, [], uses, [])


def _owner(document: Mapping[str, Any]) -> Persona:
    """As much of the persona as the phone shows."""
    location = document.get("location") or {}
    blank: dict[str, Any] = dict.fromkeys((field.name for field in fields(Persona)), "")
    known = {
        "id": document["id"], "name": document.get("owner") or "", "city": location.get("city") or "",
        "country": location.get("country") or "", "places": document["history"].get("places") or {},
        "people": (), "work": None, "workdays": (),
    }  # fmt: skip
    return Persona(**{**blank, **known})
