"""The figures of benchmarks/prompts.py are those of the renderer."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks import prompts
from camphor.agents.prompts import Form
from camphor.app import setting_of
from camphor.device.device import Device
from camphor.types import Agent, Segment

ROOT = Path(__file__).parents[1]


def words(segment: Segment) -> int:
    return len(segment.text.split())


def test_a_function_token_is_one_token_and_the_forms_only_get_shorter() -> None:
    with Device.from_file(ROOT / prompts.DEMO) as device:
        setting = setting_of(device)
    measured = prompts.measure(setting, words, kv_bytes=10)
    forms = measured["forms"]
    for agent in (Agent.CONTEXT, Agent.TASK):
        assert forms["compressed"][agent.value] == len(setting.toolbox.of(agent)) == measured["tools"][agent.value]
    totals = [forms[form.value]["static_tokens"] for form in (Form.FULL, Form.INSTRUCTED, Form.DEFINITIONS)]
    assert totals == sorted(totals, reverse=True)
    definitions = forms["definitions"]
    written = sum(len(t.full_definition().split()) for t in setting.toolbox.of(Agent.TASK))
    assert definitions["task_completion"] == written
    assert definitions["kv_bytes"] == 10 * definitions["static_tokens"]
    assert forms["full"]["reduction"] == 0
    assert forms["compressed"]["reduction"] == round(1 - forms["compressed"]["static_tokens"] / totals[0], 4)


def test_the_mean_over_phones_is_of_tokens_first() -> None:
    phone = {"static_tokens": 100, "personal_context": 40, "task_completion": 20, "kv_bytes": 1000, "reduction": 0.0}
    short = {**phone, "static_tokens": 20, "reduction": 0.8}
    other = {**short, "static_tokens": 10, "reduction": 0.9}
    measured = [
        {"tools": {"personal_context": 2}, "forms": {"full": phone, "compressed": short}},
        {"tools": {"personal_context": 5}, "forms": {"full": phone, "compressed": other}},
    ]
    mean = prompts.mean_of(measured)
    assert (mean["phones"], mean["tools"]) == (2, {"personal_context": 3.5})
    assert mean["forms"]["compressed"]["static_tokens"] == 15
    assert mean["forms"]["compressed"]["reduction"] == 0.85


def test_the_committed_figures_hold_for_the_demo_phone() -> None:
    told = json.loads((ROOT / "results" / "prompts.json").read_text(encoding="utf-8"))
    demo = told["groups"]["demo"]
    with Device.from_file(ROOT / prompts.DEMO) as device:
        assert demo["tools"] == {a: len(device.toolbox.of(Agent(a))) for a in ("personal_context", "task_completion")}
    assert told["kv_bytes_per_token"] == 23_040  # 30 layers x 3 heads x 64 values x 2 x 2 bytes
