"""`camphor lab evaluate context assistant`: the whole assistant with and without the items that matter now."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from camphor.cli.ask import AdapterOption, JsonOption, ModelOption, ThreadsOption
from camphor_lab.cli.evaluate_context_options import (
    DataArgument,
    LimitOption,
    check_out,
    hashes,
    stopped,
    told_command,
    told_word,
)


def register(app: typer.Typer) -> None:
    """Add the command to the group `camphor lab evaluate context`."""
    app.command("assistant")(assistant)


def assistant(
    data: DataArgument,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write metrics and how each query ended (JSON).")
    ] = None,
    limit: LimitOption = None,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    json_: JsonOption = False,
) -> None:
    """Ask the assistant each query with and without the items that matter now, as ask --context and --no-context do.

    No action is done. Stopped runs go on where they were when the same command is given again with --out.
    """
    from camphor.cli.model import EMBEDDED, open_model
    from camphor_lab.cli.evaluate import Bar
    from camphor_lab.evaluation.context_assistant import Both, evaluate_assistant
    from camphor_lab.evaluation.context_data import ContextDataset

    check_out(out)
    dataset = ContextDataset(data, limit)
    mind, form = open_model(model, adapter, threads)
    with closing(mind), Bar(len(dataset.samples)) as bar, stopped(out):
        report = evaluate_assistant(
            dataset,
            Both(mind, form),
            name=told_word(model or EMBEDDED),
            told=hashes(mind),
            out=out,
            command=told_command(),
            progress=bar,
        )
    _show(report, json_)
    if out:
        typer.echo(f"Results: {out}", err=True)


def _show(report: dict[str, Any], json_: bool) -> None:
    from camphor.cli.text import print_json

    if json_:
        print_json({key: value for key, value in report.items() if key != "items"})
        return
    from rich.console import Console
    from rich.table import Table

    from camphor_lab.evaluation.report_context import ASSISTANT_COLUMNS, assistant_rows, how_far

    metrics = report["metrics"]
    title = f"{metrics['queries']} queries of {metrics['people']} people; in % but for seconds, 95% intervals"
    table = Table(title=title, title_justify="left", caption=how_far(metrics), caption_justify="left")
    for column in ASSISTANT_COLUMNS:
        table.add_column(column, justify="right" if table.columns else "left")
    for row in assistant_rows(metrics):
        table.add_row(*row)
    Console().print(table)
