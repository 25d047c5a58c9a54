"""The sections of the report on function calling (DroidCall, Tables 1 and 2, Figures 6a and 6b), and on finding
functions among those of public sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from camphor_lab.evaluation import plots
from camphor_lab.evaluation.report_files import (
    Block,
    Missing,
    PlotBlock,
    Results,
    Section,
    TableBlock,
    TextBlock,
    incomparable,
    percent,
    with_interval,
)

FORMATS = "call-formats"
HOWS = {"zero": "zero-shot", "few": "few-shot", "tuned": "fine-tuned"}
"""Result files `droidcall-HOW-MODEL.json`, and the paper's columns."""
RETRIEVED, FORM, DATA = "droidcall-retrieved-*", "droidcall-form-*", "droidcall-data-*"
KINDS = ("simple", "complex", "nested", "none")
_SCORES = ("accuracy", "soft_accuracy")
_TITLES = ("Accuracy", "Soft accuracy")
_TEST = "runs/droidcall/test.jsonl"


def function_calling(results: Results, paper: Mapping[str, Any]) -> Section:
    """All that is measured with datasets of function calling."""
    blocks = [*_tokens(results, paper["table1"]), *_models(results, paper)]
    blocks += _compared(results, FORM, "forms", "Tuned on each prompt form (Figure 6a)")
    blocks += _compared(results, DATA, "data", "Tuned on data of the domain and on general data (Figure 6b)")
    return Section("Function calling: Android intents", blocks)


def _tokens(results: Results, paper: Mapping[str, Any]) -> list[Block]:
    """Table 1: average prompt tokens of each form."""
    found = results.get(FORMATS)
    if not found:
        command = f"python benchmarks/call_formats.py {_TEST} runs/droidcall/tools.json"
        return [Missing("prompt tokens of each form (Table 1)", [command])]
    rows: list[list[str | None]] = [
        [
            form,
            f"{told['prompt_tokens']:.1f}",
            f"{told['answer_tokens']:.1f}",
            f"{paper[form]:.1f}" if form in paper else None,
        ]
        for form, told in found["forms"].items()
    ]
    header = ["form", "prompt tokens", "answer tokens", "prompt tokens, paper"]
    told = f"Means over {found['samples']} samples with the tokenizer of {found['tokenizer']}; the paper's figures are "
    return [TableBlock(header, rows), TextBlock(f"{told}of {paper['where']}. Made by `{found['command']}`.")]


def _models(results: Results, paper: Mapping[str, Any]) -> list[Block]:
    """Table 2: zero-shot, few-shot and fine-tuned, beside the paper's models; then each of our rows by kind."""
    ours: dict[str, dict[str, Any]] = {}
    for how in HOWS:
        for name, report in _runs(results, f"droidcall-{how}-*").items():
            ours.setdefault(name.removeprefix(f"droidcall-{how}-"), {})[how] = report["metrics"]
    header = ["model", *(f"{title}, {how}" for how in HOWS.values() for title in _TITLES)]
    rows: list[list[str | None]] = [
        [f"**{model}**", *(percent(found[how][key]) if how in found else None for how in HOWS for key in _SCORES)]
        for model, found in ours.items()
    ]
    for row in paper["table2"]["rows"]:
        figures = [figure for how in HOWS for figure in row.get(how, (None, None))]
        rows.append([f"{row['name']}, paper", *(None if each is None else f"{each:.1f}" for each in figures)])
    blocks: list[Block] = [TableBlock(header, rows), incomparable(paper)] if ours else []
    told = {name: r for how in HOWS for name, r in _runs(results, f"droidcall-{how}-*").items()}
    blocks += _by_kind({**told, **_runs(results, RETRIEVED)})
    lacking = [how for how in HOWS if not any(how in found for found in ours.values())]
    commands = [f"camphor lab evaluate-functions {_TEST} {_OPTIONS[how]}" for how in lacking]
    return [*blocks, *([Missing("a row of Table 2", commands)] if commands else [])]


_OPTIONS = {
    "zero": "--untuned --out results/droidcall-zero-smollm2-135m.json",
    "few": "--untuned --shots 3 --out results/droidcall-few-smollm2-135m.json",
    "tuned": "--adapter runs/droidcall-adapter/adapter.gguf --out results/droidcall-tuned-smollm2-135m.json",
}


def _by_kind(reports: Mapping[str, Any]) -> list[Block]:
    """Accuracy · soft accuracy of each kind of samples, and how the run was made."""
    if not reports:
        return []
    header = ["run", "samples", *_TITLES, *KINDS, "functions found", "s/request"]
    rows: list[list[str | None]] = []
    for name, report in reports.items():
        metrics = report["metrics"]
        mean = metrics["seconds"]["mean"]
        rows.append(
            [
                name.removeprefix("droidcall-"),
                str(metrics["items"]),
                *(with_interval(metrics, key) for key in _SCORES),
                *(_kind(metrics["by_kind"].get(kind)) for kind in KINDS),
                percent(metrics["recall"]),
                None if mean is None else f"{mean:.2f}",
            ]
        )
    explained = (
        "By kind of sample: Accuracy · Soft accuracy (samples); simple has one call, complex two or three, nested a "
        "call that uses another's result, none no call. Functions found is the share of samples whose prompt showed "
        "all functions that they need. With 95% bootstrap intervals over samples. Made by: "
    )
    commands = dict.fromkeys(f"`{report['run']['command']}`" for report in reports.values())
    return [TableBlock(header, rows), TextBlock(f"{explained}{'; '.join(commands)}.")]


def _compared(results: Results, pattern: str, name: str, caption: str) -> list[Block]:
    """Runs that differ in one thing, as a table and a plot; nothing where there are none."""
    found = _runs(results, pattern)
    if not found:
        return []
    metrics = {key.removeprefix(pattern.rstrip("*")): report["metrics"] for key, report in found.items()}
    rows = [(key, [100 * (told[score] or 0) for score in _SCORES]) for key, told in metrics.items()]
    table = [[key, *(with_interval(told, score) for score in _SCORES)] for key, told in metrics.items()]
    height = 1.4 + 0.5 * len(rows)
    return [
        TextBlock(f"{caption}:"),
        TableBlock([name, *_TITLES], table),
        PlotBlock(f"functions-{name}", f"{caption}.", lambda figure: plots.bars(figure, rows, _TITLES), height),
    ]


def _runs(results: Results, pattern: str) -> dict[str, Any]:
    """Files that `camphor lab evaluate-functions --out` wrote."""
    found = results.matching(pattern)
    return {name: told for name, told in found.items() if "soft_accuracy" in (told or {}).get("metrics", ())}


def _kind(part: Mapping[str, Any] | None) -> str | None:
    if part is None:
        return None
    return f"{percent(part['accuracy'])} · {percent(part['soft_accuracy']) or '-'} ({part['items']})"


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
    return [TextBlock(note), TextBlock(commands), TableBlock(header, rows)]


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
    return [TextBlock("A search, exact, among made-up tools of twelve words each:"), TableBlock(header, rows)]
