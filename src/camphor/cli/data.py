"""`camphor data`: datasets are made."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from camphor.errors import UsageError

app = typer.Typer(help="Make datasets.", no_args_is_help=True)
SPLITS = ("train", "test")


@app.callback()
def _data() -> None:
    """Make datasets."""


@app.command("generate")
def generate(
    out: Annotated[Path, typer.Argument(help="The folder to write to: SPLIT.jsonl, and the phones under devices/.")],
    split: Annotated[str, typer.Option(help="train or test: they share no sentence skeleton.")] = "train",
    count: Annotated[
        int | None, typer.Option(min=1, help="How many queries; the paper's 2728 or 682 unless given.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same dataset.")] = 7,
    handwritten: Annotated[
        Path | None,
        typer.Option(help="A folder of hand-written sets, such as data/handwritten: varied into handwritten.jsonl."),
    ] = None,
    variants: Annotated[int, typer.Option(min=0, help="Variations of each hand-written query.")] = 3,
    public: Annotated[
        Path | None,
        typer.Option(help="A folder of public sets of utterances (data/README.md): fitted into human.jsonl."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print what was made as JSON.")] = False,
) -> None:
    """Sample people, their phones and their wishes, with gold calls that were carried out on the phone.

    Stopped runs go on where they were when the same command is given again.
    """
    if split not in SPLITS:
        raise UsageError(f"There is no split {split!r}: choose train or test")
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file: name a folder")
    from rich.console import Console
    from rich.progress import Progress

    from camphor.datasets.generate import generate as run

    started = time.perf_counter()
    with Progress(console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("queries", total=count)
        try:
            made = run(
                out,
                split=split,
                count=count,
                seed=seed,
                progress=lambda done, wanted: shown.update(task, completed=done, total=wanted),
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt("Stopped: the same command goes on from here.") from None
    if handwritten or public:
        for file, written in _other_sources(out, seed, handwritten, variants, public):
            typer.echo(f"{file}: {written} queries", err=json_)
    target = out / f"{split}.jsonl"
    if json_:
        from camphor.cli.text import print_json

        situations, sizes = dict(made.situations), {str(size): count for size, count in sorted(made.sizes.items())}
        print_json({"file": str(target), "queries": made.written, "situations": situations, "calls": sizes})
        return
    sizes_shown = ", ".join(f"{count} with {size}" for size, count in sorted(made.sizes.items()))
    typer.echo(f"{target}: {made.written} queries in {time.perf_counter() - started:.0f} s; gold calls: {sizes_shown}")


def _other_sources(
    out: Path, seed: int, handwritten: Path | None, variants: int, public: Path | None
) -> Iterator[tuple[Path, int]]:
    """Queries by people, each checked on a phone: the file and how many it holds."""
    from camphor.datasets.handwritten import handwritten_items
    from camphor.datasets.human import human_items
    from camphor.datasets.items import write_items

    for folder in filter(None, (handwritten, public)):
        if not folder.is_dir():
            raise UsageError(f"{folder}: there is no such folder")
    if handwritten:
        file = out / "handwritten.jsonl"
        yield (
            file,
            write_items(file, handwritten_items(handwritten, out, variants=variants, seed=seed, refused=Counter())),
        )
    if public:
        file = out / "human.jsonl"
        yield file, write_items(file, human_items(public, out, seed=seed, limit=4000))
