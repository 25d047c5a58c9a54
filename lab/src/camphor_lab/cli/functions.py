"""`camphor lab evaluate-functions` and `evaluate-public`: sets of function calling are run and scored."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.model import open_mind
from camphor.cli.options import AdapterOption, JsonOption, ModelOption, ThreadsOption
from camphor.errors import UsageError
from camphor_lab.cli.options import (
    Bar,
    UntunedOption,
    check_form,
    check_out,
    check_untuned,
    hashes,
    say_where,
    show,
    stopped,
    told_command,
    without_items,
    written,
)

if TYPE_CHECKING:
    from camphor.models.base import LanguageModel
    from camphor_lab.evaluation.dataset import CallDataset, Choose

FORMS = ("compact", "code_short", "code", "json_short", "json")


def evaluate_functions(
    dataset: Annotated[
        Path, typer.Argument(help="A JSONL file, one request with its answers a line, or a text of examples.")
    ],
    out: Annotated[Path | None, written("metrics and every request's result")] = None,
    tools: Annotated[
        Path | None, typer.Option(help="The functions: JSON, JSON lines or a module. tools.json beside the dataset.")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(help=f"How prompts are written: {', '.join(FORMS)}. compact with an adapter, else json."),
    ] = None,
    shots: Annotated[int, typer.Option(min=0, help="So many examples in the prompt.")] = 0,
    examples: Annotated[
        Path | None, typer.Option(help="Where --shots come from; train.jsonl beside the dataset unless given.")
    ] = None,
    retriever: Annotated[
        str,
        typer.Option(
            help="What chooses the functions of a prompt: perfect (those needed), all (as camphor call shows them), or "
            "a real retriever."
        ),
    ] = "perfect",
    top: Annotated[int, typer.Option(min=1, help="How many functions a real retriever brings.")] = 5,
    unconstrained: Annotated[
        bool, typer.Option("--unconstrained", help="Let the model write without a grammar.")
    ] = False,
    must_call: Annotated[
        bool,
        typer.Option("--must-call", help="The grammar allows no answer without a call, where every request needs one."),
    ] = False,
    free_texts: Annotated[
        bool, typer.Option("--free-texts", help="Texts need not be words of the request (they must be in compact).")
    ] = False,
    untuned: UntunedOption = False,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    limit: Annotated[int | None, typer.Option(help="Only the first so many requests.")] = None,
    threads: ThreadsOption = None,
    json_: JsonOption = False,
) -> None:
    """Run every request of a dataset of function calling and score the calls by accuracy and soft accuracy.

    Stopped runs go on where they were when the same command is given again with --out.
    """
    check_form(form, FORMS)
    check_untuned(untuned, model, adapter)
    if unconstrained and must_call:
        raise UsageError("--must-call is a rule of the grammar, which --unconstrained leaves out: give one of them")
    check_out(out)
    from camphor_lab.evaluation.calling_run import Setup, evaluate_calling
    from camphor_lab.evaluation.dataset import CallDataset, FewShotExamples
    from camphor_lab.evaluation.tables import calling_tables
    from camphor_lab.evaluation.values import SentenceBert

    data = CallDataset(dataset, tools, limit)
    shown, choose = FewShotExamples(data, shots, examples), _chooser(data, retriever, top)
    similarity = SentenceBert()
    opened = open_mind(model, adapter, form, threads, untuned=untuned, tools=data.tools)
    setup = Setup(choose, shown, opened.form, not unconstrained, not must_call, False if free_texts else None)
    with closing(opened.model) as mind, Bar(len(data.samples)) as bar, stopped(out):
        report = evaluate_calling(
            data,
            mind,
            setup,
            similarity,
            name=model or "embedded",
            settings=_settings(mind, retriever, top),
            out=out,
            command=told_command(),
            progress=bar,
        )
    show(json_, report["metrics"], lambda: calling_tables(report["metrics"]))
    say_where(out)


def _chooser(data: CallDataset, retriever: str, top: int) -> Choose:
    from camphor.retrieval.retrievers import RETRIEVERS, retriever_named
    from camphor_lab.evaluation.dataset import ALL, PERFECT, perfect, retrieved, usual

    if retriever in (PERFECT, ALL):
        return (perfect if retriever == PERFECT else usual)(data)
    if retriever not in RETRIEVERS:
        known = ", ".join((PERFECT, ALL, *RETRIEVERS))
        raise UsageError(f"There is no retriever {retriever[:80]!r}: choose from {known}")
    return retrieved(data, retriever_named(retriever), top)


def _settings(mind: LanguageModel, retriever: str, top: int) -> dict[str, Any]:
    """What else decides the answers: what is shown, and SHA-256 of the very files that were loaded."""
    return {"retriever": retriever, **({"top": top} if retriever not in ("perfect", "all") else {}), **hashes(mind)}


def evaluate_public(
    file: Annotated[Path, typer.Argument(help="A JSONL file of a public set, one request with its functions a line.")],
    out: Annotated[Path | None, written("accuracies and every line's result")] = None,
    limit: Annotated[
        int | None, typer.Option(help="Only so many lines, drawn evenly from the categories; all unless given.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides which lines --limit draws.")] = 0,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    json_: JsonOption = False,
) -> None:
    """Score exact-match accuracy on a public function-calling set, by category, beside published figures.

    The functions of a line are tools of an app the model never saw; its calls are compared with the accepted values.
    """
    from rich.console import Console

    from camphor.cli.model import open_model
    from camphor_lab.evaluation.public import public_report, run_lines
    from camphor_lab.evaluation.public_lines import read_lines, sample
    from camphor_lab.evaluation.results import write_report

    lines = sample(read_lines(file), limit, seed)
    check_out(out)
    mind, _ = open_model(model, adapter, threads)
    with closing(mind), Console(stderr=True).status("answering") as status:
        outcomes = run_lines(lines, mind, lambda done, total, _: status.update(f"answering: {done} of {total} lines"))
    report = public_report(file, outcomes, model=model or "embedded", command=told_command(), seed=seed)
    if out:
        write_report(out, report)
    say_where(out)
    show(json_, without_items(report), lambda: _public_table(report))


def evaluate_modules(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A folder of modules, each with tools.json and requests.jsonl, or a file in Mobile Actions' form."
        ),
    ],
    out: Annotated[Path | None, written("shares and every request's result")] = None,
    beside: Annotated[int, typer.Option(min=0, help="Show so many other modules' functions too.")] = 0,
    form: Annotated[str | None, typer.Option(help=f"How prompts are written: {', '.join(FORMS)}.")] = None,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    json_: JsonOption = False,
) -> None:
    """Call functions that no model was trained on, all of a module shown, and count what is exactly right."""
    check_form(form, FORMS)
    check_out(out)
    from camphor_lab.datasets.mobile_actions import read_mobile_actions
    from camphor_lab.datasets.modules import read_modules, together
    from camphor_lab.evaluation.dataset import fingerprint
    from camphor_lab.evaluation.modules import call_modules, figures
    from camphor_lab.evaluation.results import write_report
    from camphor_lab.evaluation.sources import CALLING

    one_file = folder.is_file()
    modules = read_mobile_actions(folder) if one_file else read_modules(folder)
    opened = open_mind(model, adapter, form, threads, tools=[tool for module in modules for tool in module.tools])
    with closing(opened.model) as mind, Bar(sum(len(module.samples) for module in modules)) as bar:
        told = hashes(mind)
        done = call_modules(modules, mind, opened.form, lambda module: together(module, modules, beside), bar)
    inside = (path for module in modules if not one_file for path in module.folder.iterdir() if path.is_file())
    files = [folder] if one_file else sorted(inside)
    settings = {"form": opened.form.value, "beside": beside, **told}
    run = {
        "command": told_command(),
        "dataset": folder.name,
        "dataset_sha256": fingerprint(files),
        "model": model or "embedded",
        "settings": settings,
    }
    metrics = figures(done)
    report = {"metrics": metrics, "run": run, "items": [each.to_json() for each in done]}
    if out:
        write_report(out, report, CALLING)
    show(json_, without_items(report), lambda: _modules_table(metrics))
    say_where(out)


def _modules_table(metrics: dict[str, Any]) -> Any:
    from camphor_lab.evaluation.tables import between, percent, rich_table

    rows = [[tag, str(told["requests"]), percent(told["right"]), ""] for tag, told in metrics["by_tag"].items()]
    rows.append(["all", str(metrics["requests"]), percent(metrics["right"]), between(metrics["interval_95"])])
    return rich_table(("requests", "", "right", "95%"), rows, title="exactly right, %")


def _public_table(report: dict[str, Any]) -> Any:
    from camphor_lab.evaluation.tables import between, percent, rich_table

    rows = [
        [name, str(told["lines"]), percent(told["accuracy"]), between(told["interval_95"])]
        for name, told in {**report["categories"], "all lines": report}.items()
    ]
    rows += [[f"published: {name}", "", percent(accuracy), ""] for name, accuracy in report["published"].items()]
    return rich_table(("category", "lines", "right", "95%"), rows, title="exact match, %", caption=report["harness"])
