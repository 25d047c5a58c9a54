"""benchmarks/peers drives smolagents fairly: same device, same tools, nothing done twice, and ratios that hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.device.device import Device
from camphor.trajectories.items import Item
from camphor.types import Agent, Call
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.runner import Answer

smolagents = pytest.importorskip("smolagents")
ROOT = Path(__file__).parents[1]
DEMO = ROOT / "src" / "camphor" / "demo" / "ines-dublin.device.json"
LATE = {"receiver": "Alice Johnson", "content": "I'm late"}


smol, compare, program = (import_module(name) for name in ("smol", "compare", "benchmarks.peers.__main__"))


class Scripted(smolagents.Model):  # type: ignore[misc]
    """Says one call after the other; each counts as ten tokens that went through the model."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        super().__init__(flatten_messages_as_text=True)
        self.calls, self.prompts = list(calls), []
        self.llama = SimpleNamespace(evaluated=0)

    def generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> Any:
        self.prompts.append("".join(part["text"] for message in messages for part in message.content))
        self.llama.evaluated += 10
        name, arguments = self.calls.pop(0)
        usage = smolagents.TokenUsage(100, 10)
        text = json.dumps({"name": name, "arguments": arguments})
        return smolagents.ChatMessage(role="assistant", content=text, token_usage=usage)


def ask(*calls: tuple[str, dict[str, Any]]) -> tuple[Answer, Scripted, dict[str, Any]]:
    model = Scripted(*calls)
    with Device.from_file(DEMO) as device:
        answer = smol.SmolAnswerer(model).answer(Item("x", {}, "Tell Alice I'm late"), device)
        return answer, model, device.export()


def test_the_peer_looks_up_and_acts_on_the_device() -> None:
    answer, model, after = ask(
        ("get_contacts_information", {"keyword": "travel buddy"}),
        ("send_imessage_message", LATE),
        ("final_answer", {"answer": "Sent."}),
    )
    assert answer.calls == (Call("send_imessage_message", {"receiver": "555-123-4567", "content": "I'm late"}),)
    assert [step.agent for step in answer.steps] == [Agent.CONTEXT, Agent.TASK]
    assert answer.response == "Sent."
    assert answer.timing["evaluated_tokens"] == 30
    assert (answer.timing["model_turns"], answer.timing["ended"]) == (3, True)
    assert "Alice Johnson; phone_number: 555-123-4567" in model.prompts[1]
    assert any(message["text"] == "I'm late" for message in after["apps"]["imessage"]["messages"])


def test_every_prompt_has_every_definition_and_the_clock() -> None:
    answer, model, _ = ask(("get_time_information", {}), ("final_answer", {"answer": "Now."}))
    assert answer.calls == ()
    with Device.from_file(DEMO) as device:
        for prompt in model.prompts:
            assert all(f"- {tool.name}: " in prompt and tool.description in prompt for tool in device.toolbox)
            assert "It is Thu 12 Mar 2026 08:45 in Dublin." in prompt


def test_nothing_is_done_twice_and_errors_are_told() -> None:
    answer, model, after = ask(
        ("send_imessage_message", LATE),
        ("send_imessage_message", LATE),
        ("send_imessage_message", {**LATE, "receiver": "Nobody Known"}),
        ("final_answer", {"answer": "Sent."}),
    )
    assert len(answer.calls) == 1
    assert sum(message["text"] == "I'm late" for message in after["apps"]["imessage"]["messages"]) == 1
    assert "already done" in model.prompts[2]
    assert "error: send_imessage_message" in model.prompts[3]


def test_a_peer_that_never_ends_is_stopped_without_another_prompt() -> None:
    answer, model, _ = ask(*[("get_time_information", {})] * 20)
    assert len(model.prompts) == smol.MAX_STEPS
    assert (answer.timing["ended"], answer.response) == (False, "")


def test_the_grammar_is_made_from_the_tools() -> None:
    from llama_cpp.llama_grammar import LlamaGrammar

    with Device.from_file(DEMO) as device:
        tools = smol.Phone(device).tools()
    schema = smol.call_schema(tools)
    by_name = {each["properties"]["name"]["const"]: each["properties"]["arguments"] for each in schema["oneOf"]}
    assert by_name["send_mail"]["required"] == ["receiver", "content"]
    assert by_name["get_calendar_event"]["required"] == []
    assert by_name["reserve_rothar_bike"]["properties"]["minutes"] == {"type": "integer"}
    assert LlamaGrammar.from_json_schema(json.dumps(schema), verbose=False)


@settings(deadline=None)
@given(
    ours=st.lists(st.floats(0.1, 10), min_size=1, max_size=12),
    factor=st.floats(0.5, 20),
)
def test_a_constant_ratio_is_found_without_any_spread(ours: list[float], factor: float) -> None:
    found = compare.ratio([factor * each for each in ours], ours)
    assert found["queries"] == len(ours)
    for value in (found["of_means"], found["median"], *found["of_means_95"], *found["median_95"]):
        assert value == pytest.approx(factor, abs=1e-3)


def result(number: int, seconds: float, **timing: Any) -> Result:
    return Result(f"q{number}", "", (), (), seconds=seconds, timing=timing)


def test_first_and_later_queries_are_told_apart() -> None:
    ours = [result(n, 1.0, cpu_seconds=1.0, evaluated_tokens=100) for n in range(4)]
    times = enumerate((9.0, 3.0, 9.0, 3.0))
    theirs = [result(n, each, cpu_seconds=2.0, evaluated_tokens=0, ended=n == 3) for n, each in times]
    found = compare.ratios(theirs, ours, [True, False, True, False])
    assert found["seconds_first_on_a_phone"]["of_means"] == 9.0
    assert found["seconds_later_on_a_phone"]["of_means"] == 3.0
    assert (found["seconds"]["of_means"], found["cpu_seconds"]["of_means"]) == (6.0, 2.0)
    assert found["seconds_where_the_peer_ended"]["queries"] == 1
    assert "evaluated_tokens" not in found  # one side did not tell
    assert "seconds_later_on_a_phone" not in compare.ratios(theirs, ours, [True] * 4)


def test_a_query_is_first_where_the_phone_changes() -> None:
    items = [Item(str(n), phone, "") for n, phone in enumerate("aabba")]
    assert program.first_on_a_phone(items) == [True, False, True, False, True]


class Names:
    """A system that notes its turn."""

    def __init__(self, name: str, order: list[str]) -> None:
        self.name, self.order = name, order

    def answer(self, item: Item, device: Device) -> Answer:
        self.order.append(self.name)
        return Answer(())


class Phones:
    """A data set of queries on one phone."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items

    def device(self, item: Item) -> Device:
        return Device.from_file(DEMO)


def test_systems_take_turns_and_follow_ups_are_left_out() -> None:
    items = [Item(str(n), "phone", "", history=({"query": "x"},) if n == 3 else ()) for n in range(9)]
    dataset = Phones(items)
    dataset.items = program.chosen(dataset, 4)
    assert [item.id for item in dataset.items] == ["0", "2", "5", "7"]
    order: list[str] = []
    found = program.in_turns(dataset, {name: Names(name, order) for name in ("a", "b")})
    assert "".join(order) == "abbaabba"
    assert {name: [each.id for each in results] for name, results in found.items()} == {
        key: list("0257") for key in "ab"
    }
    assert len(program.chosen(Phones(items), 99)) == 8
