"""One query two ways: both sides are told, nothing is done, and a second model is closed when it has answered."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from camphor.agents.prompts import Form
from camphor.errors import ModelMissing
from camphor.models.base import Reply, Request
from camphor.models.scripted import ScriptedModel
from camphor.web.services import Services
from tests.doubles.web import DEMO, NOTHING, TEXT, client_on, services_on

HERE = f"/api/phones/{DEMO}/comparisons"
OTHER = "other.gguf"


class Closing(ScriptedModel):
    """Says whether it was closed."""

    closed = False

    def close(self) -> None:
        self.closed = True


class Waiting(ScriptedModel):
    """Does not answer before it may."""

    def __init__(self, replies: list[str]) -> None:
        super().__init__(replies)
        self.asked, self.may = threading.Event(), threading.Event()

    def complete(self, request: Request) -> Reply:
        self.asked.set()
        assert self.may.wait(20)
        return super().complete(request)


def both(*ways: tuple[str, str | None], query: str = "text Alice that I am late") -> dict[str, Any]:
    return {"query": query, "ways": [{"model": model, "form": form} for model, form in ways]}


SAME = both(("embedded", "names"), ("embedded", "compressed"))


def finished(client: TestClient) -> dict[str, Any]:
    for _ in range(1000):
        told: dict[str, Any] = client.get(HERE).json()
        if not told["running"]:
            return told
        time.sleep(0.01)
    raise AssertionError("it does not end")


def of(told: dict[str, Any], side: int, kind: str) -> list[dict[str, Any]]:
    return [each for each in told["happened"] if each["kind"] == kind and each.get("side") == side]


def test_two_forms_are_compared_and_nothing_is_done(tmp_path: Path) -> None:
    services = services_on(tmp_path, [*TEXT, *NOTHING])
    client = client_on(services)
    before = services.phone(DEMO).export()
    assert client.get(HERE).json() is None
    begun = client.post(HERE, json=SAME)
    assert begun.status_code == 201
    told = finished(client)
    assert [event["form"] for event in told["happened"] if event["kind"] == "began"] == ["names", "compressed"]
    planned = of(told, 0, "answered")[0]
    assert planned["calls"] == [
        {"name": "send_imessage_message", "arguments": {"receiver": "555-123-4567", "content": "I am late"}}
    ]
    assert [turn["agent"] for turn in planned["turns"]]
    assert of(told, 1, "answered")[0]["calls"] == []
    assert told["happened"][-1] == {"number": len(told["happened"]), "kind": "done", "stopped": False}
    assert services.phone(DEMO).journal() == []
    assert services.phone(DEMO).export() == before
    assert client.get(f"/api/phones/{DEMO}/conversations").json() == []


def test_a_second_model_is_opened_for_it_and_closed_after(tmp_path: Path) -> None:
    services = services_on(tmp_path, NOTHING)
    second = Closing(TEXT)
    services.others = {OTHER: lambda: (second, Form.NAMES)}
    client = client_on(services)
    assert client.get("/api/comparisons/choices").json()["models"] == ["embedded", OTHER]
    client.post(HERE, json=both(("embedded", None), (OTHER, None)))
    told = finished(client)
    assert of(told, 1, "answered")
    assert second.closed
    assert services.model()[0].count_tokens("still open")


def test_one_side_that_fails_leaves_the_other(tmp_path: Path) -> None:
    def missing() -> Any:
        raise ModelMissing("There is no such file")

    services = services_on(tmp_path, NOTHING)
    services.others = {OTHER: missing}
    client = client_on(services)
    client.post(HERE, json=both((OTHER, None), ("embedded", None)))
    told = finished(client)
    assert of(told, 0, "failed")[0]["text"] == "There is no such file"
    assert of(told, 1, "answered")


def test_one_runs_at_a_time_and_can_be_stopped(tmp_path: Path) -> None:
    model = Waiting([*TEXT, *TEXT])
    services: Services = services_on(tmp_path, model)
    client = client_on(services)
    begun = client.post(HERE, json=SAME).json()
    assert model.asked.wait(20)
    assert client.post(HERE, json=SAME).status_code == 409
    assert client.post(f"{HERE}/{begun['id']}/stop").status_code == 202
    model.may.set()
    told = finished(client)
    assert (told["happened"][-1]["stopped"], of(told, 1, "answered")) == (True, [])
    assert client.post(f"{HERE}/{'0' * 32}/stop").status_code == 404


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        (both(("/etc/passwd", None), ("embedded", None)), 422),
        (both(("http://example.org/v1#x", None), ("embedded", None)), 422),
        (both(("embedded", "nonsense"), ("embedded", None)), 422),
        (both(("embedded", None)), 422),
        (both(("embedded", None), ("embedded", None), query=" "), 422),
        (both(("embedded", None), ("embedded", None), query="x" * 100_000), 422),
    ],
)
def test_what_cannot_be_compared_is_said(tmp_path: Path, wanted: Any, status: int) -> None:
    client = client_on(services_on(tmp_path))
    assert client.post(HERE, json=wanted).status_code == status
    assert client.get(HERE).json() is None
    assert client.post("/api/phones/nobody/comparisons", json=SAME).status_code == 404


def test_the_feed_can_be_followed_from_a_number(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path, [*NOTHING, *NOTHING]))
    begun = client.post(HERE, json=SAME).json()
    finished(client)
    assert client.get(f"{HERE}/{'0' * 32}/stream").status_code == 404
    assert begun["ways"][1]["form"] == "compressed"
