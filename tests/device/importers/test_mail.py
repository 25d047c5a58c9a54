"""Mails in mbox files, Maildir folders and .eml files: what becomes of each, and what is left out."""

from __future__ import annotations

import mailbox
import os
import sys
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any

import pytest
from dateutil import tz
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.importers import SimpleImporter, Situation, Unread
from camphor.device.importers import mail as module
from camphor.device.importers.mail import EML, MAILDIR, MBOX
from camphor.device.importers.mail_parts import LARGEST
from camphor.errors import UsageError
from tests.doubles.plans import UNHURRIED

OSLO = Situation(datetime(2026, 5, 6, 9), tz.gettz("Europe/Oslo"))
FROM = b"From ana@example.org Mon Mar  2 09:00:00 2026\n"


def read(path: Path, importer: SimpleImporter = MBOX) -> tuple[dict[str, dict[str, Any]], Unread]:
    unread = Unread()
    found = list(importer.read(path, OSLO, unread))
    assert {(each.app, each.list) for each in found} <= {("mail", "messages")}
    assert len({each.key for each in found}) == len(found)
    return {each.key: dict(each.record) for each in found}, unread


def a_mail(key: str = "1", text: str = "Soup at noon?", **told: str) -> EmailMessage:
    made = EmailMessage()
    fields = {"From": "Ana Lind <ana@example.org>", "Subject": "Lunch", "Date": "Mon, 02 Mar 2026 10:00:00 +0100"}
    for name, value in (fields | {"Message-ID": f"<{key}@example.org>"} | told).items():
        made[name.replace("_", "-")] = value
    made.set_content(text)
    return made


def one(path: Path, content: bytes) -> dict[str, Any]:
    """The record of a mail in a file of its own."""
    file = path / "one.eml"
    file.write_bytes(content)
    found, unread = read(file, EML)
    assert unread.count == 0
    (record,) = found.values()
    return record


def body(path: Path, text: str, kind: str = "plain", **headers: str) -> str:
    made = a_mail(**headers)
    made.set_content(text, subtype=kind)
    return str(one(path, bytes(made)).get("body", ""))


def test_the_mails_of_an_mbox_have_their_fields(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "Trips.mbox")
    box.add(a_mail(To="Bo <bo@example.org>, eve@example.org", Cc='"Lund, Kai" <kai@example.org>'))
    box.add(
        a_mail("2", "From here on it is easy.\n\nFrom the top:\nNote: not a header\n", Date="1 Jul 2026 08:00:00 -0400")
    )
    box.close()
    found, unread = read(tmp_path / "Trips.mbox")
    assert MBOX.recognises(tmp_path / "Trips.mbox")
    assert unread.count == 0
    assert found["1@example.org"] == {
        "sender": "Ana Lind <ana@example.org>",
        "recipients": ["Bo <bo@example.org>", "eve@example.org", "Lund, Kai <kai@example.org>"],
        "subject": "Lunch",
        "date": "2026-03-02T10:00:00",
        "body": "Soup at noon?",
        "folder": "Trips",
    }
    assert found["2@example.org"]["date"] == "2026-07-01T14:00:00"
    assert found["2@example.org"]["body"] == "From here on it is easy.\n\nFrom the top:\nNote: not a header"


def test_thunderbirds_files_have_no_ending_and_keep_what_was_deleted(tmp_path: Path) -> None:
    file = tmp_path / "Local Folders" / "Work.sbd" / "Offers"
    file.parent.mkdir(parents=True)
    line = "From - Mon Mar 02 10:00:00 2026\r\n"
    kept, gone = (f"X-Mozilla-Status: {status}\r\n" for status in ("0001", "0009"))
    file.write_bytes(
        f"{line}{kept}From: a@example.org\r\nSubject: A\r\n\r\nOne\r\n\r\n".encode()
        + f"{line}{gone}From: b@example.org\r\nSubject: B\r\n\r\nTwo\r\n\r\n".encode()
    )
    found, _ = read(file)
    assert MBOX.recognises(file)
    (record,) = found.values()
    assert record == {
        "sender": "a@example.org", "subject": "A", "date": "2026-03-02T10:00:00", "body": "One",
        "folder": "Work/Offers",
    }  # fmt: skip


def test_gmails_labels_are_folders_and_its_spam_and_trash_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "All mail Including Spam and Trash.mbox"
    labels = ("Inbox,Important,Opened,Category updates,Trips", "Archived,Opened", "Spam,Unread", "Trash,Inbox",
              "=?UTF-8?Q?Gel=C3=B6scht,Ungelesen?=", "Papierkorb", "=?UTF-8?Q?Reisen/K=C3=B6ln?=")  # fmt: skip
    with path.open("wb") as file:
        for key, each in enumerate(labels):
            file.write(b"From 178@xxx Mon Mar 02 09:00:00 +0000 2026\nX-Gmail-Labels: " + each.encode() + b"\n")
            file.write(bytes(a_mail(str(key))) + b"\n")
    found, _ = read(path)
    assert {key[0]: record["folder"] for key, record in found.items()} == {
        "0": "Inbox, Trips", "1": path.stem, "6": "Reisen/Köln",
    }  # fmt: skip


def test_apples_export_is_a_folder_with_the_file_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "Family.mbox"
    folder.mkdir()
    (folder / "mbox").write_bytes(FROM + bytes(a_mail()))
    assert MBOX.recognises(folder)
    assert [record["folder"] for record in read(folder)[0].values()] == ["Family"]


def test_mails_are_told_apart_wherever_the_pieces_that_are_read_end(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "a.mbox"
    path.write_bytes(b"".join(FROM + bytes(a_mail(str(n), "x\n" * (n % 7 * 40))) + b"\n" for n in range(400)))
    whole, _ = read(path)
    for size in (1, 4096, 5000):
        monkeypatch.setattr(module, "_CHUNK", size)
        monkeypatch.setattr(module, "_LARGEST_CHUNK", max(size, 3000))
        assert read(path)[0] == whole
    assert len(whole) == 400


def test_of_a_mail_larger_than_memory_the_beginning_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    huge = a_mail("huge", "See the film")
    huge.add_attachment(b"x", maintype="video", subtype="mp4", filename="film.mp4")
    start, _, end = bytes(huge).rpartition(b"\n\n")
    with path.open("wb") as file:
        file.write(FROM + start + b"\n\n")
        for _ in range(LARGEST >> 20):
            file.write(b"QUJD" * 19 + b"\n" + b"QUJD" * ((1 << 18) - 20) + b"\n")
        file.write(end * 9000 + b"\n" + FROM + bytes(a_mail("after")))
    found, unread = read(path)
    assert (list(found), unread.count) == (["huge@example.org", "after@example.org"], 0)
    assert found["huge@example.org"]["attachments"] == ["film.mp4"]
    assert found["huge@example.org"]["body"] == "See the film"


def test_a_mail_that_is_there_twice_is_one_and_one_without_an_id_has_a_key_too(tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    nameless = b"From: ana@example.org\nSubject: No id\n"
    mails = [
        bytes(a_mail()),
        nameless + b"\nOne",
        bytes(a_mail()),
        nameless + b"Status: RO\n\nOne",
        nameless + b"\nThree",
    ]
    path.write_bytes(b"".join(FROM + each + b"\n\n" for each in mails))
    found, _ = read(path)
    assert [record["body"] for record in found.values()] == ["Soup at noon?", "One", "Three"]
    path.write_bytes(b"".join(FROM + each + b"\n\n" for each in reversed(mails)))
    assert read(path)[0] == found
    assert {record["date"] for record in found.values()} == {"2026-03-02T10:00:00"}


def test_a_maildirs_folders_are_read_and_its_trash_is_not(tmp_path: Path) -> None:
    root = mailbox.Maildir(tmp_path / "Mail")
    root.add(a_mail("inbox"))
    for name in ("Trips.2025", "Trash", "Gel&APY-scht", "Entw&APw-rfe", "Junk"):
        root.add_folder(name).add(a_mail(name.replace("&", "")))
    flagged = mailbox.MaildirMessage(a_mail("thrown"))
    flagged.set_subdir("cur")
    flagged.set_flags("ST")
    root.add(flagged)
    seen = mailbox.MaildirMessage(a_mail("seen"))
    seen.set_subdir("cur")
    seen.set_flags("S")
    root.add(seen)
    (tmp_path / "Mail" / "new" / "broken").write_bytes(b"\x00\xff")
    found, unread = read(tmp_path / "Mail", MAILDIR)
    assert MAILDIR.recognises(tmp_path)
    assert {key.partition("@")[0]: record.get("folder") for key, record in found.items()} == {
        "inbox": None, "seen": None, "Trips.2025": "Trips/2025", "EntwAPw-rfe": "Entwürfe",
    }  # fmt: skip
    assert unread.told == ["new/broken: no headers of a mail"]
    assert read(tmp_path, MAILDIR)[0].keys() == found.keys()


def test_saved_mails_are_found_below_a_folder(tmp_path: Path) -> None:
    root = tmp_path / "saved"
    for name in ("a.eml", "Trips/b.EML", "Deleted Items/c.eml", ".hidden/d.eml"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"\xef\xbb\xbf" + a_mail(name[-5]).as_bytes(policy=SMTP))
    (root / "link.eml").symlink_to(root / ".hidden" / "d.eml")
    (root / "picture.jpg").write_bytes(b"\xff\xd8")
    found, unread = read(root, EML)
    assert EML.recognises(root)
    assert EML.recognises(root / "a.eml")
    assert [(key[0], record.get("folder")) for key, record in found.items()] == [("a", None), ("b", "Trips")]
    assert unread.count == 0


def test_a_folder_of_notes_with_a_mail_among_them_is_no_folder_of_mails(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.md").write_text("From Paris with love")
    (tmp_path / "a.eml").write_bytes(bytes(a_mail()))
    assert not any(importer.recognises(tmp_path) for importer in (MBOX, MAILDIR, EML))
    assert not MBOX.recognises(tmp_path / "0.md")


@pytest.mark.parametrize(
    ("header", "field", "expected"),
    [
        (b"Subject: =?utf-8?B?w4Vz?= =?utf-8?B?ZQ==?= =?iso-8859-1?Q?_=E6?= x", "subject", "Åse æ x"),
        (b"Subject: =?utf-8?B?8J+Z?=\n =?utf-8?B?gg?= a\n b", "subject", "🙂 a b"),
        (b"Subject: =?gb2312?B?xOO6ww==?=", "subject", "你好"),
        (b"Subject: =?utf-8?Q?caf=C3?=\n =?utf-8?Q?=A9?=", "subject", "café"),
        (b"Subject: Gr\xc3\xbc\xc3\x9fe", "subject", "Grüße"),
        (b"Subject: Gr\xfc\xdfe", "subject", "Grüße"),
        (b"Subject: =?nonsense?Q?caf=E9?= =?utf-8?Q?=E9?=", "subject", "caféé"),
        (b"Subject: =?idna?Q?a?= a\x00\x1b\xe2\x80\xaeb", "subject", "a ab"),
        (b"Subject: \xcf\xf0\xe8\xe2\xe5\xf2\nContent-Type: text/plain; charset=windows-1251", "subject", "Привет"),
        (b"From: =?utf-8?Q?Lind,_Ana?= <ana@example.org>", "sender", "Lind, Ana <ana@example.org>"),
        (b"From: ana@example.org (Ana \"A\" Lind)", "sender", 'Ana "A" Lind <ana@example.org>'),
        (b"From: Lind, Ana <ana@example.org>", "sender", "Lind, Ana <ana@example.org>"),
        (b"From: \"ana@example.org\" <ana@example.org>", "sender", "ana@example.org"),
        (b"From: \"=?utf-8?Q?J=C3=B8rgen?=\" <j@example.org>", "sender", "Jørgen <j@example.org>"),
        (b"From: Mail Delivery System", "sender", "Mail Delivery System"),
        (b"To: Team: a@example.org, Bo <b@example.org>;\nFrom: c@example.org", "recipients",
         ["a@example.org", "Bo <b@example.org>"]),
        (b"Date: Sun, 29 Mar 2026 01:30:00 GMT", "date", "2026-03-29T03:30:00"),
        (b"Date: Mon, 2 Mar 2026 10:00:00 -0000", "date", "2026-03-02T11:00:00"),
        (b"Date: 2026-03-02T10:00:00Z", "date", "2026-03-02T11:00:00"),
        (b"Date: Mon, 2 Mar 2026 10:00:00", "date", "2026-03-02T10:00:00"),
        (b"Date: yesterday\nReceived: by x; Mon, 2 Mar 2026 10:00:00 +0000", "date", "2026-03-02T11:00:00"),
        (b"Date: Mon, 2 Mar 0001 10:00:00 +9999", "date", None),
    ],
)  # fmt: skip
def test_headers_are_read_as_well_as_can_be(tmp_path: Path, header: bytes, field: str, expected: object) -> None:
    assert one(tmp_path, header + b"\n\ntext").get(field) == expected


@pytest.mark.parametrize(
    ("charset", "data", "expected"),
    [
        ("us-ascii", "Grüße".encode(), "Grüße"),
        ("utf-8", "Grüße und Küsse".encode("cp1252"), "Grüße und Küsse"),
        ("iso-8859-1", "“5 €”".encode("cp1252"), "“5 €”"),
        ("koi8-r", "Привет".encode("koi8-r"), "Привет"),
        ("iso-2022-jp", "日本".encode("iso2022_jp"), "日本"),
        ("utf-8", b"one \xff bad byte in \xc3\xa9\xc3\xa9\xc3\xa9", "one \ufffd bad byte in ééé"),
        ("no-such", b"caf\xe9", "café"),
        ("unicode_escape", b"a\\ud800", "a\\ud800"),
    ],
)
def test_texts_in_charsets_told_rightly_and_wrongly(tmp_path: Path, charset: str, data: bytes, expected: str) -> None:
    head = f"From: a@example.org\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
    assert one(tmp_path, head.encode() + data)["body"] == expected


def test_the_plain_text_is_taken_and_attachments_are_named(tmp_path: Path) -> None:
    made = a_mail(text="The plan is attached.")
    made.add_alternative("<p>The <b>plan</b></p>", subtype="html")
    made.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="Reiseplan für März.pdf")
    made.add_attachment(
        b"x", maintype="image", subtype="png", filename="../../etc/logo.png", disposition="inline", cid="<1>"
    )
    made.add_attachment("a,b", subtype="csv", filename="..\\..\\list.csv")
    made.add_attachment("not the body", filename="notes.txt")
    record = one(tmp_path, made.as_bytes(policy=SMTP))
    assert record["body"] == "The plan is attached."
    assert record["attachments"] == ["Reiseplan für März.pdf", "list.csv", "notes.txt"]


def test_html_is_taken_where_there_is_no_plain_text(tmp_path: Path) -> None:
    made = a_mail(text="  \n")
    page = (
        "<html><head><title>t</title><style>p{}</style></head><body>"
        "<div style='display:none'>secret <div>words</div></div>"
        "<!-- note --><script>if (a<b) {}</script><p>Fish &amp; chips,<br>\n two&nbsp;times</p><p hidden>not this</p>"
        "<ul><li>one</li><li>t<b>w</b>o</li></ul><span style='font-size:0px'>tiny</span><table><tr><td>a</td><td>b</td>"
        "</tr></table><img alt='x > y'>5 < 6 &#x1F642;&#99999999999;\u200b</body></html>"
    )
    made.add_alternative(page, subtype="html")
    record = one(tmp_path, bytes(made))
    assert record["body"] == "Fish & chips,\ntwo times\n\n- one\n- two\n\na b\n\n5 < 6 🙂\ufffd"


def test_what_a_reply_quotes_is_left_out(tmp_path: Path) -> None:
    wrote = "On Mon, 2 Mar 2026 at 10:00, Bo Lund\n<bo@example.org> wrote:\n"
    assert body(tmp_path, f"Yes.\n\n{wrote}\n> Soup?\n> Bo\n") == "Yes."
    assert body(tmp_path, f"Yes.\n\n{wrote}\nSoup?\n\nBo\n") == "Yes."
    assert body(tmp_path, f"{wrote}> Soup?\n\nYes.\n\n> When?\nNoon.\n") == "Yes.\n\nNoon."
    assert body(tmp_path, "Ja.\n\nAm 02.03.26 um 10:00 schrieb Bo:\n\nSuppe?", Subject="AW: Essen") == "Ja."
    outlook = "Oui.\n\n________________________________\nDe : Bo\nEnvoyé : lundi 2 mars 2026\nÀ : Ana\n\nSoupe ?"
    assert body(tmp_path, outlook, Subject="RE: Midi") == "Oui."
    assert body(tmp_path, "Ok\n-----Original Message-----\nhm", In_Reply_To="<0@example.org>") == "Ok"
    page = '<div>Yes.</div><div class="gmail_quote"><div>On 2 Mar 2026 Bo wrote:<br></div>'
    page += '<blockquote class="gmail_quote" style="x"><div>Soup?</div></blockquote></div>'
    assert body(tmp_path, page, "html") == "Yes."


def test_what_is_no_reply_keeps_its_text(tmp_path: Path) -> None:
    story = "On 3 May 1914 he wrote:\n\nDear Ana,"
    assert body(tmp_path, story) == story
    forward = "Look:\n\n> On 3 May 2026, Bo <bo@example.org> wrote:\n> Soup"
    assert body(tmp_path, forward, Subject="Fwd: Soup") == forward
    assert body(tmp_path, "> all of it\n", Subject="Re: Soup") == "> all of it"
    assert len(body(tmp_path, "word " * 9000)) == 20_000 - 1


def test_recipients_are_fifty_at_most(tmp_path: Path) -> None:
    record = one(tmp_path, b"From: a@b.org\nTo: " + b", ".join(b"p%d@b.org" % n for n in range(400)) + b"\n\nx")
    assert len(record["recipients"]) == 50


def test_a_source_that_is_none_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(b"nothing\nFrom here\n")
    (tmp_path / "Trash").write_bytes(FROM + bytes(a_mail()))
    (tmp_path / "empty").mkdir()
    (tmp_path / "void.mbox").write_bytes(b"")
    for importer, name, told in (
        (MBOX, "a.mbox", "no mbox file"), (MBOX, "Trash", "deleted"), (MBOX, "empty", "no mbox file"),
        (MAILDIR, "empty", "no Maildir"), (EML, "empty", "no file"), (EML, "nowhere", "no file"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=told):
            read(tmp_path / name, importer)
    assert read(tmp_path / "void.mbox")[0] == {}


def test_what_stands_above_the_first_mail_and_what_is_no_mail_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    path.write_bytes(b"junk\n\n" + FROM + bytes(a_mail()) + b"\n" + FROM + b"Wrong: header\n\nx\n")
    found, unread = read(path)
    assert len(found) == 1
    assert unread.told == ["the beginning: no mail", "mail 2: no headers of a mail"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.eml").write_bytes(bytes(a_mail()))
    (tmp_path / name / "b.eml").write_bytes(b"none")
    found, unread = read(tmp_path, EML)
    assert [record["folder"] for record in found.values()] == ["caf"]
    assert unread.told[0].encode()


def rich() -> bytes:
    made = a_mail(To="Bo <bo@example.org>", Subject="Re: Grüße", text="Ja\n\nAm 2.3.26 schrieb Bo:\n> Nein")
    made.add_alternative("<p style='display:none'>x</p><blockquote type=cite>y &amp; z</blockquote>", subtype="html")
    made.add_attachment(b"\x00\xff", maintype="application", subtype="pdf", filename="für.pdf")
    return FROM + bytes(made) + b"\n" + FROM + bytes(a_mail("2"))


@UNHURRIED
@given(st.binary(max_size=400), st.integers(0, 1500), st.integers(0, 60))
def test_any_bytes_and_any_damage_are_read_or_told(tmp_path_factory: Any, noise: bytes, at: int, lost: int) -> None:
    folder = tmp_path_factory.mktemp("mail")
    whole = rich()
    for content in (noise, FROM + noise, whole[:at] + noise[:40] + whole[at + lost :], whole[:at]):
        (folder / "a.mbox").write_bytes(content)
        (folder / "a.eml").write_bytes(content.partition(b"\n")[2])
        for importer, name in ((MBOX, "a.mbox"), (EML, "a.eml"), (EML, ""), (MAILDIR, "")):
            importer.recognises(folder / name)
            try:
                found, _ = read(folder / name, importer)
            except UsageError:
                continue
            assert all(str(record).encode() for record in found.values())
