"""How fast the use of a device's items is noted and loaded, with 100,000 items on disk.

    python benchmarks/usage.py [--items 100000] [--events 300000] [--repeat 3000] [--out results/usage.json]

Items are used at random times of 40 days, some often and most seldom. An event is noted as on a phone: one at a time,
each in a transaction of its own, with the columns in memory kept up to date.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import shlex
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from camphor.device.device import Device
from camphor.device.usage import Usage
from camphor.device.usage_events import KINDS, ItemRef, UsageEvent
from camphor_lab.evaluation.results import write_report
from camphor_lab.evaluation.sources import DEVICE

NOW = datetime(2026, 3, 12, 8, 45)
DAYS = 40
PLACES = ("", "home", "work", "commute", "gym", "cinema")
SCREENS = ("", "Music", "Mail", "Calendar")


def events(items: int, count: int, seed: int) -> Iterator[UsageEvent]:
    """Events in no order; the first touch every item once, the others fewer and fewer."""
    dice = random.Random(seed)
    for number in range(count):
        item = number if number < items else int(items * dice.random() ** 3)
        at = NOW - timedelta(seconds=dice.randrange(DAYS * 86_400))
        ref = ItemRef("music", "songs", item)
        yield UsageEvent(ref, dice.choice(KINDS), at, dice.choice(PLACES), dice.choice(SCREENS))


def device_file(items: int) -> dict[str, Any]:
    songs = [{"title": f"Song {number}", "artist": f"Artist {number % 999}"} for number in range(items)]
    return {"format": "camphor.device/1", "id": "large", "now": NOW.isoformat(), "apps": {"music": {"songs": songs}}}


def summary(seconds: list[float]) -> dict[str, float]:
    """Milliseconds."""
    spent = [1000 * each for each in seconds]
    cuts = statistics.quantiles(spent, n=100, method="inclusive")
    figures = {"p50_ms": cuts[49], "p95_ms": cuts[94], "p99_ms": cuts[98], "max_ms": max(spent)}
    return {name: round(value, 3) for name, value in {**figures, "mean_ms": statistics.fmean(spent)}.items()}


def timed(run: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    started = clock()
    run()
    return clock() - started


def record(device: Device, items: int, repeat: int) -> dict[str, dict[str, float]]:
    """Of an event by itself, and of one inside an action's transaction, which waits for the disk."""
    usage = device.usage
    usage.signals()
    new = [replace(event, at=NOW) for event in events(items, items + 3 * repeat, 2)][items:]
    alone = [timed(partial(usage.record, event)) for event in new[:repeat]]
    cpu = [timed(partial(usage.record, event), time.process_time) for event in new[repeat : 2 * repeat]]
    synced = [timed(partial(in_action, device, usage, event)) for event in new[2 * repeat :]]
    return {"record": summary(alone), "record, processor": summary(cpu), "record that waits": summary(synced)}


def in_action(device: Device, usage: Usage, event: UsageEvent) -> None:
    with device._store.transaction():
        usage.record(event)


def load(path: Path) -> dict[str, float]:
    """Seconds to open the device and have the columns, and the processor's part."""
    with Device.open(path) as device:
        wall = timed(device.usage.signals)
        device.usage.refresh()
        processor = timed(device.usage.signals, time.process_time)
    return {"load_seconds": round(wall, 3), "load_cpu_seconds": round(processor, 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--events", type=int, default=300_000)
    parser.add_argument("--repeat", type=int, default=3000)
    parser.add_argument("--out", type=Path, default=Path("results/usage.json"))
    settings = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.camphor"
        Device.create(path, device_file(settings.items)).close()
        bare = path.stat().st_size
        with Device.open(path) as device:
            log = [
                {"app": each.ref.app, "list": each.ref.list, "item": each.ref.ordinal, "kind": each.kind,
                 "at": each.at.isoformat(), "place": each.place, "screen": each.screen}
                for each in events(settings.items, settings.events, 1)
            ]  # fmt: skip
            taken = timed(lambda: device.usage.take_in(log))
        loaded = load(path)
        with Device.open(path) as device:
            recorded = record(device, settings.items, settings.repeat)
        size = path.stat().st_size
    result = {
        "command": shlex.join(["python", *sys.argv]),
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "sqlite": sqlite3.sqlite_version},
        "load_average": round(os.getloadavg()[0], 1),
        "items": settings.items,
        "events": settings.events,
        "import_seconds": round(taken, 2),
        **loaded,
        "usage_mb": round((size - bare) / 1e6, 1),
        **recorded,
    }
    table = Table("", *summary([0.0, 0.0]), title=f"{settings.items:,} items, loaded in {result['load_seconds']} s")
    for name, row in recorded.items():
        table.add_row(name, *(f"{value:g}" for value in row.values()))
    Console().print(table)
    settings.out.parent.mkdir(parents=True, exist_ok=True)
    write_report(settings.out, result, DEVICE)


if __name__ == "__main__":
    main()
