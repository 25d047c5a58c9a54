"""Bringing records in: nothing twice, what changed or is gone, a run that was cut off, a source that is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.device import Device
from camphor.device.importers import Brought
from camphor.device.sources import PART, Bringing, Change
from camphor.errors import UsageError
from tests.doubles.plans import UNHURRIED

EMPTY = {"format": "camphor.device/1", "id": "mine", "apps": {"notes": {"notes": [{"title": "own", "content": "x"}]}}}


def notes(texts: dict[str, str]) -> list[Brought]:
    return [Brought("notes", "notes", key, {"title": key, "content": text}) for key, text in texts.items()]


def bring(device: Device, found: list[Brought], *, preview: bool = False, mirrors: bool = True) -> Bringing:
    return device.sources.bring("notes", "/n", iter(found), "2026-01-01T08:00:00", mirrors=mirrors, preview=preview)


def held(device: Device) -> dict[str, str]:
    return {str(each["title"]): str(each["content"]) for each in device.records("notes", "notes")}


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Device]:
    with Device.create(tmp_path / "mine.camphor", EMPTY) as made:
        yield made


def test_a_source_that_is_read_again_makes_no_doubles(device: Device) -> None:
    assert bring(device, notes({"a": "1", "b": "2"})).total == Change(new=2)
    assert bring(device, notes({"b": "2", "a": "one", "c": "3"})).total == Change(new=1, changed=1, same=1)
    assert held(device) == {"own": "x", "a": "one", "b": "2", "c": "3"}
    (source,) = device.sources.all()
    assert (source.importer, source.place, source.records) == ("notes", "/n", 3)


def test_what_a_source_has_no_more_goes_where_it_is_the_whole_truth(device: Device) -> None:
    bring(device, notes({"a": "1", "b": "2"}))
    assert bring(device, notes({"b": "2"}), mirrors=False).total == Change(same=1)
    assert held(device) == {"own": "x", "a": "1", "b": "2"}
    assert bring(device, notes({"b": "2"})).total == Change(same=1, gone=1)
    assert held(device) == {"own": "x", "b": "2"}


def test_a_source_that_lost_nearly_all_takes_nothing_with_it(device: Device) -> None:
    many = {str(number): "x" for number in range(60)}
    bring(device, notes(many))
    done = bring(device, [])
    assert done.kept == 60
    assert len(held(device)) == 61
    assert bring(device, notes(many)).total == Change(same=60)


def test_a_preview_writes_nothing(device: Device) -> None:
    done = bring(device, notes({"a": "1", "b": "2"}), preview=True)
    assert done.total == Change(new=2)
    assert done.examples["notes", "notes"][0] == {"title": "a", "content": "1"}
    assert held(device) == {"own": "x"}
    assert device.sources.all() == []


def test_an_app_that_is_not_there_yet_is_installed(device: Device) -> None:
    found = [Brought("calendar", "events", "1", {"title": "Dentist", "start": "2026-05-07T09:00:00"})]
    device.sources.bring("ics", "/c", found, "2026-01-01T08:00:00", mirrors=True)
    assert "calendar" in device.apps
    assert "get_calendar_event" in device.toolbox
    with pytest.raises(UsageError, match="no app that is built in"):
        bring(device, [Brought("own_app", "things", "1", {"a": 1})])


def test_a_run_that_is_cut_off_goes_on(device: Device, tmp_path: Path) -> None:
    texts = {f"note {number}": "about boats" for number in range(PART + 900)}

    def cut() -> Iterator[Brought]:
        for number, each in enumerate(notes(texts)):
            if number == PART + 100:
                raise KeyboardInterrupt
            yield each

    with pytest.raises(KeyboardInterrupt):
        device.sources.bring("notes", "/n", cut(), "2026-01-01T08:00:00", mirrors=True)
    assert len(held(device)) == PART + 1
    assert bring(device, notes(texts)).total == Change(new=900, same=PART)
    assert device.page("notes", "notes", "note 4500 boats", most=1).total == 1
    assert device.page("notes", "notes", "boats", most=1).total == PART + 900


def test_what_was_removed_on_the_device_does_not_come_back(device: Device) -> None:
    found = [Brought("calendar", "events", key, {"title": key, "start": "2026-05-07T09:00:00"}) for key in ("a", "b")]
    for _ in range(2):
        device.sources.bring("ics", "/c", found, "2026-01-01T08:00:00", mirrors=True)
        with device.changing(_calendar()) as app:
            for ordinal, record in app.records.rows("events"):
                if record["title"] == "a":
                    app.records.change("events", ordinal, None)
        assert [each["title"] for each in device.records("calendar", "events")] == ["b"]


def _calendar() -> type:
    from camphor.device.apps.personal import Calendar

    return Calendar


def test_a_forgotten_source_leaves_or_takes_its_records(device: Device) -> None:
    bring(device, notes({"a": "1"}))
    assert device.sources.forget("notes", "/n", records_too=False) == 1
    assert held(device) == {"own": "x", "a": "1"}
    bring(device, notes({"b": "2"}))
    assert device.sources.forget("notes", "/n", records_too=True) == 1
    assert held(device) == {"own": "x", "a": "1"}
    with pytest.raises(UsageError, match="nothing was brought in"):
        device.sources.forget("notes", "/n", records_too=True)


TEXTS = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(["1", "2", "three"]), max_size=8)


@UNHURRIED
@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_after_any_readings_the_device_holds_the_last_one(readings: list[dict[str, str]]) -> None:
    with Device.create(None, EMPTY) as device:
        for texts in readings:
            bring(device, notes(texts))
        assert held(device) == {"own": "x", **readings[-1]}
