from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from camphor.device.device import Device
from camphor.device.usage_events import ItemRef, UsageEvent
from camphor.retrieval.context.candidates import pick
from camphor.retrieval.context.documents import index_of_device, index_of_document, situation_of_document
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.items import LONGEST, Item, item_of
from camphor.retrieval.context.query import Situation
from camphor.retrieval.context.rankers import Lexical, Semantic
from camphor.types import Call
from tests.doubles.context_phone import NOW, phone

SONG, OTHER = ItemRef("music", "songs", 0), ItemRef("music", "songs", 1)


def refs(index: ContextIndex, query: str = "ferns", most: int = 480) -> set[ItemRef]:
    return {index.ref(row) for row in pick(query, Situation(NOW), index, most).rows}


def test_an_item_knows_what_it_says_when_it_is_and_who_it_is_about() -> None:
    record = {"title": "Dinner", "start": "2026-03-14T19:00:00", "end": "2026-03-14T21:00:00", "participants": ["Ute"]}
    item = item_of(ItemRef("calendar", "events", 0), record)
    assert item.title == "Dinner"
    assert item.people == ("Ute",)
    assert item.moments[1] - item.moments[0] == 7200
    assert "2026" not in item.text


def test_a_relationship_that_one_record_states_is_known_of_the_others() -> None:
    calls = [{"contact": "Ute", "relationship": "sister", "date": "2026-03-01T10:00:00"}]
    mail = [{"subject": "Keys", "sender": "Ute", "date": "2026-03-02T10:00:00", "body": "On the hook."}]
    document = phone(mail=mail)
    document["apps"]["phone"] = {"description": "phone", "tools": [], "records": {"calls": calls}}
    item = index_of_document(document).item(ItemRef("mail", "messages", 0))
    assert item is not None
    assert item.people == ("Ute", "sister")


def test_a_note_of_ten_million_characters_is_read_from_its_beginning() -> None:
    item = item_of(ItemRef("notes", "notes", 0), {"title": "Log", "content": "ferns " * 2_000_000})
    assert len(item.text) <= LONGEST
    assert item.text.startswith("Log")


def test_records_with_odd_values_are_items_all_the_same() -> None:
    odd = [
        {},
        {"content": None, "time": "soon"},
        {"content": 7, "time": 12, "done": "yes"},
        {"content": ["a", {"b": 1}]},
    ]
    index = index_of_document(phone(reminders=odd))
    kept = [index.item(ItemRef("reminders", "reminders", place)) for place in range(len(odd))]
    assert [item.moments for item in kept if item] == [()] * len(odd)


def test_an_item_that_is_added_changed_or_removed_is_found_so() -> None:
    index = index_of_document(phone())
    new = Item(ItemRef("notes", "notes", 9), "repair the drill press", "Shed")
    index.add([new])
    assert Lexical().search("drill press", Situation(NOW), index, 1)[0].ref == new.ref
    index.add([replace(new, text="buy rope")])
    assert new.ref not in {hit.ref for hit in Lexical().search("drill press", Situation(NOW), index, 9)}
    assert Lexical().search("rope", Situation(NOW), index, 1)[0].ref == new.ref
    index.remove([new.ref])
    assert new.ref not in index
    assert new.ref not in refs(index)
    assert not Lexical().search("rope", Situation(NOW), index, 9)


def test_a_changed_index_answers_as_one_made_anew() -> None:
    document = phone()
    grown = index_of_document(document)
    item = grown.item(SONG)
    assert item is not None
    grown.remove([SONG])
    grown.uses(grown.signals())
    grown.add([item])
    fresh = index_of_document(document)
    situation = situation_of_document(document)
    for query in ("tram", "play it", "ferns"):
        found = [dict(Semantic().search(query, situation, index, 99)) for index in (grown, fresh)]
        assert found[0] == pytest.approx(found[1], abs=1e-6)
    for index in (grown, fresh):
        picked = pick("play it", situation, index)
        counted = {
            index.ref(row): float(index.signals().count[use])
            for row, use in zip(picked.rows, picked.use, strict=True)
            if use >= 0
        }
        assert counted == {SONG: 14, OTHER: 9, ItemRef("notes", "notes", 0): 1}


def test_the_file_gives_the_same_index_again(tmp_path: Path) -> None:
    path = tmp_path / "kept" / "phone.npz"
    with Device.create(None, phone()) as device:
        made = index_of_device(device, path)
        assert path.is_file()
        kept = ContextIndex.load(path, device.usage.signals)
        assert kept is not None
        index, stamp = kept
        assert stamp == device.state
        assert list(index.items()) == list(made.items())
        for query in ("ferns", "cello"):
            assert Semantic().search(query, Situation(NOW), index, 5) == Semantic().search(
                query, Situation(NOW), made, 5
            )
            np.testing.assert_array_equal(index.words.scores(query), made.words.scores(query))
        index.add([Item(ItemRef("notes", "notes", 3), "later")])
        assert len(index) == len(made) + 1


def test_a_file_that_is_torn_or_old_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "phone.npz"
    with Device.create(None, phone()) as device:
        index_of_device(device, path)
        path.write_bytes(path.read_bytes()[:-50])
        assert len(index_of_device(device, path)) == 9
        device.execute(Call("create_notes", {"content": "ask about the rosin"}))
        index = index_of_device(device, path)
        assert Lexical().search("rosin", Situation(NOW), index, 1)[0].ref == ItemRef("notes", "notes", 1)
        kept = ContextIndex.load(path, device.usage.signals)
        assert kept is not None
        assert len(kept[0]) == 10


def test_use_that_a_device_notes_or_forgets_counts_at_the_next_search() -> None:
    with Device.create(None, phone()) as device:
        index = index_of_device(device)
        assert pick("x", Situation(NOW), index).signals.count.sum() == 24
        device.usage.record(UsageEvent(ItemRef("calendar", "events", 0), "opened", NOW, "home"))
        picked = pick("x", Situation(NOW), index)
        use = dict(zip([index.ref(row) for row in picked.rows], picked.use, strict=True))
        assert picked.signals.count[use[ItemRef("calendar", "events", 0)]] == 1
        device.usage.forget(SONG)
        picked = pick("x", Situation(NOW), index)
        use = dict(zip([index.ref(row) for row in picked.rows], picked.use, strict=True))
        assert use[SONG] == -1
        assert picked.signals.count[use[OTHER]] == 9


def test_of_many_items_those_near_by_words_moment_or_use_are_picked() -> None:
    notes = [{"title": f"note {n}", "content": "rope " * (n % 7), "modified": "2024-01-01"} for n in range(900)]
    notes[500]["content"] = "ferns and moss"
    events = [{"title": f"meeting {n}", "start": (NOW + timedelta(hours=n - 450)).isoformat()} for n in range(900)]
    songs = [{"title": f"song {n}", "played": "2025-01-01T10:00:00"} for n in range(900)]
    index = index_of_document(phone(notes=notes, calendar=events, music=songs))
    picked = refs(index, most=200)
    assert len(picked) < 250
    assert {ItemRef("notes", "notes", 500), SONG, OTHER} <= picked
    assert {ItemRef("calendar", "events", 449 + step) for step in (0, 1, 2, 3)} <= picked
    assert {ref for ref in picked if ref.app == "reminders"} == {ItemRef("reminders", "reminders", n) for n in (0, 1)}


def test_two_phones_share_nothing() -> None:
    one, other = index_of_document(phone()), index_of_document(phone(music=[]))
    assert SONG in one
    assert SONG not in other
    assert not {ref for ref in refs(other, "tram song") if ref.app == "music"}


def test_moments_far_off_and_a_clock_that_went_back_do_no_harm() -> None:
    events = [{"title": "far", "start": "9999-12-31T23:59:59"}, {"title": "old", "start": "0001-01-01T00:00:00"}]
    index = index_of_document(phone(calendar=events))
    for now in (NOW, datetime(1970, 1, 1), datetime(2019, 1, 1)):
        assert pick("far", Situation(now), index).rows.size == len(index)
