"""`camphor lab data`: datasets are made, described and written in other forms."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.text import bars, print_json
from camphor.errors import UsageError
from camphor_lab.cli import data_generate, data_write
from camphor_lab.cli.options import ProcessesOption, check_folder, json_of

if TYPE_CHECKING:
    from rich.progress import TaskID

    from camphor_lab.datasets.generate import DatasetSummary

app = typer.Typer(help="Make, describe and export datasets.", no_args_is_help=True)
app.command()(data_write.write)
app.command()(data_write.instruct)
app.command()(data_generate.calls)
app.command()(data_generate.collect)
app.command()(data_generate.context)
app.command()(data_generate.conversations)
app.command()(data_generate.health)

SPLITS = ("train", "test")
FORMATS = ("pairs", "chat", "openai", "parquet")
FORMS = ("names", "definitions", "instructed", "full")


@app.callback()
def _data() -> None:
    """Make, describe and export datasets."""


@app.command("generate")
def generate(
    out: Annotated[
        Path, typer.Argument(help="The folder to write to: train.jsonl, test.jsonl, phones under devices/.")
    ],
    split: Annotated[
        str | None, typer.Option(help="train or test alone; both unless given. They share no person or sentence.")
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(min=1, help="How many queries; the paper's 3,410 (2,728 and 682) unless given."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same dataset.")] = 7,
    situation: Annotated[
        list[str] | None, typer.Option(help="Only wishes of this kind, such as impossible; may be given again.")
    ] = None,
    processes: ProcessesOption = None,
    ray: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Work on a Ray cluster: local, auto or its address.")
    ] = None,
    handwritten: Annotated[
        Path | None,
        typer.Option(help="A folder of hand-written sets, such as data/handwritten: varied into handwritten.jsonl."),
    ] = None,
    variants: Annotated[int, typer.Option(min=0, help="Variations of each hand-written query.")] = 3,
    implicit: Annotated[
        Path | None,
        typer.Option(help="A folder of implicit queries with plans, such as data/context-train: into implicit.jsonl."),
    ] = None,
    facts: Annotated[
        Path | None,
        typer.Option(help="A folder of what people told, such as data/facts: into told.jsonl, samples to hear by."),
    ] = None,
    modules: Annotated[
        Path | None,
        typer.Option(help="A folder of functions with requests, such as data/modules-train: into modules.jsonl."),
    ] = None,
    public: Annotated[
        Path | None,
        typer.Option(help="A folder of public sets (data/README.md): into human.jsonl and public.jsonl."),
    ] = None,
    json_: Annotated[bool, json_of("what was made")] = False,
) -> None:
    """Sample people, their phones and their wishes, with gold calls that were carried out on the phone.

    Stopped runs go on where they were when the same command is given again.
    """
    from camphor_lab.datasets.context.plans import PLANS
    from camphor_lab.datasets.generate import sizes_of
    from camphor_lab.datasets.modules import read_modules
    from camphor_lab.datasets.public.lines import check_sets
    from camphor_lab.training.told import LINES

    if split is not None and split not in SPLITS:
        raise UsageError(f"There is no split {split!r}: choose train or test")
    check_folder(out)
    if handwritten and not handwritten.is_dir():
        raise UsageError(f"--handwritten {handwritten}: there is no such folder")
    if implicit and not (implicit / PLANS).is_file():
        raise UsageError(f"--implicit {implicit}: there is no {PLANS}")
    if facts and not any(facts.glob(LINES)):
        raise UsageError(f"--facts {facts}: there is no {LINES}")
    if modules:
        read_modules(modules)
    if public:
        check_sets(public)
    wanted, started = sizes_of(split, count), time.perf_counter()
    try:
        made = _generate(out, wanted, seed, processes, ray, situation or ())
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Stopped: the same command goes on from here.") from None
    if handwritten or implicit or facts or modules or public:
        for file, written in _other_sources(out, seed, handwritten, variants, implicit, facts, modules, public):
            typer.echo(f"{file}: {written} lines", err=json_)
    if json_:
        whole = sum(summary.written for summary in made.values())
        print_json({"queries": whole, "splits": {name: _told(out, name, summary) for name, summary in made.items()}})
        return
    for name, summary in made.items():
        sizes = ", ".join(f"{number:,} with {size}" for size, number in sorted(summary.sizes.items()))
        typer.echo(f"{out / f'{name}.jsonl'}: {summary.written:,} queries; gold calls: {sizes}")
        if summary.written < wanted[name]:
            typer.echo(f"The language bank has no more than these: {wanted[name]:,} were wanted.", err=True)
        if summary.written > wanted[name]:
            told = f"{out} holds another run, which stays: {wanted[name]:,} were wanted. Name another folder for them."
            typer.echo(told, err=True)
    typer.echo(f"{time.perf_counter() - started:.0f} s")


def _generate(
    out: Path, sizes: Mapping[str, int], seed: int, processes: int | None, ray: str | None, only: Sequence[str]
) -> dict[str, DatasetSummary]:
    """Every split, on one pool, under a progress bar."""
    from camphor_lab.datasets.generate import ITEMS_A_PHONE
    from camphor_lab.datasets.generate import generate as run
    from camphor_lab.datasets.parallel import open_pool
    from camphor_lab.datasets.shards import PHONES

    pieces = sum(sizes.values()) // (PHONES * ITEMS_A_PHONE)
    made = {}
    with (
        open_pool(processes=processes, ray=ray, pieces=pieces) as pool,
        bars() as shown,
    ):
        for split, wanted in sizes.items():
            bar = shown.add_task(split, total=wanted)

            def show(done: int, _: int, bar: TaskID = bar) -> None:
                shown.update(bar, completed=done)

            made[split] = run(out, split=split, count=wanted, seed=seed, only=only, pool=pool, progress=show)
    return made


def _told(out: Path, split: str, summary: DatasetSummary) -> dict[str, object]:
    return {
        "file": str(out / f"{split}.jsonl"),
        "queries": summary.written,
        "situations": dict(summary.situations),
        "calls": {str(size): number for size, number in sorted(summary.sizes.items())},
        "turned_down": {
            "alike": summary.alike,
            "skeleton_used_up": summary.worn,
            "text_of_the_other_split": summary.known,
            "refused_by_replay": summary.refused.total(),
        },
    }


def _other_sources(
    out: Path,
    seed: int,
    handwritten: Path | None,
    variants: int,
    implicit: Path | None,
    facts: Path | None,
    modules: Path | None,
    public: Path | None,
) -> Iterator[tuple[Path, int]]:
    """What people wrote: queries, each checked on a phone, and what they told. The file and how many it holds."""
    from camphor.trajectories.items import write_items
    from camphor_lab.datasets.context.plans import planned_items
    from camphor_lab.datasets.files import write_text
    from camphor_lab.datasets.handwritten import handwritten_items
    from camphor_lab.datasets.human import human_items
    from camphor_lab.datasets.public import make
    from camphor_lab.training.module_samples import module_lines
    from camphor_lab.training.told import told_lines

    if handwritten:
        file = out / "handwritten.jsonl"
        yield (
            file,
            write_items(file, handwritten_items(handwritten, out, variants=variants, seed=seed, refused=Counter())),
        )
    if implicit:
        file = out / "implicit.jsonl"
        left: list[str] = []
        yield file, write_items(file, planned_items(implicit, out, left))
        if left:
            typer.echo(f"{file}: {len(left)} left out, such as {left[0]}", err=True)
    if facts:
        file, lines = out / "told.jsonl", list(told_lines(facts))
        write_text(file, "".join(lines))
        yield file, len(lines)
    if modules:
        file, lines = out / "modules.jsonl", list(module_lines(modules, seed))
        write_text(file, "".join(lines))
        yield file, len(lines)
    if public:
        file = out / "human.jsonl"
        yield file, write_items(file, human_items(public, out, seed=seed, limit=4000))
        file = out / "public.jsonl"
        yield file, write_items(file, make(public, seed=seed))


@app.command("export")
def export(
    dataset: Annotated[Path, typer.Argument(help="A dataset, such as FOLDER/train.jsonl.")],
    out: Annotated[Path, typer.Option(help="The file to write.")],
    format_: Annotated[
        str, typer.Option("--format", help="pairs, chat (as trl reads it), openai (arguments as text) or parquet.")
    ] = "pairs",
    form: Annotated[
        str, typer.Option(help="What the prompts of pairs say of tools: names, definitions, instructed or full.")
    ] = "definitions",
    json_: Annotated[bool, json_of("what was written")] = False,
) -> None:
    """Write a dataset in a form that other tools read; every item is carried out on its phone on the way."""
    if format_ not in FORMATS:
        raise UsageError(f"There is no format {format_!r}: choose {', '.join(FORMATS)}")
    if form not in FORMS:
        raise UsageError(f"Prompts cannot be written in the form {form!r}: choose {', '.join(FORMS)}")
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise UsageError(f"{out}: name a file in a folder that exists")
    if out.exists() and dataset.exists() and out.samefile(dataset):
        raise UsageError(f"{out} is the dataset itself: name another file with --out")
    left_out: Counter[str] = Counter()
    written = _exported(dataset, out, format_, form, left_out)
    if json_:
        print_json({"file": str(out), "format": format_, "written": written, "left_out": dict(left_out)})
        return
    typer.echo(f"{out}: {written:,} {'pairs' if format_ == 'pairs' else 'conversations'}")
    for reason, count in left_out.most_common():
        typer.echo(f"left out: {count:,} ({reason})", err=True)


def _exported(dataset: Path, out: Path, format_: str, form: str, left_out: Counter[str]) -> int:
    from camphor_lab.datasets import exports

    if format_ == "parquet":
        return exports.write_parquet(dataset, out, left_out)
    if format_ != "pairs":
        return exports.write_chat(dataset, out, left_out, arguments_as_text=format_ == "openai")
    from camphor.agents.prompts import Form
    from camphor.app import setting_of
    from camphor_lab.training.samples import pairs

    return exports.write_pairs(
        dataset, out, lambda trajectory, device: pairs(trajectory, setting_of(device, Form(form))), left_out
    )


@app.command("card")
def card(
    folder: Annotated[Path, typer.Argument(help="The folder of a dataset.")],
    json_: Annotated[bool, json_of("the statistics")] = False,
) -> None:
    """Write the dataset's card: README.md, statistics.json and plots."""
    from camphor_lab.datasets.card import write_card

    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder")
    figures = write_card(folder)
    if json_:
        print_json(figures)
        return
    for name, split in figures["splits"].items():
        diversity = split["diversity"]
        typer.echo(
            f"{name}: {split['queries']:,} queries, {split['personas']:,} personas, {split['pairs_per_query']} pairs "
            f"and {split['calls_per_query']} calls a query; distinct-2 {diversity['distinct_2']}, nearest ROUGE-L "
            f"{diversity['nearest_rouge_l']}, new skeletons {diversity['new_skeletons']:.0%}"
        )
    typer.echo(f"queries alike: {figures['alike']}")
    for what, counts in figures.get("share", {}).items():
        if isinstance(counts, dict) and counts["shared"]:
            typer.echo(f"train and test share {counts['shared']} {what.replace('_', ' ')}")
    typer.echo(str(folder / "README.md"))
