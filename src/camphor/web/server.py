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
from camphor.web.entrance import Entrance
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
    """Serve until a signal ends it.

    Args:
        told: hears the address first; without a pass code it is good for one browser, and the next one is told as soon
            as it was used.

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
    address = f"http://[{host}]:{taken}" if ":" in host else f"http://{host}:{taken}"
    entrance = Entrance(_kept(services.folder, "key"), lambda ticket: told(f"{address}/enter/{ticket}"))
    secret = _kept(services.folder, "secret")
    app = create_app(services, hosts=hosts, pass_code=pass_code, secret=secret, entrance=entrance)
    told(address if pass_code else f"{address}/enter/{entrance.ticket}")
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
    )
    uvicorn.Server(config).run(sockets=[listener])


def _kept(folder: Path, name: str) -> str:
    """A secret in a file that only its owner may read, made when it is first needed.

    `secret` signs the sessions: it is kept, so that a restart ends none of them. `key` is what programs send.
    """
    file = folder / name
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as out:
            out.write(secrets.token_urlsafe(32))
    file.chmod(0o600)  # whatever a copy or a backup made of it
    return file.read_text(encoding="ascii")
