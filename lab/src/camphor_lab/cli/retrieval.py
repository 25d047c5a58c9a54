"""`camphor lab retrieval`, how often a retriever finds the tools that a query needs, and `camphor lab report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from camphor.cli.ask import JsonOption
from camphor.errors import UsageError
from camphor_lab.cli.options import check_out, say_where, show, told_command, written


def retrieval(
    dataset: Annotated[Path, typer.Argument(help="A JSONL file, one query a line.")],
    out: Annotated[Path | None, written("recall and every query's ranks")] = None,
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
    from rich.console import Console, Group

    from camphor.retrieval.retrievers import RETRIEVERS, retriever_named
    from camphor_lab.evaluation.dataset import Dataset
    from camphor_lab.evaluation.results import write_report
    from camphor_lab.evaluation.retrieval import measure_retrieval
    from camphor_lab.evaluation.sources import RETRIEVAL

    chosen = {name: retriever_named(name) for name in retriever or RETRIEVERS}
    data = Dataset(dataset, limit=limit)
    check_out(out)
    with Console(stderr=True).status("ranking") as status:
        report = measure_retrieval(
            data,
            chosen,
            command=told_command(),
            progress=lambda done, total: status.update(f"ranking: {done} of {total} queries"),
        )
    if out:
        write_report(out, report, RETRIEVAL)
    say_where(out)
    show(
        json_,
        {key: report[key] for key in ("agents", "run")},
        lambda: Group(*(_table(agent, figures) for agent, figures in report["agents"].items())),
    )


def _table(agent: str, figures: dict[str, Any]) -> Any:
    from camphor_lab.evaluation.tables import percent, rich_table

    ks = list(next(iter(figures["retrievers"].values()))["recall"])
    rows = (
        [name, *(percent(found["recall"][k]) for k in ks), percent(found["all_found"].get("5"))]
        for name, found in figures["retrievers"].items()
    )
    title = f"{agent}: recall at K in %, {figures['queries']} queries"
    return rich_table(("retriever", *(f"K = {k}" for k in ks), "all found at 5"), rows, title=title)


def report(
    results: Annotated[Path, typer.Option(help="The folder with the result files.")] = Path("results"),
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Where to write: OUT.md, and OUT-*.png beside it; into a folder, report.md."),
    ] = Path("docs/report"),
    html: Annotated[bool, typer.Option("--html", help="OUT.html as well: one file with all pictures within.")] = False,
) -> None:
    """Rebuild every table and plot from the result files, beside the papers' figures."""
    from camphor_lab.evaluation.report import write_page
    from camphor_lab.evaluation.report_files import Results

    out = out / "report" if out.is_dir() else out
    if not out.parent.is_dir():
        raise UsageError(f"{out} cannot be written: name a place in a folder that exists")
    written = write_page(Results(results), out, as_html=html)
    for path in written.files:
        typer.echo(path)
    if written.incomplete:
        typer.echo(
            f"Result files are missing for: {'; '.join(written.incomplete)}. The page says how to make them.", err=True
        )
