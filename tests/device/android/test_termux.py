"""A phone with camphor on it: its own commands, here as small programs of the same names and answers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from camphor.cli.root import run
from camphor.device.android.adb import CALLS, TEXTS
from camphor.device.android.intent import ContactQuery
from camphor.device.android.termux import PICKED, TermuxCommands, TermuxPhone
from camphor.device.android.toolbox import intent_of
from camphor.errors import AmbiguousValue, ToolError, UnknownValue
from camphor.types import Call

PEOPLE = [
    {"name": "Ana, dentist", "number": "+351 21 000"},
    {"name": "Bea Reis", "number": "555 1"},
    {"name": "Bea Vaz", "number": "555 2"},
]
LOG = [
    {"name": "Bea Vaz", "phone_number": "555 2", "type": "MISSED", "date": "2026-03-12 08:30:00"},
    {"phone_number": "555 9", "type": "REJECTED", "date": "2026-03-12 08:30:00"},
]


class FakeTermux:
    """Commands in a folder of the path, each of which notes how it was called."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder / "bin", folder / "calls"
        self.folder.mkdir()
        self.says("termux-contact-list", json.dumps(PEOPLE))
        self.says("termux-call-log", json.dumps(LOG))
        self.says("termux-dialog", json.dumps({"code": -1, "text": "Ana; dentist", "index": 0}))
        self.says("am", "Starting: Intent\nStatus: ok")
        self.does("getprop", 'case "$1" in persist.sys.timezone) echo Europe/Lisbon;; *) echo Pixel;; esac')
        self.does("termux-camera-photo", 'echo jpeg > "$1"')
        self.does("termux-storage-get", '(sleep 0.2; echo text > "$1") &')

    def does(self, name: str, script: str) -> None:
        path = self.folder / name
        # one line a word, one empty line a call
        path.write_text(f'#!/bin/sh\nprintf "%s\\n" {name} "$@" "" >> {self.log}\n{script}\n', encoding="utf-8")
        path.chmod(0o755)

    def says(self, name: str, text: str) -> None:
        self.does(name, f"cat <<'END'\n{text}\nEND")

    @property
    def calls(self) -> list[list[str]]:
        return [call.split("\n") for call in self.log.read_text(encoding="utf-8").strip().split("\n\n")]


@pytest.fixture
def termux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeTermux:
    made = FakeTermux(tmp_path)
    monkeypatch.setenv("PATH", f"{made.folder}{os.pathsep}{os.environ['PATH']}")
    return made


@pytest.fixture
def phone(termux: FakeTermux, tmp_path: Path) -> TermuxPhone:
    return TermuxPhone(TermuxCommands(), tmp_path / "files")


def started(phone: TermuxPhone, name: str, **arguments: object) -> object:
    asked = intent_of(Call(name, arguments))
    assert not isinstance(asked, ContactQuery)
    return phone.start(asked).get("result")


def test_a_photo_a_document_and_a_new_file_come_back_as_files(phone: TermuxPhone, tmp_path: Path) -> None:
    files = tmp_path / "files"
    assert started(phone, "ACTION_IMAGE_CAPTURE") == (files / "photo.jpg").as_uri()
    assert started(phone, "ACTION_IMAGE_CAPTURE") == (files / "photo-1.jpg").as_uri()
    assert started(phone, "ACTION_OPEN_DOCUMENT", mime_types=["text/plain"]) == (files / "document.txt").as_uri()
    made = started(phone, "ACTION_CREATE_DOCUMENT", mime_type="text/plain", initial_name="../../list.md")
    assert made == (files / "list.md").as_uri()


def test_a_contact_is_chosen_and_what_is_known_of_it_told(phone: TermuxPhone, termux: FakeTermux) -> None:
    uri = started(phone, "ACTION_PICK", data_type="ALL")
    assert uri == f"{PICKED}Ana%2C%20dentist"
    dialog = next(call for call in termux.calls if call[0] == "termux-dialog")
    assert dialog == ["termux-dialog", "radio", "-t", "Which contact?", "-v", "Ana; dentist,Bea Reis,Bea Vaz"]
    asked = intent_of(Call("get_contact_info_from_uri", {"contact_uri": uri, "key": "phone"}))
    assert isinstance(asked, ContactQuery)
    assert phone.answer("get_contact_info_from_uri", asked) == {"result": "+351 21 000"}
    assert phone.answer("t", ContactQuery("uri", "Bea Vaz")) == {"result": f"{PICKED}Bea%20Vaz"}


def test_what_is_not_known_is_told(phone: TermuxPhone) -> None:
    with pytest.raises(AmbiguousValue):
        phone.answer("t", ContactQuery("phone", "Bea"))
    with pytest.raises(UnknownValue):
        phone.answer("t", ContactQuery("phone", "Zoe"))
    with pytest.raises(UnknownValue, match="names and numbers alone"):
        phone.answer("t", ContactQuery("email", "Bea Vaz"))


@pytest.mark.parametrize("body", ["it's $(reboot) `id`; x", "--ez y true", "\\'"])
def test_other_intents_are_started_with_their_values_as_they_are(
    phone: TermuxPhone, termux: FakeTermux, body: str
) -> None:
    started(phone, "send_message", phone_number="555 1", subject="s", body=body)
    words = next(call for call in termux.calls if call[0] == "am")
    assert words[words.index("sms_body") + 1] == body


def test_what_am_refuses_and_what_cannot_be_handed_on_is_told(phone: TermuxPhone, termux: FakeTermux) -> None:
    photo = started(phone, "ACTION_IMAGE_CAPTURE")
    with pytest.raises(ToolError, match="termux-share"):
        started(phone, "send_message", phone_number="555 1", subject="s", body="b", attachments=[photo])
    with pytest.raises(ToolError, match="no place where it could be opened"):
        started(phone, "ACTION_VIEW_CONTACT", contact_uri=f"{PICKED}Bea")
    termux.does("am", "echo 'Error: Activity not started, unable to resolve Intent { act=x }'; exit 1")
    with pytest.raises(ToolError, match="no app on the phone takes this request"):
        started(phone, "dial", phone_number="555 1")
    termux.does("am", "echo 'Status: ok'")
    asked = intent_of(Call("ACTION_VIDEO_CAPTURE", {}))
    assert not isinstance(asked, ContactQuery)
    assert "note" in phone.start(asked)


@pytest.mark.parametrize(
    ("name", "says", "told"),
    [
        ("termux-dialog", '{"code": -2, "text": ""}', "nothing was chosen"),
        ("termux-dialog", '{"code": -1, "text": "Bea Reis", "index": 0}', "nothing was chosen"),
        ("termux-contact-list", "null", "did not answer as it should"),
        ("termux-contact-list", '{"error": "Please grant android.permission.READ_CONTACTS"}', "READ_CONTACTS"),
        ("termux-contact-list", "what?", "did not answer as it should"),
        ("termux-contact-list", "[]", "nothing on the phone"),
    ],
)
def test_what_the_phone_does_not_give_is_told(
    phone: TermuxPhone, termux: FakeTermux, name: str, says: str, told: str
) -> None:
    termux.says(name, says)
    with pytest.raises(ToolError, match=told):
        started(phone, "ACTION_PICK", data_type="ALL")


def test_who_chooses_nothing_is_waited_for_and_no_longer(termux: FakeTermux, tmp_path: Path) -> None:
    termux.does("termux-storage-get", "true")
    clock = iter(range(0, 100_000, 50))
    phone = TermuxPhone(TermuxCommands(), tmp_path / "files", lambda _: None, lambda: float(next(clock)))
    with pytest.raises(ToolError, match="no document was chosen within 120 seconds"):
        started(phone, "ACTION_GET_CONTENT", mime_type="text/plain")


def test_without_the_commands_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match="termux-contact-list is not there: install the app Termux:API"):
        TermuxPhone(TermuxCommands(), tmp_path).contacts()


def test_a_permission_that_lacks_is_told_at_once(phone: TermuxPhone, termux: FakeTermux) -> None:
    termux.says("termux-camera-photo", '{"API_ERROR": "grant android.permission.CAMERA"}')
    with pytest.raises(ToolError, match=r"does not allow termux-camera-photo: grant android.permission.CAMERA"):
        started(phone, "ACTION_IMAGE_CAPTURE")


def test_calls_are_known_and_texts_are_not_read(phone: TermuxPhone) -> None:
    (missed,) = phone.history(CALLS)
    assert (missed.number, missed.kind) == ("555 2", "missed")
    assert phone.history(TEXTS) == []


def test_this_phone_is_connected_and_acts(
    termux: FakeTermux, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CAMPHOR_HOME", str(tmp_path / "data"))
    assert run(["device", "connect", "--here", "--name", "mine", "--history"]) == 0
    assert "3 contacts read" in capsys.readouterr().out
    assert run(["device", "show", "mine", "android_contacts", "--json"]) == 0
    assert "+351 21 000" in capsys.readouterr().out
    assert run(["context", "show", "--device", "mine", "--json"]) == 0
    assert "missed" in capsys.readouterr().out
