"""`camphor lab data health`: trajectories of the health assistant, in the paper's format."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.bars import bars
from camphor.errors import UsageError

if TYPE_CHECKING:
    from rich.progress import TaskID

    from camphor_lab.datasets.health.generate import Recipe, Summary

TRAIN, TEST = 3_600, 60


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("health")(health)


def health(
    out: Annotated[
        Path,
        typer.Argument(help="The folder to write to: a .jsonl file for each split, tools.json, phones under devices/."),
    ],
    train: Annotated[
        int,
        typer.Option(min=0, help="How many cases for training; unless given, over 20,000 pairs an agent."),
    ] = TRAIN,
    test: Annotated[int, typer.Option(min=0, help="How many cases of each use case for the test.")] = TEST,
    development: Annotated[int, typer.Option(min=0, help="How many of each for development.")] = 15,
    paper: Annotated[bool, typer.Option("--paper", help="A test of about the paper's sizes (Table 1).")] = False,
    devices: Annotated[bool, typer.Option("--devices", help="Write the phones of training too.")] = False,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Write the pairs of planner and caller too: SPLIT-planner.jsonl and so on."),
    ] = False,
    seed: Annotated[int, typer.Option(help="The same seed gives the same cases.")] = 7,
    processes: Annotated[
        int | None, typer.Option(min=1, help="How many processes work; one a core unless given.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print what was made as JSON.")] = False,
) -> None:
    """Play the health assistant's use cases on people's phones and note what planner, caller and tools say.

    Training, development and test share no person, no complaint and no wording of a patient. Each case was carried out
    twice, with the same outcome. A stopped run goes on where it was when the same command is given again.
    """
    from camphor_lab.datasets.health.flows import UseCase
    from camphor_lab.datasets.health.generate import TABLE_1, Recipe, training_sizes

    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file: name a folder")
    sizes = {
        "train": training_sizes(train),
        "development": dict.fromkeys((each.value for each in UseCase), development),
        "test": {each.value: TABLE_1[each] if paper else test for each in UseCase},
    }
    recipes = [Recipe(split, seed, wanted, devices=devices or split != "train") for split, wanted in sizes.items()]
    recipes = [recipe for recipe in recipes if sum(recipe.wanted.values())]
    if not recipes:
        raise UsageError("Nothing is wanted: give --train, --development or --test a number above 0")
    out.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    made = _generate(out, recipes, processes)
    if pairs:
        _write_pairs(out, made)
    if json_:
        from camphor.cli.text import print_json

        print_json({"folder": str(out), "splits": {split: summary.to_json() for split, summary in made.items()}})
        return
    _show(out, made)
    typer.echo(f"{time.perf_counter() - started:.0f} s")


def _generate(out: Path, recipes: list[Recipe], processes: int | None) -> dict[str, Summary]:
    """Every split, on one pool, under a progress bar."""
    from camphor_lab.datasets.health.generate import generate
    from camphor_lab.datasets.parallel import open_pool

    pieces = sum(len(recipe.pieces()) for recipe in recipes)
    made = {}
    with (
        open_pool(processes=processes, pieces=pieces) as pool,
        bars() as shown,
    ):
        for recipe in recipes:
            bar = shown.add_task(recipe.split, total=sum(recipe.wanted.values()))

            def show(done: int, bar: TaskID = bar) -> None:
                shown.update(bar, completed=done)

            made[recipe.split] = generate(out, recipe, pool, show)
    return made


def _write_pairs(out: Path, made: Mapping[str, Summary]) -> None:
    from camphor_lab.training.health import write_pairs

    for split in made:
        for file, count in write_pairs(out / f"{split}.jsonl").items():
            typer.echo(f"{file}: {count:,} pairs", err=True)


def _show(out: Path, made: Mapping[str, Summary]) -> None:
    for split, summary in made.items():
        typer.echo(
            f"{out / f'{split}.jsonl'}: {summary.cases.total():,} cases of {len(summary.diseases)} diseases, "
            f"{summary.planner.total():,} pairs for the planner, {summary.caller.total():,} for the caller"
        )
        told = ", ".join(f"{name} {count:,}" for name, count in summary.cases.items())
        typer.echo(f"  {told}")
        for reason, count in summary.dropped.most_common():
            typer.echo(f"  dropped: {count:,} ({reason})", err=True)
