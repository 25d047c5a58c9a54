"""How long a query takes while other programs want the processor: with none, one and two busy loops beside it.

A query is run as `camphor ask` runs it, from an empty cache, on one thread and on as many as there are cores. Each
setting is measured in a process of its own, in turns, and of its repetitions the fastest counts, for wall and processor
seconds alike: a machine that others use too only ever adds to both.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import camphor
from camphor_lab.evaluation.results import write_report

DEMO = Path(camphor.__file__).parent / "demo" / "ines-dublin.device.json"
QUERY = "Text my travel buddy that I'll be ten minutes late and remind me at 6 to call her"
LOOPS = (0, 1, 2)
QUERIES = 3
"""In a process, after one that is not counted."""


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Programs that do nothing but use a processor."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        time.sleep(0.3 * bool(loops))
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def measure(threads: int) -> list[tuple[float, float]]:
    """Wall and processor seconds of each query in this process."""
    from camphor.app import Assistant, run_to_end
    from camphor.cli.home import cache_folder
    from camphor.device.device import Device
    from camphor.models.llama import LlamaModel

    costs = []
    with LlamaModel(threads=threads, merged_folder=cache_folder()) as model:
        for _ in range(QUERIES + 1):
            model.forget()
            with Device.from_file(DEMO) as device:
                assistant = Assistant(device, model)
                wall, used = time.perf_counter(), time.process_time()
                run_to_end(assistant, QUERY, consent=True)
                costs.append((time.perf_counter() - wall, time.process_time() - used))
    return costs[1:]


def table(rounds: int, threads: tuple[int, ...]) -> list[dict[str, Any]]:
    """A row for each number of loops and threads."""
    found: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for _ in range(rounds):
        for loops in LOOPS:
            for count in threads:
                with busy(loops):
                    command = [sys.executable, __file__, "--measure", str(count)]
                    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                found.setdefault((loops, count), []).extend(json.loads(told))
    rows = []
    for (loops, count), costs in sorted(found.items()):
        wall, used = (min(each[place] for each in costs) for place in (0, 1))
        slowest = max(each[0] for each in costs)
        one = min(each[0] for each in found[(loops, threads[0])])
        rows.append(
            {
                "loops": loops,
                "threads": count,
                "queries": len(costs),
                "wall_seconds": round(wall, 3),
                "cpu_seconds": round(used, 3),
                "slowest_wall_seconds": round(slowest, 3),
                "over_one_thread": round(wall / one, 2),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--measure", type=int, metavar="THREADS", help="measure in this process and print JSON")
    parser.add_argument("--out", type=Path, default=Path("results/busy.json"))
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return
    before = os.getloadavg()[0]
    rows = table(options.rounds, (1, max(2, os.cpu_count() or 2)))
    told = {
        "command": " ".join(["python benchmarks/busy.py", *sys.argv[1:]]),
        "machine": f"{os.cpu_count()} processors, load {before:.1f} before",
        "rows": rows,
    }
    write_report(options.out, told)
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
