"""How long the similarity filter takes over 10,000 queries on one core, beside comparing all pairs with rouge-score.

    python benchmarks/similarity.py [FILE.jsonl ...] [--count 10000] [--pairs 400] [--out results/similarity.json]

Queries come from the files, each line with a `query`, and else are made up: sentences of few words from few openings,
which is hard for the index, because many share most of their words. The peer compares every pair of a subset with the
`rouge-score` package, the measure's reference in Python; its time for all pairs is reckoned from that.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import shlex
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from camphor_lab.datasets.similarity import MOST, Similar
from camphor_lab.evaluation.results import write_report

OPENINGS = (
    "set an alarm for {n} in the {a}",
    "please send a message to {b} about the {a}",
    "could you look up {a} {b} near the {c}",
    "remind me to buy {a} and {b} and {c} at {n}",
    "open the {a} settings",
    "write to {b} that the {a} is late, the {c} too, and ask whether {n} works",
    "call {b}",
)


def made_up(count: int, seed: int) -> list[str]:
    """Sentences of few openings, their words by Zipf's law."""
    rng = random.Random(seed)
    words = [f"word{number}" for number in range(3000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    made = []
    for _ in range(count):
        a, b, c = rng.choices(words, weights, k=3)
        tail = " ".join(rng.choices(words, weights, k=rng.randrange(7)))
        made.append(f"{rng.choice(OPENINGS).format(a=a, b=b, c=c, n=rng.randrange(1, 60))} {tail}")
    return made


def read(paths: Sequence[Path], count: int, seed: int) -> list[str]:
    found = [json.loads(line)["query"] for path in paths for line in path.open(encoding="utf-8") if line.strip()]
    random.Random(seed).shuffle(found)
    return found[:count]


def filtered(queries: Sequence[str]) -> tuple[list[bool], float]:
    """Which queries are kept, and processor seconds."""
    similar, kept, begun = Similar(), [], time.process_time()
    for query in queries:
        alike = similar.find(query)
        if alike is None:
            similar.add(query)
        kept.append(alike is None)
    return kept, time.process_time() - begun


def by_rouge_score(queries: Sequence[str]) -> tuple[list[bool], float, int]:
    """The same with the package: which are kept, processor seconds, and pairs that were compared."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer, there, kept, pairs, begun = RougeScorer(["rougeL"]), [], [], 0, time.process_time()
    for query in queries:
        scores = [scorer.score(other, query)["rougeL"].fmeasure for other in there]
        pairs += len(scores)
        kept.append(all(score <= float(MOST) + 1e-9 for score in scores))
        if kept[-1]:
            there.append(query)
    return kept, time.process_time() - begun, pairs


def measure(queries: Sequence[str], subset: int) -> dict[str, Any]:
    kept, seconds = filtered(queries)
    some = queries[:subset]
    ours, _ = filtered(some)
    theirs, their_seconds, pairs = by_rouge_score(some)
    whole = sum(kept) * (sum(kept) - 1) // 2
    return {
        "queries": len(queries),
        "kept": sum(kept),
        "cpu_seconds": round(seconds, 2),
        "peer": f"rouge-score {version('rouge-score')}",
        "peer_pairs": pairs,
        "peer_cpu_seconds": round(their_seconds, 2),
        "peer_cpu_seconds_for_all_pairs_reckoned": round(their_seconds / max(1, pairs) * whole),
        "decisions_compared": len(some),
        "decisions_that_differ": sum(one != other for one, other in zip(ours, theirs, strict=True)),
    }


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=400, help="how many queries the peer compares, all with all")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(arguments)
    queries = read(chosen.files, chosen.count, chosen.seed) if chosen.files else made_up(chosen.count, chosen.seed)
    told = {
        "command": shlex.join(["python", "benchmarks/similarity.py", *arguments]),
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        **measure(queries, chosen.pairs),
    }
    text = json.dumps(told, indent=1, ensure_ascii=False)
    if chosen.out:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        write_report(chosen.out, told, ("retrieval",))
    print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
