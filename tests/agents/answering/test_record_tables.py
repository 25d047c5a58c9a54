"""The record lists of a phone as questions see them."""

from __future__ import annotations

from copy import deepcopy

import pytest

from camphor.agents.answering.tables import LONGEST, FieldKind, Table, built_in_lists, read_by, tables_of
from camphor.device.device import Device
from tests.doubles.answering import PHONE, phone

TABLES = {f"{each.app}.{each.name}": each for each in tables_of(phone())}


@pytest.mark.parametrize(
    ("key", "kinds"),
    [
        ("calendar.events", {"title": "word", "start": "time", "end": "end", "location": "word"}),
        ("reminders.reminders", {"content": "word", "time": "time", "done": "flag"}),
        ("mail.messages", {"sender": "person", "subject": "word", "date": "time", "body": "text"}),
        ("amazon.orders", {"item": "word", "total": "number", "date": "time", "status": "word"}),
        ("contacts.people", {"phone_number": "address", "birthday": "time"}),
        ("beekeeper.hives", {"name": "word", "frames": "number", "inspected": "time", "strong": "flag"}),
    ],
)
def test_kinds_of_fields(key: str, kinds: dict[str, str]) -> None:
    held = {each.name: each.kind.value for each in TABLES[key].fields}
    assert {name: held[name] for name in kinds} == kinds


def test_fields_with_a_role() -> None:
    mail = TABLES["mail.messages"]
    assert [each and each.name for each in (mail.title, mail.time, mail.text, mail.author)] == [
        "subject", "date", "body", "sender",
    ]  # fmt: skip
    assert mail.said
    assert not TABLES["calendar.events"].said


def test_an_app_from_a_manifest_is_spoken_of_by_the_words_of_its_description_and_tools() -> None:
    hives = TABLES["beekeeper.hives"]
    assert {"beehives", "yield", "hives", "beekeeper"} <= hives.words
    assert not {"get", "list", "by", "keyword"} & hives.words
    assert (hives.label, hives.noun, hives.nouns) == ("Beekeeper", "hive", "hives")


def test_values_decide_the_kind_of_fields_that_nobody_named() -> None:
    rows = [
        {"who": "Petra Lund", "mark": "petra@lund.example", "share": "12 %", "story": "It went on and on, " * 5},
        {"who": "Oisin Brannock", "mark": "oisin@brannock.example", "share": "9 %", "story": "And then it ended, " * 5},
    ]
    document_lists = {"records": {"marks": rows}, "description": "Marks.", "tools": []}
    table = _table_of(document_lists)
    assert {each.name: each.kind for each in table.fields} == {
        "who": FieldKind.PERSON, "mark": FieldKind.ADDRESS, "share": FieldKind.NUMBER, "story": FieldKind.TEXT,
    }  # fmt: skip


def test_what_only_names_a_record_is_no_figure() -> None:
    rows = [
        {"sale_id": 91, "job": "J-405", "paper": "Quiz 3", "price": "EUR 12,50", "rand": "R60", "gain": "-3"},
        {"sale_id": 92, "job": "J-406", "paper": "Quiz 4", "price": "EUR 13,00", "rand": "R75", "gain": "4"},
    ]
    table = _table_of({"records": {"sales": rows}, "description": "Sales.", "tools": []})
    assert {each.name for each in table.of(FieldKind.NUMBER)} == {"price", "rand", "gain"}


def _table_of(app: dict[str, object]) -> Table:
    document = deepcopy(PHONE)
    document["apps"]["marker"] = app
    return next(each for each in tables_of(Device.create(None, document)) if each.app == "marker")


def test_lists_without_records_are_no_tables() -> None:
    device = phone(notes__notes=[])
    assert not any(each.app == "notes" for each in tables_of(device))


def test_of_a_long_list_the_latest_are_read() -> None:
    events = [{"title": f"Thing {place}", "start": "2026-03-12T10:00:00"} for place in range(LONGEST + 3)]
    table = next(each for each in tables_of(phone(calendar__events=events)) if each.app == "calendar")
    assert (len(table.rows), table.rows[0].ordinal) == (LONGEST, 3)


def test_look_ups_name_the_list_that_they_read() -> None:
    toolbox = phone().toolbox
    assert read_by(toolbox.get("get_calendar_event")) == "calendar.events"
    assert read_by(toolbox.get("get_beekeeper_hives")) == "beekeeper.hives"
    assert {read_by(toolbox.get("get_mail_event")), "web.result"} <= set(built_in_lists())


def test_when_a_record_begins_and_ends() -> None:
    events = TABLES["calendar.events"]
    first = events.rows[0].record
    begins, ends = events.when(first), events.ends(first)
    assert begins is not None
    assert ends is not None
    assert (begins.hour, ends.hour) == (14, 15)
    alone = {"title": "No end", "start": "2026-03-12T10:00:00"}
    assert events.ends(alone) == events.when(alone)
