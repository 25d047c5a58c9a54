"""A device file as it was at a moment, whatever the format lets it lack."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from camphor.device.device import Device
from camphor.device.usage_events import ItemRef
from camphor_lab.datasets.context.present import document_at, records_of

NOON = datetime(2026, 3, 12, 12)
HISTORY = {
    "since": {"notes": ["2026-03-01T08:00:00", "2026-03-20T08:00:00"]},
    "dues": {},
    "places": {"home": "1 Elm St"},
}


def made(**more: Any) -> dict[str, Any]:
    notes = [{"title": "Early", "content": "rope"}, {"title": "Late", "content": "moss"}]
    usage = [
        {"app": "notes", "list": "notes", "item": 0, "kind": "opened", "at": f"2026-03-{day}T09:00:00"}
        for day in (11, 13)
    ]
    return {
        "format": "camphor.device/1",
        "id": "oleg",
        "apps": {"notes": {"notes": notes}},
        "usage": usage,
        "history": HISTORY,
        **more,
    }


@pytest.mark.parametrize("lacking", ["location", "owner", "now", "usage", "places", "since", "timezone"])
def test_a_device_file_may_lack_what_the_format_lets_it_lack(lacking: str) -> None:
    whole = made(owner="Oleg", now="2026-03-21T10:00:00", timezone=None, location={"city": "Riga", "country": "Latvia"})
    whole.pop(lacking, None)
    whole["history"] = {key: each for key, each in HISTORY.items() if key != lacking}
    there = document_at(whole, NOON, "home")
    with Device.create(None, there) as device:
        assert device.now == NOON
        assert device.place == "home"
        assert device.owner == whole.get("owner", "")
        titles = [note["title"] for note in device.records("notes", "notes")]
        assert titles == (["Early", "Late"] if lacking == "since" else ["Early"])
        count = 0 if lacking == "usage" else 1
        assert len(device.usage.events(ItemRef("notes", "notes", 0))) == count


def test_a_place_that_is_not_known_is_not_made_up() -> None:
    assert "location" not in document_at(made(), NOON, "home")
    assert document_at(made(location={"city": "Riga"}), NOON)["location"]["city"] == "Riga"


def test_a_file_without_a_history_is_as_it_is_at_another_moment() -> None:
    plain = made(now="2026-03-21T10:00:00", owner="Oleg", more="kept")
    del plain["history"]
    there = document_at(plain, NOON, "gym", "Music")
    assert (there["now"], there["place"], there["screen"]) == (NOON.isoformat(), "gym", "Music")
    assert [one["at"] for one in there["usage"]] == ["2026-03-11T09:00:00"]
    assert there["more"] == "kept"
    assert len(records_of(there, "notes")) == 2
    assert plain["now"] == "2026-03-21T10:00:00"


def test_broken_use_and_use_of_what_was_not_there_is_passed_over() -> None:
    usage = [
        "no event",
        {"app": "notes", "list": "notes", "item": 9, "kind": "opened", "at": "2026-03-11T09:00:00"},
        {"app": "maps", "list": "places", "item": 0, "kind": "opened", "at": "2026-03-11T09:00:00"},
        {"app": "notes", "list": "notes", "item": 1, "kind": "opened", "at": "2026-03-11T09:00:00"},
        {"app": "notes", "list": "notes", "item": 0, "kind": "opened"},
    ]
    assert document_at(made(usage=usage), NOON)["usage"] == []


def test_an_empty_phone_is_one_at_every_moment() -> None:
    for document in ({"id": "x", "apps": {}}, {"id": "x", "apps": {}, "history": {}}, {"id": "x", "history": {}}):
        assert document_at(document, NOON)["now"] == NOON.isoformat()
        assert records_of(document, "mail") == []
