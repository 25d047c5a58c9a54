"""`camphor lab data context`: personas, their phones, and implicit queries with what they are about."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.bars import bars
from camphor.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

PERSONAS, TRAIN, TEST = 791, 4_338, 936  # the paper's (Context Tuning, Appendix A.1)
_APPS = {"mail": "Mail", "calendar": "Calendar", "google": "Google", "notes": "Notes", "music": "Music",
         "reminders": "Reminders", "phone": "Phone call"}  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("context")(context)


def context(
    out: Annotated[
        Path, typer.Argument(help="The folder to write to: devices/, train.jsonl, test.jsonl, toolbox.json.")
    ],
    personas: Annotated[int, typer.Option(min=2, help="How many people; no person is in both splits.")] = PERSONAS,
    train: Annotated[int, typer.Option(min=0, help="How many queries for training.")] = TRAIN,
    test: Annotated[int, typer.Option(min=0, help="How many for the test: other people, other wordings.")] = TEST,
    seed: Annotated[int, typer.Option(help="The same seed gives the same dataset.")] = 7,
    json_: Annotated[bool, typer.Option("--json", help="Print the statistics as JSON.")] = False,
) -> None:
    """Simulate people's weeks on their phones and make implicit queries about them, with gold items, tools and plan.

    A stopped run leaves no half-written file; the same command makes it anew.
    """
    from camphor_lab.datasets.context.folder import write_dataset

    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file: name a folder")
    if train + test == 0:
        raise UsageError("Nothing is wanted: give --train or --test a number above 0")
    started = time.perf_counter()
    told = _write(write_dataset, out, personas, {"train": train, "test": test}, seed)
    if json_:
        from camphor.cli.text import print_json

        print_json({"folder": str(out), "splits": told})
        return
    _show(out, told)
    typer.echo(f"{time.perf_counter() - started:.0f} s")


def _write(write: Any, out: Path, personas: int, counts: Mapping[str, int], seed: int) -> dict[str, Any]:
    """The dataset, under a progress bar a split."""
    with bars() as shown:
        tasks = {split: shown.add_task(split, total=count) for split, count in counts.items() if count}
        told: dict[str, Any] = write(
            out, personas, counts, seed, lambda split, done: shown.update(tasks[split], completed=done)
        )
    return told


def _show(out: Path, told: Mapping[str, Any]) -> None:
    from camphor_lab.datasets.context.simulate import SIZES

    for split, found in told.items():
        short = "" if found["queries"] == found["wanted"] else f" of {found['wanted']:,}: the lives have no more to ask"
        typer.echo(f"{out / f'{split}.jsonl'}: {found['queries']:,} queries{short} of {found['personas']} people")
        typer.echo(
            f"  {found['distinct_queries']:,} differ in words; {found['gold_items']} gold items a query; "
            f"{found['share_a_content_word']:.1%} share a content word with a gold item; "
            f"{found['by_usage_alone']:.1%} turn on usage alone; plans call {found['plan_tools']} tools"
        )
    typer.echo(f"{'items a person':16}" + "".join(f"{split:>8}" for split in told) + f"{'paper':>8}")
    for app, label in _APPS.items():
        row = "".join(f"{found['items'][app]:8.2f}" for found in told.values())
        typer.echo(f"{label:16}{row}{SIZES[app]:8.2f}")
