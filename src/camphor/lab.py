"""The door to the laboratory: camphor-lab, a distribution of its own that makes data, trains and measures.

It depends on this one. What people run knows no more of it than its name.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from camphor.errors import UsageError

PACKAGE = "camphor_lab"


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
            "Making data, training and measuring are a package of its own, which is not installed: "
            "run  pip install camphor-lab"
        )
    return import_module(f"{PACKAGE}.{module}")
