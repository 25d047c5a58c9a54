"""A folder of functions that was installed: what is put into it later does not run, nor for another phone."""

from __future__ import annotations

import json
import py_compile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from camphor.cli import home
from camphor.cli.device_connect import install
from camphor.types import Call

TRIPS = '''
from ._shared import word
READS = ("find_trips",)

def find_trips() -> str:
    """Find trips."""
    return word()
'''
SHARED = 'def word() -> str:\n    return "Rome"\n'
EVIL = 'from pathlib import Path\nPath(__file__).with_name("ran").touch()\n'


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAMPHOR_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "my trips" / "trips"
    made.mkdir(parents=True)
    (made / "trips.py").write_text(TRIPS, encoding="utf-8")
    (made / "_shared.py").write_text(SHARED, encoding="utf-8")
    return made


def found(phone: str = "ines-dublin") -> str:
    """What the function says on a phone that is opened now, or why it does not run."""
    with closing(home.open_device(phone)) as device:
        seen = device.execute(Call("find_trips"))
    return seen.error or str(seen.records[0]["result"])


def change_a_module(folder: Path) -> str:
    (folder / "trips.py").write_text(EVIL + TRIPS, encoding="utf-8")
    return "trips.py"


def change_what_it_imports(folder: Path) -> str:
    (folder / "_shared.py").write_text(EVIL + SHARED, encoding="utf-8")
    return "_shared.py"


def add_a_module(folder: Path) -> str:
    (folder / "more.py").write_text(EVIL + 'def more() -> None:\n    """More."""\n', encoding="utf-8")
    return "more.py"


def add_a_package(folder: Path) -> str:
    (folder / "_shared").mkdir()
    (folder / "_shared" / "__init__.py").write_text(EVIL + SHARED, encoding="utf-8")
    return "_shared/__init__.py"


def take_one_away(folder: Path) -> str:
    (folder / "_shared.py").unlink()
    return "_shared.py"


@pytest.mark.parametrize(
    "change", [change_a_module, change_what_it_imports, add_a_module, add_a_package, take_one_away]
)
def test_a_change_runs_nothing_until_it_is_installed_again(folder: Path, change: Callable[[Path], str]) -> None:
    install("ines-dublin", folder)
    assert found() == "Rome"
    file = change(folder)
    told = found()
    assert not list(folder.rglob("ran"))
    assert f"{file} changed after it was installed" in told
    assert told.endswith(f"camphor device install ines-dublin '{folder}'")
    assert "\n" not in told


def test_a_change_that_was_looked_at_runs(folder: Path) -> None:
    install("ines-dublin", folder)
    (folder / "_shared.py").write_text(SHARED.replace("Rome", "Porto"), encoding="utf-8")
    install("ines-dublin", folder)
    assert found() == "Porto"


def test_a_compiled_file_is_no_way_in(folder: Path) -> None:
    """Python trusts `__pycache__` where time and size of the source are the same."""
    install("ines-dublin", folder)
    source = folder / "_shared.py"
    cache = folder / "__pycache__" / "_shared.cpython-311.pyc"
    source.write_text(SHARED.replace("Rome", "Oslo"), encoding="utf-8")
    for tag in ("cpython-311", "cpython-312", "cpython-313"):
        py_compile.compile(str(source), str(cache.with_name(f"_shared.{tag}.pyc")), invalidation_mode=UNCHECKED)
    source.write_text(SHARED, encoding="utf-8")
    assert found() == "Rome"


UNCHECKED = py_compile.PycInvalidationMode.UNCHECKED_HASH


def test_another_device_file_that_names_the_folder_runs_nothing(folder: Path, tmp_path: Path) -> None:
    install("ines-dublin", folder)
    with closing(home.open_device("ines-dublin")) as device:
        foreign = {**device.export(), "id": "foreign", "owner": "Somebody"}
    file = tmp_path / "foreign.device.json"
    file.write_text(json.dumps(foreign), encoding="utf-8")
    (folder / "__init__.py").write_text("", encoding="utf-8")
    install("ines-dublin", folder)
    for phone in (str(file), "foreign", "ines-dublin"):
        if phone == "foreign":
            home.keep(foreign, "foreign", replace=False)
        if phone == "ines-dublin":  # in the place of the phone on which it was installed
            assert found() == "Rome"
            home.keep(foreign, "ines-dublin", replace=True)
        assert "are not trusted on this machine: run  camphor device install" in found(phone)


def test_a_list_of_before_there_were_hashes_is_no_trust(folder: Path, data_folder: Path) -> None:
    install("ines-dublin", folder)
    (data_folder / "functions.json").write_text(json.dumps([str(folder)]), encoding="utf-8")
    assert "are not trusted" in found()
    install("ines-dublin", folder)
    assert found() == "Rome"


def test_a_phone_that_is_removed_takes_the_trust_along(folder: Path, data_folder: Path) -> None:
    install("ines-dublin", folder)
    home.remove("ines-dublin")
    assert json.loads((data_folder / "functions.json").read_text()) == {}
