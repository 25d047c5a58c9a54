"""What the commands that evaluate share: their options, and what a result file says of the run."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.models.base import LanguageModel

_ROOTED = re.compile(r"(^|[:=])(/(?!/).*)")

DataArgument = Annotated[
    Path, typer.Argument(help="A folder made by camphor lab data context (its test split), or one split's file.")
]
LimitOption = Annotated[int | None, typer.Option(help="Only so many queries, drawn evenly from the whole.")]
RankerOption = Annotated[
    Path | None, typer.Option(help="A trained ranker, in place of the one that comes with camphor.")
]
UntunedOption = Annotated[bool, typer.Option("--untuned", help="The embedded model without any adapter.")]


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
    """Raises: UsageError, there is no such folder to write to."""
    if out is not None and not out.parent.is_dir():
        raise UsageError(f"{out} cannot be written: name a file in a folder that exists")


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
    for name in ("model_path", "adapter_path"):
        path = getattr(mind, name, None)
        if path is not None and path.is_file():
            with path.open("rb") as file:
                found[name.removesuffix("_path")] = hashlib.file_digest(file, "sha256").hexdigest()
    return found
