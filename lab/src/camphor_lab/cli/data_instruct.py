"""`camphor lab data instruct`: a language model writes samples for functions, as in DroidCall."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.ask import AdapterOption, ModelOption, ThreadsOption
from camphor.cli.bars import bars
from camphor.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from camphor.models.base import LanguageModel
    from camphor_lab.datasets.instruct import Told

SERVERS = ("http://", "https://")
FREE_WRITING = (*SERVERS, "scripted:")  # models that follow no grammar


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("instruct")(instruct)


def instruct(
    tools: Annotated[
        Path,
        typer.Argument(
            help="The functions: a Python module or a folder of them, or a file of tools (JSON, JSON lines)."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(help="The folder to write to: train.jsonl, test.jsonl, tools.json, rejected.jsonl, yield.json."),
    ],
    model: ModelOption = None,
    count: Annotated[int, typer.Option(min=1, help="How many samples are to be kept.")] = 100,
    test: Annotated[int, typer.Option(min=0, help="How many of them are held out as test.jsonl.")] = 0,
    complex_: Annotated[
        float, typer.Option("--complex", min=0, max=1, help="Share of requests for samples of two or three functions.")
    ] = 0.3,
    seed_data: Annotated[
        list[Path] | None,
        typer.Option(help="A JSON lines file of other function-calling data, for the first examples; may be repeated."),
    ] = None,
    batch: Annotated[int, typer.Option(min=1, max=60, help="How many samples are asked for at a time.")] = 15,
    patience: Annotated[
        int, typer.Option(min=1, help="End after so many rounds in a row of which nothing was kept.")
    ] = 20,
    seed: Annotated[int, typer.Option(help="Decides functions, examples, clocks and voices.")] = 7,
    requests: Annotated[
        int | None, typer.Option(min=1, max=256, help="Requests at a time; 4 to a server, 1 here unless given.")
    ] = None,
    ray: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Ask from a Ray cluster: local, auto or its address.")
    ] = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the yields as JSON.")] = False,
) -> None:
    """Let a language model write queries for functions, with the calls that answer them, and keep what holds.

    What is refused stands in rejected.jsonl with the reason. Stopped runs go on where they were when the same command
    is given again.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file: name a folder")
    from camphor.cli.model import EMBEDDED
    from camphor.tools.listing import read_tools
    from camphor_lab.datasets.instruct import Collector, Plan
    from camphor_lab.datasets.parallel import RayCluster

    functions = read_tools(tools)
    name = model or EMBEDDED
    names = {"model": name, "adapter": str(adapter or "")}
    started = time.perf_counter()
    pool = RayCluster(ray) if ray else None
    at_once = requests or (pool.slots if pool else 4 if name.startswith(SERVERS) else 1)
    if at_once > 1 and not (pool or name.startswith(SERVERS)):
        raise UsageError("a model on this machine answers one request at a time: leave out --requests")
    plan = Plan(
        count, test, complex_, batch, seed, patience, at_once, not name.startswith(FREE_WRITING), settings=names
    )
    opening = OpenThere(model, adapter, threads)
    try:
        with closing(opening()) as mind:
            collector = Collector(
                functions, mind, out, plan, seeds=seed_data or (), opening=opening if pool else None, pool=pool
            )
            with _bar(count) as progress:
                told = collector.run(progress)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Stopped: the same command goes on from here.") from None
    finally:
        if pool:
            pool.close()
    _tell(out, told, count, test, json_)
    if not json_:
        typer.echo(f"{time.perf_counter() - started:.0f} s")


@dataclass(frozen=True)
class OpenThere:
    """Opens the model in whichever process asks, once."""

    name: str | None
    adapter: Path | None
    threads: int | None

    def __call__(self) -> LanguageModel:
        return _opened(self.name, self.adapter, self.threads)


@lru_cache(maxsize=1)
def _opened(name: str | None, adapter: Path | None, threads: int | None) -> LanguageModel:
    from camphor.cli.model import open_model

    return open_model(name, adapter, threads)[0]


@contextmanager
def _bar(count: int) -> Iterator[Callable[[Told], None]]:
    with bars("refused {task.fields[refused]} rounds {task.fields[rounds]}", elapsed=True) as shown:
        bar = shown.add_task("kept", total=count, refused=0, rounds=0)
        yield lambda told: shown.update(bar, completed=told.kept, refused=told.refused.total(), rounds=told.rounds)


def _tell(out: Path, told: Told, count: int, test: int, json_: bool) -> None:
    from camphor.cli.text import print_json, print_table

    if json_:
        print_json(
            {
                "kept": told.kept,
                "train": told.train,
                "test": told.test,
                "rounds": told.rounds,
                "filters": dict(told.filters),
                "folder": str(out),
            }
        )
    else:
        held = f", {told.test:,} of them held out in test.jsonl" if told.test else ""
        typer.echo(f"{out / 'train.jsonl'}: {told.kept:,} samples of {told.rounds:,} rounds{held}")
        rows = [
            [
                name,
                f"{each['in']:,}",
                f"{each['out']:,}",
                ", ".join(f"{why}: {n:,}" for why, n in each["reasons"].items()),
            ]
            for name, each in told.filters.items()
        ]
        print_table(["filter", "in", "out", "refused"], rows)
    if told.kept < count:
        typer.echo(
            f"Nothing was kept of the last {told.barren} rounds: {out / 'rejected.jsonl'} says why; another model may "
            "do better, a larger --patience goes on with this one",
            err=True,
        )
    elif told.test < test:
        typer.echo(f"Only {told.test:,} samples could be held out: the others are too like each other", err=True)
