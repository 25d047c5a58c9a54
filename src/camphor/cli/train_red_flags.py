"""`camphor train-red-flags`: the second net for emergencies is trained."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from camphor.cli.ask import JsonOption


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("train-red-flags")(train_red_flags)


def train_red_flags(
    data: Annotated[Path, typer.Argument(help="A folder of sentences, such as data/health-red-flags.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the trained net (.npz).")],
    asked: Annotated[
        float, typer.Option(min=0, max=1, help="Share of ordinary complaints that may be asked about.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(help="The same seed and data give the same net.")] = 1,
    json_: JsonOption = False,
) -> None:
    """Train the net that asks whether words the rules let pass tell of an emergency (under a minute).

    Nothing is written until it is done.
    """
    from camphor.training.suspicion import SuspicionConfig, train_suspicion

    def progress(what: str, done: int, total: int) -> None:
        if sys.stderr.isatty():
            typer.echo(f"\r{what}: {done}/{total}  ", err=True, nl=done == total)

    started = time.perf_counter()
    about = train_suspicion(data, out, SuspicionConfig(asked=asked, seed=seed), progress)
    if json_:
        from camphor.cli.text import print_json

        print_json({"file": str(out), **about})
        return
    typer.echo(f"Second net: {out} ({about['texts']:,} texts, {time.perf_counter() - started:.0f} s)")
    typer.echo("Texts of styles and diseases that were held out, in %:")
    for name, (share, count) in about["held_out"].items():
        typer.echo(f"  {name}: {100 * share:.1f} of {count:,}")
