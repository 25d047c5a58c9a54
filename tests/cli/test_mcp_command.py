"""`camphor mcp` as a client starts it, and on a port, where its terminal asks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ElicitResult

from tests.doubles.command import LATE, LATE_QUERY, Camphor, one_line
from tests.doubles.terminal import Terminal


def journal(camphor: Camphor) -> list[str]:
    entries = json.loads(camphor("device", "show", "ines-dublin", "--journal", "--json").out)
    return [f"{entry['state']} {entry['call']['name']}" for entry in entries]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_starts_it(camphor: Camphor, script: Callable[[Sequence[str]], str], mode: str) -> None:
    asked: list[str] = []

    async def elicit(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"agree": "reminder" in params.message})

    async def work() -> None:
        command, *words = camphor.command("mcp", "--model", script(LATE))
        server = StdioServerParameters(command=command, args=words, env=camphor.environment)
        async with Client(server, mode=mode, elicitation_callback=elicit) as client:
            found = await client.call_tool("get_contacts_information", {"keyword": "travel buddy"})
            assert "Alice Johnson" in str(found.structured_content)
            told = await client.call_tool("ask_camphor", {"query": LATE_QUERY})
            outcomes = [each["outcome"] for each in told.structured_content["actions"]]
            assert outcomes == ["refused", "done"]

    anyio.run(work)
    assert len(asked) == 2
    assert journal(camphor) == ["done create_reminders"]


def test_on_a_port_the_terminal_asks(camphor: Camphor, terminal: Callable[..., Terminal]) -> None:
    served = terminal("mcp", "--http", "0", "--app", "notes")
    served.wait_for("(Ctrl-C ends it)")
    match = re.search(r"http://127\.0\.0\.1:\d+/mcp", served.text)
    assert match
    key_file = camphor.home / "mcp" / "key"
    assert str(key_file) in served.text
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert key_file.read_text() not in served.text

    async def work(address: str, word: str) -> CallToolResult:
        results: list[CallToolResult] = []
        async with (
            httpx2.AsyncClient(headers={"authorization": f"Bearer {key_file.read_text()}"}) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
            anyio.create_task_group() as group,
        ):

            async def call() -> None:
                results.append(await client.call_tool("create_notes", {"content": "buy milk"}))

            group.start_soon(call)
            await anyio.to_thread.run_sync(served.wait_for, "Do it?", 1 if word == "no" else 2)
            served.type(f"{word}\n")
            while not results:
                await anyio.sleep(0.05)
        return results[0]

    for word in ("no", "yes"):
        assert anyio.run(work, match[0], word).is_error == (word == "no")
    served.interrupt()
    assert served.end() in (0, 130)
    assert journal(camphor) == ["done create_notes"]


def test_it_serves_only_apps_that_there_are(camphor: Camphor) -> None:
    ran = camphor("mcp", "--app", "spotify")
    assert ran.status == 2
    assert "has no app 'spotify'" in one_line(ran.err)
