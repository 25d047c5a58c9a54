"""What people asked of assistants in public sets, and DroidCall's early samples, as samples of the 24 functions.

    python -m scripts.public_calls FOLDER OUT.jsonl
    camphor lab data calls runs/droidcall --first OUT.jsonl

FOLDER holds the sets that data/README.md names. Only lines whose every word fits a function are taken; how many of each
kind were not, and why, is told at the end.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import chain
from pathlib import Path

from camphor.trajectories.call_samples import write_call_samples
from scripts.public_calls.early import early_samples
from scripts.public_calls.human import SETS, human_calls


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.public_calls", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="holds the public sets")
    parser.add_argument("out", type=Path, help="the file of samples to write")
    parser.add_argument("--seed", type=int, default=7, help="decides the order")
    given = parser.parse_args()
    if not any((given.folder / name).exists() for name in (*SETS, "droidcall_early")):
        parser.error(f"{given.folder}: holds none of the public sets, such as {SETS[0]}/train.jsonl")
    refused: Counter[str] = Counter()
    samples = chain(human_calls(given.folder, refused, seed=given.seed), early_samples(given.folder, refused))
    count = write_call_samples(given.out, samples)
    print(f"{given.out}: {count:,} samples; {refused.total():,} lines map to no function")
    for reason, lines in refused.most_common(12):
        print(f"  {lines:6,}  {reason}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
