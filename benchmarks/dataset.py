"""How long a dataset takes to make, what it needs of memory, and how varied it is.

    python benchmarks/dataset.py FOLDER [--count N] [--processes N] [--seed N]

Makes both splits (or goes on with them: then the time is that of the rest, and is not recorded), measures them as the
dataset card does, and adds an entry for their size to `results/dataset.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from pathlib import Path
from typing import Any

from camphor_lab.datasets.diversity import read_splits, statistics
from camphor_lab.datasets.generate import DatasetSummary, generate, sizes_of
from camphor_lab.datasets.parallel import open_pool
from camphor_lab.evaluation.results import write_report
from camphor_lab.evaluation.sources import DEVICE

OUT = Path(__file__).parents[1] / "results" / "dataset.json"
KEPT = ("queries", "phones", "personas", "calls_per_query", "calls_per_acting_query", "look_ups_per_query", "pairs")
KEPT += ("pairs_per_query", "words_per_query", "tags", "diversity")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    fresh = not any(options.folder.glob("*.jsonl"))
    started = time.perf_counter()
    sizes, made = sizes_of(None, options.count), {}
    with open_pool(processes=options.processes) as pool:
        for split, count in sizes.items():
            made[split] = generate(options.folder, split=split, count=count, seed=options.seed, pool=pool)
    seconds = time.perf_counter() - started
    if fresh:
        record(options, sizes, made, seconds)


def record(options: argparse.Namespace, sizes: dict[str, int], made: dict[str, DatasetSummary], seconds: float) -> None:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    figures = statistics(read_splits(options.folder))
    whole = sum(sizes.values())
    count = f" --count {options.count}" if options.count else ""
    entry: dict[str, Any] = {
        "command": f"python benchmarks/dataset.py FOLDER{count} --processes {options.processes} --seed {options.seed}",
        "processes": options.processes,
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[1], 1),
        "seconds": round(seconds, 1),
        "cpu_seconds": round(sum(each.ru_utime + each.ru_stime for each in used), 1),
        "queries_per_cpu_second": round(whole / sum(each.ru_utime + each.ru_stime for each in used), 1),
        "peak_mb_main": used[0].ru_maxrss // 1024,
        "peak_mb_worker": used[1].ru_maxrss // 1024,
        "turned_down": {
            split: {
                "alike": s.alike,
                "skeleton_used_up": s.worn,
                "text_of_the_other_split": s.known,
                "refused_by_replay": s.refused.total(),
            }
            for split, s in made.items()
        },
        "alike": figures["alike"],
        "splits": {name: {key: split[key] for key in KEPT} for name, split in figures["splits"].items()},
        "share": figures["share"],
    }
    results = json.loads(OUT.read_text(encoding="utf-8")) if OUT.exists() else {}
    results[str(whole)] = entry
    write_report(OUT, results, ("datasets", *DEVICE))
    print(json.dumps({key: value for key, value in entry.items() if not isinstance(value, dict)}, indent=1))


if __name__ == "__main__":
    main()
