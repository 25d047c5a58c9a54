"""The Android phone that comes with the package, and the assistant on it."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest

from camphor.agents.events import Answer, Answered, ConsentNeeded, Decision
from camphor.agents.prompts import Form, Setting, render
from camphor.app import Assistant
from camphor.device.android.toolbox import FUNCTIONS, SimulatedPhone, android_toolbox, result_of
from camphor.device.apps import ANDROID_APPS, KNOWN_APPS
from camphor.device.device import Device
from camphor.device.format import parse
from camphor.models.base import ScriptedModel
from camphor.tools.grammar import call_list_grammar
from camphor.types import Call, Trajectory, Turn


def demo() -> dict[str, Any]:
    return parse(files("camphor").joinpath("demo/android.device.json").read_text(encoding="utf-8"), "the demo")


@pytest.fixture
def device() -> Device:
    return Device.create(None, demo())


def test_its_records_have_the_fields_of_their_lists() -> None:
    apps = demo()["apps"]
    assert set(apps) == set(ANDROID_APPS)
    for app, lists in apps.items():
        assert set(lists) <= set(KNOWN_APPS[app].lists)
        for name, records in lists.items():
            assert all(set(record) <= set(KNOWN_APPS[app].lists[name]) for record in records), (app, name)


def test_the_tools_of_the_apps_are_the_24_functions(device: Device) -> None:
    made = {tool.name: tool for tool in device.toolbox if tool.app in FUNCTIONS}
    assert list(made) == [tool.name for tool in android_toolbox()]
    assert device.apps == tuple(FUNCTIONS)


def test_it_answers(device: Device) -> None:
    phone = SimulatedPhone(device)
    assert result_of(phone.run(Call("get_contact_info", {"name": "mum", "key": "phone"}))) == "+47 555 01 102"
    assert "Jonas Bakke" in str(phone.run(Call("get_contact_info", {"name": "Jonas", "key": "phone"})).error)


@pytest.mark.parametrize("form", list(Form))
def test_prompts_and_grammars_can_be_made_for_it(device: Device, form: Form) -> None:
    setting = Setting(device.toolbox, device.now, "Bergen", frozenset(), form)
    text = "".join(segment.text for segment in render(Trajectory(Turn("wake me at 6")), setting))
    assert "ACTION_SET_ALARM" in text
    assert call_list_grammar(device.toolbox)


def test_the_assistant_asks_and_acts_on_it(device: Device) -> None:
    words = [
        "personal_context",
        ' [get_contact_info(name="Amir", key="email")]',
        "task_completion",
        ' [ACTION_SET_TIMER(duration="10 minutes"); send_email(to=["amir@example.org"], subject="Kiln", body="On it")]',
    ]
    loop = Assistant(device, ScriptedModel(words)).run("mail Amir that the kiln is on, and time ten minutes")
    asked, event = [], next(loop)
    while not isinstance(event, Answered):
        if isinstance(event, ConsentNeeded):
            asked.append(event.call.name)
            event = loop.send(Decision(Answer.YES if event.call.name == "send_email" else Answer.NO))
        else:
            event = next(loop)
    assert asked == ["ACTION_SET_TIMER", "send_email"]
    assert device.records("android_messaging", "mails")[-1]["recipients"] == ["amir@example.org"]
    assert len(device.records("android_scheduling", "timers")) == 1  # the one that it had
