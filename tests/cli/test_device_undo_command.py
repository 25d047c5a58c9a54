"""`camphor device undo`, `camphor device remove` and `camphor memory correct`, as a person meets them."""

from __future__ import annotations

import json
from pathlib import Path

from cli_doubles import Camphor, one_line

from camphor.device.device import Device
from camphor.device.talks import Talks, talks_file
from camphor.trajectories.items import Item
from camphor.trajectories.taught import Taught
from camphor.types import Call


def demo(camphor: Camphor) -> Path:
    camphor("device", "list")
    return camphor.home / "devices" / "ines-dublin.camphor"


def test_an_action_is_undone_once_and_the_journal_says_so(camphor: Camphor) -> None:
    store = demo(camphor)
    with Device.open(store) as phone:
        kept = phone.records("notes", "notes")
        phone.execute(Call("create_notes", {"content": "Milk"}))
    assert camphor("device", "undo", "1").out.startswith("Undone: create_notes(")
    again = camphor("device", "undo", "1")
    assert again.status == 1
    assert "undone before" in one_line(again.err)
    [entry] = json.loads(camphor("device", "show", "--journal", "--json").out)
    assert (entry["undoable"], bool(entry["undone"])) == (False, True)
    with Device.open(store) as phone:
        assert phone.records("notes", "notes") == kept


def test_a_removed_phone_takes_all_that_belongs_to_it_along(camphor: Camphor) -> None:
    store = demo(camphor)
    talks = Talks(talks_file(store))
    talks.add(talks.begin().id, "asked", {"query": "my secret"})
    talks.close()
    Taught(store).put(Item("taught-0", {}, "my secret"))
    refused = camphor("device", "remove", store.stem)
    assert refused.status == 1
    assert "--yes" in one_line(refused.err)
    assert camphor("device", "remove", store.stem, "--yes").out == "Removed ines-dublin\n"
    assert list(store.parent.iterdir()) == []
    assert "There is no device" in one_line(camphor("device", "remove", store.stem, "--yes").err)


def test_a_memory_is_corrected(camphor: Camphor) -> None:
    camphor("memory", "remember", "my dentist is Dr Ode")
    told = camphor("memory", "correct", "1", "my dentist is Dr Lund").out
    assert told == "This holds: Your dentist is Dr Lund. No longer: Your dentist is Dr Ode.\n"
