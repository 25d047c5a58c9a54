"""`camphor lab train-ranker`: the ranker of context items is trained."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.ask import JsonOption
from camphor.cli.bars import bars

if TYPE_CHECKING:
    from rich.progress import TaskID


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("train-ranker")(train_ranker)


def train_ranker(
    data: Annotated[Path, typer.Argument(help="A folder of  camphor lab data context : train.jsonl and devices/.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the trained ranker (.npz).")],
    threads: Annotated[int, typer.Option(min=1, help="Cores to use.")] = 2,
    seed: Annotated[int, typer.Option(help="The same seed and data give the same ranker.")] = 1,
    json_: JsonOption = False,
) -> None:
    """Train LambdaMART on implicit queries, for each context store and over all of them (a few minutes on two cores).

    Nothing is written until it is done. Try it with  camphor lab evaluate context retrieval DATA --ranker FILE
    """
    from camphor_lab.training.ranker import RankerConfig
    from camphor_lab.training.ranker import train_ranker as train

    started = time.perf_counter()
    with bars(elapsed=True) as bar:
        tasks: dict[str, TaskID] = {}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done)

        about = train(data, out, RankerConfig(threads=threads, seed=seed), progress)
    if json_:
        from camphor.cli.text import print_json

        print_json({"file": str(out), **about})
        return
    held = about["held_out"]
    typer.echo(f"Ranker: {out} ({about['trees']} trees a store, {time.perf_counter() - started:.0f} s)")
    typer.echo(f"Recall in %, {held['samples']} queries of people and wordings that were held out:")
    for way, recall in held["recall"].items():
        typer.echo(f"  {way}: " + ", ".join(f"{100 * value:.1f} at {k}" for k, value in recall.items()))
