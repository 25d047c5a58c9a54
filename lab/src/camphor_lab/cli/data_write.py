"""`camphor lab data write` and `instruct`: a language model writes queries, or samples for functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.options import AdapterOption, ModelOption, ThreadsOption
from camphor.cli.text import bars, print_json, print_table
from camphor.errors import UsageError
from camphor_lab.cli.options import check_folder, json_of

if TYPE_CHECKING:
    from camphor.agents.prompts import Form
    from camphor.agents.strategies.base import Strategy
    from camphor.models.base import LanguageModel
    from camphor_lab.datasets.instruct import Collected
    from camphor_lab.datasets.llm.write import Progress, Solve, WritingProgress

SERVERS = ("http://", "https://")
FREE_WRITING = (*SERVERS, "scripted:")  # models that follow no grammar


def write(
    out: Annotated[
        Path, typer.Argument(help="The folder to write to: written.jsonl, rejected.jsonl, phones under devices/.")
    ],
    model: ModelOption = None,
    devices: Annotated[
        Path | None, typer.Option(help="A folder of *.device.json files; sampled phones unless given.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="How many queries are to be accepted.")] = 100,
    seed: Annotated[int, typer.Option(help="Decides phones, kinds of queries and examples.")] = 7,
    batch: Annotated[int, typer.Option(min=1, max=40, help="How many queries are asked for at a time.")] = 8,
    strategy: Annotated[str, typer.Option(help="How the agents work together: see  camphor lab evaluate.")] = "camphor",
    second_opinion: Annotated[
        bool, typer.Option("--second-opinion", help="Ask the model whether each solution does what was asked.")
    ] = False,
    patience: Annotated[
        int, typer.Option(min=1, help="End after so many rounds in a row of which nothing was accepted.")
    ] = 20,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    json_: Annotated[bool, json_of("the counts")] = False,
) -> None:
    """Let a language model write queries for phones and solve them step by step, and keep what holds.

    Look-ups are carried out on the phone, each solution is replayed on a fresh copy of it and checked. What is rejected
    stands in rejected.jsonl with the reason. Stopped runs go on where they were when the same command is given again.
    """
    check_folder(out)
    if devices is not None and not devices.is_dir():
        raise UsageError(f"{devices}: there is no such folder")
    from camphor.agents.prompts import Form
    from camphor.agents.strategies.registry import choose
    from camphor.cli.model import EMBEDDED, open_model
    from camphor_lab.datasets.llm.queries import GivenStates, SampledStates
    from camphor_lab.datasets.llm.write import WritePlan
    from camphor_lab.datasets.llm.write import write as run

    tuned = model is None or model == EMBEDDED or adapter is not None
    choose(strategy, None, tuned=tuned, usual=Form.FULL)  # a wrong name is told before the model is loaded
    states = GivenStates(devices) if devices else SampledStates(seed)
    started = time.perf_counter()
    mind, usual = open_model(model, adapter, threads)
    work, form = choose(strategy, None, tuned=tuned, usual=usual)
    names = {"model": model or "embedded", "adapter": str(adapter or ""), "strategy": strategy, "form": form.value}
    plan = WritePlan(count, seed, batch, patience, second_opinion, names)
    try:
        with closing(mind), _accepted_bar(count) as progress:
            told = run(out, mind, _solver(mind, form, work), states, plan, progress)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Stopped: the same command goes on from here.") from None
    _tell_written(out, told, count, json_)
    if not json_:
        typer.echo(f"{time.perf_counter() - started:.0f} s")


def _solver(model: LanguageModel, form: Form, strategy: Strategy) -> Solve:
    """The assistant itself, with every action consented to.

    What a query leaves unsaid is not filled in from the phone's use: the trajectory shows what the model makes of it.
    """
    from camphor.agents.bounds import USUAL
    from camphor.agents.relevant import POLICIES
    from camphor.app import Assistant, run_to_end
    from camphor.device.device import Device
    from camphor.types import Turn

    limits = USUAL.without(*POLICIES)

    def solve(query: str, device: Device) -> Turn:
        # without a second look at actions: a person would look
        assistant = Assistant(device, model, limits=limits, form=form, strategy=strategy, second=None)
        return run_to_end(assistant, query, consent=True).trajectory.turn

    return solve


@contextmanager
def _accepted_bar(count: int) -> Iterator[Progress]:
    with bars("rejected {task.fields[rejected]}", elapsed=True) as shown:
        bar = shown.add_task("accepted", total=count, rejected=0)
        yield lambda told: shown.update(bar, completed=told.accepted, rejected=told.rejected.total())


def _tell_written(out: Path, told: WritingProgress, count: int, json_: bool) -> None:
    if json_:
        rejected = {reason.value: number for reason, number in told.rejected.most_common()}
        print_json({"accepted": told.accepted, "rejected": rejected, "rounds": told.rounds, "folder": str(out)})
    else:
        typer.echo(f"{out / 'written.jsonl'}: {told.accepted:,} queries accepted, of {told.rounds:,} rounds")
        for reason, number in told.rejected.most_common():
            typer.echo(f"rejected: {number:,} ({reason.value})")
    if told.accepted < count:
        typer.echo(
            f"Nothing was accepted of the last {told.barren} rounds: {out / 'rejected.jsonl'} says why; another model "
            "may do better, a larger --patience goes on with this one",
            err=True,
        )


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
    json_: Annotated[bool, json_of("the yields")] = False,
) -> None:
    """Let a language model write queries for functions, with the calls that answer them, and keep what holds.

    What is refused stands in rejected.jsonl with the reason. Stopped runs go on where they were when the same command
    is given again.
    """
    check_folder(out)
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
def _bar(count: int) -> Iterator[Callable[[Collected], None]]:
    with bars("refused {task.fields[refused]} rounds {task.fields[rounds]}", elapsed=True) as shown:
        bar = shown.add_task("kept", total=count, refused=0, rounds=0)
        yield lambda told: shown.update(bar, completed=told.kept, refused=told.refused.total(), rounds=told.rounds)


def _tell(out: Path, told: Collected, count: int, test: int, json_: bool) -> None:
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
