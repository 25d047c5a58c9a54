"""`camphor lab evaluate context`: how well the context of implicit queries is found, and what it is good for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.options import AdapterOption, JsonOption, ModelOption, ThreadsOption
from camphor.errors import UsageError
from camphor_lab.cli.options import (
    Bar,
    DataArgument,
    LimitOption,
    RankerOption,
    ToolRetrieverOption,
    UntunedOption,
    check_out,
    check_untuned,
    hashes,
    say_where,
    show,
    stopped,
    told_command,
    told_word,
    without_items,
    written,
)

if TYPE_CHECKING:
    from camphor.models.base import LanguageModel
    from camphor_lab.context.finders import Expander
    from camphor_lab.datasets.context.given import PlannerInput
    from camphor_lab.evaluation.context_retrieval import RankerParts

app = typer.Typer(
    help="Measure how well the context of implicit queries is found, and what tools and plans gain by it.",
    no_args_is_help=True,
)
ALL_SETTINGS = "all"
PLAN_SETTINGS = ("none", "tools", "context", "oracle-tools", "oracle-both")

OutOption = Annotated[Path | None, written("metrics and every query's ranks")]
TunedOption = Annotated[
    Path | None, typer.Option(help="The fine-tuned word vectors, in place of those that come with camphor.")
]
EncoderOption = Annotated[
    Path | None, typer.Option(help="The folder of a fine-tuned sentence encoder, for minilm-finetuned.")
]


@app.command("plan")
def plan(
    data: DataArgument,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            help=f"What the planner is given: {', '.join(PLAN_SETTINGS)} or all; may be repeated. all unless given."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for context-plan-SETTING.json, a file each setting.")
    ] = None,
    method: Annotated[
        str, typer.Option(help="What finds the items: a method of camphor lab evaluate context retrieval.")
    ] = "lambdamart-rrf",
    retriever: ToolRetrieverOption = "light",
    top: Annotated[int, typer.Option(min=1, help="How many tools a retriever brings.")] = 5,
    ranker: RankerOption = None,
    untuned: UntunedOption = False,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    limit: LimitOption = None,
    threads: ThreadsOption = None,
    json_: JsonOption = False,
) -> None:
    """Plan accuracy, exact match and hallucination of the planner, with and without the context of each query.

    Stopped runs go on where they were when the same command is given again with --out.
    """
    settings = _plan_settings(setting)
    check_untuned(untuned, model, adapter)
    if out is not None and not out.is_dir():
        raise UsageError(f"{out} is no folder: make it first")
    from camphor_lab.datasets.context.given import ranked_by, usual_giver
    from camphor_lab.evaluation.context_planner import FILE, evaluate_planner
    from camphor_lab.evaluation.context_retrieval import RankerParts
    from camphor_lab.evaluation.dataset import ContextDataset

    for each in settings:
        check_out(out and out / FILE.format(setting=each.value))
    dataset = ContextDataset(data, limit)
    context = (RankerParts(ranker=ranker) if ranker else RankerParts()).method(method)
    giver = usual_giver(dataset.folder, ranked_by(context), retriever, top)
    with closing(_planner(model, adapter, threads, untuned)) as mind, Bar(len(dataset.samples)) as bar, stopped(out):
        reports = evaluate_planner(
            dataset,
            giver,
            mind,
            settings,
            name=told_word(model or "embedded"),
            told={"method": method, "retriever": retriever, **hashes(mind)},
            out=out,
            command=told_command(),
            progress=bar,
        )
    told = {each.value: report for each, report in reports.items()}
    show(json_, {name: without_items(each) for name, each in told.items()}, lambda: _plan_table(told))
    if out:
        typer.echo(f"Results: {out}/context-plan-*.json", err=True)


def _plan_settings(names: list[str] | None) -> list[PlannerInput]:
    wanted = names or [ALL_SETTINGS]
    unknown = next((name for name in wanted if name not in (*PLAN_SETTINGS, ALL_SETTINGS)), None)
    if unknown is not None:
        raise UsageError(
            f"There is no setting {unknown[:80]!r}: choose from {', '.join((*PLAN_SETTINGS, ALL_SETTINGS))}"
        )
    from camphor_lab.datasets.context.given import PlannerInput

    return [PlannerInput(name) for name in PLAN_SETTINGS if name in wanted or ALL_SETTINGS in wanted]


def _planner(model: str | None, adapter: Path | None, threads: int | None, untuned: bool) -> LanguageModel:
    """The model that --model names; the embedded one has the planner's adapter, else that for function calling."""
    from camphor.cli.model import EMBEDDED, open_mind
    from camphor.models.llama import shipped_adapter

    embedded = model is None or model == EMBEDDED
    chosen = adapter or (shipped_adapter("planner") if embedded and not untuned else None)
    return open_mind(model, chosen, "compact", threads, untuned=untuned).model


def _plan_table(reports: dict[str, dict[str, Any]]) -> Any:
    from camphor_lab.evaluation.context_planner import METRICS
    from camphor_lab.evaluation.report_files import with_interval
    from camphor_lab.evaluation.tables import rich_table

    queries = next(iter(reports.values()))["metrics"]["queries"]
    header = ("setting", *(name.replace("_", " ") for name in METRICS), "s a query")
    rows = (
        [name, *(with_interval(told["metrics"], each) or "-" for each in METRICS),
         f"{told['metrics']['seconds']['mean']:.2f}"]
        for name, told in reports.items()
    )  # fmt: skip
    return rich_table(header, rows, title=f"{queries} queries; in %, with 95% intervals over people")


@app.command("assistant")
def assistant(
    data: DataArgument,
    out: Annotated[Path | None, written("metrics and how each query ended")] = None,
    limit: LimitOption = None,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    json_: JsonOption = False,
) -> None:
    """Ask the assistant each query with and without the items that matter now, as ask --context and --no-context do.

    No action is done. Stopped runs go on where they were when the same command is given again with --out.
    """
    from camphor.cli.model import EMBEDDED, open_model
    from camphor_lab.evaluation.context_assistant import Both, evaluate_assistant
    from camphor_lab.evaluation.dataset import ContextDataset
    from camphor_lab.evaluation.values import SentenceBert

    check_out(out)
    dataset = ContextDataset(data, limit, of_nothing=True)
    mind, form = open_model(model, adapter, threads)
    with closing(mind), Bar(len(dataset.samples)) as bar, stopped(out):
        report = evaluate_assistant(
            dataset,
            Both(mind, form, similarity=SentenceBert()),
            name=told_word(model or EMBEDDED),
            told=hashes(mind),
            out=out,
            command=told_command(),
            progress=bar,
        )
    show(json_, without_items(report), lambda: _assistant_table(report["metrics"]))
    say_where(out)


def _assistant_table(metrics: dict[str, Any]) -> Any:
    from camphor_lab.evaluation.report_context import ASSISTANT_COLUMNS, assistant_rows, how_far
    from camphor_lab.evaluation.tables import rich_table

    title = f"{metrics['queries']} queries of {metrics['people']} people; in % but for seconds, 95% intervals"
    return rich_table(ASSISTANT_COLUMNS, assistant_rows(metrics), title=title, caption=how_far(metrics))


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
    from camphor_lab.evaluation.context_retrieval import chosen, measure_context
    from camphor_lab.evaluation.dataset import ContextDataset
    from camphor_lab.training.contrastive import TRAIN
    from camphor_lab.training.expansion_samples import expansion_samples

    check_out(out)
    dataset = ContextDataset(data, limit)
    with ExitStack() as stack:
        think = _expander(stack, model, adapter, threads, out)
        parts = _parts(tuned, encoder, ranker, think)
        parts.examples = lambda: list(expansion_samples(dataset.folder / TRAIN))
        methods = chosen(method or (), parts)
        with Bar(len(dataset.samples)) as bar:
            report = measure_context(dataset, methods, about={"command": told_command()}, progress=bar)
    _finish(report, out, json_, "items")
    if out:
        _thoughts(out).unlink(missing_ok=True)


@app.command("tools")
def tools(
    data: DataArgument,
    method: Annotated[str, typer.Option(help="What finds the items: one method of retrieval.")] = "lambdamart-rrf",
    retriever: ToolRetrieverOption = "static",
    out: OutOption = None,
    limit: LimitOption = None,
    tuned: TunedOption = None,
    ranker: RankerOption = None,
    json_: JsonOption = False,
) -> None:
    """Recall@K and NDCG@K of the tools that each query needs, with and without the items that it is about."""
    from camphor.retrieval.retrievers import retriever_named
    from camphor_lab.evaluation.context_retrieval import measure_context_tools, ways
    from camphor_lab.evaluation.dataset import ContextDataset

    check_out(out)
    compared = ways(retriever_named(retriever))
    dataset = ContextDataset(data, limit)
    context = _parts(tuned, None, ranker, None).method(method)
    about = {"command": told_command(), "method": method, "retriever": retriever}
    with Bar(len(dataset.samples)) as bar:
        report = measure_context_tools(dataset, compared, context, about=about, progress=bar)
    _finish(report, out, json_, "tools")


def _parts(
    tuned: Path | None, encoder: Path | None, ranker: Path | None, expander: Callable[[], Expander] | None
) -> RankerParts:
    from camphor_lab.evaluation.context_retrieval import RankerParts

    parts = RankerParts(expander, sentence_encoder=encoder)
    parts.tuned, parts.ranker = tuned or parts.tuned, ranker or parts.ranker
    return parts


def _expander(
    stack: ExitStack, model: str | None, adapter: Path | None, threads: int | None, out: Path | None
) -> Callable[[], Expander]:
    """Opens the model when a method first thinks. Thoughts are kept beside `out` until the run is done."""

    def opened() -> Expander:
        from camphor.cli.model import open_mind
        from camphor_lab.context.finders import APPS, KeptExpander, ModelExpander

        mind = open_mind(model, adapter, None, threads, untuned=adapter is None)
        apps = None if adapter else APPS
        thinker = ModelExpander(stack.enter_context(closing(mind.model)), apps)
        return KeptExpander(thinker, _thoughts(out) if out else None)

    return opened


def _thoughts(out: Path) -> Path:
    return out.with_name(f"{out.name}.thoughts.jsonl")


def _finish(report: dict[str, Any], out: Path | None, json_: bool, what: str) -> None:
    from camphor_lab.evaluation.results import write_report
    from camphor_lab.evaluation.sources import CONTEXT

    if out:
        write_report(out, report, CONTEXT)
    say_where(out)
    show(json_, without_items(report), lambda: _table(report, what))


def _table(report: dict[str, Any], what: str) -> Any:
    from camphor_lab.evaluation.tables import percent, rich_table

    run = report["run"]
    ks = list(next(iter(report["methods"].values()))["recall"])
    title = f"Recall and NDCG at K in %, {run['queries']} queries, each with {run['among']:g} {what} to choose from"
    header = ("method", *(f"{name}@{k}" for name in ("R", "NDCG") for k in ks), "ms/query")
    rows = (
        [name, *(percent(told[metric][k]) for metric in ("recall", "ndcg") for k in ks), f"{told['ms_per_query']:.1f}"]
        for name, told in report["methods"].items()
    )
    return rich_table(header, rows, title=title)


class MemoryWay(StrEnum):
    CAMPHOR = "camphor"
    MEM0 = "mem0"
    LETTA = "letta"


def memory(
    data: Annotated[Path, typer.Argument(help="A folder of scripted weeks (data/memory-development), or one file.")],
    out: Annotated[Path | None, written("metrics and what became of every turn")] = None,
    limit: LimitOption = None,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    way: Annotated[
        MemoryWay, typer.Option("--way", help="Whose way of keeping facts: mem0's and Letta's ask the untuned model.")
    ] = MemoryWay.CAMPHOR,
    json_: JsonOption = False,
) -> None:
    """Play weeks of what a person tells in passing: is it kept, and nothing else, and does it serve days later?

    No action is done. Stopped runs go on where they were when the same command is given again with --out.
    """
    from camphor.agents.memory.long_term import LongTermMemory
    from camphor.cli.model import EMBEDDED, open_mind, open_model
    from camphor_lab.evaluation.memory_peers import BlockMemory, ExtractedMemory
    from camphor_lab.evaluation.memory_weeks import WeekPlayer, Weeks, evaluate_weeks
    from camphor_lab.evaluation.values import SentenceBert

    check_out(out)
    dataset = Weeks(data, limit)
    mind, form = open_model(model, adapter, threads)
    with ExitStack() as stack:
        stack.enter_context(closing(mind))
        memory: Callable[..., LongTermMemory] = LongTermMemory
        if way is not MemoryWay.CAMPHOR:
            keeper = open_mind(None, None, None, threads, untuned=True).model
            stack.enter_context(closing(keeper))
            memory = partial(ExtractedMemory if way is MemoryWay.MEM0 else BlockMemory, mind=keeper)
        bar = stack.enter_context(Bar(len(dataset.weeks)))
        stack.enter_context(stopped(out))
        report = evaluate_weeks(
            dataset,
            WeekPlayer(mind, memory, SentenceBert(), form),
            name=told_word(model or EMBEDDED),
            told={**hashes(mind), "way": way.value},
            out=out,
            command=told_command(),
            progress=bar,
        )
    show(json_, without_items(report), lambda: _memory_table(report["metrics"]))
    say_where(out)


def _memory_table(metrics: dict[str, Any]) -> Any:
    from camphor_lab.evaluation.memory_weeks import SHARES
    from camphor_lab.evaluation.tables import rich_table

    rows = [
        [
            name.replace("_", " "),
            "" if metrics[name] is None else f"{100 * metrics[name]:.1f}",
            str(metrics["of"][name]),
        ]
        for name in SHARES
    ]
    title = f"{metrics['weeks']} weeks, {metrics['turns']} turns; {metrics['seconds']} s a turn"
    return rich_table(("", "%", "of"), rows, title=title)
