"""The mark of where words go, on every page, and what of a phone may go with them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from camphor.agents.prompts import Form
from camphor.device.sharing import keep_rule, read_rules
from camphor.models.openai import OpenAIModel
from camphor.web.services import Services
from tests.doubles.chat_server import ModelServer, model_server
from tests.doubles.web import DEMO, begin, client_on, services_on, wait_for

PLACES = ("/chat", "/device", "/memory", "/health", "/teach", "/welcome", "/nowhere")
HERE = f"/api/phones/{DEMO}/sharing"
FAR = "http://192.168.1.5:11434/v1#qwen3:8b"


def answer(prompt: str) -> str:
    asked = prompt.splitlines()[-1]
    if asked.startswith("Write one name"):
        looked = "high_order_reasoning: personal_context" in prompt or "personal_context" not in asked
        return "response_submit" if looked else "personal_context"
    if asked.startswith("Write response"):
        return "Response: Here you are.\nCalls: []"
    return '[get_calendar_event(theme="book club"); get_health_records()]'


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(answer) as listening:
        yield listening


def far(folder: Path, server: ModelServer) -> Services:
    """A model that Ollama hands on to its maker's computers."""
    services = services_on(folder)
    services.open_model = lambda: (OpenAIModel(server.address, "big-cloud"), Form.INSTRUCTED)
    services.model_name = f"{server.address}#big-cloud"
    return services


def ask(client: TestClient, query: str, talk: str = "") -> str:
    talk = talk or begin(client)
    assert client.post(f"{talk}/queries", json={"query": query}).is_success
    return str(wait_for(client, talk, "answered", "failed")[-1]["response"])


def test_a_model_in_this_process_has_no_mark(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path))
    for place in PLACES:
        assert 'id="leaving"' not in client.get(place).text
    assert client.get(HERE).json()["items"] == []
    assert client.get("/api/status").json()["destination"] == ""
    refused = client.put(HERE, json={"apps": []})
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")


@pytest.mark.parametrize("name", [FAR, "ollama:qwen3:8b"])
def test_every_page_names_the_host(tmp_path: Path, name: str) -> None:
    services = services_on(tmp_path)
    services.model_name = name
    client = client_on(services)
    host = "192.168.1.5:11434" if name == FAR else "127.0.0.1:11434"
    for place in PLACES:
        page = client.get(place).text
        assert page.count('id="leaving"') == 1, place
        assert f"{host}</span></button>" in page
        assert ("<b>Another computer</b>" in page) is (name == FAR)
    assert host in client.get("/api/status").json()["destination"]


def test_a_name_of_a_model_is_no_markup(tmp_path: Path) -> None:
    services = services_on(tmp_path)
    services.model_name = 'http://192.168.1.5/v1#"><script>alert(1)</script>'
    page = client_on(services).get("/chat").text
    assert 'id="leaving"' in page
    assert "<script>alert" not in page


def test_nothing_is_shared_before_the_person_decides(tmp_path: Path, server: ModelServer) -> None:
    services = far(tmp_path, server)
    client = client_on(services)
    told = client.get(HERE).json()
    assert (told["computer"], told["decided"]) == ("ollama.com", False)
    proposed = {each["name"] for each in told["items"] if each["shared"]}
    assert "calendar" in proposed
    assert not {"health", "fitness", "memory"} & proposed
    assert "Book club" in ask(client, "When is book club?")  # code answers it here
    assert "Salt Road" not in "".join(server.asked)
    kept = client.put(HERE, json={"apps": ["calendar"]}).json()
    assert (kept["decided"], [each["name"] for each in kept["items"] if each["shared"]]) == (True, ["calendar"])
    assert read_rules(services.phone(DEMO).path) == {"ollama.com": {"calendar"}}
    ask(client, "When is book club?")
    assert "Salt Road" in "".join(server.asked)
    assert "61.4" not in "".join(server.asked)


def test_a_rule_that_changes_holds_from_the_next_query_on(tmp_path: Path, server: ModelServer) -> None:
    services = far(tmp_path, server)
    client = client_on(services)
    path = services.phone(DEMO).path
    assert path
    keep_rule(path, "ollama.com", ["calendar"])
    talk = begin(client)
    ask(client, "When is book club?", talk)
    assert "Salt Road" in "".join(server.asked)
    server.asked.clear()
    keep_rule(path, "ollama.com", ["mail"])  # by a command, meanwhile
    ask(client, "And where is it?", talk)
    assert server.asked
    assert "Salt Road" not in "".join(server.asked)  # nor by way of what was said before


def test_an_older_conversation_is_not_told_to_another_computer(tmp_path: Path, server: ModelServer) -> None:
    services = services_on(tmp_path, ["personal_context", "[get_health_records()]", "task_completion"])
    client = client_on(services)
    talk = begin(client)
    assert "61.4" in ask(client, "What is my weight?", talk)
    services.close()
    again = far(tmp_path, server)
    client = client_on(again)
    client.put(HERE, json={"apps": ["calendar"]})
    ask(client, "And when is book club?", talk)
    assert server.asked
    assert "61.4" not in "".join(server.asked)


def test_only_what_the_phone_has_can_be_shared(tmp_path: Path) -> None:
    services = services_on(tmp_path)
    services.model_name = FAR
    refused = client_on(services).put(HERE, json={"apps": ["bananas"]})
    assert refused.status_code == 422
    assert "bananas" in json.dumps(refused.json())


def test_a_comparison_shows_no_more(tmp_path: Path, server: ModelServer) -> None:
    services = services_on(tmp_path)
    name = f"{server.address}#big-cloud"
    services.others = {name: lambda: (OpenAIModel(server.address, "big-cloud"), Form.INSTRUCTED)}
    client = client_on(services)
    way = {"model": name, "form": None}
    begun = client.post(f"/api/phones/{DEMO}/comparisons", json={"query": "When is book club?", "ways": [way, way]})
    assert begun.is_success, begun.text
    for _ in range(400):
        told = client.get(f"/api/phones/{DEMO}/comparisons").json()
        if told and not told["running"]:
            break
        time.sleep(0.01)
    assert server.asked
    assert "Salt Road" not in "".join(server.asked)
