"""The real server in a process of its own: its event stream, its end in the middle of an answer, its address."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.doubles.web import TEXT, WHO

TALKS = "/api/phones/ines-dublin/conversations"


@contextmanager
def serving(home: Path, replies: list[str], *options: str) -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    script = home / "replies.json"
    script.write_text(json.dumps(replies))
    command = [sys.executable, "-m", "camphor", "serve", "--port", "0", "--model", f"scripted:{script}", *options]
    environment = {**os.environ, "CAMPHOR_HOME": str(home)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            told = process.stderr.readline()
            found = re.search(r"(http://127\.0\.0\.1:\d+)(/enter/\S+)", told)
            assert found, told + process.stderr.read()
            # a first query loads every part, and other tests run beside it
            with httpx.Client(base_url=found[1], timeout=90) as client:
                assert client.get(found[2]).status_code == 200
                client.headers["x-csrf-token"] = client.get("/api/session").json()["csrf_token"]
                yield client, process
        finally:
            process.kill()


def listen(client: httpx.Client, path: str, until: str, after: int = 0) -> list[dict[str, Any]]:
    """Events of the stream, up to one of that kind."""
    seen = []
    with client.stream("GET", f"{path}/stream", headers={"last-event-id": str(after)}) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        for line in stream.iter_lines():
            if line.startswith("data: "):
                seen.append(json.loads(line.removeprefix("data: ")))
                if seen[-1]["kind"] == until:
                    return seen
    raise AssertionError(f"the stream ended before {until}: {seen}")


def begin(client: httpx.Client) -> str:
    return f"{TALKS}/{client.post(TALKS).json()['id']}"


def test_a_killed_server_loses_nothing_and_does_nothing_twice(tmp_path: Path) -> None:
    with serving(tmp_path, TEXT) as (client, process):
        talk = begin(client)
        client.post(f"{talk}/queries", json={"query": "text Alice that I am late"})
        before = listen(client, talk, "consent")
        process.send_signal(signal.SIGKILL)
        process.wait()
    with serving(tmp_path, [*WHO, *TEXT]) as (client, _):
        missed = listen(client, talk, "interrupted", after=before[-1]["number"])
        assert [each["kind"] for each in missed] == ["interrupted"]
        client.post(f"{talk}/queries", json={"query": "who is Alice?"})
        answered = listen(client, talk, "answered", after=missed[-1]["number"])
        assert "Alice Johnson" in answered[-1]["response"]
        client.post(f"{talk}/queries", json={"query": "text Alice that I am late"})
        asked = listen(client, talk, "consent", after=answered[-1]["number"])[-1]
        client.post(f"{talk}/consents/{asked['number']}", json={"answer": "yes"})
        listen(client, talk, "answered", after=asked["number"])
    done = subprocess.run(
        [sys.executable, "-m", "camphor", "device", "show", "--journal", "ines-dublin"],
        env={**os.environ, "CAMPHOR_HOME": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.count("send_imessage_message") == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--host", "0.0.0.0"], "add --pass-code new"),
        (["--host", "0.0.0.0", "--pass-code", "1234"], "too short"),
        (["--host", "203.0.113.7", "--pass-code", "new"], "cannot be listened on"),
        (["--device", "nobody"], "no kept device 'nobody'"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(tmp_path: Path, options: list[str], told: str) -> None:
    command = [sys.executable, "-m", "camphor", "serve", *options]
    environment = {**os.environ, "CAMPHOR_HOME": str(tmp_path)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr


def test_only_who_reads_the_terminal_or_the_key_is_let_in(tmp_path: Path) -> None:
    with serving(tmp_path, []) as (client, process):
        other = httpx.Client(base_url=client.base_url, timeout=20)
        assert other.get("/api/session").status_code == 401
        assert other.get("/").status_code == 401
        key = tmp_path / "web" / "key"
        assert {stat.S_IMODE(each.stat().st_mode) for each in (key, tmp_path / "web" / "secret")} == {0o600}
        assert other.get("/api/status", headers={"x-camphor-key": key.read_text()}).status_code == 200
        assert process.stderr is not None
        told = process.stderr.readline()  # the first address was used
        following = re.search(r"/enter/\S+", told)
        assert following, told
        assert other.get(following[0]).status_code == 200
        assert other.get("/api/status").status_code == 200
        other.close()
