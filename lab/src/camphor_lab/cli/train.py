"""`camphor lab train`: an adapter is trained."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from camphor_lab.training.loop import Progress


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("train")(train)


def train(
    config: Annotated[Path, typer.Option(help="The settings, a TOML file; configs/ has examples.")],
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, even if a run was stopped.")] = False,
) -> None:
    """Train an adapter on samples, in one stage or several, or go on with a stopped run, and export it.

    Try it with  camphor ask --adapter FOLDER/adapter.gguf "..."  or, for a model in transformers' form, with
    camphor ask --model MODEL --adapter FOLDER "..."
    """
    from camphor_lab.training import is_first_process, run

    try:
        folder = run(config, resume=not fresh, progress=_tell, encoding=_tell_encoding)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Stopped: the same command goes on from the last checkpoint.") from None
    if is_first_process():
        file = folder / "adapter.gguf"
        typer.echo(f"Adapter: {file if file.exists() else folder}")


def _tell_encoding(part: float) -> None:
    if part == 1 or sys.stderr.isatty():
        typer.echo(f"\rdefinitions encoded: {part:6.1%}", err=True, nl=part == 1)


def _tell(progress: Progress) -> None:
    """One line a step, so that a log file of a long run can be read."""
    stage = f"stage {progress.stage}/{progress.stages}  " if progress.stages > 1 else ""
    typer.echo(
        f"{stage}step {progress.step:5d}  {progress.fraction:6.1%}  loss {progress.loss:.4f}  rate "
        f"{progress.rate:.2e}  {progress.tokens_per_second:6.0f} tokens/s  {progress.eta_seconds / 60:5.1f} min left",
        err=True,
    )
