"""Chats from WhatsApp, Telegram and Signal: who wrote what to whom and when, and that nothing comes twice."""

from __future__ import annotations

import io
import json
import random
import struct
import tracemalloc
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from dateutil import tz
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.device import Device
from camphor.device.importers import Brought, Importer, Situation, Unread
from camphor.device.importers import chat_parts as parts
from camphor.device.importers.chats import SIGNAL, TELEGRAM, WHATSAPP
from camphor.device.importers.json_stream import Broken, JsonStream
from camphor.errors import UsageError
from tests.doubles.plans import UNHURRIED

NOW = datetime(2026, 5, 6, 9)
OSLO = Situation(NOW, tz.gettz("Europe/Oslo"), "Kari Nordmann")
CHICAGO = Situation(NOW, tz.gettz("America/Chicago"), "Kari Nordmann")
LRM, NARROW = "\u200e", "\u202f"

Records = list[dict[str, object]]


def brought(importer: Importer, path: Path, situation: Situation = OSLO) -> tuple[list[Brought], Unread]:
    unread = Unread()
    return list(importer.read(path, situation, unread)), unread


def read(importer: Importer, path: Path, situation: Situation = OSLO) -> Records:
    found, unread = brought(importer, path, situation)
    assert unread.told == []
    assert len({(each.app, each.key) for each in found}) == len(found)
    return [dict(each.record) for each in found]


def dates(records: Records) -> list[object]:
    return [each["date"] for each in records]


def texts(records: Records) -> list[object]:
    return [each.get("text") for each in records]


# WhatsApp

ENCRYPTED = (
    "Messages and calls are end-to-end encrypted. No one outside of this chat, not even WhatsApp, can read or listen to"
    " them. Tap to learn more."
)


def whatsapp(folder: Path, *lines: str, name: str = "WhatsApp Chat with Anna Berg.txt", end: str = "\n") -> Path:
    path = folder / name
    path.write_bytes("".join(line + end for line in lines).encode())
    return path


def test_a_chat_of_android_has_its_messages_and_no_lines_of_the_program(tmp_path: Path) -> None:
    path = whatsapp(
        tmp_path,
        f"31/12/2023, 21:41 - {ENCRYPTED}",
        "31/12/2023, 21:41 - Anna Berg is a contact.",
        "31/12/2023, 21:42 - Anna Berg: Happy new year!",
        "See you at 12:30 - bring: cake",
        "",
        "and candles 🕯",
        "31/12/2023, 21:43 - Kari Nordmann: Thanks: you too",
        "31/12/2023, 21:44 - Anna Berg: This message was deleted",
        "31/12/2023, 21:45 - Kari Nordmann: You deleted this message",
        "31/12/2023, 21:46 - Missed voice call",
        "31/12/2023, 21:46 - Anna Berg: null",
        "31/12/2023, 21:47 - Your security code with Anna Berg changed. Tap to learn more.",
        "01/01/2024, 09:00 - Anna Berg: Typo <This message was edited>",
    )
    assert WHATSAPP.recognises(path)
    assert read(WHATSAPP, path) == [
        {
            "contact": "Anna Berg",
            "from_me": False,
            "date": "2023-12-31T21:42:00",
            "text": "Happy new year!\nSee you at 12:30 - bring: cake\n\nand candles 🕯",
        },
        {"contact": "Anna Berg", "from_me": True, "date": "2023-12-31T21:43:00", "text": "Thanks: you too"},
        {"contact": "Anna Berg", "from_me": False, "date": "2024-01-01T09:00:00", "text": "Typo"},
    ]


def test_a_chat_of_an_iphone_is_read_from_its_archive(tmp_path: Path) -> None:
    lines = [
        f"[31.12.23, 21:41:05] Anna Berg: {LRM}{ENCRYPTED}",
        "[31.12.23, 21:41:07] Anna Berg: Godt nytt år",
        f"{LRM}[31.12.23, 21:42:00] Anna Berg: {LRM}<attached: 00000003-PHOTO-2023-12-31-21-42-00.jpg>",
        f"{LRM}[31.12.23, 21:42:10] Kari Nordmann: Fine! {LRM}<attached: 00000004-PHOTO-2023-12-31-21-42-10.jpg>",
        f"{LRM}[31.12.23, 21:43:00] Kari Nordmann: {LRM}image omitted",
        f"{LRM}[31.12.23, 21:43:30] Anna Berg: Plan (2).pdf • {LRM}12 pages {LRM}document omitted",
        f"[31.12.23, 21:44:00] Anna Berg: {LRM}Missed voice call, {LRM}Tap to call back",
        f"[31.12.23, 21:45:00] Kari Nordmann: {LRM}You deleted this message.",
        f"[31.12.23, 21:46:00] Kari Nordmann: {LRM}Location: https://maps.google.com/?q=59.91,10.75",
        "[31.12.23, 21:47:00] Kari Nordmann: Hi @\u2068Anna Berg\u2069",
    ]
    path = tmp_path / "WhatsApp Chat - Anna Berg.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("00000003-PHOTO-2023-12-31-21-42-00.jpg", b"\xff\xd8")
        archive.writestr("__MACOSX/._chat.txt", b"\0\0")
        archive.writestr("_chat.txt", "\r\n".join(lines))
    assert WHATSAPP.recognises(path)
    found = read(WHATSAPP, path)
    assert {each["contact"] for each in found} == {"Anna Berg"}
    assert [(each["from_me"], each.get("text"), each.get("attachments")) for each in found] == [
        (False, "Godt nytt år", None),
        (False, None, ["00000003-PHOTO-2023-12-31-21-42-00.jpg"]),
        (True, "Fine!", ["00000004-PHOTO-2023-12-31-21-42-10.jpg"]),
        (True, None, ["image"]),
        (False, None, ["Plan (2).pdf"]),
        (True, "Location: https://maps.google.com/?q=59.91,10.75", None),
        (True, "Hi @Anna Berg", None),
    ]
    assert found[0]["date"] == "2023-12-31T21:41:07"


STYLES = {
    "US, Android": "12/31/23, 9:41 PM - ",
    "US, Android, new": f"12/31/23, 9:41{NARROW}PM - ",
    "US, iPhone": f"[12/31/23, 9:41:00{NARROW}PM] ",
    "US, old iPhone": "12/31/23, 9:41:00 PM: ",
    "Britain": "31/12/2023, 21:41 - ",
    "Australia": f"31/12/2023, 9:41{NARROW}pm - ",
    "Germany": "31.12.23, 21:41 - ",
    "Germany, iPhone": "[31.12.23, 21:41:00] ",
    "Finland": "31.12.2023 klo 21.41 - ",
    "Finland, iPhone": "[31.12.2023 klo 21.41.00] ",
    "Sweden": "2023-12-31 21:41 - ",
    "Sweden, iPhone": "[2023-12-31, 21:41:00] ",
    "Canada, French": "2023-12-31 21 h 41 - ",
    "Netherlands": "31-12-2023 21:41 - ",
    "Denmark": "31.12.2023 21.41 - ",
    "Brazil": "31/12/2023 21:41 - ",
    "Spain, 12 hours": "31/12/23, 9:41 p.\u00a0m. - ",
    "Greece": "31/12/23, 9:41 μ.μ. - ",
    "Hungary": "2023. 12. 31. 21:41 - ",
    "Korea": "2023. 12. 31. 오후 9:41 - ",
    "China": "2023/12/31 下午9:41 - ",
    "Japan, iPhone": "[2023/12/31 21:41:00] ",
    "Egypt": "٣١\u200f/١٢\u200f/٢٠٢٣، ٩:٤١ م - ",
    "Thailand": "31/12/2566 21:41 - ",
    "Turkey, 12 hours": "31.12.2023 ÖS 9:41 - ",
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("situation", [OSLO, CHICAGO], ids=["Oslo", "Chicago"])
def test_every_style_of_a_date_is_read(tmp_path: Path, style: str, situation: Situation) -> None:
    path = whatsapp(tmp_path, f"{style}Anna Berg: hello", f"{style}Kari Nordmann: hi")
    assert WHATSAPP.recognises(path)
    assert dates(read(WHATSAPP, path, situation)) == ["2023-12-31T21:41:00"] * 2


def test_noon_and_midnight_are_told_apart(tmp_path: Path) -> None:
    path = whatsapp(tmp_path, "1/13/24, 12:05 AM - Anna Berg: a", "1/13/24, 12:05 PM - Anna Berg: b")
    assert dates(read(WHATSAPP, path)) == ["2024-01-13T00:05:00", "2024-01-13T12:05:00"]


def test_a_number_over_twelve_anywhere_decides_which_is_the_day(tmp_path: Path) -> None:
    path = whatsapp(tmp_path, "3/4/24, 9:00 - Anna Berg: a", "3/13/24, 9:00 - Anna Berg: b")
    assert dates(read(WHATSAPP, path)) == ["2024-03-04T09:00:00", "2024-03-13T09:00:00"]
    path = whatsapp(tmp_path, "3/4/24, 9:00 - Anna Berg: a", "13/4/24, 9:00 - Anna Berg: b")
    assert dates(read(WHATSAPP, path, CHICAGO)) == ["2024-04-03T09:00:00", "2024-04-13T09:00:00"]


def test_time_that_would_run_backwards_decides_too(tmp_path: Path) -> None:
    path = whatsapp(tmp_path, *(f"{date}/24, 9:00 - Anna Berg: a" for date in ("1/12", "2/1", "2/3", "3/2")))
    assert dates(read(WHATSAPP, path)) == [f"2024-{date}T09:00:00" for date in ("01-12", "02-01", "02-03", "03-02")]
    path = whatsapp(tmp_path, *(f"{date}/24, 9:00 - Anna Berg: a" for date in ("12/1", "1/2", "3/2", "2/3")))
    assert dates(read(WHATSAPP, path, CHICAGO)) == [
        f"2024-{date}T09:00:00" for date in ("01-12", "02-01", "02-03", "03-02")
    ]


def test_where_nothing_tells_the_zone_decides_and_only_slashes_are_read_month_first(tmp_path: Path) -> None:
    slashes = whatsapp(tmp_path, "3/4/24, 9:00 - Anna Berg: a")
    assert dates(read(WHATSAPP, slashes)) == ["2024-04-03T09:00:00"]
    assert dates(read(WHATSAPP, slashes, CHICAGO)) == ["2024-03-04T09:00:00"]
    toronto = Situation(NOW, tz.gettz("America/Toronto"))
    assert dates(read(WHATSAPP, slashes, toronto)) == ["2024-04-03T09:00:00"]
    dots = whatsapp(tmp_path, "3.4.24, 9:00 - Anna Berg: a")
    assert dates(read(WHATSAPP, dots, CHICAGO)) == ["2024-04-03T09:00:00"]


def test_the_machine_s_own_zone_counts_where_none_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = whatsapp(tmp_path, "3/4/24, 9:00 - Anna Berg: a")
    monkeypatch.setenv("TZ", "America/New_York")
    assert dates(read(WHATSAPP, path, Situation(NOW))) == ["2024-03-04T09:00:00"]


def test_a_quoted_chat_in_another_style_begins_no_message(tmp_path: Path) -> None:
    path = whatsapp(
        tmp_path, "31.12.23, 21:41 - Anna Berg: Look:", "[1/2/24, 9:00:00 PM] Tom: hi", "1.1.24, 08:00 - Anna Berg: b"
    )
    assert texts(read(WHATSAPP, path)) == ["Look:\n[1/2/24, 9:00:00 PM] Tom: hi", "b"]


def test_a_group_has_its_name_and_who_wrote(tmp_path: Path) -> None:
    path = whatsapp(
        tmp_path,
        '12/30/23, 21:40 - Anna Berg created group "Cabin: Easter"',
        '12/30/23, 21:40 - Anna Berg changed the subject from "Cabin" to "Cabin: Easter"',
        "12/30/23, 21:40 - Anna Berg added you",
        '12/30/23, 21:41 - Advokat עו"ד Cohen: hello',
        "12/30/23, 21:42 - +47 912 34 567: ok",
        "12/30/23, 21:43 - Kari: me too",
        "12/30/23, 21:44 - +47 912 34 567 left",
        name="WhatsApp Chat with Cabin_ Easter.txt",
    )
    group = {"contact": "Cabin_ Easter", "group": "Cabin_ Easter"}
    assert read(WHATSAPP, path) == [
        {**group, "from_me": False, "date": "2023-12-30T21:41:00", "text": "hello", "sender": 'Advokat עו"ד Cohen'},
        {**group, "from_me": False, "date": "2023-12-30T21:42:00", "text": "ok", "sender": "+47 912 34 567"},
        {**group, "from_me": True, "date": "2023-12-30T21:43:00", "text": "me too", "sender": "Kari"},
    ]


def test_a_group_in_which_one_other_person_wrote_is_one_by_its_name(tmp_path: Path) -> None:
    lines = ("12/30/23, 21:41 - Anna Berg: a", "12/30/23, 21:42 - Kari Nordmann: b")
    found = read(WHATSAPP, whatsapp(tmp_path, *lines, name="WhatsApp Chat with Cabin.txt"))
    assert [(each["contact"], each["group"], each["sender"]) for each in found[:1]] == [("Cabin", "Cabin", "Anna Berg")]
    found = read(WHATSAPP, whatsapp(tmp_path, *lines, name="WhatsApp-Chat mit Anna.txt"))
    assert [(each["contact"], "group" in each, "sender" in each) for each in found] == [("Anna", False, False)] * 2


def test_a_person_whose_name_has_no_letters_is_no_group(tmp_path: Path) -> None:
    lines = ("12/30/23, 21:41 - 🦄: a", "12/30/23, 21:42 - Kari Nordmann: b")
    found = read(WHATSAPP, whatsapp(tmp_path, *lines, name="WhatsApp Chat with 🦄.txt"))
    assert [(each["contact"], each["from_me"], "group" in each) for each in found] == [
        ("🦄", False, False),
        ("🦄", True, False),
    ]


def test_a_group_of_an_iphone_is_named_by_its_first_line(tmp_path: Path) -> None:
    path = whatsapp(
        tmp_path,
        f"[2023-12-31, 21:41:00] Cabin 🏔: {LRM}Messages and calls are end-to-end encrypted.",
        f"[2023-12-31, 21:41:00] Cabin 🏔: {LRM}Anna Berg created this group",
        f"[2023-12-31, 21:41:00] ~{NARROW}Tom: hi",
        "[2023-12-31, 21:42:00] Anna Berg: hi",
        name="_chat.txt",
    )
    found = read(WHATSAPP, path)
    assert [(each["contact"], each["sender"]) for each in found] == [("Cabin 🏔", "Tom"), ("Cabin 🏔", "Anna Berg")]


@pytest.mark.parametrize(
    ("owner", "mine"),
    [
        ("Kari Nordmann", True),
        ("Kari Marie Nordmann", True),
        ("KARI NORDMANN 🌸", True),
        ("Kari", True),
        ("Ola Nordmann", None),
        ("", None),
    ],
)
def test_the_owner_is_known_by_name_and_else_not_guessed(tmp_path: Path, owner: str, mine: bool | None) -> None:
    path = whatsapp(tmp_path, "30/12/23, 21:41 - Anna Berg: a", "30/12/23, 21:42 - Kari Nordmann: b")
    found = read(WHATSAPP, path, Situation(NOW, OSLO.zone, owner))
    assert [each.get("from_me") for each in found] == [None if mine is None else False, mine]
    assert [each.get("sender") for each in found] == ([None] * 2 if mine else ["Anna Berg", "Kari Nordmann"])


def test_you_is_the_owner_and_whom_a_chat_is_with_is_not(tmp_path: Path) -> None:
    path = whatsapp(tmp_path, "30/12/23, 21:41 - Anna Berg: a", "30/12/23, 21:42 - You: b")
    assert [each["from_me"] for each in read(WHATSAPP, path, Situation(NOW))] == [False, True]
    lines = ("30/12/23, 21:41 - Kari: a", "30/12/23, 21:42 - KN: b")
    path = whatsapp(tmp_path, *lines, name="WhatsApp Chat with Kari.txt")
    assert ["from_me" in each for each in read(WHATSAPP, path)] == [False, False]


MEDIA = {
    "<Media omitted>": (None, ["media"]),
    "<Media omitted>\nlook at this": ("look at this", ["media"]),
    "<Medien ausgeschlossen>": (None, ["medien"]),
    "<Médias omis>": (None, ["médias"]),
    "<Multimedia omitido>": (None, ["multimedia"]),
    "<Mídia oculta>": (None, ["mídia"]),
    "<Media weggelaten>": (None, ["media"]),
    "<Без медиафайлов>": (None, ["media"]),
    f"{LRM}IMG-20231231-WA0003.jpg (file attached)": (None, ["IMG-20231231-WA0003.jpg"]),
    f"{LRM}IMG-20231231-WA0003.jpg (file attached)\nlook": ("look", ["IMG-20231231-WA0003.jpg"]),
    "IMG-20231231-WA0003.jpg (Datei angehängt)": (None, ["IMG-20231231-WA0003.jpg"]),
    f"{LRM}Årsplan 2024.pdf (ein Wort das niemand kennt)": (None, ["Årsplan 2024.pdf"]),
    f"{LRM}Bild weggelassen": (None, ["bild"]),
    f"{LRM}imagen omitida": (None, ["imagen"]),
    f"{LRM}<Anhang: 00000012-AUDIO-2023-12-31-21-41-05.opus>": (None, ["00000012-AUDIO-2023-12-31-21-41-05.opus"]),
    "<3": ("<3", None),
    "I omitted the image": ("I omitted the image", None),
    "see plan.pdf (page 3)": ("see plan.pdf (page 3)", None),
    f"{LRM}POLL:\nWhen?\n{LRM}OPTION: Friday (2 votes)": ("POLL:\nWhen?\nOPTION: Friday (2 votes)", None),
    "ok <Diese Nachricht wurde bearbeitet.>": ("ok", None),
}


@pytest.mark.parametrize(("text", "told"), MEDIA.items(), ids=[each[:20].replace("\n", " ") for each in MEDIA])
def test_files_become_attachments_and_words_stay(
    tmp_path: Path, text: str, told: tuple[str | None, list[str] | None]
) -> None:
    (found,) = read(WHATSAPP, whatsapp(tmp_path, f"30/12/23, 21:41 - Anna Berg: {text}"))
    assert (found.get("text"), found.get("attachments")) == told


@pytest.mark.parametrize(
    "text",
    [
        "Diese Nachricht wurde gelöscht.",
        "Du slettet denne meldingen",
        "Missed video call",
        f"{LRM}Ukjent systemtekst",
        "",
    ],
)
def test_the_program_s_words_with_a_sender_are_left_out(tmp_path: Path, text: str) -> None:
    path = whatsapp(tmp_path, f"30/12/23, 21:41 - Anna Berg: {text}", "30/12/23, 21:42 - Anna Berg: kept")
    assert texts(read(WHATSAPP, path)) == ["kept"]


def test_exports_that_overlap_make_no_doubles_with_or_without_media(tmp_path: Path) -> None:
    lines = [
        "30/12/23, 21:41 - Anna Berg: ok",
        "30/12/23, 21:41 - Anna Berg: ok",
        "30/12/23, 21:42 - Kari Nordmann: ok",
        "30/12/23, 21:43 - Anna Berg: <Media omitted>",
    ]
    path = whatsapp(tmp_path, *lines)
    first, _ = brought(WHATSAPP, path)
    assert len({each.key for each in first}) == 4
    later = [
        *lines[2:3],
        f"30/12/23, 21:43 - Anna Berg: {LRM}IMG-1.jpg (file attached)",
        "31/12/23, 8:00 - Anna Berg: ok",
    ]
    second, _ = brought(WHATSAPP, whatsapp(tmp_path, *later, name="WhatsApp Chat with Anna Berg (1).txt"))
    assert [each.key for each in second][:2] == [each.key for each in first][2:]
    assert second[2].key not in {each.key for each in first}
    assert brought(WHATSAPP, path)[0] == first


def test_a_source_that_is_read_again_changes_nothing_on_the_device(tmp_path: Path) -> None:
    path = whatsapp(tmp_path, *(f"30/12/23, 21:{minute:02} - Anna Berg: ok" for minute in range(60)))
    with Device.create(None, {"format": "camphor.device/1", "id": "mine", "apps": {}}) as device:
        for new in (60, 0):
            found = WHATSAPP.read(path, OSLO, Unread())
            done = device.sources.bring("whatsapp", "/w", found, "2026-01-01T08:00:00", mirrors=WHATSAPP.mirrors)
            assert (done.total.new, done.total.same) == (new, 60 - new)
        assert device.page("imessage", "messages", "ok", most=1).total == 60


def test_a_folder_of_exported_chats_is_read_each_by_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "WhatsApp Chat - Ola"
    folder.mkdir()
    whatsapp(folder, "[30.12.23, 21:41:00] Ola: a", name="_chat.txt")
    whatsapp(folder, "30/12/23, 21:41 - Anna Berg: b")
    whatsapp(folder, "my notes about WhatsApp", name="WhatsApp notes.txt")
    (folder / "WhatsApp secret.txt").symlink_to(whatsapp(tmp_path, "30/12/23, 21:41 - Tom: c"))
    found, unread = brought(WHATSAPP, folder)
    assert sorted(str(each.record["contact"]) for each in found) == ["Anna Berg", "Ola"]
    assert unread.told == ["file 2, line 1: no line begins with a date and a time"]
    assert WHATSAPP.recognises(folder)


def test_what_is_wrong_in_one_message_is_told_by_its_line_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat with Anna Berg.txt"
    path.write_bytes(
        b"\xef\xbb\xbf30/12/23, 21:41 - Anna Berg: first\n"
        b"31/02/23, 21:41 - Anna Berg: secret\n"
        b"30/12/23, 25:41 - Anna Berg: secret\n"
        b"30/12/23, 21:42 - Anna Berg: bl\xe5b\xe6r secret\n"
        b"30/12/23, 21:43 - Anna Berg: " + b"x" * (parts.LONGEST_LINE + 10) + b"\n"
        b"30/12/23, 21:44 - Anna Berg: nul\x00 and end"
    )
    found, unread = brought(WHATSAPP, path)
    assert [each.record["text"] for each in found] == ["first", "nul and end"]
    assert unread.told == [
        "line 2: there is no such date or time",
        "line 3: there is no such date or time",
        "line 4: not UTF-8 text, or too long a line",
        "line 5: not UTF-8 text, or too long a line",
    ]


def test_a_long_message_is_cut(tmp_path: Path) -> None:
    path = whatsapp(tmp_path, "30/12/23, 21:41 - Anna Berg: begins", *(["y" * 1000] * 500))
    (found,) = read(WHATSAPP, path)
    assert len(str(found["text"])) == parts.LONGEST


@pytest.mark.parametrize("content", ["", "a diary\n30 December\n", '{"a": 1}', "21:41 - Anna: hi\n" * 5, "\0" * 5000])
def test_a_file_without_dates_is_no_export(tmp_path: Path, content: str) -> None:
    path = whatsapp(tmp_path, content)
    assert not WHATSAPP.recognises(path)
    with pytest.raises(UsageError, match="no line begins with a date"):
        brought(WHATSAPP, path)


def test_other_text_is_not_taken_for_an_export(tmp_path: Path) -> None:
    assert not WHATSAPP.recognises(whatsapp(tmp_path, "2023-12-31 21:41:05: INFO: started", name="server.txt"))
    assert not WHATSAPP.recognises(whatsapp(tmp_path, "30/12/23, 21:41 - Anna: a", name="WhatsApp Chat with Anna.md"))
    assert WHATSAPP.recognises(whatsapp(tmp_path, f"30/12/23, 21:41 - {ENCRYPTED}", name="anna.txt"))
    assert not WHATSAPP.recognises(tmp_path / "nowhere.txt")
    with pytest.raises(UsageError, match="no such file"):
        brought(WHATSAPP, tmp_path / "nowhere.txt")


def archive(path: Path, entries: Mapping[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", packing) as made:
        for name, content in entries.items():
            made.writestr(name, content)
    return path


def test_an_archive_that_lies_about_its_size_is_bounded_by_what_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts.lines, "__defaults__", (200_000,))
    line = b"30/12/23, 21:41 - Anna Berg: hello there\n"
    path = archive(tmp_path / "WhatsApp Chat - Anna Berg.zip", {"_chat.txt": line * 20_000})
    raw = bytearray(path.read_bytes())
    central = raw.rindex(b"PK\x01\x02")
    struct.pack_into("<I", raw, central + 24, 10)  # the size that the directory claims
    path.write_bytes(raw)
    with pytest.raises(UsageError, match="no line begins"):
        brought(WHATSAPP, path)
    path = archive(tmp_path / "WhatsApp Chat - Ola.zip", {"_chat.txt": line * 20_000})
    found, unread = brought(WHATSAPP, path)
    assert len(found) == 200_000 // len(line) + 1
    assert unread.told == ["the end: more than 512 MiB of text"]


def test_a_damaged_archive_gives_what_can_be_read_of_it(tmp_path: Path) -> None:
    source = random.Random(3)
    chat = "".join(f"30/12/23, 21:41 - Anna Berg: {source.random()}\n" for _ in range(20_000)).encode()
    path = archive(tmp_path / "WhatsApp Chat - Anna Berg.zip", {"_chat.txt": chat})
    raw = bytearray(path.read_bytes())
    middle = len(raw) // 2
    raw[middle : middle + 2000] = bytes(2000)
    path.write_bytes(raw)
    found, unread = brought(WHATSAPP, path)
    assert 0 < len(found) < 20_000
    assert "the end: the archive is damaged" in unread.told
    path.write_bytes(raw[: len(raw) // 3])
    assert not WHATSAPP.recognises(path)
    with pytest.raises(UsageError, match="in this archive"):
        brought(WHATSAPP, path)


def test_an_archive_of_other_things_is_no_export(tmp_path: Path) -> None:
    path = archive(tmp_path / "photos.zip", {"a.jpg": b"x", "../../etc/passwd.txt": b"root"})
    assert not WHATSAPP.recognises(path)
    with pytest.raises(UsageError, match="no chat that WhatsApp exported"):
        brought(WHATSAPP, path)
    path = archive(tmp_path / "x.zip", {"../../_chat.txt": b"30/12/23, 21:41 - Anna: a\n"})
    assert [each.record["contact"] for each in brought(WHATSAPP, path)[0]] == ["Anna"]
    path = archive(tmp_path / "y.zip", {"_chat.txt": b"30/12/23, 21:41 - Anna: a\n"}, zipfile.ZIP_LZMA)
    assert not WHATSAPP.recognises(path)


def test_a_long_history_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat with Anna Berg.txt"
    with path.open("w", encoding="utf-8") as file:
        for number in range(5000):
            clock = f"{number // 60 % 24:02}:{number % 60:02}"
            file.write(f"{1 + number // 1440:02}.01.24, {clock} - Anna Berg: {'y' * 4000}\n")
    tracemalloc.start()
    assert sum(1 for _ in WHATSAPP.read(path, OSLO, Unread())) == 5000
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()


@pytest.mark.parametrize(
    "line",
    [
        "30/12/23, 21:41 - Anna: " + " " * 150_000 + "x",
        "30/12/23, 21:41 - Anna: " + f"{LRM}{' ' * 50}" * 3_000,
        "30/12/23, 21:41 - Anna: " + "<" * 150_000,
        "30/12/23, 21:41 - Anna: " + "<a edited>" * 15_000,
        "30/12/23, 21:41 - " + "a:" * 75_000,
        LRM * 300_000,
    ],
    ids=["spaces", "marks", "brackets", "edited", "colons", "only marks"],
)
@pytest.mark.timeout(60)
def test_no_text_takes_long(tmp_path: Path, line: str) -> None:
    brought(WHATSAPP, whatsapp(tmp_path, "30/12/23, 21:40 - Anna: a", line, *[line] * 3))


# Telegram


def telegram_string(text: str) -> str:
    """As Telegram Desktop writes it: control characters as \\x0B, which is no JSON."""
    return "".join(
        f"\\x{ord(each):02X}" if ord(each) < 32 and each not in "\n\r\t" else json.dumps(each, ensure_ascii=False)[1:-1]
        for each in text
    ).join('""')


def telegram_json(value: Any, depth: int = 0) -> str:
    """As Telegram Desktop writes it, with a space of indentation a level."""
    inner, outer = "\n" + " " * (depth + 1), "\n" + " " * depth
    if isinstance(value, dict):
        members = (f"{inner}{telegram_string(name)}: {telegram_json(each, depth + 1)}" for name, each in value.items())
        return "{" + ",".join(members) + outer + "}"
    if isinstance(value, list):
        return "[" + ",".join(inner + telegram_json(each, depth + 1) for each in value) + outer + "]"
    return telegram_string(value) if isinstance(value, str) else json.dumps(value)


def telegram(folder: Path, export: object, name: str = "result.json") -> Path:
    path = folder / name
    path.write_text(telegram_json(export), encoding="utf-8")
    return path


def sent(ident: int, sender: str | None, who: str, text: object, **more: object) -> dict[str, object]:
    return {
        "id": ident,
        "type": "message",
        "date": "2024-03-31T04:30:00",
        "date_unixtime": "1711848600",
        "from": sender,
        "from_id": who,
        "text": text,
        **more,
    }


def chat(kind: str, ident: int, name: str | None, *messages: object) -> dict[str, object]:
    head = {} if kind == "saved_messages" else {"name": name}
    return {**head, "type": kind, "id": ident, "messages": list(messages)}


SERVICE = {
    "id": 1, "type": "service", "date": "2024-03-30T12:00:00", "date_unixtime": "1711796400", "actor": "Anna Berg",
    "actor_id": "user22", "action": "phone_call", "discard_reason": "missed", "text": "",
}  # fmt: skip


def account(*chats: object, left: Sequence[object] = ()) -> dict[str, object]:
    return {
        "about": "Here is the data you requested. Remember: Telegram is ad free, it doesn't use your data for ad"
        " targeting and doesn't sell it to others. Telegram only keeps the information it needs to function.",
        "personal_information": {"user_id": 11, "first_name": "K", "last_name": "", "phone_number": "+47 900 00 000"},
        "profile_pictures": [{"date": "2020-01-01T00:00:00", "photo": "profile_pictures/photo_1.jpg"}],
        "contacts": {"about": "", "list": [{"first_name": 'A "quoted" [name', "last_name": "}"}]},
        "sessions": {"list": []},
        "chats": {"about": "This page lists all chats from this export.", "list": list(chats)},
        "left_chats": {"about": "", "list": list(left)},
    }


def test_an_account_s_export_has_all_its_chats(tmp_path: Path) -> None:
    path = telegram(
        tmp_path,
        account(
            chat(
                "personal_chat", 22, "Anna Berg", SERVICE, sent(2, "Anna Berg", "user22", "Hi!"),
                sent(3, "K", "user11", ["See ", {"type": "link", "text": "https://a.example"}, "\nsoon"]),
                {"id": 4, "type": "unsupported"},
            ),
            chat("saved_messages", 11, None, sent(5, "K", "user11", "Locker 4711\nsecond floor")),
            chat("private_group", 33, "Cabin", sent(6, "Tom", "user44", "I'm in"), sent(7, "K", "user11", "me too")),
            chat("personal_chat", 55, None, sent(8, None, "user55", "from a deleted account")),
            left=[chat("public_channel", 66, "News", sent(9, "News", "channel66", "Headline"))],
        ),
    )  # fmt: skip
    assert TELEGRAM.recognises(path)
    found, unread = brought(TELEGRAM, path, Situation(NOW, OSLO.zone))
    at = {"date": "2024-03-31T03:30:00"}
    assert {each.key: (each.app, dict(each.record)) for each in found} == {
        "user22/2": ("imessage", {"contact": "Anna Berg", "from_me": False, **at, "text": "Hi!"}),
        "user22/3": (
            "imessage",
            {"contact": "Anna Berg", "from_me": True, **at, "text": "See https://a.example\nsoon"},
        ),
        "user11/5": (
            "notes",
            {
                "title": "Locker 4711",
                "content": "Locker 4711\nsecond floor",
                "modified": at["date"],
                "folder": "Saved messages",
            },
        ),
        "group33/6": (
            "imessage",
            {"contact": "Cabin", "from_me": False, **at, "text": "I'm in", "group": "Cabin", "sender": "Tom"},
        ),
        "group33/7": (
            "imessage",
            {"contact": "Cabin", "from_me": True, **at, "text": "me too", "group": "Cabin", "sender": "K"},
        ),
        "user55/8": (
            "imessage",
            {"contact": "personal chat", "from_me": False, **at, "text": "from a deleted account"},
        ),
        "channel66/9": (
            "imessage",
            {"contact": "News", "from_me": False, **at, "text": "Headline", "group": "News", "sender": "News"},
        ),
    }
    assert unread.count == 0


def test_times_are_the_device_s_whatever_machine_exported(tmp_path: Path) -> None:
    path = telegram(
        tmp_path,
        chat(
            "personal_chat", 22, "Anna Berg",
            sent(5, "Anna Berg", "user22", "x", date_unixtime="1711846800"),
            sent(6, "Anna Berg", "user22", "x", date_unixtime="1711846799"),
            {**sent(7, "Anna Berg", "user22", "old"), "date_unixtime": None},
        ),
    )  # fmt: skip
    assert dates(read(TELEGRAM, path)) == ["2024-03-31T03:00:00", "2024-03-31T01:59:59", "2024-03-31T04:30:00"]


def test_a_person_s_chat_alone_tells_who_is_who_without_a_name(tmp_path: Path) -> None:
    path = telegram(
        tmp_path, chat("personal_chat", 22, "Anna Berg", sent(2, "Anna", "user22", "a"), sent(3, "K", "user11", "b"))
    )
    assert TELEGRAM.recognises(path)
    assert [each["from_me"] for each in read(TELEGRAM, path, Situation(NOW))] == [False, True]


def test_a_group_alone_knows_the_owner_by_name_or_not_at_all(tmp_path: Path) -> None:
    path = telegram(
        tmp_path,
        chat("private_supergroup", 9, "Cabin", sent(2, "Tom", "user4", "a"), sent(3, "Kari Nordmann", "user1", "b")),
    )
    assert [each["from_me"] for each in read(TELEGRAM, path)] == [False, True]
    found = read(TELEGRAM, path, Situation(NOW))
    assert [("from_me" in each, each["sender"]) for each in found] == [(False, "Tom"), (False, "Kari Nordmann")]


def test_an_old_export_has_numbers_for_people_and_no_unix_time(tmp_path: Path) -> None:
    old = {"id": 3, "type": "message", "date": "2019-07-01T12:00:00", "from": "Anna", "from_id": 22, "text": "hei"}
    path = telegram(tmp_path, chat("personal_chat", 22, "Anna", old, {**old, "id": 4, "from": "K", "from_id": 11}))
    assert [(each["from_me"], each["date"]) for each in read(TELEGRAM, path)] == [
        (False, "2019-07-01T12:00:00"),
        (True, "2019-07-01T12:00:00"),
    ]


def test_forwards_files_polls_places_and_cards_are_told(tmp_path: Path) -> None:
    absent = "(File not included. Change data exporting settings to download.)"
    path = telegram(
        tmp_path,
        chat(
            "personal_chat", 22, "Anna",
            sent(1, "Anna", "user22", "f", forwarded_from="Tom"),
            sent(2, "Anna", "user22", "g", forwarded_from=None),
            sent(3, "Anna", "user22", "", photo="photos/photo_1@01-01-2024.jpg", width=1, height=1),
            sent(4, "Anna", "user22", "", photo=absent),
            sent(5, "Anna", "user22", "the plan", file=f"plan.pdf {absent}", file_name="plan.pdf", mime_type="x/y"),
            sent(6, "Anna", "user22", "", file=absent, media_type="voice_message", duration_seconds=3),
            sent(7, "Anna", "user22", "", file="stickers/s.webp", media_type="sticker", sticker_emoji="😀"),
            sent(8, "Anna", "user22", "", poll={"question": "When?", "answers": [{"text": "Now", "voters": 1}]}),
            sent(9, "Anna", "user22", "", place_name="Café", address="Gata 1",
                 location_information={"latitude": 59.9, "longitude": 10.75}),
            sent(10, "Anna", "user22", "",
                 contact_information={"first_name": "Tom", "last_name": "", "phone_number": "+1"}),
            sent(11, "Anna", "user22", [{"type": "text_link", "text": "here", "href": "https://b.example"}]),
            sent(12, "Anna", "user22", "", self_destruct_period_seconds=5),
        ),
    )  # fmt: skip
    found = read(TELEGRAM, path)
    assert [(each.get("text"), each.get("attachments"), each.get("forwarded_from")) for each in found] == [
        ("f", None, "Tom"),
        ("g", None, "unknown"),
        (None, ["photo_1@01-01-2024.jpg"], None),
        (None, ["photo"], None),
        ("the plan", ["plan.pdf"], None),
        (None, ["voice message"], None),
        (None, ["sticker 😀"], None),
        ("When?\n- Now", None, None),
        ("Café\nGata 1\n59.9, 10.75", None, None),
        ("Tom +1", None, None),
        ("here (https://b.example)", None, None),
    ]


def test_control_characters_as_telegram_writes_them_are_read(tmp_path: Path) -> None:
    path = telegram(tmp_path, chat("bot_chat", 22, "Bot", sent(1, "Bot", "user22", 'a\x0bb \\x0B "c"\\'), SERVICE))
    assert "\\x0B" in path.read_text()
    assert texts(read(TELEGRAM, path)) == ['ab \\x0B "c"\\']


def test_broken_messages_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    good = [json.dumps(sent(n, "Anna", "user22", f"text {n}")) for n in range(4)]
    deep = "[" * 100_000 + "]" * 100_000
    bad = [
        '{"id": 9, "type": "message", "text": "se\\qcret"}', "17", "nonsense", '{"type": "message", "text": "secret"}',
        '{"id": 9, "type": "message", "text": "secret", "date": "soon"}', f'{{"id": 9, "text": {deep}}}',
        '{"id": 9, "type": "message", "date_unixtime": "99999999999999999999", "text": "secret"}',
        '{"id": 9, "type": "message", "date_unixtime": "1711848600", "text": "\\ud800"}',
        '{"id": 9, "type": "message", "text": "' + "y" * (5 << 20) + '"}',
    ]  # fmt: skip
    body = ", ".join([good[0], *bad, *good[1:]])
    path = tmp_path / "result.json"
    path.write_text('{"name": "Anna", "type": "personal_chat", "id": 22, "messages": [' + body + "]}")
    found, unread = brought(TELEGRAM, path)
    assert [each.record["text"] for each in found] == [f"text {n}" for n in range(4)]
    assert len(unread.told) == len(bad)
    assert unread.told[0] == "chat 1, message 2: no message as Telegram writes it"
    assert "secret" not in "".join(unread.told)
    path.write_bytes(path.read_bytes().replace(b"text 2", b"text \xe5"))
    found, unread = brought(TELEGRAM, path)
    assert [each.record["text"] for each in found] == ["text 0", "text 1", "text 3"]


def test_a_file_that_was_cut_off_gives_what_it_has(tmp_path: Path) -> None:
    path = telegram(
        tmp_path, account(chat("personal_chat", 22, "Anna", *(sent(n, "A", "user22", "x") for n in range(9))))
    )
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.index(b'"id": 5')])
    found, unread = brought(TELEGRAM, path)
    assert len(found) == 5
    assert unread.told == ["chat 1: the file ends in it, or is no JSON from there on"]


def test_a_chat_whose_number_comes_too_late_is_told(tmp_path: Path) -> None:
    late = {"messages": [sent(1, "A", "user2", "x")], "name": "A", "type": "personal_chat", "id": 2}
    path = telegram(tmp_path, account(late, chat("personal_chat", 22, "Anna", sent(1, "A", "user22", "y"))))
    found, unread = brought(TELEGRAM, path)
    assert [each.key for each in found] == ["user22/1"]
    assert unread.told == ["chat 1: its messages do not come after its number and type"]


def test_personal_information_that_comes_last_is_found(tmp_path: Path) -> None:
    export = account(chat("private_group", 3, "Cabin", sent(1, "K", "user11", "x"), sent(2, "T", "user2", "y")))
    export["personal_information"] = export.pop("personal_information")
    path = telegram(tmp_path, export)
    assert [each["from_me"] for each in read(TELEGRAM, path, Situation(NOW))] == [True, False]


def test_other_json_is_no_export_and_the_folder_of_one_is(tmp_path: Path) -> None:
    for content in ("[]", "{}", '{"a": 1}', "", "null", '{"messages": 3}', '{"chats": []}', "\ufeff{", "{" * 9999):
        path = tmp_path / "result.json"
        path.write_text(content)
        assert not TELEGRAM.recognises(path)
        with pytest.raises(UsageError, match="no chat that Telegram exported"):
            brought(TELEGRAM, path)
    with pytest.raises(UsageError, match=r"there is no result\.json"):
        brought(TELEGRAM, tmp_path / "nowhere.json")
    telegram(tmp_path, chat("personal_chat", 22, "Anna", sent(1, "Anna", "user22", "x")))
    assert TELEGRAM.recognises(tmp_path)
    assert texts(read(TELEGRAM, tmp_path)) == ["x"]


def test_a_large_export_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    start, end = telegram_json(account(chat("personal_chat", 22, "Anna", "HERE"))).split('"HERE"')
    one = telegram_json(sent(4711, "Anna", "user22", "y" * 4000))
    with path.open("w", encoding="utf-8") as file:
        file.write(start + one)
        for number in range(4999):
            file.write(",\n" + one.replace("4711", str(number)))
        file.write(end)
    assert path.stat().st_size > 19 << 20
    tracemalloc.start()
    assert sum(1 for _ in TELEGRAM.read(path, OSLO, Unread())) == 5000
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


class Drip(io.BytesIO):
    """A file that gives few bytes at a time."""

    few = 1

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self.few)


@UNHURRIED
@given(st.lists(JSON, max_size=5), st.integers(1, 9), st.booleans(), st.booleans())
def test_json_is_read_and_skipped_the_same_wherever_a_read_ends(
    values: list[Any], few: int, ascii_only: bool, loose: bool
) -> None:
    for skipped in range(-1, len(values)):
        file = Drip(json.dumps(values, ensure_ascii=ascii_only, indent=1 if loose else None).encode())
        file.few = few
        stream = JsonStream(file)
        found = []
        for number, _ in enumerate(stream.items()):
            if number == skipped:
                stream.skip()
            else:
                found.append(stream.value())
        assert found == [each for number, each in enumerate(values) if number != skipped]
        assert stream.peek() == ""


def test_brackets_and_quotes_in_texts_are_no_structure() -> None:
    stream = JsonStream(io.BytesIO(b'{"a\\"]": {"b": "}\\\\"}, "c": [1, "\\u005d"], "d": 12'))
    names = stream.members()
    assert next(names) == 'a"]'
    stream.skip()
    assert next(names) == "c"
    assert stream.value() == [1, "]"]
    assert next(names) == "d"
    assert stream.value() == 12
    with pytest.raises(Broken):
        next(names)


# Signal


@dataclass
class SignalMessage:
    """A message as signal-export has it, and writes it."""

    date: datetime
    sender: str
    body: str
    quote: str = ""
    sticker: dict[str, str] | None = None
    reactions: list[list[str]] = field(default_factory=list)
    attachments: list[dict[str, str]] = field(default_factory=list)
    deleted: bool = False
    call: bool = False
    missed: bool = False

    def line(self) -> str:
        return json.dumps({**asdict(self), "date": self.date.isoformat()}, ensure_ascii=False)

    def text(self) -> str:
        head = f"[{self.date:%Y-%m-%d %H:%M:%S}] {self.sender}: "
        if self.deleted:
            return f"{head}(This message was deleted)\n"
        body = self.body
        if self.reactions:
            body += "\n(- " + ", ".join(f"{name}: {emoji}" for name, emoji in self.reactions) + " -)"
        if self.sticker:
            body += f"\n(( {self.sticker['emoji']} ))"
        for each in self.attachments:
            body += ("!" if each["name"].endswith("jpg") else "") + f"[{each['name']}](./{each['path']})  "
        return f"{head}{self.quote}{body}\n"


def signal(folder: Path, name: str, *messages: SignalMessage, data: bool = True) -> Path:
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    (folder / "style.css").write_text("body {}")
    (place / "index.html").write_text("<html>")
    (place / "chat.md").write_text("".join(each.text() + "\n" for each in messages), encoding="utf-8")
    if data:
        (place / "data.json").write_text("".join(each.line() + "\n" for each in messages), encoding="utf-8")
    return place


AT = datetime(2023, 12, 31, 21, 41, 5, 123000)
PHOTO = {"name": "2023-12-31T21-41-05.123_00_IMG_1.jpg", "path": "media/2023-12-31T21-41-05.123_00_IMG_1.jpg"}
SAID = (
    SignalMessage(AT, "AnnaBerg", "Happy new year!\nand: more  "),
    SignalMessage(AT.replace(second=6), "Me", "You too  ", quote="\n\n> Happy new year!\n> and: more\n\n"),
    SignalMessage(AT.replace(second=7), "AnnaBerg", "  ", attachments=[PHOTO], reactions=[["Me", "👍"]]),
    SignalMessage(AT.replace(second=8), "Me", "  ", sticker={"id": "1", "packId": "", "packKey": "", "emoji": "🐈"}),
    SignalMessage(AT.replace(second=9), "AnnaBerg", "  "),
    SignalMessage(AT.replace(second=10), "Me", "gone  ", deleted=True),
    SignalMessage(AT.replace(second=11), "AnnaBerg", "Missed voice call  ", call=True, missed=True),
    SignalMessage(AT.replace(second=12), "Me", "Outgoing video call (accepted, 3m 2s)  "),
)


@pytest.mark.parametrize("data", [True, False], ids=["data.json", "chat.md"])
def test_a_chat_of_signal_is_read_from_either_file_alike(tmp_path: Path, data: bool) -> None:
    place = signal(tmp_path, "AnnaBerg", *SAID, data=data)
    expected = [
        {"contact": "AnnaBerg", "from_me": False, "date": "2023-12-31T21:41:05", "text": "Happy new year!\nand: more"},
        {"contact": "AnnaBerg", "from_me": True, "date": "2023-12-31T21:41:06", "text": "You too"},
        {"contact": "AnnaBerg", "from_me": False, "date": "2023-12-31T21:41:07", "attachments": ["IMG_1.jpg"]},
        {"contact": "AnnaBerg", "from_me": True, "date": "2023-12-31T21:41:08", "attachments": ["sticker 🐈"]},
    ]
    for path in (tmp_path, place, place / ("data.json" if data else "chat.md")):
        assert SIGNAL.recognises(path)
        assert read(SIGNAL, path) == expected


def test_both_files_of_signal_give_the_same_keys(tmp_path: Path) -> None:
    place = signal(tmp_path, "AnnaBerg", *SAID, SAID[0], SAID[0])
    data, text = (brought(SIGNAL, place / name)[0] for name in ("data.json", "chat.md"))
    assert [each.key for each in data] == [each.key for each in text]
    assert len({each.key for each in data}) == 6


def test_a_group_of_signal_tells_who_wrote_and_own_notes_are_notes(tmp_path: Path) -> None:
    signal(
        tmp_path, "Cabin", SignalMessage(AT, "Tom", "I'm in"), SignalMessage(AT, "Me", "ok"),
        SignalMessage(AT, "No-Sender", "who?"),
    )  # fmt: skip
    signal(tmp_path, "NotetoSelf", SignalMessage(AT, "Me", "Locker 4711  "))
    found, unread = brought(SIGNAL, tmp_path)
    group = {"contact": "Cabin", "group": "Cabin", "date": "2023-12-31T21:41:05"}
    assert [(each.app, dict(each.record)) for each in found] == [
        ("imessage", {**group, "from_me": False, "text": "I'm in", "sender": "Tom"}),
        ("imessage", {**group, "from_me": True, "text": "ok"}),
        ("imessage", {**group, "from_me": False, "text": "who?"}),
        ("notes", {"content": "Locker 4711", "modified": "2023-12-31T21:41:05", "folder": "Note to Self"}),
    ]
    assert unread.count == 0


def test_old_exports_of_signal_have_minutes_lists_and_spaced_names(tmp_path: Path) -> None:
    place = tmp_path / "AnnaBerg"
    place.mkdir()
    line = {
        "date": "2019-05-29, 15:04",
        "sender": "Anna Berg",
        "body": "hei",
        "sticker": "",
        "attachments": [["a.jpg", "m"]],
    }
    (place / "data.json").write_text(json.dumps(line) + "\n")
    assert read(SIGNAL, tmp_path) == [
        {
            "contact": "Anna Berg",
            "from_me": False,
            "date": "2019-05-29T15:04:00",
            "text": "hei",
            "attachments": ["a.jpg"],
        }
    ]
    (place / "data.json").unlink()
    (place / "chat.md").write_text(
        "[2019-05-29, 15:04] Me: How is everyone?\n[2019-05-29, 15:10] Anna Berg: We: great\n"
    )
    assert [(each["from_me"], each["text"]) for each in read(SIGNAL, tmp_path)] == [
        (True, "How is everyone?"),
        (False, "We: great"),
    ]


def test_broken_lines_of_signal_are_told_without_the_chat_s_name(tmp_path: Path) -> None:
    place = signal(tmp_path, "AnnaBerg", SAID[0])
    with (place / "data.json").open("ab") as file:
        file.write(b'{"date": "soon", "sender": "AnnaBerg", "body": "secret"}\nnonsense\n[1]\n')
        file.write(b"[" * 100_000 + b"\n" + b'{"date": "2024-01-01T00:00:00", "body": "\xe5"}\n')
        file.write(b'{"date": "1970-01-01T01:00:00", "sender": "Me", "body": "undated"}\n')
        file.write(b'{"date": "9999-12-31T23:59:59-12:00", "sender": "Me", "body": "late"}\n{"date": "2024')
    found, unread = brought(SIGNAL, tmp_path)
    assert [each.record["text"] for each in found] == ["Happy new year!\nand: more", "undated"]
    assert "date" not in found[1].record
    assert [each.split(": ")[0] for each in unread.told] == [f"chat 1, line {n}" for n in (2, 3, 4, 5, 6, 8, 9)]
    assert not any(word in "".join(unread.told) for word in ("Anna", "secret"))


def test_a_folder_of_other_things_is_no_export_of_signal(tmp_path: Path) -> None:
    place = tmp_path / "project"
    place.mkdir()
    (place / "data.json").write_text('{"name": "x"}')
    (place / "chat.md").write_text("# Notes about chat")
    assert not SIGNAL.recognises(tmp_path)
    assert not SIGNAL.recognises(tmp_path / "nowhere")
    for path in (tmp_path, place / "data.json", tmp_path / "nowhere"):
        with pytest.raises(UsageError):
            brought(SIGNAL, path)
    other = tmp_path / "other"
    signal(other, "Anna", SAID[0])
    (tmp_path / "linked").symlink_to(other / "Anna")
    assert not SIGNAL.recognises(tmp_path)


# Any bytes

GOOD: dict[str, tuple[Importer, bytes]] = {
    "WhatsApp Chat with Anna.txt": (
        WHATSAPP,
        f"[31.12.23, 21:41:05] Anna: {LRM}{ENCRYPTED}\r\n[31.12.23, 21:41:06] Anna: hi\r\nthere\r\n"
        f"{LRM}[01.01.24, 9:41:07{NARROW}PM] Kari: {LRM}<attached: 1-PHOTO.jpg>\r\n[1.1.24, 8:00:00] Kari: ok".encode(),
    ),
    "result.json": (
        TELEGRAM,
        telegram_json(
            account(
                chat("personal_chat", 22, "Anna", sent(1, "Anna", "user22", ["a", {"type": "bold", "text": "\x0b"}])),
                chat("private_group", 3, "Cabin", SERVICE, sent(5, "T", "user4", "x", photo="p/a.jpg")),
            )
        ).encode(),
    ),
    "data.json": (SIGNAL, "\n".join(each.line() for each in SAID).encode()),
    "chat.md": (SIGNAL, "\n".join(each.text() for each in SAID).encode()),
}


def zipped(content: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("_chat.txt", content)
    return held.getvalue()


GOOD["WhatsApp Chat - Anna.zip"] = (WHATSAPP, zipped(GOOD["WhatsApp Chat with Anna.txt"][1]))
DAMAGE = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 20), st.binary(max_size=6)), min_size=1, max_size=4)


@pytest.mark.parametrize("name", GOOD)
@UNHURRIED
@given(st.binary(max_size=400), DAMAGE)
def test_any_bytes_are_read_told_or_refused_in_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, name: str, content: bytes, damage: list[tuple[float, int, bytes]]
) -> None:
    importer, good = GOOD[name]
    damaged = bytearray(good)
    for place, length, put in damage:
        at = int(place * len(damaged))
        damaged[at : at + length] = put
    path = tmp_path_factory.mktemp("chats") / name
    for written in (content, bytes(damaged), good + content):
        path.write_bytes(written)
        importer.recognises(path)
        unread = Unread()
        try:
            found = list(importer.read(path, OSLO, unread))
        except UsageError:
            continue
        for each in found:
            json.dumps(each.record).encode()
            assert each.key
            str(each.record).encode()
        assert [each.key for each in importer.read(path, OSLO, Unread())] == [each.key for each in found]
