"""`camphor lab evaluate policies`: what each policy is worth, by switching it off."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from camphor.cli.ask import AdapterOption, ModelOption, ThreadsOption
from camphor.cli.bars import bars
from camphor.errors import UsageError


def policies(
    datasets: Annotated[
        list[Path],
        typer.Argument(metavar="DATASET...", help="JSONL files, one query a line; a folder stands for those in it."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the figures (JSON), after each policy.")],
    without: Annotated[
        list[str] | None, typer.Option(metavar="POLICY", help="Only this one; may be given again. All unless given.")
    ] = None,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    memory: Annotated[bool, typer.Option("--memory", help="With the long-term memory that ask and chat have.")] = False,
    limit: Annotated[int | None, typer.Option(help="Only the first so many queries of each dataset.")] = None,
) -> None:
    """Answer every query with all policies, and again with each of them switched off.

    A policy that changes nothing for the better is one to delete. The model is asked the same thing only once. A run
    that was stopped goes on where it was when the same command is given again.

    \b
    camphor lab evaluate policies data/everyday data/handwritten-development --memory --out policies.json
    camphor lab evaluate policies data/everyday --without missing_slots --out policies.json
    """
    from camphor.cli.text import print_table
    from camphor_lab.cli.evaluate import chosen_answerer, policies_named
    from camphor_lab.cli.evaluate_context_options import check_out, told_command
    from camphor_lab.evaluation.ablation import FIGURES, ablate, table
    from camphor_lab.evaluation.dataset import Dataset
    from camphor_lab.evaluation.similarity import SentenceBert

    names = policies_named(without or [])
    check_out(out)
    data = {path.name: Dataset(path, limit=limit) for path in datasets}
    if len(data) < len(datasets):
        raise UsageError("Two of the datasets have the same name: give one of them another")
    answerer, settings = chosen_answerer(model, adapter, threads, memory=memory)
    run = {
        "command": told_command(),
        "datasets": {name: each.fingerprint for name, each in data.items()},
        "settings": settings,
    }
    with closing(answerer.model), bars() as progress:
        task = progress.add_task("policies")

        def told(name: str, done: int, total: int) -> None:
            progress.update(task, completed=done, total=total, description=name)

        report = ablate(data, answerer, SentenceBert(), names, out=out, run=run, progress=told)
    rows = [[name.replace("_", " "), *figures] for name, *figures in table(report)]  # words can wrap
    print_table(["switched off", *FIGURES.values(), "changed"], rows)
    typer.echo(f"Results: {out}", err=True)
