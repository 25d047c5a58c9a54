"""What is sent to a chat server: the body of a request, and the same without what a server refuses."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from camphor.errors import ModelError
from camphor.models.chat import ChatRequest, ChatTool, Message
from camphor.models.chat_stream import mended
from camphor.models.chat_template import turns
from camphor.types import Prompt

NEXT_LINE = "Go on: write only what comes next."
MAX_TOKENS, SCHEMA = "max_tokens", "response_format"
SYSTEM = "system"
"""Not a field, but the role that some models' templates do not have."""
REQUIRED = "required"
"""Not a field either, but the choice of tools that some servers do not know."""

Body = dict[str, Any]


def chat_body(request: ChatRequest) -> Body:
    """The fields for a request.

    A tool that must be called is sent as the only one, since many servers know no choice of a name.
    """
    body: Body = {
        "messages": [_message(message) for message in request.messages],
        MAX_TOKENS: request.max_tokens,
        "temperature": 0,
    }
    must = [tool for tool in request.tools if tool.name == request.choice]
    if request.tools:
        body["tools"] = [_tool(tool) for tool in must or request.tools]
        body["tool_choice"] = REQUIRED if must else request.choice
        if request.choice != "none":
            body["parallel_tool_calls"] = True  # llama.cpp's server makes one call at most if it is not told
    if request.schema is not None:
        schema = {"name": "answer", "schema": request.schema, "strict": _is_strict(request.schema)}
        body[SCHEMA] = {"type": "json_schema", "json_schema": schema}
    return body


def chat_messages(prompt: Prompt) -> list[dict[str, str]]:
    """A prompt as chat messages.

    Turns are read in `special` segments only, so what a person or a record says cannot open one. A prompt without turns
    is one user message. An assistant turn that has begun is followed by the request to go on, because many servers
    refuse a conversation that ends with the assistant.
    """
    messages = [{"role": role, "content": text} for role, text in turns(prompt) if text.strip()]
    if not messages:
        raise ModelError("there is nothing to complete: the prompt is empty")
    if messages[-1]["role"] == "assistant":
        messages.append({"role": "user", "content": NEXT_LINE})
    return messages


def without(body: Body, refused: Collection[str]) -> Body:
    """The body without the parts that a server refuses, or with what stands for them."""
    sent = {name: value for name, value in body.items() if name not in refused}
    if MAX_TOKENS in refused and MAX_TOKENS in body:
        sent["max_completion_tokens"] = body[MAX_TOKENS]
    if "stream" in refused:
        sent.pop("stream_options", None)
    if REQUIRED in refused and sent.get("tool_choice") == REQUIRED:
        only = body["tools"][0]["function"]["name"] if len(body["tools"]) == 1 else ""
        sent["tool_choice"] = {"type": "function", "function": {"name": only}} if only else "auto"
    if SYSTEM in refused:
        sent["messages"] = _system_said_by_user(body["messages"])
    return sent


def as_json(body: Body) -> bytes:
    """Escapes all that is not ASCII, so that a broken character in a text cannot keep a request from being sent."""
    return json.dumps(body).encode()


def parts(body: Body) -> set[str]:
    """What a server could refuse of a body: its fields, SYSTEM and REQUIRED."""
    found = set(body)
    if any(message["role"] == "system" for message in body["messages"]):
        found.add(SYSTEM)
    if body.get("tool_choice") == REQUIRED:
        found.add(REQUIRED)
    return found


def _message(message: Message) -> Body:
    sent: Body = {"role": message.role, "content": mended(message.content)}
    if message.calls:
        sent["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _object(call.arguments)}}
            for call in message.calls
        ]
    if message.role == "tool":
        sent["tool_call_id"] = message.call_id
    return sent


def _object(arguments: str) -> str:
    """Arguments that servers can read: many take them apart for the chat template, and fail on what is no object."""
    try:
        return arguments if isinstance(json.loads(arguments), dict) else "{}"
    except (ValueError, RecursionError):
        return "{}"


def _tool(tool: ChatTool) -> Body:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _system_said_by_user(messages: Iterable[Body]) -> list[Body]:
    """The system's text at the head of what the user says first."""
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    others = [message for message in messages if message["role"] != "system"]
    if others and others[0]["role"] == "user":
        return [{**others[0], "content": f"{system}\n\n{others[0]['content']}"}, *others[1:]]
    return [{"role": "user", "content": system}, *others]


def _is_strict(schema: Any) -> bool:
    """Whether each object of a schema names and requires all that it can hold, which OpenAI's strict mode asks for."""
    if isinstance(schema, Mapping):
        if "properties" in schema or schema.get("type") == "object":
            every = set(schema.get("properties", ())) == set(schema.get("required", ()))
            if not every or schema.get("additionalProperties") is not False:
                return False
        return all(_is_strict(value) for value in schema.values())
    return all(_is_strict(value) for value in schema) if isinstance(schema, list | tuple) else True
