"""The sections of the report on what stands in a prompt: forms, their fixed part, retrieval of tools (CAMPHOR, Tables 3
and 4, Figure 4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from camphor_lab.evaluation import plots
from camphor_lab.evaluation.report_files import (
    HEADER,
    SCORES,
    TEST,
    Block,
    PlotBlock,
    Results,
    Section,
    TableBlock,
    TextBlock,
    cpu_seconds,
    incomparable,
    is_evaluation,
    made_by,
    mean_timing,
    missing,
    one_data_set,
    percent,
    seconds,
    with_interval,
)

SHORTENED = ("compressed", "hinted")
FORMS = ("full", "instructed", "definitions", "compressed", "hinted", "names")
TABLES = {
    "table3": (TEST, "compression", "on the test split"),
    "table3-handwritten": (
        "data/handwritten-development/items.jsonl",
        "compression-handwritten",
        "on the first hand-written set",
    ),
    "table3-handwritten-2": (
        "data/handwritten-development-2/items.jsonl",
        "compression-handwritten-2",
        "on the second hand-written set",
    ),
}
"""By what the files of a table begin with: the data set measured on, the name of the plot, and the set in words."""
AGENTS = {"personal_context": "personal context", "task_completion": "task completion"}


def compression(results: Results, paper: Mapping[str, Any]) -> Section:
    """Table 3: what the forms of a prompt score and cost, on the test split and on the hand-written sets."""
    blocks: list[Block] = []
    for table, (data, plot, where) in TABLES.items():
        found = {form: results.get(f"{table}-{form}") for form in FORMS}
        if ours := {form: report for form, report in found.items() if is_evaluation(report)}:
            blocks += _compared(table, plot, where, ours, results, paper)
        if ours or data == TEST:
            blocks += missing(
                "a prompt form of Table 3",
                [
                    f"camphor lab evaluate {data} --form {form} --out results/{table}-{form}.json"
                    for form in ("definitions", *SHORTENED, "names")
                    if form not in ours
                ],
            )
    if any(isinstance(block, TableBlock) for block in blocks):
        blocks += [
            TextBlock(
                f"The paper's rows are {paper['table3']['where']}, {paper['table3']['model']}. Tokens and cache of "
                "ours are those of the demo phone; the cache holds the whole fixed part of the prompt (see Table 4). "
                "A dash under CPU or joules: the run did not record it, or the machine does not report its energy."
            ),
            incomparable(paper),
        ]
    return Section("Table 3: compression against full definitions", blocks)


def _compared(
    table: str, plot: str, where: str, ours: Mapping[str, Any], results: Results, paper: Mapping[str, Any]
) -> list[Block]:
    theirs = paper["table3"]["rows"]
    demo = (results.get("prompts") or {}).get("groups", {}).get("demo", {}).get("forms", {})
    header = ["form", *HEADER, *(f"tokens of {words}'s tools" for words in AGENTS.values()), "KV cache, kB"]
    bars = [(form, [100 * (r["metrics"][s] or 0) for s in SCORES]) for form, r in ours.items()]
    bars += [(f"paper: {form}", [row[s] for s in SCORES]) for form, row in theirs.items()]
    named = {f"{table}-{form}": report for form, report in ours.items()}
    return [
        TableBlock(
            [*header, "wall s/query", "CPU s/query", "joules/query"],
            [
                *(_form_row(form, report, demo.get(form)) for form, report in ours.items()),
                *(_published_form(form, row) for form, row in theirs.items()),
            ],
        ),
        made_by(named),
        *one_data_set(named),
        *_losses(ours, theirs),
        PlotBlock(plot, f"Scores of each prompt form {where}.", lambda f: plots.bars(f, bars, HEADER), 3.8),
    ]


def _form_row(form: str, report: Mapping[str, Any], fixed: Mapping[str, Any] | None) -> list[str | None]:
    joules = mean_timing(report, "joules")
    return [
        form,
        *(with_interval(report["metrics"], name) for name in SCORES),
        *(f"{fixed[agent]:,g}" if fixed else None for agent in AGENTS),
        f"{fixed['kv_bytes'] / 1000:,.0f}" if fixed else None,
        seconds(report),
        cpu_seconds(report),
        None if joules is None else f"{joules:.1f}",
    ]


def _published_form(form: str, row: Mapping[str, Any]) -> list[str | None]:
    scores = (f"{row[score]:.1f}" for score in SCORES)
    return [f"paper: {form}", *scores, *(f"{row[agent]:,}" for agent in AGENTS), *[None] * 4]


def _losses(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[Block]:
    if not {"definitions", "compressed"} <= set(ours):
        return []
    defined = ours["definitions"]["metrics"]
    rows = [
        [f"ours, {form}", *(f"{100 * (ours[form]['metrics'][s] - defined[s]):+.1f}" for s in SCORES)]
        for form in SHORTENED
        if form in ours
    ]
    rows.append(["paper, compressed", *(f"{theirs['compressed'][s] - theirs['definitions'][s]:+.1f}" for s in SCORES)])
    return [TableBlock(["less definitions, points", *HEADER], rows)]


def prompt_forms(results: Results, paper: Mapping[str, Any]) -> Section:
    """Table 4: static tokens of each form, and the memory that they hold."""
    told = results.get("prompts")
    blocks: list[Block] = []
    if told:
        for name, group in told["groups"].items():
            phones = "the demo phone" if group["phones"] == 1 else f"the mean of {group['phones']} phones of {name}"
            tools = ", ".join(f"{group['tools'][agent]:g} of {words}" for agent, words in AGENTS.items())
            blocks += [
                TextBlock(f"On {phones} ({tools} tools):"),
                TableBlock(_token_header(), _token_rows(group, paper)),
            ]
        group = told["groups"].get("demo") or next(iter(told["groups"].values()))
        tokens = {form: group["forms"][form] for form in FORMS if form in group["forms"]}
        blocks += [
            PlotBlock(
                "prompt-tokens",
                "Static tokens of each prompt form, demo phone.",
                lambda f: plots.tokens(f, tokens),
                3.0,
            ),
            TextBlock(
                "Static tokens are all that stands before the first query; here the agents share them. An agent's "
                "column is what its tools add (in brackets: compressed against definitions). A token holds "
                f"{told['kv_bytes_per_token']:,} bytes of keys and "
                f"values in `{told['model']}`. The last column is {paper['table4']['where']}; the tool tokens of "
                f"its Table 3 went from {_tool_tokens(paper)}. The paper's prompts are worded otherwise, hold an "
                "agent's own tools each, and are cut by another tokenizer, so that only the direction can be compared."
            ),
        ]
    else:
        blocks += missing("the length of prompts", ["python benchmarks/prompts.py"])
    return Section("Table 4: the fixed part of the prompt", [*blocks, *_first_query(results)])


def _first_query(results: Results) -> list[Block]:
    told = results.get("first-query")
    if not told:
        return missing("the first query on a phone", ["python benchmarks/first_query.py"])
    joules = all("joules" in figures for figures in told["forms"].values())
    header = ["form", "tokens", "wall s, median", "wall s, most", "CPU s", *(["joules"] if joules else [])]
    rows: list[list[str | None]] = [
        [
            form,
            f"{figures['tokens']:,.0f}",
            *(f"{figures[key]:.2f}" for key in ("seconds_median", "seconds_most", "cpu_seconds")),
            *([f"{figures['joules']:.1f}"] if joules else []),
        ]
        for form, figures in told["forms"].items()
    ]
    made = told["vectors"]
    words = (
        f"From an empty cache to the first word of a phone's first query, {told['phones']} phones, "
        f"{told['threads']} thread(s), {told['machine']} (`{told['command']}`). On a machine that does other work "
        f"CPU seconds are the steadier figure. Making the vectors of {made['tools']} tools, once, takes "
        f"{made['cpu_seconds']:.1f} CPU seconds."
    )
    energy = "" if joules else " This machine reports no energy."
    return [TextBlock(words + energy), TableBlock(header, rows)]


def _token_header() -> list[str]:
    return [
        "form",
        "static tokens",
        *(f"{words} tools" for words in AGENTS.values()),
        "KV cache, kB",
        "less than full",
        "paper",
    ]


def _token_rows(group: Mapping[str, Any], paper: Mapping[str, Any]) -> list[list[str | None]]:
    rows: list[list[str | None]] = []
    defined = group["forms"]["definitions"]
    for form in FORMS:
        if form in group["forms"]:
            figures = group["forms"][form]
            less = paper["table4"]["reduction"].get(form)
            agents = [
                f"{figures[agent]:g}"
                + (f" (-{100 * (1 - figures[agent] / defined[agent]):.1f}%)" if form == "compressed" else "")
                for agent in AGENTS
            ]
            row = [form, f"{figures['static_tokens']:,g}", *agents, f"{figures['kv_bytes'] / 1000:,.0f}"]
            rows.append([*row, f"{100 * figures['reduction']:.1f}%", None if less is None else f"{less:.1f}%"])
    return rows


def _tool_tokens(paper: Mapping[str, Any]) -> str:
    rows = paper["table3"]["rows"]
    return " and ".join(
        f"{rows['definitions'][agent]} to {rows['compressed'][agent]} ({words})" for agent, words in AGENTS.items()
    )


def retrieval(results: Results, paper: Mapping[str, Any]) -> Section:
    """Section 5.5: recall of tool retrievers, and what the assistant scores with the five tools retrieved."""
    found = {name: report for name, report in results.matching("retrieval-*").items() if "agents" in report}
    blocks: list[Block] = []
    theirs = paper["retrieval"]
    for name, report in found.items():
        ks = list(next(iter(next(iter(report["agents"].values()))["retrievers"].values()))["recall"])
        header = ["agent, retriever", *(f"recall@{k}" for k in ks), "all found at 5"]
        rows: list[list[str | None]] = [
            [f"{AGENTS[agent]}, {kind}", *(percent(f["recall"][k]) for k in ks), percent(f["all_found"].get("5"))]
            for agent, those in report["agents"].items()
            for kind, f in those["retrievers"].items()
        ]
        rows += [
            [f"paper: {words}", *(f"{theirs['recall_at_5'][a]:.1f}" if k == "5" else None for k in ks), None]
            for a, words in AGENTS.items()
        ]
        title = name.removeprefix("retrieval-")
        queries = ", ".join(f"{those['queries']} queries need {AGENTS[a]}" for a, those in report["agents"].items())
        blocks += [
            TextBlock(f"**{title}** ({queries}):"),
            TableBlock(header, rows),
            PlotBlock(
                f"recall-{title}",
                f"Recall at K, {title}.",
                partial(plots.recall, agents=report["agents"], published=theirs),
            ),
        ]
    if found:
        blocks.append(
            TextBlock(
                f"The cross and the paper's rows are its recall at 5 with {theirs['retriever']} ({theirs['where']}); "
                "it is of other queries and other toolboxes, so it says how hard the task was there. `dense` is the "
                "same kind of retriever. Bands are 95% intervals over queries. Tools that a retriever finds equally "
                "good stand in an order by chance."
            )
        )
    else:
        blocks += missing("recall at K", [f"camphor lab retrieval {TEST} --out results/retrieval-generated-test.json"])
    return Section("Section 5.5: retrieval of tools", [*blocks, *_end_to_end(results, paper)])


def _end_to_end(results: Results, paper: Mapping[str, Any]) -> list[Block]:
    ours = results.evaluations("rag-*")
    theirs = paper["retrieval"]
    names = {"rag-all": "all definitions", "rag-top5": "the 5 retrieved of each agent"}
    published = {"rag-all": theirs["all_plan_f1"], "rag-top5": theirs["top5_plan_f1"]}
    blocks: list[Block] = []
    if ours:
        rows: list[list[str | None]] = [
            [
                names.get(name, name.removeprefix("rag-")),
                *(with_interval(report["metrics"], score) for score in SCORES),
                seconds(report),
                f"{published[name]:.1f}" if name in published else None,
            ]
            for name, report in ours.items()
        ]
        blocks += [
            TextBlock("End to end, with only some definitions in the prompt:"),
            TableBlock(["definitions in the prompt", *HEADER, "s/query", "Plan F1, paper"], rows),
            made_by(ours),
            *one_data_set(ours),
            incomparable(paper),
        ]
    options = {"rag-all": "", "rag-top5": " --retrieve 5"}
    return blocks + missing(
        "the plan with retrieved definitions",
        [
            f"camphor lab evaluate {TEST} --form definitions{option} --out results/{name}.json"
            for name, option in options.items()
            if name not in ours
        ],
    )
