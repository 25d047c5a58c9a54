"""`camphor serve`: the web app."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.ask import AdapterOption, ModelOption, ThreadsOption

if TYPE_CHECKING:
    from camphor.agents.prompts import Form
    from camphor.device.device import Device
    from camphor.models.base import LanguageModel
    from camphor.web.services import Services

PORT = 8642
_LOCAL = ("127.0.0.1", "localhost", "::1")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve")(serve)


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
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    also_model: Annotated[
        list[str] | None,
        typer.Option("--also-model", help="A further model, named as --model takes it, to compare with in Results."),
    ] = None,
) -> None:
    """Serve the web app on this machine, until Ctrl-C. Nobody else can reach it unless you say so.

    \b
    camphor serve                                              # then open http://127.0.0.1:8642
    camphor serve --also-model other.gguf                      # and compare both on one query
    camphor serve --host 0.0.0.0 --name my-pc.local --pass-code new
    """
    from camphor.errors import UsageError

    if host not in _LOCAL and not pass_code:
        raise UsageError(f"{host} can be reached from other machines: add --pass-code new, or leave --host out")
    if pass_code == "new":
        pass_code = secrets.token_urlsafe(9)
        typer.echo(f"The pass code of this server is {pass_code}", err=True)
    if pass_code is not None and len(pass_code) < 8:
        raise UsageError("The pass code is too short: take 8 characters or more, or --pass-code new")
    services = services_for(device, model, adapter, threads, results, also_model or ())
    from camphor.web.server import run

    run(services, host, port, names=name or (), pass_code=pass_code or "", told=_say)


def _say(address: str) -> None:
    typer.echo(f"camphor is at {address}  (Ctrl-C ends it)", err=True)


def services_for(
    device: str | None,
    model: str | None,
    adapter: Path | None,
    threads: int | None,
    results: Path,
    also: Sequence[str] = (),
) -> Services:
    """What the app works with: the phones of the data folder, and the model that the options name.

    Raises:
        UsageError: there is no such kept device.
    """
    from camphor.cli.home import DEMO, data_folder
    from camphor.cli.model import EMBEDDED, HEALTH, open_model
    from camphor.errors import UsageError
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
        model or EMBEDDED,
        (lambda: open_model(None, None, threads, HEALTH)) if model in (None, EMBEDDED) and adapter is None else None,
        {**_untuned(model, threads), **{name: partial(open_model, name, None, threads) for name in also}},
    )


def _untuned(model: str | None, threads: int | None) -> dict[str, Callable[[], tuple[LanguageModel, Form]]]:
    """The embedded model without the adapter that ships, to see what tuning does; nothing beside another model."""

    def opened() -> tuple[LanguageModel, Form]:
        from camphor.agents.prompts import Form
        from camphor.cli.home import cache_folder
        from camphor.models.llama import LlamaModel

        return LlamaModel(adapter=False, threads=threads, merged_folder=cache_folder()), Form.INSTRUCTED

    return {"embedded, not tuned": opened} if model in (None, "embedded") else {}


class KeptPhones:
    """The phones of the data folder, the demo phone among them."""

    def names(self) -> list[str]:
        from camphor.cli.home import DEMO, kept_devices

        return sorted({DEMO, *kept_devices()})

    def open(self, name: str) -> Device:
        from camphor.cli.home import open_device

        return open_device(name)

    def keep(self, data: Mapping[str, Any], name: str, *, replace: bool) -> None:
        from camphor.cli.home import keep

        keep(dict(data), name, replace=replace)

    def remove(self, name: str) -> None:
        from camphor.cli.home import remove

        remove(name)
