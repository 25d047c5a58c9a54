"""`camphor lab evaluate`: a dataset is run and scored."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.ask import AdapterOption, ContextOption, ModelOption, ThreadsOption
from camphor.cli.bars import bars
from camphor.errors import UsageError
from camphor_lab.cli import evaluate_context, evaluate_directions, evaluate_health, evaluate_pictures, evaluate_policies
from camphor_lab.cli.evaluate_context_options import check_out, stopped, told_command
from camphor_lab.cli.groups import add_command_with_subcommands

if TYPE_CHECKING:
    from camphor.agents.prompts import Form
    from camphor.agents.strategies.base import Strategy
    from camphor.models.base import LanguageModel
    from camphor_lab.evaluation.answerers import AssistantAnswerer

STRATEGIES = ("camphor", "static", "react", "reflexion", "autoact")
FORMS = ("names", "definitions", "compressed", "hinted", "instructed", "full")


def register(app: typer.Typer) -> None:
    """Add the command, whose first word may also be `context`, `health`, `directions`, `pictures` or `policies`."""
    add_command_with_subcommands(
        app,
        "evaluate",
        evaluate,
        context=evaluate_context.app,
        health=evaluate_health.health,
        directions=evaluate_directions.directions,
        pictures=evaluate_pictures.pictures,
        policies=evaluate_policies.policies,
    )


def evaluate(
    datasets: Annotated[
        list[Path],
        typer.Argument(metavar="DATASET...", help="JSONL files, one query a line; a folder stands for those in it."),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write metrics and every query's result (JSON).")
    ] = None,
    strategy: Annotated[str, typer.Option(help="How agents work together: " + ", ".join(STRATEGIES) + ".")] = "camphor",
    form: Annotated[
        str | None,
        typer.Option(help=f"What prompts say before the history: {', '.join(FORMS)}; as fits the model unless given."),
    ] = None,
    retrieve: Annotated[
        int | None, typer.Option(help="Only the so many tools of each agent that a retriever finds for the query.")
    ] = None,
    retriever: Annotated[str, typer.Option(help="What --retrieve asks: lexical, dense or hybrid.")] = "dense",
    model: ModelOption = None,
    limit: Annotated[int | None, typer.Option(help="Only the first so many queries.")] = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    context: ContextOption = True,
    memory: Annotated[bool, typer.Option("--memory", help="With the long-term memory that ask and chat have.")] = False,
    processes: Annotated[
        int, typer.Option(min=1, help="Divide the phones among so many processes, each with --threads threads.")
    ] = 1,
    without: Annotated[
        list[str] | None, typer.Option(metavar="POLICY", help="Switch a policy off; may be given again.")
    ] = None,
    floor: Annotated[
        Path | None, typer.Option(help="A file of bounds (data/everyday/floor.json): what is worse ends in status 1.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="An earlier result file: say what is better and worse now.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the metrics as JSON.")] = False,
) -> None:
    """Run every query of a dataset, each on a fresh copy of its device, and score the calls and the answers.

    Every action is consented to. A query that fails is a result. Stopped runs go on where they were when the same
    command is given again with --out.
    """
    if form is not None and form not in FORMS:
        raise UsageError(f"There is no form {form!r}: choose from {', '.join(FORMS)}")
    _chosen(strategy, form, model, adapter)  # a wrong name is told before the model is loaded
    off = _off(without or [], context)
    asked = _Asked(strategy, form, model, adapter, threads, off, memory, retrieve, retriever)
    narrow = _narrow(retrieve, retriever)
    from camphor_lab.evaluation.apart import run_apart
    from camphor_lab.evaluation.calling_data import is_calling_dataset
    from camphor_lab.evaluation.dataset import Dataset
    from camphor_lab.evaluation.floor import fallen, read_floor
    from camphor_lab.evaluation.results import read_report
    from camphor_lab.evaluation.runner import evaluate as run
    from camphor_lab.evaluation.runner import one_by_one
    from camphor_lab.evaluation.similarity import SentenceBert

    earlier = read_report(against) if against else None
    if calling := [path for path in datasets if is_calling_dataset(path)]:
        raise UsageError(
            f"{calling[0]} is a dataset of function calling: use  camphor lab evaluate-functions {calling[0]}"
        )
    data = Dataset(*datasets, limit=limit)
    check_out(out)
    bounds = read_floor(floor) if floor else {}
    similarity = SentenceBert()
    answerer, settings = asked.open(narrow)
    apart = partial(_apart, asked.answerer, processes, run_apart)
    with closing(answerer.model), Bar(len(data.items)) as bar, stopped(out):
        report = run(
            data,
            answerer,
            similarity,
            model=model or "embedded",
            strategy=strategy,
            settings=settings,
            run=apart if processes > 1 else one_by_one,
            out=out,
            command=told_command(),
            progress=bar,
        )
    _show(report, earlier, json_)
    if out:
        typer.echo(f"Results: {out}", err=True)
    if worse := fallen(report["metrics"], bounds):
        typer.echo(f"Below {floor}: {'; '.join(worse)}", err=True)
        raise typer.Exit(1)


@dataclass(frozen=True)
class _Asked:
    """The options that decide the answers, as another process can be given them."""

    strategy: str
    form: str | None
    model: str | None
    adapter: Path | None
    threads: int | None
    off: frozenset[str]
    memory: bool
    retrieve: int | None
    retriever: str

    def open(self, narrow: Callable[[Strategy], Strategy]) -> tuple[AssistantAnswerer, dict[str, Any]]:
        """The assistant with its model, and the settings to record."""
        from camphor.agents.bounds import Limits
        from camphor.cli.model import open_model
        from camphor_lab.evaluation.answerers import AssistantAnswerer

        mind, usual = open_model(self.model, self.adapter, self.threads)
        work, written = _chosen(self.strategy, self.form, self.model, self.adapter, usual)
        settings = _settings(mind, written, work)
        settings |= {"retrieve": self.retrieve, "retriever": self.retriever} if self.retrieve else {}
        settings |= {"off": sorted(self.off)} if self.off else {}
        settings |= {"memory": True} if self.memory else {}
        return AssistantAnswerer(mind, written, Limits(off=self.off), narrow(work), self.memory), settings

    def answerer(self) -> AssistantAnswerer:
        """The assistant, for a process of its own."""
        return self.open(_narrow(self.retrieve, self.retriever))[0]


def chosen_answerer(
    model: str | None, adapter: Path | None, threads: int | None, *, memory: bool
) -> tuple[AssistantAnswerer, dict[str, Any]]:
    """The assistant with a model as its options say, in the usual form and strategy, and the settings to record."""
    asked = _Asked("camphor", None, model, adapter, threads, frozenset(), memory, None, "dense")
    return asked.open(lambda strategy: strategy)


def _apart(make: Any, processes: int, run: Any, data: Any, answerer: Any, kept: Any, progress: Any) -> Any:
    """`runner.Run` on several processes; the answerer that is open here has said the settings, and does no more."""
    return run(data, make, processes, kept, progress)


def _chosen(
    strategy: str, form: str | None, model: str | None, adapter: Path | None, usual: Form | None = None
) -> tuple[Strategy, Form]:
    """The strategy and the form that the options mean; `usual` is how prompts for this model are written."""
    from camphor.agents.prompts import Form
    from camphor.agents.strategies.registry import choose
    from camphor.cli.model import EMBEDDED

    tuned = model is None or model == EMBEDDED or adapter is not None
    return choose(strategy, Form(form) if form else None, tuned=tuned, usual=usual or Form.NAMES)


def policies_named(names: list[str]) -> tuple[str, ...]:
    """The policies of these names; all where none are given. Raises UsageError: there is no such policy."""
    from camphor.agents.policies import known_names

    known = known_names()
    if strange := [name for name in names if name not in known]:
        raise UsageError(f"There is no policy {strange[0]!r}: choose from {', '.join(known)}")
    return tuple(names or known)


def _off(names: list[str], context: bool) -> frozenset[str]:
    """What is switched off. Raises: as `policies_named`."""
    return frozenset((*(policies_named(names) if names else ()), *(() if context else ("context_recall",))))


def _narrow(k: int | None, name: str) -> Callable[[Strategy], Strategy]:
    """What makes a strategy see only the `k` tools that the retriever of that name finds; nothing for None."""
    if k is None:
        return lambda strategy: strategy
    if k < 1:
        raise UsageError(f"--retrieve {k}: expected 1 or more")
    from camphor.retrieval.retrievers import retriever_named
    from camphor_lab.evaluation.retrieved import Retrieved

    found = retriever_named(name)
    found.scores("ready?", ())  # an embedding model is loaded now, so that the first query's time is its own
    return lambda strategy: Retrieved(strategy, k, found)


def _settings(mind: LanguageModel, form: Form, strategy: Strategy) -> dict[str, Any]:
    """What else decides the answers: prompts, loop, and SHA-256 of the very files that were loaded."""
    import hashlib

    from camphor.agents.orchestrator import orchestrate

    found: dict[str, Any] = {"form": form.value, "loop": "trained" if strategy is orchestrate else "told"}
    for name in ("model_path", "adapter_path"):
        path = getattr(mind, name, None)
        if path is not None:
            with path.open("rb") as file:
                found[name.removesuffix("_path")] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _show(report: dict[str, Any], earlier: dict[str, Any] | None, json_: bool) -> None:
    from camphor.cli.text import clean, print_json

    if json_:
        print_json(report["metrics"])
        return
    from rich.console import Console

    from camphor_lab.evaluation.tables import rich_tables

    Console().print(rich_tables(report["metrics"]))
    if earlier is not None:
        from camphor_lab.evaluation.compare import compare, show_comparison

        typer.echo(clean(show_comparison(compare(earlier, report))))


class Bar:
    """Progress on standard error: how many queries are done, and how many of them failed."""

    def __init__(self, total: int) -> None:
        self._progress = bars()
        self._task = self._progress.add_task("queries", total=total)
        self._failed = 0

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._progress.stop()

    def __call__(self, done: int, total: int, result: Any) -> None:
        self._failed += result.error is not None
        note = f"queries ({self._failed} failed)" if self._failed else "queries"
        self._progress.update(self._task, completed=done, total=total, description=note)
