"""The conversations of the web app, through its interface, on a real phone with a scripted model."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.events import Answer
from camphor.device.talks import Happened, Talks
from camphor.models.base import Reply, Request, ScriptedModel
from camphor.web.conversations import Conversation
from tests.doubles.web import DEMO, TEXT, WHO, begin, client_on, services_on, wait_for

MESSAGE = {"receiver": "555-123-4567", "content": "I am late"}


def test_every_step_is_an_event_and_the_answer_is_the_last(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path, WHO))
    talk = begin(client)
    assert client.post(f"{talk}/queries", json={"query": "who is Alice?"}).status_code == 202
    happened = wait_for(client, talk, "answered")
    assert [each["kind"] for each in happened] == [
        "asked", "agent", "calls", "observed", "agent", "answered",
    ]  # fmt: skip
    assert happened[3]["observations"][0]["records"][0]["name"] == "Alice Johnson"
    assert "Alice Johnson" in happened[-1]["response"]
    [kept] = client.get(talk.rsplit("/", 1)[0]).json()
    assert kept["title"] == "who is Alice?"


class Lingering(Talks):
    """Says later than it wrote that it wrote an answer or a question, as on a busy machine."""

    def add(self, talk: str, kind: str, data: Mapping[str, Any]) -> Happened:
        told = super().add(talk, kind, data)
        time.sleep(0.5 if kind in ("answered", "consent") else 0)
        return told


def test_who_has_read_an_answer_may_ask_at_once(tmp_path: Path) -> None:
    talks = Lingering(None)
    services = services_on(tmp_path, [*WHO, *WHO])
    conversation = Conversation(talks.begin(), talks, services.phone(DEMO), services)
    conversation.ask("who is Alice?")
    while conversation.feed.after()[-1].kind != "answered":
        time.sleep(0.01)
    conversation.ask("who is Alice Johnson?")
    conversation.join(20)
    assert [event.kind for event in conversation.feed.after()].count("answered") == 2


def test_who_has_read_a_question_may_answer_at_once(tmp_path: Path) -> None:
    talks = Lingering(None)
    services = services_on(tmp_path, TEXT)
    conversation = Conversation(talks.begin(), talks, services.phone(DEMO), services)
    conversation.ask("text Alice that I am late")
    while (last := talks.events(conversation.id)[-1]).kind != "consent":
        time.sleep(0.01)
    conversation.decide(last.number, Answer.YES)
    conversation.join(20)
    assert conversation.feed.after()[-1].kind == "answered"


def test_nothing_is_done_before_a_yes_and_all_that_was_agreed_after(tmp_path: Path) -> None:
    services = services_on(tmp_path, [*TEXT, *TEXT])
    client = client_on(services)
    talk = begin(client)
    for answer, done in (("no", 0), ("yes", 1)):
        client.post(f"{talk}/queries", json={"query": "text Alice that I am late"})
        asked = wait_for(client, talk, "consent")[-1]
        assert asked["call"] == {"name": "send_imessage_message", "arguments": MESSAGE}
        assert [field["name"] for field in asked["fields"]] == ["receiver", "content"]
        path = f"{talk}/consents/{asked['number']}"
        assert client.post(path, json={"answer": answer}).status_code == 204
        assert client.post(path, json={"answer": "yes"}).status_code == 409
        wait_for(client, talk, "answered")
        assert len(services.phone("ines-dublin").journal()) == done


def test_values_that_were_put_in_are_what_is_done(tmp_path: Path) -> None:
    services = services_on(tmp_path, TEXT)
    client = client_on(services)
    talk = begin(client)
    client.post(f"{talk}/queries", json={"query": "text Alice that I am late"})
    asked = wait_for(client, talk, "consent")[-1]
    path = f"{talk}/consents/{asked['number']}"
    wrong = client.post(path, json={"answer": "yes", "arguments": {**MESSAGE, "receiver": "nobody I know"}})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "not_understood")
    changed = {**MESSAGE, "content": "Ten minutes late"}
    assert client.post(path, json={"answer": "yes", "arguments": changed}).status_code == 204
    wait_for(client, talk, "answered")
    [entry] = services.phone("ines-dublin").journal()
    assert entry.call.arguments["content"] == "Ten minutes late"


def test_a_query_that_was_sent_twice_is_answered_once(tmp_path: Path) -> None:
    model = ScriptedModel(TEXT)
    services = services_on(tmp_path, model)
    client = client_on(services)
    talk = begin(client)
    query = {"query": "text Alice that I am late", "key": "k1"}
    numbers = {client.post(f"{talk}/queries", json=query).json()["number"] for _ in range(3)}
    assert numbers == {1}
    other = client.post(f"{talk}/queries", json={"query": "and now?", "key": "k2"})
    assert (other.status_code, other.json()["code"]) == (409, "conflict")
    wait_for(client, talk, "consent")
    assert len(model.requests) == len(TEXT)


def test_stop_ends_a_query_that_waits_for_consent(tmp_path: Path) -> None:
    services = services_on(tmp_path, TEXT)
    client = client_on(services)
    talk = begin(client)
    client.post(f"{talk}/queries", json={"query": "text Alice that I am late"})
    wait_for(client, talk, "consent")
    assert client.post(f"{talk}/stop").json() == {"stopping": True}
    assert wait_for(client, talk, "stopped")[-1]["text"] == "Stopped: nothing was done."
    assert services.phone("ines-dublin").journal() == []
    assert client.post(f"{talk}/stop").json() == {"stopping": False}


def test_a_conversation_goes_on_after_the_server_was_ended_in_an_answer(tmp_path: Path) -> None:
    first = services_on(tmp_path, TEXT)
    client = client_on(first)
    talk = begin(client)
    client.post(f"{talk}/queries", json={"query": "text Alice that I am late"})
    wait_for(client, talk, "consent")
    first.phone("ines-dublin").close()  # what a killed process leaves: a query without an end
    again = services_on(tmp_path, WHO)
    client = client_on(again)
    happened = client.get(talk).json()["happened"]
    assert [each["kind"] for each in happened[-2:]] == ["consent", "interrupted"]
    assert "nothing was done" in happened[-1]["text"]
    assert client.post(f"{talk}/consents/{happened[-2]['number']}", json={"answer": "yes"}).status_code == 409
    client.post(f"{talk}/queries", json={"query": "who is Alice?"})
    assert "Alice" in wait_for(client, talk, "answered")[-1]["response"]
    assert again.phone("ines-dublin").journal() == []


def test_whoever_comes_back_is_told_what_was_missed(tmp_path: Path) -> None:
    gate = threading.Event()

    class Slow(ScriptedModel):
        def complete(self, request: Request) -> Reply:
            if len(self.requests) == 2:
                gate.wait(10)
            return super().complete(request)

    client = client_on(services_on(tmp_path, Slow(WHO)))
    talk = begin(client)
    client.post(f"{talk}/queries", json={"query": "who is Alice?"})
    wait_for(client, talk, "observed")
    seen = [event.number for event in _held(client, talk).feed.after()]
    gate.set()
    wait_for(client, talk, "answered")
    after = client.get(talk, params={"after": seen[-1]}).json()["happened"]
    assert [each["kind"] for each in after] == ["agent", "answered"]
    assert all(each["number"] > seen[-1] for each in after)


def _held(client: object, talk: str):  # type: ignore[no-untyped-def]
    return client.app.state.conversations.get("ines-dublin", talk.rsplit("/", 1)[1])  # type: ignore[attr-defined]


@pytest.mark.parametrize(("query", "status"), [("", 422), ("   ", 422), ("late " * 20_000, 422), ("x" * 300_000, 413)])
def test_what_is_no_query_is_refused_and_leaves_nothing(tmp_path: Path, query: str, status: int) -> None:
    client = client_on(services_on(tmp_path))
    talk = begin(client)
    refused = client.post(f"{talk}/queries", json={"query": query})
    assert refused.status_code == status
    assert refused.headers["content-type"] == "application/problem+json"
    assert client.get(talk).json()["happened"] == []


def test_a_model_that_fails_is_told_in_one_sentence(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path, ["personal_context"]))
    talk = begin(client)
    client.post(f"{talk}/queries", json={"query": "who is Alice?"})
    assert "script has 1 replies" in wait_for(client, talk, "failed")[-1]["text"]


def test_a_deleted_conversation_is_gone(tmp_path: Path) -> None:
    client = client_on(services_on(tmp_path, WHO))
    talk = begin(client)
    assert client.delete(talk).status_code == 204
    assert client.get(talk).status_code == 404
    assert client.get(talk.replace("ines-dublin", "nobody")).status_code == 404
