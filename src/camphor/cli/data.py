"""`camphor data`."""

from __future__ import annotations

import typer

app = typer.Typer(help="Make datasets.", no_args_is_help=True)


@app.callback()
def _data() -> None:
    """Make datasets."""
