"""`camphor ask` and `chat` in a real terminal: consent, editing, Ctrl-C, Ctrl-D."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.doubles.command import LATE, LATE_QUERY, Camphor
from tests.doubles.terminal import PATIENCE, Terminal

Script = Callable[[Sequence[str]], str]


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


def test_yes_is_asked_about_what_is_in_doubt(
    camphor: Camphor, script: Script, terminal: Callable[..., Terminal]
) -> None:
    replies = ["task_completion", ' [send_imessage_message(receiver="Alice", content="I will be late by 40 minutes")]']
    shown = terminal("ask", "tell Alice I'll be late", "--yes", "--model", script(replies))
    shown.wait_for(QUESTION)
    assert done(camphor) == []
    shown.type("y\n")
    assert shown.end() == 0
    assert done(camphor) == ["send_imessage_message"]


def test_what_was_typed_before_a_question_appears_is_no_answer_to_it(
    camphor: Camphor, script: Script, terminal: Callable[..., Terminal]
) -> None:
    shown = terminal("ask", LATE_QUERY, "--model", script(LATE))
    shown.type("yes\nyes\n")  # while it starts and thinks
    shown.wait_for(QUESTION)
    shown.type("yes\nyes\n")  # the second one before the second question
    shown.wait_for(QUESTION, 2)
    time.sleep(0.5)
    assert shown.read()
    assert shown.text.count(QUESTION) == 2
    assert done(camphor) == ["send_imessage_message"]
    shown.type("no\n")
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
        shown = terminal("ask", "what is new", "--model", f"http://127.0.0.1:{server.getsockname()[1]}/v1#tiny")
        server.settimeout(PATIENCE)
        connection, _ = server.accept()
        with connection:
            connection.settimeout(PATIENCE)
            assert connection.recv(65536)
            time.sleep(0.5)  # a signal that comes just before a system call begins does not wake that call
            shown.interrupt()
            assert shown.end() == 130
    assert "camphor: Stopped: nothing was done." in shown.text
    assert "Traceback" not in shown.text


def test_chat_remembers_and_ends_at_ctrl_d(camphor: Camphor, script: Script, terminal: Callable[..., Terminal]) -> None:
    replies = ["task_completion", "[]", "Which kettle?", *LATE[:2], "task_completion"]
    shown = terminal("chat", "--model", script(replies))
    shown.wait_for("> ")
    assert "Ines Marques's phone" in shown.text
    shown.type("put the kettle on\n")
    shown.wait_for("Which kettle?")
    shown.type("who is my travel buddy?\n")
    shown.wait_for("Alice Johnson: relationship Travel Buddy")
    shown.wait_for("> ", 3)
    shown.type("\x04")
    assert shown.end() == 0


def test_chat_takes_lines_and_gives_json_lines(camphor: Camphor, script: Script) -> None:
    replies = ["task_completion", "[]", "Which kettle?", "task_completion", "[]", "Which iron?"]
    ran = camphor("chat", "--json", "--model", script(replies), stdin="put the kettle on\n\nput the iron on\n")
    assert ran.status == 0, ran.err
    assert [json.loads(line)["response"] for line in ran.out.splitlines()] == ["Which kettle?", "Which iron?"]


def test_chat_goes_on_after_a_bad_line(camphor: Camphor, script: Script) -> None:
    long = "x" * 10_000
    ran = camphor("chat", "--model", script(["task_completion", "[]", "Which one?"]), stdin=f"{long}\nput it on\n")
    assert ran.status == 1
    assert ran.out == "Which one?\n"
    assert "10,000" in ran.err


def test_a_link_of_a_mail_is_shown_as_text(
    camphor: Camphor, script: Script, terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    link = "\x1b]8;;https://pay.example/hidden\x1b\\click\x1b]8;;\x1b\\ https://pay.example/seen [link=https://x.example]x[/]"
    mail = {"sender": "Zed", "recipients": [], "subject": link, "date": "2026-03-11T10:00:00", "body": link}
    phone = {"format": "camphor.device/1", "id": "p", "apps": {"mail": {"messages": [mail]}}}
    file = tmp_path / "p.device.json"
    file.write_text(json.dumps(phone), encoding="utf-8")
    camphor.environment.update(TERM="xterm-256color", COLORTERM="truecolor")
    camphor.environment.pop("NO_COLOR")
    answer = f"Zed wrote {link}"
    replies = script(["personal_context", '[get_mail_event(theme="Zed")]', "task_completion", "[]", answer])
    shown = terminal("ask", "what did Zed write?", "--device", str(file), "--model", replies)
    shown.end()
    assert "https://pay.example/seen" in shown.text
    assert "[link=https://x.example]" in shown.text
    assert "\x1b]8;" not in shown.text
    assert "\x9d8;" not in shown.text
