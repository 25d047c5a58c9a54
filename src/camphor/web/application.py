"""Makes the app: its interface under /api, its pages, its files, and one way to tell of every fault."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import uvicorn
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from camphor import __version__, lab
from camphor.errors import CamphorError, UsageError
from camphor.web import routes
from camphor.web.conversations import Conversations
from camphor.web.feed import Json
from camphor.web.keys import kept_key
from camphor.web.problems import API, MEDIA_TYPE, body, openai_error, status_of
from camphor.web.security import Entrance, Guard
from camphor.web.services import Services

API_KEY = "api-key"
"""The file with the key for `/v1`, which is good for nothing else."""
STATIC = Path(str(files("camphor") / "web" / "static"))
_DESCRIPTION = """What camphor's pages do, for programs on this machine. Nothing leaves it.

Programs send the key of the server's file `web/key` as `X-Camphor-Key`. A browser has a session, a cookie, and tells
its token in `X-CSRF-Token` with requests that change something.
Faults are `application/problem+json` with a `code` for programs and a `detail` for people."""


def create_app(
    services: Services,
    *,
    hosts: Iterable[str] = (),
    pass_code: str = "",
    secret: str = "",
    entrance: Entrance | None = None,
) -> FastAPI:
    """The whole app. Its `state.services` and `state.conversations` are what routes work with.

    Args:
        hosts, pass_code, secret, entrance: as `security.Guard` has them.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if services.loop is not None:
            services.users.append(services.loop.pause)
            services.loop.start()
        yield
        if services.loop is not None:
            services.loop.stop()
        services.close()

    app = FastAPI(
        title="camphor",
        version=__version__,
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        default_response_class=Json,
        lifespan=lifespan,
        responses={"default": {"description": "A fault", "content": {MEDIA_TYPE: {"schema": _PROBLEM}}}},
    )
    app.state.services, app.state.conversations = services, Conversations(services)
    for router in _routers():
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_exception_handler(CamphorError, _told)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _broken)
    app.add_middleware(Guard, hosts=tuple(hosts), pass_code=pass_code, secret=secret, entrance=entrance)
    return app


def _routers() -> list[APIRouter]:
    """The `router` of every module of `camphor.web.routes`, and of the laboratory's results where it is installed."""
    names = sorted(module.name for module in iter_modules(routes.__path__))
    own = [import_module(f"{routes.__name__}.{name}").router for name in names]
    return [*own, lab.load("web.results").router] if lab.is_installed() else own


def problem(request: Request, status: int, code: str, detail: str) -> JSONResponse:
    if request.url.path.startswith(API):
        return JSONResponse(openai_error(status, code, detail), status)
    return JSONResponse(body(status, code, detail), status, media_type=MEDIA_TYPE)


async def _told(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, CamphorError)
    return problem(request, *status_of(error), str(error))


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    # where and what, never the value: it may be personal
    told = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:5])
    return problem(request, 422, "bad_input", told)


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, CamphorError):  # of a body that was refused while it was read
        return problem(request, *status_of(error.__cause__), str(error.__cause__))
    code = {404: "not_found", 405: "not_allowed"}.get(error.status_code, "error")
    return problem(request, error.status_code, code, str(error.detail))


async def _broken(request: Request, error: Exception) -> JSONResponse:
    return problem(request, 500, "broken", f"Something broke ({type(error).__name__}): the server goes on")


_PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string"},
        "detail": {"type": "string"},
    },
}


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
    api_key = kept_key(services.folder / API_KEY) if services.open_api_model else ""
    entrance = Entrance(kept_key(services.folder / "key"), lambda ticket: told(f"{address}/enter/{ticket}"), api_key)
    # signs the sessions: it is kept, so that a restart ends none of them
    secret = kept_key(services.folder / "secret")
    app = create_app(services, hosts=hosts, pass_code=pass_code, secret=secret, entrance=entrance)
    told(address if pass_code else f"{address}/enter/{entrance.ticket}")
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
    )
    uvicorn.Server(config).run(sockets=[listener])
