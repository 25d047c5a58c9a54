"""Actions are taken back once, whole, and only while nothing else has changed what they wrote."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from camphor.device.device import Device
from camphor.device.store import VERSION
from camphor.errors import CannotUndo, UsageError
from camphor.types import Call
from tests.doubles.device import device, phone

NOTE = Call("create_notes", {"content": "Milk"})
REMINDER = Call("create_reminders", {"time": "2026-03-12T18:00:00", "content": "Ring Alice"})
EVENT = Call("create_calendar_event", {"time": "2026-03-13T18:00:00", "event_title": "Film"})
CANCEL = Call("cancel_calendar_event", {"event_title": "Trip to Porto"})


@pytest.mark.parametrize("call", [NOTE, REMINDER, EVENT, CANCEL], ids=lambda call: call.name)
def test_the_phone_is_as_it_was_and_the_journal_says_so(call: Call) -> None:
    made = device()
    before = made.export()["apps"]
    made.execute(call)
    assert made.export()["apps"] != before
    state = made.state
    undone = made.undo(1)
    assert made.export()["apps"] == before
    assert undone.undone
    assert made.journal() == [undone]
    assert made.state != state


@pytest.mark.parametrize(
    "call",
    [
        Call("send_imessage_message", {"receiver": "555-123-4567", "content": "Late"}),
        Call("send_mail", {"receiver": "alice@example.org", "content": "Late"}),
        Call("call_contacts", {"person": "Alice Johnson"}),
        Call("play_music", {"title": "Água de Beber"}),
        Call("download_appstore_app", {"app_name": "Chess"}),
    ],
    ids=lambda call: call.name,
)
def test_what_reached_somebody_or_something_else_is_not_taken_back(call: Call) -> None:
    made = device()
    made.execute(call)
    [entry] = made.journal()
    assert not entry.reversible
    kept = made.export()
    with pytest.raises(CannotUndo, match="cannot be undone"):
        made.undo(1)
    assert made.export() == kept


def test_an_action_is_undone_once(tmp_path: Path) -> None:
    Device.create(tmp_path / "a.db", phone()).close()
    with Device.open(tmp_path / "a.db") as made:
        made.execute(NOTE)
        made.execute(NOTE)
        told: list[str] = []

        def try_it() -> None:
            with Device.open(tmp_path / "a.db") as other:  # as another process would
                try:
                    other.undo(1)
                    told.append("undone")
                except CannotUndo as error:
                    told.append(str(error))

        threads = [threading.Thread(target=try_it) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert sorted(each[:8] for each in told) == ["Action 1"] * 3 + ["undone"]
        assert all("was undone before, on 20" in each for each in told if each != "undone")
        assert len(made.records("notes", "notes")) == 1


def test_what_was_changed_since_stays() -> None:
    made = device()
    made.execute(REMINDER)
    [*_, (ordinal, record)] = _rows(made, "reminders", "reminders")
    made._records.change("reminders", "reminders", ordinal, {**record, "done": True})
    with pytest.raises(CannotUndo, match="in reminders has changed since"):
        made.undo(1)
    made._records.change("reminders", "reminders", ordinal, None)
    with pytest.raises(CannotUndo, match="in reminders is gone"):
        made.undo(1)
    assert made.journal()[0].undone is None


def _rows(made: Device, app: str, name: str) -> list[tuple[int, dict[str, object]]]:
    return sorted(made.page(app, name).rows)


def test_an_event_comes_back_to_its_place_and_is_found(tmp_path: Path) -> None:
    data = phone()
    events = [{"title": f"Event {number}", "start": "2026-03-20"} for number in range(300)]  # a list that is indexed
    data["apps"]["calendar"]["events"] = events
    with Device.create(tmp_path / "a.db", data) as made:
        made.execute(Call("cancel_calendar_event", {"event_title": "Event 7"}))
        look = Call("get_calendar_event", {"theme": "7"})
        assert {"title": "Event 7", "start": "2026-03-20"} not in made.execute(look).records
        made.undo(1)
        assert made.records("calendar", "events") == events
        assert {"title": "Event 7", "start": "2026-03-20"} in made.execute(look).records


def test_an_undone_action_is_not_done_again_by_its_key() -> None:
    made = device()
    first = made.execute(NOTE, key="k")
    made.undo(1)
    assert made.execute(NOTE, key="k") == first
    assert made.records("notes", "notes") == []


def test_a_number_that_is_none_is_said() -> None:
    with pytest.raises(UsageError, match="no action 7"):
        device().undo(7)


def test_a_store_of_version_2_goes_on_and_its_actions_stay_done(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Device.create(path, phone()) as made:
        made.execute(NOTE)
    old = sqlite3.connect(path)
    old.execute("DROP TABLE journal_changes")
    old.execute("PRAGMA user_version=2")
    old.close()
    with Device.open(path) as made:
        assert made._store.value("PRAGMA user_version") == VERSION
        with pytest.raises(CannotUndo):
            made.undo(1)
        made.execute(NOTE)
        made.undo(2)
        assert len(made.records("notes", "notes")) == 1


def test_the_newest_actions_come_first_in_pages() -> None:
    made = device()
    for _ in range(5):
        made.execute(NOTE)
    assert [entry.id for entry in made.latest_actions(2)] == [5, 4]
    assert [entry.id for entry in made.latest_actions(9, before=4)] == [3, 2, 1]


def test_records_come_in_pages_the_last_added_first() -> None:
    made = device()
    page = made.page("calendar", "events", start=1, most=2)
    assert page.total == 7
    assert [ordinal for ordinal, _ in page.rows] == [5, 4]
    found = made.page("calendar", "events", "choir", start=1)
    assert (found.total, found.rows) == (2, [(4, {"title": "Choir", "start": "2026-03-17T19:00:00"})])
    assert made.page("calendar", "nothing") == (0, [])
