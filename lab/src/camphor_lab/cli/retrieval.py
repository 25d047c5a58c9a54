"""`camphor lab retrieval`: how often a retriever finds the tools that a query needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from camphor.cli.ask import JsonOption
from camphor_lab.cli.evaluate_context_options import told_command


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("retrieval")(retrieval)


def retrieval(
    dataset: Annotated[Path, typer.Argument(help="A JSONL file, one query a line.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write recall and every query's ranks (JSON).")
    ] = None,
    retriever: Annotated[
        list[str] | None,
        typer.Option(
            help="lexical, static, light (both, without an extra), dense or hybrid; may be repeated; all unless given."
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Only the first so many queries.")] = None,
    json_: JsonOption = False,
) -> None:
    """Measure recall at K of tool retrieval for the two agents whose tools differ from phone to phone."""
    from rich.console import Console

    from camphor.cli.text import print_json
    from camphor.errors import UsageError
    from camphor.retrieval.retrievers import RETRIEVERS, retriever_named
    from camphor_lab.evaluation.dataset import Dataset
    from camphor_lab.evaluation.results import write_report
    from camphor_lab.evaluation.retrieval import measure_retrieval
    from camphor_lab.evaluation.sources import RETRIEVAL

    chosen = {name: retriever_named(name) for name in retriever or RETRIEVERS}
    data = Dataset(dataset, limit=limit)
    if out is not None and not out.parent.is_dir():
        raise UsageError(f"{out} cannot be written: name a file in a folder that exists")
    with Console(stderr=True).status("ranking") as status:
        report = measure_retrieval(
            data,
            chosen,
            command=told_command(),
            progress=lambda done, total: status.update(f"ranking: {done} of {total} queries"),
        )
    if out:
        write_report(out, report, RETRIEVAL)
        typer.echo(f"Results: {out}", err=True)
    if json_:
        print_json({key: report[key] for key in ("agents", "run")})
    else:
        for agent, figures in report["agents"].items():
            Console().print(_table(agent, figures))


def _table(agent: str, figures: dict[str, Any]) -> Any:
    from rich.table import Table

    from camphor_lab.evaluation.tables import percent

    table = Table(title=f"{agent}: recall at K in %, {figures['queries']} queries", title_justify="left")
    ks = list(next(iter(figures["retrievers"].values()))["recall"])
    for title in ("retriever", *(f"K = {k}" for k in ks), "all found at 5"):
        table.add_column(title, justify="left" if title == "retriever" else "right")
    for name, found in figures["retrievers"].items():
        table.add_row(name, *(percent(found["recall"][k]) for k in ks), percent(found["all_found"].get("5")))
    return table
