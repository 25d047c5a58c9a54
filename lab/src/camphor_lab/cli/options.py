"""What the commands share: their options, their checks, bars of progress, and what a result file says of the run."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.text import bars, print_json
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.models.base import LanguageModel

_NOT_DECISIVE = re.compile(r" (?:(?:--out|-o|--processes|--threads|--against|--floor|--setting)[ =]\S+|--json)(?!\S)")
"""Options: `--setting` names the file that it is about."""
_ROOTED = re.compile(r"(^|[:=])(/(?!/).*)")

DataArgument = Annotated[
    Path, typer.Argument(help="A folder made by camphor lab data context (its test split), or one split's file.")
]
LimitOption = Annotated[int | None, typer.Option(help="Only so many queries, drawn evenly from the whole.")]
RankerOption = Annotated[
    Path | None, typer.Option(help="A trained ranker, in place of the one that comes with camphor.")
]
ToolRetrieverOption = Annotated[str, typer.Option(help="What finds the tools: a retriever of camphor lab retrieval.")]
UntunedOption = Annotated[bool, typer.Option("--untuned", help="The embedded model without any adapter.")]

DatasetsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="DATASET...", help="JSONL files, one query a line; a folder stands for those in it."),
]
MemoryOption = Annotated[bool, typer.Option("--memory", help="With the long-term memory that ask and chat have.")]
ProcessesOption = Annotated[int | None, typer.Option(min=1, help="How many processes work; one a core unless given.")]


def written(what: str) -> Any:
    """The option --out of a command that writes so much as JSON."""
    return typer.Option("--out", "-o", help=f"Where to write {what} (JSON).")


def json_of(what: str) -> Any:
    """The option --json of a command that prints so much."""
    return typer.Option("--json", help=f"Print {what} as JSON.")


def check_form(form: str | None, known: Sequence[str]) -> None:
    """Raises: UsageError, there is no such form."""
    if form is not None and form not in known:
        raise UsageError(f"There is no form {form!r}: choose from {', '.join(known)}")


def check_folder(out: Path) -> None:
    """Raises: UsageError, no folder can be made there."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file: name a folder")


def check_untuned(untuned: bool, model: str | None, adapter: Path | None) -> None:
    """Raises: UsageError, another model or an adapter is named beside --untuned."""
    if untuned and (model or adapter):
        raise UsageError("--untuned is the embedded model as it is: leave --model and --adapter out")


@contextmanager
def stopped(out: Path | None) -> Iterator[None]:
    """Ctrl-C inside says whether the same command goes on from there, as it does where results are kept."""
    try:
        yield
    except KeyboardInterrupt:
        kept = "the same command goes on from here" if out else "nothing was kept; give --out to be able to go on"
        raise KeyboardInterrupt(f"Stopped: {kept}.") from None


def check_out(out: Path | None) -> None:
    """Raises: UsageError, there is no such folder to write to, or the file holds what another command found.

    The same command may write its file again, whatever became of the code, the adapter or the data meanwhile.
    """
    if out is None:
        return
    if not out.parent.is_dir():
        raise UsageError(f"{out} cannot be written: name a file in a folder that exists")
    if (recorded := _recorded_command(out)) and _decisive(recorded) != _decisive(told_command()):
        raise UsageError(f"{out} holds the results of  {recorded}: name another file with --out, or remove this one")


def _recorded_command(path: Path) -> str:
    """The command that wrote a result file; "" where there is no such file, or it says none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return str({**found, **found.get("run", {})}.get("command", ""))
    except (OSError, ValueError, AttributeError, TypeError):
        return ""


def _decisive(command: str) -> list[str]:
    """What of a command line decides the results: neither its order nor where they go, how fast and how shown."""
    words = (word for word in _NOT_DECISIVE.sub(" ", command).split() if word != "lab")
    return sorted(word.removeprefix("./").rstrip("/") for word in words)


def told_command(words: Sequence[str] | None = None) -> str:
    """The command line, for the record: paths from the root are told from the working folder on, or by their names."""
    given = list(words or sys.argv[1:])
    return " ".join(["camphor", *([] if given[:1] == ["lab"] else ["lab"]), *map(told_word, given)])


def told_word(word: str) -> str:
    """A word of the command line, or the name of a model, without a path of this machine."""
    return _ROOTED.sub(_shown_path, word)


def _shown_path(found: re.Match[str]) -> str:
    path = Path(found[2])
    return found[1] + (str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else path.name)


def hashes(mind: LanguageModel) -> dict[str, str]:
    """SHA-256 of the very files that were loaded."""
    found = {}
    mind = getattr(mind, "model", mind)  # of one that converses, the files are those of the model in it
    for name in ("model_path", "adapter_path"):
        path = getattr(mind, name, None)
        if path is not None and path.is_file():
            with path.open("rb") as file:
                found[name.removesuffix("_path")] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def show(json_: bool, told: Any, table: Callable[[], Any]) -> None:
    """Prints what is told as JSON, or as the table (or tables) of rich."""
    if json_:
        print_json(told)
    else:
        from rich.console import Console

        Console().print(table())


def without_items(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report without what became of each query."""
    return {key: value for key, value in report.items() if key != "items"}


def say_where(out: Path | None) -> None:
    """Says on standard error where the results are, if they were kept."""
    if out:
        typer.echo(f"Results: {out}", err=True)


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

    def __call__(self, done: int, total: int, result: Any = None) -> None:
        self._failed += result is not None and result.error is not None
        note = f"queries ({self._failed} failed)" if self._failed else "queries"
        self._progress.update(self._task, completed=done, total=total, description=note)
