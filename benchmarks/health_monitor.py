"""How long it takes to check a day of vitals at one reading a second, on one core.

    python benchmarks/health_monitor.py [--times 7] [--out results/health-monitor.json]

The days are those of the simulated watch with an emergency and a fault in them: once as a watch reads (the heart each
second, the rest more rarely), once with every kind read each second. Checking is what the monitor does with readings:
what can be true, what is wrong with the watch, which episodes of abnormal values there are. Keeping a day on disk and
the look of a minute are told beside it.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import date
from datetime import time as clock
from pathlib import Path
from typing import Any

import numpy as np
from dateutil import tz
from rich.console import Console
from rich.table import Table

from camphor.device.health.database import HealthDatabase
from camphor.device.health.vitals import VitalsStore
from camphor.health.monitor.detect import detect, judged
from camphor.health.monitor.monitor import Monitor
from camphor.health.monitor.plausible import faults
from camphor.health.monitor.thresholds import RULES
from camphor.health.monitor.vitals import Vital, Vitals
from camphor.health.monitor.watch import EVERY, Watch, WatchScene, Wearer
from camphor_lab.evaluation.results import write_report
from camphor_lab.evaluation.sources import HEALTH

DAY = date(2026, 3, 12)
SECONDS = 86_400
SCENES = (
    WatchScene("hypoxia", clock(3), 30),
    WatchScene("nonsense", clock(12), 20),
    WatchScene("tachycardia", clock(15), 20),
)
Times = tuple[float, float]


def timed(work: Callable[[], object]) -> Times:
    """Seconds of a piece of work, wall clock and processor."""
    started, worked = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - worked


def summary(values: Sequence[Times]) -> dict[str, float]:
    """Median and greatest of the wall clock and of the processor's time; seconds."""
    wall, processor = ([one[side] for one in values] for side in (0, 1))
    return {
        "times": len(wall),
        "p50_s": round(statistics.median(wall), 4),
        "max_s": round(max(wall), 4),
        "p50_cpu_s": round(statistics.median(processor), 4),
        "max_cpu_s": round(max(processor), 4),
    }


def check(vitals: Vitals) -> tuple[list[str], int]:
    """What the monitor finds in a day: the rules of the episodes, and how many faults."""
    columns = judged(vitals)
    return [each.rule.name for each in detect(columns, RULES)], len(faults(columns))


def looks(vitals: Vitals, times: int) -> list[Times]:
    """How long it takes to take a minute in and to look, in the middle of a day that is kept on disk."""
    with tempfile.TemporaryDirectory() as folder, HealthDatabase(Path(folder) / "phone.camphor.health") as database:
        phone = Monitor(VitalsStore(database), tz.UTC)
        heart = vitals[Vital.HEART_RATE]
        begin = float(heart.at[0]) + 14 * 3600
        phone.take({kind: column.between(0, begin) for kind, column in vitals.items()}, "watch", begin)
        phone.look(begin)
        found = []
        for number in range(1, times + 1):
            now = begin + 60 * number
            part = {kind: column.between(now - 60, now) for kind, column in vitals.items()}
            found.append(timed(lambda part=part, now=now: (phone.take(part, "watch", now), phone.look(now))))
    return found


def keeping(vitals: Vitals) -> Times:
    with tempfile.TemporaryDirectory() as folder, HealthDatabase(Path(folder) / "phone.camphor.health") as database:
        phone = Monitor(VitalsStore(database), tz.UTC)
        return timed(lambda: phone.take(vitals, "watch", float(vitals[Vital.HEART_RATE].at[-1]), past=True))


def measure(times: int) -> dict[str, Any]:
    worn = Watch(Wearer(glucose=True), tz.UTC, 1, SCENES).day(DAY)
    every = {**dict.fromkeys(EVERY, 1), Vital.STEPS: 1}
    dense = Watch(Wearer(glucose=True), tz.UTC, 1, SCENES, every).day(DAY)
    found: dict[str, Any] = {}
    for name, vitals in (("a day of a watch", worn), ("every kind each second", dense)):
        check(vitals)
        episodes, wrong = check(vitals)
        found[name] = {
            "kinds": len(vitals),
            "readings": sum(len(each) for each in vitals.values()),
            "heart_rate_readings": len(vitals[Vital.HEART_RATE]),
            "episodes": episodes,
            "faults": wrong,
            "check": summary([timed(lambda vitals=vitals: check(vitals)) for _ in range(times)]),
        }
    found["a day of a watch"]["keep_on_disk"] = summary([keeping(worn) for _ in range(3)])
    found["a day of a watch"]["minute"] = summary(looks(worn, 30))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--out", type=Path, default=Path("results/health-monitor.json"))
    settings = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found = measure(settings.times)
    result = {
        "command": shlex.join(["python", *sys.argv]),
        "machine": {"cores": 1, "python": platform.python_version(), "numpy": np.__version__},
        "load_average": round(os.getloadavg()[0], 1),
        "seconds_of_a_day": SECONDS,
        **found,
    }
    table = Table("", "readings", "p50 s", "max s", "p50 cpu s", title="Checking a day of vitals")
    for name, row in found.items():
        table.add_row(
            name, f"{row['readings']:,}", *(f"{row['check'][key]:g}" for key in ("p50_s", "max_s", "p50_cpu_s"))
        )
    minute = found["a day of a watch"]["minute"]
    table.add_row(
        "a minute, taken in and looked at", "", *(f"{minute[key]:g}" for key in ("p50_s", "max_s", "p50_cpu_s"))
    )
    Console().print(table)
    settings.out.parent.mkdir(parents=True, exist_ok=True)
    write_report(settings.out, result, HEALTH)


if __name__ == "__main__":
    main()
