"""`@tool`: what a function is as a tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from camphor.device.device import Device
from camphor.device.manifests import folder_of
from camphor.errors import DefinitionError, UsageError
from camphor.tools.modules import tool
from camphor.tools.readers import from_schema
from camphor.tools.tool import Kind
from camphor.types import Agent, Call

SEEN: list[tuple[str, int]] = []


@tool
def water_bed(bed: str, minutes: int = 5) -> None:
    """Water a bed.

    Args:
        bed: The bed's name.
    """
    SEEN.append((bed, minutes))


@tool(reads=True)
def count_beds() -> int:
    """Count the beds."""
    return 3


def phone(path: Path | None = None) -> Device:
    data: dict[str, Any] = {"format": "camphor.device/1", "id": "p", "now": "2026-03-12T08:45:00", "apps": {}}
    return Device.create(path, data)


def test_a_function_acts_unless_it_is_said_to_read() -> None:
    assert (water_bed.kind, water_bed.agent) == (Kind.ACTION, Agent.TASK)
    assert (count_beds.kind, count_beds.agent) == (Kind.CONTEXT, Agent.CONTEXT)
    assert water_bed.definition() == "water_bed(bed, minutes?: int): Water a bed."
    assert water_bed.parameters[0].description == "The bed's name."


def test_the_function_is_there_as_it_was() -> None:
    assert count_beds.function is not None
    assert count_beds.function() == 3


def test_what_cannot_be_read_is_refused_with_its_line() -> None:
    with pytest.raises(DefinitionError, match=r"test_declare\.py, line \d+: .*bare: has no docstring"):

        @tool
        def bare() -> None: ...


def test_tools_are_an_app_of_a_phone() -> None:
    SEEN.clear()
    with phone() as device:
        device.add_functions("garden", water_bed, count_beds)
        assert device.toolbox.get("water_bed").app == "garden"
        assert device.execute(Call("count_beds")).records == ({"result": 3},)
        assert device.execute(Call("water_bed", {"bed": "north bed"})).error is None
        assert SEEN == [("north bed", 5)]
        assert [entry.call.name for entry in device.journal()] == ["water_bed"]


def test_a_stored_phone_keeps_no_code(tmp_path: Path) -> None:
    with phone(tmp_path / "p.camphor") as device:
        device.add_functions("garden", water_bed, count_beds)
    with Device.open(tmp_path / "p.camphor") as device:
        assert "not trusted on this machine" in (device.execute(Call("count_beds")).error or "")
        device.add_functions("garden", count_beds)
        assert device.execute(Call("count_beds")).records == ({"result": 3},)
        assert "water_bed" not in device.toolbox


def test_an_app_comes_from_the_folder_of_its_program() -> None:
    assert folder_of(water_bed) == str(Path(__file__).parent)


def test_a_tool_without_a_function_is_no_function() -> None:
    bare = from_schema({"name": "ring", "description": "Ring."})
    with phone() as device:
        with pytest.raises(DefinitionError, match="app bell: ring has no function"):
            device.add_functions("bell", water_bed, bare)
        with pytest.raises(DefinitionError, match="app bell: has no tools"):
            device.add_functions("bell")
        with pytest.raises(UsageError, match="built-in app"):
            device.add_functions("calendar", water_bed)
