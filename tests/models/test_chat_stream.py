"""Whatever a server sends is read, or refused in our own words: never a traceback."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.errors import ModelError
from camphor.models.chat_stream import Draft, NoChat, StreamedError, events
from camphor.models.server_connection import TooLarge
from camphor.models.server_errors import read_error, refused_part, room_left, told_error
from tests.doubles.model_server import shapes

NAMES = "choices delta message content tool_calls function name arguments index id finish_reason usage error code param"
NAMES += " detail loc msg type text thinking reasoning refusal prompt_tokens completion_tokens prompt_tokens_details"
FIELDS = ("message", "code", "type", "param", "detail")
ODD = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(10**400)
ODD |= st.sampled_from(["stop", "length", "<think>", "</think>", "\ud83d", "does not support tools", "context length"])
VALUES = st.recursive(
    ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=5)
)
CHUNKS = VALUES | st.builds(lambda value: {"choices": [{"delta": value, "finish_reason": None}]}, VALUES)
CHUNKS |= st.builds(lambda value: {"choices": [{"message": value}]}, VALUES)


def recorded() -> list[bytes]:
    answers = [said for shape in shapes() for said in shape.answers]
    streams = [b"".join(part for part in said.pieces if isinstance(part, bytes)) for said in answers if said.pieces]
    return [*streams, *(said.body for said in answers if said.body)]


@settings(max_examples=400)
@given(st.lists(CHUNKS, max_size=4))
def test_any_events_make_a_reply_or_none(chunks: list[Any]) -> None:
    draft = Draft(("look",))
    with contextlib.suppress(NoChat, StreamedError):
        for chunk in chunks:
            if isinstance(chunk, dict):
                assert isinstance(draft.add(chunk), str)
    draft.finish()
    reply = draft.reply(0.0, 1.0, 2.0)
    for text in (reply.text, reply.reasoning, reply.refusal, *(f"{call.name}{call.arguments}" for call in reply.calls)):
        text.encode()
    assert reply.timing.sampled_tokens >= 0


ERRORS = VALUES | st.builds(lambda value: {"error": value}, VALUES)
ERRORS |= st.builds(lambda loc, msg: {"detail": [{"loc": loc, "msg": msg}]}, VALUES | ODD, VALUES | ODD)
ERRORS |= st.builds(lambda *values: {"error": dict(zip(FIELDS, values, strict=True))}, *[VALUES | ODD] * 5)


@settings(max_examples=400)
@given(st.sampled_from([200, 400, 401, 404, 422, 429, 500, 503]), ERRORS)
def test_any_error_is_one_printable_line(status: int, value: Any) -> None:
    said = read_error(status, value, "k")
    refused_part(said, {"tools", "stream", "response_format"})
    assert room_left(said) >= 0
    error = told_error(said, "http://host/v1", "m", keyed=True, tools=True, names=lambda: ("a", "b"))
    assert isinstance(error, ModelError)
    assert str(error).isprintable()
    assert len(str(error)) < 500


@given(st.sampled_from(recorded()), st.data())
def test_damaged_streams(stream: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(stream)))
    damage = data.draw(st.binary(max_size=4))
    damaged = stream[:place] + damage + stream[place + data.draw(st.integers(0, 9)) :]
    draft = Draft(("look",))
    with contextlib.suppress(NoChat, StreamedError, TooLarge):
        for event in events(iter([damaged[:place], damaged[place:]])):
            draft.add(event)
    draft.finish()
    draft.reply(0.0, 1.0, 2.0)


@pytest.mark.parametrize("text", ['{"a": 1e999}', "{" * 50, '{"choices": ' + "9" * 5000 + "}", "nul", "\x00"])
def test_json_that_is_odd(text: str) -> None:
    with contextlib.suppress(NoChat):
        for event in events(iter([f"data: {text}\n".encode()])):
            Draft().add(event)
    read_error(400, text.encode(), None)
    read_error(400, json.dumps({"error": text}).encode(), None)
