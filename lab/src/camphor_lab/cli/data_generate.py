"""`camphor lab data calls`, `collect`, `context`, `conversations` and `health`: data sets that code generates."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.text import bars, print_json
from camphor.errors import UsageError
from camphor_lab.cli.options import ProcessesOption, check_folder, json_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.progress import TaskID

    from camphor.tools.tool import Toolbox
    from camphor.trajectories.call_samples import CallSample
    from camphor_lab.datasets.health.generate import CaseRecipe, CaseSummary


# `camphor lab data calls`, samples of function calls from a bank of phrases, and `collect`, from public sets.

TRAIN, TEST = 10_000, 200  # as many as the paper's DroidCall has (section 3.2.3)
FIRST_SHARE = 0.2  # of training, at most, are samples from elsewhere


def calls(
    out: Annotated[Path, typer.Argument(help="The folder to write to: train.jsonl, test.jsonl, tools.json.")],
    train: Annotated[int, typer.Option(min=0, help="How many samples for training.")] = TRAIN,
    test: Annotated[int, typer.Option(min=0, help="How many for the test: other phrases, other values.")] = TEST,
    seed: Annotated[int, typer.Option(help="The same seed gives the same samples.")] = 7,
    several: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="The share of training samples with two or more calls; 0.4 unless given."),
    ] = None,
    tools: Annotated[
        Path | None,
        typer.Option(help="Your functions: a Python module, a folder of them, or a file of tools. Android's 24 else."),
    ] = None,
    bank: Annotated[
        Path | None, typer.Option(help="Your phrases: a folder with train/, test/, values_train/ and values_test/.")
    ] = None,
    first: Annotated[
        Path | None,
        typer.Option(help="A file of samples that join those for training (python -m scripts.public_calls makes one)."),
    ] = None,
    apart: Annotated[
        list[Path] | None,
        typer.Option(help="A file of samples, such as another test: none made here is like one of them."),
    ] = None,
    json_: Annotated[bool, json_of("the statistics")] = False,
) -> None:
    """Make training and test samples of function calls in DroidCall's format from phrases and values.

    No two queries are alike (ROUGE-L F under 0.75), in a split or between the two.
    """
    check_folder(out)
    if (tools is None) != (bank is None):
        raise UsageError("Own functions need own phrases: give both --tools and --bank")
    from camphor.trajectories.call_samples import read_call_samples
    from camphor_lab.datasets.calling import bank as banks
    from camphor_lab.datasets.calling.generate import SEVERAL, frequency_of
    from camphor_lab.datasets.similarity import Similar

    joining = list(read_call_samples(first)) if first else []
    toolbox = _toolbox(tools)
    wanted = {split: count for split, count in (("test", test), ("train", train)) if count}
    read = {split: banks.read_bank(bank or banks.ROOT, split, toolbox) for split in wanted}
    near = Similar(included=True, frequency=frequency_of(*read.values()))
    for path in apart or ():
        for sample in read_call_samples(path):
            near.add(sample.query)
    told: dict[str, Any] = {}
    for split, count in wanted.items():
        others = joining[: round(count * FIRST_SHARE)] if split == "train" else ()
        share = SEVERAL if several is None or split == "test" else several  # the test stays what it is
        told[split] = _make(out, read[split], count, seed, near, others, share)
    _write_tools(out, toolbox)
    if json_:
        print_json({"folder": str(out), "splits": told})
        return
    for split, figures in told.items():
        _show(out / f"{split}.jsonl", figures)


def _toolbox(tools: Path | None) -> Toolbox:
    from camphor.device.android.toolbox import android_toolbox
    from camphor.tools.listing import read_tools
    from camphor.tools.tool import Toolbox

    return android_toolbox() if tools is None else Toolbox(read_tools(tools))


def _make(
    out: Path, bank: Any, count: int, seed: int, near: Any, first: Iterable[CallSample], several: float
) -> dict[str, Any]:
    """Make and write one split, under a progress bar, and tell what it holds."""
    from camphor.trajectories.call_samples import write_call_samples
    from camphor_lab.datasets.calling.generate import figures, generate, variety

    with bars() as shown:
        bar = shown.add_task(bank.split, total=count)
        made = generate(
            bank,
            count,
            seed=seed,
            near=near,
            first=first,
            shares=variety(bank) if bank.split == "train" else None,
            several=several,
            progress=lambda done, _: shown.update(bar, completed=done),
        )
    write_call_samples(out / f"{bank.split}.jsonl", made.samples)
    return {**figures(made.samples, seed), "wanted": count, "dropped": dict(made.dropped)}


def _write_tools(out: Path, toolbox: Toolbox) -> None:
    from camphor.tools.listing import to_schema
    from camphor_lab.datasets.files import write_json

    write_json(out / "tools.json", [to_schema(tool) for tool in toolbox], indent=1)


def _show(path: Path, figures: dict[str, Any]) -> None:
    made, wanted = figures["samples"], figures["wanted"]
    typer.echo(f"{path}: {made:,} samples" + (f" of {wanted:,}: the bank has no more" if made < wanted else ""))
    if not made:
        return
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in figures["kinds"].items())
    words = figures["words"]
    typer.echo(f"  {kinds}; {figures['calls_per_sample']} calls a sample")
    typer.echo(
        f"  {words['least']} to {words['most']} words, {words['mean']} on average; "
        f"distinct-1 {figures['distinct_1']}, distinct-2 {figures['distinct_2']}"
    )
    for name, count in figures["functions"].items():
        typer.echo(f"  {count:6,}  {name}")
    dropped = ", ".join(f"{count:,} {reason}" for reason, count in figures["dropped"].items())
    if dropped:
        typer.echo(f"  dropped: {dropped}", err=True)


def collect(
    out: Annotated[Path, typer.Argument(help="The folder to write to: train.jsonl, tools.json.")],
    files: Annotated[list[Path], typer.Argument(help="Public sets (data/README.md), as JSON lines.")],
    count: Annotated[int | None, typer.Option(min=1, help="At most so many samples, chosen by the seed.")] = None,
    seed: Annotated[int, typer.Option(help="Decides which.")] = 7,
) -> None:
    """Turn public function-calling sets into samples of function calls, to train on beside or in place of your own.

    camphor lab data collect runs/general seal_tools/train.jsonl toolalpaca/train.jsonl --count 2000
    """
    from camphor_lab.datasets.calling.general import collect as run

    written, refused = run(files, out, count, seed)
    typer.echo(f"{out / 'train.jsonl'}: {written:,} samples; {refused.total():,} lines cannot be used")


# `camphor lab data context`, `conversations` and `health`: what people ask of simulated phones.

PERSONAS, CONTEXT_TRAIN, CONTEXT_TEST = 791, 4_338, 936  # the paper's (Context Tuning, Appendix A.1)
HEALTH_TRAIN, HEALTH_TEST = 3_600, 60
_APPS = {"mail": "Mail", "calendar": "Calendar", "google": "Google", "notes": "Notes", "music": "Music",
         "reminders": "Reminders", "phone": "Phone call"}  # fmt: skip


def context(
    out: Annotated[
        Path, typer.Argument(help="The folder to write to: devices/, train.jsonl, test.jsonl, toolbox.json.")
    ],
    personas: Annotated[int, typer.Option(min=2, help="How many people; no person is in both splits.")] = PERSONAS,
    train: Annotated[int, typer.Option(min=0, help="How many queries for training.")] = CONTEXT_TRAIN,
    test: Annotated[
        int, typer.Option(min=0, help="How many for the test: other people, other wordings.")
    ] = CONTEXT_TEST,
    seed: Annotated[int, typer.Option(help="The same seed gives the same dataset.")] = 7,
    json_: Annotated[bool, json_of("the statistics")] = False,
) -> None:
    """Simulate people's weeks on their phones and make implicit queries about them, with gold items, tools and plan.

    A stopped run leaves no half-written file; the same command makes it anew.
    """
    from camphor_lab.datasets.context.folder import write_dataset

    check_folder(out)
    if train + test == 0:
        raise UsageError("Nothing is wanted: give --train or --test a number above 0")
    started = time.perf_counter()
    told = _write_context(write_dataset, out, personas, {"train": train, "test": test}, seed)
    if json_:
        print_json({"folder": str(out), "splits": told})
        return
    _show_context(out, told)
    typer.echo(f"{time.perf_counter() - started:.0f} s")


def _write_context(write: Any, out: Path, personas: int, counts: Mapping[str, int], seed: int) -> dict[str, Any]:
    """The dataset, under a progress bar a split."""
    with bars() as shown:
        tasks = {split: shown.add_task(split, total=count) for split, count in counts.items() if count}
        told: dict[str, Any] = write(
            out, personas, counts, seed, lambda split, done: shown.update(tasks[split], completed=done)
        )
    return told


def _show_context(out: Path, told: Mapping[str, Any]) -> None:
    from camphor_lab.datasets.context.simulate import SIZES

    for split, found in told.items():
        short = "" if found["queries"] == found["wanted"] else f" of {found['wanted']:,}: the lives have no more to ask"
        typer.echo(f"{out / f'{split}.jsonl'}: {found['queries']:,} queries{short} of {found['personas']} people")
        typer.echo(
            f"  {found['distinct_queries']:,} differ in words; {found['gold_items']} gold items a query; "
            f"{found['share_a_content_word']:.1%} share a content word with a gold item; "
            f"{found['by_usage_alone']:.1%} turn on usage alone; plans call {found['plan_tools']} tools"
        )
    typer.echo(f"{'items a person':16}" + "".join(f"{split:>8}" for split in told) + f"{'paper':>8}")
    for app, label in _APPS.items():
        row = "".join(f"{found['items'][app]:8.2f}" for found in told.values())
        typer.echo(f"{label:16}{row}{SIZES[app]:8.2f}")


def conversations(
    out: Annotated[
        Path, typer.Argument(help="The folder to write to: conversations-SPLIT.jsonl, phones under devices/.")
    ],
    split: Annotated[str, typer.Option(help="train or test; they share no person, sentence or text.")] = "train",
    count: Annotated[int, typer.Option(min=1, help="How many conversations.")] = 500,
    seed: Annotated[int, typer.Option(help="The same seed gives the same conversations.")] = 7,
    tokens: Annotated[
        int, typer.Option(min=600, help="A longer conversation becomes several samples, cut by whole turns.")
    ] = 1900,
    json_: Annotated[bool, json_of("what was made")] = False,
) -> None:
    """Make conversations on sampled phones whose later turns say "her", "it", "the second one", "instead" and the like.

    Each turn was carried out on its phone before the next was drawn. `train` and `evaluate` read the file.
    """
    from camphor_lab.datasets.conversations import write_conversations

    if split not in ("train", "test"):
        raise UsageError(f"There is no split {split[:40]!r}: choose train or test")
    check_folder(out)
    with bars() as shown:
        bar = shown.add_task("conversations", total=count)
        made = write_conversations(out, split, count, seed, tokens, lambda done: shown.update(bar, completed=done))
    kinds = {tag.removeprefix("reference:"): number for tag, number in sorted(made.items()) if ":" in tag}
    if json_:
        told = {"items": made["items"], "turns": made["turns"], "references": kinds}
        print_json({"file": str(out / f"conversations-{split}.jsonl"), "conversations": count, **told})
        return
    typer.echo(f"{out / f'conversations-{split}.jsonl'}: {made['items']:,} samples, {made['turns']:,} turns")
    typer.echo("  point back at: " + ", ".join(f"{kind} {number:,}" for kind, number in kinds.items()))


def health(
    out: Annotated[
        Path,
        typer.Argument(help="The folder to write to: a .jsonl file for each split, tools.json, phones under devices/."),
    ],
    train: Annotated[
        int,
        typer.Option(min=0, help="How many cases for training; unless given, over 20,000 pairs an agent."),
    ] = HEALTH_TRAIN,
    test: Annotated[int, typer.Option(min=0, help="How many cases of each use case for the test.")] = HEALTH_TEST,
    development: Annotated[int, typer.Option(min=0, help="How many of each for development.")] = 15,
    paper: Annotated[bool, typer.Option("--paper", help="A test of about the paper's sizes (Table 1).")] = False,
    devices: Annotated[bool, typer.Option("--devices", help="Write the phones of training too.")] = False,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Write the pairs of planner and caller too: SPLIT-planner.jsonl and so on."),
    ] = False,
    seed: Annotated[int, typer.Option(help="The same seed gives the same cases.")] = 7,
    processes: ProcessesOption = None,
    json_: Annotated[bool, json_of("what was made")] = False,
) -> None:
    """Play the health assistant's use cases on people's phones and note what planner, caller and tools say.

    Training, development and test share no person, no complaint and no wording of a patient. Each case was carried out
    twice, with the same outcome. A stopped run goes on where it was when the same command is given again.
    """
    from camphor_lab.datasets.health.flows import UseCase
    from camphor_lab.datasets.health.generate import TABLE_1, CaseRecipe, training_sizes

    check_folder(out)
    sizes = {
        "train": training_sizes(train),
        "development": dict.fromkeys((each.value for each in UseCase), development),
        "test": {each.value: TABLE_1[each] if paper else test for each in UseCase},
    }
    recipes = [CaseRecipe(split, seed, wanted, devices=devices or split != "train") for split, wanted in sizes.items()]
    recipes = [recipe for recipe in recipes if sum(recipe.wanted.values())]
    if not recipes:
        raise UsageError("Nothing is wanted: give --train, --development or --test a number above 0")
    out.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    made = _generate_health(out, recipes, processes)
    if pairs:
        _write_pairs(out, made)
    if json_:
        print_json({"folder": str(out), "splits": {split: summary.to_json() for split, summary in made.items()}})
        return
    _show_health(out, made)
    typer.echo(f"{time.perf_counter() - started:.0f} s")


def _generate_health(out: Path, recipes: list[CaseRecipe], processes: int | None) -> dict[str, CaseSummary]:
    """Every split, on one pool, under a progress bar."""
    from camphor_lab.datasets.health.generate import generate
    from camphor_lab.datasets.parallel import open_pool

    pieces = sum(len(recipe.pieces()) for recipe in recipes)
    made = {}
    with (
        open_pool(processes=processes, pieces=pieces) as pool,
        bars() as shown,
    ):
        for recipe in recipes:
            bar = shown.add_task(recipe.split, total=sum(recipe.wanted.values()))

            def show(done: int, bar: TaskID = bar) -> None:
                shown.update(bar, completed=done)

            made[recipe.split] = generate(out, recipe, pool, show)
    return made


def _write_pairs(out: Path, made: Mapping[str, CaseSummary]) -> None:
    from camphor_lab.training.health import write_pairs

    for split in made:
        for file, count in write_pairs(out / f"{split}.jsonl").items():
            typer.echo(f"{file}: {count:,} pairs", err=True)


def _show_health(out: Path, made: Mapping[str, CaseSummary]) -> None:
    for split, summary in made.items():
        typer.echo(
            f"{out / f'{split}.jsonl'}: {summary.cases.total():,} cases of {len(summary.diseases)} diseases, "
            f"{summary.planner.total():,} pairs for the planner, {summary.caller.total():,} for the caller"
        )
        told = ", ".join(f"{name} {count:,}" for name, count in summary.cases.items())
        typer.echo(f"  {told}")
        for reason, count in summary.dropped.most_common():
            typer.echo(f"  dropped: {count:,} ({reason})", err=True)
