"""`camphor lab train-answers`: what tells which records a question is about is trained."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from camphor.cli.ask import JsonOption
from camphor_lab.cli.train_small import run


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("train-answers")(train_answers)


def train_answers(
    questions: Annotated[
        list[Path],
        typer.Argument(help="Annotated questions (data/questions/a.jsonl) or hand-written sets (items.jsonl)."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the trained model (.npz).")],
    looked_up: Annotated[
        list[Path] | None,
        typer.Option(help="Results of `camphor lab evaluate` on these questions: what the language model looks up."),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Train what says which records of a phone a question is about (two minutes).

    Nothing is written until it is done.
    """
    from camphor_lab.training.answers import AnswersConfig
    from camphor_lab.training.answers import train_answers as train

    def held_out(figures: dict[str, Any]) -> Iterable[str]:
        right = 100 * figures["held_out_top1"]
        yield f"Held out: of {figures['questions']} questions the best record is right for {right:.1f}%."

    run("Answers", out, json_, lambda told: train(questions, looked_up or [], out, AnswersConfig(), told), held_out)
