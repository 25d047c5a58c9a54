"""Context and memory where a phone is odd: empty, of one app, without dates, of a wrong clock, with one huge note."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.memory.long_term import LongTermMemory
from camphor.device.database import index_file
from camphor.device.device import Device
from camphor.device.memories import MemoryKind, MemoryOrigin
from camphor.device.usage_events import ItemRef
from camphor.retrieval.context.items import LONGEST
from camphor.retrieval.context.rankers import LambdaMartRrf, LexicalRanker, Semantic
from camphor.retrieval.context.relevance import ENOUGH_USES, Relevance, index_of_device, situation_of_device
from camphor.types import Call

NOW = datetime(2026, 3, 12, 8, 45)
QUERIES = ("play it again", "when is my next lesson?", "I'm running late", "", "?!", "rope " * 300, "\ud800")


def phone(apps: Mapping[str, Any], used: tuple[str, str] | None = None, **more: Any) -> dict[str, Any]:
    """A device file's values. Args: used: app and list whose first item was used often enough to be ranked."""
    usage = []
    if used:
        days = [NOW - timedelta(hours=hours) for hours in range(1, ENOUGH_USES + 5)]
        usage = [
            {"app": used[0], "list": used[1], "item": 0, "kind": "opened", "at": day.isoformat(), "place": "home"}
            for day in days
        ]
    return {
        "format": "camphor.device/1", "id": "odd", "now": NOW.isoformat(), "apps": dict(apps), "usage": usage, **more
    }  # fmt: skip


def ranked(device: Device, query: str = "play it again") -> list[str]:
    return [item.title for item in Relevance(device).items(query, 50)]


def searched(device: Device) -> None:
    """Every retriever answers every query with items of this phone, each once, of scores that are numbers."""
    index, situation = index_of_device(device), situation_of_device(device)
    there = {ItemRef(app, name, ordinal) for app, name, rows in device.item_lists() for ordinal, _ in rows}
    for query in QUERIES:
        for retriever in (LexicalRanker(), Semantic(), LambdaMartRrf()):
            found = retriever.search(query, situation, index, 10)
            assert len({hit.ref for hit in found}) == len(found) <= 10
            assert {hit.ref for hit in found} <= there
            assert all(hit.score == hit.score for hit in found)


@pytest.mark.parametrize(
    "apps", [{}, {"notes": {"notes": []}}, {"notes": {}}, {"contacts": {}, "music": {"songs": []}}]
)
def test_an_empty_phone(apps: dict[str, Any]) -> None:
    with Device.create(None, phone(apps)) as device:
        searched(device)
        assert ranked(device) == []
        assert len(device.usage.signals()) == 0


def test_a_phone_of_one_app_and_of_one_item() -> None:
    songs = [{"title": "Tram Song"}, {"title": "Night Ferry"}]
    for kept in (songs, songs[:1]):
        with Device.create(None, phone({"music": {"songs": kept}}, ("music", "songs"))) as device:
            searched(device)
            assert ranked(device)[0] == "Tram Song"
            assert len(ranked(device)) == len(kept)


@pytest.mark.parametrize(
    "values",
    [
        {"start": None, "end": None},
        {"start": "soon", "end": "later"},
        {"start": "", "end": 7},
        {"start": "9999-12-31T23:59:59", "end": "9999-12-31T23:59:59"},
        {"start": "0001-01-01T00:00:00+14:00"},
        {"start": "2099-01-01", "end": "2026-01-01"},
        {"start": "2026-02-30T10:00:00"},
        {},
    ],
)
def test_items_without_dates_or_with_dates_far_off_or_turned_round(values: dict[str, Any]) -> None:
    events = [{"title": f"Event {number}", **values} for number in range(3)]
    with Device.create(None, phone({"calendar": {"events": events}}, ("calendar", "events"))) as device:
        searched(device)
        assert sorted(ranked(device)) == ["Event 0", "Event 1", "Event 2"]


def test_use_that_lies_ahead_is_no_use_yet() -> None:
    entry = {"app": "music", "list": "songs", "item": 0, "kind": "played"}
    usage = [{**entry, "at": f"{year}-01-01T10:00:00"} for year in (2027, 2400, 9999)] * ENOUGH_USES
    with Device.create(None, {**phone({"music": {"songs": [{"title": "Tram Song"}]}}), "usage": usage}) as device:
        assert device.usage.signals().count.sum() == 0
        assert not any(item.known for item in Relevance(device).items("play it"))
        searched(device)


@pytest.mark.parametrize("now", ["1970-01-01T00:00:00", "2020-06-01T12:00:00", "9999-12-31T23:59:59"])
def test_a_clock_that_jumps_changes_no_record_and_breaks_nothing(tmp_path: Path, now: str) -> None:
    songs = {"music": {"songs": [{"title": "Tram Song", "played": "2026-03-11T08:00:00"}, {"title": "Night Ferry"}]}}
    path = tmp_path / "odd.camphor"
    with Device.create(path, phone(songs, ("music", "songs"), place="home")) as device:
        assert ranked(device)[0] == "Tram Song"
    data = Device.open(path).export()
    other = tmp_path / "jumped.camphor"
    with Device.create(other, {**data, "now": now}) as device:
        searched(device)
        assert set(ranked(device)) <= {"Tram Song", "Night Ferry"}
        assert not device.execute(Call("play_music", {"title": "Night Ferry"})).error
        searched(device)
        assert len(device.usage.all_events()) == len(data["usage"]) + 1


def test_ten_megabytes_in_one_note(tmp_path: Path) -> None:
    path = tmp_path / "odd.camphor"
    huge = {"title": "Log", "content": "ferns and moss " * 700_000}
    assert len(huge["content"]) > 10_000_000
    notes = [huge, {"title": "Rope", "content": "buy rope"}]
    with Device.create(path, phone({"notes": {"notes": notes}}, ("notes", "notes"))) as device:
        searched(device)
        relevance = Relevance(device)
        assert relevance.items("what did I write about ferns?")[0].title == "Log"
        kept = index_file(path)
        assert kept is not None
        assert kept.stat().st_size < 20 * LONGEST
        memory = LongTermMemory(device)
        loop = memory.answer("what do you know about me?", 1)
        with pytest.raises(StopIteration, match="I remember nothing"):
            next(loop)


def test_a_word_of_ten_megabytes_is_no_trouble() -> None:
    note = {"title": "x" * 1_000_000, "content": "y" * 10_000_000, "tags": ["z"] * 100_000}
    with Device.create(None, phone({"notes": {"notes": [note]}}, ("notes", "notes"))) as device:
        searched(device)
        assert len(ranked(device)) == 1


def test_what_was_deleted_is_neither_ranked_nor_told_as_if_it_were_there() -> None:
    events = [{"title": "Padel", "start": "2026-03-12T10:00:00"}, {"title": "Yoga", "start": "2026-03-12T11:00:00"}]
    with Device.create(None, phone({"calendar": {"events": events}}, ("calendar", "events"))) as device:
        relevance, ref = Relevance(device), ItemRef("calendar", "events", 0)
        assert {item.title for item in relevance.items("when is it?")} == {"Padel", "Yoga"}
        device.memories.add(MemoryKind.FACT, "Padel is with Nora", MemoryOrigin("x", NOW.isoformat()), items=[ref])
        assert not device.execute(Call("cancel_calendar_event", {"event_title": "Padel"})).error
        assert device.usage.signals().count.sum() < ENOUGH_USES  # its use went with it
        assert [item.title for item in relevance.items("when is it?")] == ["Yoga"]
        assert index_of_device(device).row_of(ref) is None
        loop = LongTermMemory(device).answer("what do you know about me?", 1)
        with pytest.raises(StopIteration, match="no longer on this device"):
            next(loop)


def test_nothing_of_one_phone_is_on_another(tmp_path: Path) -> None:
    """Two phones of the same apps and ids, side by side, one of which is used; then their files."""
    mine = {"notes": {"notes": [{"title": "Zyxoprine", "content": "zyxoprine"}]}}
    theirs = {"notes": {"notes": [{"title": "Rope", "content": "rope"}]}}
    paths = [tmp_path / "mine.camphor", tmp_path / "theirs.camphor"]
    for path, apps in zip(paths, (mine, theirs), strict=True):
        Device.create(path, phone(copy.deepcopy(apps), ("notes", "notes"), place=path.stem)).close()
    with Device.open(paths[0]) as one, Device.open(paths[1]) as other:
        rankers = [Relevance(one), Relevance(other)]
        assert [ranker.items("zyxoprine")[0].title for ranker in rankers] == ["Zyxoprine", "Rope"]
        one.memories.add(MemoryKind.FACT, "Zyxoprine is mine", MemoryOrigin("x", NOW.isoformat()))
        one.usage.forget_all()
        assert other.usage.signals().count.sum() >= ENOUGH_USES
        assert other.memories.all() == []
    for path in tmp_path.glob("theirs*"):
        held = path.read_bytes().lower()
        assert b"zyxoprine" not in held
        assert b"mine" not in held
