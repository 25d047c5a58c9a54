"""`camphor lab evaluate`, `evaluate policies`, `retrieval`: a dataset is run and scored; and `camphor lab report`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.options import AdapterOption, ContextOption, JsonOption, ModelOption, ThreadsOption
from camphor.cli.text import bars, clean, print_json, print_table
from camphor.errors import UsageError
from camphor_lab.cli.options import (
    Bar,
    DatasetsArgument,
    MemoryOption,
    check_form,
    check_out,
    hashes,
    json_of,
    say_where,
    show,
    stopped,
    told_command,
    written,
)

if TYPE_CHECKING:
    from camphor.agents.prompts import Form
    from camphor.agents.strategies.base import Strategy
    from camphor_lab.evaluation.runner import AssistantAnswerer


STRATEGIES = ("camphor", "single_agent", "agents", "static", "react", "reflexion", "autoact")
CHATTING = ("single_agent", "agents")
"""Those for a server's model."""
FORMS = ("names", "definitions", "compressed", "hinted", "instructed", "full")


def evaluate(
    datasets: DatasetsArgument,
    out: Annotated[Path | None, written("metrics and every query's result")] = None,
    strategy: Annotated[str, typer.Option(help="How agents work together: " + ", ".join(STRATEGIES) + ".")] = "camphor",
    form: Annotated[
        str | None,
        typer.Option(help=f"What prompts say before the history: {', '.join(FORMS)}; as fits the model unless given."),
    ] = None,
    retrieve: Annotated[
        int | None, typer.Option(help="Only the so many tools of each agent that a retriever finds for the query.")
    ] = None,
    retriever: Annotated[
        str, typer.Option(help="What --retrieve asks: lexical, static, light, dense or hybrid.")
    ] = "dense",
    model: ModelOption = None,
    limit: Annotated[int | None, typer.Option(help="Only the first so many queries.")] = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    context: ContextOption = True,
    memory: MemoryOption = False,
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
    json_: Annotated[bool, json_of("the metrics")] = False,
) -> None:
    """Run every query of a dataset, each on a fresh copy of its device, and score the calls and the answers.

    Every action is consented to. A query that fails is a result. Stopped runs go on where they were when the same
    command is given again with --out.
    """
    check_form(form, FORMS)
    _chosen(strategy, form, model, adapter)  # a wrong name is told before the model is loaded
    off = _off(without or [], context)
    if retrieve is not None and strategy in CHATTING:
        raise UsageError(f"--strategy {strategy} shows a model the whole phone: leave --retrieve out")
    asked = _Asked(model, adapter, threads, memory, strategy, form, off, retrieve, retriever)
    narrow = _narrow(retrieve, retriever)
    from camphor_lab.evaluation.compare import fallen, read_floor
    from camphor_lab.evaluation.dataset import Dataset, is_calling_dataset
    from camphor_lab.evaluation.results import read_report
    from camphor_lab.evaluation.runner import evaluate as run
    from camphor_lab.evaluation.runner import one_by_one, run_apart
    from camphor_lab.evaluation.values import SentenceBert

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
    say_where(out)
    if worse := fallen(report["metrics"], bounds):
        typer.echo(f"Below {floor}: {'; '.join(worse)}", err=True)
        raise typer.Exit(1)


@dataclass(frozen=True)
class _Asked:
    """The options that decide the answers, as another process can be given them."""

    model: str | None
    adapter: Path | None
    threads: int | None
    memory: bool
    strategy: str = "camphor"
    form: str | None = None
    off: frozenset[str] = frozenset()
    retrieve: int | None = None
    retriever: str = "dense"

    def open(self, narrow: Callable[[Strategy], Strategy]) -> tuple[AssistantAnswerer, dict[str, Any]]:
        """The assistant with its model, and the settings to record."""
        from camphor.agents.bounds import Limits
        from camphor.agents.orchestrator import orchestrate
        from camphor.agents.strategies.registry import check_model
        from camphor.cli.model import open_model
        from camphor_lab.evaluation.runner import AssistantAnswerer

        mind, usual = open_model(self.model, self.adapter, self.threads)
        check_model(self.strategy, mind)
        work, form = _chosen(self.strategy, self.form, self.model, self.adapter, usual)
        settings: dict[str, Any] = {"form": form.value, "loop": "trained" if work is orchestrate else "told"}
        settings |= hashes(mind)
        settings |= {"retrieve": self.retrieve, "retriever": self.retriever} if self.retrieve else {}
        settings |= {"off": sorted(self.off)} if self.off else {}
        settings |= {"memory": True} if self.memory else {}
        return AssistantAnswerer(mind, form, Limits(off=self.off), narrow(work), self.memory), settings

    def answerer(self) -> AssistantAnswerer:
        """The assistant, for a process of its own."""
        return self.open(_narrow(self.retrieve, self.retriever))[0]


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


def _policies_named(names: list[str]) -> tuple[str, ...]:
    """The policies of these names; all where none are given. Raises UsageError: there is no such policy."""
    from camphor.agents.policies import known_names

    known = known_names()
    if strange := [name for name in names if name not in known]:
        raise UsageError(f"There is no policy {strange[0]!r}: choose from {', '.join(known)}")
    return tuple(names or known)


def _off(names: list[str], context: bool) -> frozenset[str]:
    """What is switched off. Raises: as `_policies_named`."""
    from camphor.agents.relevant import POLICIES

    return frozenset((*(_policies_named(names) if names else ()), *(() if context else POLICIES)))


def _narrow(k: int | None, name: str) -> Callable[[Strategy], Strategy]:
    """What makes a strategy see only the `k` tools that the retriever of that name finds; nothing for None."""
    if k is None:
        return lambda strategy: strategy
    if k < 1:
        raise UsageError(f"--retrieve {k}: expected 1 or more")
    from camphor.retrieval.retrievers import retriever_named
    from camphor_lab.evaluation.retrieval import Retrieved

    found = retriever_named(name)
    found.scores("ready?", ())  # an embedding model is loaded now, so that the first query's time is its own
    return lambda strategy: Retrieved(strategy, k, found)


def _show(report: dict[str, Any], earlier: dict[str, Any] | None, json_: bool) -> None:
    from camphor_lab.evaluation.tables import rich_tables

    show(json_, report["metrics"], lambda: rich_tables(report["metrics"]))
    if earlier is not None and not json_:
        from camphor_lab.evaluation.compare import compare, show_comparison

        typer.echo(clean(show_comparison(compare(earlier, report))))


def policies(
    datasets: DatasetsArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the figures (JSON), after each policy.")],
    without: Annotated[
        list[str] | None, typer.Option(metavar="POLICY", help="Only this one; may be given again. All unless given.")
    ] = None,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    memory: MemoryOption = False,
    limit: Annotated[int | None, typer.Option(help="Only the first so many queries of each dataset.")] = None,
) -> None:
    """Answer every query with all policies, and again with each of them switched off.

    A policy that changes nothing for the better is one to delete. The model is asked the same thing only once. A run
    that was stopped goes on where it was when the same command is given again.

    \b
    camphor lab evaluate policies data/everyday data/handwritten-development --memory --out policies.json
    camphor lab evaluate policies data/everyday --without repeated_calls --out policies.json
    """
    from camphor_lab.evaluation.compare import FIGURES, ablate, table
    from camphor_lab.evaluation.dataset import Dataset
    from camphor_lab.evaluation.values import SentenceBert

    names = _policies_named(without or [])
    check_out(out)
    data = {path.name: Dataset(path, limit=limit) for path in datasets}
    if len(data) < len(datasets):
        raise UsageError("Two of the datasets have the same name: give one of them another")
    answerer, settings = _Asked(model, adapter, threads, memory).open(lambda strategy: strategy)
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
    say_where(out)


def agreement(
    datasets: DatasetsArgument,
    answers: Annotated[
        list[Path],
        typer.Option(help="One person's answers, lines of {id, calls}, under their file's name; again for each."),
    ],
    out: Annotated[Path | None, written("the figures, and which queries each pair agreed on")] = None,
    json_: JsonOption = False,
) -> None:
    """How often people agree: answers by hand, scored against the gold and against one another.

    What people who know the task do not agree on no model can be right about: it is the ceiling of every score on such
    queries.

    \b
    camphor lab evaluate agreement data/handwritten-development --answers a.jsonl --answers b.jsonl
    """
    from camphor_lab.evaluation.agreement import FIGURES, agreement, read_answers
    from camphor_lab.evaluation.dataset import Dataset, fingerprint
    from camphor_lab.evaluation.results import write_report
    from camphor_lab.evaluation.sources import DEVICE
    from camphor_lab.evaluation.values import SentenceBert

    hands = {path.stem: read_answers(path) for path in answers}
    if len(hands) < len(answers):
        raise UsageError("Two files of answers have the same name: give one of them another")
    data = Dataset(*datasets)
    check_out(out)
    found = agreement(data, hands, SentenceBert())
    run = {"command": told_command(), "dataset_sha256": data.fingerprint, "answers_sha256": fingerprint(answers)}
    if out:
        write_report(out, {**found, "run": run}, DEVICE)
    say_where(out)
    if json_:
        print_json({key: found[key] for key in ("items", "agreement")})
        return
    shown = FIGURES[:-1]
    rows = [[pair, *(f"{100 * figures[name]:.1f}" for name in shown)] for pair, figures in found["agreement"].items()]
    print_table([f"{found['items']} queries", *(name.replace("_", " ") for name in shown)], rows)


# `camphor lab retrieval`, how often a retriever finds the tools that a query needs, and `camphor lab report`.


def retrieval(
    dataset: Annotated[Path, typer.Argument(help="A JSONL file, one query a line.")],
    out: Annotated[Path | None, written("recall and every query's ranks")] = None,
    retriever: Annotated[
        list[str] | None,
        typer.Option(
            help="lexical, static, light (both, without an extra), dense or hybrid; may be repeated; all unless given."
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Only the first so many queries.")] = None,
    json_: JsonOption = False,
) -> None:
    """Measure recall at K of tool retrieval for the two agents whose tools differ from phone to phone."""
    from rich.console import Console, Group

    from camphor.retrieval.retrievers import RETRIEVERS, retriever_named
    from camphor_lab.evaluation.dataset import Dataset
    from camphor_lab.evaluation.results import write_report
    from camphor_lab.evaluation.retrieval import measure_retrieval
    from camphor_lab.evaluation.sources import RETRIEVAL

    chosen = {name: retriever_named(name) for name in retriever or RETRIEVERS}
    data = Dataset(dataset, limit=limit)
    check_out(out)
    with Console(stderr=True).status("ranking") as status:
        report = measure_retrieval(
            data,
            chosen,
            command=told_command(),
            progress=lambda done, total: status.update(f"ranking: {done} of {total} queries"),
        )
    if out:
        write_report(out, report, RETRIEVAL)
    say_where(out)
    show(
        json_,
        {key: report[key] for key in ("agents", "run")},
        lambda: Group(*(_table(agent, figures) for agent, figures in report["agents"].items())),
    )


def _table(agent: str, figures: dict[str, Any]) -> Any:
    from camphor_lab.evaluation.tables import percent, rich_table

    ks = list(next(iter(figures["retrievers"].values()))["recall"])
    rows = (
        [name, *(percent(found["recall"][k]) for k in ks), percent(found["all_found"].get("5"))]
        for name, found in figures["retrievers"].items()
    )
    title = f"{agent}: recall at K in %, {figures['queries']} queries"
    return rich_table(("retriever", *(f"K = {k}" for k in ks), "all found at 5"), rows, title=title)


def report(
    results: Annotated[Path, typer.Option(help="The folder with the result files.")] = Path("results"),
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Where to write: OUT.md, and OUT-*.png beside it; into a folder, report.md."),
    ] = Path("docs/report"),
    html: Annotated[bool, typer.Option("--html", help="OUT.html as well: one file with all pictures within.")] = False,
) -> None:
    """Rebuild every table and plot from the result files, beside the papers' figures."""
    from camphor_lab.evaluation.report import write_page
    from camphor_lab.evaluation.report_files import Results

    out = out / "report" if out.is_dir() else out
    if not out.parent.is_dir():
        raise UsageError(f"{out} cannot be written: name a place in a folder that exists")
    written = write_page(Results(results), out, as_html=html)
    for path in written.files:
        typer.echo(path)
    if written.incomplete:
        typer.echo(
            f"Result files are missing for: {'; '.join(written.incomplete)}. The page says how to make them.", err=True
        )
