"""`camphor tools add-mcp`, `list-mcp`, `remove-mcp`: the tools of MCP servers on a device."""

from __future__ import annotations

import re
import shlex
import shutil
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.home import DEMO, device_to_change, kept_servers, open_device
from camphor.cli.options import DeviceOption, JsonOption
from camphor.cli.text import print_json, print_table, say
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.device.mcp_servers import McpServer
    from camphor.tools.mcp import Offer

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = re.compile(r"[A-Za-z0-9-]+")

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="What to call the server: its tools' names begin so.")
]


def add_mcp(
    name: NameArgument,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[-- COMMAND...]", help="What starts the server (stdio).")
    ] = None,
    url: Annotated[
        str, typer.Option(help="The address of one that runs (streamable HTTP), in place of a command.")
    ] = "",
    device: DeviceOption = None,
    reads: Annotated[
        list[str] | None,
        typer.Option(
            "--reads",
            metavar="TOOL",
            help="A tool that only reads, by the server's name of it: it runs without asking you. All others ask.",
        ),
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", metavar="NAME[=VALUE]", help="A variable for the server; without =VALUE from yours."),
    ] = None,
    header: Annotated[
        list[str] | None, typer.Option("--header", metavar="NAME:VALUE", help="Sent with each request to --url.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=1, max=3600, help="Seconds that one call may take.")] = 60,
) -> None:
    """Put the tools of an MCP server on a phone as an app, or bring them up to date.

    \b
    camphor tools add-mcp clock --reads get_current_time -- mcp-server-time
    camphor tools add-mcp notes --url http://127.0.0.1:9000/mcp --header "Authorization: Bearer KEY"

    The command is RUN now, and whenever one of the tools is called: add only what you trust. You are asked before each
    call of a tool that is not under --reads, whatever the server says of itself. The tools are remembered as they are
    now: one that says something else later is not called until you add the server anew. Needs the extra `mcp`.
    """
    from camphor.device.manifests import MCP
    from camphor.device.mcp_client import checked_address
    from camphor.device.mcp_servers import McpServer
    from camphor.tools.mcp import APP_NAME

    if not APP_NAME.fullmatch(name):
        raise UsageError(
            f"{name[:80]!r} cannot be a server's name: use small letters, digits and _, at most 32 of them"
        )
    if bool(command) == bool(url):
        raise UsageError("Say what the server is:  -- COMMAND...  that starts it, or --url ADDRESS, and not both")
    server = McpServer(
        name,
        _command(command or []),
        checked_address(url) if url else "",
        str(Path.cwd()),
        dict(map(_variable, env or ())),
        dict(map(_header, header or ())),
        timeout,
    )
    with device_to_change(device) as phone:
        assert phone.path is not None
        offers = _offers(server, reads or ())
        tools = [each.tool for each in offers if each.tool is not None]
        if not tools:
            why = "; ".join(f"{each.name[:60]}: {each.problem}" for each in offers[:3]) or "it has none"
            raise UsageError(f"No tool of {name} can be used: {why}")
        phone.install_functions(name, f"{MCP}{name}", tools)
        kept_servers().remember(phone.path, _trusting(server, offers, reads or ()))
    _tell(name, device or DEMO, offers)


def list_mcp(device: DeviceOption = None, json_: JsonOption = False) -> None:
    """List the MCP servers of a phone, and which of their tools ask before they run. No server is started."""
    with closing(open_device(device)) as phone:
        servers = kept_servers().of(phone.path) if phone.path else {}
    rows = [
        {
            "name": server.name,
            "server": server.url or shlex.join(server.command),
            "environment": sorted(server.environment),
            "headers": sorted(server.headers),
            "reads": [tool for tool, each in server.tools.items() if each.reads],
            "asks": [tool for tool, each in server.tools.items() if not each.reads],
        }
        for server in servers.values()
    ]
    if json_:
        print_json(rows)
        return
    cells = [[str(row["name"]), str(row["server"]), ", ".join(row["reads"]), ", ".join(row["asks"])] for row in rows]
    print_table(["name", "server", "only read", "ask first"], cells)


def remove_mcp(name: NameArgument, device: DeviceOption = None) -> None:
    """Take an MCP server's tools off a phone. What was done with them stays in the journal."""
    with device_to_change(device) as phone:
        assert phone.path is not None
        phone.remove_functions(name)
        kept_servers().forget(phone.path, name)
    say(f"Removed {name} from {device or DEMO}")


def _offers(server: McpServer, reads: list[str] | tuple[()]) -> tuple[Offer, ...]:
    """What the server brings now. Raises: ToolError, it does not answer. UsageError, it has not what --reads names."""
    from camphor.device.mcp_client import McpConnection
    from camphor.tools.mcp import read_offers

    with closing(McpConnection(server)) as connection:
        offers = read_offers(server.name, connection.listing(), reads)
    unknown = sorted(set(reads) - {each.name for each in offers})
    if unknown:
        known = ", ".join(each.name[:60] for each in offers) or "none"
        raise UsageError(f"{server.name} has no tool {unknown[0][:80]!r} that --reads could name: it has {known}")
    return offers


def _trusting(server: McpServer, offers: tuple[Offer, ...], reads: list[str] | tuple[()]) -> McpServer:
    from dataclasses import replace

    from camphor.device.mcp_servers import TrustedTool

    tools = {
        each.tool.name: TrustedTool(each.name, each.digest, each.name in reads)
        for each in offers
        if each.tool is not None
    }
    return replace(server, tools=tools)


def _tell(name: str, device: str, offers: tuple[Offer, ...]) -> None:
    from camphor.tools.tool import Kind

    tools = [each.tool for each in offers if each.tool is not None]
    acting = sum(tool.kind is Kind.ACTION for tool in tools)
    say(f"Added {name} to {device}: {len(tools)} tools; you are asked before {acting} of them run")
    for tool in tools:
        say(
            f"  {tool.definition(descriptions=False)}{'' if tool.kind is Kind.ACTION else '  (only reads, as you say)'}"
        )
    for each in offers:
        if each.tool is None:
            say(f"  left out {each.name[:64]!r}: {each.problem}")


def _command(words: list[str]) -> tuple[str, ...]:
    """The command with the program's own path: another folder or search path must not make another program of it."""
    if not words:
        return ()
    found = shutil.which(words[0])
    if found is None:
        raise UsageError(f"There is no program {words[0][:200]!r}: install it, or give its path")
    return (str(Path(found).absolute()), *words[1:])


def _variable(text: str) -> tuple[str, str | None]:
    name, is_given, value = text.partition("=")
    if not _VARIABLE.fullmatch(name):
        raise UsageError(f"{name[:80]!r} is no name of a variable: write --env NAME or --env NAME=VALUE")
    return name, value if is_given else None


def _header(text: str) -> tuple[str, str]:
    name, is_given, value = text.partition(":")
    if not is_given or not _HEADER.fullmatch(name.strip()) or not re.fullmatch(r"[\x20-\x7e]+", value):
        raise UsageError('A header is a name and a value of plain letters: write --header "NAME: VALUE"')
    return name.strip(), value.strip()
