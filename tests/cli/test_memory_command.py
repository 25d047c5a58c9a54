"""`camphor memory` and what is said to the memory in `camphor ask` and `camphor chat`, as a person meets them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.doubles.command import Camphor, one_line

Script = Callable[[Sequence[str]], str]


def listed(camphor: Camphor, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(camphor("memory", "list", "--json", *words).out)["memories"]
    return found


def test_a_memory_is_kept_shown_with_its_source_and_forgotten_for_good(camphor: Camphor) -> None:
    assert camphor("memory", "remember", "my", "sister", "is", "Nora").out == "I'll remember: your sister is Nora.\n"
    shown = camphor("memory", "list").out
    assert "Your sister is Nora" in shown
    assert "“my sister is Nora”" in shown
    (memory,) = listed(camphor)
    assert (memory["kind"], memory["state"], memory["origin"]["quote"]) == ("fact", "confirmed", "my sister is Nora")
    assert camphor("memory", "forget", str(memory["id"])).out == "I have forgotten for good: your sister is Nora.\n"
    assert listed(camphor) == []
    files = b"".join(path.read_bytes() for path in camphor.home.rglob("*.camphor*"))
    assert b"sister is Nora" not in files


def test_what_contradicts_another_is_not_sure_until_it_is_confirmed(camphor: Camphor) -> None:
    camphor("memory", "remember", "my dentist is Dr Lam")
    second = camphor("memory", "remember", "my dentist is Dr Ode")
    assert second.status == 1
    assert "you told me before: your dentist is Dr Lam" in second.out.replace("You told", "you told")
    assert "memory confirm 2" in one_line(second.err)
    assert camphor("memory", "confirm", "2").out == (
        "This holds: Your dentist is Dr Ode. No longer: Your dentist is Dr Lam.\n"
    )
    assert [(m["value"], m["state"]) for m in listed(camphor, "--all")] == [
        ("Dr Lam", "superseded"),
        ("Dr Ode", "confirmed"),
    ]
    camphor("memory", "remember", "my dentist is Dr Fee", "--both")
    assert [m["value"] for m in listed(camphor)] == ["Dr Ode", "Dr Fee"]


def test_forgetting_by_words_asks_and_nobody_there_means_no(camphor: Camphor) -> None:
    camphor("memory", "remember", "I hate coriander")
    refused = camphor("memory", "forget", "coriander")
    assert refused.status == 1
    assert "add --yes" in one_line(refused.err)
    assert camphor("memory", "forget", "coriander", "--yes").out == "I have forgotten for good: you hate coriander.\n"
    camphor("memory", "remember", "I like tea")
    assert camphor("memory", "forget", "--all", "--yes").status == 0
    assert listed(camphor) == []


def test_memories_are_exported_and_no_device_file_has_them(camphor: Camphor, tmp_path: Path) -> None:
    camphor("memory", "remember", "my shoe size is 42")
    data = json.loads(camphor("memory", "export").out)
    assert data["format"] == "camphor.memories/1"
    assert [memory["text"] for memory in data["memories"]] == ["My shoe size is 42"]
    camphor("device", "export", "--out", str(tmp_path / "x.device.json"))
    assert "shoe size" not in (tmp_path / "x.device.json").read_text(encoding="utf-8")


def test_bad_input_is_refused_in_a_sentence(camphor: Camphor, tmp_path: Path) -> None:
    for words in (
        ("remember", "milk"),
        ("remember", "my sister is Nora", "--both", "--instead"),
        ("forget",),
        ("forget", "1", "coffee"),
        ("forget", "7"),
        ("confirm", "7"),
        ("list", "--device", "nowhere"),
    ):
        ran = camphor("memory", *words)
        assert ran.status == 2, words
        one_line(ran.err)


def test_chat_remembers_from_one_conversation_to_the_next(camphor: Camphor, script: Script) -> None:
    model = script(["task_completion", "[]", "Which kettle?"])
    first = camphor("chat", "--model", model, stdin="remember that my plumber is Old Mr Finch\nput the kettle on\n")
    assert first.out.splitlines() == ["I'll remember: your plumber is Old Mr Finch.", "Which kettle?"]
    second = camphor("ask", "who is my plumber?", "--model", model, "--json")
    response = json.loads(second.out)["response"]
    assert response.startswith("Your plumber is Old Mr Finch (you said on Thu 12 Mar 08:45: “remember that my plumber")
    everything = camphor("ask", "forget everything you know about me", "--model", model)
    assert everything.status == 1
    assert "must be confirmed" in everything.err
    assert len(listed(camphor)) == 1
    assert camphor("ask", "--yes", "forget everything you know about me", "--model", model).status == 0
    assert listed(camphor) == []


def test_episodes_can_be_paused(camphor: Camphor, script: Script) -> None:
    note = ["task_completion", '[create_notes(content="tea")]']
    camphor("memory", "pause")
    camphor("ask", "--yes", "note tea", "--model", script(note))
    assert listed(camphor) == []
    camphor("memory", "resume")
    camphor("ask", "--yes", "note tea", "--model", script(note))
    (episode,) = listed(camphor)
    assert (episode["kind"], episode["origin"]["quote"]) == ("episode", "note tea")
    assert episode["items"][0]["app"] == "notes"
