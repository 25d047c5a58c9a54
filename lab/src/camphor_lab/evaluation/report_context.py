"""The report's sections on finding the context of implicit queries (Context Tuning, section 4.1 and Table 2), and on
what it changes in the assistant."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from camphor_lab.evaluation import plots
from camphor_lab.evaluation.context_assistant import ENDS
from camphor_lab.evaluation.context_planner import FILE
from camphor_lab.evaluation.report_files import (
    Block,
    Missing,
    PlotBlock,
    Results,
    Section,
    TableBlock,
    TextBlock,
    percent,
    with_interval,
)

FILES = "context-retrieval*"
NAMES = {
    "lexical": "BM25",
    "semantic": "semantic search, word vectors",
    "minilm": "semantic search, all-MiniLM-L6-v2",
    "cot": "thoughts of the language model, word vectors",
    "cot-nearest": "thoughts about like queries, word vectors",
    "cot-minilm": "thoughts of the language model, all-MiniLM-L6-v2",
    "finetuned": "fine-tuned word vectors",
    "minilm-finetuned": "fine-tuned all-MiniLM-L6-v2",
    "cot-finetuned": "fine-tuned word vectors with thoughts of the language model",
    "lambdamart-rrf": "**LambdaMART with RRF**",
    "hybrid": "LambdaMART and fine-tuned word vectors, joined by RRF (ours)",
}
PUBLISHED = {
    "lexical": "bm25",
    "semantic": "semantic",
    "minilm": "semantic",
    "cot": "cot",
    "cot-minilm": "cot",
    "finetuned": "finetuned",
    "minilm-finetuned": "finetuned",
    "cot-finetuned": "finetuned-cot",
    "lambdamart-rrf": "lambdamart-rrf",
}
"""The paper's row that a method of ours stands beside."""
HARDEST, FEWEST = 8, 8
_METRICS = {"recall": "recall", "ndcg": "NDCG"}
_COMMAND = "camphor lab evaluate context retrieval runs/context --out results/context-retrieval.json"

ASSISTANT = "context-assistant"
ASSISTANT_COLUMNS = ("share of the queries in which", "off", "on", "on less off (95%)", "only on", "only off")
_OUTCOMES = {
    "found": "a look-up finds a gold item",
    "shown": "the answer names a gold item",
    "aimed": "a proposed action names a gold item",
    "proposed": "an action is proposed",
}


def context_retrieval(results: Results, paper: Mapping[str, Any]) -> Section:
    """Table 2, a table and a plot for each result file.

    Args:
        paper: the figures of the Context Tuning paper.
    """
    title = "Context tuning: what an implicit query is about (Table 2)"
    found = {name: told for name, told in results.matching(FILES).items() if "ahead" in (told or {})}
    if not found:
        return Section(title, [Missing("recall of context (Table 2)", [_COMMAND])])
    blocks: list[Block] = [TextBlock(_about(paper))]
    for name, told in found.items():
        blocks += _table2(name, told, paper["table2"])
    return Section(title, blocks)


def _about(paper: Mapping[str, Any]) -> str:
    theirs = paper["table2"]
    return (
        f"The paper's rows are {theirs['where']}: {theirs['model']}, on {theirs['data']}. Ours are of other queries "
        "and devices, so that the two say what each step is worth there and here, and are no one ranking. Recall is "
        "the share of a query's gold items among the first K, NDCG has gains of 0 and 1; the paper does not say how "
        "its NDCG can lie so far above its recall. Intervals are 95% bootstrap ones over persons."
    )


def _table2(name: str, told: Mapping[str, Any], paper: Mapping[str, Any]) -> list[Block]:
    methods, run = told["methods"], told["run"]
    ks = list(next(iter(methods.values()))["recall"])
    header = ["method", *(f"{words}@{k}" for words in _METRICS.values() for k in ks), "CPU ms/query"]
    rows: list[list[str | None]] = [[NAMES.get(each, each), *_row(row, ks)] for each, row in methods.items()]
    beside = dict.fromkeys(PUBLISHED[each] for each in methods if each in PUBLISHED)
    bars: list[tuple[str, list[float]]] = [
        (NAMES.get(each, each).strip("*"), [100 * row["recall"][k] for k in ks]) for each, row in methods.items()
    ]
    for each in beside:
        row = paper["rows"][each]
        figures = (f"{row[metric][k]:.2f}" if k in row[metric] else None for metric in _METRICS for k in ks)
        rows.append([f"paper: {row['name']}", *figures, None])
        if all(k in row["recall"] for k in ks):
            bars.append((f"paper: {row['name']}", [row["recall"][k] for k in ks]))
    clusters = next(iter(methods.values()))["clusters"]
    words = (
        f"{run['queries']} queries of {clusters} persons of `{run['dataset']}`, {run['among']:g} items on a device. "
        "Processor time includes the query's embedding and, with the first method that asks for it, a language model's "
        f"thought. Made by `{run['command']}`."
    )
    height = 1.2 + 0.42 * len(bars)
    draw = partial(plots.bars, rows=bars, names=[f"recall@{k}" for k in ks])
    return [
        TextBlock(words),
        TableBlock(header, rows),
        *_ahead(told, paper, ks),
        PlotBlock(name, "Recall of context at K.", draw, height),
        *_hardest(told, ks[0]),
    ]


def _row(row: Mapping[str, Any], ks: list[str]) -> list[str | None]:
    cells: list[str | None] = []
    for metric in _METRICS:
        for k in ks:
            low, high = row["interval_95"][metric][k]
            cells.append(f"{percent(row[metric][k])} ({percent(low)} to {percent(high)})")
    return [*cells, f"{row['ms_per_query']:.1f}"]


def _ahead(told: Mapping[str, Any], paper: Mapping[str, Any], ks: list[str]) -> list[Block]:
    """How far the best method is ahead of each other, in points of recall, and how many times as much it finds."""
    best, others = told["ahead"]["method"], told["ahead"]["of"]
    if not others:
        return []
    k, theirs = ks[0], paper["rows"]
    rows: list[list[str | None]] = []
    for name, gap in others.items():
        low, high = gap["interval_95"]["recall"][k]
        points = f"{100 * gap['recall'][k]:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
        one, other = told["methods"][best]["recall"][k], told["methods"][name]["recall"][k]
        pair = PUBLISHED.get(best), PUBLISHED.get(name)
        there = f"{theirs[pair[0]]['recall'][k] / theirs[pair[1]]['recall'][k]:.2f}" if all(pair) else None
        rows.append([NAMES.get(name, name).strip("*"), points, f"{one / other:.2f}" if other else None, there])
    title = NAMES.get(best, best).strip("*")
    return [TableBlock([f"{title} ahead of", f"points of recall@{k}", "times", "times, paper"], rows)]


def _hardest(told: Mapping[str, Any], k: str) -> list[Block]:
    """The intents of which the best method finds least."""
    methods, best = list(told["methods"]), told["ahead"]["method"]
    groups = {intent: row for intent, row in told["by_intent"].items() if row["queries"] >= FEWEST}
    if not groups:
        return []
    worst = sorted(groups, key=lambda intent: groups[intent][best])[:HARDEST]
    rows: list[list[str | None]] = [
        [intent, str(groups[intent]["queries"]), *(percent(groups[intent][name]) for name in methods)]
        for intent in worst
    ]
    words = f"Where it finds least (recall@{k}; intents of {FEWEST} queries or more):"
    return [TextBlock(words), TableBlock(["intent", "queries", *methods], rows)]


def context_assistant(results: Results) -> Section:
    """What the items that matter now change in the whole assistant: each query with and without them."""
    title = "Context tuning: the assistant with and without the items that matter now"
    found = {name: told for name, told in results.matching(f"{ASSISTANT}*").items() if told}
    if not found:
        command = f"camphor lab evaluate context assistant runs/context --out results/{ASSISTANT}.json"
        return Section(title, [Missing("the assistant with and without the items that matter now", [command])])
    blocks: list[Block] = []
    for told in found.values():
        metrics, run = told["metrics"], told["run"]
        words = (
            f"{metrics['queries']} queries of {metrics['people']} people of `{run['dataset']}`, each put twice to the "
            f"phone as it was when it was asked, every action refused; in % but for seconds. {how_far(metrics)} "
            "Intervals are 95% bootstrap ones over persons, of the same queries both ways; seconds are the clock's, "
            f"those of what both ways share counted in both. Made by `{run['command']}`."
        )
        blocks += [TableBlock(ASSISTANT_COLUMNS, assistant_rows(metrics)), TextBlock(words)]
        if ends := ends_rows(metrics):
            blocks += [TextBlock(_ENDS), TableBlock(ENDS_COLUMNS, ends)]
    return Section(title, blocks)


_ENDS = (
    "How they ended, for queries whose right end is written down: the right action was put forward or the right answer "
    "told, or the person asked where nobody can be sure; or, as if it were sure, something else."
)
ENDS_COLUMNS = ("what is right", "queries", "right without", "right with", "wrong without", "wrong with")


def ends_rows(metrics: Mapping[str, Any]) -> list[list[str]]:
    """The table of how queries ended, by what is right; none where no right end is written down."""
    on, off = (metrics.get("ends", {}).get(way, {}) for way in ("on", "off"))
    if not any(each[end] for end in ENDS for each in (*on.values(), *off.values())):
        return []
    names = {
        "all": "all",
        "act": "an action",
        "tell": "an answer",
        "ask": "to ask",
        "none": "to say that nothing is there",
    }
    rows = []
    for kind in (each for each in names if each in on):
        shares = [f"{100 * way[kind][end]:.1f}" for end in ENDS for way in (off, on)]
        rows.append([names[kind], str(on[kind]["queries"]), *shares])
    return rows


def assistant_rows(metrics: Mapping[str, Any]) -> list[list[str]]:
    """The table of `evaluation.context_assistant.measure_both`, a row an outcome, then the seconds of a query."""
    off, on, gain = metrics["off"], metrics["on"], metrics["difference"]
    rows = []
    for name, title in _OUTCOMES.items():
        low, high = gain["interval_95"][name]
        ahead = f"{100 * gain[name]:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
        changed = metrics["changed"][name]
        counts = (str(changed["only_on"]), str(changed["only_off"]))
        rows.append([title, f"{100 * off[name]:.1f}", f"{100 * on[name]:.1f}", ahead, *counts])
    low, high = gain["interval_95"]["seconds"]
    ahead = f"{gain['seconds']:+.2f} ({low:+.2f} to {high:+.2f})"
    return [*rows, ["seconds a query", f"{off['seconds']:.2f}", f"{on['seconds']:.2f}", ahead, "", ""]]


def how_far(metrics: Mapping[str, Any]) -> str:
    """In words, how many queries the items could help, and how many of the items that were looked up are gold."""
    reached, items = metrics["reached"], metrics["items"]
    precision = f" ({percent(items['precision'])}%)" if items["looked_up"] else ""
    return (
        f"Items are asked for in {reached['asked']} of {metrics['queries']} queries, the phone is sure of one in "
        f"{reached['sure']}, and one is looked up in {reached['looked_up']}: {items['looked_up']} items, "
        f"{items['gold']} of them gold{precision}."
    )


# The report's section on tools and plans with the context of a query (Context Tuning, Figure 2 and Table 3).

SETTINGS = ("none", "tools", "context", "oracle-tools", "oracle-both")
SCORES = {"plan_accuracy": "plan accuracy", "exact_match": "exact match", "hallucination": "hallucination"}
TOOLS = "context-tools*"
_DATA = "runs/context"


def planner(results: Results, paper: Mapping[str, Any]) -> Section:
    """Recall of tools with and without context, and the planner in the five settings beside the paper's.

    Args:
        paper: the figures of the Context Tuning paper.
    """
    return Section("Context tuning: tools and plans", [*_tools(results), *_plans(results, paper["table3"])])


def _tools(results: Results) -> list[Block]:
    """Figure 2, a table and a plot for each retriever."""
    found = {name: told for name, told in results.matching(TOOLS).items() if "gains" in (told or {})}
    if not found:
        command = f"camphor lab evaluate context tools {_DATA} --out results/context-tools.json"
        return [Missing("recall of tools with and without context (Figure 2)", [command])]
    blocks: list[Block] = []
    for name, told in found.items():
        methods = told["methods"]
        ks = list(next(iter(methods.values()))["recall"])
        header = ["tools searched for by", *(f"recall@{k}" for k in ks), *(f"the plan's tool@{k}" for k in ks)]
        rows = [
            [way, *(_around(row, k) for k in ks), *(percent(row["plan"]["recall"][k]) for k in ks)]
            for way, row in methods.items()
        ]
        lines = {way: {**row, "interval_95": row["interval_95"]["recall"]} for way, row in methods.items()}
        run = told["run"]
        blocks += [
            TableBlock(header, rows),
            TextBlock(
                f"{run['queries']} queries of `{run['dataset']}`, each among {run['among']:g} tools; with 95% "
                f"intervals over persons. Items are the first {run['items']} that `{run.get('method')}` finds, or the "
                "gold ones. In words, items stand behind the query in the text that is searched with, as in the paper; "
                "by votes each item votes for the tools of its app beside the scores for the query alone, which is "
                f"ours. The paper draws Figure 2 without figures. Made by `{run['command']}`."
            ),
            PlotBlock(name, "Recall of tools at K.", partial(plots.recall_lines, rows=lines)),
        ]
    return blocks


def _around(row: Mapping[str, Any], k: str) -> str:
    low, high = row["interval_95"]["recall"][k]
    return f"{percent(row['recall'][k])} ({percent(low)} to {percent(high)})"


def _plans(results: Results, paper: Mapping[str, Any]) -> list[Block]:
    """Table 3."""
    names = {setting: FILE.format(setting=setting).removesuffix(".json") for setting in SETTINGS}
    found = {setting: told for setting, name in names.items() if (told := results.get(name))}
    lacking = [setting for setting in SETTINGS if setting not in found]
    blocks: list[Block] = []
    if found:
        theirs = paper["rows"]
        header = ["setting", *SCORES.values(), *(f"{title}, paper" for title in SCORES.values())]
        header += ["right tool", "tool shown", "items shown", "values shown", "prompt tokens", "s/query"]
        rows = [_plan_row(setting, told["metrics"], theirs[setting]) for setting, told in found.items()]
        bars: plots.Bars = [
            (
                f"{setting} ({theirs[setting]['name']})",
                [100 * found[setting]["metrics"]["plan_accuracy"], theirs[setting]["plan_accuracy"]],
            )
            for setting in found
        ]
        blocks += [
            TableBlock(header, rows),
            *_gains(found, theirs),
            TextBlock(_explained(found, paper)),
            PlotBlock(
                "context-plans",
                "Plan accuracy of the planner.",
                lambda figure: plots.bars(figure, bars, ("ours", "paper, its data")),
                3.4,
            ),
        ]
    if lacking:
        wanted = " ".join(f"--setting {setting}" for setting in lacking) if found else "--setting all"
        blocks.append(
            Missing(
                "a setting of the planner (Table 3)",
                [f"camphor lab evaluate context plan {_DATA} {wanted} --out results"],
            )
        )
    return blocks


def _plan_row(setting: str, metrics: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str | None]:
    tokens = metrics["prompt_tokens"]
    return [
        f"{setting} ({theirs['name']})",
        *(with_interval(metrics, score) for score in SCORES),
        *(f"{theirs[score]:.2f}" for score in SCORES),
        percent(metrics["tool_accuracy"]),
        percent(metrics["tools_found"]) if setting != "none" else None,
        percent(metrics["items_found"]) if setting in ("context", "oracle-both") else None,
        percent(metrics["values_found"]),
        None if tokens is None else f"{tokens:.0f}",
        f"{metrics['seconds']['mean']:.2f}",
    ]


def _gains(found: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[Block]:
    """How far each setting is ahead of retrieval for the query alone, in points."""
    rows: list[list[str | None]] = []
    for setting, told in found.items():
        if "gain" not in told:
            continue
        gain = told["gain"]
        low, high = gain["interval_95"]["plan_accuracy"]
        ahead = f"{100 * gain['plan_accuracy']:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
        rows.append([setting, ahead, f"{theirs[setting]['plan_accuracy'] - theirs['tools']['plan_accuracy']:+.2f}"])
    return [TableBlock(["plan accuracy less that of tools, points", "ours", "paper"], rows)] if rows else []


def _explained(found: Mapping[str, Any], paper: Mapping[str, Any]) -> str:
    runs = [told["run"] for told in found.values()]
    metrics = next(iter(found.values()))["metrics"]
    queries = f"{metrics['queries']} queries of {metrics['people']} people of `{runs[0]['dataset']}`"
    commands = "; ".join(dict.fromkeys(f"`{run['command']}`" for run in runs))
    return (
        f"On {queries}, with 95% intervals of the bootstrap over people; the paper's figures are {paper['where']}, of "
        f"{paper['model']} on {paper['data']}, so that the two are no one ranking. Plan accuracy: same tool, same "
        "parameters, values equal in normal form; exact match: the same text. Hallucination, a tool that does not "
        "exist, is 0 by construction: decoding is held to a grammar. Without retrieval (none) the prompt shows no tool "
        "and no item. Values shown is the share of queries whose right plan holds no text but what the query or the "
        f"items shown say: no planner that copies can be right more often. Made by {commands}."
    )
