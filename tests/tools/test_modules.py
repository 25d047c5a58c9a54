"""Python files and folders of them as tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from camphor.errors import DefinitionError
from camphor.tools.listing import read_tools
from camphor.tools.modules import read_folder, read_module
from camphor.tools.tool import Kind, Parameter
from camphor.types import Agent

TRIPS = '''"""Trips."""
from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from os.path import join

READS = ("find_trips",)


@dataclass
class Leg:
    city: str
    days: int = 1


def plan_trip(legs: list[Leg]) -> str:
    """Plan a trip."""
    return _count(legs)


@lru_cache
def find_trips(city: str = "") -> list[str]:
    """Find trips."""
    return []


def _count(legs: list[Leg]) -> str:
    return str(len(legs))


async def cancel_trip(name: str) -> None:
    """Cancel a trip."""


again = plan_trip
double = lambda x: 2 * x
print("loading")
'''


def write(folder: Path, text: str, name: str = "trips.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_public_functions_of_a_module_are_its_tools_in_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, find, cancel = read_module(write(tmp_path, TRIPS), app="trips")
    assert [tool.name for tool in (plan, find, cancel)] == ["plan_trip", "find_trips", "cancel_trip"]
    assert plan.parameters[0].fields == (Parameter("city"), Parameter("days", "integer", required=False, default=1))
    assert (plan.kind, plan.agent) == (Kind.ACTION, Agent.TASK)
    assert (find.kind, find.agent) == (Kind.CONTEXT, Agent.CONTEXT)
    assert plan.app == "trips"
    assert plan.function is not None
    assert plan.function([1, 2]) == "2"
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "loading\n")


def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    path = write(tmp_path, 'def a() -> None:\n    """A."""\n')
    assert [tool.name for tool in read_module(path)] == ["a"]
    write(tmp_path, 'def b() -> None:\n    """B."""\n')
    assert [tool.name for tool in read_module(path)] == ["b"]


def test_a_folder_is_an_app_whose_modules_share_what_they_like(tmp_path: Path) -> None:
    folder = tmp_path / "travel"
    folder.mkdir()
    write(folder, "class Mood:\n    pass\n\nloaded = []\n", "_shared.py")
    write(folder, 'from ._shared import loaded\nloaded.append(1)\ndef b() -> None:\n    """B."""\n', "b.py")
    write(
        folder,
        'from .b import b\nfrom ._shared import loaded\ndef a() -> int:\n    """A."""\n    return len(loaded)\n',
        "a.py",
    )
    tools = read_folder(folder)
    assert [(tool.name, tool.app) for tool in tools] == [("a", "travel"), ("b", "travel")]
    assert tools[0].function is not None
    assert tools[0].function() == 1  # b was run once, although it was both imported and read
    assert [tool.name for tool in read_tools(folder)] == ["a", "b"]
    assert [tool.name for tool in read_tools(folder / "b.py")] == ["b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\ndef a(:\n", "trips.py, line 2: is not Python"),
        ("x = 1\0", "is not Python"),
        ("x = " + "(" * 3000 + ")" * 3000, "is not Python"),
        (
            'def a() -> None:\n    """A."""\n\ndef a() -> None:\n    """A."""\n',
            "line 4: a is defined in line 1 already",
        ),
        ("x = 1\n\nx / 0\n", "trips.py, line 3: raises ZeroDivisionError when it is loaded: division by zero"),
        ("import sys\nsys.exit('stop')\n", "line 2: raises SystemExit when it is loaded: stop"),
        ("raise ValueError('one\\ntwo')\n", "loaded: one two"),
        ("import nearby\n", "(it lies beside: write  from .nearby import ...)"),
        ("from nowhere_at_all import x\n", "raises ModuleNotFoundError"),
        ("def _a() -> None: ...\nfrom os.path import join\n", "defines no public function"),
        (
            "from io import BytesIO\ndef a(x: BytesIO) -> None:\n    '''A.'''\n",
            "line 2: a: parameter x: type BytesIO cannot be read",
        ),
        ("READS = ('b',)\ndef a() -> None:\n    '''A.'''\n", "READS names b, which is no public function"),
        ("READS = 'a'\ndef a() -> None:\n    '''A.'''\n", "expected READS as names of functions"),
        (
            "def hide(f):\n    def inner() -> None:\n        '''A.'''\n    return inner\n"
            "_h = hide\ndel hide\n@_h\ndef a() -> None:\n    '''A.'''\n",
            "line 2: a is really inner: define it, or give its decorator  functools.wraps",
        ),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line_with_path_and_line(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, "", "nearby.py")
    path = write(tmp_path, text)
    with pytest.raises(DefinitionError) as caught:
        read_module(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_things_than_python_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "binary.py").write_bytes(bytes(range(128, 256)))
    for path, message in (
        (write(tmp_path, "", "notes.txt"), "expected a Python file"),
        (tmp_path / "missing.py", "cannot be read: No such file"),
        (tmp_path / "binary.py", "is not Python"),
    ):
        with pytest.raises(DefinitionError, match=message):
            read_module(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DefinitionError, match="expected a folder with Python files"):
        read_folder(tmp_path / "empty")


def test_a_name_twice_in_a_folder_is_refused_with_both_places(tmp_path: Path) -> None:
    write(tmp_path, 'def a() -> None:\n    """A."""\n', "one.py")
    write(tmp_path, '\ndef a() -> None:\n    """A."""\n', "two.py")
    with pytest.raises(DefinitionError, match=r"two.py, line 2: a is defined in .*one.py, line 1 too: rename one"):
        read_folder(tmp_path)
