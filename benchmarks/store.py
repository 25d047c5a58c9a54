"""How fast a device with 100,000 records answers: every look-up tool, rare and common words, days and years.

    python benchmarks/store.py [--records 100000] [--repeat 40] [--seed 1] [--out results/store.json]

The device is made up: words follow Zipf's law, as in people's text, so that common words stand in most records and most
words in few. Each look-up goes through `Device.execute`, checks and normalising included, on a device in a file.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import random
import shlex
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from camphor.device.apps import BUILT_IN_APPS
from camphor.device.device import Device
from camphor.tools.tool import Kind, Tool
from camphor.types import Call
from camphor_lab.evaluation.results import write_report
from camphor_lab.evaluation.sources import DEVICE

Times = tuple[float, float]

NOW = datetime(2026, 3, 12, 8, 45)
VOCABULARY = 40_000
WORDS = {
    "title": 4,
    "content": 20,
    "body": 40,
    "text": 12,
    "subject": 5,
    "name": 3,
    "item": 4,
    "notes": 8,
    "address": 4,
}
DATED = frozenset(("start", "end", "date", "time", "modified", "played", "read", "visited", "birthday"))
# Parts of all records: people have thousands of messages and dozens of books.
SHARES = {"imessage": 30, "mail": 20, "safari": 12, "music": 8, "calendar": 6, "notes": 5, "loyalty": 5}


class Maker:
    """Makes records of a vocabulary that follows Zipf's law."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
        made: dict[str, None] = {}
        while len(made) < VOCABULARY:
            made["".join(self.random.choices(syllables, k=self.random.randint(2, 4)))] = None
        self.vocabulary = list(made)
        self._cumulative = list(itertools.accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))

    def text(self, count: int) -> str:
        return " ".join(self.random.choices(self.vocabulary, cum_weights=self._cumulative, k=count))

    def moment(self) -> str:
        past = NOW - timedelta(minutes=self.random.randint(-100_000, 4_000_000))
        return past.isoformat(timespec="seconds")

    def record(self, fields: tuple[str, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for field in fields:
            if field in DATED:
                found[field] = self.moment()
            elif field in ("recipients", "participants"):
                found[field] = [self.text(2) for _ in range(self.random.randint(0, 3))]
            else:
                found[field] = self.text(WORDS.get(field, 1))
        if "start" in found and "end" in found:
            found["end"] = max(found["start"], found["start"][:10] + "T23:00:00")
        return found


def device_file(maker: Maker, total: int) -> dict[str, Any]:
    """A device file with `total` records over all built-in apps and one manifest app."""
    shares = {app: SHARES.get(app, 1) for app in [*BUILT_IN_APPS, "loyalty"]}
    apps: dict[str, Any] = {}
    left = total
    for app in BUILT_IN_APPS:
        lists = BUILT_IN_APPS[app].lists
        count = total * shares[app] // sum(shares.values()) // len(lists)
        apps[app] = {name: [maker.record(fields) for _ in range(count)] for name, fields in lists.items()}
        apps[app] |= {name: {"name": "somebody", "used_gb": 3.2} for name in BUILT_IN_APPS[app].facts}
        left -= count * len(lists)
    stamps = [
        {"shop": maker.text(2), "points": maker.random.randint(1, 500), "spent": maker.random.random() < 0.5,
         "date": maker.moment(), "note": maker.text(8)}
        for _ in range(left)
    ]  # fmt: skip
    properties = {
        "keyword": {"type": "string"}, "shop": {"type": "string"}, "points": {"type": "integer"},
        "spent": {"type": "boolean"}, "date": {"type": "string", "format": "date"},
    }  # fmt: skip
    tool = {
        "name": "get_loyalty_stamps", "kind": "context", "returns": "stamps", "description": "Stamps collected.",
        "parameters": {"type": "object", "properties": properties, "required": []},
    }  # fmt: skip
    apps["loyalty"] = {"description": "loyalty card", "tools": [tool], "records": {"stamps": stamps}}
    return {
        "format": "camphor.device/1",
        "id": "large",
        "now": NOW.isoformat(),
        "timezone": "Europe/Dublin",
        "apps": apps,
    }


def keywords(maker: Maker, records: list[dict[str, Any]]) -> dict[str, Callable[[], str]]:
    """Ways to ask by words, by name."""

    def together() -> str:
        texts = [value for value in maker.random.choice(records).values() if isinstance(value, str) and value.isascii()]
        said = max(texts, key=len).split()
        return " ".join(maker.random.sample(said, min(2, len(said))))

    return {
        "rare word": lambda: maker.random.choice(maker.vocabulary[2000:]),
        "common word": lambda: maker.random.choice(maker.vocabulary[:20]),
        "two words of a record": together,
        "five words, not all found": lambda: " ".join(
            [*maker.random.sample(maker.vocabulary[:30], 4), maker.random.choice(maker.vocabulary[20_000:])]
        ),
    }


def ranges(maker: Maker) -> dict[str, Callable[[], str]]:
    """Ways to ask by days, by name."""

    def of(days: int) -> Callable[[], str]:
        def one() -> str:
            first = date.fromisoformat(maker.moment()[:10])
            return f"{first.isoformat()}/{(first + timedelta(days=days)).isoformat()}"

        return one

    return {"a day": of(0), "a month": of(30), "a year": of(365), "tomorrow": lambda: "tomorrow"}


def questions(
    maker: Maker, tool: Tool, records: list[dict[str, Any]]
) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Ways to call one look-up tool: a name, and a maker of arguments."""
    names = [parameter.name for parameter in tool.parameters]
    word = next((name for name in ("keyword", "theme") if name in names), None)
    if not names or "time_range" in names or tool.app == "loyalty":
        yield "everything", dict
    if word and records:
        for kind, ask in keywords(maker, records).items():
            yield kind, lambda ask=ask: {word: ask()}
    if "time_range" in names:
        for kind, ask in ranges(maker).items():
            yield kind, lambda ask=ask: {"time_range": ask()}
        common = keywords(maker, records)["common word"]
        yield "common word in a year", lambda: {word: common(), "time_range": ranges(maker)["a year"]()}
    if tool.app == "loyalty":
        yield "field's word", lambda: {"shop": maker.text(1)}
        yield "field's number", lambda: {"points": maker.random.randint(1, 500)}
        yield "field's truth value", lambda: {"spent": maker.random.random() < 0.5}
        yield "field's day and word", lambda: {"date": maker.moment()[:10], "keyword": maker.text(1)}


def measure(device: Device, maker: Maker, repeat: int) -> tuple[dict[str, list[Times]], dict[str, list[Times]]]:
    """Milliseconds of each look-up, wall clock and processor, by tool and by kind of question."""
    by_tool: dict[str, list[Times]] = defaultdict(list)
    by_kind: dict[str, list[Times]] = defaultdict(list)
    for tool in device.toolbox:
        if tool.kind is not Kind.CONTEXT or not tool.app:
            continue
        lists = [
            device.records(tool.app, name)
            for name in ([tool.returns] if tool.returns else BUILT_IN_APPS[tool.app].lists)
        ]
        for kind, ask in questions(maker, tool, max(lists, key=len)):
            for _ in range(repeat):
                call = Call(tool.name, ask())
                started, worked = time.perf_counter(), time.process_time()
                told = device.execute(call)
                spent = ((time.perf_counter() - started) * 1000, (time.process_time() - worked) * 1000)
                if told.error:
                    raise SystemExit(told.error)
                by_tool[tool.name].append(spent)
                by_kind[kind].append(spent)
    return by_tool, by_kind


def summary(values: list[Times]) -> dict[str, float]:
    """Median, 95th percentile and greatest of the wall clock, 95th of the processor's time; milliseconds."""
    wall, processor = zip(*values, strict=True)
    return {
        "look_ups": len(wall),
        "p50_ms": round(statistics.median(wall), 2),
        "p95_ms": round(_p95(wall), 2),
        "max_ms": round(max(wall), 2),
        "p95_cpu_ms": round(_p95(processor), 2),
    }


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[94]


def show(title: str, rows: dict[str, dict[str, float]]) -> None:
    table = Table("", "look-ups", "p50 ms", "p95 ms", "max ms", "p95 cpu ms", title=title)
    for name, row in rows.items():
        table.add_row(name, *(f"{row[key]:g}" for key in ("look_ups", "p50_ms", "p95_ms", "max_ms", "p95_cpu_ms")))
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("results/store.json"))
    settings = parser.parse_args()
    maker = Maker(settings.seed)
    data = device_file(maker, settings.records)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.db"
        started = time.perf_counter()
        Device.create(path, data).close()
        create_seconds = time.perf_counter() - started
        started = time.perf_counter()
        with Device.open(path) as device:
            open_ms = (time.perf_counter() - started) * 1000
            started = time.perf_counter()
            device.execute(Call("get_imessage_history", {"keyword": maker.vocabulary[0]}))
            first_ms = (time.perf_counter() - started) * 1000
            by_tool, by_kind = measure(device, maker, settings.repeat)
        size = path.stat().st_size
    every = [value for values in by_tool.values() for value in values]
    result = {
        "command": shlex.join(["python", *sys.argv]),
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "sqlite": sqlite3.sqlite_version},
        "records": settings.records,
        "create_seconds": round(create_seconds, 2),
        "file_mb": round(size / 1e6, 1),
        "load_average": round(os.getloadavg()[0], 1),
        "open_ms": round(open_ms, 2),
        "first_look_up_ms": round(first_ms, 2),
        "all": summary(every),
        "by_kind": {kind: summary(values) for kind, values in by_kind.items()},
        "by_tool": {tool: summary(values) for tool, values in by_tool.items()},
    }
    show(f"{settings.records:,} records, by question", result["by_kind"])  # type: ignore[arg-type]
    show("by tool", {**result["by_tool"], "all": result["all"]})  # type: ignore[dict-item]
    settings.out.parent.mkdir(parents=True, exist_ok=True)
    write_report(settings.out, result, DEVICE)


if __name__ == "__main__":
    main()
