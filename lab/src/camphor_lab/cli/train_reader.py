"""`camphor lab train-reader`: what reads a question with a record is trained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from camphor.cli.ask import JsonOption
from camphor_lab.cli.train_small import run


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("train-reader")(train_reader)


def train_reader(
    questions: Annotated[
        list[Path],
        typer.Argument(help="Annotated questions (data/questions/*.jsonl) or hand-written sets (items.jsonl)."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the trained model (.npz).")],
    looked_up: Annotated[
        list[Path] | None,
        typer.Option(help="Results of `camphor lab evaluate` on these questions: what the language model looks up."),
    ] = None,
    epochs: Annotated[float, typer.Option(min=0.01, help="How often each question is seen.")] = 2,
    start: Annotated[
        Path | None, typer.Option("--from", help="A reader to go on from, in place of all-MiniLM-L6-v2.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Train what tells from a question and a record whether the answer rests on it (half an hour for 7,000 questions
    on two cores that multiply in bfloat16, three times that on others).

    What is done is kept beside the file every 200 steps: the same command goes on where it was stopped.
    """
    from camphor_lab.training.reader import ReaderConfig
    from camphor_lab.training.reader import train_reader as train

    run(
        "Reader",
        out,
        json_,
        lambda told: train(questions, looked_up or [], out, ReaderConfig(epochs), told, start),
        lambda _: (),
    )
