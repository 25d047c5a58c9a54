"""Runs the app on a socket of this machine."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from camphor.errors import UsageError
from camphor.web.application import create_app
from camphor.web.services import Services


def run(
    services: Services,
    host: str,
    port: int,
    *,
    names: Sequence[str] = (),
    pass_code: str = "",
    told: Callable[[str], None] = print,
) -> None:
    """Serve until a signal ends it; `told` hears the address first.

    Raises:
        UsageError: the port is taken, or the address is not one of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()  # whoever hears the address may come at once
    except OSError as error:
        listener.close()
        raise UsageError(
            f"{host}:{port} cannot be listened on ({error.strerror or error}): choose another --port"
        ) from None
    taken = listener.getsockname()[1]
    hosts = [*names, *([] if host in ("0.0.0.0", "::") else [host])]
    app = create_app(services, hosts=hosts, pass_code=pass_code, secret=_secret(services.folder))
    shown = f"[{host}]" if ":" in host else host
    told(f"http://{shown}:{taken}")
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
    )
    uvicorn.Server(config).run(sockets=[listener])


def _secret(folder: Path) -> str:
    """What signs the sessions: kept, so that a restart ends none of them."""
    file = folder / "secret"
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as out:
            out.write(secrets.token_urlsafe(32))
    return file.read_text(encoding="ascii")
