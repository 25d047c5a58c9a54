"""The client against the recorded shapes of Ollama, llama-server, vLLM, LM Studio and OpenAI."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from camphor import errors
from camphor.errors import ModelError
from camphor.models.base import Finish, Request
from camphor.models.chat import ChatCall, ChatModel, ChatRequest, ChatTool, Message
from camphor.models.openai import OpenAIModel, Timeouts
from camphor.types import Segment
from tests.doubles.model_server import ModelServer, Said, Shape, model_server, run, shapes

KEY = "sk-very-secret-123"
TEXT = {"type": "string"}
TOOLS = (
    ChatTool("get_contacts_information", "Look a person up.", {"type": "object", "properties": {"keyword": TEXT}}),
    ChatTool("send_imessage_message", "Send.", {"type": "object", "properties": {"receiver": TEXT, "content": TEXT}}),
)
YEAR = {"type": "object", "properties": {"year": {"type": "integer"}}, "required": ["year"]}
TALK = (Message("system", "You help."), Message("user", "When did the war end?"))
QUICK = Timeouts(whole=20, pause=0.01)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as listening:
        yield listening


def request(shape: Shape) -> ChatRequest:
    asks = shape.asks
    return ChatRequest(
        TALK, TOOLS if "tools" in asks else (), asks.get("choice", "auto"), YEAR if "schema" in asks else None
    )


def in_bits(said: Said, size: int) -> Said:
    """The same answer in pieces of some bytes, whatever they cut through."""
    if said.pieces is None:
        return said
    whole = b"".join(piece for piece in said.pieces if isinstance(piece, bytes))
    return replace(said, pieces=[whole[start : start + size] for start in range(0, len(whole), size)])


@pytest.mark.parametrize("cut", [0, 7], ids=["as sent", "cut anywhere"])
@pytest.mark.parametrize("shape", shapes(), ids=str)
def test_each_shape_of_each_server(server: ModelServer, shape: Shape, cut: int) -> None:
    server.models = shape.models
    server.says(*(in_bits(each, cut) if cut else each for each in shape.answers))
    model: ChatModel = OpenAIModel(server.url, "nope", KEY, timeout=QUICK)
    if "error" in shape.asks:
        with pytest.raises(ModelError) as caught:
            run(model.chat(request(shape)))
        assert type(caught.value) is getattr(errors, shape.asks["error"]["type"])
        for words in shape.asks["error"]["says"]:
            assert words in str(caught.value)
        assert "\n" not in str(caught.value)
        assert KEY not in str(caught.value)
        assert len(str(caught.value)) < 450
    else:
        expected = shape.asks["reply"]
        pieces, reply = run(model.chat(request(shape)))
        assert reply.text == expected.get("text", "")
        assert [(call.name, json.loads(call.arguments or "null")) for call in reply.calls] == [
            (name, arguments) for name, arguments in expected.get("calls", [])
        ]
        assert (reply.reasoning, reply.refusal) == (expected.get("reasoning", ""), expected.get("refusal", ""))
        assert reply.finish == Finish(expected.get("finish", "end"))
        assert "".join(pieces) == reply.text
        assert "pieces" not in expected or pieces == expected["pieces"]
        ids = [call.id for call in reply.calls]
        assert all(ids)
        assert len(set(ids)) == len(ids)
        assert "ids" not in expected or ids == expected["ids"]
        timing = reply.timing
        if "tokens" in expected:
            assert [timing.prompt_tokens, timing.cached_tokens, timing.sampled_tokens] == expected["tokens"]
        assert timing.seconds > 0
    for sent, asked in zip(shape.asks.get("sent", []), server.asked, strict="sent" in shape.asks):
        for name, value in sent.items():
            if isinstance(value, bool):
                assert (name in asked.body) is value, name
            else:
                assert asked.body[name] == value


def test_what_a_server_refused_is_not_sent_again(server: ModelServer) -> None:
    (shape,) = [each for each in shapes() if each.name == "max_tokens and temperature refused"]
    server.says(*shape.answers)
    model = OpenAIModel(server.url, "gpt-5-mini", timeout=QUICK)
    run(model.chat(ChatRequest(TALK)))
    run(model.chat(ChatRequest(TALK)))
    assert len(server.asked) == 4
    assert "temperature" not in server.asked[-1].body
    model.complete(Request((Segment("Hi"),), max_tokens=5))
    assert server.asked[-1].body["max_completion_tokens"] == 5


def test_what_a_person_set_is_never_left_out(server: ModelServer) -> None:
    (shape,) = [each for each in shapes() if each.name == "max_tokens and temperature refused"]
    server.says(shape.answers[1])
    with pytest.raises(ModelError, match="'temperature' does not support"):
        run(OpenAIModel(server.url, "m", options={"temperature": 0.5}).chat(ChatRequest(TALK)))
    assert len(server.asked) == 1


def test_a_wrong_guess_about_a_schema_is_forgotten(server: ModelServer) -> None:
    broken = Said(b'{"error": {"message": "something else"}}', 400)
    server.says(broken, broken, Said(b'{"choices": [{"message": {"content": "{}"}}]}'))
    model = OpenAIModel(server.url, "m")
    with pytest.raises(ModelError, match="something else"):
        run(model.chat(ChatRequest(TALK, schema=YEAR)))
    run(model.chat(ChatRequest(TALK, schema=YEAR)))
    assert ["response_format" in each.body for each in server.asked] == [True, False, True]


def test_a_conversation_as_it_is_sent(server: ModelServer) -> None:
    server.says(Said(b'{"choices": [{"message": {"content": "Done."}}]}'))
    call, broken = ChatCall("c1", "get_contacts_information", '{"keyword": "Ben"}'), ChatCall("c2", "send", "{oh")
    talk = (
        *TALK,
        Message("assistant", "", (call, broken)),
        Message("tool", "Ben: 555", call_id="c1"),
        Message("tool", "half \ud83d", call_id="c2"),
    )
    run(OpenAIModel(server.url, "m").chat(ChatRequest(talk, TOOLS, "none", YEAR)))
    body = server.asked[0].body
    function = {"name": "get_contacts_information", "arguments": '{"keyword": "Ben"}'}
    assert body["messages"][2:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": function},
                {"id": "c2", "type": "function", "function": {"name": "send", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "content": "Ben: 555", "tool_call_id": "c1"},
        {"role": "tool", "content": "half \ufffd", "tool_call_id": "c2"},
    ]
    assert [tool["function"]["name"] for tool in body["tools"]] == [tool.name for tool in TOOLS]
    assert (body["tool_choice"], body["temperature"], body["max_tokens"]) == ("none", 0, 2048)
    assert body["response_format"]["json_schema"] == {"name": "answer", "schema": YEAR, "strict": False}
    server.says(Said(b'{"choices": [{"message": {"content": "Done."}}]}'))
    closed = {**YEAR, "additionalProperties": False}
    run(OpenAIModel(server.url, "m").chat(ChatRequest(talk, TOOLS, "send_imessage_message", closed)))
    body = server.asked[1].body
    assert [tool["function"]["name"] for tool in body["tools"]] == ["send_imessage_message"]
    assert body["tool_choice"] == "required"
    assert body["response_format"]["json_schema"]["strict"] is True


def test_a_system_that_a_template_does_not_know_is_said_by_the_user(server: ModelServer) -> None:
    (shape,) = [each for each in shapes() if each.name == "no system role"]
    server.says(*shape.answers)
    run(OpenAIModel(server.url, "gemma").chat(ChatRequest(TALK)))
    assert server.asked[1].body["messages"] == [{"role": "user", "content": "You help.\n\nWhen did the war end?"}]


def test_the_models_of_a_server(server: ModelServer) -> None:
    server.models = ["a:1b", "b\x1b[31m"]
    assert OpenAIModel(server.url, "").names() == ("a:1b", "b [31m")
    server.models = None
    with pytest.raises(ModelError, match="not here"):
        OpenAIModel(server.url, "").names()
