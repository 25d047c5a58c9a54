"""`python -m camphor_lab.datasets`: make the datasets, or check the bank."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from camphor.trajectories.items import write_items
from camphor_lab.datasets.check import check_bank
from camphor_lab.datasets.generate import TEST, TRAIN, Progress, Summary, generate
from camphor_lab.datasets.handwritten import handwritten_items
from camphor_lab.datasets.human import human_items


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m camphor_lab.datasets", description=__doc__)
    parser.add_argument("what", choices=("generate", "check"))
    parser.add_argument("--out", type=Path, default=Path("dataset"))
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--train", type=int, default=TRAIN)
    parser.add_argument("--test", type=int, default=TEST)
    parser.add_argument("--handwritten", type=Path, help="folder of hand-written sets, to be varied too")
    parser.add_argument("--variants", type=int, default=3, help="variations of each hand-written phone")
    parser.add_argument("--public", type=Path, help="folder of public sets of human utterances")
    parser.add_argument("--public-limit", type=int, default=4000)
    options = parser.parse_args(arguments)
    if options.what == "check":
        problems = check_bank()
        print("\n".join(problems) or "the bank is in order")
        return 2 if problems else 0
    for split, count in (("train", options.train), ("test", options.test)):
        _tell(split, generate(options.out, split=split, count=count, seed=options.seed, progress=_progress(split)))
    if options.handwritten:
        refused: Counter[str] = Counter()
        made = handwritten_items(
            options.handwritten, options.out, variants=options.variants, seed=options.seed, refused=refused
        )
        count = write_items(options.out / "handwritten.jsonl", made)
        print(f"handwritten: {count} items; {sum(refused.values())} refused by replay")
    if options.public:
        count = write_items(
            options.out / "human.jsonl",
            human_items(options.public, options.out, seed=options.seed, limit=options.public_limit),
        )
        print(f"human: {count} items")
    return 0


def _progress(split: str) -> Progress:
    def show(done: int, wanted: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{split}: {done}/{wanted}", end="", file=sys.stderr)

    return show


def _tell(split: str, summary: Summary) -> None:
    sizes = ", ".join(f"{size} calls: {count}" for size, count in sorted(summary.sizes.items()))
    print(f"{split}: {summary.written} items; {sizes}; {sum(summary.refused.values())} refused by replay")


if __name__ == "__main__":
    sys.exit(main())
