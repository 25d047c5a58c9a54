"""`camphor serve`: the web app."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.home import DEMO, cache_folder, data_folder, keep, kept_devices, open_device, remove
from camphor.cli.leaving import tell_destination
from camphor.cli.model import EMBEDDED, chosen_model, open_mind, open_model
from camphor.cli.options import AdapterOption, ChosenModelOption, ThreadsOption
from camphor.cli.service import kept_phones, loop_for, state_now
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.agents.calling.chatting import CallingChat
    from camphor.agents.calling.prompts import CallForm
    from camphor.agents.prompts import Form
    from camphor.device.device import Device
    from camphor.models.base import LanguageModel
    from camphor.web.services import Services

PORT = 8642
_LOCAL = ("127.0.0.1", "localhost", "::1")


def serve(
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="0 takes any that is free.")] = PORT,
    host: Annotated[
        str, typer.Option(help="The address to listen on. Any but the loopback interface needs --pass-code.")
    ] = "127.0.0.1",
    name: Annotated[
        list[str] | None, typer.Option("--name", help="A further name under which browsers call this server.")
    ] = None,
    pass_code: Annotated[
        str | None,
        typer.Option(
            envvar="CAMPHOR_PASS_CODE", help="What every browser must tell once; `new` makes one up and shows it."
        ),
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", "-d", help="The kept device to show first. The demo phone unless given.")
    ] = None,
    results: Annotated[Path, typer.Option(help="The folder of result files that the page Results shows.")] = Path(
        "results"
    ),
    model: ChosenModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    open_: Annotated[
        bool, typer.Option("--open/--no-open", help="Whether to open the address in the browser of this desktop.")
    ] = True,
    also_model: Annotated[
        list[str] | None,
        typer.Option("--also-model", help="A further model, named as --model takes it, to compare with in Results."),
    ] = None,
    api: Annotated[
        bool,
        typer.Option("--api", help="Serve the function caller under /v1 too, for OpenAI's clients; see docs/mcp.md."),
    ] = False,
) -> None:
    """Serve the web app on this machine, until Ctrl-C. Nobody else can use it unless you say so.

    The address that is printed lets one browser in, once; then the next one is printed.

    \b
    camphor serve                                              # opens it, or open the address that it prints
    camphor serve --also-model other.gguf                      # and compare both on one query
    camphor serve --host 0.0.0.0 --name my-pc.local --pass-code new
    """
    if host not in _LOCAL and not pass_code:
        raise UsageError(f"{host} can be reached from other machines: add --pass-code new, or leave --host out")
    if pass_code == "new":
        pass_code = secrets.token_urlsafe(9)
        typer.echo(f"The pass code of this server is {pass_code}", err=True)
    if pass_code is not None and len(pass_code) < 8:
        raise UsageError("The pass code is too short: take 8 characters or more, or --pass-code new")
    services = services_for(device, chosen_model(model, adapter), adapter, threads, results, also_model or ())
    from camphor.web.application import API_KEY, run

    for each in (services.model_name, *(also_model or ())):
        tell_destination(each)
    if api:
        services.open_api_model = partial(function_caller, threads)
    tell = _Tell(
        services.folder / "open.html" if open_ and not pass_code and _has_desktop() else None,
        services.folder / API_KEY if api else None,
    )
    try:
        run(services, host, port, names=name or (), pass_code=pass_code or "", told=tell)
    finally:
        tell.forget()


def _reminding() -> str:
    runs = state_now().runs
    if runs is not None and runs.kind == "service":
        return f"The service reminds of doses (process {runs.process})"
    return "No service runs, so this server reminds of doses as long as it runs; see  camphor service --help"


class _Tell:
    """Prints the addresses, and opens the first of them.

    Args:
        page: a file that leads to the address, for the browser of the desktop: in the words of a command the address
            could be read by every account of the machine. None opens nothing.
        key: the file of the key for `/v1`; None where nothing is served there.
    """

    def __init__(self, page: Path | None, key: Path | None = None) -> None:
        self._page, self._key, self._said = page, key, False

    def __call__(self, address: str) -> None:
        if self._said:
            self.forget()
            typer.echo(f"A browser was let in. The next one:  {address}", err=True)
            return
        self._said = True
        once = "; the address works once" if "/enter/" in address else ""
        typer.echo(f"camphor is at {address}  (Ctrl-C ends it{once}). {_reminding()}", err=True)
        if self._key:
            base = address.partition("/enter/")[0]
            typer.echo(f"Programs reach the model as {base}/v1 with the key in {self._key}", err=True)
        if self._page:
            import webbrowser

            self._page.unlink(missing_ok=True)
            self._page.touch(mode=0o600)
            self._page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">\n')
            webbrowser.open(self._page.resolve().as_uri())

    def forget(self) -> None:
        if self._page:
            self._page.unlink(missing_ok=True)


def _has_desktop() -> bool:
    """Whether a person is at a terminal of a desktop, where a browser can be shown."""
    shown = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return sys.stderr.isatty() and bool(shown)


def services_for(
    device: str | None,
    model: str,
    adapter: Path | None,
    threads: int | None,
    results: Path,
    also: Sequence[str] = (),
) -> Services:
    """What the app works with: the phones of the data folder, and the model that the options name.

    Raises:
        UsageError: there is no such kept device.
    """
    from camphor.web.services import Services

    phones = KeptPhones()
    first = device or DEMO
    if first not in phones.names():
        kept = ", ".join(phones.names())
        raise UsageError(
            f"There is no kept device {first[:80]!r}: name one of {kept}, or first  camphor device import FILE"
        )
    return Services(
        phones,
        first,
        lambda: open_model(model, adapter, threads),
        data_folder() / "web",
        results if results.is_dir() else None,
        model,
        {**_untuned(model, threads), **{name: partial(open_model, name, None, threads) for name in also}},
        loop=loop_for(None, kind="web", stand_by=True),
    )


def _untuned(model: str, threads: int | None) -> dict[str, Callable[[], tuple[LanguageModel, Form]]]:
    """The embedded model without the adapter that ships, to see what tuning does; nothing beside another model."""

    def opened() -> tuple[LanguageModel, Form]:
        from camphor.agents.prompts import Form
        from camphor.models.llama import LlamaModel

        return LlamaModel(adapter=False, threads=threads, merged_folder=cache_folder()), Form.INSTRUCTED

    return {"embedded, not tuned": opened} if model == EMBEDDED else {}


def function_caller(threads: int | None, clock: Callable[[], datetime] = datetime.now) -> CallingChat:
    """The tuned model, and the base model for texts; each is opened when it is first needed."""
    from camphor.agents.calling.chatting import CallingChat

    def caller() -> tuple[LanguageModel, CallForm]:
        mind = open_mind(None, None, None, threads)
        return mind.model, mind.form

    return CallingChat(caller, lambda: open_mind(None, None, None, threads, untuned=True).model, clock)


class KeptPhones:
    """The phones of the data folder, the demo phone among them."""

    def names(self) -> list[str]:
        return sorted({DEMO, *kept_devices()})

    def files(self) -> Mapping[str, Path]:
        return kept_phones()

    def open(self, name: str) -> Device:
        return open_device(name)

    def keep(self, data: Mapping[str, Any], name: str, *, replace: bool) -> None:
        keep(dict(data), name, replace=replace)

    def remove(self, name: str) -> None:
        remove(name)
