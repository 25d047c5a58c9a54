"""The door to the laboratory: camphor-lab, a distribution of its own that makes data, trains and measures.

It depends on this one. What people run knows no more of it than its name.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from camphor.errors import UsageError, install_command

PACKAGE = "camphor_lab"
COMMANDS = frozenset(
    ("data", "evaluate", "evaluate-functions", "evaluate-public", "report", "retrieval", "train", "train-answers",
     "train-complaints", "train-facts", "train-parts", "train-plausible", "train-ranker", "train-reader",
     "train-red-flags", "train-referral")
)  # fmt: skip
"""Its commands, which may be given without the word `lab`; known here so that one is told from a slip without it."""


@cache
def folder() -> Path | None:
    """Where it is installed; None where it is not. Looked for once: every page and every file of weights asks."""
    found = find_spec(PACKAGE)
    return Path(found.origin).parent if found and found.origin else None


def is_installed() -> bool:
    """Whether the laboratory is there."""
    return folder() is not None


def load(module: str) -> ModuleType:
    """A module of the laboratory, by its name within.

    Raises:
        UsageError: the laboratory is not installed.
    """
    if not is_installed():
        raise UsageError(
            "Making data, training and measuring are a package of their own, camphor-lab, which is not installed: "
            f"run  {install_command('camphor-lab')}"
        )
    return import_module(f"{PACKAGE}.{module}")
