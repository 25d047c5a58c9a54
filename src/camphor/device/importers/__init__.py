"""Importers of the files in which people have their records, and which of them reads a file."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from camphor.device.importers.base import Brought, Importer, SimpleImporter, Situation, Unread
from camphor.errors import UsageError

__all__ = ["Brought", "Importer", "SimpleImporter", "Situation", "Unread", "importer_named", "importer_of", "importers"]

# The more telling kinds first: a folder of notes may hold anything.
_MODULES = ("ics", "vcf", "mail", "history", "chats", "plays", "table", "notes")


@cache
def importers() -> tuple[Importer, ...]:
    """All of them, the more telling ones first."""
    modules = (import_module(f"{__name__}.{name}") for name in _MODULES)
    return tuple(each for module in modules for each in vars(module).values() if isinstance(each, SimpleImporter))


def importer_named(name: str) -> Importer:
    """The importer of that name. Raises: UsageError, there is none."""
    found = next((each for each in importers() if each.name == name), None)
    if found is None:
        raise UsageError(f"there is no importer {name[:40]!r}: choose one of {', '.join(e.name for e in importers())}")
    return found


def importer_of(path: Path) -> Importer:
    """The importer that recognises a file or folder. Raises: UsageError, none does, or nothing is there."""
    if not path.exists():
        raise UsageError(f"{path}: there is nothing there")
    found = next((each for each in importers() if each.recognises(path)), None)
    if found is None:
        known = "; ".join(each.told for each in importers())
        raise UsageError(f"{path}: it is none of what can be brought in: {known}")
    return found
