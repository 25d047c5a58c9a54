"""camphor as an MCP server, asked by the official client: an action without the person's word never happens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from camphor.agents.events import Answer, ConsentNeeded, Decision
from camphor.app import Assistant
from camphor.device.device import Device
from camphor.mcp_server.server import ASK, PhoneServer
from camphor.mcp_server.transports import http_app
from camphor.models.base import ScriptedModel
from camphor.tools.tool import Kind
from tests.doubles.serving import serving
from tests.doubles.web import TEXT

MODES = ("auto", "legacy")
"""The protocol of 2026-07-28, in which a call comes back with the answer, and those before, in which we ask."""
NOTE = {"content": "buy milk"}
YES = ElicitResult(action="accept", content={"agree": True})
Asked = list[str]


def run(work: Callable[[], Awaitable[None]]) -> None:
    anyio.run(work)


@pytest.fixture
def device() -> Device:
    return Device.from_file(Path(str(files("camphor") / "demo" / "ines-dublin.device.json")))


@asynccontextmanager
async def client_of(
    phone: PhoneServer, mode: str, answer: ElicitResult | None = YES, asked: Asked | None = None
) -> AsyncIterator[Client]:
    async def elicit(_: Any, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        if asked is not None:
            asked.append(params.message)
        assert answer is not None
        return answer

    async with Client(phone.server(), mode=mode, elicitation_callback=elicit if answer else None) as client:
        yield client


def text(result: CallToolResult) -> str:
    (block,) = result.content
    return str(block.text)  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", MODES)
def test_look_ups_are_answered(device: Device, mode: str) -> None:
    async def work() -> None:
        async with client_of(PhoneServer(device), mode, None) as client:
            tools = {each.name: each for each in (await client.list_tools()).tools}
            assert set(tools) == {tool.name for tool in device.toolbox}
            assert "x-role" not in str(tools["send_mail"].input_schema)
            hint = tools["create_notes"].annotations
            assert hint is not None
            assert (hint.read_only_hint, hint.destructive_hint) == (False, True)
            found = await client.call_tool("get_contacts_information", {"keyword": "Alice"})
            assert found.structured_content["records"][0]["name"] == "Alice Johnson"
            wrong = await client.call_tool("get_contacts_information", {"colour": "red"})
            assert (wrong.is_error, "only the parameter" in text(wrong)) == (True, True)
            with pytest.raises(MCPError, match="There is no tool 'rm'"):
                await client.call_tool("rm", {})

    run(work)


@pytest.mark.parametrize("mode", MODES)
def test_an_action_is_asked_for_and_journalled_under_a_key(device: Device, mode: str) -> None:
    async def work() -> None:
        asked: Asked = []
        async with client_of(PhoneServer(device), mode, YES, asked) as client:
            done = await client.call_tool("create_notes", NOTE)
            assert not done.is_error
            await client.call_tool("send_imessage_message", {"receiver": "+900 555 0100", "content": "hi"})
        assert asked[0] == "Write a note: “buy milk”"
        assert asked[1].startswith("Send a message to +900 555 0100: “hi”\n+900 555 0100 is no contact's")

    run(work)
    assert [entry.call.name for entry in device.journal()] == ["create_notes", "send_imessage_message"]
    assert all(entry.key and entry.key.startswith("mcp/") for entry in device.journal())


NO_WORD = [
    None,
    ElicitResult(action="decline"),
    ElicitResult(action="cancel", content={"agree": True}),
    ElicitResult(action="accept"),
    ElicitResult(action="accept", content={}),
    ElicitResult(action="accept", content={"agree": False}),
    ElicitResult(action="accept", content={"agree": "true"}),
    ElicitResult(action="accept", content={"agree": 1}),
    ElicitResult(action="accept", content={"yes": True}),
]


@pytest.mark.parametrize("answer", NO_WORD)
@pytest.mark.parametrize("mode", MODES)
def test_without_a_clear_yes_nothing_is_done(device: Device, mode: str, answer: ElicitResult | None) -> None:
    async def work() -> None:
        async with client_of(PhoneServer(device), mode, answer) as client:
            refused = await client.call_tool("create_notes", NOTE)
            assert refused.is_error
            assert "othing was done" in text(refused)
            assert ("camphor ask" in text(refused)) == (answer is None)  # how to agree, where nobody can be asked

    run(work)
    assert device.journal() == []


def test_every_action_of_the_phone_asks(device: Device) -> None:
    async def work() -> None:
        async with client_of(PhoneServer(device), "legacy", None) as client:
            for tool in device.toolbox:
                if tool.kind is Kind.ACTION:
                    values = {each.name: "Alice" for each in tool.parameters}
                    assert (await client.call_tool(tool.name, values)).is_error

    run(work)
    assert device.journal() == []


def test_an_answer_counts_once_for_the_call_that_was_shown(device: Device) -> None:
    async def work() -> None:
        async with client_of(PhoneServer(device), "auto", YES) as client:

            async def asked(arguments: dict[str, Any]) -> str:
                stopped = await client.session.call_tool("create_notes", arguments, allow_input_required=True)
                assert isinstance(stopped, InputRequiredResult)
                return str(stopped.request_state)

            async def answered(state: str, arguments: dict[str, Any]) -> CallToolResult:
                back: Any = {"input_responses": {"agree": YES}, "request_state": state, "allow_input_required": True}
                result = await client.session.call_tool("create_notes", arguments, **back)
                assert isinstance(result, CallToolResult)
                return result

            state = await asked(NOTE)
            assert "not the one that was asked about" in text(await answered(state, {"content": "send money"}))
            assert "This question is over" in text(await answered(state, NOTE))
            assert "This question is over" in text(await answered("guessed", NOTE))
            assert device.journal() == []
            state = await asked(NOTE)
            assert not (await answered(state, NOTE)).is_error
            assert "This question is over" in text(await answered(state, NOTE))
            first = await asked(NOTE)
            for _ in range(20):
                await asked(NOTE)
            assert not (await answered(first, NOTE)).is_error
            first = await asked(NOTE)
            for _ in range(40):
                await asked(NOTE)
            assert "This question is over" in text(await answered(first, NOTE))

    run(work)
    assert len(device.journal()) == 2


def test_only_what_the_person_serves_is_there(device: Device) -> None:
    async def work() -> None:
        reading = PhoneServer(device, lambda: Assistant(device, ScriptedModel([])), reads_only=True)
        async with client_of(reading, "auto") as client:
            with pytest.raises(MCPError, match="There is no tool 'create_notes'"):
                await client.call_tool("create_notes", NOTE)
        async with client_of(PhoneServer(device, apps=["notes"]), "auto") as client:
            names = {each.name for each in (await client.list_tools()).tools}
            assert names == {"get_notes_content", "create_notes"}
            with pytest.raises(MCPError, match="There is no tool 'get_mail_event'"):
                await client.call_tool("get_mail_event", {"theme": "x"})

    run(work)


@pytest.mark.parametrize("answer", [YES, None])
@pytest.mark.parametrize("mode", MODES)
def test_the_whole_assistant_asks_in_the_same_way(device: Device, mode: str, answer: ElicitResult | None) -> None:
    async def work() -> None:
        asked: Asked = []
        phone = PhoneServer(device, lambda: Assistant(device, ScriptedModel(TEXT)))
        async with client_of(phone, mode, answer, asked) as client:
            query = "text Alice Johnson that I am late"
            told = await client.call_tool(ASK, {"query": query})
            (action,) = told.structured_content["actions"]
            assert action["outcome"] == ("done" if answer else "refused")
            assert ("camphor ask" in text(told)) == (answer is None)
            assert len(asked) == (1 if answer else 0)
            assert all("I am late" in each for each in asked)
            empty = await client.call_tool(ASK, {"query": " "})
            assert (empty.is_error, text(empty)[:18]) == (True, "The query is empty")
            with pytest.raises(MCPError, match="takes a query"):
                await client.call_tool(ASK, {"query": query, "yes": True})

    run(work)
    assert len(device.journal()) == (1 if answer else 0)


def test_where_the_client_cannot_ask_the_terminal_does(device: Device) -> None:
    seen: list[ConsentNeeded] = []

    def ask(wanted: ConsentNeeded) -> Decision:
        seen.append(wanted)
        changed = replace(wanted.call, arguments={"content": "buy bread"})
        return Decision(Answer.YES, changed) if len(seen) == 1 else Decision(Answer.NO)

    async def work() -> None:
        async with client_of(PhoneServer(device, ask_here=ask), "auto", None) as client:
            assert not (await client.call_tool("create_notes", NOTE)).is_error
            assert (await client.call_tool("create_notes", NOTE)).is_error

    run(work)
    assert [entry.call.arguments for entry in device.journal()] == [{"content": "buy bread"}]


def test_a_call_that_is_broken_off_at_its_question_does_nothing(device: Device) -> None:
    async def work() -> None:
        async def elicit(_: Any, __: Any) -> ElicitResult:
            await anyio.sleep(30)
            return YES

        async with Client(PhoneServer(device).server(), mode="legacy", elicitation_callback=elicit) as client:
            with anyio.move_on_after(0.5):
                await client.call_tool("create_notes", NOTE)
            found = await client.call_tool("get_contacts_information", {"keyword": "Alice"})
            assert not found.is_error

    run(work)
    assert device.journal() == []


@pytest.mark.parametrize("mode", MODES)
def test_over_http_it_takes_the_key(device: Device, mode: str) -> None:
    async def work(address: str) -> None:
        async def elicit(_: Any, __: Any) -> ElicitResult:
            return YES

        async with httpx2.AsyncClient(headers={"authorization": "Bearer k-1"}) as http:
            transport = streamable_http_client(f"{address}/mcp", http_client=http)
            async with Client(transport, mode=mode, elicitation_callback=elicit) as client:
                assert not (await client.call_tool("create_notes", NOTE)).is_error
            rebound = await http.post(f"{address}/mcp", json={}, headers={"host": "evil.example"})
            foreign = await http.post(f"{address}/mcp", json={}, headers={"origin": "http://evil.example"})
            assert (rebound.status_code, foreign.status_code) == (421, 403)
        for headers in ({}, {"authorization": "Bearer k-2"}, {"authorization": "k-1"}):
            async with httpx2.AsyncClient(headers=headers) as http:
                refused = await http.post(f"{address}/mcp", json={})
                assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")

    with serving(http_app(PhoneServer(device), "k-1")) as address:
        anyio.run(work, address)
    assert len(device.journal()) == 1
