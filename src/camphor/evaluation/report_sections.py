"""The sections of the report that the paper's tables have: strategies, tuning, prompt forms, retrieval of tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from camphor.evaluation import plots
from camphor.evaluation.metrics import LEVELS
from camphor.evaluation.report_files import (
    Block,
    Missing,
    Plot,
    Results,
    Section,
    Table,
    Words,
    mean_timing,
    one_data_set,
    percent,
    with_interval,
)
from camphor.evaluation.tables import TITLES

TEST = "data/generated-test/test.jsonl"
FORMS = ("full", "instructed", "definitions", "compressed", "names")
AGENTS = {"personal_context": "personal context", "task_completion": "task completion"}
SCORES = tuple(LEVELS)
_HEADER = [*TITLES.values()]


def incomparable(paper: Mapping[str, Any]) -> Words:
    """Why the paper's columns and ours are not one ranking."""
    return Words(
        f"The paper's figures were measured on {paper['data']}; ours on other data, with other models. They say "
        "what each kind of change does there and here, and not which system is better."
    )


def strategies(results: Results, paper: Mapping[str, Any]) -> Section:
    """Table 1: ways for the agents to work together."""
    ours = {
        name: report
        for name, report in results.evaluations("table1-*").items()
        if report["run"]["strategy"] in _rows(paper)
    }
    by_model: dict[str, dict[str, Any]] = {}
    for name, report in ours.items():
        model = name.removeprefix(f"table1-{report['run']['strategy']}-")
        by_model.setdefault(model, {})[report["run"]["strategy"]] = report
    blocks: list[Block] = []
    for model, reports in by_model.items():
        rows = [_strategy_row(key, theirs, reports.get(key)) for key, theirs in _rows(paper).items()]
        blocks += [
            Table(
                ["strategy", *(f"{title}, {model}" for title in _HEADER), "s/query", *(f"{t}, paper" for t in _HEADER)],
                rows,
            ),
            *one_data_set(reports),
        ]
    if by_model:
        blocks.append(Words(f"The paper's model is {paper['table1']['model']} ({paper['table1']['where']})."))
        blocks.append(incomparable(paper))
    models = by_model or {"MODEL": {}}
    blocks += _missing(
        "a strategy of Table 1",
        [
            f"camphor evaluate {TEST} --strategy {key} --model {model} --out results/table1-{key}-{model}.json"
            for model, reports in models.items()
            for key in _rows(paper)
            if key not in reports
        ],
    )
    return Section("Table 1: strategies", blocks)


def _rows(paper: Mapping[str, Any]) -> Mapping[str, Any]:
    rows: Mapping[str, Any] = paper["table1"]["rows"]
    return rows


def _strategy_row(key: str, theirs: Mapping[str, Any], report: Mapping[str, Any] | None) -> list[str | None]:
    mine: list[str | None] = [None] * (len(SCORES) + 1)
    if report:
        mine = [with_interval(report["metrics"], name) for name in SCORES]
        mine.append(_seconds(report))
    return [f"{theirs['name']} (`{key}`)", *mine, *(f"{theirs[name]:.1f}" for name in SCORES)]


def _seconds(report: Mapping[str, Any]) -> str | None:
    mean = report["metrics"]["seconds"]["mean"]
    return None if mean is None else f"{mean:.2f}"


def _missing(what: str, commands: Sequence[str]) -> list[Block]:
    return [Missing(what, commands)] if commands else []


def tuning(results: Results, paper: Mapping[str, Any]) -> Section:
    """Table 2: base models as they come and tuned."""
    ours = results.evaluations("table2-*")
    rows: list[list[str | None]] = [
        [_tuned_name(name), *(with_interval(report["metrics"], score) for score in SCORES), _seconds(report)]
        for name, report in ours.items()
    ]
    blocks: list[Block] = []
    if rows:
        theirs = [
            [f"paper: {row['name']}", *(f"{row[s]:.1f}" for s in SCORES), None] for row in paper["table2"]["rows"]
        ]
        bars = [(_tuned_name(name), [100 * (r["metrics"][s] or 0) for s in SCORES]) for name, r in ours.items()]
        bars += [(f"paper: {row['name']}", [row[s] for s in SCORES]) for row in paper["table2"]["rows"]]
        blocks += [
            Table(["model", *_HEADER, "s/query"], [*rows, *theirs]),
            *one_data_set(ours),
            Plot("tuning", "Base models untuned and tuned.", lambda f: plots.bars(f, bars, list(_HEADER)), 4.6),
            incomparable(paper),
        ]
    models = {name.removeprefix("table2-").rsplit("-", 1)[0] for name in ours} or {"smollm2-135m"}
    tell = {"untuned": "--model FILE.gguf", "tuned": "--model FILE.gguf --adapter ADAPTER.gguf"}
    blocks += _missing(
        "a base model of Table 2",
        [
            f"camphor evaluate {TEST} {options} --out results/table2-{model}-{state}.json"
            for model in sorted(models)
            for state, options in tell.items()
            if f"table2-{model}-{state}" not in ours
        ],
    )
    return Section("Table 2: untuned and tuned", blocks)


def _tuned_name(name: str) -> str:
    return name.removeprefix("table2-")


def compression(results: Results, paper: Mapping[str, Any]) -> Section:
    """Table 3: what the forms of a prompt score and cost."""
    ours = {form: report for form in FORMS if (report := results.evaluations(f"table3-{form}").get(f"table3-{form}"))}
    blocks: list[Block] = []
    if ours:
        blocks += [
            Table(
                ["form", *_HEADER, "wall s/query", "CPU s/query", "joules/query"],
                [_form_row(form, report) for form, report in ours.items()],
            ),
            *one_data_set({f"table3-{form}": report for form, report in ours.items()}),
            Words("A dash under CPU or joules: the run did not record it, or the machine does not report its energy."),
        ]
    theirs = paper["table3"]["rows"]
    if {"definitions", "compressed"} <= set(ours):
        losses = [ours["compressed"]["metrics"][s] - ours["definitions"]["metrics"][s] for s in SCORES]
        blocks.append(
            Table(
                ["compressed less definitions, points", *_HEADER],
                [
                    ["ours", *(f"{100 * loss:+.1f}" for loss in losses)],
                    ["paper", *(f"{theirs['compressed'][s] - theirs['definitions'][s]:+.1f}" for s in SCORES)],
                ],
            )
        )
    if ours:
        rows = [[f"paper: {form}", *(f"{row[s]:.1f}" for s in SCORES)] for form, row in theirs.items()]
        blocks += [
            Table([f"{paper['table3']['where']}, {paper['table3']['model']}", *_HEADER], rows),
            incomparable(paper),
        ]
    blocks += _missing(
        "a prompt form of Table 3",
        [
            f"camphor evaluate {TEST} --form {form} --out results/table3-{form}.json"
            for form in ("definitions", "compressed", "names")
            if form not in ours
        ],
    )
    return Section("Table 3: compression against full definitions", blocks)


def _form_row(form: str, report: Mapping[str, Any]) -> list[str | None]:
    cpu, joules = mean_timing(report, "cpu_seconds"), mean_timing(report, "joules")
    return [
        form,
        *(with_interval(report["metrics"], name) for name in SCORES),
        _seconds(report),
        None if cpu is None else f"{cpu:.2f}",
        None if joules is None else f"{joules:.1f}",
    ]


def prompt_forms(results: Results, paper: Mapping[str, Any]) -> Section:
    """Table 4: static tokens of each form, and the memory that they hold."""
    told = results.get("prompts")
    blocks: list[Block] = []
    if told:
        for name, group in told["groups"].items():
            phones = "the demo phone" if group["phones"] == 1 else f"the mean of {group['phones']} phones of {name}"
            tools = ", ".join(f"{group['tools'][agent]:g} of {words}" for agent, words in AGENTS.items())
            blocks += [Words(f"On {phones} ({tools} tools):"), Table(_token_header(), _token_rows(group, paper))]
        group = told["groups"].get("demo") or next(iter(told["groups"].values()))
        tokens = {form: group["forms"][form] for form in FORMS if form in group["forms"]}
        blocks += [
            Plot(
                "prompt-tokens",
                "Static tokens of each prompt form, demo phone.",
                lambda f: plots.tokens(f, tokens),
                3.0,
            ),
            Words(
                "Static tokens are all that stands before the first query; here the agents share them. An agent's "
                f"column is what its tools add. A token holds {told['kv_bytes_per_token']:,} bytes of keys and "
                f"values in `{told['model']}`. The last column is {paper['table4']['where']}; the tool tokens of "
                f"its Table 3 went from {_tool_tokens(paper)}. The paper's prompts are worded otherwise, hold an "
                "agent's own tools each, and are cut by another tokenizer, so that only the direction can be compared."
            ),
        ]
    else:
        blocks += _missing("the length of prompts", ["python benchmarks/prompts.py"])
    return Section("Table 4: the fixed part of the prompt", [*blocks, *_first_query(results)])


def _first_query(results: Results) -> list[Block]:
    told = results.get("first-query")
    if not told:
        return _missing("the first query on a phone", ["python benchmarks/first_query.py"])
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
    return [Words(words + energy), Table(header, rows)]


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
    full = group["forms"]["definitions"]
    for form in FORMS:
        if form in group["forms"]:
            figures = group["forms"][form]
            less = paper["table4"]["reduction"].get(form)
            agents = [
                f"{figures[agent]:g}"
                + (f" (-{100 * (1 - figures[agent] / full[agent]):.1f}%)" if form == "compressed" else "")
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
        title = name.removeprefix("retrieval-")
        queries = ", ".join(f"{those['queries']} queries need {AGENTS[a]}" for a, those in report["agents"].items())
        blocks += [
            Words(f"**{title}** ({queries}):"),
            Table(header, rows),
            Plot(f"recall-{title}", f"Recall at K, {title}.", lambda f, r=report: plots.recall(f, r["agents"], theirs)),  # type: ignore[misc]
        ]
    if found:
        blocks.append(
            Words(
                f"The cross is the paper's recall at 5 with {theirs['retriever']} ({theirs['where']}); it is of other "
                "queries and other toolboxes, so it says how hard the task was there. `dense` is the same kind of "
                "retriever. Bands are 95% intervals over queries. Tools that a retriever finds equally good stand "
                "in an order by chance."
            )
        )
    else:
        blocks += _missing("recall at K", [f"camphor retrieval {TEST} --out results/retrieval-generated-test.json"])
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
                _seconds(report),
                f"{published[name]:.1f}" if name in published else None,
            ]
            for name, report in ours.items()
        ]
        blocks += [
            Words("End to end, with only some definitions in the prompt:"),
            Table(["definitions in the prompt", *_HEADER, "s/query", "Plan F1, paper"], rows),
            *one_data_set(ours),
            incomparable(paper),
        ]
    options = {"rag-all": "", "rag-top5": " --retrieve 5"}
    return blocks + _missing(
        "the plan with retrieved definitions",
        [
            f"camphor evaluate {TEST} --form definitions{option} --out results/{name}.json"
            for name, option in options.items()
            if name not in ours
        ],
    )
