"""A server on a phone of its own, with a scripted model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from camphor.agents.prompts import Form
from camphor.device.device import Device
from camphor.errors import UsageError
from camphor.models.base import LanguageModel, Reply
from camphor.models.scripted import ScriptedModel
from camphor.web.application import create_app
from camphor.web.security import Entrance
from camphor.web.services import Services

DEMO = "ines-dublin"
NADIA = "/api/phones/nadia-bristol"
BARE = f"/api/phones/{DEMO}"
"""The demo phone, which has no clinic app."""
KEY = "of programs of the tests"
Replies = Sequence[str | Reply | Exception]
LOOK = ["personal_context", '[get_contacts_information(keyword="Alice")]', "task_completion"]
TEXT = [*LOOK, '[send_imessage_message(receiver="Alice Johnson", content="I am late")]']
WHO = LOOK
"""Of a question no agent writes an action, and code answers it from the records."""
NOTHING = [*LOOK, "[]", "Alice Johnson."]
"""Of a wish no action is made."""


class PhonesInFolder:
    """Phones as files of a folder; the demo phone is made at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not (folder / f"{DEMO}.camphor").exists():
            demo = files("camphor") / "demo" / f"{DEMO}.device.json"
            Device.from_file(Path(str(demo)), folder / f"{DEMO}.camphor").close()

    def names(self) -> list[str]:
        return sorted(path.stem for path in self.folder.glob("*.camphor"))

    def files(self) -> Mapping[str, Path]:
        return {name: self.folder / f"{name}.camphor" for name in self.names()}

    def open(self, name: str) -> Device:
        return Device.open(self.folder / f"{name}.camphor")

    def keep(self, data: Mapping[str, Any], name: str, *, replace: bool) -> None:
        path = self.folder / f"{name}.camphor"
        if path.exists() and not replace:
            raise UsageError(f"There is a device {name} already")
        path.unlink(missing_ok=True)
        Device.create(path, data).close()

    def remove(self, name: str) -> None:
        for path in self.folder.glob(f"{name}.camphor*"):
            path.unlink()


def services_on(folder: Path, model: LanguageModel | Replies = ()) -> Services:
    mind: LanguageModel = ScriptedModel(model) if isinstance(model, Sequence) else model
    opened: Callable[[], tuple[LanguageModel, Form]] = lambda: (mind, Form.NAMES)  # noqa: E731
    return Services(PhonesInFolder(folder), DEMO, opened, folder / "web")


def client_on(services: Services, *, pass_code: str = "", token: bool = True, entered: bool = True) -> TestClient:
    """A browser that has opened the app: by the one-time address, where there is no pass code."""
    entrance = Entrance(KEY)
    app = create_app(services, hosts=("testserver",), pass_code=pass_code, secret="of the tests", entrance=entrance)
    client = TestClient(app, raise_server_exceptions=False)
    if entered and not pass_code:
        assert client.get(f"/enter/{entrance.ticket}").status_code == 200
    if token and entered:
        client.headers["x-csrf-token"] = client.get("/api/session").json()["csrf_token"]
    return client


def bare_demo(services: Services) -> None:
    """The demo phone that has the clinic app, without the weeks that the page gives it."""
    source = files("camphor") / "demo" / "health.device.json"
    if "nadia-bristol" not in services.phones.names():
        services.keep("nadia-bristol", json.loads(source.read_text(encoding="utf-8")), replace=False)


def health_client(services: Services) -> TestClient:
    """A browser of a server that has both demo phones."""
    bare_demo(services)
    return client_on(services)


def begin(client: TestClient, phone: str = DEMO) -> str:
    """The path of a new conversation."""
    made = client.post(f"/api/phones/{phone}/conversations")
    assert made.status_code == 201, made.text
    return f"/api/phones/{phone}/conversations/{made.json()['id']}"


def wait_for(client: TestClient, path: str, *kinds: str, tries: int = 400) -> list[dict[str, Any]]:
    """The events of a conversation, once the last is of one of these kinds."""
    for _ in range(tries):
        happened: list[dict[str, Any]] = client.get(path).json()["happened"]
        if happened and happened[-1]["kind"] in kinds:
            return happened
        time.sleep(0.01)
    raise AssertionError(f"no {kinds} after {json.dumps(happened)[-800:]}")
