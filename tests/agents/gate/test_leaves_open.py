"""When a query is done, and when something is still to come in the place of what was taken away."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.gate import leaves_open
from camphor.agents.gate.words import gate_words
from camphor.device.device import Device
from camphor.tools.tool import Tool

GATE: dict[str, Any] = tomllib.loads(files("camphor").joinpath("agents/gate/gate.toml").read_text("utf-8"))
SEVERAL = GATE["several"]
with Device.from_file(Path(__file__).parents[3] / "src" / "camphor" / "demo" / "ines-dublin.device.json") as DEVICE:
    CANCEL, CREATE, TEXT = map(
        DEVICE.toolbox.get, ("cancel_calendar_event", "create_calendar_event", "send_imessage_message")
    )


def test_words_of_several() -> None:
    assert gate_words().several.search(SEVERAL["example"])
    assert not gate_words().several.search(SEVERAL["counter"])


@pytest.mark.parametrize(
    ("query", "done", "still"),
    [
        ("pit the new time in", [CANCEL], True),
        ("move the dentist to Friday", [CANCEL], True),
        ("move the dentist to Friday", [CANCEL, CREATE], False),
        ("cancel the dentist", [CANCEL], False),
        ("tell both of them", [TEXT], True),
        ("tell both of them", [TEXT, TEXT], False),
        ("send her all that", [TEXT], False),
    ],
)
def test_a_query_is_done_when_all_of_it_is(query: str, done: list[Tool], still: bool) -> None:
    assert leaves_open(query, done) is still
