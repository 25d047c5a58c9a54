"""Teaching: a past query's plan is put right, tried out on the phone as it was, and becomes a dataset item."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from camphor.agents.prompts import Form
from camphor.trajectories.items import read_items
from camphor.types import Call
from camphor.web.services import Services
from camphor_lab.training.samples import write_samples
from tests.doubles.web import DEMO, TEXT, WHO, begin, client_on, services_on, wait_for

HERE = f"/api/phones/{DEMO}/taught"
MARKUP = "<script>alert(1)</script>"
MESSAGE = {"name": "send_imessage_message", "arguments": {"receiver": "Alice Johnson", "content": "I am late"}}
LOOK_UP = {"name": "get_contacts_information", "arguments": {"keyword": "Alice"}}
REMINDER = {"name": "create_reminders", "arguments": {"time": "tomorrow at 5 pm", "content": "Ring Alice"}}
REMIND = ["task_completion", '[create_reminders(time="6 pm", content="Ring Alice")]']


def ask(client: TestClient, query: str, answer: str = "yes", talk: str = "") -> tuple[str, str]:
    """The conversation and the path of the query's plan, once it is over."""
    talk = talk or begin(client)
    number = client.post(f"{talk}/queries", json={"query": query}).json()["number"]
    happened = wait_for(client, talk, "consent", "answered", "failed")
    if happened[-1]["kind"] == "consent":
        client.post(f"{talk}/consents/{happened[-1]['number']}", json={"answer": answer})
        wait_for(client, talk, "answered", "failed")
    return talk, f"{HERE}/queries/{talk.rsplit('/', 1)[1]}/{number}"


def at(tmp_path: Path, *replies: str) -> tuple[Services, TestClient]:
    services = services_on(tmp_path, list(replies))
    return services, client_on(services)


def exported(client: TestClient, tmp_path: Path) -> list[Any]:
    told = client.get(f"{HERE}/export")
    assert told.headers["content-disposition"].startswith("attachment")
    file = tmp_path / "train.jsonl"
    file.write_bytes(told.content)
    return list(read_items(file))


def test_a_plan_is_put_right_and_becomes_a_sample_that_can_be_trained_on(tmp_path: Path) -> None:
    services, client = at(tmp_path, *TEXT)
    _, path = ask(client, "let me not forget to tell Alice tomorrow at 5 pm", "no")
    [asked] = client.get(f"{HERE}/queries").json()
    assert (asked["calls"], asked["sample"]) == (["get_contacts_information", "send_imessage_message"], None)
    plan = client.get(path).json()
    assert [(call["name"], call["step"]) for call in plan["calls"]] == [
        ("get_contacts_information", 0),
        ("send_imessage_message", 1),
    ]
    before = services.phone(DEMO).export()
    sample = client.put(path, json={"calls": [REMINDER]}).json()
    assert (sample["verdict"], [call["name"] for call in sample["was"]]) == ("corrected", asked["calls"])
    assert services.phone(DEMO).export() == before
    assert services.phone(DEMO).journal() == []

    [item] = exported(client, tmp_path)
    assert item.calls == (
        {"name": "create_reminders", "arguments": {"time": "2026-03-13T17:00:00", "content": "Ring Alice"}},
    )
    assert item.steps == ({"agent": "task_completion", "calls": [REMINDER]},)
    assert item.device == before
    counts = write_samples(tmp_path / "train.jsonl", tmp_path / "samples.jsonl", Form.NAMES)
    assert counts["written"] == 1
    assert client.get(f"{HERE}/queries").json()[0]["sample"] == sample["id"]
    again = client.get(path).json()["taught"]
    assert again[0]["arguments"] == REMINDER["arguments"]


def test_a_plan_that_was_right_is_said_to_be(tmp_path: Path) -> None:
    _, client = at(tmp_path, *TEXT)
    _, path = ask(client, "text Alice that I am late")
    plan = client.get(path).json()
    assert client.put(path, json={"calls": plan["calls"]}).json()["verdict"] == "yes"
    assert client.put(path, json={"calls": [LOOK_UP, REMINDER]}).json()["verdict"] == "corrected"
    assert len(client.get(HERE).json()) == 1


def test_what_was_done_since_is_taken_back_on_the_copy_alone(tmp_path: Path) -> None:
    services, client = at(tmp_path, *REMIND)
    before = services.phone(DEMO).records("reminders", "reminders")
    _, path = ask(client, "remind me to ring Alice at 6")
    assert client.put(path, json={"calls": [REMINDER]}).status_code == 200
    [item] = exported(client, tmp_path)
    assert item.device["apps"]["reminders"]["reminders"] == before
    assert len(services.phone(DEMO).records("reminders", "reminders")) == len(before) + 1


def test_a_follow_up_goes_with_the_turns_before_it(tmp_path: Path) -> None:
    services, client = at(tmp_path, *REMIND, *WHO)
    before = services.phone(DEMO).records("reminders", "reminders")
    talk, _ = ask(client, "remind me to ring Alice at 6")
    _, path = ask(client, "who is she?", talk=talk)
    assert client.get(path).json()["history"] == ["remind me to ring Alice at 6"]
    sample = client.put(path, json={"calls": [LOOK_UP], "response": "Your travel buddy."}).json()
    assert sample["history"] == 1
    [item] = exported(client, tmp_path)
    assert [call["name"] for call in item.history[0]["calls"]] == ["create_reminders"]
    assert item.device["apps"]["reminders"]["reminders"] == before
    assert (item.calls, item.response) == ((), "Your travel buddy.")
    assert write_samples(tmp_path / "train.jsonl", tmp_path / "samples.jsonl", Form.NAMES)["written"] == 1


def test_what_a_declined_action_would_have_done_is_not_played_again(tmp_path: Path) -> None:
    _, client = at(tmp_path, *REMIND, *WHO)
    talk, _ = ask(client, "remind me to ring Alice at 6", "no")
    _, path = ask(client, "who is she?", talk=talk)
    client.put(path, json={"calls": [], "response": "Alice."})
    [item] = exported(client, tmp_path)
    assert item.history[0]["calls"] == []


@pytest.mark.parametrize(
    ("right", "told"),
    [
        ({"calls": []}, "say what the answer should be"),
        ({"calls": [{"name": "launch_rockets", "arguments": {}}]}, "launch_rockets"),
        ({"calls": [{"name": "create_reminders", "arguments": {"time": MARKUP, "content": "x"}}]}, "time"),
        ({"calls": [{**MESSAGE, "arguments": {"receiver": "Nobody Atall", "content": "x"}}]}, "Nobody Atall"),
        ({"calls": [{**MESSAGE, "arguments": {"nonsense": 1}}]}, "nonsense"),
        ({"calls": [REMINDER] * 21}, "calls"),
        ({"calls": [{"name": "x" * 300}]}, "name"),
        ({"calls": [], "response": "x" * 3000}, "response"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused_in_words(tmp_path: Path, right: Any, told: str) -> None:
    _, client = at(tmp_path, *WHO)
    _, path = ask(client, "who is Alice?")
    refused = client.put(path, json=right)
    assert refused.status_code == 422
    assert told in refused.json()["detail"]
    assert client.get(HERE).json() == []


def test_markup_is_only_text(tmp_path: Path) -> None:
    _, client = at(tmp_path, *WHO)
    _, path = ask(client, MARKUP)
    call = {"name": "create_notes", "arguments": {"content": MARKUP}}
    assert client.put(path, json={"calls": [call]}).status_code == 200
    assert exported(client, tmp_path)[0].calls[0]["arguments"] == {"content": MARKUP}
    assert MARKUP not in client.get("/teach").text


def test_a_sample_is_forgotten_without_a_trace(tmp_path: Path) -> None:
    _, client = at(tmp_path, *WHO, *WHO)
    paths = [ask(client, f"who is {name}?")[1] for name in ("Alice", "Bertha")]
    one, other = [client.put(path, json={"calls": [], "response": "She."}).json()["id"] for path in paths]
    file = tmp_path / f"{DEMO}.camphor.taught"
    assert file.stat().st_mode & 0o077 == 0
    assert client.delete(f"{HERE}/{one}").status_code == 204
    assert client.delete(f"{HERE}/{one}").status_code == 404
    assert b"who is Alice" not in file.read_bytes()
    assert [each["id"] for each in client.get(HERE).json()] == [other]
    client.delete(f"{HERE}/{other}")
    assert not file.exists()
    assert client.get(f"{HERE}/export").text == ""


def test_what_a_crash_cut_off_hides_nothing_else(tmp_path: Path) -> None:
    _, client = at(tmp_path, *WHO)
    _, path = ask(client, "who is Alice?")
    client.put(path, json={"calls": [], "response": "She."})
    file = tmp_path / f"{DEMO}.camphor.taught"
    file.write_text(file.read_text() + '{"id": "taught-0', encoding="utf-8")
    assert len(client.get(HERE).json()) == 1
    assert json.loads(client.get(f"{HERE}/export").text)["query"] == "who is Alice?"


def test_queries_that_are_not_there_or_not_over_are_told(tmp_path: Path) -> None:
    _, client = at(tmp_path, *TEXT)
    talk = begin(client)
    number = client.post(f"{talk}/queries", json={"query": "text Alice that I am late"}).json()["number"]
    wait_for(client, talk, "consent")
    path = f"{HERE}/queries/{talk.rsplit('/', 1)[1]}/{number}"
    assert client.get(path).status_code == 409
    assert client.get(f"{HERE}/queries").json() == []
    assert client.get(f"{HERE}/queries/{'0' * 32}/1").status_code == 404
    assert client.get("/api/phones/nobody/taught").status_code == 404
    client.post(f"{talk}/stop")
    wait_for(client, talk, "stopped")
    assert client.get(path).json()["calls"]


def test_every_tool_tells_its_fields(tmp_path: Path) -> None:
    services, client = at(tmp_path)
    tools = {each["name"]: each for each in client.get(f"{HERE}/tools").json()}
    assert set(tools) == {tool.name for tool in services.phone(DEMO).toolbox}
    assert [field["name"] for field in tools["send_imessage_message"]["fields"]] == ["receiver", "content"]
    assert tools["send_imessage_message"]["agent"] == "task_completion"


def test_a_copy_of_a_phone_is_apart_from_it(tmp_path: Path) -> None:
    services, _ = at(tmp_path)
    phone = services.phone(DEMO)
    phone.execute(Call("create_notes", {"content": "one"}))
    with phone.copy() as copy:
        assert copy.export() == phone.export()
        copy.undo(copy.journal()[0].id)
        copy.execute(Call("create_notes", {"content": "two"}))
        assert copy.export() != phone.export()
    assert phone.journal()[0].undone is None
    assert "one" in json.dumps(phone.records("notes", "notes"))


NO_TEXT = [
    '{"any_of": []}',
    '{"any_of": 3}',
    "[]",
    "{}",
    "null",
    "true",
    "1e400",
    "NaN",
    '"\\ud800"',
    '"\\u0000"',
    '""',
]


@pytest.mark.parametrize("tool", ["create_notes(content)", "get_contacts_information(keyword)"])
@pytest.mark.parametrize("value", [*NO_TEXT, "9" * 400, "9" * 5000, "[" * 400 + "]" * 400], ids=range(14))
def test_values_that_are_no_text_break_nothing(tmp_path: Path, tool: str, value: str) -> None:
    _, client = at(tmp_path, *WHO)
    _, path = ask(client, "who is Alice?")
    name, parameter = tool.rstrip(")").split("(")
    body = f'{{"calls": [{{"name": "{name}", "arguments": {{"{parameter}": {value}}}}}], "response": "She."}}'
    told = client.put(path, content=body, headers={"content-type": "application/json"})
    assert told.status_code in (200, 400, 422), told.text
    assert client.get(HERE).status_code == 200
    assert client.get(f"{HERE}/export").status_code == 200
    assert client.get(path).status_code == 200
