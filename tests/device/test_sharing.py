"""What a model elsewhere may see of a phone: the rule, its file, and the phone as it then is."""

from __future__ import annotations

import copy
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from camphor.device.device import Device
from camphor.device.sharing import (
    HERE,
    MEMORY,
    OTHERS,
    PLACE,
    SCREEN,
    can_be_shared,
    forget_rules,
    keep_rule,
    proposed,
    read_rules,
    rules_file,
    withheld,
)
from camphor.errors import UsageError
from camphor.types import Call

APPS = ("contacts", "calendar", "health", "fitness")
EVERY = frozenset({*APPS, SCREEN, PLACE, MEMORY})
PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test",
    "owner": "Ines Marques",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "location": {"city": "Drogheda", "country": "Ireland"},
    "screen": "Mail: your lab results",
    "activity": ["08:40 opened Health"],
    "apps": {
        "contacts": {
            "people": [
                {"person_id": "1", "name": "Nora Keane", "phone_number": "555-0101", "email": "nora@example.org"},
                {"person_id": "2", "name": "Nora Byrne", "phone_number": "555-0102"},
            ]
        },
        "calendar": {"events": [{"title": "Choir", "start": "2026-03-13T20:00:00", "end": "2026-03-13T22:00:00"}]},
        "health": {"records": [{"name": "Weight", "value": "61.4 kg", "date": "2026-03-08"}]},
        "imessage": {"messages": []},
        "reminders": {"reminders": []},
    },
}


@pytest.fixture
def phone(tmp_path: Path) -> Device:
    return Device.create(tmp_path / "test.camphor", copy.deepcopy(PHONE))


# the rule


def test_this_computer_sees_everything_unless_told_otherwise() -> None:
    assert withheld(APPS, {}, None) == frozenset()
    assert withheld(APPS, {HERE: frozenset({"calendar"})}, None) == EVERY - {"calendar"}


def test_another_one_sees_nothing_before_somebody_said_so() -> None:
    assert withheld(APPS, {}, "10.0.0.2") == EVERY
    assert withheld(APPS, {HERE: EVERY}, "10.0.0.2") == EVERY


def test_a_computer_has_its_own_rule_or_that_of_all_others() -> None:
    rules = {"pc.home": frozenset({"calendar"}), OTHERS: frozenset({"contacts"})}
    assert withheld(APPS, rules, "PC.home.") == EVERY - {"calendar"}
    assert withheld(APPS, rules, "10.0.0.2") == EVERY - {"contacts"}


def test_an_app_that_came_later_is_not_shared() -> None:
    rules = {"pc.home": frozenset(can_be_shared(APPS))}
    assert withheld(APPS, rules, "pc.home") == frozenset()
    assert withheld((*APPS, "diary"), rules, "pc.home") == {"diary"}


def test_health_and_memory_are_proposed_to_nobody() -> None:
    assert proposed((*APPS, "clinic")) == ("contacts", "calendar", SCREEN, PLACE)


# its file


def test_rules_are_kept_beside_the_store_for_the_owner_alone(phone: Device) -> None:
    assert phone.path
    assert read_rules(phone.path) == {}
    keep_rule(phone.path, "pc.home", ["calendar", "contacts"])
    keep_rule(phone.path, OTHERS, [])
    assert read_rules(phone.path) == {"pc.home": {"calendar", "contacts"}, OTHERS: frozenset()}
    file = rules_file(phone.path)
    assert file
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    keep_rule(phone.path, OTHERS, None)
    assert read_rules(phone.path) == {"pc.home": {"calendar", "contacts"}}
    forget_rules(phone.path)
    assert not file.exists()
    assert [each.name for each in file.parent.iterdir() if "sharing" in each.name] == []


@pytest.mark.parametrize("text", ["{", "[]", '{"pc.home": "calendar"}', '{"pc.home": null}', "\xff"])
def test_a_damaged_file_shares_nothing_and_stays(phone: Device, text: str) -> None:
    file = rules_file(phone.path)
    assert file
    assert phone.path
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match="mend or remove"):
        read_rules(phone.path)
    with pytest.raises(UsageError):
        keep_rule(phone.path, "pc.home", [])
    assert file.read_bytes() == text.encode("latin-1")


def test_a_phone_in_memory_has_none() -> None:
    assert read_rules(None) == {}


# the phone as it then is


def test_what_is_hidden_is_in_no_part_of_the_phone(phone: Device) -> None:
    seen = phone.without(frozenset({"health", "contacts", SCREEN, PLACE}))
    assert seen.apps == ("calendar", "imessage", "reminders")
    assert not {"health", "contacts"} & set(seen.toolbox.apps)
    assert "get_calendar_event" in seen.toolbox
    assert (seen.people(), seen.screen, seen.activity, seen.location, seen.place) == ([], "", [], {}, "")
    assert seen.records("health", "records") == []
    assert {app for app, _, _ in seen.item_lists()} == {"calendar", "imessage", "reminders"}
    assert {info.app for info in seen.lists()} == {"calendar", "imessage", "reminders"}
    assert seen.path is None  # the index of the items beside the store is of the whole phone
    for private in ("Nora", "555-0101", "61.4", "Weight", "Drogheda", "lab results", "opened Health"):
        assert private not in json.dumps(seen.export())
        assert private in json.dumps(phone.export())


def test_a_hidden_tool_is_no_tool_whoever_calls_it(phone: Device) -> None:
    seen = phone.without(frozenset({"health"}))
    found = seen.execute(Call("get_health_records"))
    assert found.records == ()
    assert "no tool get_health_records" in str(found.error)


def test_errors_name_nobody_whom_the_model_may_not_see(phone: Device) -> None:
    call = Call("send_imessage_message", {"receiver": "Nora", "content": "hi"})
    assert "Nora Keane" in str(phone.execute(call).error)
    said = phone.without(frozenset({"contacts"})).execute(call)
    assert said.error
    assert not {"Keane", "Byrne", "555-0101", "555-0102"} & set(said.error.replace(";", " ").split())


def test_what_is_done_there_is_done_on_the_phone(phone: Device) -> None:
    seen = phone.without(frozenset({"health", SCREEN}))
    done = seen.execute(Call("create_reminders", {"time": "2026-03-12T18:00:00", "content": "call"}), "k/1")
    assert done.error is None
    assert [each["content"] for each in phone.records("reminders", "reminders")] == ["call"]
    assert [entry.call.name for entry in phone.journal()] == ["create_reminders"]
    phone.execute(Call("create_reminders", {"time": "2026-03-12T19:00:00", "content": "sing"}))
    assert len(seen.records("reminders", "reminders")) == 2
    assert seen.usage is phone.usage
    seen.close()
    assert phone.records("health", "records")  # it is still open
    with pytest.raises(UsageError, match="whole phone"):
        seen.install("books", {"books": []})


def test_another_process_sees_the_whole(phone: Device) -> None:
    assert phone.path
    before = phone.export()
    phone.without(frozenset({"health", "contacts"})).export()
    phone.close()
    with Device.open(phone.path) as again:
        assert again.export() == before
