"""A server with the demo phone that has the clinic app."""

from __future__ import annotations

import sys
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
    client = client_on(services)
    assert client.post("/api/health/demo").json() == {"phone": "nadia-bristol"}
    return client
