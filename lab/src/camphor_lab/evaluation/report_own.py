"""The sections of the report that no table of the paper has: our data sets, costs, peers, public sets, ages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from camphor_lab.evaluation import plots
from camphor_lab.evaluation.metrics import LEVELS, STRICT
from camphor_lab.evaluation.report_files import (
    Block,
    Missing,
    PlotBlock,
    Results,
    Section,
    TableBlock,
    TextBlock,
    mean_timing,
    percent,
    with_interval,
)
from camphor_lab.evaluation.sources import ages, source_in
from camphor_lab.evaluation.tables import NOT_MEASURED, STRICT_TITLE, TITLES, false_statements, strict_plan

SMALLEST = 8
"""Queries that a tag must have to be in the plot: below it one query moves its score by more than ten points."""
EXPECTED = {
    "generated-test": "data/generated-test/test.jsonl",
    "generated-unseen-apps": "data/generated-test/unseen_apps.jsonl",
    "handwritten-development": "data/handwritten-development/items.jsonl",
    "handwritten-development-2": "data/handwritten-development-2/items.jsonl",
    "handwritten-test": "data/handwritten-test/items.jsonl",
    "questions-test": "data/questions-test/items.jsonl",
    "questions-development": "data/questions-development/items.jsonl",
    "questions-development-2": "data/questions-development-2/items.jsonl",
    "questions-development-3": "data/questions-development-3/items.jsonl",
    "everyday": "data/everyday --memory --processes 2 --threads 1",
}


def data_sets(results: Results) -> Section:
    """Our own data sets: the scores, and Plan F1 by tag."""
    ours = results.own()
    header = ["data set", "queries", *TITLES.values(), STRICT_TITLE, "no-call accuracy", "false statements"]
    header += ["answers right", "unwished actions", "all calls right", "invented names"]
    blocks: list[Block] = []
    if ours:
        blocks.append(TableBlock(header, [_data_set_row(name, report["metrics"]) for name, report in ours.items()]))
        blocks.append(
            TextBlock(
                "In percent, micro-averaged, with 95% bootstrap intervals over queries. Invented names are calls of "
                "tools, and arguments, that the phone does not have. Strict Plan F1 counts a free text only where its "
                "figures, times, names and negations are the gold text's too. A false statement is an answer that says "
                "what is not so, of so many that can be judged; an unwished action is one that was proposed and no "
                "gold call stands for. Made by: "
                + "; ".join(f"`{report['run']['command']}`" for report in ours.values())
                + "."
            )
        )
        blocks += _unseen(ours)
        blocks += _by_tag(ours)
    commands = [
        f"camphor lab evaluate {path} --out results/{name}.json" for name, path in EXPECTED.items() if name not in ours
    ]
    return Section("Our data sets", [*blocks, *([Missing("a data set", commands)] if commands else [])])


def _data_set_row(name: str, metrics: Mapping[str, Any]) -> list[str | None]:
    return [
        name,
        str(metrics["items"]),
        *(with_interval(metrics, score) for score in LEVELS),
        strict_plan(metrics),
        with_interval(metrics, "no_call_accuracy"),
        false_statements(metrics),
        percent(metrics["answers_right"]) if "answers" in metrics else NOT_MEASURED,
        str(metrics.get("unwished_actions", NOT_MEASURED)),
        percent(metrics["exact"]),
        str(metrics["hallucinated_tools"] + metrics["hallucinated_parameters"]),
    ]


def _unseen(ours: Mapping[str, Any]) -> list[Block]:
    """Queries about apps that training never saw: the calls of those apps' tools, apart from built-in ones beside."""
    told = {name: report["metrics"].get("unseen_tools") for name, report in ours.items()}
    rows: list[list[str | None]] = [
        [name, str(found["items"]), f"{found['predicted_calls']} of {found['gold_calls']}",
         *(percent(found[score]) for score in (*LEVELS, STRICT))]
        for name, found in told.items() if found
    ]  # fmt: skip
    if not rows:
        return []
    header = ["calls of unseen tools", "queries", "calls made of gold", *TITLES.values(), STRICT_TITLE]
    return [
        TextBlock("Queries about apps that training never saw, their tools' calls alone:"),
        TableBlock(header, rows),
    ]


def _by_tag(ours: Mapping[str, Any]) -> list[Block]:
    groups = {name: report["metrics"]["by_tag"] for name, report in ours.items()}
    tags = sorted({tag for those in groups.values() for tag in those})
    if not tags:
        return []
    table = TableBlock(["tag", *groups], [[tag, *(_tag_cell(g.get(tag)) for g in groups.values())] for tag in tags])
    sets = {
        name: {
            tag: figures["plan_f1"]
            for tag, figures in those.items()
            if figures["plan_f1"] is not None and figures["gold_calls"] and figures["items"] >= SMALLEST
        }
        for name, those in groups.items()
    }
    lines = len({tag for scores in sets.values() for tag in scores})
    plot = PlotBlock("tags", "Plan F1 by tag.", lambda f: plots.by_group(f, sets, SMALLEST), 1.3 + 0.21 * lines)
    told = TextBlock("By tag, of which a query may have several: Plan F1 · no-call accuracy (queries).")
    return [told, *([plot] if lines else []), table]


def _tag_cell(figures: Mapping[str, Any] | None) -> str | None:
    if figures is None:
        return None
    plan = percent(figures["plan_f1"]) if figures["gold_calls"] else None
    return f"{plan or '-'} · {percent(figures['no_call_accuracy']) or '-'} ({figures['items']})"


def costs(results: Results) -> Section:
    """Time of whole queries over their floor, memory, and look-ups on a large device."""
    blocks: list[Block] = []
    latency, store, ours = results.get("latency"), results.get("store"), results.own()
    if latency:
        blocks.append(TableBlock(["whole queries", ""], _latency_rows(latency)))
        blocks.append(
            TextBlock(
                "The floor is plain llama.cpp with the same model, every token evaluated once and every written one "
                f"generated. Made by `{latency['command']}` on {latency['machine']}."
            )
        )
    if ours:
        times = {name: [item["seconds"] for item in report["items"]] for name, report in ours.items()}
        blocks.append(PlotBlock("seconds", "How long queries took.", lambda f: plots.seconds(f, times), 3.2))
    if store:
        kinds = {"all look-ups": store["all"], **store["by_kind"]}
        rows = [
            [name, *(f"{figures[f'{key}_ms']:.2f}" for key in ("p50", "p95", "max"))] for name, figures in kinds.items()
        ]
        blocks.append(TextBlock(f"Look-ups on a device with {store['records']:,} records (`{store['command']}`):"))
        blocks.append(TableBlock(["look-up, ms", "median", "95th percentile", "slowest"], rows))
    missing = {"latency": latency, "store": store}
    commands = [f"python benchmarks/{name}.py" for name, found in missing.items() if not found]
    return Section("Time and memory", [*blocks, *([Missing("a cost", commands)] if commands else [])])


def _latency_rows(latency: Mapping[str, Any]) -> list[list[str | None]]:
    return [
        ["queries", str(latency["queries"])],
        ["seconds a query, median", f"{latency['seconds_median']:.2f}"],
        ["time over its floor, median", f"{latency['ratio_median']:.2f}"],
        ["time over its floor, 95th percentile", f"{latency['ratio_p95']:.2f}"],
        ["the same with forced tokens at the prompt rate, median", f"{latency['strict_ratio_median']:.2f}"],
        ["tokens evaluated over tokens of the trajectory", f"{latency['evaluated_over_sequence']:.2f}"],
        ["prompt tokens/s and generated tokens/s", f"{latency['prompt_rate']:.0f}, {latency['generation_rate']:.0f}"],
        ["peak memory, MB", str(latency["peak_memory_mb"])],
    ]


def peers(results: Results) -> Section:
    """The same model, tools and queries, driven by a popular agent library."""
    ours = results.evaluations("peers*")
    blocks: list[Block] = []
    if ours:
        rows: list[list[str | None]] = []
        for name, report in ours.items():
            metrics, cpu = report["metrics"], mean_timing(report, "cpu_seconds")
            time = metrics["seconds"]
            rows.append(
                [
                    name.removeprefix("peers-"),
                    str(metrics["items"]),
                    *(with_interval(metrics, score) for score in LEVELS),
                    *(None if value is None else f"{value:.2f}" for value in (time["mean"], time["median"], cpu)),
                ]
            )
        blocks.append(
            TableBlock(["driven by", "queries", *TITLES.values(), "s/query", "median s", "CPU s/query"], rows)
        )
        blocks += _peer_ratios(results.get("peers"))
    else:
        blocks.append(Missing("peers", ["python benchmarks/peers"]))
    return Section("Peers: the same model under other agent libraries", blocks)


_RATIOS = {
    "seconds": "wall time, all queries",
    "seconds_first_on_a_phone": "wall time, first query on a phone",
    "seconds_later_on_a_phone": "wall time, later queries on it",
    "seconds_where_the_peer_ended": "wall time, queries that the peer ended by itself",
    "cpu_seconds": "CPU time, all queries",
    "evaluated_tokens": "tokens evaluated",
    "generated_tokens": "tokens generated",
}


def _peer_ratios(told: Any) -> list[Block]:
    """How many times ours a peer takes, from `peers.json`: ratios with 95% bootstrap intervals over queries."""
    blocks: list[Block] = []
    for key in told or ():
        if not key.endswith("_over_camphor"):
            continue
        name, ratios = key.removesuffix("_over_camphor"), told[key]
        rows: list[list[str | None]] = [
            [words, str(r["queries"]), *(_times(r, how) for how in ("of_means", "median"))]
            for kind, words in _RATIOS.items()
            if (r := ratios.get(kind))
        ]
        blocks.append(TableBlock([f"{name}, times ours", "queries", "ratio of means", "median of ratios"], rows))
        how, theirs = told["peer"], told[name]
        blocks.append(
            TextBlock(
                f"With 95% intervals over queries. {how['library']}, on {how['runtime']}; replies {how['replies']}; "
                f"definitions: {how['definitions']}. It stopped at its limit of {how['steps_at_most']} steps in "
                f"{theirs['stopped_at_limit']} of {told['queries']} queries, ours in "
                f"{told['camphor']['stopped_at_limit']}. Both used the model `{told['model']}` in one run on "
                f"{told['machine']}. Made by `{told['command']}`."
            )
        )
    return blocks


def _times(ratio: Mapping[str, Any], how: str) -> str:
    low, high = ratio[f"{how}_95"]
    return f"{ratio[how]:.1f} ({low:.1f} to {high:.1f})"


def public_sets(results: Results, papers: Mapping[str, Any]) -> Section:
    """Exact-match accuracy on public sets that are for scoring only.

    A file `bfcl*.json` is `{"command", "model", "harness", "accuracy", "lines", "categories": {name: {"accuracy",
    "lines"}}}`, with accuracies from 0 to 1 and the harness told in a sentence.
    """
    found = results.matching("bfcl*")
    theirs = papers["bfcl"]
    blocks: list[Block] = []
    for name, told in found.items():
        rows: list[list[str | None]] = [
            [f"ours, {told.get('model', name)}: {category}", str(figures["lines"]), percent(figures["accuracy"])]
            for category, figures in {"all lines": told, **told.get("categories", {})}.items()
        ]
        rows += [[f"published: {row['name']}", None, f"{row['accuracy']:.1f}"] for row in theirs["rows"]]
        blocks.append(TableBlock([name, "lines", "exact match, %"], rows))
        blocks.append(TextBlock(f"Ours: {told['harness']} Made by `{told['command']}`."))
    if found:
        blocks.append(
            TextBlock(
                f"The published figures are {theirs['where']}, with {theirs['data']}; ours are of the lines at "
                "hand, each counted once, so the two cannot be compared directly."
            )
        )
    else:
        command = "camphor lab evaluate-public bfcl_single_turn.jsonl --out results/bfcl.json"
        blocks.append(Missing("the Berkeley Function-Calling Leaderboard", [command]))
    return Section("Public sets", blocks)


TOLD = {
    "current": "of this code",
    "older": "older than the code it is about",
    "unknown": "of unknown source: made before sources were recorded",
}


def ages_of_scores(results: Results) -> Section:
    """Each result file, and whether the code that it is about has changed since."""
    reports = results.matching("*")
    rows: list[list[str | None]] = [[name, *_made(reports[name]), TOLD[age]] for name, age in ages(reports).items()]
    blocks: list[Block] = [
        TextBlock(
            "A score is about the code that made it: each file keeps a hash of that code's files and the commit. "
            "Scores that the code has left behind are made again by the commands above."
        ),
        TableBlock(["result file", "commit", "made", "the score is"], rows),
    ]
    return Section("Age", blocks if rows else [])


def _made(report: Any) -> tuple[str | None, str | None]:
    source, run = source_in(report) or {}, report.get("run") if isinstance(report, Mapping) else None
    commit = str(source.get("commit") or "")[:10] + (" with changes" if source.get("dirty") else "")
    date = str((run or {}).get("date") or "")[:10] if isinstance(run, Mapping) else ""
    return commit or None, date or None
