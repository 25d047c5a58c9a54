"""`camphor lab data calls`, samples of function calls from a bank of phrases, and `collect`, from public sets."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.bars import bars
from camphor.cli.text import print_json
from camphor.errors import UsageError
from camphor_lab.cli.options import check_folder, json_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from camphor.tools.toolbox import Toolbox
    from camphor.trajectories.call_samples import CallSample

TRAIN, TEST = 10_000, 200  # as many as the paper's DroidCall has (section 3.2.3)
PUBLIC_SHARE = 0.2  # of training, at most, are public samples


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
    public: Annotated[
        Path | None,
        typer.Option(help="A folder of public sets (data/README.md): what people asked joins the training samples."),
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
    if public is not None and (tools is not None or not public.is_dir()):
        problem = "goes with the built-in functions only" if tools else f"{public}: there is no such folder"
        raise UsageError(f"--public {problem}")
    from camphor.trajectories.call_samples import read_call_samples
    from camphor_lab.datasets.calling import bank as banks
    from camphor_lab.datasets.calling.generate import SEVERAL, frequency_of
    from camphor_lab.datasets.calling.human import SETS
    from camphor_lab.datasets.similarity import Similar

    if public and not any((public / name / "train.jsonl").is_file() for name in (*SETS, "droidcall_early")):
        raise UsageError(f"--public {public}: holds none of the public sets, such as {SETS[0]}/train.jsonl")
    toolbox = _toolbox(tools)
    wanted = {split: count for split, count in (("test", test), ("train", train)) if count}
    read = {split: banks.read_bank(bank or banks.ROOT, split, toolbox) for split in wanted}
    near = Similar(included=True, frequency=frequency_of(*read.values()))
    for path in apart or ():
        for sample in read_call_samples(path):
            near.add(sample.query)
    told: dict[str, Any] = {}
    for split, count in wanted.items():
        first = _public(public, seed, round(count * PUBLIC_SHARE)) if public and split == "train" else iter(())
        share = SEVERAL if several is None or split == "test" else several  # the test stays what it is
        told[split] = _make(out, read[split], count, seed, near, first, share)
    _write_tools(out, toolbox)
    if json_:
        print_json({"folder": str(out), "splits": told})
        return
    for split, figures in told.items():
        _show(out / f"{split}.jsonl", figures)


def _toolbox(tools: Path | None) -> Toolbox:
    from camphor.device.android.toolbox import android_toolbox
    from camphor.tools.listing import read_tools
    from camphor.tools.toolbox import Toolbox

    return android_toolbox() if tools is None else Toolbox(read_tools(tools))


def _make(
    out: Path, bank: Any, count: int, seed: int, near: Any, first: Iterator[CallSample], several: float
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


def _public(folder: Path, seed: int, most: int) -> Iterator[CallSample]:
    """What people asked of assistants, then the samples of early DroidCall; so many at most."""
    from itertools import chain, islice

    from camphor_lab.datasets.calling.early import early_samples
    from camphor_lab.datasets.calling.human import human_calls

    refused: Counter[str] = Counter()
    return islice(chain(human_calls(folder, refused, seed=seed), early_samples(folder, refused)), most)


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
    from camphor_lab.datasets.calling.public import collect as run

    written, refused = run(files, out, count, seed)
    typer.echo(f"{out / 'train.jsonl'}: {written:,} samples; {refused.total():,} lines cannot be used")
