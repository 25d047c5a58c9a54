"""`camphor lab evaluate health`, `directions` and `pictures`: the health assistant, and prescriptions that are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.agents.health.case import HealthStrategy
from camphor.cli.options import AdapterOption, JsonOption, ModelOption, ThreadsOption
from camphor.cli.text import bars, clean, print_json, print_table
from camphor.errors import UsageError
from camphor_lab.cli.options import Bar, check_out, hashes, say_where, show, stopped, told_command, told_word, written

if TYPE_CHECKING:
    from camphor.models.base import LanguageModel
    from camphor_lab.evaluation.directions import ReadDirections, ScoredDirections
    from camphor_lab.evaluation.health_data import RunOptions
    from camphor_lab.evaluation.health_lines import UrgencyItems
    from camphor_lab.evaluation.health_turns import Minds


def health(
    data: Annotated[
        Path | None,
        typer.Argument(help="A folder made by camphor lab data health (its test split), or one split's file."),
    ] = None,
    flows: Annotated[bool, typer.Option("--flows", help="Whole cases on their phones, in place of turns.")] = False,
    specialists: Annotated[
        Path | None, typer.Option(help="Hand-written descriptions: is the right specialist looked for?")
    ] = None,
    red_flags: Annotated[
        Path | None, typer.Option("--red-flags", help="Hand-written lines: are the emergencies found? Needs no model.")
    ] = None,
    talks: Annotated[
        Path | None, typer.Option(help="Scripted talks: is anything kept that was not said? Needs no model.")
    ] = None,
    strategy: Annotated[
        HealthStrategy, typer.Option(help="Of --talks: the coded interview, or the paper's planner and caller.")
    ] = HealthStrategy.INTERVIEW,
    urgency: Annotated[
        Path | None,
        typer.Option(help="Hand-written lines, a file or a folder: now, today or routine? Needs no model."),
    ] = None,
    list_wrong: Annotated[
        bool, typer.Option("--show", help="With --urgency: print the words that were missed or raised an alarm.")
    ] = False,
    use_case: Annotated[list[str] | None, typer.Option(help="Only these cases; may be repeated.")] = None,
    out: Annotated[Path | None, written("metrics and every case's result")] = None,
    limit: Annotated[int | None, typer.Option(help="Only so many, drawn evenly from the whole.")] = None,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    caller_adapter: Annotated[
        Path | None, typer.Option(help="The caller's adapter, where --adapter is the planner's alone.")
    ] = None,
    threads: ThreadsOption = None,
    json_: JsonOption = False,
) -> None:
    """Score the health assistant: its two agents turn by turn, whole cases, words that people wrote, or whole talks.

    Stopped runs go on where they were when the same command is given again with --out.

    \b
    camphor lab evaluate health runs/health --out results/health-turns.json
    camphor lab evaluate health runs/health --flows --out results/health-flows.json
    camphor lab evaluate health --specialists data/health-test/specialists.jsonl --out results/health-specialists.json
    camphor lab evaluate health --red-flags data/health-test/red-flags.jsonl --out results/health-red-flags.json
    camphor lab evaluate health --talks data/health-talks-test/items.jsonl --out results/health-talks-test.json
    camphor lab evaluate health --urgency data/health-urgency-test --out results/health-urgency-test.json
    """
    if sum(each is not None for each in (data, specialists, red_flags, talks, urgency)) != 1:
        raise UsageError(
            "One is measured at a time: give a folder of cases, --specialists FILE, --red-flags FILE, --talks FILE or "
            "--urgency FILE"
        )
    if data is None and (flows or use_case):
        raise UsageError("--flows and --use-case are about recorded cases: give their folder")
    check_out(out)
    with stopped(out), ExitStack() as opened:
        work = _Work(opened, out, limit, (model, adapter, caller_adapter, threads))
        if data is not None:
            report = work.flows(data, use_case or ()) if flows else work.turns(data, use_case or ())
        elif specialists is not None:
            report = work.specialists(specialists)
        elif talks is not None:
            report = work.talks(talks, strategy)
        elif urgency is not None:
            report = work.urgency(urgency, list_wrong, json_)
        else:
            report = work.flags(red_flags or Path())
    if urgency is None:
        from camphor_lab.evaluation.report_health import health_tables

        show(json_, report["metrics"], lambda: health_tables(report["metrics"]))
    say_where(out)


class _Work:
    """One measurement with what the options say of it; data are read before the model is opened."""

    def __init__(
        self, opened: ExitStack, out: Path | None, limit: int | None,
        mind: tuple[str | None, Path | None, Path | None, int | None],
    ) -> None:  # fmt: skip
        self._opened, self._out, self._limit, self._mind = opened, out, limit, mind

    def turns(self, data: Path, use_cases: Any) -> dict[str, Any]:
        from camphor_lab.evaluation.health_data import HealthDataset
        from camphor_lab.evaluation.health_turns import STRATEGY, evaluate_turns
        from camphor_lab.training.health import shuffled_tools

        dataset = HealthDataset(data, self._limit, use_cases)
        models, settings = self._models()
        return evaluate_turns(dataset, models, shuffled_tools, self._run(STRATEGY, len(dataset.cases), settings))

    def flows(self, data: Path, use_cases: Any) -> dict[str, Any]:
        from camphor_lab.evaluation.health_data import HealthDataset
        from camphor_lab.evaluation.health_flows import STRATEGY, evaluate_flows

        dataset = HealthDataset(data, self._limit, use_cases)
        models, settings = self._models()
        return evaluate_flows(dataset, models, self._run(STRATEGY, len(dataset.cases), settings))

    def specialists(self, path: Path) -> dict[str, Any]:
        from camphor_lab.evaluation.health_data import HealthLines
        from camphor_lab.evaluation.health_lines import SPECIALIST_STRATEGY, evaluate_specialists

        dataset = HealthLines(path, self._limit)
        models, settings = self._models()
        return evaluate_specialists(dataset, models, self._run(SPECIALIST_STRATEGY, len(dataset.lines), settings))

    def flags(self, path: Path) -> dict[str, Any]:
        from camphor_lab.evaluation.health_data import HealthLines
        from camphor_lab.evaluation.health_lines import FLAG_STRATEGY, evaluate_flags

        dataset = HealthLines(path, self._limit)
        return evaluate_flags(dataset, self._run(FLAG_STRATEGY, len(dataset.lines), {}, model=""))

    def talks(self, path: Path, strategy: HealthStrategy) -> dict[str, Any]:
        from camphor_lab.evaluation.health_talks import STRATEGY, HealthTalks, evaluate_talks

        dataset = HealthTalks(path, self._limit)
        settings: dict[str, Any] = {"strategy": strategy.value}
        if strategy is HealthStrategy.INTERVIEW:
            return evaluate_talks(dataset, None, strategy, self._run(STRATEGY, len(dataset.talks), settings, model=""))
        model = self._opened_model(self._mind[1])
        run = self._run(STRATEGY, len(dataset.talks), {**settings, **hashes(model)})
        return evaluate_talks(dataset, model, strategy, run)

    def urgency(self, path: Path, list_wrong: bool, json_: bool) -> dict[str, Any]:
        from camphor_lab.evaluation.health_lines import STRATEGY, UrgencyItems, evaluate_urgency

        dataset = UrgencyItems(path)
        report = evaluate_urgency(dataset, self._run(STRATEGY, len(dataset.items), {}, model=""))
        _show_urgency(report, dataset, list_wrong, json_)
        return report

    def _opened_model(self, adapter: Path | None) -> LanguageModel:
        from camphor.cli.model import HEALTH, open_model

        name, _, _, threads = self._mind
        return self._opened.enter_context(closing(open_model(name, adapter, threads, HEALTH)[0]))

    def _models(self) -> tuple[Minds, dict[str, Any]]:
        """The agents' models, and the hashes of what was loaded."""
        from camphor_lab.evaluation.health_turns import minds

        _, adapter, caller_adapter, _ = self._mind
        planner = self._opened_model(adapter)
        settings: dict[str, Any] = hashes(planner)
        if caller_adapter is None:
            return minds(planner), settings
        caller = self._opened_model(caller_adapter)
        return minds(planner, caller), {**settings, "caller": hashes(caller)}

    def _run(self, strategy: str, total: int, settings: dict[str, Any], model: str | None = None) -> RunOptions:
        from camphor_lab.evaluation.health_data import RunOptions

        name = told_word(self._mind[0] or "embedded") if model is None else model
        progress: Callable[[int, int, Any], None] = self._opened.enter_context(Bar(total))
        return RunOptions(strategy, name, settings, self._out, told_command(), progress)


def _show_urgency(report: dict[str, Any], dataset: UrgencyItems, list_wrong: bool, json_: bool) -> None:
    from camphor_lab.evaluation.report_health import urgency_tables

    metrics = report["metrics"]
    show(json_, metrics, lambda: urgency_tables(metrics))
    wrong = {*metrics["missed"], *metrics["alarms"]} if list_wrong else set()
    for row, item in zip(report["items"], dataset.items, strict=True):
        if row["id"] in wrong:
            words = " / ".join(item.turns)
            typer.echo(clean(f"{item.id}  {item.level}, taken as {row['verdict']} ({item.kind}): {words}"), err=json_)


# `camphor lab evaluate directions` and `pictures`: prescriptions are read right, in doubt, or silently wrong.

ShowOption = Annotated[bool, typer.Option("--show", help="Also list what is silently wrong, field by field.")]
DoubtsOption = Annotated[bool, typer.Option("--doubts", help="Also list what is in doubt, and why.")]
OutOption = Annotated[Path | None, written("metrics and which items are wrong")]


def directions(
    data: Annotated[Path, typer.Argument(help="A folder of directions with what they mean, or one of its files.")],
    show: ShowOption = False,
    doubts: DoubtsOption = False,
    tags: Annotated[bool, typer.Option("--tags", help="Also count by tag.")] = False,
    out: OutOption = None,
    json_: JsonOption = False,
) -> None:
    """Score the reading of directions: right and certain, in doubt, and silently wrong, which must be 0.

    Silently wrong is what the reader is certain of and the gold says otherwise, and what it leaves out without a doubt.

    \b
    camphor lab evaluate directions data/directions-development --show
    camphor lab evaluate directions data/directions-development/a.jsonl --doubts
    """
    from camphor_lab.evaluation.directions import evaluate, fingerprint, metrics

    check_out(out)
    scored = evaluate(data, _read)
    told = metrics(scored)
    if out:
        _write(out, fingerprint(data), told, scored)
    if json_:
        print_json(told)
    else:
        _table(told, tags)
    _show_scored(scored, show, doubts)


def pictures(
    data: Annotated[Path, typer.Argument(help="A folder of pictures with what they say (items.jsonl).")],
    show: ShowOption = False,
    doubts: DoubtsOption = False,
    tags: Annotated[bool, typer.Option("--tags", help="Also count by layout, and by how hard a picture is.")] = False,
    out: OutOption = None,
    json_: JsonOption = False,
) -> None:
    """Score the reading of pictures, a medicine at a time: right and certain, in doubt, and silently wrong, to be 0.

    Each picture is recognised and read as for the person, which takes some seconds.

    \b
    camphor lab evaluate pictures data/prescription-pictures-development --show --doubts
    """
    from camphor.health.prescriptions.ocr import read_file
    from camphor_lab.evaluation.pictures import evaluate, fingerprint, metrics, read_items

    check_out(out)
    with bars() as bar:
        task = bar.add_task("Pictures", total=len(read_items(data)))
        scored = evaluate(data, read_file, lambda: bar.advance(task))
    told = metrics(scored)
    if out:
        _write(out, fingerprint(data), told, scored)
    if json_:
        print_json(told)
    else:
        _table(told, tags)
        typer.echo(f"{told['extra_in_doubt']} lines that are no medicine were taken for one, in doubt")
    _show_scored(scored, show, doubts)


def _read(text: str) -> ReadDirections:
    from camphor.health.prescriptions.parse import read_checked
    from camphor_lab.evaluation.directions import ReadDirections

    said = read_checked(text)
    fields = frozenset(name for each in said.doubts for name in each.fields)
    return ReadDirections(said.to_json(), fields, tuple(each.why for each in said.doubts))


def _write(out: Path, fingerprint: str, told: dict[str, Any], scored: list[ScoredDirections]) -> None:
    """Writes metrics, and which items are silently wrong in which fields: never their words, which nobody may read."""
    from camphor_lab.evaluation.directions import WRONG
    from camphor_lab.evaluation.results import write_report
    from camphor_lab.evaluation.sources import PRESCRIPTIONS

    wrong = [{"id": each.id, "wrong": [name for name, _, _ in each.wrong]} for each in scored if each.outcome == WRONG]
    run = {
        "command": told_command(),
        "dataset_sha256": fingerprint,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_report(out, {"metrics": told, "run": run, "silently_wrong": wrong}, PRESCRIPTIONS)


def _table(told: dict[str, Any], tags: bool) -> None:
    rows = [[name, str(count), f"{told['shares'][name]:.1%}"] for name, count in told["outcomes"].items()]
    print_table(["", "items", "share"], [*rows, ["all", str(told["items"]), ""]])
    if told["wrong_fields"]:
        print_table(["silently wrong", "items"], [[name, str(count)] for name, count in told["wrong_fields"].items()])
    if tags:
        outcomes = list(told["outcomes"])
        rows = [[tag, *(str(counts[name]) for name in outcomes)] for tag, counts in told["by_tag"].items()]
        print_table(["tag", *outcomes], rows)


def _show_scored(scored: list[ScoredDirections], wrong: bool, doubts: bool) -> None:
    """Lists what is silently wrong, then what is in doubt, as far as it is asked for."""
    from camphor_lab.evaluation.directions import DOUBT, WRONG

    for each in scored if wrong else ():
        if each.outcome == WRONG:
            typer.echo(f"{each.id}: {each.text!r}")
            for name, read, right in each.wrong:
                typer.echo(f"    {name}: read {json.dumps(read)}, right {json.dumps(right)}")
    for each in scored if doubts else ():
        if each.outcome == DOUBT:
            typer.echo(f"{each.id}: {each.text!r}")
            for why in each.whys:
                typer.echo(f"    {why}")
