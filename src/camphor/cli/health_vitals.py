"""`camphor health vitals`, `vitals add`, `import`, `check`, `watch`, `units` and `demo`: the health monitor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.health_phone import HealthDeviceOption, health_phone, say
from camphor.cli.options import JsonOption
from camphor.cli.service import places_now
from camphor.cli.text import print_json, print_table
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.device.device import Device
    from camphor.health.monitor.monitor import Monitor
    from camphor.health.monitor.plausible import Fault
    from camphor.health.monitor.watch import WatchScene

DayOption = Annotated[str | None, typer.Option("--day", help="The day, as 2026-03-12; today unless given.")]
_SCENE = re.compile(r"([a-z_]+)@(\d{1,2}):(\d{2})(?:\+(\d{1,4}))?")


vitals_ = typer.Typer(invoke_without_command=True)


@vitals_.callback()
def vitals(
    context: typer.Context, day: DayOption = None, device: HealthDeviceOption = None, json_: JsonOption = False
) -> None:
    """Show a day's vitals: of each kind the last value, the mean, the least and greatest, what is usual; and alarms.

    \b
    camphor health vitals
    camphor health vitals --day 2026-03-11
    camphor health vitals add 142/91 pulse 68
    """
    if context.invoked_subcommand is not None:
        context.obj = device
        return
    from camphor.health.monitor.baseline import span
    from camphor.health.monitor.monitor import alarm_summary, alarms_of, day_summary
    from camphor.health.monitor.thresholds import UNKNOWN_AGE
    from camphor.health.monitor.vitals import SIMULATED, epoch

    with _monitor(device) as (phone, monitor):
        chosen, unknown_age = _day(day, phone), monitor.person.age is None
        rows = day_summary(monitor, chosen)
        alarms = [alarm_summary(each, phone.zone) for each in alarms_of(monitor.store, *span(chosen, phone.zone))]
        today = chosen == phone.now.date()
        silent = [each.says for each in monitor.silence(epoch(phone.now, phone.zone))] if today else []
    if json_:
        print_json({"day": chosen.isoformat(), "vitals": rows, "alarms": alarms, "watch": silent})
        return
    if not rows:
        say(
            f"There are no vitals of {chosen}: type one with  camphor health vitals add,  take some in "
            "with  camphor health import FILE,  or try  health watch"
        )
    else:
        for row in rows:
            row["name"] += " (simulated)" if row["simulated"] else ""
        shown = [[row[key] for key in ("name", "last", "at", "mean", "range", "usual")] for row in rows]
        print_table(["vital sign", "last", "at", "mean or sum", "least to most", "usual"], shown, f"{chosen:%d %B %Y}")
        if any(row["simulated"] for row in rows):
            say(SIMULATED)
        if unknown_age:
            say(UNKNOWN_AGE)
    for line in silent:
        say(line)
    for alarm in alarms:
        say(f"{alarm['raised']}  {alarm['level']}: {'; '.join(alarm['signs'])}")


@vitals_.command("add")
def add(
    context: typer.Context,
    reading: Annotated[list[str], typer.Argument(help="What you measured, with its unit.")],
    at: Annotated[str, typer.Option("--at", help="When, as 08:30 or 2026-03-12T08:30; now unless given.")] = "",
    device: HealthDeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """Note what you measured yourself, with a cuff, a meter, scales or a thermometer. What needs care is told at once.

    \b
    camphor health vitals add 142/91 pulse 68
    camphor health vitals add glucose 7.8 mmol/L --at 08:30
    camphor health vitals add 12 st 13 lb
    camphor health vitals add 100.8 °F
    """
    from camphor.health.monitor.typed import lines_of, note

    with _monitor(device or context.obj, change=True) as (phone, monitor):
        noted = note(monitor, " ".join(reading), phone.now, at)
        alarms = _tell(phone, monitor)
    if json_:
        kept = [{"kind": each.kind.value, "value": each.value, "written": each.written} for each in noted.readings]
        print_json({"at": noted.at.isoformat(), "readings": kept, "doubts": list(noted.doubts), "alarms": alarms})
        return
    for line in lines_of(noted):
        say(line)
    for text in alarms:
        say(f"\n{text}")


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="An export of Apple Health, LibreView, Dexcom Clarity, Oura, Fitbit (Google Takeout), Withings or "
            "Health Connect, as it comes (zip files too); a .fit file; or a .csv table."
        ),
    ],
    day_first: Annotated[
        bool | None,
        typer.Option("--day-first/--month-first", help="How 03/04/2026 is meant, where a table leaves that open."),
    ] = None,
    device: HealthDeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """Take vitals of another program in. What is there already is not taken twice; nobody is alarmed by the past.

    Where the last hours show something abnormal that goes on, it is told here and wherever you are reminded.

    \b
    camphor health import ~/Downloads/export.zip
    camphor health import takeout.zip
    camphor health import pressure.csv --day-first
    """
    from camphor.health.monitor.imports import read
    from camphor.health.monitor.vitals import epoch

    with _monitor(device, change=True) as (phone, monitor):
        found = read(file, phone.zone, day_first)
        now = epoch(phone.now, phone.zone)
        taken = [monitor.take(columns, source, now, past=True) for source, columns in found.sources().items()]
        monitor.store.thin(now)
        monitor.store.show_in(found.shown())
        alarms = _tell(phone, monitor)
    total = {name: sum(getattr(each, name) for each in taken) for name in _COUNTS}
    faults = [fault.says for each in taken for fault in each.faults]
    if json_:
        told = {"skipped": dict(found.skipped), "broken": found.broken, "faults": faults, "alarms": alarms}
        print_json({**total, **told})
        return
    say(f"Took in {total['new']:,} new readings of {found.readings:,}")
    for line in [found.broken, *(f"{count:,} left out: {why}" for why, count in found.skipped.most_common()), *faults]:
        if line:
            say(f"- {line}")
    for text in alarms:
        say(f"\n{text}")


_COUNTS = ("new", "plausible", "suspicious", "impossible", "missing", "timeless")


def check(
    day: DayOption = None,
    days: Annotated[int, typer.Option(min=1, max=366, help="So many days up to that one.")] = 1,
    device: HealthDeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """Look through kept vitals: what was abnormal and for how long, what was wrong with the watch, what changed.

    \b
    camphor health check
    camphor health check --days 7
    """
    from camphor.health.monitor.alarms import NO_DIAGNOSIS
    from camphor.health.monitor.monitor import episode_summary

    with _monitor(device) as (phone, monitor):
        last = _day(day, phone)
        found = monitor.check(last - timedelta(days=days - 1), last)
        episodes = [episode_summary(each, phone.zone) for each in found.episodes]
    faults, trends = [each.says for each in found.faults], [each.says for each in found.trends]
    if json_:
        print_json({"readings": found.readings, "abnormal": episodes, "watch": faults, "trends": trends})
        return
    if not found.readings:
        say("There are no vitals of that time: take some in with  camphor health import FILE,  or try  health watch")
        return
    say(f"{found.readings:,} readings")
    for title, lines in (("Abnormal", [each["says"] for each in episodes]), ("Watch", faults), ("Trends", trends)):
        say(f"{title}: nothing" if not lines else f"{title}:")
        for line in lines:
            say(f"- {line}")
    say(NO_DIAGNOSIS)


def watch(
    scene: Annotated[
        list[str] | None,
        typer.Option(
            "--scene", help="Something that happens, as  tachycardia@15:00+20  (20 minutes). May be repeated."
        ),
    ] = None,
    day: Annotated[str | None, typer.Option("--day", help="The day to live through; yesterday unless given.")] = None,
    before: Annotated[int, typer.Option(min=0, max=365, help="Days before it, from which the usual is learnt.")] = 0,
    seed: Annotated[int, typer.Option(help="Another number is another day.")] = 1,
    every: Annotated[int, typer.Option(min=1, max=60, help="Minutes between two looks.")] = 1,
    device: HealthDeviceOption = None,
) -> None:
    """Live through a day with a simulated watch, as fast as it goes, and show what the monitor tells.

    Scenes: tachycardia, bradycardia, hypoxia, fever, hypertension, hypotension, hypoglycaemia, slow_breathing; and
    faults of the watch: off, stuck, zeros, spikes, nonsense, missing, clock_ahead, clock_back.

    \b
    camphor health watch --scene hypoxia@03:00+30 --scene zeros@12:00
    """
    from camphor.health.monitor.plausible import merged
    from camphor.health.monitor.vitals import epoch
    from camphor.health.monitor.watch import SOURCE, Watch, Wearer

    scenes = [_scene(each) for each in scene or ()]
    with _monitor(device, change=True) as (phone, monitor):
        chosen = _day(day, phone, yesterday=True)
        worn = Watch(Wearer(glucose=True), phone.zone, seed, scenes)
        for number in range(before, 0, -1):
            past = chosen - timedelta(days=number)
            monitor.take(worn.day(past, ()), SOURCE, epoch(phone.now, phone.zone), past=True)
        told = readings = 0
        faults: list[Fault] = []
        for now, part in worn.live(chosen, every * 60.0):
            taken = monitor.take(part, SOURCE, now, past=True)
            readings += taken.new
            faults += taken.faults
            for sos in monitor.look(now):
                told += 1
                say(f"{sos.text}\n")
    say(f"{chosen}: {readings:,} readings, told {told} time{'' if told == 1 else 's'}")
    for fault in merged(faults):
        say(f"- {fault.says}")


def units(
    what: Annotated[
        str | None, typer.Argument(help="glucose, temperature or weight; all of them unless given.")
    ] = None,
    unit: Annotated[str | None, typer.Argument(help="The unit, as mmol/L, °F or lb.")] = None,
    device: HealthDeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """Show or choose the units that you use; everything is then told in them, whatever the next file has.

    \b
    camphor health units
    camphor health units glucose mmol/L
    camphor health units temperature F
    """
    from camphor.health.monitor.vitals import CHOICES, MEASURES, Vital, unit_named

    kinds = [each.value for each in CHOICES]
    if what is not None and what not in kinds:
        raise UsageError(f"{what[:40]!r} has no units to choose from: name one of {', '.join(kinds)}")
    if what is None or unit is None:
        with _monitor(device):
            shown = {kind: MEASURES[kind].unit for kind in CHOICES if what in (None, kind.value)}
        if json_:
            print_json({kind.value: unit for kind, unit in shown.items()})
        else:
            rows = [[kind.value, unit, ", ".join(CHOICES[kind])] for kind, unit in shown.items()]
            print_table(["vital sign", "unit", "to choose from"], rows)
        return
    chosen = unit_named(Vital(what), unit)
    if chosen is None:
        raise UsageError(f"{unit[:40]!r} is no unit of {what}: choose from {', '.join(CHOICES[Vital(what)])}")
    with _monitor(device, change=True) as (_, monitor):
        monitor.store.show_in({what: chosen}, chosen=True)
    if json_:
        print_json({what: chosen})
    else:
        say(f"From now on {what} is told in {chosen}")


def demo(device: HealthDeviceOption = None) -> None:
    """Put some weeks of made-up readings and doses on a demo phone, so that there is something to look at.

    All of it is marked as simulated. A phone that has readings or medicines stays as it is.
    """
    from camphor.health.demo import WEEKS, furnish

    with _monitor(device, change=True) as (phone, monitor):
        done = furnish(phone, monitor.store.database)
    say(f"{WEEKS} weeks of simulated readings and doses were put on it" if done else "It has some already: unchanged")


# what is asked for


@contextmanager
def _monitor(spec: str | None, change: bool = False) -> Iterator[tuple[Device, Monitor]]:
    from camphor.device.health.database import HealthDatabase
    from camphor.device.health.vitals import VitalsStore
    from camphor.health.monitor.monitor import Monitor
    from camphor.health.monitor.thresholds import person_of
    from camphor.health.monitor.vitals import shown_in

    with health_phone(spec, change=change) as phone, HealthDatabase.of(phone.path) as database:
        store = VitalsStore(database)
        with shown_in(store.units()):
            yield phone, Monitor(store, phone.zone, person_of(phone))


def _tell(phone: Device, monitor: Monitor) -> list[str]:
    """Looks at what is kept now, and tells it wherever the person is reminded; what was told."""
    from camphor.service.care import Care

    care = Care(phone, monitor.store.database, places_now())
    alarms = care.readings()
    care.deliver()
    return alarms


def _day(text: str | None, phone: Device, yesterday: bool = False) -> date:
    if text is None:
        return phone.now.date() - timedelta(days=1 if yesterday else 0)
    try:
        return datetime.fromisoformat(text).date()
    except ValueError as error:
        raise UsageError(f"{text[:40]!r} is no day: write it as {phone.now:%Y-%m-%d}") from error


def _scene(text: str) -> WatchScene:
    from camphor.health.monitor.watch import EMERGENCIES, FAULTS, WatchScene

    match = _SCENE.fullmatch(text.strip())
    known: Sequence[str] = (*EMERGENCIES, *FAULTS)
    if not match or match[1] not in known or int(match[2]) > 23 or int(match[3]) > 59:
        raise UsageError(f"{text[:60]!r} is no scene: write NAME@HH:MM+MINUTES with one of {', '.join(known)}")
    return WatchScene(match[1], time(int(match[2]), int(match[3])), float(match[4] or 30))
