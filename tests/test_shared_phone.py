"""A server that wants everything gets nothing of what may not be seen: no prompt of any request holds a word of it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.bounds import USUAL
from camphor.agents.events import Answer, Answered, ConsentNeeded, Decision
from camphor.agents.prompts import Form
from camphor.agents.sharing import shared_phone
from camphor.agents.strategies.registry import CAMPHOR, choose
from camphor.app import Assistant
from camphor.device.device import Device
from camphor.device.memories import MemoryKind, MemoryOrigin
from camphor.device.sharing import MEMORY, PRIVATE, can_be_shared
from camphor.models.openai import OpenAIModel
from camphor.tools.tool import Kind, Tool
from camphor.types import Turn
from tests.doubles.chat_server import ModelServer, model_server

QUERIES = (
    "How much did I weigh?",
    "Which medicines do I take?",
    "Who is my dentist?",
    "Text Alice that I am late",
    "When is book club?",
    "And where is it?",
    "How many steps did I walk yesterday?",
    "Tell my dentist I'll be late",
)


@pytest.fixture
def device(tmp_path: Path) -> Device:
    source = Path(str(files("camphor") / "demo" / "ines-dublin.device.json"))
    phone = Device.from_file(source, tmp_path / "ines.camphor")
    origin = MemoryOrigin("my dentist is Doctor Zephyrine", "2026-03-01T10:00:00", "c", 1)
    phone.memories.add(
        MemoryKind.FACT, origin.quote, origin, subject="me", attribute="dentist", value="Doctor Zephyrine", single=True
    )
    return phone


def greedy(device: Device) -> Callable[[str], str]:
    """What a server says that tries every tool of the phone, whether it was shown it or not."""
    looks = itertools.cycle([_call(tool) for tool in device.toolbox if tool.kind is Kind.CONTEXT])
    acts = itertools.cycle([_call(tool) for tool in device.toolbox if tool.kind is Kind.ACTION])
    agents = itertools.cycle(["personal_context", "device_information", "personal_context", "response_submit"])

    def answer(prompt: str) -> str:
        asked = prompt.splitlines()[-1]
        if asked.startswith("Write one name"):
            return next(agents)
        if asked.startswith("Write response"):
            return f"Response: I'll do it.\nCalls: [{next(acts)}]"
        return f"[{'; '.join(next(looks) for _ in range(6))}]"

    return answer


def _call(tool: Tool) -> str:
    return f"{tool.name}({', '.join(map(_argument, tool.parameters))})"


def _argument(parameter: Any) -> str:
    value = {"time_range": "2026-03-01/2026-04-01", "receiver": "Alice", "time": "at 6"}.get(parameter.name, "a")
    return f'{parameter.name}="{value}"'


def answers(assistant: Assistant, query: str) -> str:
    loop = assistant.run(query)
    event = next(loop)
    while not isinstance(event, Answered):
        event = loop.send(Decision(Answer.YES)) if isinstance(event, ConsentNeeded) else next(loop)
    return event.response


def talk(device: Device, server: ModelServer, shared: set[str], history: tuple[Turn, ...] = ()) -> dict[str, str]:
    """The answers to all queries; the server is on another computer, as far as the rule knows."""
    phone = shared_phone(device, {"10.0.0.2": frozenset(shared)}, "10.0.0.2")
    strategy, form = choose(CAMPHOR, None, tuned=False, usual=Form.INSTRUCTED)
    assistant = Assistant(
        phone.device, OpenAIModel(server.address, "m"), history=history, limits=USUAL, form=form, strategy=strategy,
        whole=phone.whole,
    )  # fmt: skip
    assistant.memory = phone.memory(assistant.conversation)
    return {query: answers(assistant, query) for query in QUERIES}


def private_words(device: Device, hidden: set[str]) -> set[str]:
    """Texts of hidden apps that no shared app, tool or query has."""
    lists = device.item_lists()
    texts = {text for app, _, rows in lists if app in hidden for text in _texts(dict(rows)) if len(text) > 4}
    whole = device.export()
    open_ = json.dumps([app for name, app in whole["apps"].items() if name not in hidden], ensure_ascii=False)
    open_ += " ".join([*QUERIES, *(f"{tool.full_definition()} {_call(tool)}" for tool in device.toolbox)])
    return {text for text in texts if text.casefold() not in open_.casefold()} | {"Zephyrine"}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("hidden", [{*PRIVATE}, {"contacts", "mail", *PRIVATE}, None], ids=["usual", "more", "all"])
def test_no_request_holds_a_word_of_what_is_hidden(device: Device, hidden: set[str] | None) -> None:
    every = set(can_be_shared(device.apps))
    hidden = every if hidden is None else hidden
    with model_server() as server:
        server.answer = greedy(device)
        talk(device, server, every - hidden)
        sent = "\n".join(json.dumps(json.loads(each), ensure_ascii=False) for each in server.asked)
    words = private_words(device, hidden)
    assert len(words) > 5
    assert len(server.asked) > 10
    assert {each for each in words if each in sent} == set()


def test_the_same_server_sees_it_where_it_may(device: Device) -> None:
    """The test above could find something."""
    every = set(can_be_shared(device.apps))
    with model_server() as server:
        server.answer = greedy(device)
        talk(device, server, every)
        sent = "\n".join(json.dumps(json.loads(each), ensure_ascii=False) for each in server.asked)
    assert {each for each in private_words(device, {*PRIVATE, "contacts"}) if each in sent}


def test_code_still_answers_from_the_whole_phone(device: Device) -> None:
    with model_server(lambda _: "task_completion") as server:
        told = talk(device, server, set(can_be_shared(device.apps)) - PRIVATE)
    assert "61.4" in told["How much did I weigh?"]
    assert "Zephyrine" in told["Who is my dentist?"]
    assert "61.4" not in "\n".join(server.asked)


def test_memory_alone_can_be_shared(device: Device) -> None:
    every = set(can_be_shared(device.apps))
    phone = shared_phone(device, {"10.0.0.2": frozenset(every)}, "10.0.0.2")
    assert phone.memory("c").person("my dentist") is not None
    phone = shared_phone(device, {"10.0.0.2": frozenset(every - {MEMORY})}, "10.0.0.2")
    assert phone.memory("c").person("my dentist") is None
    assert phone.device.apps == device.apps
