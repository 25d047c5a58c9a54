"""Which models a server with the OpenAI interface has. Only ever asked because a person said so.

What a server answers is text from outside: names are shown, and nothing in them is followed.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx

from camphor.errors import ModelError, ModelMissing
from camphor.models.destination import SERVERS, server_address

SECONDS = 0.5
"""For each step, such as connecting; four times as much for all of an answer."""
_MOST_BYTES = 1_000_000
_MOST_MODELS = 500
_LONGEST_NAME = 200


@dataclass(frozen=True)
class ServedModel:
    """A model as its server lists it: bytes and tokens are None where the server does not tell."""

    name: str
    size: int | None = None
    context: int | None = None


@dataclass(frozen=True)
class ModelServer:
    """A program that answered on a port of this computer. `problem` says why it has no models to list."""

    kind: str
    address: str
    models: tuple[ServedModel, ...] = ()
    problem: str = ""


def list_models(address: str, api_key: str | None = None, seconds: float = SECONDS) -> tuple[ServedModel, ...]:
    """The models of the server at an address such as `http://127.0.0.1:8080/v1`, as it lists them.

    No redirect is followed and no proxy is used: what is asked goes to that address alone.

    Raises:
        UsageError: the address cannot be used. ModelMissing: nobody answers there. ModelError: the answer is no list.
    """
    where = f"the model server at {server_address(address).geturl()}"
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        with (
            httpx.Client(trust_env=False, follow_redirects=False, timeout=seconds) as client,
            client.stream("GET", f"{address.rstrip('/')}/models", headers=headers) as response,
        ):
            body = _body(response, time.monotonic() + 4 * seconds)
    except httpx.ConnectError as error:
        told = re.sub(r"^\[Errno -?\d+\] ", "", " ".join(str(error).split()))[:150]
        raise ModelMissing(f"no model server answers at {address} ({told}): start it, or check the address") from None
    except httpx.TimeoutException:
        raise ModelMissing(f"{where} does not answer within {seconds:g} seconds: start it, or try again") from None
    except (httpx.HTTPError, UnicodeError, ValueError) as error:
        kind = type(error).__name__  # its text may hold what was sent
        raise ModelError(f"{where} gave no list of models ({kind}): check the address") from None
    if response.status_code in (401, 403):
        raise ModelError(
            f"{where} refused the API key (status {response.status_code}): put it into the variable that  "
            "camphor config  names as model.key_env"
        )
    if response.status_code != 200:
        raise ModelError(f"{where} lists no models (status {response.status_code}): check the address, it ends in /v1")
    return _read(body, where)


def find_servers(ports: Mapping[str, int] = SERVERS, seconds: float = SECONDS) -> list[ModelServer]:
    """Those that answer on their own ports of the loopback interface, all asked at once; no key is sent."""
    with ThreadPoolExecutor(len(ports)) as pool:
        found = pool.map(lambda each: _at(each[0], each[1], seconds), ports.items())
        return [server for server in found if server is not None]


def _at(kind: str, port: int, seconds: float) -> ModelServer | None:
    address = f"http://127.0.0.1:{port}/v1"
    try:
        return ModelServer(kind, address, list_models(address, None, seconds))
    except ModelMissing:
        return None
    except ModelError as error:
        return ModelServer(kind, address, problem=str(error))


def _body(response: httpx.Response, deadline: float) -> bytes:
    data = bytearray()
    for piece in response.iter_bytes():
        data += piece
        if len(data) > _MOST_BYTES or time.monotonic() > deadline:
            raise ValueError("too much, or too slow")
    return bytes(data)


def _read(body: bytes, where: str) -> tuple[ServedModel, ...]:
    try:
        listed = json.loads(body)["data"]
        if not isinstance(listed, list):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelError(f"{where} answered what is no list of models: check the address, it ends in /v1") from None
    return tuple(model for each in listed[:_MOST_MODELS] if (model := _model(each)) is not None)


def _model(entry: Any) -> ServedModel | None:
    """One entry. Servers tell its size and context under names of their own, or not at all."""
    name = entry.get("id") if isinstance(entry, Mapping) else None
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name) <= _LONGEST_NAME:
        return None
    meta = entry.get("meta") if isinstance(entry.get("meta"), Mapping) else {}
    context = _count(entry.get("max_model_len")) or _count(entry.get("max_context_length")) or _count(
        meta.get("n_ctx_train")
    )  # fmt: skip
    return ServedModel(name, _count(meta.get("size")), context)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
