"""`camphor lab data write`: a language model writes queries and the agents solve them, as in the paper."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.ask import AdapterOption, ModelOption, ThreadsOption
from camphor.cli.bars import bars
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.agents.prompts import Form
    from camphor.agents.strategies.base import Strategy
    from camphor.models.base import LanguageModel
    from camphor_lab.datasets.llm.write import Progress, Solve, Told


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("write")(write)


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
    json_: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Let a language model write queries for phones and solve them step by step, and keep what holds.

    Look-ups are carried out on the phone, each solution is replayed on a fresh copy of it and checked. What is rejected
    stands in rejected.jsonl with the reason. Stopped runs go on where they were when the same command is given again.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file: name a folder")
    if devices is not None and not devices.is_dir():
        raise UsageError(f"{devices}: there is no such folder")
    from camphor.agents.prompts import Form
    from camphor.agents.strategies.registry import choose
    from camphor.cli.model import EMBEDDED, open_model
    from camphor_lab.datasets.llm.states import GivenStates, SampledStates
    from camphor_lab.datasets.llm.write import Plan
    from camphor_lab.datasets.llm.write import write as run

    tuned = model is None or model == EMBEDDED or adapter is not None
    choose(strategy, None, tuned=tuned, usual=Form.FULL)  # a wrong name is told before the model is loaded
    states = GivenStates(devices) if devices else SampledStates(seed)
    started = time.perf_counter()
    mind, usual = open_model(model, adapter, threads)
    work, form = choose(strategy, None, tuned=tuned, usual=usual)
    names = {"model": model or "embedded", "adapter": str(adapter or ""), "strategy": strategy, "form": form.value}
    plan = Plan(count, seed, batch, patience, second_opinion, names)
    try:
        with closing(mind), _bar(count) as progress:
            told = run(out, mind, _solver(mind, form, work), states, plan, progress)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Stopped: the same command goes on from here.") from None
    _tell(out, told, count, json_)
    if not json_:
        typer.echo(f"{time.perf_counter() - started:.0f} s")


def _solver(model: LanguageModel, form: Form, strategy: Strategy) -> Solve:
    """The assistant itself, with every action consented to."""
    from camphor.app import Assistant, run_to_end
    from camphor.device.device import Device
    from camphor.types import Turn

    def solve(query: str, device: Device) -> Turn:
        assistant = Assistant(device, model, form=form, strategy=strategy)
        return run_to_end(assistant, query, consent=True).trajectory.turn

    return solve


@contextmanager
def _bar(count: int) -> Iterator[Progress]:
    with bars("rejected {task.fields[rejected]}", elapsed=True) as shown:
        bar = shown.add_task("accepted", total=count, rejected=0)
        yield lambda told: shown.update(bar, completed=told.accepted, rejected=told.rejected.total())


def _tell(out: Path, told: Told, count: int, json_: bool) -> None:
    from camphor.cli.text import print_json

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
