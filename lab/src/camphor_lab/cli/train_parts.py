"""`camphor lab train-parts`: what tells a wish from a question, a refusal or a report is trained."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from camphor.cli.ask import JsonOption
from camphor_lab.cli.train_small import run


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("train-parts")(train_parts)


def train_parts(
    statements: Annotated[
        list[Path], typer.Argument(help="Statements with their parts (data/statements/train.jsonl).")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the trained model (.npz).")],
    written: Annotated[
        list[Path] | None, typer.Option(help="A hand-written set (items.jsonl); may be given again.")
    ] = None,
    asked: Annotated[
        list[Path] | None, typer.Option(help="Annotated questions (data/questions/*.jsonl); may be given again.")
    ] = None,
    lost: Annotated[
        float, typer.Option(min=0, max=0.5, help="Share of real wishes that may be taken for none.")
    ] = 0.015,
    seed: Annotated[int, typer.Option(help="The same seed and data give the same model.")] = 1,
    json_: JsonOption = False,
) -> None:
    """Train what says of each part of a query whether it wishes for something (two minutes).

    Nothing is written until it is done.
    """
    from camphor_lab.training.parts import PartsConfig
    from camphor_lab.training.parts import train_parts as train

    def held_out(figures: dict[str, Any]) -> Iterable[str]:
        yield (
            f"Held out: of sentences that wish for nothing {100 * figures['statements_refused']:.1f}% are refused and "
            f"{100 * figures['statements_doubted']:.1f}% at least doubted; of hand-written "
            f"queries that act {100 * figures['acts_refused']:.1f}% and {100 * figures['acts_doubted']:.1f}%."
        )

    config = PartsConfig(lost=lost, seed=seed)
    run(
        "Parts of a query",
        out,
        json_,
        lambda told: train(statements, written or [], asked or [], out, config, told),
        held_out,
    )
