"""Long-term memory on disk: it lasts, it is each device's own, and what is forgotten is in no file any more."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from camphor.device.device import Device
from camphor.device.memories import MOST_EPISODES, Memories, MemoryKind, MemoryOrigin, MemoryState
from camphor.device.store import Store
from camphor.types import Call
from tests.doubles.device import phone

NOW = datetime(2026, 3, 12, 8, 45)
SAID = MemoryOrigin("remember that my sister is Nora", NOW.isoformat(), "c1", 3)


def add(memories: Memories, text: str, **more: object) -> int:
    return memories.add(MemoryKind.FACT, text, SAID, **more).id  # type: ignore[arg-type]


def test_a_memory_lasts_with_where_it_came_from(tmp_path: Path) -> None:
    path = tmp_path / "a.camphor"
    with Device.create(path, phone()) as device:
        assert device.memories.all() == []
        add(device.memories, "My sister is Nora", subject="me", attribute="sister", value="Nora", single=True)
    with Device.open(path) as device:
        (memory,) = device.memories.all()
    assert (memory.text, memory.subject, memory.attribute, memory.value) == (
        "My sister is Nora",
        "me",
        "sister",
        "Nora",
    )
    assert (memory.single, memory.origin, memory.state) == (True, SAID, MemoryState.CONFIRMED)


def test_nothing_reaches_another_device_or_an_export(tmp_path: Path) -> None:
    with Device.create(tmp_path / "a.camphor", phone()) as device:
        add(device.memories, "My sister is Nora")
        data = device.export()
    with Device.create(tmp_path / "b.camphor", data) as other:
        assert other.memories.all() == []
    assert "sister is Nora" not in str(data)


def test_the_newest_confirmed_one_holds_and_the_older_is_kept() -> None:
    memories = Device.create(None, phone()).memories
    old = add(memories, "My dentist is Dr Lam")
    new = add(memories, "My dentist is Dr Ode", state=MemoryState.UNSURE)
    assert [memory.id for memory in memories.all()] == [old]
    memories.confirm(new, instead_of=[old])
    assert [memory.id for memory in memories.all()] == [new]
    assert [memory.text for memory in memories.all((MemoryState.SUPERSEDED,))] == ["My dentist is Dr Lam"]


def test_what_is_forgotten_leaves_its_number_and_the_time() -> None:
    memories = Device.create(None, phone()).memories
    number = add(memories, "My sister is Nora")
    assert memories.forget([number, number, 99], NOW)
    memory = memories.get(number)
    assert memory is not None
    assert (memory.state, memory.text, memory.origin) == (MemoryState.FORGOTTEN, "", MemoryOrigin("", NOW.isoformat()))
    memories.confirm(number)
    assert memories.all() == []
    assert add(memories, "another") > number


@pytest.mark.parametrize("seed", range(3))
def test_no_word_of_what_is_forgotten_is_left_in_any_file(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path = tmp_path / "a.camphor"
    kept: dict[int, str] = {}
    with Device.create(path, phone()) as device:
        memories = device.memories
        forgotten = []
        for number in range(120):
            text = f"secret{number:04d}" * chance.choice((1, 2, 40, 900))
            kept[add(memories, text, value=text[:10])] = text[:10]
            if chance.random() < 0.2:
                memories.use(chance.sample(sorted(kept), 1), NOW)
            if chance.random() < 0.1:
                device.execute(Call("create_notes", {"content": "x" * chance.randint(1, 5000)}))
            if chance.random() < 0.15:
                gone = chance.sample(sorted(kept), min(len(kept), chance.randint(1, 5)))
                forgotten += [kept.pop(each) for each in gone]
                assert memories.forget(gone, NOW)
        while_open = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    after = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert len(forgotten) > 15
    for text in forgotten:
        assert text.encode() not in while_open
        assert text.encode() not in after
    for text in kept.values():
        assert text.encode() in after


def test_while_another_process_reads_the_log_cannot_be_emptied(tmp_path: Path) -> None:
    path = tmp_path / "a.camphor"
    Device.create(path, phone()).close()
    store = Store(path, busy_seconds=0.05)
    memories = Memories(store)
    number = memories.add(MemoryKind.FACT, "secret", SAID).id
    reader = Store(path)
    with reader.snapshot():
        reader.rows("SELECT 1 FROM memories")
        assert not memories.forget([number], NOW)
    assert memories.forget([], NOW)
    reader.close()
    store.close()
    assert b"secret" not in path.read_bytes()


def test_a_deleted_item_that_a_memory_speaks_of_is_missed() -> None:
    device = Device.create(None, phone())
    record = device.execute(Call("create_calendar_event", {"time": "2026-03-20T10:00", "event_title": "Padel"})).records
    ref = device.memories.ref_of(record[0])
    assert ref is not None
    assert (ref.app, ref.list) == ("calendar", "events")
    memory = device.memories.add(MemoryKind.EPISODE, "In the calendar: Padel", SAID, items=[ref])
    assert device.memories.gone(memory) == []
    assert device.execute(Call("cancel_calendar_event", {"event_title": "Padel"})).error is None
    assert device.memories.gone(memory) == [ref]
    assert device.memories.ref_of({"title": "never written"}) is None


def test_old_episodes_go_and_facts_stay() -> None:
    memories = Device.create(None, phone()).memories
    fact = add(memories, "My sister is Nora")
    for number in range(MOST_EPISODES + 5):
        memories.add(MemoryKind.EPISODE, f"episode {number}", SAID)
    kept = memories.all()
    assert len(kept) == MOST_EPISODES + 1
    assert kept[0].id == fact
    assert kept[1].text == "episode 5"


def test_episodes_can_be_paused() -> None:
    memories = Device.create(None, phone()).memories
    assert not memories.paused
    memories.pause(True)
    assert memories.paused
    memories.pause(False)
    assert not memories.paused


def test_use_is_counted() -> None:
    memories = Device.create(None, phone()).memories
    number = add(memories, "My sister is Nora")
    memories.use([number], NOW)
    memories.use([number], NOW)
    memory = memories.get(number)
    assert memory is not None
    assert (memory.uses, memory.used) == (2, NOW.isoformat())


def test_memories_of_an_earlier_version_are_read_added_to_and_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "a.camphor"
    with Device.create(path, phone()) as device:
        device.memories.add(MemoryKind.FACT, "My sister is Nora", MemoryOrigin("x", "2026-03-12T08:45:00"))
    with closing(sqlite3.connect(path)) as store:
        for column in ("relation", "until"):
            store.execute(f"ALTER TABLE memories DROP COLUMN {column}")
        store.commit()
    with Device.open(path) as device:
        (old,) = device.memories.all()
        assert (old.text, old.relation, old.until) == ("My sister is Nora", "", "")
        device.memories.forget([], device.now)
        new = device.memories.add(MemoryKind.FACT, "I take the 7:45", old.origin, relation="travel", until="2026-04-01")
        assert [each.text for each in device.memories.all()] == ["My sister is Nora", "I take the 7:45"]
        device.memories.forget([old.id], device.now)
        assert device.memories.all() == [new]
