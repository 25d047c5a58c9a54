"""A server with the demo phone that has the clinic app."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path

from fastapi.testclient import TestClient

sys.path.append(str(Path(__file__).parent))
from web_doubles import Replies, client_on, services_on

from camphor.web.services import Services

NADIA = "/api/phones/nadia-bristol"
BARE = "/api/phones/ines-dublin"


def health_services(folder: Path, model: Replies = ()) -> Services:
    return services_on(folder, model)


def health_client(services: Services) -> TestClient:
    bare_demo(services)
    return client_on(services)


def bare_demo(services: Services) -> None:
    """The demo phone that has the clinic app, without the weeks that the page gives it."""
    source = files("camphor") / "demo" / "health.device.json"
    if "nadia-bristol" not in services.phones.names():
        services.keep("nadia-bristol", json.loads(source.read_text(encoding="utf-8")), replace=False)
