"""`camphor models`, and the model that commands take when none is named."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from camphor.models.destination import SERVERS
from tests.doubles.chat_server import ModelServer, model_server
from tests.doubles.command import Camphor, one_line
from tests.doubles.terminal import Terminal

KEY = "sk-of-the-tests"


def answer(prompt: str) -> str:
    """Looks into the apps once where there are any, finds nothing to call, and ends."""
    asked = prompt.splitlines()[-1]
    if asked.startswith("Write one name"):
        looked = "high_order_reasoning: personal_context" in prompt or "personal_context" not in asked
        return "response_submit" if looked else "personal_context"
    return "Response: Here you are.\nCalls: []" if asked.startswith("Write response") else "[]"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(answer, [{"id": "qwen3:8b"}, {"id": "big:120b-cloud"}]) as listening:
        yield listening


@pytest.fixture
def home(tmp_path: Path, camphor: Camphor) -> Path:
    """Where the person's own folders are: nothing of this machine is seen."""
    camphor.environment.update(HOME=str(tmp_path), OLLAMA_MODELS=str(tmp_path / "ollama"))
    return tmp_path


def listed(camphor: Camphor, *words: str) -> dict[str, Any]:
    ran = camphor("models", *words, "--json")
    assert ran.status == 0, ran.err
    return {each["name"]: each for each in json.loads(ran.out)["models"]}


def test_the_embedded_model_is_there_and_the_default(camphor: Camphor, home: Path) -> None:
    found = listed(camphor)
    assert found["embedded"]["default"]
    assert found["embedded"]["size"] > 50_000_000
    ran = camphor("models")
    assert "* " in ran.out
    assert "--find" in ran.out


def test_nothing_is_contacted_unasked(camphor: Camphor, home: Path) -> None:
    """Whatever `connect` is called with while models are listed, it is no address of the network."""
    trace = home / "sitecustomize.py"
    trace.write_text(
        "import socket, sys\n"
        "def told(self, address, *rest):\n"
        "    sys.stderr.write(f'contacted {address}')\n"
        "    raise ConnectionRefusedError\n"
        "socket.socket.connect = socket.socket.connect_ex = told\n",
        encoding="utf-8",
    )
    path = os.pathsep.join([str(home), os.environ.get("PYTHONPATH", "")])
    for words in (("models",), ("models", "use", "embedded"), ("config",), ("device", "share")):
        ran = camphor(*words, env={"PYTHONPATH": path})
        assert (ran.status, ran.err) == (0, "")
    ran = camphor("models", "--find", env={"PYTHONPATH": path})
    assert "contacted ('127.0.0.1'" in ran.err  # the trace works


def test_servers_are_found_at_their_own_ports(camphor: Camphor, home: Path) -> None:
    for kind, port in SERVERS.items():
        try:
            with model_server(answer, [{"id": "qwen3:8b", "meta": {"size": 5_200_000_000}}], port=port) as server:
                found = listed(camphor, "--find")
                told = camphor("models", "--find", env={"OPENAI_API_KEY": KEY})
                assert server.seen == [("/v1/models", "")] * 2  # and no key is sent
        except OSError:  # another program of this machine has it
            continue
        assert found[f"{kind}:qwen3:8b"]["size"] == 5_200_000_000
        assert f"{kind}, running" in told.out
        assert "5.2 GB" in told.out
        return
    pytest.skip("other programs have all of the ports")


def test_an_address_lists_what_that_server_has(camphor: Camphor, server: ModelServer) -> None:
    camphor("config", "set", "model.key_env", "MY_KEY")
    ran = camphor("models", server.address, "--json", env={"MY_KEY": KEY, "OPENAI_API_KEY": "another"})
    assert [each["name"] for each in json.loads(ran.out)["models"]] == [
        f"{server.address}#qwen3:8b",
        f"{server.address}#big:120b-cloud",
    ]
    assert server.seen == [("/v1/models", f"Bearer {KEY}")]


def test_faults_are_one_line(camphor: Camphor, server: ModelServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        gone = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
    for words, told in (
        ((gone,), "no model server answers"),
        ((f"{server.address}#qwen3:8b",), "give the address alone"),
        ((server.address, "--find"), "leave one of them out"),
        (("nonsense",), "is no address"),
        (("use", "nonsense"), "There is no model 'nonsense'"),
    ):
        ran = camphor("models", *words)
        assert ran.status in (1, 2)
        assert told in one_line(ran.err)


def test_the_model_that_is_kept_is_used(camphor: Camphor, server: ModelServer) -> None:
    name = f"{server.address}#qwen3:8b"
    kept = camphor("models", "use", name)
    assert kept.status == 0, kept.err
    assert listed(camphor, server.address)[name]["default"]
    ran = camphor("ask", "When is book club?", env={"OPENAI_API_KEY": KEY})
    assert ran.status == 0, ran.err
    host = server.address.removeprefix("http://").removesuffix("/v1")
    assert ran.err.splitlines()[0] == f"Your words go to {host} (qwen3:8b), another program on this computer"
    assert server.asked
    assert server.seen[-1] == ("/v1/chat/completions", f"Bearer {KEY}")
    assert camphor("models", "use", "embedded").status == 0
    assert json.loads(camphor("config", "--json").out)["settings"]["model"] == {"value": "embedded", "set": False}


def test_one_that_is_not_there_is_kept_only_on_demand(camphor: Camphor, server: ModelServer, home: Path) -> None:
    for name, told in ((f"{server.address}#nope", "it has qwen3:8b"), (str(home / "no.gguf"), "there is no file")):
        ran = camphor("models", "use", name)
        assert ran.status == 2
        assert told in one_line(ran.err)
        assert not (camphor.home / "config.toml").exists()
        ran = camphor("models", "use", name, "--anyway")
        assert (ran.status, name in ran.out, told in ran.out) == (0, True, True)
        camphor("models", "use", "embedded")
        (camphor.home / "config.toml").unlink()


def test_a_file_is_kept_by_its_whole_path(camphor: Camphor, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    (home / "mine.gguf").write_text("GGUF")
    assert camphor("models", "use", "mine.gguf").status == 0
    assert listed(camphor)["mine.gguf"]["default"]
    monkeypatch.chdir("/")
    ran = camphor("ask", "When is book club?")
    assert ran.status == 1
    assert str(home / "mine.gguf") in one_line(ran.err)


def test_another_computer_is_told_and_sees_nothing_before_the_person_said_so(
    camphor: Camphor, server: ModelServer
) -> None:
    name = f"{server.address}#big:120b-cloud"
    ran = camphor("ask", "When is book club?", "--json", "--model", name)
    assert ran.status == 0, ran.err
    assert "ANOTHER COMPUTER: ollama.com through" in ran.err.splitlines()[0]
    assert "camphor device share ines-dublin --with ollama.com" in ran.err
    assert "Book club" in json.loads(ran.out)["response"]  # code answers it here
    assert "get_calendar_event" not in "".join(server.asked)
    camphor("device", "share", "ines-dublin", "--with", "ollama.com", "--apps", "calendar")
    server.asked.clear()
    ran = camphor("ask", "When is book club?", "--model", name)
    assert "camphor device share" not in ran.err
    assert "get_calendar_event" in "".join(server.asked)
    assert "get_mail_event" not in "".join(server.asked)


def test_the_person_is_asked_once(camphor: Camphor, server: ModelServer, terminal: Callable[..., Terminal]) -> None:
    name = f"{server.address}#big:120b-cloud"
    shown = terminal("ask", "When is book club?", "--model", name)
    shown.wait_for("  > ")
    assert "ANOTHER COMPUTER" in shown.text
    assert not server.asked
    shown.type("bananas\n")
    shown.wait_for("there is no 'bananas'")
    shown.wait_for("  > ", 2)
    shown.type("contacts, calendar\n")
    shown.end()
    assert "get_calendar_event" in "".join(server.asked)
    assert "get_mail_event" not in "".join(server.asked)
    rules = json.loads(camphor("device", "share", "--json").out)["rules"]
    assert rules["ollama.com"] == ["calendar", "contacts"]
    again = terminal("ask", "When is book club?", "--model", name)
    again.end()
    assert "Which may it see" not in again.text


def test_the_health_talk_needs_what_it_shows(camphor: Camphor, server: ModelServer) -> None:
    words = ("health", "talk", "my knee hurts", "--strategy", "planner", "--model", f"{server.address}#big:120b-cloud")
    ran = camphor(*words)
    assert ran.status == 2
    assert "may not see clinic and health and memory" in ran.err.splitlines()[-1]
    assert not server.asked


def test_rules_of_a_phone_go_with_it(camphor: Camphor, tmp_path: Path) -> None:
    camphor("device", "new", "ann", "--apps", "contacts,calendar")
    assert camphor("device", "share", "ann", "--with", "http://10.0.0.2:11434/v1#m", "--apps", "all").status == 0
    assert camphor("device", "share", "ann", "--with", "[::1]:8080", "--apps", "usual").status == 0
    assert camphor("device", "share", "ann", "--with", "others", "--apps", "none").status == 0
    rules = json.loads(camphor("device", "share", "ann", "--json").out)["rules"]
    every = ["calendar", "contacts", "memory", "place", "screen"]
    assert rules == {"10.0.0.2": every, "this-computer": [each for each in every if each != "memory"], "others": []}
    told = camphor("device", "share", "ann").out
    assert "everything" in told
    assert camphor("device", "share", "ann", "--with", "others", "--forget").status == 0
    assert "others" not in json.loads(camphor("device", "share", "ann", "--json").out)["rules"]
    camphor("device", "remove", "ann", "--yes")
    camphor("device", "new", "ann")
    assert "10.0.0.2" not in json.loads(camphor("device", "share", "ann", "--json").out)["rules"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--with", "10.0.0.2", "--apps", "bananas"), "there is no 'bananas'"),
        (("--with", "10.0.0.2"), "--apps NAMES"),
        (("--with", "10.0.0.2", "--apps", "all", "--forget"), "and not both"),
        (("--apps", "all"), "Say with whom"),
        (("--with", "a b", "--apps", "all"), "no"),
        (("--with", "http://", "--apps", "all"), "no address"),
    ],
)
def test_rules_that_make_no_sense_are_refused(camphor: Camphor, words: tuple[str, ...], told: str) -> None:
    ran = camphor("device", "share", "ines-dublin", *words)
    assert ran.status == 2
    assert told in one_line(ran.err)
