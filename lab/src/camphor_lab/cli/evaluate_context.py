"""`camphor lab evaluate context`: how well the context of implicit queries is found, and what it is good for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.ask import AdapterOption, JsonOption, ModelOption, ThreadsOption
from camphor.cli.bars import bars
from camphor_lab.cli import evaluate_context_assistant, evaluate_context_plan
from camphor_lab.cli.evaluate_context_options import DataArgument, LimitOption, RankerOption, check_out, told_command

if TYPE_CHECKING:
    from camphor_lab.context.expansion import Expander
    from camphor_lab.evaluation.context_methods import Parts

app = typer.Typer(
    help="Measure how well the context of implicit queries is found, and what tools and plans gain by it.",
    no_args_is_help=True,
)
evaluate_context_plan.register(app)
evaluate_context_assistant.register(app)

OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", help="Where to write metrics and every query's ranks (JSON).")
]
TunedOption = Annotated[
    Path | None, typer.Option(help="The fine-tuned word vectors, in place of those that come with camphor.")
]
EncoderOption = Annotated[
    Path | None, typer.Option(help="The folder of a fine-tuned sentence encoder, for minilm-finetuned.")
]


@app.command("retrieval")
def retrieval(
    data: DataArgument,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="lexical, semantic, minilm, finetuned, minilm-finetuned, cot, cot-minilm, cot-finetuned, cot-nearest, "
            "lambdamart-rrf, hybrid or all; may be repeated. All that need no extra and no language model unless given."
        ),
    ] = None,
    out: OutOption = None,
    limit: LimitOption = None,
    tuned: TunedOption = None,
    encoder: EncoderOption = None,
    ranker: RankerOption = None,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    json_: JsonOption = False,
) -> None:
    """Recall@K and NDCG@K of the items that each query is about, with intervals over persons."""
    from camphor_lab.evaluation.context_data import ContextDataset
    from camphor_lab.evaluation.context_methods import chosen
    from camphor_lab.evaluation.context_retrieval import measure_context
    from camphor_lab.training.contrastive import TRAIN
    from camphor_lab.training.expansion_samples import expansion_samples

    check_out(out)
    dataset = ContextDataset(data, limit)
    with ExitStack() as stack:
        think = _expander(stack, model, adapter, threads, out)
        parts = _parts(tuned, encoder, ranker, think)
        parts.examples = lambda: list(expansion_samples(dataset.folder / TRAIN))
        methods = chosen(method or (), parts)
        with progress_bar(len(dataset.samples)) as bar:
            report = measure_context(dataset, methods, about={"command": told_command()}, progress=bar)
    _finish(report, out, json_, "items")
    if out:
        _thoughts(out).unlink(missing_ok=True)


@app.command("tools")
def tools(
    data: DataArgument,
    method: Annotated[str, typer.Option(help="What finds the items: one method of retrieval.")] = "lambdamart-rrf",
    retriever: Annotated[
        str, typer.Option(help="What finds the tools: a retriever of camphor lab retrieval.")
    ] = "static",
    out: OutOption = None,
    limit: LimitOption = None,
    tuned: TunedOption = None,
    ranker: RankerOption = None,
    json_: JsonOption = False,
) -> None:
    """Recall@K and NDCG@K of the tools that each query needs, with and without the items that it is about."""
    from camphor.retrieval.retrievers import retriever_named
    from camphor_lab.evaluation.context_data import ContextDataset
    from camphor_lab.evaluation.context_tools import measure_context_tools, ways

    check_out(out)
    compared = ways(retriever_named(retriever))
    dataset = ContextDataset(data, limit)
    context = _parts(tuned, None, ranker, None).method(method)
    about = {"command": told_command(), "method": method, "retriever": retriever}
    with progress_bar(len(dataset.samples)) as bar:
        report = measure_context_tools(dataset, compared, context, about=about, progress=bar)
    _finish(report, out, json_, "tools")


def _parts(
    tuned: Path | None, encoder: Path | None, ranker: Path | None, expander: Callable[[], Expander] | None
) -> Parts:
    from camphor_lab.evaluation.context_methods import Parts

    parts = Parts(expander, sentence_encoder=encoder)
    parts.tuned, parts.ranker = tuned or parts.tuned, ranker or parts.ranker
    return parts


def _expander(
    stack: ExitStack, model: str | None, adapter: Path | None, threads: int | None, out: Path | None
) -> Callable[[], Expander]:
    """Opens the model when a method first thinks. Thoughts are kept beside `out` until the run is done."""

    def opened() -> Expander:
        from camphor.cli.places import open_mind
        from camphor_lab.context.expansion import APPS, Kept, ModelExpander

        mind = open_mind(model, adapter, None, threads, untuned=adapter is None)
        apps = None if adapter else APPS
        thinker = ModelExpander(stack.enter_context(closing(mind.model)), apps)
        return Kept(thinker, _thoughts(out) if out else None)

    return opened


def _thoughts(out: Path) -> Path:
    return out.with_name(f"{out.name}.thoughts.jsonl")


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, told queries done and all."""
    with bars() as progress:
        task = progress.add_task("queries", total=total)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _finish(report: dict[str, Any], out: Path | None, json_: bool, what: str) -> None:
    from rich.console import Console

    from camphor.cli.text import print_json
    from camphor_lab.evaluation.results import write_report
    from camphor_lab.evaluation.sources import CONTEXT

    if out:
        write_report(out, report, CONTEXT)
        typer.echo(f"Results: {out}", err=True)
    if json_:
        print_json({key: value for key, value in report.items() if key != "items"})
    else:
        Console().print(_table(report, what))


def _table(report: dict[str, Any], what: str) -> Any:
    from rich.table import Table

    from camphor_lab.evaluation.tables import percent

    run = report["run"]
    ks = list(next(iter(report["methods"].values()))["recall"])
    title = f"Recall and NDCG at K in %, {run['queries']} queries, each with {run['among']:g} {what} to choose from"
    table = Table(title=title, title_justify="left")
    columns = (f"{name}@{k}" for name in ("R", "NDCG") for k in ks)
    for column in ("method", *columns, "ms/query"):
        table.add_column(column, justify="left" if column == "method" else "right")
    for name, told in report["methods"].items():
        figures = (percent(told[metric][k]) for metric in ("recall", "ndcg") for k in ks)
        table.add_row(name, *figures, f"{told['ms_per_query']:.1f}")
    return table
