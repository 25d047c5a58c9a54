"""The model under `/v1`, asked by OpenAI's own client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai", reason="openai is not installed")

import httpx
import openai

from camphor.agents.calling.chatting import CallingChat
from camphor.agents.calling.prompts import CallForm
from camphor.models.base import ScriptedModel
from camphor.models.chat import ChatCall, ChatModel, ChatReply, ChatRequest, Chatting, ScriptedChat
from camphor.web.application import create_app
from camphor.web.security import Entrance
from tests.doubles.serving import serving
from tests.doubles.web import KEY, client_on, services_on

API_KEY = "of the model alone"


def function(name: str, description: str, /, **parameters: Any) -> Any:
    schema = {"type": "object", "properties": parameters, "required": list(parameters)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


TEXT = {"type": "string"}
TOOL = function("set_alarm", "Set an alarm.", time=TEXT)
HI = [{"role": "user", "content": "hi"}]
CALL = ChatCall("call_1", "set_alarm", '{"time": "07:00"}')


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Any]:
    """Serves a chat model; gives the client."""
    opened = []

    def start(model: ChatModel | None) -> Any:
        services = services_on(tmp_path)
        services.open_api_model = (lambda: model) if model else None
        app = create_app(services, secret="of the tests", entrance=Entrance(KEY, api_key=API_KEY if model else ""))
        context = serving(app)
        address = context.__enter__()
        client = openai.OpenAI(base_url=f"{address}/v1", api_key=API_KEY, max_retries=0)
        opened.extend((client.close, lambda: context.__exit__(None, None, None)))
        return client

    yield start
    for close in opened:
        close()


def ask(client: Any, **more: Any) -> Any:
    return client.chat.completions.create(**{"model": "camphor", "messages": HI, **more})


def test_models(serve: Any) -> None:
    client = serve(ScriptedChat([]))
    assert [each.id for each in client.models.list()] == ["camphor"]
    assert client.models.retrieve("camphor").owned_by == "camphor"
    with pytest.raises(openai.NotFoundError, match="There is no model 'gpt'"):
        client.models.retrieve("gpt")


def test_a_text_and_its_pieces(serve: Any) -> None:
    model = ScriptedChat(["one two three"] * 4)
    client = serve(model)
    whole = ask(client, max_tokens=7, temperature=0.7, seed=1, user="ada")
    assert (whole.choices[0].message.content, whole.choices[0].finish_reason) == ("one two three ", "stop")
    assert model.requests[0].max_tokens == 7
    chunks = list(ask(client, stream=True, stream_options={"include_usage": True}))
    assert [each.choices[0].delta.content for each in chunks[:-2]] == ["", "one ", "two ", "three "]
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage.total_tokens == 0
    assert ask(client, stop=["wo th", "zzz"]).choices[0].message.content == "one t"
    streamed = "".join(each.choices[0].delta.content or "" for each in ask(client, stop="thr", stream=True))
    assert streamed == "one two "


def test_calls_whole_and_streamed(serve: Any) -> None:
    other = ChatCall("call_2", "set_alarm", "{}")
    client = serve(ScriptedChat([ChatReply(calls=(CALL, other))] * 3))
    message = ask(client, tools=[TOOL]).choices[0]
    assert (message.finish_reason, message.message.content) == ("tool_calls", None)
    assert [(each.id, each.function.name, each.function.arguments) for each in message.message.tool_calls] == [
        ("call_1", "set_alarm", '{"time": "07:00"}'),
        ("call_2", "set_alarm", "{}"),
    ]
    with client.chat.completions.stream(model="camphor", messages=HI, tools=[TOOL]) as stream:
        final = stream.get_final_completion().choices[0]
    assert final.finish_reason == "tool_calls"
    assert [each.function.arguments for each in final.message.tool_calls] == ['{"time": "07:00"}', "{}"]
    assert len(ask(client, tools=[TOOL], parallel_tool_calls=False).choices[0].message.tool_calls) == 1


def test_a_conversation_with_results_is_read(serve: Any) -> None:
    model = ScriptedChat(["done", "done"])
    client = serve(model)
    made = {"id": "call_1", "type": "function", "function": {"name": "set_alarm", "arguments": "{}"}}
    called = {"role": "assistant", "tool_calls": [made]}
    parts = {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    result = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}
    messages = [{"role": "developer", "content": "s"}, parts, called, result]
    ask(client, messages=messages, tools=[TOOL], tool_choice={"type": "function", "function": {"name": "set_alarm"}})
    ask(client, messages=messages, tools=[TOOL], tool_choice="none")
    first, second = model.requests
    assert [(each.role, each.content, each.call_id) for each in first.messages] == [
        ("system", "s", ""), ("user", "a\nb", ""), ("assistant", "", ""), ("tool", "ok", "call_1"),
    ]  # fmt: skip
    assert (first.choice, second.choice, first.tools[0].name) == ("set_alarm", "none", "set_alarm")
    assert first.messages[2].calls == (ChatCall("call_1", "set_alarm", "{}"),)


@pytest.mark.parametrize(
    ("more", "error", "param"),
    [
        ({"model": "gpt-4"}, "NotFoundError", "model"),
        ({"messages": []}, "BadRequestError", "messages"),
        ({"n": 2}, "BadRequestError", "n"),
        ({"logprobs": True}, "BadRequestError", "logprobs"),
        ({"response_format": {"type": "json_object"}}, "BadRequestError", "response_format.type"),
        ({"tools": [{"type": "web_search"}]}, "BadRequestError", "tools.0.type"),
        ({"extra_body": {"functions": [{}]}}, "BadRequestError", "functions"),
        ({"max_tokens": 0}, "BadRequestError", "max_tokens"),
        ({"tool_choice": "required"}, "BadRequestError", None),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_faults_have_openais_form(
    serve: Any, more: dict[str, Any], error: str, param: str | None, stream: bool
) -> None:
    plain = CallingChat(lambda: (ScriptedModel([]), CallForm.COMPACT), lambda: ScriptedModel([]))
    with pytest.raises(getattr(openai, error)) as raised:
        list(ask(serve(plain), **more, stream=stream))
    assert raised.value.param == param
    assert raised.value.type == "invalid_request_error"


class Breaks:
    """Breaks in the middle of its text."""

    context = 10

    def chat(self, request: ChatRequest) -> Chatting:
        yield "one "
        raise RuntimeError("the person's secret")

    def count_tokens(self, text: str) -> int:
        return 1

    def close(self) -> None: ...


def test_what_breaks_in_the_middle_is_told_without_its_words(serve: Any) -> None:
    client = serve(Breaks())
    with pytest.raises(openai.InternalServerError, match=r"Something broke \(RuntimeError\)") as raised:
        ask(client)
    assert "secret" not in str(raised.value)
    with pytest.raises(openai.APIError, match=r"Something broke \(RuntimeError\)"):
        list(ask(client, stream=True))


def test_the_key_of_the_model_opens_the_model_alone(serve: Any) -> None:
    client = serve(ScriptedChat(["x"]))
    root = str(client.base_url).removesuffix("/v1/")
    bearer = {"authorization": f"Bearer {API_KEY}"}
    for path in ("/api/status", "/", "/api/phones/ines-dublin/conversations", "/api/openapi.json", "/v2/models"):
        assert httpx.get(root + path, headers=bearer, follow_redirects=False).status_code == 401
        assert httpx.get(root + path, headers={"x-camphor-key": API_KEY}).status_code == 401
    for headers in ({}, {"x-camphor-key": KEY}, {"authorization": f"Bearer {KEY}"}, {"authorization": API_KEY}):
        refused = httpx.get(f"{root}/v1/models", headers=headers)
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "invalid_api_key")
        assert "set-cookie" not in refused.headers
    with pytest.raises(openai.AuthenticationError):
        openai.OpenAI(base_url=client.base_url, api_key="guessed", max_retries=0).models.list()
    rebound = httpx.get(f"{root}/v1/models", headers={**bearer, "host": "evil.example"})
    assert (rebound.status_code, rebound.json()["error"]["type"]) == (403, "permission_error")
    large = httpx.post(f"{root}/v1/chat/completions", headers=bearer, content=b" " * 300_000)
    assert (large.status_code, large.json()["error"]["code"]) == (413, "too_large")
    unknown = httpx.post(f"{root}/v1/embeddings", headers=bearer, json={})
    assert (unknown.status_code, unknown.json()["error"]["type"]) == (404, "invalid_request_error")
    broken = httpx.post(f"{root}/v1/chat/completions", headers=bearer, content=b"{")
    assert (broken.status_code, broken.json()["error"]["code"]) == (400, "invalid_value")


def test_a_browser_that_was_let_in_is_no_program(tmp_path: Path) -> None:
    assert client_on(services_on(tmp_path)).get("/v1/models").status_code == 401


def test_nothing_is_served_unless_it_was_asked_for(serve: Any) -> None:
    with pytest.raises(openai.AuthenticationError):
        serve(None).models.list()


def test_the_model_that_ships_calls_functions(serve: Any) -> None:
    """The real one: what the page docs/mcp.md promises of it."""
    from camphor.cli.serve import function_caller

    model = function_caller(1, lambda: datetime(2026, 3, 12, 8, 45))
    client = serve(model)
    send = function("send_message", "Send a text message.", phone_number=TEXT, text=TEXT)
    alarm = function("set_alarm", "Set an alarm.", time={**TEXT, "description": "when, ISO 8601"})
    query = "wake me at seven and text +353 1 555 0133 that I'm late"
    asked = ask(client, messages=[{"role": "user", "content": query}], tools=[alarm, send])
    calls = [(each.function.name, json.loads(each.function.arguments)) for each in asked.choices[0].message.tool_calls]
    assert calls == [
        ("set_alarm", {"time": "2026-03-12T19:00:00"}),
        ("send_message", {"phone_number": "+353 1 555 0133", "text": "I'm late"}),
    ]
    assert asked.usage.prompt_tokens > 50
    question = [{"role": "user", "content": "What is the capital of France?"}]
    pieces = [each.choices[0].delta.content for each in ask(client, messages=question, stream=True, max_tokens=40)]
    assert "Paris" in "".join(filter(None, pieces))
    model.close()
