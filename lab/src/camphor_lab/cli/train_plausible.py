"""`camphor lab train-plausible`: what says which actions a query's words could ask for is trained."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from camphor.cli.ask import JsonOption
from camphor_lab.cli.train_small import run


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("train-plausible")(train_plausible)


def train_plausible(
    written: Annotated[list[Path], typer.Argument(help="Hand-written sets (items.jsonl), one hand a file.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the trained model (.npz).")],
    generated: Annotated[
        list[Path] | None, typer.Option(help="A train.jsonl of  camphor lab data generate ; may be given again.")
    ] = None,
    lost: Annotated[
        float, typer.Option(min=0, max=0.5, help="Share of the actions that people ask for that may be ruled out.")
    ] = 0.02,
    seed: Annotated[int, typer.Option(help="The same seed and data give the same model.")] = 1,
    json_: JsonOption = False,
) -> None:
    """Train the second opinion on which actions a query's words could ask for (a minute or two).

    Nothing is written until it is done.
    """
    from camphor_lab.training.plausible import PlausibleConfig
    from camphor_lab.training.plausible import train_plausible as train

    def held_out(figures: dict[str, Any]) -> Iterable[str]:
        yield (
            f"Of {figures['queries']:,} queries of hands that were held out, {100 * figures['ruled_out']:.1f}% of the "
            f"actions asked for are ruled out, and {100 * figures['others_ruled_out']:.1f}% of the others."
        )

    config = PlausibleConfig(lost=lost, seed=seed)
    run("Plausible actions", out, json_, lambda told: train(written, generated or [], out, config, told), held_out)
