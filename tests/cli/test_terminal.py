"""`camphor ask` and `chat` in a real terminal: consent, editing, Ctrl-C, Ctrl-D."""

from __future__ import annotations

import errno
import json
import os
import pty
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence

import pytest
from cli_doubles import LATE, LATE_QUERY, Camphor

Script = Callable[[Sequence[str]], str]
PATIENCE = 60.0  # seconds until a test gives up waiting for text


class Terminal:
    """A command running in a terminal of its own."""

    def __init__(self, camphor: Camphor, *words: str) -> None:
        self.mine, theirs = pty.openpty()
        self.process = subprocess.Popen(
            camphor.command(*words),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=camphor.environment,
            start_new_session=True,
        )
        os.close(theirs)
        self.text = ""

    def read(self) -> bool:
        """Take what has been written; False at the end."""
        if not select.select([self.mine], [], [], 0.2)[0]:
            return True
        try:
            data = os.read(self.mine, 65536)
        except OSError as error:
            if error.errno == errno.EIO:  # the other side is closed
                return False
            raise
        self.text += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)

    def wait_for(self, text: str, count: int = 1) -> None:
        until = time.monotonic() + PATIENCE
        while self.text.count(text) < count:
            assert self.read(), f"ended without {text!r}: {self.text!r}"
            assert time.monotonic() < until, f"no {text!r} in {self.text!r}"

    def type(self, text: str) -> None:
        os.write(self.mine, text.encode())

    def interrupt(self) -> None:
        os.kill(self.process.pid, signal.SIGINT)

    def end(self) -> int:
        until = time.monotonic() + PATIENCE
        while self.read():
            assert time.monotonic() < until, self.text
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.mine)


@pytest.fixture
def terminal(camphor: Camphor) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*words: str) -> Terminal:
        opened.append(Terminal(camphor, *words))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def done(camphor: Camphor) -> list[str]:
    """What the journal of the demo phone says was done."""
    entries = json.loads(camphor("device", "show", "--journal", "--json").out)
    return [entry["call"]["name"] for entry in entries if entry["state"] == "done"]


QUESTION = "Do it? yes, no or edit: "


def test_yes_and_no(camphor: Camphor, script: Script, terminal: Callable[..., Terminal]) -> None:
    shown = terminal("ask", LATE_QUERY, "--model", script(LATE))
    shown.wait_for(QUESTION)
    assert "555-123-4567" in shown.text
    assert "I'll be ten minutes late" in shown.text
    assert done(camphor) == []
    shown.type("y\n")
    shown.wait_for(QUESTION, 2)
    shown.type("maybe\n")
    shown.wait_for(QUESTION, 3)
    shown.type("n\n")
    assert shown.end() == 1
    assert done(camphor) == ["send_imessage_message"]


def test_edit_offers_the_present_values(camphor: Camphor, script: Script, terminal: Callable[..., Terminal]) -> None:
    shown = terminal("ask", LATE_QUERY, "--model", script(LATE))
    shown.wait_for(QUESTION)
    shown.type("edit\n")
    shown.wait_for("receiver [555-123-4567]: ")
    shown.type("Seán\n")  # there are two
    shown.wait_for("content [I'll be ten minutes late]: ")
    shown.type("I'll be half an hour late\n")
    shown.wait_for("receiver [Seán]: ")
    assert "Seán Kavanagh" in shown.text
    shown.type("Seán Doyle\n")
    shown.wait_for("content [I'll be half an hour late]: ")
    shown.type("\n")
    shown.wait_for(QUESTION, 2)
    shown.type("yes\n")
    shown.wait_for(QUESTION, 3)
    shown.type("yes\n")
    assert shown.end() == 0
    entries = json.loads(camphor("device", "show", "--journal", "--json").out)
    assert entries[0]["call"]["arguments"] == {"receiver": "086-555-0119", "content": "I'll be half an hour late"}


def test_ctrl_d_means_no(camphor: Camphor, script: Script, terminal: Callable[..., Terminal]) -> None:
    shown = terminal("ask", LATE_QUERY, "--model", script(LATE))
    shown.wait_for(QUESTION)
    shown.type("\x04")
    shown.wait_for(QUESTION, 2)
    shown.type("\x04")
    assert shown.end() == 1
    assert done(camphor) == []


def test_ctrl_c_at_the_question(camphor: Camphor, script: Script, terminal: Callable[..., Terminal]) -> None:
    shown = terminal("ask", LATE_QUERY, "--model", script(LATE))
    shown.wait_for(QUESTION)
    shown.interrupt()
    assert shown.end() == 130
    assert shown.text.splitlines()[-1] == "camphor: Stopped: nothing was done."
    assert "Traceback" not in shown.text
    assert done(camphor) == []


def test_ctrl_c_after_an_action(camphor: Camphor, script: Script, terminal: Callable[..., Terminal]) -> None:
    shown = terminal("ask", LATE_QUERY, "--model", script(LATE))
    shown.wait_for(QUESTION)
    shown.type("y\n")
    shown.wait_for(QUESTION, 2)
    shown.interrupt()
    assert shown.end() == 130
    assert "Stopped after 1 action" in shown.text
    assert done(camphor) == ["send_imessage_message"]


def test_ctrl_c_while_the_model_thinks(camphor: Camphor, terminal: Callable[..., Terminal]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:  # takes the question and never answers
        shown = terminal("ask", "hello", "--model", f"http://127.0.0.1:{server.getsockname()[1]}/v1#tiny")
        server.settimeout(PATIENCE)
        connection, _ = server.accept()
        with connection:
            shown.interrupt()
            assert shown.end() == 130
    assert "camphor: Stopped: nothing was done." in shown.text
    assert "Traceback" not in shown.text


def test_chat_remembers_and_ends_at_ctrl_d(camphor: Camphor, script: Script, terminal: Callable[..., Terminal]) -> None:
    replies = ["task_completion", "[]", "Hello Ines.", *LATE[:2], "task_completion", "[]", "Alice Johnson."]
    shown = terminal("chat", "--model", script(replies))
    shown.wait_for("> ")
    assert "Ines Marques's phone" in shown.text
    shown.type("hi\n")
    shown.wait_for("Hello Ines.")
    shown.type("who is my travel buddy?\n")
    shown.wait_for("Alice Johnson.")
    shown.wait_for("> ", 3)
    shown.type("\x04")
    assert shown.end() == 0


def test_chat_takes_lines_and_gives_json_lines(camphor: Camphor, script: Script) -> None:
    replies = ["task_completion", "[]", "One.", "task_completion", "[]", "Two."]
    ran = camphor("chat", "--json", "--model", script(replies), stdin="first\n\nsecond\n")
    assert ran.status == 0, ran.err
    assert [json.loads(line)["response"] for line in ran.out.splitlines()] == ["One.", "Two."]


def test_chat_goes_on_after_a_bad_line(camphor: Camphor, script: Script) -> None:
    long = "x" * 10_000
    ran = camphor("chat", "--model", script(["task_completion", "[]", "Fine."]), stdin=f"{long}\nhello\n")
    assert ran.status == 1
    assert ran.out == "Fine.\n"
    assert "10,000" in ran.err
