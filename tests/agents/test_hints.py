"""The tools of unknown apps that a query may want."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files

import pytest

from camphor.agents.prompts import DYNAMIC, Form, unknown_tools
from camphor.agents.tool_priors import MOST, with_hints
from camphor.app import setting_of
from camphor.device.device import Device
from camphor.types import Agent, Call, Step, Turn


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    told = json.loads((files("camphor") / "demo" / "ines-dublin.device.json").read_text(encoding="utf-8"))
    told["apps"] |= {
        f"tapp{number}": {
            "description": "taps",
            "tools": [
                {
                    "name": f"{verb}_tapp{number}",
                    "kind": "action",
                    "description": f"{verb} a tap in the cellar.",
                    "parameters": {"type": "object", "properties": {"tap": {"type": "string"}}},
                }
                for verb in ("open", "close")
            ],
        }
        for number in range(4)
    }
    with Device.create(None, told) as made:
        yield made


def test_the_tools_that_fit_the_query_stand_in_words(device: Device) -> None:
    setting = setting_of(device, Form.HINTED)
    found = with_hints(setting, "Reserve me a bike at the station", ()).hints or frozenset()
    assert "reserve_rothar_bike" in found
    agents = [tool.agent for tool in unknown_tools(setting) if tool.name in found]
    assert all(agents.count(agent) <= MOST for agent in DYNAMIC)
    assert len(found) < len(unknown_tools(setting))


def test_a_talk_keeps_what_it_is_about(device: Device) -> None:
    setting = setting_of(device, Form.HINTED)
    called = Turn("Close the third tap", (Step(Agent.TASK, (Call("close_tapp2", {"tap": "third"}),)),), "Closed.")
    other = Turn("thanks", (Step(Agent.TASK),), "You are welcome.")
    assert "close_tapp2" in (with_hints(setting, "and the bike?", (called, other)).hints or ())
