"""`camphor ask`, with a scripted model and the demo phone."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.doubles.command import LATE, LATE_QUERY, Camphor, Ran, one_line

LATE_TEXT = "I'll be ten minutes late"
Script = Callable[[Sequence[str]], str]


def test_yes_does_it_and_tells(camphor: Camphor, script: Script) -> None:
    ran = camphor("ask", LATE_QUERY, "--yes", "--model", script(LATE))
    assert ran.status == 0, ran.err
    assert "Alice Johnson" in ran.out
    assert "ten minutes late" in ran.out
    assert "personal_context" in ran.err
    assert "Travel Buddy" in ran.err
    sent = json.loads(camphor("device", "show", "ines-dublin", "imessage", "--json").out)["messages"]
    assert any(message["text"] == "I'll be ten minutes late" and message["from_me"] for message in sent)
    assert len(json.loads(camphor("device", "show", "--journal", "--json").out)) == 2


def test_nobody_to_ask_does_nothing(camphor: Camphor, script: Script) -> None:
    ran = camphor("ask", LATE_QUERY, "--model", script(LATE))
    assert ran.status == 1
    assert "555-123-4567" in ran.out
    assert "ten minutes late" in ran.out
    assert ran.err.splitlines()[-1].startswith("camphor: Nothing was done: 2 actions")
    assert camphor("device", "show", "--journal", "--json").out.strip() == "[]"


def test_json_is_one_object_of_the_contract(camphor: Camphor, script: Script) -> None:
    ran = camphor("ask", LATE_QUERY, "--yes", "--json", "--model", script(LATE))
    assert (ran.status, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert {"response", "calls", "steps", "timing"} <= set(found)
    assert found["calls"] == [
        {
            "name": "send_imessage_message",
            "arguments": {"receiver": "555-123-4567", "content": "I'll be ten minutes late"},
        },
        {"name": "create_reminders", "arguments": {"time": "2026-03-12T18:00:00", "content": "Call Alice Johnson"}},
    ]
    assert [step["agent"] for step in found["steps"]] == ["personal_context", "task_completion"]
    assert found["steps"][0]["observation"][0]["records"][0]["phone_number"] == "555-123-4567"
    assert [action["outcome"] for action in found["actions"]] == ["done", "done"]
    assert {"seconds", "prompt_tokens", "generated_tokens", "steps"} <= set(found["timing"])
    assert len(found["timing"]["steps"]) == 4


def test_json_without_consent(camphor: Camphor, script: Script) -> None:
    ran = camphor("ask", LATE_QUERY, "--json", "--model", script(LATE))
    assert ran.status == 1
    found = json.loads(ran.out)
    assert [call["name"] for call in found["calls"]] == ["send_imessage_message", "create_reminders"]
    assert [action["outcome"] for action in found["actions"]] == ["refused", "refused"]
    assert "--yes" in one_line(ran.err)


def test_nothing_to_do_is_done(camphor: Camphor, script: Script) -> None:
    model = script(["task_completion", "[]", "Which kettle?"])
    ran = camphor("ask", "put the kettle on", "--model", model)
    assert ran.status == 0
    assert ran.out == "Which kettle?\n"


def test_what_asks_for_nothing_reaches_no_model(camphor: Camphor, script: Script) -> None:
    ran = camphor("ask", "don't call Alice", "--yes", "--model", script([]))
    assert ran.status == 0
    assert ran.out == "You said “don't call Alice”, so I did nothing.\n"


def test_an_action_that_fails_is_told(camphor: Camphor, script: Script) -> None:
    model = script(["task_completion", '[send_imessage_message(receiver="Seán", content="On my way")]'])
    ran = camphor("ask", "tell Seán I'm on my way", "--no-context", "--yes", "--model", model)
    assert ran.status == 1
    assert "Seán Doyle" in ran.out
    assert "Seán Kavanagh" in ran.out


def test_who_of_two_is_meant_is_asked(camphor: Camphor, script: Script) -> None:
    model = script(["task_completion", '[send_imessage_message(receiver="Seán", content="On my way")]'])
    ran = camphor("ask", "tell Seán I'm on my way", "--yes", "--model", model)
    assert ran.out == "Do you mean “Seán Doyle” or “Seán Kavanagh”?\n"


@pytest.mark.parametrize("words", [[""], ["   "], ["\x01\x02\x1b"], [], ["-"]])
def test_an_empty_query_is_bad_input(camphor: Camphor, words: list[str]) -> None:
    ran = camphor("ask", *words)
    assert (ran.status, ran.out) == (2, "")
    assert "empty" in one_line(ran.err)


def test_a_very_long_query_is_bad_input(camphor: Camphor) -> None:
    ran = camphor("ask", "remind me " * 1000)
    assert (ran.status, ran.out) == (2, "")
    assert "10,000" in one_line(ran.err) or "9,999" in one_line(ran.err)


def test_control_characters_are_dropped(camphor: Camphor, script: Script) -> None:
    ran = camphor(
        "ask", "--no-context", "hi\x1b[31m\x07 there", "--model", script(["task_completion", "[]", "Hi\x1b[2J."])
    )
    assert ran.status == 0
    assert "\x1b" not in ran.out + ran.err


def test_another_language_is_passed_on(camphor: Camphor, script: Script) -> None:
    model = script(["task_completion", '[create_notes(content="comprar pão e 牛乳")]'])
    ran = camphor("ask", "write a note: comprar pão e 牛乳", "--yes", "--model", model)
    assert ran.status == 0
    assert "comprar pão e 牛乳" in ran.out


def test_a_query_from_standard_input(camphor: Camphor, script: Script) -> None:
    ran = camphor("ask", "-", "--model", script(["task_completion"]), stdin="who is my\ntravel buddy\n")
    assert ran.status == 0
    assert ran.out.startswith("Alice Johnson: relationship Travel Buddy")


def test_words_need_no_quotes(camphor: Camphor, script: Script) -> None:
    ran = camphor("ask", "what", "is", "on", "today", "--model", script(["task_completion"]))
    assert ran.status == 0
    assert ran.out.startswith("In your calendar (today):\n· Broadmeadow footbridge: load test review, 10:00 to 11:30")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"[]", "an object"),
        (b"\xff\xfe", "UTF-8"),
        (b'{"format": "camphor.device/9", "id": "x", "apps": {}}', "/format"),
        (b'{"format": "camphor.device/1", "id": "x", "apps": {"mail": {"messages": 3}}}', "/apps/mail/messages"),
        (b'{"format": "camphor.device/1", "id": "x", "apps": {"zeppelin": {}}}', "/apps/zeppelin"),
    ],
)
def test_a_broken_device_file(camphor: Camphor, tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "broken.device.json"
    path.write_bytes(content)
    ran = camphor("ask", "what is new", "--device", str(path))
    assert (ran.status, ran.out) == (2, "")
    line = one_line(ran.err)
    assert said in line
    assert str(path) in line


def test_a_huge_device_file_is_refused_without_being_read(camphor: Camphor, tmp_path: Path) -> None:
    path = tmp_path / "huge.device.json"
    with path.open("wb") as file:
        file.truncate(3 * 2**30)  # a hole: takes no disk
    ran = camphor("ask", "what is new", "--device", str(path))
    assert ran.status == 2
    assert "MiB" in one_line(ran.err)


@pytest.mark.parametrize("device", ["nobody", "missing.device.json", "/nowhere/at/all", ".", "a\nb", "../../etc"])
def test_a_missing_device(camphor: Camphor, device: str) -> None:
    ran = camphor("ask", "what is new", "--device", device)
    assert (ran.status, ran.out) == (2, "")
    one_line(ran.err)


def test_a_device_file_is_never_changed(camphor: Camphor, script: Script, tmp_path: Path) -> None:
    path = tmp_path / "phone.device.json"
    assert camphor("device", "export", "--out", str(path)).status == 0
    before = path.read_bytes()
    ran = camphor("ask", LATE_QUERY, "--yes", "--model", script(LATE), "--device", str(path))
    assert ran.status == 0
    assert "the file is as it was" in ran.err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("model", "status", "said"),
    [
        ("missing.gguf", 1, "missing.gguf"),
        ("gpt-9000", 2, "gpt-9000"),
        ("http://127.0.0.1:9/v1", 2, "#"),
        ("http://127.0.0.1:9/v1#tiny", 1, "127.0.0.1:9"),
        ("scripted:nothing.json", 2, "nothing.json"),
    ],
)
def test_no_model(camphor: Camphor, model: str, status: int, said: str) -> None:
    ran = camphor("ask", "what is new", "--model", model)
    assert (ran.status, ran.out) == (status, "")
    assert said in one_line(ran.err.splitlines()[-1] + "\n")


def test_a_model_that_breaks_is_one_line(camphor: Camphor, script: Script) -> None:
    ran = camphor("ask", "what is new", "--model", script([]))
    assert ran.status == 1
    assert ran.err.splitlines()[-1].startswith("camphor: the script has 0 replies")


def test_a_device_in_use_is_told_and_nothing_is_lost(camphor: Camphor, script: Script) -> None:
    assert camphor("device", "show").status == 0  # puts the demo phone into the data folder
    store = camphor.home / "devices" / "ines-dublin.camphor"
    other = sqlite3.connect(store, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        ran = camphor("ask", LATE_QUERY, "--yes", "--model", script(LATE))
    finally:
        other.close()
    assert ran.status == 1
    assert "another program is using this device" in ran.err.splitlines()[-1]
    assert camphor("device", "show", "--journal", "--json").out.strip() == "[]"


def test_a_data_folder_that_cannot_be_written(camphor: Camphor, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    ran = camphor("ask", "what is new", env={"CAMPHOR_HOME": str(tmp_path / "file")})
    assert (ran.status, ran.out) == (1, "")
    one_line(ran.err)


def test_a_damaged_store_is_told(camphor: Camphor) -> None:
    assert camphor("device", "show").status == 0
    store = camphor.home / "devices" / "ines-dublin.camphor"
    store.write_bytes(store.read_bytes()[:100] + b"\x00" * 5000)
    ran = camphor("ask", "what is new")
    assert ran.status in (1, 2)
    assert "ines-dublin" in one_line(ran.err)


def limited(camphor: Camphor, kilobytes: int, *words: str) -> Ran:
    """Runs with a limit on the size of files, which fails writes as a full disk does."""
    command = ["bash", "-c", f'ulimit -f {kilobytes}; exec "$@"', "camphor", *camphor.command(*words)]
    done = subprocess.run(command, capture_output=True, text=True, env=camphor.environment, timeout=120, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)


def test_no_room_for_the_device(camphor: Camphor) -> None:
    ran = limited(camphor, 64, "ask", "what is new")
    assert (ran.status, ran.out) == (1, "")
    assert "ines-dublin" in one_line(ran.err)
    assert not list(camphor.home.rglob("*.camphor*"))
    assert camphor("device", "show").status == 0


def test_no_room_for_an_action(camphor: Camphor, script: Script) -> None:
    assert camphor("device", "show").status == 0
    before = camphor("device", "export").out
    ran = limited(camphor, 8, "ask", LATE_QUERY, "--yes", "--model", script(LATE))
    assert ran.status == 1
    assert ran.err.splitlines()[-1].startswith("camphor: ")
    assert "Traceback" not in ran.err
    assert camphor("device", "export").out == before
