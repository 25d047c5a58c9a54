"""The bar of long work, on standard error: shown where a person sees it, and gone when the work is done."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


def bars(note: str = "", *, elapsed: bool = False) -> Progress:
    """A context manager whose tasks are lines of a description, a bar, how many of how many, and the time left.

    Away from a terminal nothing is shown, so that an error stays one line there.

    Args:
        note: text after the counts, with a task's fields as `{task.fields[name]}`. elapsed: the time since the start in
            place of the time left, for work whose pace tells little.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        *([TextColumn(note)] if note else []),
        TimeElapsedColumn() if elapsed else TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
