"""`camphor lab data collect`: public function-calling sets become one dataset of calls."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("collect")(collect)


def collect(
    out: Annotated[Path, typer.Argument(help="The folder to write to: train.jsonl, tools.json.")],
    files: Annotated[list[Path], typer.Argument(help="Public sets (data/README.md), as JSON lines.")],
    count: Annotated[int | None, typer.Option(min=1, help="At most so many samples, chosen by the seed.")] = None,
    seed: Annotated[int, typer.Option(help="Decides which.")] = 7,
) -> None:
    """Turn public function-calling sets into samples of function calls, to train on beside or in place of your own.

    camphor lab data collect runs/general seal_tools/train.jsonl toolalpaca/train.jsonl --count 2000
    """
    from camphor_lab.datasets.calling.general import collect as run

    written, refused = run(files, out, count, seed)
    typer.echo(f"{out / 'train.jsonl'}: {written:,} samples; {refused.total():,} lines cannot be used")
