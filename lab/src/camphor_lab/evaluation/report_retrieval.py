"""The report's tables on finding functions among those of public sets, and on what a search costs."""

from __future__ import annotations

from typing import Any

from camphor_lab.evaluation.report_files import Block, Missing, Results, Section, Table, Words, percent

NAME = "tool-recall"
RETRIEVERS = {
    "lexical": "words (BM25)",
    "static": "word vectors",
    "light": "**words and word vectors**",
    "dense": "all-MiniLM-L6-v2 by sentence-transformers",
    "hybrid": "words and all-MiniLM-L6-v2",
}
MADE_BY = "python benchmarks/tool_recall.py --public FOLDER --droidcall DATASET.jsonl --speed 1000 --speed 100000"


def tool_recall(results: Results) -> Section:
    """Recall at K by set and retriever, and seconds by the number of tools (`benchmarks/tool_recall.py`)."""
    title = "Functions found among many: recall at K on public sets"
    found = results.get(NAME)
    if not found:
        return Section(title, [Missing("recall of functions on public sets", [MADE_BY])])
    return Section(title, [*_recall(found), *_costs(found)])


def _recall(found: dict[str, Any]) -> list[Block]:
    ks = list(next(iter(next(iter(found["sets"].values()))["retrievers"].values()))["recall"])
    header = ["set", "functions", "queries", "retriever", *(f"recall@{k}" for k in ks), "ms a query", "index, kB"]
    rows: list[list[str | None]] = [
        [
            name,
            str(told["tools"]),
            str(told["queries"]),
            words,
            *(percent(row["recall"][k]) for k in ks),
            f"{row['ms_per_query']:.2f}",
            f"{row['index_bytes'] / 1000:.0f}" if "index_bytes" in row else None,
        ]
        for name, told in found["sets"].items()
        for kind, words in RETRIEVERS.items()
        if (row := told["retrievers"].get(kind))
    ]
    note = (
        "Each query's gold functions are looked for among all functions of its set. Words and word vectors need numpy "
        f"alone; the table of vectors ({found['table_bytes'] / 1e6:.1f} MB) comes with camphor. Milliseconds are of "
        "one thread's processor, the query's embedding included. `droidcall` is our own test split of the 24 Android "
        "functions. Made by"
    )
    commands = "\n".join(["```sh", *found["commands"], "```"])
    return [Words(note), Words(commands), Table(header, rows)]


def _costs(found: dict[str, Any]) -> list[Block]:
    if not found["speed"]:
        return []
    header = [
        "tools",
        *(f"{RETRIEVERS[kind]}: {what}" for kind in ("static", "light") for what in ("ms", "s to build")),
    ]
    rows: list[list[str | None]] = [
        [
            f"{row['tools']:,}",
            *(
                text
                for kind in ("static", "light")
                for text in (f"{row[kind]['ms_per_query']:.2f}", f"{row[kind]['seconds_to_build']:.2f}")
            ),
        ]
        for row in found["speed"]
    ]
    return [Words("A search, exact, among made-up tools of twelve words each:"), Table(header, rows)]
