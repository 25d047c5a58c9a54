"""How fast the items of a device with 100,000 of them are indexed, kept up to date and ranked, on one core.

    python benchmarks/context.py [--items 100000] [--events 60000] [--searches 300] [--out results/context-speed.json]

The device is that of `benchmarks/store.py`: all built-in apps and one with a manifest, words by Zipf's law. Its usage
is made up too: a few items are used at their own hour and weekday again and again, most once or never.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from camphor.device.device import Device
from camphor.device.usage import UsageEvent
from camphor.device.usage_events import KINDS
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.model import SHIPPED
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.context.rankers import ContextRetriever, LambdaMartRrf, LexicalRanker, Semantic
from camphor.retrieval.context.relevance import index_of_device, lists_of, situation_of_device
from camphor_lab.evaluation.results import write_report
from camphor_lab.evaluation.sources import CONTEXT
from store import NOW, Maker, device_file

PLACES = ("home", "work", "commute", "gym", "shop")
ASKED = (
    "when is my next lesson", "I'm running late", "play that again", "ring her back", "what did I want to bring",
    "put on the usual", "is there anything left today", "let them know I can't come", "that message can go",
)  # fmt: skip
Times = tuple[float, float]


def usage(data: dict[str, Any], events: int, chance: random.Random) -> list[dict[str, Any]]:
    """Eight weeks of events: half of them routines of some hundred items, the others of any items."""
    places = [(app, name, item) for app, name, records in lists_of(data) for item in range(len(records))]
    routines = [
        (chance.choice(places), chance.randrange(24), chance.randrange(7), chance.choice(PLACES)) for _ in range(400)
    ]
    made = []
    for _ in range(events):
        at = NOW - timedelta(minutes=chance.randrange(56 * 24 * 60))
        (app, name, item), place = chance.choice(places), chance.choice(PLACES)
        if chance.random() < 0.5:
            (app, name, item), hour, weekday, place = chance.choice(routines)
            at = at.replace(hour=hour) - timedelta(days=(at.weekday() - weekday) % 7)
        event = {"app": app, "list": name, "item": item, "kind": chance.choice(KINDS), "place": place}
        made.append({**event, "at": min(at, NOW).isoformat(timespec="seconds")})
    return sorted(made, key=lambda event: str(event["at"]))


def timed(work: Callable[[], object]) -> Times:
    """Milliseconds of a piece of work, wall clock and processor."""
    started, worked = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - started) * 1000, (time.process_time() - worked) * 1000


def summary(values: Sequence[Times]) -> dict[str, float]:
    """Median, 95th percentile and greatest of the wall clock, 95th of the processor's time; milliseconds."""
    wall, processor = ([one[side] for one in values] for side in (0, 1))
    return {
        "times": len(wall),
        "p50_ms": round(statistics.median(wall), 2),
        "p95_ms": round(statistics.quantiles(wall, n=100, method="inclusive")[94], 2),
        "max_ms": round(max(wall), 2),
        "p95_cpu_ms": round(statistics.quantiles(processor, n=100, method="inclusive")[94], 2),
    }


def searches(
    ranker: ContextRetriever, index: ContextIndex, maker: Maker, situation: UseSituation, count: int
) -> dict[str, float]:
    """How long searches take: implicit queries and such with words of items, at all hours and places."""
    times = []
    for number in range(count + 5):
        query = ASKED[number % len(ASKED)] if number % 2 else maker.text(4)
        here = replace(
            situation,
            now=NOW + timedelta(minutes=maker.random.randrange(7 * 24 * 60)),
            place=maker.random.choice(PLACES),
            screen=maker.text(6) if number % 3 else "",
        )
        times.append(timed(lambda query=query, here=here: ranker.search(query, here, index, 10)))
    return summary(times[5:])


def updates(device: Device, index: ContextIndex, maker: Maker, count: int) -> dict[str, dict[str, float]]:
    """How long it takes to note an event, and to take in an item that has changed."""
    refs = maker.random.sample([item.ref for item, _ in zip(index.items(), range(5000), strict=False)], count)
    at = iter([datetime(2026, 3, 12, 8, 46) + timedelta(seconds=number) for number in range(count)])
    noted = [timed(lambda ref=ref: device.usage.record(UsageEvent(ref, "opened", next(at), "home"))) for ref in refs]
    items = [index.item(ref) for ref in refs]
    changed = [replace(item, text=f"{item.text} {maker.text(3)}") for item in items if item is not None]
    taken = [timed(lambda item=item: index.add([item])) for item in changed]
    return {"a new event is noted": summary(noted), "a changed item is taken in": summary(taken)}


def measure(settings: argparse.Namespace) -> dict[str, Any]:
    maker = Maker(settings.seed)
    data = device_file(maker, settings.items)
    data["usage"] = usage(data, settings.events, maker.random)
    with tempfile.TemporaryDirectory() as folder:
        path, kept = Path(folder) / "large.db", Path(folder) / "large.context.npz"
        Device.create(path, data).close()
        with Device.open(path) as device:
            signals_ms, _ = timed(device.usage.signals)
            build_ms, build_cpu = timed(lambda: index_of_device(device, kept))
            load_ms, _ = timed(lambda: index_of_device(device, kept))
            index, situation = index_of_device(device, kept), situation_of_device(device)
            rankers = {
                "LambdaMART-RRF": LambdaMartRrf(settings.model),
                "BM25": LexicalRanker(),
                "semantic search": Semantic(),
            }
            by_ranker = {
                name: searches(ranker, index, maker, situation, settings.searches) for name, ranker in rankers.items()
            }
            by_update = updates(device, index, maker, settings.searches)
            after = searches(rankers["LambdaMART-RRF"], index, maker, situation, settings.searches)
            return {
                "items": len(index),
                "used_items": len(index.signals()),
                "stores": len(index.stores),
                "build_seconds": round(build_ms / 1000, 1),
                "build_cpu_seconds": round(build_cpu / 1000, 1),
                "load_seconds": round(load_ms / 1000, 2),
                "load_signals_seconds": round(signals_ms / 1000, 2),
                "file_mb": round(kept.stat().st_size / 1e6, 1),
                "searches": {**by_ranker, "LambdaMART-RRF after updates": after},
                "updates": by_update,
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--events", type=int, default=60_000)
    parser.add_argument("--searches", type=int, default=300)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("results/context-speed.json"))
    settings = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found = measure(settings)
    result = {
        "command": shlex.join(["python", *sys.argv]),
        "machine": {"cores": 1, "python": platform.python_version(), "numpy": np.__version__},
        "load_average": round(os.getloadavg()[0], 1),
        **found,
    }
    table = Table("", "times", "p50 ms", "p95 ms", "max ms", "p95 cpu ms", title=f"{found['items']:,} items")
    for name, row in {**found["searches"], **found["updates"]}.items():
        table.add_row(name, *(f"{row[key]:g}" for key in ("times", "p50_ms", "p95_ms", "max_ms", "p95_cpu_ms")))
    Console().print(table)
    print({key: value for key, value in found.items() if not isinstance(value, dict)})
    settings.out.parent.mkdir(parents=True, exist_ok=True)
    write_report(settings.out, result, CONTEXT)


if __name__ == "__main__":
    main()
