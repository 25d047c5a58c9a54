"""`camphor train-referral`: what finds the specialist for a complaint is trained."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from camphor.cli.ask import JsonOption


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("train-referral")(train_referral)


def train_referral(
    data: Annotated[Path, typer.Argument(help="A folder of descriptions, such as data/health-descriptions.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the trained model (.npz).")],
    seed: Annotated[int, typer.Option(help="The same seed and data give the same model.")] = 1,
    json_: JsonOption = False,
) -> None:
    """Train what finds the specialist for a complaint (two minutes).

    Nothing is written until it is done.
    """
    from camphor.training.referral import ReferralConfig
    from camphor.training.referral import train_referral as train

    def progress(what: str, done: int, total: int) -> None:
        if sys.stderr.isatty():
            typer.echo(f"\r{what}: {done}/{total}  ", err=True, nl=done == total)

    started = time.perf_counter()
    about = train(data, out, ReferralConfig(seed=seed), progress)
    if json_:
        from camphor.cli.text import print_json

        print_json({"file": str(out), **about})
        return
    held_out = about["held_out"]
    typer.echo(f"Specialists: {out} ({about['texts']:,} texts, {time.perf_counter() - started:.0f} s)")
    typer.echo(
        f"Of {held_out['descriptions']:,} descriptions in styles that were held out, an acceptable specialist is found "
        f"for {100 * held_out['accepted']:.1f}%, the best for {100 * held_out['best']:.1f}%."
    )
