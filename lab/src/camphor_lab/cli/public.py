"""`camphor lab evaluate-public`: a public function-calling set is run and scored by exact match."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from camphor.cli.ask import AdapterOption, JsonOption, ModelOption, ThreadsOption
from camphor.errors import UsageError
from camphor_lab.cli.evaluate_context_options import told_command


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("evaluate-public")(evaluate_public)


def evaluate_public(
    file: Annotated[Path, typer.Argument(help="A JSONL file of a public set, one request with its functions a line.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write accuracies and every line's result (JSON).")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Only so many lines, drawn evenly from the categories; all unless given.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides which lines --limit draws.")] = 0,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    json_: JsonOption = False,
) -> None:
    """Score exact-match accuracy on a public function-calling set, by category, beside published figures.

    The functions of a line are tools of an app the model never saw; its calls are compared with the accepted values.
    """
    from rich.console import Console

    from camphor.cli.model import open_model
    from camphor.cli.text import print_json
    from camphor_lab.evaluation.public import public_report, run_lines
    from camphor_lab.evaluation.public_lines import read_lines, sample
    from camphor_lab.evaluation.results import write_report

    lines = sample(read_lines(file), limit, seed)
    if out is not None and not out.parent.is_dir():
        raise UsageError(f"{out} cannot be written: name a file in a folder that exists")
    mind, _ = open_model(model, adapter, threads)
    with closing(mind), Console(stderr=True).status("answering") as status:
        outcomes = run_lines(lines, mind, lambda done, total, _: status.update(f"answering: {done} of {total} lines"))
    report = public_report(file, outcomes, model=model or "embedded", command=told_command(), seed=seed)
    if out:
        write_report(out, report)
        typer.echo(f"Results: {out}", err=True)
    if json_:
        print_json({key: value for key, value in report.items() if key != "items"})
    else:
        Console().print(_table(report))


def _table(report: dict[str, Any]) -> Any:
    from rich.table import Table

    from camphor_lab.evaluation.tables import percent

    table = Table(title="exact match, %", title_justify="left", caption=report["harness"], caption_justify="left")
    for title in ("category", "lines", "right", "95%"):
        table.add_column(title, justify="left" if title == "category" else "right")
    for name, told in {**report["categories"], "all lines": report}.items():
        low, high = told["interval_95"]
        table.add_row(name, str(told["lines"]), percent(told["accuracy"]), f"{percent(low)} to {percent(high)}")
    for name, accuracy in report["published"].items():
        table.add_row(f"published: {name}", "", percent(accuracy), "")
    return table
