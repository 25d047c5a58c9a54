"""`camphor mcp`: the phone's tools, and the assistant, for other programs on this machine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.home import DEMO, data_folder, open_device
from camphor.cli.leaving import part_to_share, tell_destination
from camphor.cli.model import chosen_model, open_model
from camphor.cli.options import AdapterOption, ChosenModelOption, DeviceOption, ThreadsOption
from camphor.cli.text import ask, is_attended
from camphor.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from camphor.agents.prompts import Form
    from camphor.agents.sharing import SharedPhone
    from camphor.app import Assistant
    from camphor.device.device import Device
    from camphor.mcp_server.server import PhoneServer
    from camphor.models.base import LanguageModel


def mcp(
    device: DeviceOption = None,
    http: Annotated[
        int | None,
        typer.Option(
            "--http", metavar="PORT", min=0, max=65535, help="Serve on the loopback interface; 0 takes any port."
        ),
    ] = None,
    app: Annotated[
        list[str] | None, typer.Option("--app", help="Serve the tools of this app alone, and no ask_camphor.")
    ] = None,
    reads_only: Annotated[bool, typer.Option("--reads-only", help="Serve only tools that look up.")] = False,
    model: ChosenModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Serve a phone's tools over the Model Context Protocol, on standard input and output or on a port.

    \b
    {"mcpServers": {"camphor": {"command": "camphor", "args": ["mcp"]}}}    in the settings of your client
    camphor mcp --http 8643                                                 asks in this terminal

    The program that you connect sees what the tools find: connect only one that may. Before each action you are asked,
    by that program where it can, or in the terminal where --http runs; where nobody can be asked, nothing is done.
    Needs the extra `mcp`.
    """
    if find_spec("mcp") is None:
        raise MissingExtra("The MCP server", "mcp")
    with ExitStack() as opened:
        phone = opened.enter_context(closing(open_device(device)))
        served = _served(
            phone, app, reads_only, http is not None, _assistants(opened, phone, device, model, adapter, threads)
        )
        from camphor.mcp_server.transports import run_here, run_http
        from camphor.web.keys import kept_key

        if http is None:
            if is_attended():
                typer.echo(
                    "This speaks MCP on standard input and output, for a client to start. Ctrl-C ends it", err=True
                )
            run_here(served)
            return

        file = data_folder() / "mcp" / "key"
        key = kept_key(file)
        run_http(served, http, key, lambda address: _tell(address, file))


def _served(
    phone: Device, apps: list[str] | None, reads_only: bool, here: bool, assistant: Callable[[], Assistant]
) -> PhoneServer:
    from camphor.mcp_server.server import PhoneServer

    unknown = sorted(set(apps or ()) - set(phone.apps))
    if unknown:
        raise UsageError(f"{phone.id} has no app {unknown[0][:80]!r}: it has {', '.join(phone.apps)}")
    ask_here = None
    if here and is_attended():
        from rich.console import Console

        from camphor.cli.show import ConsentPrompt, Show

        ask_here = ConsentPrompt(phone, Show(Console(stderr=True), phone.now.year), ask)
    return PhoneServer(
        phone, None if apps or reads_only else assistant, apps=apps or None, reads_only=reads_only, ask_here=ask_here
    )


def _assistants(
    opened: ExitStack, phone: Device, spec: str | None, model: str | None, adapter: Path | None, threads: int | None
) -> Callable[[], Assistant]:
    """Makes an assistant for each query; the model is opened for the first of them."""
    name = chosen_model(model, adapter)

    @cache
    def mind() -> tuple[LanguageModel, Form, SharedPhone]:
        shared = part_to_share(phone, spec or DEMO, tell_destination(name))
        found, form = open_model(name, adapter, threads)
        opened.enter_context(closing(found))
        return found, form, shared

    def made() -> Assistant:
        from camphor.agents.prompts import TOLD
        from camphor.agents.strategies.registry import choose, usual_strategy
        from camphor.app import Assistant

        found, usual, shared = mind()
        strategy, form = choose(usual_strategy(found, usual), None, tuned=usual not in TOLD, usual=usual)
        assistant = Assistant(shared.device, found, form=form, strategy=strategy, whole=shared.whole)
        assistant.memory = shared.memory(assistant.conversation)
        return assistant

    return made


def _tell(address: str, file: Path) -> None:
    where = "this terminal" if is_attended() else "the program that calls"
    typer.echo(
        f"camphor serves MCP at {address}  (Ctrl-C ends it). Programs send the key in {file} as a bearer token; "
        f"before an action you are asked in {where}",
        err=True,
    )
