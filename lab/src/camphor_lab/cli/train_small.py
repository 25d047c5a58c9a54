"""What the commands that train small models share: they show how far they are, and tell what was made."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from camphor.cli.bars import bars

if TYPE_CHECKING:
    from rich.progress import TaskID

    from camphor_lab.training.small_models import Progress


def run(
    name: str,
    out: Path,
    json_: bool,
    train: Callable[[Progress], dict[str, Any]],
    held_out: Callable[[dict[str, Any]], Iterable[str]],
) -> None:
    """Train a model and tell what it is, with the figures of what was held out in lines of text."""
    started = time.perf_counter()
    with bars() as shown:
        tasks: dict[str, TaskID] = {}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what, total=total)
            shown.update(tasks[what], completed=done)

        about = train(progress)
    if json_:
        from camphor.cli.text import print_json

        print_json({"file": str(out), **about})
        return
    typer.echo(f"{name}: {out} ({about['texts']:,} texts, {time.perf_counter() - started:.0f} s)")
    for line in held_out(about["held_out"]):
        typer.echo(line)
