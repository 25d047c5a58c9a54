"""`camphor lab train-red-flags`, `train-referral`, `train-complaints`: small models of the health assistant."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from camphor.cli.ask import JsonOption
from camphor_lab.cli.train_small import run


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("train-red-flags")(train_red_flags)
    app.command("train-referral")(train_referral)
    app.command("train-complaints")(train_complaints)


def train_red_flags(
    data: Annotated[Path, typer.Argument(help="A folder of sentences, such as data/health-red-flags.")],
    talk: Annotated[Path, typer.Argument(help="A folder of texts that are no complaints, such as data/health-talk.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the trained net (.npz).")],
    noticed: Annotated[
        float, typer.Option(min=0, max=1, help="Share of urgent words, held out, that must be found or asked about.")
    ] = 0.98,
    kept: Annotated[
        Path | None,
        typer.Option(
            "--keep-whole", help="A net whose reading of a message as a whole is kept: only words are learnt."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed and data give the same net.")] = 1,
    json_: JsonOption = False,
) -> None:
    """Train the net that tells how urgent words are: now, today or routine (half an hour and torch; minutes with
    --keep-whole).

    Nothing is written until it is done.
    """
    from camphor_lab.training.suspicion import SuspicionConfig, train_suspicion

    config = SuspicionConfig(noticed=noticed, seed=seed)
    run(
        "Net for emergencies",
        out,
        json_,
        lambda progress: train_suspicion(data, talk, out, config, progress, kept),
        _shares,
    )


def train_referral(
    data: Annotated[Path, typer.Argument(help="A folder of descriptions, such as data/health-descriptions.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the trained model (.npz).")],
    seed: Annotated[int, typer.Option(help="The same seed and data give the same model.")] = 1,
    json_: JsonOption = False,
) -> None:
    """Train what finds the specialist for a complaint (two to four minutes).

    Nothing is written until it is done.
    """
    from camphor_lab.training.referral import ReferralConfig
    from camphor_lab.training.referral import train_referral as train

    def held_out(figures: dict[str, Any]) -> Iterable[str]:
        yield (
            f"Of {figures['descriptions']:,} descriptions in styles that were held out, an acceptable specialist is "
            f"found for {100 * figures['accepted']:.1f}%, the best for {100 * figures['best']:.1f}%."
        )

    run("Specialists", out, json_, lambda progress: train(data, out, ReferralConfig(seed=seed), progress), held_out)


def train_complaints(
    data: Annotated[Path, typer.Argument(help="A folder of texts, complaints and others, such as data/health-talk.")],
    descriptions: Annotated[Path, typer.Argument(help="A folder of descriptions, such as data/health-descriptions.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the trained model (.npz).")],
    seed: Annotated[int, typer.Option(help="The same seed and data give the same model.")] = 1,
    json_: JsonOption = False,
) -> None:
    """Train what tells a complaint from the weather, a pet or a wish to the phone (under a minute).

    Nothing is written until it is done.
    """
    from camphor_lab.training.referral import ComplaintConfig
    from camphor_lab.training.referral import train_complaints as train

    config = ComplaintConfig(seed=seed)
    run("Complaints", out, json_, lambda progress: train(data, descriptions, out, config, progress), _shares)


def _shares(figures: dict[str, Any]) -> Iterable[str]:
    yield "Texts that were held out, in %:"
    for name, (share, count) in figures.items():
        yield f"  {name}: {100 * share:.1f} of {count:,}"
