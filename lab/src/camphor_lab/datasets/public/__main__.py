"""`python -m camphor_lab.datasets.public FOLDER OUT.jsonl`: make the public part of the training mix."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from camphor.errors import UsageError
from camphor.trajectories.items import write_items
from camphor_lab.datasets.public import make


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m camphor_lab.datasets.public", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the public sets")
    parser.add_argument("out", type=Path, help="file of items to write")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--limit", type=int, default=8000)
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    try:
        written = write_items(options.out, make(options.folder, limit=options.limit, seed=options.seed, counts=counts))
    except UsageError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    print(f"{options.out}: {written} items")
    for key, count in sorted(counts.items()):
        print(f"  {count:6d} {key}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
