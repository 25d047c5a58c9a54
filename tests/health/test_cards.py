"""Address books as phones export them: several numbers, pictures, foreign letters, folded lines, many people."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from camphor.errors import UsageError
from camphor.health.people import Book, Card, KeptList, of_card, read_cards

OLD = (  # vCard 2.1 of a phone: quoted-printable over two lines, base64 over several
    "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4D=C3=BC=6C;=4A=C3=B6=72=67;;;\n"
    "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4A=C3=B6=72=67=20=4D=C3=BC=6C=20=\n=64=65=72=20=C3=84=6C=74=65=72=65\n"
    "TEL;HOME:030 555 0101\nTEL;CELL:0170-555 0103\nTEL;FAX:030 555 0199\n"
    "PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD/4QBiRXhpZgAATU0AKgAAAAgABQESAAMAAAABAAEA\n"
    " AAEaAAUAAAABAAAASgEbAAUAAAABAAAAUgEoAAMAAAABAAEAAAITAAMAAAABAAEAAA==\n\nEND:VCARD\n"
)
FOLDED = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Guðrún Sigurðar\r\n dóttir\r\nitem1.TEL;type=HOME;type=VOICE:030 555 0104\r\n"
    "TEL;type=CELL;type=VOICE;type=pref:+354 611 0105\r\nitem1.X-ABLabel:_$!<Home>!$_\r\nEND:VCARD\r\n"
)
SMALL = (
    "begin:vcard\nversion:4.0\nfn:王小明\ntel;value=uri;type=home:tel:+44-20-7946-0555;ext=22\n"
    'tel;value=uri;type="voice,cell";pref=1:tel:+44-7700-900-555\nend:vcard\n'
)
NOBODY = "BEGIN:VCARD\nVERSION:3.0\nFN:No Number\nEND:VCARD\n"
BROKEN = "BEGIN:VCARD\nthis is broken\nEND:VCARD\n"


def read(tmp_path: Path, raw: bytes) -> Book:
    path = tmp_path / "book.vcf"
    path.write_bytes(raw)
    return read_cards(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_book_of_every_kind_of_card(tmp_path: Path, encoding: str, capsys: pytest.CaptureFixture[str]) -> None:
    book = read(tmp_path, (OLD + FOLDED + SMALL + NOBODY + BROKEN).encode(encoding))
    assert [each.name for each in book.cards] == ["Jörg Mül der Ältere", "Guðrún Sigurðardóttir", "王小明"]
    assert book.cards[0].numbers == ("030 555 0101", "0170-555 0103")
    assert book.cards[1].numbers == ("+354 611 0105", "030 555 0104")
    assert book.cards[2].numbers == ("+44-7700-900-555", "+44-20-7946-0555 ext. 22")
    assert book.left_out.startswith("Left out of the file: 2 without a name, or without a number")
    assert capsys.readouterr().err == ""
    assert not logging.getLogger("vobject").isEnabledFor(logging.ERROR)


def test_a_contact_is_written_to_at_a_mobile_and_a_doctor_called_at_the_first(tmp_path: Path) -> None:
    (card,) = read(tmp_path, OLD.encode()).cards
    assert of_card(card, KeptList.CONTACT).phone_number == "0170-555 0103"
    assert of_card(card, KeptList.DOCTOR).phone_number == "030 555 0101"
    assert of_card(Card("A", ("1234",)), KeptList.CONTACT).phone_number == "1234"


def test_five_hundred_people_with_pictures(tmp_path: Path) -> None:
    one = FOLDED.replace("END:", f"PHOTO;ENCODING=b;TYPE=JPEG:{'QUJD' * 500}\r\nEND:")
    assert len(read(tmp_path, (one * 500).encode()).cards) == 500


def test_a_file_that_is_cut_off_or_of_an_old_phone(tmp_path: Path) -> None:
    (cut,) = read(tmp_path, FOLDED.partition("END")[0].encode()).cards
    assert cut.name == "Guðrún Sigurðardóttir"
    (old,) = read(tmp_path, "BEGIN:VCARD\nVERSION:2.1\nN:Müller;Jörg\nTEL:12345\nEND:VCARD\n".encode("latin-1")).cards
    assert old.name == "Jörg Müller"


@pytest.mark.parametrize(
    ("raw", "said"),
    [(b"", "has no vCards"), (b"name,phone\nTom,1234\n", "has no vCards"), (NOBODY.encode(), "none of its cards"),
     (b"BEGIN:VCARD" + bytes(33 << 20), "more than 32 MB")],
)  # fmt: skip
def test_what_is_no_address_book_is_refused_with_the_reason(tmp_path: Path, raw: bytes, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read(tmp_path, raw)
