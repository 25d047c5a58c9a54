"""`camphor lab data conversations`: conversations of six to ten turns, with words that point back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from camphor.cli.bars import bars
from camphor.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("conversations")(conversations)


def conversations(
    out: Annotated[
        Path, typer.Argument(help="The folder to write to: conversations-SPLIT.jsonl, phones under devices/.")
    ],
    split: Annotated[str, typer.Option(help="train or test; they share no person, sentence or text.")] = "train",
    count: Annotated[int, typer.Option(min=1, help="How many conversations.")] = 500,
    seed: Annotated[int, typer.Option(help="The same seed gives the same conversations.")] = 7,
    tokens: Annotated[
        int, typer.Option(min=600, help="A longer conversation becomes several samples, cut by whole turns.")
    ] = 1900,
    json_: Annotated[bool, typer.Option("--json", help="Print what was made as JSON.")] = False,
) -> None:
    """Make conversations on sampled phones whose later turns say "her", "it", "the second one", "instead" and the like.

    Each turn was carried out on its phone before the next was drawn. `train` and `evaluate` read the file.
    """
    from camphor.cli.text import print_json
    from camphor_lab.datasets.conversations import write_conversations

    if split not in ("train", "test"):
        raise UsageError(f"There is no split {split[:40]!r}: choose train or test")
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file: name a folder")
    with bars() as shown:
        bar = shown.add_task("conversations", total=count)
        made = write_conversations(out, split, count, seed, tokens, lambda done: shown.update(bar, completed=done))
    kinds = {tag.removeprefix("reference:"): number for tag, number in sorted(made.items()) if ":" in tag}
    if json_:
        told = {"items": made["items"], "turns": made["turns"], "references": kinds}
        print_json({"file": str(out / f"conversations-{split}.jsonl"), "conversations": count, **told})
        return
    typer.echo(f"{out / f'conversations-{split}.jsonl'}: {made['items']:,} samples, {made['turns']:,} turns")
    typer.echo("  point back at: " + ", ".join(f"{kind} {number:,}" for kind, number in kinds.items()))
