"""Tables: how a file is written is told, what its columns are a mapping says or a known program's headers."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from dateutil import tz
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.importers import Situation, Unread
from camphor.device.importers.table import CSV
from camphor.device.importers.table_values import moment, number, several, truth
from camphor.errors import UsageError
from tests.doubles.plans import UNHURRIED

OSLO = Situation(datetime(2026, 5, 6, 9), tz.gettz("Europe/Oslo"), "Kari Berg")
EVENTS = """
app = "calendar"
list = "events"
key = ["Id"]
dayfirst = true
[fields]
title = "Subject"
start = ["Date", "Time"]
location = "Place"
participants = "People"
"""
HEAD = ["Id", "Subject", "Date", "Time", "Place", "People"]
ROWS = [
    ["1", "Møte", "03/04/2026", "14:05", "Rådhuset, Oslo", "Ola Nordmann; Kari Berg"],
    ["2", 'Say "hi"', "31/12/2026", "", "", ""],
    ["3", "Two\nlines", "1/2/2026", "9:30 PM", "", "Ola, Per"],
]
MADE = {
    "1": {"title": "Møte", "start": "2026-04-03T14:05:00", "location": "Rådhuset, Oslo",
          "participants": ["Ola Nordmann", "Kari Berg"]},
    "2": {"title": 'Say "hi"', "start": "2026-12-31"},
    "3": {"title": "Two\nlines", "start": "2026-02-01T21:30:00", "participants": ["Ola", "Per"]},
}  # fmt: skip


def written(rows: Sequence[Sequence[str]], dialect: str = "excel", **form: Any) -> str:
    content = io.StringIO()
    csv.writer(content, dialect, **form).writerows(rows)
    return content.getvalue()


def put(path: Path, content: str | bytes, mapping: str = "") -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if mapping:
        path.with_name(f"{path.stem}.map.toml").write_text(mapping)
    return path


def read(path: Path, situation: Situation = OSLO) -> tuple[dict[str, dict[str, Any]], Unread]:
    unread = Unread()
    found = list(CSV.read(path, situation, unread))
    records = {each.key: dict(each.record) for each in found}
    json.dumps(records, allow_nan=False, ensure_ascii=False).encode()
    return records, unread


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize(
    "form",
    [
        {},
        {"delimiter": ";", "quoting": csv.QUOTE_ALL},
        {"delimiter": "\t", "lineterminator": "\n"},
        {"delimiter": "|", "doublequote": False, "escapechar": "\\", "quoting": csv.QUOTE_ALL},
        {"quotechar": "'", "quoting": csv.QUOTE_ALL, "rows": [0, 2]},
    ],
)
def test_encoding_delimiter_and_quotes_are_told(tmp_path: Path, encoding: str, form: dict[str, Any]) -> None:
    form = dict(form)
    rows = form.pop("rows", [0, 1, 2])
    content = written([HEAD, *(ROWS[each] for each in rows)], **form)
    found, unread = read(put(tmp_path / "events.csv", content.encode(encoding), EVENTS))
    assert found == {key: MADE[key] for key in (ROWS[each][0] for each in rows)}
    assert unread.count == 0


def test_what_excel_writes_is_read(tmp_path: Path) -> None:
    content = "sep=;\r\n" + written([[*HEAD, ""], *([*row, ""] for row in ROWS), [""] * 7], delimiter=";")
    assert read(put(tmp_path / "events.csv", content.encode("cp1252"), EVENTS))[0] == MADE
    content = written([HEAD, *ROWS], "excel-tab")
    assert read(put(tmp_path / "events.tsv", content.encode("utf-16"), EVENTS))[0] == MADE
    old_mac = written([HEAD, *(ROWS[:2])], lineterminator="\r")
    assert list(read(put(tmp_path / "events.csv", old_mac))[0]) == ["1", "2"]


def test_a_semicolon_in_a_title_is_no_delimiter(tmp_path: Path) -> None:
    content = "Id,Subject,Date,Time,Place,People\n1,tea; cake; rain; sun; wind,1.2.2026,,,\n2,x,2.2.2026,,,\n"
    assert read(put(tmp_path / "events.csv", content, EVENTS))[0]["1"]["title"] == "tea; cake; rain; sun; wind"


def test_text_that_is_utf8_but_for_one_byte_stays_utf8(tmp_path: Path) -> None:
    content = written([HEAD, *([str(each), f"blåbærsyltetøy {each}", "1.2.2026", "", "", ""] for each in range(50))])
    found, _ = read(put(tmp_path / "events.csv", content.encode() + b"99,\xe5,1.2.2026,,,\n", EVENTS))
    assert found["7"]["title"] == "blåbærsyltetøy 7"
    assert found["99"]["title"] == "\ufffd"


def test_a_list_of_objects_is_a_table(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [dict(zip(HEAD, row, strict=True)) for row in ROWS]
    rows[0] |= {"People": ["Ola Nordmann", "Kari Berg"], "Id": 1, "Extra": {"a": [1]}}
    rows[1] |= {"Time": None}
    path = put(tmp_path / "events.json", json.dumps(rows, indent=1), EVENTS)
    assert CSV.recognises(path)
    assert read(path)[0] == MADE
    path = put(tmp_path / "events.json", json.dumps(rows)[:-30])
    found, unread = read(path)
    assert list(found) == ["1", "2"]
    assert unread.told == ["record 3: it is broken"]


def test_json_that_is_no_table_is_left_to_others_and_told(tmp_path: Path) -> None:
    path = put(tmp_path / "events.json", '{"a": 1}')
    assert not CSV.recognises(path)
    with pytest.raises(UsageError, match="it is no list of objects"):
        read(path)


def test_all_columns_are_the_key_where_none_is_named(tmp_path: Path) -> None:
    mapping = EVENTS.replace('key = ["Id"]', "")
    path = put(tmp_path / "events.csv", written([HEAD, *ROWS, ROWS[0]]), mapping)
    found, unread = read(path)
    assert list(found.values()) == list(MADE.values())
    assert unread.count == 0
    again = put(tmp_path / "events.csv", written([HEAD, *ROWS[::-1]]))
    assert read(again)[0] == found
    long = put(tmp_path / "events.csv", written([HEAD, ["1", "x" * 5000, "", "", "", ""]]))
    assert len(next(iter(read(long)[0]))) < 200


def test_a_key_that_comes_twice_is_told_and_an_empty_one_is_none(tmp_path: Path) -> None:
    rows = [ROWS[0], ROWS[0], ["1", "Other", "", "", "", ""], ["", "A", "", "", "", ""], ["", "B", "", "", "", ""]]
    found, unread = read(put(tmp_path / "events.csv", written([HEAD, *rows]), EVENTS))
    assert [each["title"] for each in found.values()] == ["Møte", "A", "B"]
    assert unread.told == [f"line {line}: its key is that of another before it" for line in (3, 4)]


def test_what_is_broken_in_a_row_is_told_by_its_line_and_the_rest_is_read(tmp_path: Path) -> None:
    long = "x" * 140_000
    content = (
        "Id,Subject,Date,Time,Place,People\n"
        "1,A,some day,,,\n"
        "2,B,31/02/2026,,Hall\n"
        "\n"
        "3,C,1/2/2026,25:00,,\n"
        "4,D,1/2/2026,,,,oops\n"
        f'5,"{long}\nsecret\nmore",,,,\n'
        "6,F,1/2/2026,,,,,\n"
        " , , , , , \n"
        f"7,{'y' * 1_100_000},,,,\n"
        '8,"H\0H",1/2/2026,,,\n'
        '9,"never ends,1/2/2026,,,\n'
    )
    found, unread = read(put(tmp_path / "events.csv", content, EVENTS))
    assert {key: each.get("title", "")[:20] for key, each in found.items()} == {
        "1": "A", "2": "B", "3": "C", "6": "F", "8": "HH", "9": "never ends,1/2/2026,"
    }  # fmt: skip
    assert found["2"] == {"title": "B", "location": "Hall"}
    assert unread.told == [
        "line 2: its start cannot be read",
        "line 3: its start cannot be read",
        "line 5: its start cannot be read",
        "line 6: it has more cells than there are columns",
        "line 7: a cell is far too long, or its quotes do not end",
        "line 12: it is far too long",
    ]
    assert "secret" not in json.dumps(found)


# Dates


@pytest.mark.parametrize(
    ("text", "dayfirst", "made"),
    [
        ("2026-04-03", True, "2026-04-03"),
        ("2026/04/03", True, "2026-04-03"),
        ("20260403", True, "2026-04-03"),
        ("2026-04-03T10:00:00Z", False, "2026-04-03T12:00:00"),
        ("2026-04-03 10:00:00 +0530", False, "2026-04-03T06:30:00"),
        ("2026-10-25T00:30:00Z", False, "2026-10-25T02:30:00"),
        ("2026-10-25T01:30:00Z", False, "2026-10-25T02:30:00"),
        ("03/04/2026", True, "2026-04-03"),
        ("03/04/2026", False, "2026-03-04"),
        ("3.4.26 9:05", True, "2026-04-03T09:05:00"),
        ("3/4/2026, 12:00 AM", False, "2026-03-04T00:00:00"),
        ("3/4/2026 12:15:30 p.m.", False, "2026-03-04T12:15:30"),
        ("Fri, 3 Apr 2026 10:00:00 GMT", True, "2026-04-03T12:00:00"),
        ("3 April 2026 at 10:00", True, "2026-04-03T10:00:00"),
        ("April 3, 2026", True, "2026-04-03"),
        ("Apr 3 2026 7PM", False, "2026-04-03T19:00:00"),
        ("10:00 3/4/2026", True, "2026-04-03T10:00:00"),
        ("3/4/2026 10h30", True, "2026-04-03T10:30:00"),
        ("1775210400", True, "2026-04-03T12:00:00"),
        ("1775210400123", True, "2026-04-03T12:00:00"),
        ("April 2026", True, None),
        ("10:00", True, None),
        ("12", True, None),
        ("2026-04-03T99:00", True, None),
        ("9999-12-31T23:59:59-14:00", True, None),
        ("x" * 100_000, True, None),
    ],
)
def test_a_date_is_read_as_the_mapping_says(text: str, dayfirst: bool, made: str | None) -> None:
    assert moment(text, OSLO, dayfirst) == made


def dates(tmp_path: Path, told: Sequence[str], mapping: str = "") -> list[str]:
    rows = [["title", "due"], *([f"row {each}", date] for each, date in enumerate(told))]
    path = put(
        tmp_path / "todo.csv",
        written(rows),
        f'app = "reminders"\nlist = "reminders"\n{mapping}\n[fields]\ncontent = "title"\ntime = "due"\n',
    )
    return [each["time"] for each in read(path)[0].values()]


def test_dates_that_can_be_read_both_ways_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as told:
        dates(tmp_path, ["03/04/2026", "05/05/2026", ""])
    assert str(told.value) == (
        f'{tmp_path}/todo.map.toml: the dates of "due" can be read with the day or with the month first: write a line'
        "  dayfirst = true  or  dayfirst = false  at its top"
    )
    assert dates(tmp_path, ["03/04/2026"], "dayfirst = true") == ["2026-04-03"]
    assert dates(tmp_path, ["03/04/2026"], "dayfirst = false") == ["2026-03-04"]
    with pytest.raises(UsageError, match="can be read"):
        dates(tmp_path, ["13/04/2026", "04/13/2026"])


def test_dates_that_can_be_read_one_way_only_are_not_asked_for(tmp_path: Path) -> None:
    assert dates(tmp_path, ["03/04/2026", "13/04/2026"]) == ["2026-04-03", "2026-04-13"]
    assert dates(tmp_path, ["03/04/2026", "04/13/2026"]) == ["2026-03-04", "2026-04-13"]
    assert dates(tmp_path, ["03.04.2026"]) == ["2026-04-03"]
    assert dates(tmp_path, ["2026-04-03", "5/5/2026"]) == ["2026-04-03", "2026-05-05"]


# Other values


def test_numbers_are_read_with_points_and_commas() -> None:
    told = [
        "59.91",
        "59,913",
        "-10,5",
        "1.234,5",
        "1,234.5",
        "1 234",
        "42",
        "71 %",
        "200",
        "nan",
        "1e5",
        "9" * 5000,
        "٣",
    ]
    assert [number(each, "latitude") for each in told[:3]] == [59.91, 59.913, -10.5]
    assert [number(each) for each in told[3:]] == [1234.5, 1234.5, 1234, 42, 0.71, 200, None, None, None, None]
    assert number("200", "latitude") is None
    assert number("1,234") == 1234


def test_yes_and_no_are_read_in_words() -> None:
    assert [truth(each) for each in ("TRUE", "ja", " x ", "0", "Nein", "maybe")] == [
        True,
        True,
        True,
        False,
        False,
        None,
    ]
    assert several("a, b,,c") == ["a", "b", "c"]
    assert several("Berg, Ida; Dal, Per") == ["Berg, Ida", "Dal, Per"]


def test_the_lists_fields_say_what_their_values_are(tmp_path: Path) -> None:
    content = written([["who", "mine", "at", "said", "seen"], ["Ola", "sent", "2026-01-02T10:00:00Z", "hei", "1,5"],
                       ["Ola", "perhaps", "2026-01-02T10:00:00Z", "hei", "no"]])  # fmt: skip
    mapping = (
        'app = "imessage"\nlist = "messages"\n[fields]\ncontact = "who"\nfrom_me = "mine"\ndate = "at"\n'
        'text = "said"\nseen = "seen"\n'
    )
    found, unread = read(put(tmp_path / "chat.csv", content, mapping))
    told = {"contact": "Ola", "date": "2026-01-02T11:00:00", "text": "hei"}
    assert list(found.values()) == [{**told, "from_me": True, "seen": "1,5"}, {**told, "seen": "no"}]
    assert unread.told == ["line 3: its from_me cannot be read"]


# Mappings


def test_a_table_without_a_mapping_is_recognised_and_its_error_shows_what_to_write(tmp_path: Path) -> None:
    path = put(tmp_path / "trips.csv", 'From,"To ""x""",Weird\nA,B,C\n')
    assert CSV.recognises(path)
    with pytest.raises(UsageError) as told:
        read(path)
    assert str(told.value) == (
        f'{path}: its columns are "From", "To "x"", "Weird": say what they are in trips.map.toml beside it, in lines'
        ' such as  app = "notes" | list = "notes" | key = ["From"] | [fields] | title = "From"'
    )
    advice = str(told.value).partition("such as  ")[2].replace(" | ", "\n")
    assert read(put(path, path.read_bytes(), advice))[0] == {"A": {"title": "A"}}


def test_a_mapping_may_be_named_with_the_tables_ending(tmp_path: Path) -> None:
    path = put(tmp_path / "events.csv", written([HEAD, ROWS[0]]))
    (tmp_path / "events.csv.map.toml").write_text(EVENTS)
    assert list(read(path)[0]) == ["1"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("app = ", "apps = "), 'it says "apps"'),
        (('"calendar"', '"kalender"'), "app should be one of contacts, calendar"),
        (('"events"', '"event"'), "list of calendar should be events"),
        (("dayfirst = true", 'dayfirst = "yes"'), "dayfirst is true or false"),
        (('"Subject"', "3"), "fields.title should be a column's name"),
        (('"Subject"', "[]"), "fields.title names no column"),
        (('"Subject"', '"Subjekt"'), 'there is no column "Subjekt": the columns are "Id", "Subject"'),
        (('["Id"]', "[1]"), "key should be a column's name"),
        (("title", '"a-b"'), '"a-b" cannot be a field'),
        (("[fields]", "[fields]\n["), "it is no TOML"),
        (("[fields]", "x = " + "[" * 3000), "nested too deep|no TOML"),
        ((EVENTS, 'app = "notes"\nlist = "notes"'), "it names no fields"),
        ((EVENTS, 'app = "notes"\nlist = "notes"\n[fields]\nother = "Id"'), "none of its fields is one of the list's"),
        ((EVENTS, "#" * 70_000), "larger than 64 KiB"),
    ],
)
def test_a_mapping_that_is_wrong_is_told_in_one_line(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    path = put(tmp_path / "events.csv", written([HEAD, *ROWS]), EVENTS.replace(*change))
    with pytest.raises(UsageError, match=told) as error:
        read(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", ["", "\n\n", "\0\0\0", "," * 2000])
def test_what_is_no_table_is_an_error(tmp_path: Path, content: str) -> None:
    with pytest.raises(UsageError):
        read(put(tmp_path / "events.csv", content))


# Known programs


def test_contacts_of_google_need_no_mapping(tmp_path: Path) -> None:
    head = ["First Name", "Middle Name", "Last Name", "Nickname", "File As", "Organization Name", "Organization Title",
            "Birthday", "Notes", "Labels", "E-mail 1 - Label", "E-mail 1 - Value", "E-mail 2 - Value",
            "Phone 1 - Label", "Phone 1 - Value", "Address 1 - Formatted"]  # fmt: skip
    rows = [
        ["Ola", "", "Nordmann", "Olli", "", "Snekkeri AS", "Snekker", "1985-04-03", "a\nb", "* myContacts", "* Home",
         "ola@example.no ::: o@example.no", "x@example.no", "Mobile", "+47 99 99 99 99", "Storgata 1\n0155 Oslo\nNO"],
        ["Kari", "", "Berg", "", "", "", "", " --12-24", "", "", "", "kari@example.no", "", "", "", ""],
        ["", "", "", "", "", "Legevakt", "", "", "", "", "", "", "", "", "116 117", ""],
        ["", "", "", "", "", "", "", "", "only a note", "", "", "", "", "", "", ""],
        ["小明", "", "王", "", "", "", "", "", "", "", "", "", "", "", "+86 10 1234", ""],
    ]  # fmt: skip
    path = put(tmp_path / "contacts.csv", written([head, *rows]))
    assert CSV.recognises(path)
    found, unread = read(path)
    assert list(found.values()) == [
        {"name": "Ola Nordmann", "phone_number": "+47 99 99 99 99", "email": "ola@example.no",
         "emails": ["ola@example.no", "o@example.no", "x@example.no"], "address": "Storgata 1, 0155 Oslo, NO",
         "nickname": "Olli", "birthday": "1985-04-03", "organisation": "Snekkeri AS", "job": "Snekker",
         "notes": "a\nb"},
        {"name": "Kari Berg", "email": "kari@example.no", "birthday": "--12-24", "is_self": True},
        {"name": "Legevakt", "phone_number": "116 117", "organisation": "Legevakt"},
        {"name": "王小明", "phone_number": "+86 10 1234"},
    ]  # fmt: skip
    assert unread.told == ["line 8: it has nothing to call it by"]
    put(path, written([head, *rows[::-1]]))
    assert read(path)[0] == found


def test_contacts_of_google_as_they_were_before(tmp_path: Path) -> None:
    head = ["Name", "Given Name", "Additional Name", "Family Name", "Birthday", "Group Membership",
            "E-mail 1 - Type", "E-mail 1 - Value", "Phone 1 - Type", "Phone 1 - Value", "Phone 2 - Type",
            "Phone 2 - Value", "Organization 1 - Type", "Organization 1 - Name"]  # fmt: skip
    row = ["Ola Nordmann", "Ola", "", "Nordmann", "1985-04-03", "* myContacts", "* Other", "ola@example.no",
           "Mobile", "99999999", "Work", "22222222", "", "Snekkeri AS"]  # fmt: skip
    (contact,) = read(put(tmp_path / "google.csv", written([head, row])))[0].values()
    assert contact == {"name": "Ola Nordmann", "phone_number": "99999999", "phones": ["99999999", "22222222"],
                       "email": "ola@example.no", "birthday": "1985-04-03", "organisation": "Snekkeri AS"}  # fmt: skip


OUTLOOK = ["First Name", "Middle Name", "Last Name", "Title", "Suffix", "Nickname", "E-mail Address",
           "E-mail 2 Address", "Home Phone", "Business Phone", "Mobile Phone", "Birthday", "Company", "Job Title",
           "Home Street", "Home City", "Home State", "Home Postal Code", "Home Country/Region", "Notes"]  # fmt: skip


def test_contacts_of_outlook_need_no_mapping(tmp_path: Path) -> None:
    rows = [
        ["Ola", "", "Nordmann", "Dr.", "", "", "ola@example.no", "", "22222222", "", "99999999", "13/4/34", "", "",
         "Storgata 1", "Oslo", "", "0155", "Norway", ""],
        ["Per", "", "Dal", "", "", "", "per@example.no", "", "", "", "", "0/0/00", "Bakeriet", "",
         "", "", "", "", "", ""],
    ]  # fmt: skip
    path = put(tmp_path / "contacts.CSV", written([OUTLOOK, *rows]).encode("cp1252"))
    found, unread = read(path)
    assert list(found.values()) == [
        {"name": "Dr. Ola Nordmann", "phone_number": "99999999", "phones": ["99999999", "22222222"],
         "email": "ola@example.no", "address": "Storgata 1, 0155 Oslo, Norway", "birthday": "1934-04-13"},
        {"name": "Per Dal", "email": "per@example.no", "organisation": "Bakeriet"},
    ]  # fmt: skip
    assert unread.count == 0


def test_a_mapping_may_only_say_how_a_known_tables_dates_are_read(tmp_path: Path) -> None:
    row = ["Ola", *[""] * 10, "3/4/1985", *[""] * 8]
    path = put(tmp_path / "contacts.csv", written([OUTLOOK, row]))
    with pytest.raises(UsageError, match='the dates of "Birthday" can be read'):
        read(path)
    put(path, path.read_bytes(), "dayfirst = true")
    assert [each["birthday"] for each in read(path)[0].values()] == ["1985-04-03"]


def test_books_of_goodreads_need_no_mapping(tmp_path: Path) -> None:
    head = ["Book Id", "Title", "Author", "Author l-f", "ISBN", "My Rating", "Date Read", "Date Added", "Bookshelves",
            "Exclusive Shelf", "My Review", "Read Count"]  # fmt: skip
    rows = [
        ["11", "Sult", "Knut  Hamsun", "Hamsun, Knut", '="8205"', "5", "2024/03/05", "2023/12/01", "", "read",
         "a<br/>b", "1"],
        ["12", "Markens grøde", "Knut Hamsun", "Hamsun, Knut", '=""', "0", "", "2024/01/02", "", "to-read", "", "0"],
        ["13", "Naiv. Super", "Erlend Loe", "Loe, Erlend", "", "0", "", "2024/01/02", "", "currently-reading", "", "1"],
    ]  # fmt: skip
    found, unread = read(put(tmp_path / "goodreads_library_export.csv", written([head, *rows])))
    assert found == {
        "11": {"title": "Sult", "author": "Knut Hamsun", "progress": 1.0, "shelf": "read", "rating": 5,
               "finished": "2024-03-05", "added": "2023-12-01", "review": "a\nb"},
        "12": {"title": "Markens grøde", "author": "Knut Hamsun", "progress": 0.0, "shelf": "to-read",
               "added": "2024-01-02"},
        "13": {"title": "Naiv. Super", "author": "Erlend Loe", "shelf": "currently-reading", "added": "2024-01-02"},
    }  # fmt: skip
    assert unread.count == 0


def place(name: str, longitude: float, latitude: float, url: str) -> dict[str, Any]:
    return {
        "geometry": {"coordinates": [longitude, latitude], "type": "Point"},
        "properties": {
            "date": "2023-10-29T00:30:00Z", "google_maps_url": url,
            "location": {"address": "Storgata 1\n0155 Oslo", "country_code": "NO", "name": name},
        },
        "type": "Feature",
    }  # fmt: skip


def test_places_saved_on_google_maps_need_no_mapping(tmp_path: Path) -> None:
    old = {
        "type": "Feature", "geometry": {"type": "Point", "coordinates": [0, 0]},
        "properties": {
            "Google Maps URL": "http://maps.google.com/?cid=2", "Title": "Hytta", "Published": "2015-01-01T12:00:00Z",
            "Location": {"Address": "Geilo", "Geo Coordinates": {"Latitude": "60.5", "Longitude": "8.2"}},
        },
    }  # fmt: skip
    labelled = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [10.7, 59.9]},
                "properties": {"address": "Storgata 2", "name": "Home"}}  # fmt: skip
    broken = {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[1, 2]]]}, "properties": None}
    features = [place("Kafé", 10.7522, 59.9139, "http://maps.google.com/?cid=1"), old, labelled, broken]
    path = put(
        tmp_path / "Saved Places.json", json.dumps({"features": features, "type": "FeatureCollection"}, indent=2)
    )
    assert CSV.recognises(path)
    found, unread = read(path)
    assert list(found.values()) == [
        {"name": "Kafé", "address": "Storgata 1, 0155 Oslo", "latitude": 59.9139, "longitude": 10.7522,
         "url": "http://maps.google.com/?cid=1", "saved": "2023-10-29T02:30:00"},
        {"name": "Hytta", "address": "Geilo", "url": "http://maps.google.com/?cid=2", "saved": "2015-01-01T13:00:00"},
        {"name": "Home", "address": "Storgata 2", "latitude": 59.9, "longitude": 10.7},
    ]  # fmt: skip
    assert unread.told == ["record 4: it has no name and no address"]
    put(path, json.dumps({"type": "FeatureCollection", "features": features[::-1]}))
    assert read(path)[0] == found


def test_a_table_is_the_whole_truth() -> None:
    assert CSV.mirrors


def test_other_things_are_not_recognised(tmp_path: Path) -> None:
    put(tmp_path / "a.txt", "a,b\n")
    put(tmp_path / "b.json", "[]")
    (tmp_path / "folder.csv").mkdir()
    assert not any(CSV.recognises(path) for path in (*tmp_path.iterdir(), tmp_path / "nowhere.csv"))


def test_many_rows_take_little_memory(tmp_path: Path) -> None:
    rows = ([str(each), f"Event {each}", "03/04/2026", "14:05", "Oslo", ""] for each in range(20_000))
    path = put(tmp_path / "events.csv", written([HEAD, *rows]), EVENTS.replace('key = ["Id"]', ""))
    tracemalloc.start()
    count = sum(1 for _ in CSV.read(path, OSLO, Unread()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 3 << 20


GOOD = {
    "events.csv": written([HEAD, *ROWS]).encode("utf-8-sig"),
    "events.tsv": written([HEAD, *ROWS], "excel-tab").encode("utf-16"),
    "events.json": json.dumps([dict(zip(HEAD, row, strict=True)) for row in ROWS]).encode(),
    "events.map.toml": EVENTS.encode(),
    "Saved Places.json": json.dumps({"features": [place("A", 1, 2, "x"), place("B", 3, 4, "y")]}).encode(),
    "contacts.csv": written([OUTLOOK, ["Ola", *[""] * 10, "13/4/1985", *[""] * 8]]).encode(),
}
CUTS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60), st.binary(max_size=6)), max_size=4)


@UNHURRIED
@given(st.sampled_from([*GOOD]), CUTS, st.none() | st.binary(max_size=300))
def test_no_bytes_raise_anything_but_a_usage_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, cuts: list[tuple[float, int, bytes]], other: bytes | None
) -> None:
    folder = tmp_path_factory.mktemp("table")
    made = bytearray(GOOD[name]) if other is None else bytearray(other)
    for share, length, replaced in cuts:
        at = int(share * len(made))
        made[at : at + length] = replaced
    for each, content in {**GOOD, name: bytes(made)}.items():
        (folder / each).write_bytes(content)
    for each in GOOD:
        CSV.recognises(folder / each)
        with suppress(UsageError):
            read(folder / each)


@UNHURRIED
@given(st.text(max_size=40), st.booleans())
def test_no_text_of_a_cell_raises(text: str, dayfirst: bool) -> None:
    for field in ("", "latitude"):
        assert isinstance(number(text, field), int | float | None)
    assert isinstance(moment(text, OSLO, dayfirst), str | None)
    assert isinstance(moment(f"3/4/2026 {text}", OSLO, dayfirst), str | None)
