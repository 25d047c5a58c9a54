"""The section of the report on training a model (CAMPHOR, Table 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    made_by,
    missing,
    one_data_set,
    percent,
    seconds,
    with_interval,
)

SPENT = ("no-call accuracy", "calls made", "s/query", "CPU s/query")
_STATES = {"untuned": "--model FILE.gguf", "tuned": "--model FILE.gguf --adapter ADAPTER.gguf"}


def measured(report: Mapping[str, Any] | None) -> list[str | None]:
    """The cells of a row for the scores and for what `SPENT` names; dashes where nothing was measured."""
    if report is None:
        return [None] * (len(SCORES) + len(SPENT))
    metrics = report["metrics"]
    return [
        *(with_interval(metrics, score) for score in SCORES),
        percent(metrics["no_call_accuracy"]),
        f"{metrics['predicted_calls']} of {metrics['gold_calls']}",
        seconds(report),
        cpu_seconds(report),
    ]


def calls_made() -> TextBlock:
    """What the column of calls made says."""
    return TextBlock(
        "Calls made are the actions that were submitted, beside how many are right to make: a model that submits none "
        "is right wherever nothing was to be done, and nowhere else. On a machine that does other work CPU "
        "seconds are the steadier figure."
    )


def tuning(results: Results, paper: Mapping[str, Any]) -> Section:
    """Table 2: base models as they come and tuned, and what tuning gains."""
    found = results.evaluations("table2-*")
    names = sorted(found, key=lambda name: (_model(name), name.endswith("-tuned")))
    ours = {name: found[name] for name in names}
    blocks: list[Block] = []
    if ours:
        bars = [(_label(name), [100 * (r["metrics"][s] or 0) for s in SCORES]) for name, r in ours.items()]
        bars += [(f"paper: {row['name']}", [row[s] for s in SCORES]) for row in paper["table2"]["rows"]]
        blocks += [
            TableBlock(["model", "loop, prompt", *HEADER, *SPENT], [*_our_models(ours), *_their_models(paper)]),
            made_by(ours),
            *one_data_set(ours),
            calls_made(),
            TextBlock(
                "A model that was not trained for it is told everything in its prompt; a tuned one runs in the loop "
                "and with the prompts that it was trained on."
            ),
            *_gains(ours, paper),
            PlotBlock("tuning", "Base models untuned and tuned.", lambda f: plots.bars(f, bars, HEADER), 4.6),
            incomparable(paper),
        ]
    blocks += missing(
        "a base model of Table 2",
        [
            f"camphor lab evaluate {TEST} {options} --out results/table2-{model}-{state}.json"
            for model in dict.fromkeys(map(_model, ours or ["table2-smollm2-135m-tuned"]))
            for state, options in _STATES.items()
            if f"table2-{model}-{state}" not in ours
        ],
    )
    return Section("Table 2: untuned and tuned", blocks)


def _our_models(ours: Mapping[str, Any]) -> list[list[str | None]]:
    rows: list[list[str | None]] = []
    for name, report in ours.items():
        settings = report["run"].get("settings", {})
        told = ", ".join(filter(None, (settings.get("loop"), settings.get("form")))) or None
        rows.append([_label(name), told, *measured(report)])
    return rows


def _their_models(paper: Mapping[str, Any]) -> list[list[str | None]]:
    blank = [None] * len(SPENT)
    return [
        [f"paper: {row['name']}", None, *(f"{row[score]:.1f}" for score in SCORES), *blank]
        for row in paper["table2"]["rows"]
    ]


def _gains(ours: Mapping[str, Any], paper: Mapping[str, Any]) -> list[Block]:
    """What tuning adds, in points, for every model that was measured both ways."""
    scores = {_label(name): [100 * (r["metrics"][s] or 0) for s in SCORES] for name, r in ours.items()}
    theirs = {f"paper: {row['name']}": [row[s] for s in SCORES] for row in paper["table2"]["rows"]}
    rows = [*_differences(scores), *_differences(theirs)]
    return [TableBlock(["tuned less untuned, points", *HEADER], rows)] if _differences(scores) else []


def _differences(scores: Mapping[str, Sequence[float]]) -> list[list[str]]:
    pairs = [(label.removesuffix(", tuned"), label) for label in scores if label.endswith(", tuned")]
    return [
        [model, *(f"{after - before:+.1f}" for before, after in zip(untuned, scores[tuned], strict=True))]
        for model, tuned in pairs
        if (untuned := scores.get(f"{model}, untuned"))
    ]


def _model(name: str) -> str:
    return name.removeprefix("table2-").rsplit("-", 1)[0]


def _label(name: str) -> str:
    model, _, state = name.removeprefix("table2-").rpartition("-")
    return f"{model}, {state}"
