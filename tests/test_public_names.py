"""The public face: `from camphor import ...` has every name, and `import camphor` costs nothing."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import camphor

LIBRARY = (Path(__file__).parents[1] / "docs/library.md").read_text(encoding="utf-8")
NAMES = [name for name in camphor.__all__ if name != "__version__"]
# `Event` is a union of the others, and `Answer` is yes or no.
DOCUMENTED = [name for name in NAMES if name not in ("Event", "Answer")]


def declared() -> set[str]:
    """What type checkers see: the imports under `if TYPE_CHECKING`, but for `Any`."""
    tree = ast.parse(inspect.getsource(camphor))
    branch = next(each for each in tree.body if isinstance(each, ast.If))
    return {name.name for each in branch.body if isinstance(each, ast.ImportFrom) for name in each.names} - {"Any"}


def test_names_are_the_same_at_run_time_and_for_type_checkers() -> None:
    assert sorted(camphor.__all__) == camphor.__all__
    assert declared() == set(NAMES)
    assert set(camphor.__all__) <= set(dir(camphor))
    star: dict[str, object] = {}
    exec("from camphor import *", star)
    assert set(NAMES) <= set(star)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_told_on_the_page(name: str) -> None:
    assert f"`{name}" in LIBRARY
    assert getattr(camphor, name) is getattr(camphor, name)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_name_has_a_docstring(name: str) -> None:
    value = getattr(camphor, name)
    assert (value.__doc__ or "").strip()
    members = vars(value) if inspect.isclass(value) else {}
    for member, found in members.items():
        if not member.startswith("_") and inspect.isfunction(found):
            assert "return" in found.__annotations__, f"{name}.{member}"


def test_what_is_no_name_is_told() -> None:
    with pytest.raises(AttributeError, match="module 'camphor' has no attribute 'Phone'"):
        _ = camphor.Phone


def test_importing_loads_nothing() -> None:
    """A fifth of a millisecond; that no module comes with it, `typing` neither, is what keeps it so."""
    code = "import sys; before = set(sys.modules); import camphor; print(*sorted(set(sys.modules) - before))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) <= {"camphor"}


def test_the_package_says_that_it_is_typed() -> None:
    assert (files("camphor") / "py.typed").is_file()
