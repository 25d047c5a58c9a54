"""The words of a query speak for the tools of apps that are not built in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import pytest

from camphor.agents.bounds import USUAL
from camphor.agents.tool_priors import DEFINITION, RECORDS, leaning_of
from camphor.app import Assistant, run_to_end, setting_of
from camphor.device.device import Device
from camphor.models.base import ScriptedModel

DEMO = json.loads(files("camphor.demo").joinpath("ines-dublin.device.json").read_text(encoding="utf-8"))


def tool(name: str, kind: str, description: str, **parameters: str) -> dict[str, Any]:
    return {
        "name": name,
        "kind": kind,
        "description": description,
        "returns": "boats" if kind == "context" else "",
        "parameters": {
            "type": "object",
            "properties": {each: {"type": "string", "role": role} for each, role in parameters.items()},
            "required": [],
        },
    }


CLUB = {
    "description": "A sailing club.",
    "tools": [
        tool("find_boats", "context", "Boats of the club.", keyword="keyword"),
        tool("reserve_boat", "action", "Reserve a boat for a day.", boat="reference"),
        tool("report_damage", "action", "Report what is broken.", boat="reference"),
    ],
    "records": {"boats": [{"boat": "Gannet", "berth": "12"}]},
}


def leaning(query: str, **apps: Any) -> Mapping[str, float]:
    with Device.create(None, {**DEMO, "apps": {**DEMO["apps"], **apps}}) as device:
        return leaning_of(setting_of(device), query, device)


def test_only_tools_of_other_apps_lean() -> None:
    assert leaning("claim Gannet for Wednesday").keys() == {
        each["name"] for app in DEMO["apps"].values() if "tools" in app for each in app["tools"]
    }


def test_a_name_from_an_apps_records_speaks_for_all_its_tools() -> None:
    found = leaning("claim Gannet for Wednesday", club=CLUB)
    assert {found["find_boats"], found["reserve_boat"], found["report_damage"]} == {RECORDS}
    assert set(leaning("claim it for me today", club=CLUB).values()) == {0.0}


def test_words_of_a_definition_speak_for_its_tool() -> None:
    found = leaning("something is broken, they want a report", club=CLUB)
    assert found["report_damage"] == 0.0
    assert found["reserve_boat"] < -DEFINITION / 10


@pytest.mark.parametrize("query", ["...", "12", "is it on?"])
def test_words_that_name_nothing_lean_nowhere(query: str) -> None:
    assert not any(leaning(query, club=CLUB).values())


def test_a_phone_without_other_apps_leans_nowhere() -> None:
    apps = {name: app for name, app in DEMO["apps"].items() if "tools" not in app}
    with Device.create(None, {**DEMO, "apps": apps}) as device:
        assert not leaning_of(setting_of(device), "claim Gannet", device)


@pytest.mark.parametrize("leans", [True, False])
def test_the_model_is_told_for_the_agents_own_tools(leans: bool) -> None:
    model = ScriptedModel(["task_completion", " []", "It is taken."])
    with Device.create(None, {**DEMO, "apps": {**DEMO["apps"], "club": CLUB}}) as device:
        run_to_end(
            Assistant(device, model, limits=USUAL if leans else USUAL.without("tool_priors")),
            "claim Gannet for Wednesday",
            consent=True,
        )
    told = dict(model.requests[1].leaning)
    assert (told.get("reserve_boat"), "find_boats" in told) == ((RECORDS, False) if leans else (None, False))


def test_a_list_as_a_default_is_no_trouble() -> None:
    toppings = {"type": "array", "role": "text", "default": ["ham"]}
    pizza = {**tool("order_pizza", "action", "Order a pizza."), "returns": ""}
    pizza["parameters"]["properties"]["toppings"] = toppings
    assert leaning("order a pizza", club={**CLUB, "tools": [*CLUB["tools"], pizza]})["order_pizza"] == 0.0
