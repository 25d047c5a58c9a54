"""The four prompt forms of Table 4 and ours, on the demo phone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files

import pytest

from camphor.agents.bounds import Limits, calls_grammar
from camphor.agents.prompts import DYNAMIC, TOLD, Form, available_agents, function_tokens, render, render_system
from camphor.app import setting_of
from camphor.device.device import Device
from camphor.device.general import reckoning_tools
from camphor.tools.tool import Toolbox
from camphor.types import EXPERTS, Agent, Step, Trajectory, Turn


@pytest.fixture
def device() -> Iterator[Device]:
    with Device.from_file(files("camphor.demo") / "ines-dublin.device.json") as opened:
        yield opened


def text_of(device: Device, form: Form) -> str:
    return "".join(part.text for part in render_system(setting_of(device, form)) if not part.compressed)


def test_each_form_says_less_than_the_one_before(device: Device) -> None:
    lengths = [len(text_of(device, form)) for form in (Form.FULL, Form.INSTRUCTED, Form.DEFINITIONS, Form.COMPRESSED)]
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == 4


def test_definitions_and_function_tokens_cover_exactly_the_tools_of_the_dynamic_agents(device: Device) -> None:
    setting = setting_of(device, Form.COMPRESSED)
    tools = [tool for agent in DYNAMIC for tool in device.toolbox.of(agent)]
    assert function_tokens(setting) == tuple(tool.full_definition() for tool in tools)
    written = text_of(device, Form.DEFINITIONS)
    assert all(tool.full_definition() in written for tool in tools)
    assert not any(tool.name in text_of(device, Form.COMPRESSED) for tool in device.toolbox)


def test_function_tokens_stand_before_all_text(device: Device) -> None:
    marks = [part.compressed for part in render_system(setting_of(device, Form.COMPRESSED))]
    assert marks == sorted(marks, reverse=True)
    assert any(marks)
    for form in Form:
        if form not in (Form.COMPRESSED, Form.HINTED):
            assert not any(part.compressed for part in render_system(setting_of(device, form)))


def test_hints_are_definitions_of_unknown_apps_alone(device: Device) -> None:
    setting = setting_of(device, Form.HINTED)
    unknown = {tool.name for tool in device.toolbox if tool.app and tool.app not in setting.known}
    chosen = frozenset(sorted(unknown)[:1])
    assert len(unknown) > 1
    for hints, shown in ((None, unknown), (chosen, chosen), (frozenset(), frozenset())):
        narrowed = replace(setting, hints=hints)
        written = "".join(part.text for part in render_system(narrowed) if not part.compressed)
        assert {tool.name for tool in device.toolbox if f"{tool.name}(" in written} == shown
        assert function_tokens(narrowed) == function_tokens(setting_of(device, Form.COMPRESSED))


def test_the_full_form_names_every_agent_and_every_tool(device: Device) -> None:
    written = text_of(device, Form.FULL)
    assert all(tool.full_definition() in written for tool in device.toolbox)
    assert all(agent.value in written for agent in Agent if agent is not Agent.HIGH_ORDER)


def test_every_form_tells_the_time_last_and_trains_the_same_words(device: Device) -> None:
    trajectory = Trajectory(Turn("hello", (Step(Agent.TASK),), "Hello."))
    trained = set()
    for form in Form:
        prompt = render(trajectory, setting_of(device, form))
        trained.add(tuple(part.text for part in prompt if part.trained))
        assert [part.text for part in render_system(setting_of(device, form))][-2].startswith("Now: Thu 12 Mar 2026")
    assert trained == {("task_completion", " []", "Hello.", "<|im_end|>")}


def test_what_only_code_calls_changes_nothing_for_a_tuned_model(device: Device) -> None:
    before = Toolbox(tool for tool in device.toolbox if tool.name not in {each.name for each in reckoning_tools()})
    for form in Form:
        setting = setting_of(device, form)
        old = replace(setting, toolbox=before)
        if form in TOLD:
            assert "calculate(" in "".join(part.text for part in render_system(setting))
            continue
        assert render_system(setting) == render_system(old)
        assert available_agents(setting.toolbox) == available_agents(before)
        for agent in EXPERTS:
            asked = (Turn("12 times 7"),)
            written = [calls_grammar(each.toolbox.of(agent), asked, each, Limits()) for each in (setting, old)]
            assert written[0] == written[1]
            assert "calculate" not in written[0]
