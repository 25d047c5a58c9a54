"""`camphor lab evaluate context plan`: the planner of one call in the paper's five settings."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.ask import AdapterOption, JsonOption, ModelOption, ThreadsOption
from camphor.errors import UsageError
from camphor_lab.cli.evaluate_context_options import (
    DataArgument,
    LimitOption,
    RankerOption,
    UntunedOption,
    check_untuned,
    hashes,
    stopped,
    told_command,
    told_word,
)

if TYPE_CHECKING:
    from camphor.models.base import LanguageModel
    from camphor_lab.datasets.context.given import Setting

ALL = "all"
SETTINGS = ("none", "tools", "context", "oracle-tools", "oracle-both")


def register(app: typer.Typer) -> None:
    """Add the command to the group `camphor lab evaluate context`."""
    app.command("plan")(plan)


def plan(
    data: DataArgument,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            help=f"What the planner is given: {', '.join(SETTINGS)} or all; may be repeated. all unless given."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for context-plan-SETTING.json, a file each setting.")
    ] = None,
    method: Annotated[
        str, typer.Option(help="What finds the items: a method of camphor lab evaluate context retrieval.")
    ] = "lambdamart-rrf",
    retriever: Annotated[
        str, typer.Option(help="What finds the tools: a retriever of camphor lab retrieval.")
    ] = "light",
    top: Annotated[int, typer.Option(min=1, help="How many tools a retriever brings.")] = 5,
    ranker: RankerOption = None,
    untuned: UntunedOption = False,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    limit: LimitOption = None,
    threads: ThreadsOption = None,
    json_: JsonOption = False,
) -> None:
    """Plan accuracy, exact match and hallucination of the planner, with and without the context of each query.

    Stopped runs go on where they were when the same command is given again with --out.
    """
    settings = _settings(setting)
    check_untuned(untuned, model, adapter)
    if out is not None and not out.is_dir():
        raise UsageError(f"{out} is no folder: make it first")
    from camphor_lab.cli.evaluate import Bar
    from camphor_lab.datasets.context.given import ranked_by, usual_giver
    from camphor_lab.evaluation.context_data import ContextDataset
    from camphor_lab.evaluation.context_methods import Parts
    from camphor_lab.evaluation.context_planner import evaluate_planner

    dataset = ContextDataset(data, limit)
    context = (Parts(ranker=ranker) if ranker else Parts()).method(method)
    giver = usual_giver(dataset.folder, ranked_by(context), retriever, top)
    with closing(_open(model, adapter, threads, untuned)) as mind, Bar(len(dataset.samples)) as bar, stopped(out):
        reports = evaluate_planner(
            dataset,
            giver,
            mind,
            settings,
            name=told_word(model or "embedded"),
            told={"method": method, "retriever": retriever, **hashes(mind)},
            out=out,
            command=told_command(),
            progress=bar,
        )
    _show({each.value: report for each, report in reports.items()}, json_)
    if out:
        typer.echo(f"Results: {out}/context-plan-*.json", err=True)


def _settings(names: list[str] | None) -> list[Setting]:
    wanted = names or [ALL]
    unknown = next((name for name in wanted if name not in (*SETTINGS, ALL)), None)
    if unknown is not None:
        raise UsageError(f"There is no setting {unknown[:80]!r}: choose from {', '.join((*SETTINGS, ALL))}")
    from camphor_lab.datasets.context.given import Setting

    return [Setting(name) for name in SETTINGS if name in wanted or ALL in wanted]


def _open(model: str | None, adapter: Path | None, threads: int | None, untuned: bool) -> LanguageModel:
    """The model that --model names; the embedded one has the planner's adapter, else that for function calling."""
    from camphor.cli.model import EMBEDDED
    from camphor.cli.places import open_mind
    from camphor.models.llama import shipped_adapter

    embedded = model is None or model == EMBEDDED
    chosen = adapter or (shipped_adapter("planner") if embedded and not untuned else None)
    return open_mind(model, chosen, "compact", threads, untuned=untuned).model


def _show(reports: dict[str, dict[str, Any]], json_: bool) -> None:
    from camphor.cli.text import print_json

    if json_:
        print_json(
            {name: {key: each for key, each in told.items() if key != "items"} for name, told in reports.items()}
        )
        return
    from rich.console import Console
    from rich.table import Table

    from camphor_lab.evaluation.context_plans import METRICS
    from camphor_lab.evaluation.report_files import with_interval

    queries = next(iter(reports.values()))["metrics"]["queries"]
    table = Table(title=f"{queries} queries; in %, with 95% intervals over people", title_justify="left")
    for column in ("setting", *(name.replace("_", " ") for name in METRICS), "s a query"):
        table.add_column(column, justify="left" if column == "setting" else "right")
    for name, told in reports.items():
        metrics = told["metrics"]
        figures = (with_interval(metrics, each) or "-" for each in METRICS)
        table.add_row(name, *figures, f"{metrics['seconds']['mean']:.2f}")
    Console().print(table)
