"""The Python files of a folder, read once: what was looked at is what runs.

A folder of functions is trusted by the hashes of its files. If Python imported them itself, it could load a compiled
file of `__pycache__` or a library in their place, or files that were changed after they were hashed.
"""

from __future__ import annotations

import hashlib
import itertools
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from camphor.errors import DefinitionError

Sources = Mapping[str, bytes]
"""What the Python files of a folder hold, by path inside it (`trips.py`, `shared/legs.py`)."""

_NUMBERS = itertools.count()


def read_sources(folder: Path) -> Sources:
    """Every Python file that a module of the folder could import; empty where it is no folder.

    Raises:
        DefinitionError: a file cannot be read.
    """
    found = {}
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(folder)
        *folders, _ = inside.parts
        if all(each.isidentifier() for each in folders) and path.is_file():
            try:
                found[inside.as_posix()] = path.read_bytes()
            except OSError as error:
                raise DefinitionError(f"{path}: cannot be read: {error.strerror}") from None
    return found


def hashes(sources: Sources) -> dict[str, str]:
    """The SHA-256 of each file."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in sources.items()}


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The files that are other ones, new or gone."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def new_package(folder: Path, sources: Sources | None) -> str:
    """The name of a package of these files, a new one for each reading, so that what was changed since is read anew.

    Args:
        sources: None for what lies in the folder when it is imported.
    """
    name = f"camphor_functions_{next(_NUMBERS)}"
    package = ModuleType(name)
    package.__path__ = [] if sources is not None else [str(folder)]
    sys.modules[name] = package
    if sources is not None:
        sys.meta_path.append(_Importer(name, folder, sources))
    return name


class _Importer(MetaPathFinder, Loader):
    """Imports the modules of one package from what was read."""

    def __init__(self, package: str, folder: Path, sources: Sources) -> None:
        self._package, self._folder, self._sources = package, folder, sources

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith(self._package + "."):
            return None
        inside = name.removeprefix(self._package + ".").replace(".", "/")
        for file, is_package in ((f"{inside}/__init__.py", True), (f"{inside}.py", False)):
            if file in self._sources:
                spec = ModuleSpec(name, self, origin=str(self._folder / file), is_package=is_package, loader_state=file)
                spec.has_location = True
                return spec
        is_folder = any(file.startswith(inside + "/") for file in self._sources)
        return ModuleSpec(name, self, is_package=True) if is_folder else None

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None and spec.loader_state is not None:
            code = compile(self._sources[spec.loader_state], str(spec.origin), "exec")
            exec(code, module.__dict__)
