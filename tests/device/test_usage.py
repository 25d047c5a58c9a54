"""What is noted about the use of items: counted event by event, kept on disk, corrected, forgotten, never misled."""

from __future__ import annotations

import itertools
import random
import sqlite3
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camphor.device.device import Device
from camphor.device.store import VERSION, Store
from camphor.device.usage import Usage
from camphor.device.usage_events import KINDS, ItemRef, UsageEvent, seconds
from camphor.errors import DeviceFileError, StoreError, UsageError
from tests.doubles.device import call, device, phone

NOW = datetime(2026, 3, 12, 8, 45)
SONG = ItemRef("music", "songs", 0)
ALICE = ItemRef("contacts", "people", 1)


def event(ref: ItemRef = SONG, *, at: datetime = NOW, kind: str = "played", **more: Any) -> UsageEvent:
    return UsageEvent(ref, kind, at, **more)


def columns(usage: Usage) -> dict[ItemRef, list[Any]]:
    """What the signals say of each item, with places and screens by name."""
    signals = usage.signals()
    parts = (signals.count, signals.first, signals.last, signals.hours, signals.weekdays, signals.dayparts)
    rounded = [np.round(part, 4).tolist() for part in (*parts, signals.kinds, signals.decayed)]
    named = [
        [
            {name: count for name, count in zip(names, row, strict=True) if count}
            for row in values.tolist()
        ]
        for names, values in ((signals.place_names, signals.places), (signals.screen_names, signals.screens))
    ]  # fmt: skip
    return {ref: [part[row] for part in (*rounded, *named)] for ref, row in signals.row_of.items()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Device.create(tmp_path / "a.camphor", phone()).close()
    return tmp_path / "a.camphor"


# counting


def test_an_event_is_counted_in_every_column() -> None:
    usage = device().usage
    assert usage.record(event(at=datetime(2026, 3, 10, 7, 42), place="commute", screen="Music: Live\nplaying"))
    signals = usage.signals()
    row = signals.row_of[SONG]
    assert signals.refs == [SONG]
    assert signals.count[row] == 1
    assert signals.first[row] == signals.last[row] == seconds(datetime(2026, 3, 10, 7, 42))
    assert signals.decayed[row].tolist() == [1, 1, 1, 1]
    assert np.flatnonzero(signals.hours[row]).tolist() == [7]
    assert np.flatnonzero(signals.weekdays[row]).tolist() == [1]
    assert np.flatnonzero(signals.dayparts[row]).tolist() == [1 * 4 + 1]
    assert [signals.kind_names[kind] for kind in np.flatnonzero(signals.kinds[row])] == ["played"]
    assert signals.place_names == ["commute"]
    assert signals.screen_names == ["Music"]
    assert signals.places[row].tolist() == signals.screens[row].tolist() == [1]


def test_counts_halve_with_time() -> None:
    usage = device().usage
    for days in (30, 0):
        usage.record(event(at=NOW - timedelta(days=days)))
    [hour, day, week, month] = usage.signals().decayed[0].tolist()
    assert (hour, day) == pytest.approx((1, 1), abs=1e-6)
    assert week == pytest.approx(1 + 2 ** (-30 / 7))
    assert month == pytest.approx(1.5)
    later = usage.signals().decayed_at(seconds(NOW + timedelta(days=7)))[0]
    assert later[2] == pytest.approx(week / 2)
    assert usage.signals().decayed_at(0.0)[0].tolist() == pytest.approx([hour, day, week, month])


def test_the_order_of_events_and_loading_change_nothing(path: Path) -> None:
    dice = random.Random(3)
    events = [
        event(
            ItemRef("calendar", "events", dice.randrange(7)), at=NOW - timedelta(minutes=dice.randrange(60 * 24 * 50)),
            kind=dice.choice(KINDS), place=dice.choice(["", "home", "work"]), screen=dice.choice(["", "Mail", "Maps"]),
        )
        for _ in range(200)
    ]  # fmt: skip
    told = []
    for order in (events, events[::-1], sorted(events, key=lambda each: each.at)):
        usage = device().usage
        usage.signals()
        assert all(map(usage.record, order))
        kept = columns(usage)
        usage.refresh()
        assert columns(usage) == kept
        told.append(kept)
    assert all(
        left[:7] == right[:7] and left[8:] == right[8:] and left[7] == pytest.approx(right[7], rel=1e-3)
        for one, other in itertools.pairwise(told)
        for left, right in ((one[ref], other[ref]) for ref in one)
    )


def test_many_items_outgrow_the_first_rows() -> None:
    data = phone()
    data["apps"]["music"]["songs"] = [{"title": f"Song {number}"} for number in range(300)]
    usage = Device.create(None, data).usage
    usage.signals()
    for number in range(300):
        usage.record(event(ItemRef("music", "songs", number), place=f"place {number % 100}"))
    signals = usage.signals()
    assert len(signals) == 300
    assert signals.count.tolist() == [1] * 300
    assert len(signals.place_names) == 64
    kept = columns(usage)
    usage.refresh()
    assert columns(usage) == kept


# clocks


def test_what_lies_ahead_of_the_clock_counts_when_the_clock_comes_there() -> None:
    store = device()._store
    clock = [NOW]
    usage = Usage(store, lambda: clock[0])
    usage.record(event(at=NOW))
    usage.record(event(at=NOW + timedelta(days=300)))
    assert usage.signals().count[0] == 1
    assert usage.signals().last[0] == seconds(NOW)
    assert len(usage.events(SONG)) == 2
    clock[0] += timedelta(days=400)
    usage.refresh()
    assert usage.signals().count[0] == 2


def test_what_a_clock_that_ran_ahead_had_counted_is_taken_back() -> None:
    store = device()._store
    clock = [NOW + timedelta(days=4000)]
    usage = Usage(store, lambda: clock[0])
    usage.record(event(at=NOW - timedelta(days=1)))
    usage.record(event(at=clock[0]))
    clock[0] = NOW
    usage.record(event(at=NOW))
    for _ in range(2):
        signals = usage.signals()
        assert signals.last[0] == seconds(NOW)
        assert signals.count[0] == 2
        assert signals.decayed[0, 1] == pytest.approx(1.5)
        usage.refresh()


def test_a_clock_that_jumps_back_a_little_is_no_fault() -> None:
    usage = device().usage
    usage.record(event(at=NOW + timedelta(hours=13)))
    usage.record(event(at=NOW))
    assert usage.signals().last[0] == seconds(NOW + timedelta(hours=13))
    assert np.all(usage.signals().decayed <= 2)


@pytest.mark.parametrize("at", [datetime.min, datetime(1970, 1, 1), datetime.max])
def test_times_that_cannot_be_are_kept_and_not_counted(at: datetime) -> None:
    usage = device().usage
    assert usage.record(event(at=at))
    assert len(usage.signals()) == 0
    assert [each.at for each in usage.events(SONG)] == [at]


def test_a_clock_at_the_end_of_time() -> None:
    usage = Device.create(None, {**phone(), "now": "9999-12-31T23:59:59"}).usage
    assert usage.record(event(at=datetime.max))
    assert usage.record(event(at=NOW))
    assert np.isfinite(usage.signals().decayed).all()


def test_no_such_use() -> None:
    with pytest.raises(ValueError, match="no kind of use"):
        event(kind="danced")
    with pytest.raises(ValueError, match="offset"):
        event(at=datetime.fromisoformat("2026-03-10T07:42:00+01:00"))


# on disk


def test_it_is_there_after_a_restart(path: Path) -> None:
    with Device.open(path) as made:
        made.usage.record(event(place="home"))
        kept = columns(made.usage)
    with Device.open(path) as made:
        assert columns(made.usage) == kept
        assert [each.id for each in made.usage.events(SONG)] == [1]


def test_what_another_process_noted_is_seen(path: Path) -> None:
    with Device.open(path) as one, Device.open(path) as two:
        assert len(two.usage.signals()) == 0
        one.usage.record(event(place="home"))
        assert two.usage.signals().count.tolist() == [1]
        two.usage.record(event(place="work"))
        assert one.usage.signals().place_names == two.usage.signals().place_names == ["home", "work"]
        one.usage.forget_all()
        two.usage.record(event(place="gym"))
        assert one.usage.signals().place_names == ["gym"]


def test_a_failed_write_counts_nothing(path: Path) -> None:
    with Device.open(path) as made:
        made.usage.record(event())
        kept = columns(made.usage)
        pages = made._store.value("PRAGMA page_count")
        made._store.run(f"PRAGMA max_page_count={pages}")
        with pytest.raises(StoreError, match="disk is full"):
            made.usage.record(event(screen="x" * 100_000))
        assert columns(made.usage) == kept


def test_a_store_of_version_1_gains_the_tables(path: Path) -> None:
    old = sqlite3.connect(path)
    tables = [row[0] for row in old.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    for table in tables:
        if table.startswith("usage_"):
            old.execute(f"DROP TABLE {table}")
    old.execute("PRAGMA user_version=1")
    old.close()
    with Device.open(path) as made:
        assert made.usage.record(event())
        assert made.export() == {**phone(), "usage": made.usage.export()}
        assert made._store.value("PRAGMA user_version") == VERSION
    with Device.open(path) as made:
        assert made.usage.signals().count.tolist() == [1]


def test_a_newer_store_is_refused(path: Path) -> None:
    newer = sqlite3.connect(path)
    newer.execute(f"PRAGMA user_version={VERSION + 1}")
    newer.close()
    with pytest.raises(StoreError, match=f"version {VERSION + 1}"):
        Device.open(path)


# deleted items


def test_a_deleted_item_takes_its_use_along() -> None:
    made = device()
    choir, other = ItemRef("calendar", "events", 3), ItemRef("calendar", "events", 4)
    made.usage.signals()
    for ref in (choir, other, SONG):
        made.usage.record(event(ref))
    made._records.change("calendar", "events", 3, None)
    assert set(columns(made.usage)) == {other, SONG}
    assert made.usage.events(choir) == []
    assert not made.usage.record(event(choir))
    assert made.usage.of(choir) is None
    call(made, "create_calendar_event", time="2026-03-20T10:00:00", event_title="Choir")
    assert made.usage.of(choir) is None
    assert made.usage.of(ItemRef("calendar", "events", 7)) is not None


def test_nothing_is_kept_of_what_is_not_there() -> None:
    usage = device().usage
    for ref in (ItemRef("music", "songs", 9), ItemRef("music", "albums", 0), ItemRef("none", "x", 0)):
        assert not usage.record(event(ref))
        assert usage.of(ref) is None
        assert usage.events(ref) == []
        assert usage.forget(ref) == 0
    assert len(usage.signals()) == 0


# the person's say


def test_forgetting_leaves_no_trace_in_the_files(path: Path) -> None:
    with Device.open(path) as made:
        made.usage.record(event(place="Secretplace", screen="Secretscreen: x"))
        made.usage.record(event(ALICE, place="home"))
        assert made.usage.forget(SONG) == 1
        assert set(columns(made.usage)) == {ALICE}
        assert columns(made.usage)[ALICE][-2] == {"home": 1}
        made.usage.record(event(place="gym"))
        kept = columns(made.usage)
        made.usage.refresh()
        assert columns(made.usage) == kept
        for file in path.parent.iterdir():
            assert b"Secret" not in file.read_bytes()
        assert made.usage.forget_all() == 2
        assert len(made.usage.signals()) == 0
        assert made.usage.signals().place_names == []


def test_an_event_is_corrected() -> None:
    usage = device().usage
    usage.record(event(place="gym"))
    usage.record(event(at=NOW - timedelta(hours=3), place="work"))
    first = usage.event(1)
    usage.correct(1, replace(first, place="home", kind="opened"))
    assert usage.event(1) == replace(first, place="home", kind="opened")
    assert columns(usage)[SONG][-2] == {"home": 1, "work": 1}
    usage.correct(1, replace(first, ref=ALICE))
    assert columns(usage)[ALICE][0] == columns(usage)[SONG][0] == 1
    usage.correct(2, None)
    assert set(columns(usage)) == {ALICE}
    for number, right in ((2, None), (1, replace(first, ref=ItemRef("music", "songs", 5)))):
        with pytest.raises(UsageError, match="There is no"):
            usage.correct(number, right)
    assert set(columns(usage)) == {ALICE}


def test_while_paused_nothing_is_noted(path: Path) -> None:
    with Device.open(path) as made:
        made.usage.pause()
        made.usage.pause()
        assert not made.usage.record(event())
    with Device.open(path) as made:
        assert made.usage.paused
        call(made, "create_notes", content="Milk")
        assert len(made.usage.signals()) == 0
        made.usage.resume()
        assert made.usage.record(event())


# the device file

ENTRY = {"app": "music", "list": "songs", "item": 0, "kind": "played", "at": "2026-03-10T07:42:00",
         "place": "commute", "screen": ""}  # fmt: skip


def test_the_device_file_fills_the_log_and_gets_it_back() -> None:
    data = {**phone(), "usage": [{**ENTRY, "at": "2026-03-10T07:42:00.500000", "mood": {"x": [1]}}, ENTRY]}
    made = Device.create(None, data)
    assert made.export() == data
    assert list(made.export()) == list(data)
    assert made.usage.signals().count.tolist() == [2]
    assert made.usage.skipped == 0
    for empty in ([], None):
        assert Device.create(None, {**phone(), "usage": empty}).export()["usage"] == empty


BROKEN: list[Any] = [
    7, None, [], {}, "played",
    {**ENTRY, "item": 1}, {**ENTRY, "item": -1}, {**ENTRY, "item": True}, {**ENTRY, "item": "0"},
    {**ENTRY, "app": "none"}, {**ENTRY, "list": None}, {**ENTRY, "app": ["music"]},
    {**ENTRY, "kind": "danced"}, {**ENTRY, "kind": []}, {**ENTRY, "at": "soon"}, {**ENTRY, "at": 3},
    {**ENTRY, "at": "0001-01-01T00:00:00+14:00"}, {**ENTRY, "place": 3}, {**ENTRY, "screen": {}},
]  # fmt: skip


def test_what_is_no_event_is_skipped_counted_and_given_back() -> None:
    data = {**phone(), "usage": [ENTRY, *BROKEN]}
    made = Device.create(None, data)
    assert made.usage.skipped == len(BROKEN)
    assert made.usage.signals().count.tolist() == [1]
    assert made.export() == data
    made.usage.forget_all()
    assert made.usage.skipped == 0
    assert made.export()["usage"] == []


def test_odd_texts_harm_nothing() -> None:
    odd = {**ENTRY, "place": "a\udc80b", "screen": "\x00" * 3, "mood": "\udc80"}
    made = Device.create(None, {**phone(), "usage": [odd, {**ENTRY, "place": None}]})
    assert made.usage.signals().place_names == ["a?b"]
    assert made.usage.skipped == 0
    assert len(made.export()["usage"]) == 2


def test_usage_that_is_no_list_is_refused() -> None:
    with pytest.raises(DeviceFileError, match="/usage"):
        Device.create(None, {**phone(), "usage": {}})


def test_items_are_exported_by_where_they_stand_now() -> None:
    data = phone()
    made = Device.create(None, {**data, "usage": [{**ENTRY, "app": "calendar", "list": "events", "item": 4}]})
    made._records.change("calendar", "events", 0, None)
    [entry] = made.export()["usage"]
    assert entry["item"] == 3
    again = Device.create(None, made.export())
    assert set(columns(again.usage)) == {ItemRef("calendar", "events", 3)}


def test_times_with_an_offset_are_the_phones_own() -> None:
    made = Device.create(None, {**phone(), "usage": [{**ENTRY, "at": "2026-07-10T06:42:00Z"}]})
    assert [each.at.hour for each in made.usage.events(SONG)] == [7]


# actions


def kinds_of(made: Device) -> dict[str, str]:
    return {str(each.ref): each.kind for each in made.usage.all_events()}


def test_an_action_is_use_of_what_it_wrote_and_of_what_it_was_about() -> None:
    made = device()
    call(made, "call_contacts", person="Alice Johnson")
    assert kinds_of(made) == {"contacts/calls/0": "created", "contacts/people/1": "used"}
    assert {each.place for each in made.usage.all_events()} == {"Dublin"}
    assert {each.screen for each in made.usage.all_events()} == {"Mail: inbox"}
    made = device()
    call(made, "send_imessage_message", receiver="Zoë", content="Hello")
    assert kinds_of(made) == {"imessage/messages/0": "created", "contacts/people/2": "used"}
    made = device()
    call(made, "play_music", title="Agua de Beber")
    assert kinds_of(made) == {"music/songs/0": "used"}
    made = device()
    call(made, "play_spotify_playlist", name="Long run")
    assert kinds_of(made) == {"spotify/playlists/0": "used"}
    made = device()
    call(made, "cancel_calendar_event", event_title="Trip to Porto")
    assert kinds_of(made) == {}


def test_looking_up_and_failing_are_no_use() -> None:
    made = device()
    call(made, "get_music_playlist", keyword="agua")
    call(made, "get_contacts_information", keyword="Alice")
    assert call(made, "call_contacts", person="Nobody").error
    assert kinds_of(made) == {}


def test_an_action_done_before_is_not_used_again() -> None:
    made = device()
    for _ in range(2):
        made.execute(call(device(), "create_notes", content="Milk").call, key="k")
    assert kinds_of(made) == {"notes/notes/0": "created"}


def test_the_place_is_the_persons_word_for_it() -> None:
    made = Device.create(None, {**phone(), "place": "work"})
    call(made, "create_notes", content="Milk")
    assert made.usage.signals().place_names == ["work"]


def test_an_undone_action_is_no_use(path: Path) -> None:
    with Device.open(path) as made:
        made.usage.signals()
        pages = made._store.value("PRAGMA page_count")
        made._store.run(f"PRAGMA max_page_count={pages + 2}")
        with pytest.raises(StoreError, match="disk is full"):
            call(made, "create_notes", content="milk " * 20_000)
        assert len(made.usage.signals()) == 0


def test_devices_share_nothing(tmp_path: Path) -> None:
    one, two = (Device.create(tmp_path / name, phone()) for name in ("a.camphor", "b.camphor"))
    one.usage.record(event(place="home"))
    assert len(two.usage.signals()) == 0
    assert two.usage.signals().place_names == []
    one.close()
    two.close()


def test_an_empty_store_has_no_signals() -> None:
    usage = Usage(Store(None, create=True))
    signals = usage.signals()
    assert len(signals) == 0
    assert signals.hours.shape == (0, 24)
    assert signals.decayed_at(0.0).shape == (0, 4)
    assert signals.places.shape == (0, 0)
