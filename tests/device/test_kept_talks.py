"""Conversations are kept beside the phone."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from camphor.device.talks import Talks, talks_file
from camphor.errors import StoreError
from camphor.types import Agent, Call, Observation, Step, Turn


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "phone.camphor.talks"


def test_a_conversation_outlives_whoever_wrote_it(path: Path) -> None:
    talks = Talks(path)
    talk = talks.begin()
    talks.add(talk.id, "asked", {"query": "what's on today?"})
    talks.add(talk.id, "answered", {"response": "Standup at 10"})
    talks.close()
    again = Talks(path)
    [kept] = again.all()
    assert (kept.id, kept.title, kept.events) == (talk.id, "what's on today?", 2)
    assert [(each.number, each.kind) for each in again.events(talk.id)] == [(1, "asked"), (2, "answered")]
    assert [each.data for each in again.events(talk.id, after=1)] == [{"response": "Standup at 10"}]
    again.close()


def test_an_event_is_found_by_what_it_holds(path: Path) -> None:
    talks = Talks(path)
    talk, other = talks.begin(), talks.begin()
    talks.add(other.id, "asked", {"query": "x", "key": "k"})
    talks.add(talk.id, "agent", {"key": "k"})
    talks.add(talk.id, "asked", {"query": "k", "key": 'a "quoted" key'})
    for _ in range(2):
        talks.add(talk.id, "asked", {"query": "x", "key": "k"})
    assert talks.find(talk.id, "asked", "key", "k") == 3
    assert talks.find(talk.id, "asked", "key", 'a "quoted" key') == 2
    assert talks.find(talk.id, "asked", "key", "%") is None
    talks.close()


def test_talks_for_something_else_are_no_chats(path: Path) -> None:
    talks = Talks(path)
    chat, other = talks.begin(), talks.begin("complaints")
    assert [each.id for each in talks.all()] == [chat.id]
    assert [each.id for each in talks.all("complaints")] == [other.id]
    assert talks.get(other.id) is None
    assert talks.delete(other.id)
    talks.close()


def test_a_file_of_before_there_were_others_is_taken_over(path: Path) -> None:
    Talks(path).close()
    with closing(sqlite3.connect(path)) as old:
        old.executescript("ALTER TABLE talks DROP COLUMN about; INSERT INTO talks VALUES ('a', 'b', 'c');")
        old.execute("PRAGMA user_version=1")
    for _ in range(2):
        talks = Talks(path)
        assert [each.title for each in talks.all()] == ["b"]
        talks.begin("complaints")
        talks.close()


def test_the_newest_stands_first_and_what_is_deleted_leaves_no_word_on_disk(path: Path) -> None:
    talks = Talks(path)
    first, second = talks.begin(), talks.begin()
    talks.add(first.id, "asked", {"query": "ring my oncologist"})
    assert [each.id for each in talks.all()] == [second.id, first.id]
    assert talks.delete(first.id)
    assert not talks.delete(first.id)
    assert talks.get(first.id) is None
    with pytest.raises(KeyError):
        talks.add(first.id, "answered", {})
    talks.close()
    held = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"oncologist" not in held


def test_events_of_many_threads_are_numbered_without_a_gap(path: Path) -> None:
    talks = Talks(path)
    talk = talks.begin()
    threads = [threading.Thread(target=lambda: [talks.add(talk.id, "agent", {}) for _ in range(20)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each.number for each in talks.events(talk.id)] == list(range(1, 81))
    talks.close()


def test_a_file_of_something_else_is_refused(path: Path) -> None:
    path.write_bytes(b"no database" * 100)
    with pytest.raises(Exception, match="conversations of a phone") as refused:
        Talks(path)
    assert isinstance(refused.value, StoreError) or "expected" in str(refused.value)


def test_a_phone_in_memory_keeps_none_on_disk() -> None:
    assert talks_file(None) is None
    talks = Talks(None)
    assert talks.all() == []


def test_a_turn_is_read_back_as_it_was_written() -> None:
    call = Call("get_notes_content", {"keyword": "wifi"})
    seen = Observation(call, ({"title": "Wifi", "content": "quiet-otter"},))
    failed = Observation(Call("call_contacts", {"person": "Sam"}), error="Which Sam?")
    turn = Turn(
        "the wifi?", (Step(Agent.CONTEXT, (call,), (seen,), taught=False), Step(Agent.TASK, (), (failed,))), "x"
    )
    assert Turn.from_json(turn.to_json()) == turn
