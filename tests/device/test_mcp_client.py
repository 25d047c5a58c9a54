"""MCP servers of the official SDK, really started, whose tools are on a phone."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from camphor.device.device import Device
from camphor.device.journal import EntryState
from camphor.device.manifests import MCP
from camphor.device.mcp_client import McpConnection, bound_tools, checked_address
from camphor.device.mcp_servers import KeptServers, McpServer, TrustedTool
from camphor.errors import ToolError, UsageError
from camphor.tools.mcp import read_offers
from camphor.tools.tool import Kind
from camphor.types import Call, Observation
from tests.doubles import mcp_server
from tests.doubles.serving import serving

SERVER = str(Path(mcp_server.__file__))
READS = ("find_parcel",)


def starts(how: str, *more: str, **settings: Any) -> McpServer:
    return McpServer("parcels", (sys.executable, SERVER, how, *more), **settings)


def trusted(server: McpServer) -> tuple[McpServer, list[Any]]:
    """The server with all its tools as they are now, as adding it does."""
    connection = McpConnection(server)
    try:
        offers = read_offers(server.name, connection.listing(), READS)
    finally:
        connection.close()
    tools = {each.tool.name: TrustedTool(each.name, each.digest, each.name in READS) for each in offers if each.tool}
    return replace(server, tools=tools), [each.tool for each in offers if each.tool]


@contextmanager
def phone(server: McpServer, added: McpServer | None = None) -> Iterator[Device]:
    """A phone on which the server was added, as `added` where it was another one then."""
    known, tools = trusted(added or server)
    server = replace(server, tools=known.tools)
    data = {"format": "camphor.device/1", "id": "p", "now": "2026-03-12T08:45:00", "apps": {}}
    with Device.create(None, data) as device:
        device.install_functions("parcels", f"{MCP}parcels", tools)
        connection = McpConnection(server)
        device.before_close.append(connection.close)
        device.bind("parcels", bound_tools(server, connection))
        yield device


def find(device: Device, number: str = "7") -> Observation:
    return device.execute(Call("parcels_find_parcel", {"number": number}))


def test_look_ups_run_and_actions_are_journalled() -> None:
    with phone(starts("usual")) as device:
        assert device.toolbox.get("parcels_find_parcel").kind is Kind.CONTEXT
        assert device.toolbox.get("parcels_order_parcel").kind is Kind.ACTION  # whatever it says of itself
        assert find(device).records == ({"parcel": "7", "where": "at the depot"},)
        assert device.journal() == []
        done = device.execute(Call("parcels_order_parcel", {"what": "tea"}), "k/1")
        assert done.records[0]["result"] == "ordered tea"
        assert device.execute(Call("parcels_order_parcel", {"what": "tea"}), "k/1") == done
        assert [entry.state for entry in device.journal()] == [EntryState.DONE]
        assert find(device, "none").error == "parcels: the server says of find_parcel: no such parcel"
        assert find(device).error is None


def test_a_server_runs_only_from_the_first_call_to_the_end(tmp_path: Path) -> None:
    started = tmp_path / "started"
    added, server = starts("usual"), starts("usual", str(started))
    with phone(server, added) as device:
        assert len(device.toolbox) > 2
        assert not started.exists()
        find(device)
        find(device)
        assert started.read_text() == "started\n"


def test_pictures_are_named_and_long_answers_cut() -> None:
    with phone(starts("usual")) as device:
        shown = [record["not_shown"] for record in find(device, "picture").records]
        assert shown == ["image image/png", "resource link label, file:///label.pdf"]
        (long,) = find(device, "long").records
        assert len(long["result"]) == 2000


def test_a_tool_that_says_something_else_later_is_not_called() -> None:
    with phone(starts("changes"), added=starts("usual")) as device:
        assert find(device).error is None  # the first listing is the one that the person saw
        told = find(device).error
        assert told is not None
        assert "says something else of this tool than when you added it, so nothing was called" in told
        assert told.endswith("camphor tools add-mcp parcels")
        assert "address book" not in device.toolbox.get("parcels_find_parcel").description
        assert device.execute(Call("parcels_order_parcel", {"what": "tea"})).error is None  # that one is as it was


def test_a_server_that_dies_says_that_nobody_knows_and_starts_again(tmp_path: Path) -> None:
    started = tmp_path / "started"
    with phone(starts("dies", str(started)), added=starts("usual")) as device:
        for _ in range(2):
            told = device.execute(Call("parcels_order_parcel", {"what": "tea"})).error
            assert told is not None
            assert "did not answer to order.parcel" in told
            assert told.endswith("whether it did what it was asked is not known")
        assert started.read_text() == "started\nstarted\n"
        assert [entry.state for entry in device.journal()] == [EntryState.FAILED] * 2


def test_a_slow_server_is_left_in_time() -> None:
    begun = time.monotonic()
    with phone(starts("slow", seconds=1.0), added=starts("usual")) as device:
        assert "it took too long" in str(find(device).error)
    assert time.monotonic() - begun < 30


def test_a_program_that_is_no_server_is_told_with_what_it_said(capfd: pytest.CaptureFixture[str]) -> None:
    server = McpServer("parcels", (sys.executable, "-c", "import sys; sys.exit('no licence found')"))
    with pytest.raises(ToolError, match=r"did not list its tools: .*it said: no licence found"):
        trusted(server)
    with pytest.raises(ToolError, match="did not list its tools"):
        trusted(McpServer("parcels", ("/no/such/program",)))
    assert capfd.readouterr() == ("", "")


def test_what_a_server_writes_beside_is_never_mixed_with_ours(capfd: pytest.CaptureFixture[str]) -> None:
    with phone(starts("noisy")) as device:
        assert find(device).error is None
    assert capfd.readouterr() == ("", "")


def test_a_server_is_not_told_what_it_asks_of_its_own_accord() -> None:
    with phone(starts("asks"), added=starts("usual")) as device:
        assert find(device).error is not None


def test_it_gets_only_the_variables_that_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "of the person")
    monkeypatch.setenv("PARCEL_KEY", "k-1")
    with phone(starts("usual", environment={"PARCEL_KEY": None})) as device:
        assert find(device, "key").records == ({"result": "k-1 None"},)


def test_over_http_with_a_header_and_no_key_in_errors() -> None:
    inner = mcp_server.server().streamable_http_app()
    seen: list[dict[bytes, bytes]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            seen.append(dict(scope["headers"]))
        await inner(scope, receive, send)

    with serving(app) as address:
        server = McpServer("parcels", url=f"{address}/mcp", headers={"X-Key": "s3cret-key"})
        with phone(server) as device:
            assert find(device).records == ({"parcel": "7", "where": "at the depot"},)
            assert {each[b"x-key"] for each in seen} == {b"s3cret-key"}
        with pytest.raises(ToolError) as refused:
            trusted(replace(server, url=f"{address}/s3cret-key"))
    assert "s3cret-key" not in str(refused.value)
    with pytest.raises(ToolError, match="did not list its tools"):
        trusted(server)  # nobody is there any more


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("ftp://127.0.0.1/mcp", "is no address"),
        ("http://", "is no address"),
        ("http://127.0.0.1:9\n/mcp", "is no address"),
        ("http://ada:pw@127.0.0.1:9/mcp", "holds a password"),
        ("http://example.org/mcp", "not encrypted"),
    ],
)
def test_addresses_that_are_none(address: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as refused:
        checked_address(address)
    assert "pw" not in str(refused.value)
    assert checked_address("https://example.org/mcp")
    assert checked_address("http://127.0.0.1:9000/mcp")


def test_what_is_trusted_is_kept_for_one_phone_and_its_owner(tmp_path: Path) -> None:
    kept, store = KeptServers(tmp_path / "mcp.json"), tmp_path / "ada.camphor"
    server = starts("usual", environment={"A": "b"}, tools={"parcels_find": TrustedTool("find", "00", True)})
    kept.remember(store, server)
    kept.remember(store, replace(server, name="other"))
    assert kept.of(store) == {"parcels": server, "other": replace(server, name="other")}
    assert kept.of(tmp_path / "bob.camphor") == {}
    assert (tmp_path / "mcp.json").stat().st_mode & 0o777 == 0o600
    kept.forget(store, "other")
    assert list(kept.of(store)) == ["parcels"]
    kept.forget(store)
    assert kept.of(store) == {}
    (tmp_path / "mcp.json").write_text(json.dumps({str(store.resolve()): {"x": {}}}))
    with pytest.raises(UsageError, match="mend or remove it"):
        kept.of(store)


def test_a_device_file_alone_starts_nothing(tmp_path: Path) -> None:
    with phone(starts("usual")) as device:
        exported = device.export()
    assert SERVER not in str(exported)
    with Device.create(None, exported) as copy:
        told = copy.execute(Call("parcels_find_parcel", {"number": "7"})).error
        assert told is not None
        assert told.endswith("are not trusted on this machine: run  camphor tools add-mcp parcels")
        copy.remove_functions("parcels")
        assert "parcels_find_parcel" not in copy.toolbox
        with pytest.raises(UsageError, match="no app of functions 'parcels'"):
            copy.remove_functions("parcels")
