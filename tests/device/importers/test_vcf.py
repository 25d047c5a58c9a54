"""Contacts as vCards: what becomes of people in all three versions, and of what is broken in them."""

from __future__ import annotations

import random
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import vobject
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.importers import Situation, Unread
from camphor.device.importers.vcf import CONTACTS
from camphor.errors import UsageError
from tests.doubles.plans import UNHURRIED

NOW = datetime(2026, 5, 6, 9)
INES = Situation(NOW, None, "Inês Marques")

# As an Android phone of 2012 writes it: quoted-printable over two lines, a picture over several.
OLD = (
    "BEGIN:VCARD\r\nVERSION:2.1\r\n"
    "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4D=C3=BC=6C=6C=65=72;=4A=C3=B6=72=67;;Dr.;\r\n"
    "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=44=72=2E=20=4A=C3=B6=72=67=20=4D=C3=BC=\r\n=6C=6C=65=72\r\n"
    "TEL;HOME:030 555 0101\r\nTEL;CELL;PREF:0170-555 0103\r\nTEL;WORK;FAX:030 555 0199\r\n"
    "EMAIL;HOME:joerg@example.org\r\n"
    "ADR;HOME;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:;;=48=61=75=70=74=73=74=72=2E=20=31=3B=20=48=6F=66;"
    "K=C3=B6ln;;50667;\r\n"
    "PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD/4QBiRXhpZgAATU0AKgAAAAgABQESAAMAAAABAAEA\r\n"
    " AAEaAAUAAAABAAAASgEbAAUAAAABAAAAUgEoAAMAAAABAAEAAAITAAMAAAABAAEAAA==\r\n\r\n"
    "BDAY:1975-03-09\r\nEND:VCARD\r\n"
)
APPLE = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nPRODID:-//Apple Inc.//iPhone OS 17.0//EN\r\nN:Sigurðardóttir;Guðrún;;;\r\n"
    "FN:Guðrún Sigurðar\r\n dóttir\r\nORG:Hótel Saga ehf.;Reception;\r\nTITLE:Concierge\r\nNICKNAME:Gugga\r\n"
    "item1.TEL;type=pref:+354 611 0105\r\nitem1.X-ABLabel:_$!<Other>!$_\r\nTEL;type=HOME;type=VOICE:+354 555 0104\r\n"
    "item2.EMAIL;type=INTERNET:gudrun@example.is\r\nEMAIL;type=INTERNET;type=WORK;type=pref:desk@example.is\r\n"
    "item3.ADR;type=WORK:;;Hagatorg 1;Reykjavík;;107;Iceland\r\nitem3.X-ABADR:is\r\n"
    "item4.ADR;type=HOME:;;Laugavegur 2\\nkjallari;Reykjavík;;101;Iceland\r\n"
    "BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-15\r\nNOTE:Keys\\, spare: under the pot\\; blue\\nDoor 4\r\n"
    "UID:8F1B-UID\r\nREV:2024-01-02T03:04:05Z\r\nEND:VCARD\r\n"
)
MODERN = (
    "begin:vcard\nversion:4.0\nkind:individual\nuid:urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1\nfn:王小明\n"
    "n:王;小明;;;\ntel;value=uri;type=home:tel:+44-20-7946-0555;ext=22\n"
    'tel;value=uri;type="voice,cell";pref=1:tel:+44-7700-900-555\nemail;pref=2:b@example.org\n'
    'email;pref=1:a@example.org\nadr;label="1 High St^nLondon":;;;;;;\nbday:--0415\nend:vcard\n'
)


def card(*lines: str, name: str = "Ana Sol") -> str:
    return "\r\n".join(("BEGIN:VCARD", "VERSION:3.0", f"FN:{name}", *lines, "END:VCARD", ""))


def read(tmp_path: Path, text: str | bytes, situation: Situation = INES) -> tuple[dict[str, dict[str, Any]], Unread]:
    path = tmp_path / "a.vcf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_at(path, situation)


def read_at(path: Path, situation: Situation = INES) -> tuple[dict[str, dict[str, Any]], Unread]:
    unread = Unread()
    brought = list(CONTACTS.read(path, situation, unread))
    assert {(each.app, each.list) for each in brought} <= {("contacts", "people")}
    found = {each.key: dict(each.record) for each in brought}
    assert len(found) == len(brought)
    return found, unread


def people(tmp_path: Path, text: str | bytes, situation: Situation = INES) -> dict[str, dict[str, Any]]:
    found, unread = read(tmp_path, text, situation)
    assert unread.told == []
    return {each.get("name", ""): each for each in found.values()}


def one(tmp_path: Path, *lines: str) -> dict[str, Any]:
    (record,) = people(tmp_path, card(*lines)).values()
    return record


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_cards_of_all_three_versions_are_people(tmp_path: Path, encoding: str) -> None:
    found, unread = read(tmp_path, (OLD + APPLE + MODERN).encode(encoding))
    assert list(found.values()) == [
        {
            "name": "Dr. Jörg Müller", "phone_number": "0170-555 0103", "phones": ["0170-555 0103", "030 555 0101"],
            "email": "joerg@example.org", "birthday": "1975-03-09", "address": "Hauptstr. 1; Hof, Köln, 50667",
            "fax": "030 555 0199",
        },
        {
            "name": "Guðrún Sigurðardóttir", "nickname": "Gugga", "phone_number": "+354 611 0105",
            "phones": ["+354 611 0105", "+354 555 0104"], "email": "desk@example.is",
            "emails": ["desk@example.is", "gudrun@example.is"], "birthday": "--04-15",
            "organisation": "Hótel Saga ehf., Reception", "job": "Concierge",
            "address": "Laugavegur 2, kjallari, Reykjavík, 101, Iceland",
            "addresses": ["Laugavegur 2, kjallari, Reykjavík, 101, Iceland", "Hagatorg 1, Reykjavík, 107, Iceland"],
            "notes": "Keys, spare: under the pot; blue\nDoor 4",
        },
        {
            "name": "王小明", "phone_number": "+44-7700-900-555",
            "phones": ["+44-7700-900-555", "+44-20-7946-0555 ext. 22"], "email": "a@example.org",
            "emails": ["a@example.org", "b@example.org"], "birthday": "--04-15", "address": "1 High St, London",
        },
    ]  # fmt: skip
    assert list(found)[1:] == ["8F1B-UID", "urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1"]
    assert unread.told == []


def test_a_card_as_a_library_writes_it_is_read(tmp_path: Path) -> None:
    written = vobject.vCard()
    written.add("n").value = vobject.vcard.Name(family="Łuczak; Nowak", given="Róża")
    written.add("fn").value = "Róża Łuczak, PhD"
    written.add("org").value = ["Firma, Spółka", "Dział"]
    written.add("adr").value = vobject.vcard.Address("ul. Długa 5", "Łódź", "", "90-001", "Polska")
    number = written.add("tel")
    number.value, number.type_param = "+48 600 100 200", "CELL"
    written.add("note").value = "Zażółć " * 40
    assert people(tmp_path, written.serialize()) == {
        "Róża Łuczak, PhD": {
            "name": "Róża Łuczak, PhD", "phone_number": "+48 600 100 200", "organisation": "Firma, Spółka, Dział",
            "address": "ul. Długa 5, Łódź, 90-001, Polska", "notes": ("Zażółć " * 40).strip(),
        }
    }  # fmt: skip


@pytest.mark.parametrize(
    ("charset", "name"),
    [("SHIFT_JIS", "山田表"), ("GB2312", "王小明"), ("KOI8-R", "Иван"), ("windows-1251", "Мария"),
     ("ISO-8859-1", "José"), ("EUC-KR", "김민수"), ("BIG5", "陳大文"), ("UTF-8", "Ζωή")],
)  # fmt: skip
def test_old_cards_name_their_character_sets(tmp_path: Path, charset: str, name: str) -> None:
    raw = name.encode(charset)
    quoted = "".join(f"={byte:02X}" for byte in raw).encode()
    head = b"BEGIN:VCARD\nVERSION:2.1\n"
    plain = head + b"FN;CHARSET=" + charset.encode() + b":" + raw + b"\nTEL:12345\nEND:VCARD\n"
    coded = head + b"N;ENCODING=QUOTED-PRINTABLE;CHARSET=" + charset.encode() + b":" + quoted + b";;;;\nTEL:23456\n"
    assert list(people(tmp_path, plain)) == [name]
    assert list(people(tmp_path, coded + b"END:VCARD\n")) == [name]


def test_what_names_no_character_set_is_guessed_and_a_false_one_is_not_used(tmp_path: Path) -> None:
    assert list(people(tmp_path, card(name="José").encode("latin-1"))) == ["José"]
    for charset in ("zip", "unicode_escape", "utf-7", "x" * 100, "ISO-8859-99"):
        assert list(people(tmp_path, card("TEL:1").replace("FN:", f"FN;CHARSET={charset}:"))) == ["Ana Sol"]


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ("N:Sol;Ana;Maria,Rita;Dra.;", "Dra. Ana Maria Rita Sol"), ("N:Sol\nORG:x", "Sol"),
        ("NICKNAME:Nana\nN:;;;;", "Nana"), ("TITLE:x", None),
        ("ORG:Padaria Sol;", "Padaria Sol"), ("N:山田;太郎;;;", "山田太郎"), ("FN:\nN:Sol;Ana", "Ana Sol"),
    ],
)  # fmt: skip
def test_a_name_is_made_of_what_there_is(tmp_path: Path, lines: str, name: str | None) -> None:
    (record,) = people(tmp_path, f"BEGIN:VCARD\nVERSION:2.1\n{lines}\nTEL:12345\nEND:VCARD\n").values()
    assert record.get("name") == name


@pytest.mark.parametrize(
    ("written", "birthday"),
    [("19960415", "1996-04-15"), ("1996-04-15T00:00:00Z", "1996-04-15"), ("--0229", "--02-29"), ("--12-24", "--12-24"),
     ("1604-04-15", "--04-15"), ("0000-04-15", "--04-15")],
)  # fmt: skip
def test_a_birthday_is_a_day_with_or_without_its_year(tmp_path: Path, written: str, birthday: str) -> None:
    assert one(tmp_path, f"BDAY;VALUE=date:{written}")["birthday"] == birthday


@pytest.mark.parametrize("written", ["1996", "1996-02-30", "circa 1800", "---15", "15/04/1996"])
def test_what_is_no_birthday_is_told(tmp_path: Path, written: str) -> None:
    found, unread = read(tmp_path, card(f"BDAY:{written}", "UID:1"))
    assert found == {"1": {"name": "Ana Sol"}}
    assert unread.told == ["a.vcf, line 1: its birthday cannot be read"]


def test_numbers_and_addresses_stand_once(tmp_path: Path) -> None:
    lines = ("TEL:+1 555 0100", "TEL;TYPE=pref:(1) 555-0100", "TEL:+1 (555) 0100", "TEL:none", "EMAIL:A@example.org",
             "EMAIL:mailto:a@example.org", "EMAIL:nobody")  # fmt: skip
    record = one(tmp_path, *lines)
    assert record["phones"] == ["(1) 555-0100", "+1 555 0100"]
    assert record["email"] == "A@example.org"
    assert "emails" not in record


def test_groups_and_cards_of_nobody_are_left_out(tmp_path: Path) -> None:
    text = card("KIND:group", "MEMBER:urn:uuid:1", name="Friends") + card("X-ADDRESSBOOKSERVER-KIND:group", name="Work")
    found, unread = read(tmp_path, text + "BEGIN:VCARD\r\nVERSION:3.0\r\nNOTE:secret\r\nEND:VCARD\r\n")
    assert found == {}
    assert unread.told == ["a.vcf, line 12: a card without a name, a number or an address"]


# Keys


def test_keys_stay_whatever_the_order(tmp_path: Path) -> None:
    cards = [OLD, APPLE, MODERN, card("TEL:1234567"), card("TEL:7654321"), card("EMAIL:a@b.org"), card("EMAIL:c@b.org"),
             card("BDAY:19990101"), card("BDAY:19990102")]  # fmt: skip
    found, _ = read(tmp_path, "".join(cards))
    turned, _ = read(tmp_path, "".join(reversed(cards)))
    assert len(found) == len(cards)
    assert found == turned


def test_of_two_cards_of_a_person_the_newest_counts_and_else_the_fuller_one(tmp_path: Path) -> None:
    old, new = card("UID:1", "REV:20240101T000000Z", "TEL:1"), card("UID:1", "REV:2025-01-01T00:00:00Z", "TEL:2")
    short, full = card("TEL:+1 555 0100", name="Bo"), card("TEL:+1-555-0100", "EMAIL:bo@example.org", name="Bo")
    for text in (old + new + short + full + full, full + short + new + old + new):
        found = people(tmp_path, text)
        assert found["Ana Sol"]["phone_number"] == "2"
        assert found["Bo"]["email"] == "bo@example.org"


# Relationships


def test_the_owners_card_says_who_others_are(tmp_path: Path) -> None:
    owner = card(
        "item1.X-ABRELATEDNAMES;type=pref:Ana Sol", "item1.X-ABLabel:_$!<Mother>!$_",
        "item2.X-ABRELATEDNAMES:rui paz", "item2.X-ABLabel:piano teacher",
        "item3.X-ABRELATEDNAMES:Eva Lua", "item3.X-ABLabel:_$!<SisterInLaw>!$_",
        "item4.X-ABRELATEDNAMES:Leo Mar", "item4.X-ABLabel:_$!<Other>!$_",
        "RELATED;TYPE=co-worker:urn:uuid:77", name="Ines Marques",
    )  # fmt: skip
    others = "".join(card("UID:x" + name, name=name) for name in ("Ana Sol", "Rui Paz", "Eva Lua", "Leo Mar"))
    for text in (owner + others, others + owner):
        found = people(tmp_path, text + card("UID:urn:uuid:77", name="Kim"))
        assert {name: each.get("relationship") for name, each in found.items() if "is_self" not in each} == {
            "Ana Sol": "Mother", "Rui Paz": "Piano teacher", "Eva Lua": "Sister in law", "Leo Mar": None,
            "Kim": "Co-worker",
        }  # fmt: skip
        assert found["Ines Marques"]["is_self"] is True
        assert "is_self" not in found["Ana Sol"]


@pytest.mark.parametrize(
    ("lines", "relationship"),
    [
        ("RELATED;TYPE=child;VALUE=text:Inês Marques", "Parent"),
        ('RELATED;TYPE="friend,met";VALUE=text:Ines Marques', "Friend"),
        ("item1.X-ABRELATEDNAMES:Ines Marques\r\nitem1.X-ABLabel:_$!<Sister>!$_", "Sibling"),
        ("X-ANDROID-CUSTOM:vnd.android.cursor.item/relation;Ines Marques;14;;;;;;;;;;;;;", "Spouse"),
        ("X-ANDROID-CUSTOM:vnd.android.cursor.item/nickname;Ines Marques;1", None),
        ("RELATED;TYPE=spouse;VALUE=text:Len Tucker", "Len Tucker's spouse"),
        ("X-EVOLUTION-SPOUSE:Len Tucker", "Len Tucker's spouse"),
        ("RELATED;TYPE=spouse:urn:uuid:1", None),
        ("RELATED;TYPE=emergency;VALUE=text:Ines Marques", None),
        ("NOTE:My sister.", "Sister"),
        ("NOTE:Allergic to nuts\\nbest friend\\nsize 38", "Best friend"),
        ("NOTE:mother-in-law", "Mother-in-law"),
        ("NOTE:Relationship: travel buddy", "Travel buddy"),
        ("NOTE:Beziehung: Schwester", "Schwester"),
        ("NOTE:knows my sister", None),
        ("NOTE:My old address", None),
        ("NOTE:relation: https://example.org", None),
    ],
)
def test_a_relationship_is_told_where_it_is_plain(tmp_path: Path, lines: str, relationship: str | None) -> None:
    assert one(tmp_path, lines).get("relationship") == relationship


def test_a_first_name_alone_is_not_taken_for_the_owner(tmp_path: Path) -> None:
    found = people(tmp_path, card(name="Ines"), Situation(NOW, None, "Ines"))
    assert "is_self" not in found["Ines"]


# What is broken


def test_what_is_broken_is_told_by_its_line_and_the_rest_is_read(tmp_path: Path) -> None:
    text = (
        card("UID:1", "secret secret", name="Kept")
        + "BEGIN:VCARD\r\nFN:Secret\r\nTEL:12345\r\n"
        + card("UID:2", "AGENT:", "BEGIN:VCARD", "FN:Secret", "TEL:99999", "END:VCARD", "TEL:23456", name="Chief")
        + card("UID:3", "TEL:34567", "NOTE;ENCODING=QUOTED-PRINTABLE:left open=", name="Last")
        + "BEGIN:VCARD\r\nFN:Secret\r\n"
    )
    found, unread = read(tmp_path, text)
    assert found == {
        "1": {"name": "Kept"},
        "2": {"name": "Chief", "phone_number": "23456"},
        "3": {"name": "Last", "phone_number": "34567", "notes": "left open"},
    }
    assert unread.told == [
        "a.vcf, line 1: a line of it cannot be read",
        "a.vcf, line 7: it has no end",
        "a.vcf, line 28: it is cut off",
    ]


@pytest.mark.parametrize("raw", [b"", b"name,phone\n", b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", bytes(5000)])
def test_what_has_no_cards_is_refused(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(UsageError, match="there are no contacts in it: export"):
        read(tmp_path, raw)
    assert not CONTACTS.recognises(tmp_path / "a.vcf")


def test_pictures_and_long_lines_stay_bounded(tmp_path: Path) -> None:
    picture = "PHOTO;ENCODING=b;TYPE=JPEG:" + "QUJD" * (1 << 20)
    commas = "A;B" + "," * 100_000
    record = one(
        tmp_path, picture, commas + ":x", "NOTE:" + "n" * (5 << 20), "N:" + "x" * 10_000, "TEL:5" + "," * 10**6
    )
    assert len(record["notes"]) == 100_000
    assert len(record["phone_number"]) == 1000


def test_a_folder_of_cards_is_read_and_broken_files_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "cards"
    folder.mkdir()
    (folder / "a.vcf").write_text(card("UID:1"))
    (folder / "b.vcard").write_text(card("UID:2", name="Bo") + card("UID:1"))
    (folder / "c.vcf").write_text("nothing")
    (tmp_path / "d.vcf").write_text(card("UID:4"))
    (folder / "d.vcf").symlink_to(tmp_path / "d.vcf")
    assert CONTACTS.recognises(folder)
    assert CONTACTS.recognises(folder / "b.vcard")
    found, unread = read_at(folder)
    assert sorted(found) == ["1", "2"]
    assert unread.told == ["c.vcf: there are no contacts in it"]


# Anything

GOOD = (OLD + APPLE + MODERN + card("AGENT:", "BEGIN:VCARD", "END:VCARD", "X-ABLABEL:x", "RELATED;TYPE=me:x")).encode()


def attempt(folder: Path, raw: bytes) -> None:
    path = folder / "a.vcf"
    path.write_bytes(raw)
    CONTACTS.recognises(path)
    try:
        found = read_at(path)
    except UsageError:
        return
    assert read_at(path) == found


@UNHURRIED
@given(st.binary(max_size=400), st.sampled_from([b"", b"BEGIN:VCARD\n"]), st.sampled_from([b"", b"\nEND:VCARD"]))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes, head: bytes, tail: bytes
) -> None:
    attempt(tmp_path_factory.mktemp("vcf"), head + raw + tail)


@UNHURRIED
@given(st.integers(0, 2**32), st.integers(1, 12))
def test_any_damage_is_survived(tmp_path_factory: pytest.TempPathFactory, seed: int, times: int) -> None:
    chance, raw = random.Random(seed), bytearray(GOOD)
    for _ in range(times):
        place = chance.randrange(len(raw))
        size = chance.choice((0, 1, 1, 3, 40))
        raw[place : place + size] = chance.choice((b"", b"\0", b"9", b";", b":", b"=", b'"', b"\r\n", b"\xff", b"-"))
    attempt(tmp_path_factory.mktemp("vcf"), bytes(raw))
