"""`camphor lab train`, which trains an adapter, and the commands that train small models."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.options import JsonOption
from camphor.cli.text import bars, print_json
from camphor.errors import UsageError

if TYPE_CHECKING:
    from rich.progress import TaskID

    from camphor_lab.training.loop import Progress
    from camphor_lab.training.small_models import Progress as Told

ModelOut = Annotated[Path, typer.Option("--out", "-o", help="The file of the trained model (.npz).")]
SeedOption = Annotated[int, typer.Option(help="The same seed and data give the same model.")]
LookedUpOption = Annotated[
    list[Path] | None,
    typer.Option(help="Results of `camphor lab evaluate` on these questions: what the language model looks up."),
]


def train(
    config: Annotated[Path | None, typer.Option(help="The settings, a TOML file; configs/ has examples.")] = None,
    tools: Annotated[
        Path | None, typer.Option(help="Instead: your own functions, a Python module or a file of tools.")
    ] = None,
    examples: Annotated[
        Path | None, typer.Option(help="With --tools: requests to them, with the calls that answer each.")
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="MODEL", help="In place of the settings' model: a folder, a GGUF file or hf:NAME.")
    ] = "",
    out: Annotated[str, typer.Option("--out", "-o", help="In place of the settings' folder for the adapter.")] = "",
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, even if a run was stopped.")] = False,
) -> None:
    """Train an adapter on samples, in one stage or several, or go on with a stopped run, and export it.

    From some dozen examples for functions of your own:  camphor lab train --tools FILE --examples FILE --out FOLDER

    Try it with  camphor ask --adapter FOLDER/adapter.gguf "..."  or, for a model in transformers' form, with
    camphor ask --model MODEL --adapter FOLDER "..."
    """
    from camphor_lab.training import is_first_process, run

    if (config is None) == (tools is None) or (tools is None) != (examples is None):
        raise UsageError("Give --config FILE, or --tools FILE with --examples FILE and --out FOLDER")
    resume = not fresh
    if config is None:
        config, same = _own_functions(tools, examples, out)
        resume = resume and same
        out = ""
    try:
        folder = run(
            config,
            resume=resume,
            progress=_tell,
            encoding=_tell_encoding,
            begun=lambda plan: typer.echo(str(plan), err=True),
            model=model,
            out=out,
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Stopped: the same command goes on from the last checkpoint.") from None
    if is_first_process():
        file = folder / "adapter.gguf"
        file = file if file.exists() else folder
        typer.echo(f"Adapter: {file}")
        if tools:
            typer.echo(f'Try it:  camphor call --tools {tools} --adapter {file} "..."')


def _own_functions(tools: Path | None, examples: Path | None, out: str) -> tuple[Path, bool]:
    from camphor_lab.training.own_functions import prepare

    if not out or tools is None or examples is None:
        raise UsageError("--tools and --examples need --out FOLDER, where the adapter is to stand")
    return prepare(tools, examples, Path(out))


def _tell_encoding(part: float) -> None:
    if part == 1 or sys.stderr.isatty():
        typer.echo(f"\rdefinitions encoded: {part:6.1%}", err=True, nl=part == 1)


def _tell(progress: Progress) -> None:
    """One line a step, so that a log file of a long run can be read."""
    stage = f"stage {progress.stage}/{progress.stages}  " if progress.stages > 1 else ""
    typer.echo(
        f"{stage}step {progress.step:5d}  {progress.fraction:6.1%}  loss {progress.loss:.4f}  rate "
        f"{progress.rate:.2e}  {progress.tokens_per_second:6.0f} tokens/s  {progress.eta_seconds / 60:5.1f} min left",
        err=True,
    )


def train_ranker(
    data: Annotated[
        list[Path],
        typer.Argument(help="Folders with train.jsonl and devices/, as of  camphor lab data context ."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the trained ranker (.npz).")],
    weight: Annotated[
        list[float] | None,
        typer.Option(min=0.01, help="Of each query of a folder, in their order; 1 where none is given."),
    ] = None,
    tree_weight: Annotated[
        list[float] | None, typer.Option(min=0.01, help="The same for the trees alone; as --weight unless given.")
    ] = None,
    pairs: Annotated[
        list[Path] | None,
        typer.Option(help="Queries, each beside what it is about (data/context-pairs/*.jsonl), to learn from first."),
    ] = None,
    named: Annotated[
        list[Path] | None,
        typer.Option(help="Hand-written sets (items.jsonl) and questions: queries that leave nothing unsaid."),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Cores to use.")] = 2,
    seed: Annotated[int, typer.Option(help="The same seed and data give the same ranker.")] = 1,
    json_: JsonOption = False,
) -> None:
    """Train what reads implicit queries, and LambdaMART for each context store and over all of them (16,000 queries
    and 6,000 pairs take an hour on two cores).

    Nothing is written until it is done. Try it with  camphor lab evaluate context retrieval DATA --ranker FILE
    """
    from camphor_lab.training.ranker import RankerConfig
    from camphor_lab.training.ranker import train_ranker as train

    started = time.perf_counter()
    with _shown(elapsed=True) as progress:
        about = train(
            data,
            out,
            RankerConfig(threads=threads, seed=seed),
            progress,
            weight or (),
            tree_weight or (),
            pairs or (),
            named or (),
        )
    if json_:
        print_json({"file": str(out), **about})
        return
    held = about["held_out"]
    typer.echo(f"Ranker: {out} ({about['trees']} trees a store, {time.perf_counter() - started:.0f} s)")
    typer.echo(f"Recall in %, {held['samples']} queries of people and wordings that were held out:")
    for way, recall in held["recall"].items():
        typer.echo(f"  {way}: " + ", ".join(f"{100 * value:.1f} at {k}" for k, value in recall.items()))


def train_reader(
    questions: Annotated[
        list[Path],
        typer.Argument(help="Annotated questions (data/questions/*.jsonl) or hand-written sets (items.jsonl)."),
    ],
    out: ModelOut,
    looked_up: LookedUpOption = None,
    epochs: Annotated[float, typer.Option(min=0.01, help="How often each question is seen.")] = 2,
    start: Annotated[
        Path | None, typer.Option("--from", help="A reader to go on from, in place of all-MiniLM-L6-v2.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Train what tells from a question and a record whether the answer rests on it (half an hour for 7,000 questions
    on two cores that multiply in bfloat16, three times that on others).

    What is done is kept beside the file every 200 steps: the same command goes on where it was stopped.
    """
    from camphor_lab.training.reader import ReaderConfig
    from camphor_lab.training.reader import train_reader as train

    _train_small(
        "Reader",
        out,
        json_,
        lambda told: train(questions, looked_up or [], out, ReaderConfig(epochs), told, start),
        lambda _: (),
    )


def train_answers(
    questions: Annotated[
        list[Path],
        typer.Argument(help="Annotated questions (data/questions/a.jsonl) or hand-written sets (items.jsonl)."),
    ],
    out: ModelOut,
    looked_up: LookedUpOption = None,
    json_: JsonOption = False,
) -> None:
    """Train what says which records of a phone a question is about (two minutes).

    Nothing is written until it is done.
    """
    from camphor_lab.training.answers import AnswersConfig
    from camphor_lab.training.answers import train_answers as train

    def held_out(figures: dict[str, Any]) -> Iterable[str]:
        right = 100 * figures["held_out_top1"]
        yield f"Held out: of {figures['questions']} questions the best record is right for {right:.1f}%."

    _train_small(
        "Answers", out, json_, lambda told: train(questions, looked_up or [], out, AnswersConfig(), told), held_out
    )


def train_parts(
    statements: Annotated[
        list[Path], typer.Argument(help="Statements with their parts (data/statements/train.jsonl).")
    ],
    out: ModelOut,
    written: Annotated[
        list[Path] | None, typer.Option(help="A hand-written set (items.jsonl); may be given again.")
    ] = None,
    asked: Annotated[
        list[Path] | None, typer.Option(help="Annotated questions (data/questions/*.jsonl); may be given again.")
    ] = None,
    generated: Annotated[
        list[Path] | None, typer.Option(help="Queries of  camphor lab data generate; may be given again.")
    ] = None,
    lost: Annotated[
        float, typer.Option(min=0, max=0.5, help="Share of real wishes that may be taken for none.")
    ] = 0.004,
    seed: SeedOption = 1,
    json_: JsonOption = False,
) -> None:
    """Train what says of each part of a query whether it wishes for something (a quarter of an hour).

    Nothing is written until it is done.
    """
    from camphor_lab.training.parts import PartsConfig
    from camphor_lab.training.parts import train_parts as train

    def held_out(figures: dict[str, Any]) -> Iterable[str]:
        yield (
            f"Held out: of sentences that wish for nothing {100 * figures['statements_refused']:.1f}% are refused and "
            f"{100 * figures['statements_doubted']:.1f}% at least doubted; of hand-written "
            f"queries that act {100 * figures['acts_refused']:.1f}% and {100 * figures['acts_doubted']:.1f}%."
        )

    config = PartsConfig(lost=lost, seed=seed)
    _train_small(
        "Parts of a query",
        out,
        json_,
        lambda told: train(statements, written or [], asked or [], out, config, told, generated or []),
        held_out,
    )


def train_facts(
    marked: Annotated[list[Path], typer.Argument(help="Sentences with their facts marked (data/facts/told-*.jsonl).")],
    out: ModelOut,
    acts: Annotated[
        list[Path] | None, typer.Option(help="What is asked of the memory (data/facts/acts-*.jsonl); again and again.")
    ] = None,
    pairs: Annotated[
        list[Path] | None,
        typer.Option(help="What is said beside what is remembered (data/facts/pairs-*.jsonl); may be given again."),
    ] = None,
    statements: Annotated[
        list[Path] | None, typer.Option(help="Statements with their parts (data/statements); may be given again.")
    ] = None,
    written: Annotated[
        list[Path] | None, typer.Option(help="A hand-written set (items.jsonl); may be given again.")
    ] = None,
    seed: SeedOption = 1,
    json_: JsonOption = False,
) -> None:
    """Train what reads the facts that a person tells, and which of them a query needs (a quarter of an hour on two
    cores that multiply in bfloat16).

    Nothing is written until it is done.
    """
    from camphor_lab.training.facts import FactsConfig
    from camphor_lab.training.facts import train_facts as train

    def held_out(figures: dict[str, Any]) -> Iterable[str]:
        yield (
            f"Held out: of {figures['facts']:.0f} facts {100 * figures['captured']:.1f}% are kept; of texts without "
            f"one {100 * figures['falsely_captured']:.1f}% leave something behind."
        )

    config = FactsConfig(seed=seed)
    _train_small(
        "What a person tells",
        out,
        json_,
        lambda told: train(
            marked, out, config, told, acts=acts or (), pairs=pairs or (), statements=statements or (),
            written=written or (),
        ),
        held_out,
    )  # fmt: skip


def train_plausible(
    written: Annotated[list[Path], typer.Argument(help="Hand-written sets (items.jsonl), one hand a file.")],
    out: ModelOut,
    generated: Annotated[
        list[Path] | None, typer.Option(help="A train.jsonl of  camphor lab data generate ; may be given again.")
    ] = None,
    lost: Annotated[
        float, typer.Option(min=0, max=0.5, help="Share of the actions that people ask for that may be ruled out.")
    ] = 0.02,
    seed: SeedOption = 1,
    json_: JsonOption = False,
) -> None:
    """Train the second opinion on which actions a query's words could ask for (a minute or two).

    Nothing is written until it is done.
    """
    from camphor_lab.training.plausible import PlausibleConfig
    from camphor_lab.training.plausible import train_plausible as train

    def held_out(figures: dict[str, Any]) -> Iterable[str]:
        yield (
            f"Of {figures['queries']:,} queries of hands that were held out, {100 * figures['ruled_out']:.1f}% of the "
            f"actions asked for are ruled out, and {100 * figures['others_ruled_out']:.1f}% of the others."
        )

    config = PlausibleConfig(lost=lost, seed=seed)
    _train_small(
        "Plausible actions", out, json_, lambda told: train(written, generated or [], out, config, told), held_out
    )


def train_red_flags(
    data: Annotated[Path, typer.Argument(help="A folder of sentences, such as data/health-red-flags.")],
    talk: Annotated[Path, typer.Argument(help="A folder of texts that are no complaints, such as data/health-talk.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the trained net (.npz).")],
    noticed: Annotated[
        float, typer.Option(min=0, max=1, help="Share of urgent words, held out, that must be found or asked about.")
    ] = 0.98,
    kept: Annotated[
        Path | None,
        typer.Option(
            "--keep-whole", help="A net whose reading of a message as a whole is kept: only words are learnt."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed and data give the same net.")] = 1,
    json_: JsonOption = False,
) -> None:
    """Train the net that tells how urgent words are: now, today or routine (half an hour and torch; minutes with
    --keep-whole).

    Nothing is written until it is done.
    """
    from camphor_lab.training.suspicion import SuspicionConfig, train_suspicion

    config = SuspicionConfig(noticed=noticed, seed=seed)
    _train_small(
        "Net for emergencies",
        out,
        json_,
        lambda progress: train_suspicion(data, talk, out, config, progress, kept),
        _shares,
    )


def train_referral(
    data: Annotated[Path, typer.Argument(help="A folder of descriptions, such as data/health-descriptions.")],
    out: ModelOut,
    seed: SeedOption = 1,
    json_: JsonOption = False,
) -> None:
    """Train what finds the specialist for a complaint (two to four minutes).

    Nothing is written until it is done.
    """
    from camphor_lab.training.referral import ReferralConfig
    from camphor_lab.training.referral import train_referral as train

    def held_out(figures: dict[str, Any]) -> Iterable[str]:
        yield (
            f"Of {figures['descriptions']:,} descriptions in styles that were held out, an acceptable specialist is "
            f"found for {100 * figures['accepted']:.1f}%, the best for {100 * figures['best']:.1f}%."
        )

    _train_small(
        "Specialists", out, json_, lambda progress: train(data, out, ReferralConfig(seed=seed), progress), held_out
    )


def train_complaints(
    data: Annotated[Path, typer.Argument(help="A folder of texts, complaints and others, such as data/health-talk.")],
    descriptions: Annotated[Path, typer.Argument(help="A folder of descriptions, such as data/health-descriptions.")],
    out: ModelOut,
    seed: SeedOption = 1,
    json_: JsonOption = False,
) -> None:
    """Train what tells a complaint from the weather, a pet or a wish to the phone (under a minute).

    Nothing is written until it is done.
    """
    from camphor_lab.training.referral import ComplaintConfig
    from camphor_lab.training.referral import train_complaints as train

    config = ComplaintConfig(seed=seed)
    _train_small("Complaints", out, json_, lambda progress: train(data, descriptions, out, config, progress), _shares)


def _shares(figures: dict[str, Any]) -> Iterable[str]:
    yield "Texts that were held out, in %:"
    for name, (share, count) in figures.items():
        yield f"  {name}: {100 * share:.1f} of {count:,}"


def _train_small(
    name: str,
    out: Path,
    json_: bool,
    train: Callable[[Told], dict[str, Any]],
    held_out: Callable[[dict[str, Any]], Iterable[str]],
) -> None:
    """Train a model and tell what it is, with the figures of what was held out in lines of text."""
    started = time.perf_counter()
    with _shown() as progress:
        about = train(progress)
    if json_:
        print_json({"file": str(out), **about})
        return
    typer.echo(f"{name}: {out} ({about['texts']:,} texts, {time.perf_counter() - started:.0f} s)")
    for line in held_out(about["held_out"]):
        typer.echo(line)


@contextmanager
def _shown(*, elapsed: bool = False) -> Iterator[Told]:
    """A bar for each part of the work, which is added when the part is first told of."""
    with bars(elapsed=elapsed) as shown:
        tasks: dict[str, TaskID] = {}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what, total=total)
            shown.update(tasks[what], completed=done)

        yield progress
