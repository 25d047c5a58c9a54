"""Of a record that is removed or replaced nothing is left in the index, nor in its file on disk."""

from __future__ import annotations

import contextlib
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camphor.device.beside import erase, index_file, says_less
from camphor.device.device import Device
from camphor.device.usage_events import ItemRef
from camphor.errors import StoreError
from camphor.retrieval.bm25 import Bm25
from camphor.retrieval.context.documents import index_of_device, index_of_document, keep_index
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.items import Item
from camphor.retrieval.context.query import Situation
from camphor.retrieval.context.rankers import Lexical
from camphor.retrieval.context.relevance import Relevance
from camphor.types import Call
from tests.doubles.context_phone import NOW, phone

SECRET = "zyxoprine"
SECRETIVE = "Vanterpool"
CANCEL = Call("cancel_calendar_event", {"event_title": f"Fetch {SECRET}"})


def lives(path: Path) -> dict[str, Any]:
    """A phone with an event that is to go."""
    secret = {
        "title": f"Fetch {SECRET}",
        "start": "2026-03-13T12:00:00",
        "participants": [SECRETIVE],
        "notes": f"{SECRET} at the chemist",
    }
    made = phone()
    made["apps"]["calendar"]["events"].append(secret)
    return {**made, "usage": made["usage"] * 3, "id": path.stem}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A phone on disk, with the file of its index, in which the secret stands."""
    path = tmp_path / "oleg.camphor"
    with Device.create(path, lives(path)) as device:
        index_of_device(device, index_file(path))
    assert SECRET.encode() in kept(path)
    assert SECRETIVE.encode() in kept(path)
    return path


def kept(store: Path) -> bytes:
    """The bytes of all that lies beside a store but its own files."""
    own = {store.name, f"{store.name}-wal", f"{store.name}-shm"}
    return b"".join(path.read_bytes() for path in store.parent.iterdir() if path.name not in own)


def told(index: ContextIndex) -> list[str]:
    return [item.text for item in index.items()]


def vector_of(index: ContextIndex, ref: ItemRef) -> bytes:
    row = index.row_of(ref)
    assert row is not None
    made: bytes = index.columns.vectors[row].tobytes()
    return made


def test_a_record_that_is_removed_is_in_no_file_of_the_index_at_once(store: Path) -> None:
    with Device.open(store) as device:
        assert not device.execute(CANCEL).error
        assert kept(store) == b""
        index = index_of_device(device, index_file(store))
    assert index_file(store).exists()  # type: ignore[union-attr]
    assert SECRET.encode() not in kept(store)
    assert SECRETIVE.encode() not in kept(store)
    assert len(index) == 9


def test_the_vector_words_and_names_of_a_removed_item_leave_the_file_too(tmp_path: Path) -> None:
    path = tmp_path / "kept.items"
    with Device.create(None, lives(path)) as device:
        index = index_of_device(device, path)
        ref = ItemRef("calendar", "events", 3)
        vector = vector_of(index, ref)
        other = vector_of(index, ItemRef("notes", "notes", 0))
        assert vector in path.read_bytes()
        index.remove([ref])
        assert index.save(path)
        left = path.read_bytes()
        assert vector not in left
        assert SECRET.encode() not in left
        assert SECRETIVE.encode() not in left
        assert other in left
        assert not any(SECRET in text for text in told(index))


def test_the_file_is_made_again_at_the_end_where_the_index_was_in_memory(store: Path) -> None:
    with Device.open(store) as device:
        relevance = Relevance(device)
        assert len(relevance.items("what is next", 99)) == 10
        device.execute(CANCEL)
        assert kept(store) == b""
        assert len(relevance.items("what is next", 99)) == 9
    loaded = ContextIndex.load(index_file(store) or store)
    assert loaded is not None
    with Device.open(store) as device:
        assert loaded[1] == device.state
    assert len(loaded[0]) == 9
    assert SECRET.encode() not in kept(store)


def test_a_record_that_says_something_else_leaves_nothing_of_what_it_said(tmp_path: Path) -> None:
    path = tmp_path / "oleg.camphor"
    contact = {"id": "1", "name": SECRETIVE, "phone": "555", "email": f"{SECRET}@example.org"}
    document = {**phone(), "apps": {"android_contacts": {"contacts": [contact]}}, "usage": []}
    with Device.create(path, document) as device:
        index_of_device(device, index_file(path))
        assert SECRET.encode() in kept(path)
        device._records.change("android_contacts", "contacts", 0, {**contact, "email": "new@example.org"})
        assert kept(path) == b""


def test_a_song_that_is_played_again_keeps_the_index(store: Path) -> None:
    with Device.open(store) as device:
        before = kept(store)
        assert not device.execute(Call("play_music", {"title": "Night Ferry"})).error
        assert kept(store) == before


@pytest.mark.parametrize(
    ("after", "less"),
    [
        ({"title": "Rope", "played": "2026-03-12T08:00:00", "tags": ["a"]}, False),
        ({"title": "Rope", "played": "2026-03-11T08:00:00", "tags": ["a"], "more": "b", "count": 4}, False),
        ({"title": "Rope", "played": "2026-03-11T08:00:00", "tags": []}, True),
        ({"title": "Rop", "played": "2026-03-11T08:00:00", "tags": ["a"]}, True),
    ],
)
def test_only_what_is_said_no_more_counts(after: dict[str, Any], less: bool) -> None:
    before = {"title": "Rope", "played": "2026-03-11T08:00:00", "tags": ["a"], "count": 3}
    assert says_less(before, after) is less


def test_an_action_that_fails_leaves_the_index(store: Path) -> None:
    before = kept(store)
    with Device.open(store) as device:
        assert device.execute(Call("cancel_calendar_event", {"event_title": "No such thing"})).error
        with contextlib.suppress(RuntimeError), device._store.transaction():
            device._records.change("calendar", "events", 3, None)
            raise RuntimeError
        assert device.record(ItemRef("calendar", "events", 3)) is not None
        device.execute(Call("create_notes", {"content": "buy rope"}))
    assert kept(store) == before


def test_a_file_that_cannot_be_erased_keeps_the_record_and_says_so(tmp_path: Path, store: Path) -> None:
    path = index_file(store)
    assert path is not None
    path.unlink()
    path.mkdir()  # not even root can open a folder as a file
    with Device.open(store) as device:
        with pytest.raises(StoreError, match="cannot be deleted"):
            device.execute(CANCEL)
        assert device.record(ItemRef("calendar", "events", 3)) is not None


def test_zeros_are_written_over_a_file_before_its_blocks_are_free(store: Path, tmp_path: Path) -> None:
    path = index_file(store)
    assert path is not None
    os.link(path, tmp_path / "same-blocks")
    erase(path)
    assert set((tmp_path / "same-blocks").read_bytes()) == {0}
    erase(path)
    os.link(store, tmp_path / "other")
    with Device.open(store) as device:
        index = index_of_device(device, path)
        os.link(path, tmp_path / "first")
        assert index.save(path)
    assert set((tmp_path / "first").read_bytes()) == {0}
    assert SECRET.encode() in path.read_bytes()


def test_what_a_stopped_process_left_of_the_file_goes_with_it(store: Path) -> None:
    left = store.with_name("oleg.camphorx1y2.partial")
    left.write_bytes(SECRET.encode())
    with Device.open(store) as device:
        device.execute(CANCEL)
    assert not left.exists()


def test_an_index_of_records_as_they_were_is_not_kept(store: Path) -> None:
    with Device.open(store) as device, Device.open(store) as other:
        state, index = device.state, index_of_device(device)
        other.execute(CANCEL)
        keep_index(index, device, index_file(store) or store, state)
        assert kept(store) == b""


def test_many_threads_leave_nothing(tmp_path: Path) -> None:
    path = tmp_path / "busy.camphor"
    document = lives(path)
    events = [{"title": f"{SECRET} {number}", "start": "2026-03-13T12:00:00"} for number in range(12)]
    document["apps"]["calendar"]["events"] = events
    with Device.create(path, {**document, "usage": []}) as device:
        calls = [Call("cancel_calendar_event", {"event_title": each["title"]}) for each in events]
        threads = [threading.Thread(target=device.execute, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        index_of_device(device, index_file(path))
        for thread in threads:
            thread.join()
        assert device.records("calendar", "events") == []
    assert SECRET.encode() not in kept(path)


def test_words_of_texts_that_go_are_forgotten_and_scores_are_those_of_the_others_alone() -> None:
    texts = ["red rope", "blue rope rope", "", "red moss", "fern"]
    index, fresh = Bm25(texts), Bm25([texts[1], texts[4]])
    index.keep(np.array([False, True, False, False, True]))
    assert len(index) == 2
    for query in ("rope", "red", "blue fern"):
        np.testing.assert_allclose(index.scores(query), fresh.scores(query))
    assert b"red" not in index.arrays()["words"].tobytes()
    index.add(["moss"])
    assert index.scores("moss").tolist()[:2] == [0, 0]
    index.keep(np.zeros(3, bool))
    assert len(index) == 0
    assert index.scores("moss").tolist() == []
    index.add(["rope"])
    assert index.scores("rope")[0] > 0


def test_a_compact_index_answers_as_one_made_anew() -> None:
    document = phone()
    index, fresh = index_of_document(document), index_of_document(document)
    extra = [Item(ItemRef("notes", "notes", 5 + n), f"rope {n}", "Rope", (), (f"Friend {n}",)) for n in range(5)]
    index.add([*extra, replace(extra[1], text="moss")])
    index.remove([each.ref for each in extra])
    index.compact()
    assert list(index.items()) == list(fresh.items())
    for query in ("ferns", "cello with oona"):
        found = Lexical().search(query, Situation(NOW), index, 5)
        assert found == Lexical().search(query, Situation(NOW), fresh, 5)
    index.add(extra)
    assert {item.people for item in index.items() if item.people} >= {("Friend 4",)}
    assert Lexical().search("rope 3", Situation(NOW), index, 9)
