"""`camphor context`: what a device keeps about the use of its items, for the person to see, correct and delete."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.home import device_to_change, open_device
from camphor.cli.options import DeviceOption, JsonOption
from camphor.cli.text import fold, print_json, print_table, say
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.device.device import Device
    from camphor.device.usage_events import ItemRef, UsageEvent

app = typer.Typer(
    help="What is kept about the use of the phone, to find what you mean: see it, correct it, delete it, pause it. "
    "It stays on the device.",
    no_args_is_help=True,
)

ItemArgument = Annotated[str, typer.Argument(metavar="ITEM", help="APP/LIST/NUMBER, as  context show  tells it.")]
_WIDTH = 70


@app.command("show")
def show(
    query: Annotated[list[str] | None, typer.Argument(help="Only items that have these words.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many items.")] = 20,
    device: DeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """List the items of a phone that were used, those used most of late first.

    \b
    camphor context show
    camphor context show guitar lesson
    """
    from camphor.device.usage_review import used_items

    with closing(open_device(device)) as phone:
        found = used_items(phone, " ".join(query or ()))
        rows = [_told(phone, ref) for ref in found[:limit]]
        paused, skipped = phone.usage.paused, phone.usage.skipped
    if json_:
        print_json({"paused": paused, "skipped": skipped, "used": len(found), "items": rows})
        return
    print_table(
        ["item", "what it says", "use"],
        [[row["item"], row["says"], "; ".join(row["why"][:3])] for row in rows],
        f"{len(rows):,} of {len(found):,} items that were used{'; paused' if paused else ''}",
    )


@app.command("why")
def why(item: ItemArgument, device: DeviceOption = None, json_: JsonOption = False) -> None:
    """Say what is kept about an item: how often, when and where it was used, and each event with its number."""
    with closing(open_device(device)) as phone:
        ref = _item(phone, item)
        told = _told(phone, ref)
        events = [_event(event) for event in phone.usage.events(ref)]
    if json_:
        print_json({**told, "events": events})
        return
    say(f"{told['item']}  {told['says']}")
    for line in told["why"] or ["nothing is kept about its use"]:
        say(f"  {line}")
    for event in events:
        say(f"{event['event']:>6}  {event['at'][:16].replace('T', ' ')}  {event['kind']:<9}  {event['place']}")


@app.command("correct")
def correct(
    event: Annotated[int, typer.Argument(metavar="EVENT", help="The event's number, as  context why ITEM  tells it.")],
    kind: Annotated[str | None, typer.Option(help="What became of the item: played, called, opened ...")] = None,
    at: Annotated[str | None, typer.Option(help="When it was, ISO 8601, on the phone's clock.")] = None,
    place: Annotated[str | None, typer.Option(help="Where it was.")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="It never happened: take it away.")] = False,
    device: DeviceOption = None,
) -> None:
    """Correct one event, or take it away; the item's counts are made anew.

    \b
    camphor context correct 12 --place gym --at 2026-03-10T18:30
    camphor context correct 12 --remove
    """
    if remove == any(value is not None for value in (kind, at, place)):
        raise UsageError("Say what is right with --kind, --at or --place, or take the event away with --remove")
    from camphor.device.usage_review import corrected

    with device_to_change(device) as phone:
        before = phone.usage.event(event)
        phone.usage.correct(event, None if remove else corrected(before, kind, at, place))
    say(f"{'Took away' if remove else 'Corrected'} event {event} of {before.ref}")


@app.command("forget")
def forget(
    item: Annotated[str | None, typer.Argument(metavar="[ITEM]", help="APP/LIST/NUMBER; or give --all.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="All that is kept about the use of this phone.")] = False,
    device: DeviceOption = None,
) -> None:
    """Delete what is kept about the use of an item, or of all, for good. The item itself stays."""
    if (item is None) != all_:
        raise UsageError("Name the item to forget as APP/LIST/NUMBER, or give --all")
    with device_to_change(device) as phone:
        events = phone.usage.forget(_item(phone, item)) if item else phone.usage.forget_all()
    say(f"Deleted {events:,} event{'' if events == 1 else 's'}")


@app.command("pause")
def pause(device: DeviceOption = None) -> None:
    """Note nothing more about the use of the phone, until  context resume."""
    with device_to_change(device) as phone:
        phone.usage.pause()
    say("Paused: nothing more is noted until  camphor context resume")


@app.command("resume")
def resume(device: DeviceOption = None) -> None:
    """Note the use of the phone again."""
    with device_to_change(device) as phone:
        phone.usage.resume()
    say("What you use is noted again")


def _item(phone: Device, text: str) -> ItemRef:
    from camphor.device.usage_events import ItemRef

    # an app or a list may have a slash in its name
    for info, _ in phone.rows():
        head = f"{info.app}/{info.name}/"
        number = text.removeprefix(head)
        if text.startswith(head) and number.isascii() and number.isdigit():
            ref = ItemRef(info.app, info.name, int(number))
            if phone.record(ref) is not None:
                return ref
    raise UsageError(f"{phone.id} has no item {text[:80]!r}: name one as APP/LIST/NUMBER, as  context show  tells it")


def _told(phone: Device, ref: ItemRef) -> dict[str, Any]:
    from camphor.agents.display import show_record
    from camphor.device.usage_review import why

    return {
        "item": str(ref),
        "says": fold(show_record(phone.record(ref) or {}, phone.now.year), _WIDTH),
        "why": why(phone, ref),
    }


def _event(event: UsageEvent) -> dict[str, Any]:
    told = {"event": event.id, "at": event.at.isoformat(), "kind": event.kind}
    return {**told, "place": event.place, "screen": event.screen}
