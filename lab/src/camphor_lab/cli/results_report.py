"""`camphor lab report`: the tables and plots, rebuilt from the result files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report)


def report(
    results: Annotated[Path, typer.Option(help="The folder with the result files.")] = Path("results"),
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Where to write: OUT.md, and OUT-*.png beside it; into a folder, report.md."),
    ] = Path("docs/report"),
    html: Annotated[bool, typer.Option("--html", help="OUT.html as well: one file with all pictures within.")] = False,
) -> None:
    """Rebuild every table and plot from the result files, beside the papers' figures."""
    from camphor.errors import UsageError
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
