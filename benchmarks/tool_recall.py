"""How often retrievers find the functions that requests of public sets need, each set's functions pooled: recall at K.

    python benchmarks/tool_recall.py --public FOLDER [--droidcall DATASET.jsonl] [--retriever NAME ...] [--limit 200]

FOLDER holds a folder for each set, as `data/README.md` tells: `train.jsonl` and, where a set has one, `tools.json`.
A query's gold is every function that its calls name. Functions of one name are one. All queries of a set are ranked
against all of the set's functions. Seconds are processor seconds of one thread, after one query to warm up. Rows that
a results file has already are kept where `--retriever` or `--set` leaves them out.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from camphor.errors import DefinitionError
from camphor.retrieval.retrievers import by_ranks, by_scores
from camphor.retrieval.static import TABLE, SentenceEncoder, StaticEncoder
from camphor.retrieval.tool_index import TextEncoder, ToolIndex, Vectors
from camphor.tools.readers import from_schema
from camphor.tools.tool import Kind, Tool
from camphor.trajectories.call_samples import dataset_tools, read_call_samples
from camphor.types import Agent
from camphor_lab.evaluation.results import write_report
from camphor_lab.evaluation.sources import RETRIEVAL

SETS = ("seal_tools", "toolalpaca", "slurp", "hwu64", "ms_lu", "nestful", "snips2017")
KS = (1, 3, 5, 10)
RETRIEVERS = ("lexical", "static", "light", "dense", "hybrid")
SEED = 4


@dataclass(frozen=True)
class Pool:
    """A set: its functions, the queries with the names of the functions that they need, and what could not be used."""

    name: str
    tools: tuple[Tool, ...]
    queries: tuple[tuple[str, frozenset[str]], ...]
    unreadable: int = 0


class Peer:
    """all-MiniLM-L6-v2 through sentence-transformers, as an index wants it."""

    identity, dimensions = "all-MiniLM-L6-v2 by sentence-transformers", 384

    def __init__(self) -> None:
        self._encoder = SentenceEncoder()

    def encode(self, texts: Sequence[str]) -> Vectors:
        return self._encoder.encode(texts)


class Silent:
    """Has nothing to say, so that words alone decide."""

    identity, dimensions = "none", 1

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), 1), np.float32)


def read_pool(folder: Path, limit: int) -> Pool:
    """A public set: at most `limit` of its queries that have gold functions, drawn by chance."""
    definitions: dict[str, Any] = {}
    listed = folder / "tools.json"
    if listed.exists():
        definitions = {tool["name"]: tool for tool in json.loads(listed.read_text(encoding="utf-8"))}
    queries = []
    for line in _lines(folder / "train.jsonl"):
        for tool in line.get("tools") or ():
            definitions.setdefault(tool["name"], tool)
        gold = frozenset(call["name"] for call in line.get("calls") or ())
        if line.get("query") and gold:
            queries.append((line["query"], gold))
    tools, unreadable = {}, 0
    for name, definition in definitions.items():
        try:
            tools[name] = from_schema(definition)
        except DefinitionError:
            unreadable += 1
    usable = [(query, gold) for query, gold in queries if gold <= tools.keys()]
    return Pool(folder.name, tuple(tools.values()), _drawn(usable, limit), unreadable)


def read_calls(path: Path, limit: int) -> Pool:
    """A dataset of function calling, with the functions beside it."""
    queries = [(s.query, frozenset(call.name for call in s.answers)) for s in read_call_samples(path) if s.answers]
    return Pool("droidcall", dataset_tools(path), _drawn(queries, limit))


def index_of(retriever: str, folder: Path) -> tuple[ToolIndex, Path]:
    """An index that ranks as the retriever of that name does, with its encoder ready, and its file in `folder`.

    `static` and `light`, `dense` and `hybrid` share one, so that functions are embedded once.
    """
    encoders: dict[str, type[TextEncoder]] = {"lexical": Silent, "static": StaticEncoder, "light": StaticEncoder}
    fusions = {"lexical": by_scores, "light": by_scores, "hybrid": by_ranks}
    kind = encoders.get(retriever, Peer)
    path, encoder = folder / f"{kind.__name__}.index", kind()
    encoder.encode(["to load what is loaded once"])
    return ToolIndex(encoder, path, fusion=fusions.get(retriever)), path


def measure(pool: Pool, retriever: str, folder: Path) -> dict[str, Any]:
    """Recall at each K (the mean over queries of the share of gold functions found), and what it costs."""
    index, path = index_of(retriever, folder)
    started = time.process_time()
    embedded = index.replace(pool.tools)
    added = time.process_time()
    index.search("to count the words of all functions once")
    asked = time.process_time()
    found = [[hit.tool.name for hit in index.search(query, max(KS))] for query, _ in pool.queries]
    ended = time.process_time()
    pairs = zip(found, pool.queries, strict=True)
    shares = [[len(gold & set(names[:k])) / len(gold) for k in KS] for names, (_, gold) in pairs]
    told: dict[str, Any] = {
        "recall": {str(k): round(float(share), 4) for k, share in zip(KS, np.mean(shares, axis=0), strict=True)},
        "ms_per_query": round(1000 * (ended - asked) / len(pool.queries), 3),
    }
    if retriever != "lexical":
        told["index_bytes"] = path.stat().st_size
        if embedded:
            told["ms_to_add_a_tool"] = round(1000 * (added - started) / embedded, 3)
    return told


def speed(tools: int, seed: int = SEED) -> dict[str, Any]:
    """Milliseconds of a search among so many made-up tools."""
    rng = random.Random(seed)
    words = [f"{a}{b}{c}" for a in ("ta", "mo", "li", "ker") for b in ("n", "st", "lo", "ra") for c in "aeiouxyz"]
    made = [Tool(f"tool_{n}", " ".join(rng.choices(words, k=12)), (), Kind.ACTION, Agent.TASK) for n in range(tools)]
    told: dict[str, Any] = {"tools": tools}
    for name in ("static", "light"):
        index = ToolIndex(StaticEncoder(), fusion=by_scores if name == "light" else None)
        started = time.process_time()
        index.replace(made)
        index.search("tana mosta liloe")
        ready = time.process_time()
        for _ in range(10):
            index.search("tana mosta liloe", 5)
        told[name] = {
            "ms_per_query": round((time.process_time() - ready) * 100, 2),
            "seconds_to_build": round(ready - started, 2),
        }
    return told


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Recall of tools on public sets; see the module's text.")
    parser.add_argument("--public", type=Path, required=True)
    parser.add_argument("--droidcall", type=Path, default=None)
    parser.add_argument("--set", action="append", choices=(*SETS, "droidcall"))
    parser.add_argument("--retriever", action="append", choices=RETRIEVERS)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--speed", type=int, action="append", default=[], help="also time a search among so many tools")
    parser.add_argument("--out", type=Path, default=Path("results/tool-recall.json"))
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser.parse_args(given)
    report: dict[str, Any] = json.loads(options.out.read_text()) if options.out.exists() else {"sets": {}, "speed": []}
    for pool in _pools(options):
        about = {"tools": len(pool.tools), "queries": len(pool.queries), "unreadable_tools": pool.unreadable}
        rows = report["sets"].setdefault(pool.name, {**about, "retrievers": {}})
        rows.update(about)
        with tempfile.TemporaryDirectory() as folder:
            for retriever in options.retriever or RETRIEVERS:
                rows["retrievers"][retriever] = told = measure(pool, retriever, Path(folder))
                print(f"{pool.name:12} {retriever:8}", told, flush=True)
                _write(options, given, report)
    for tools in options.speed:
        kept = [row for row in report["speed"] if row["tools"] != tools]
        report["speed"] = sorted([*kept, speed(tools)], key=lambda row: int(row["tools"]))
        print(report["speed"], flush=True)
        _write(options, given, report)


def _write(options: argparse.Namespace, given: Sequence[str], report: dict[str, Any]) -> None:
    private = {str(options.public): "FOLDER", str(options.droidcall): "DATASET.jsonl"}
    words = [private.get(word, word) for word in given]
    command = f"python benchmarks/tool_recall.py {shlex.join(words)}"
    report["commands"] = [*(told for told in report.get("commands", ()) if told != command), command]
    report["table_bytes"], report["python"] = TABLE.stat().st_size, platform.python_version()
    write_report(options.out, report, RETRIEVAL)


def _pools(options: argparse.Namespace) -> Iterator[Pool]:
    for name in options.set or (*SETS, "droidcall"):
        if name != "droidcall":
            yield read_pool(options.public / name, options.limit)
        elif options.droidcall is not None:
            yield read_calls(options.droidcall, options.limit)


def _drawn(queries: list[tuple[str, frozenset[str]]], limit: int) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple(random.Random(SEED).sample(queries, min(limit, len(queries))))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    main()
