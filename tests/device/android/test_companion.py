"""A phone with camphor's companion app: what the person chooses comes back; a stranger's answer ends in a sentence."""

from __future__ import annotations

import json
import re
import stat
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from camphor.cli.home import open_device
from camphor.cli.root import run
from camphor.device.android import functions
from camphor.device.android.companion import (
    LONGEST_LINE,
    TOKEN_VARIABLE,
    WRONG_TOKEN,
    CompanionPhone,
    CompanionShell,
)
from camphor.device.android.intent import ContactQuery, Extra, Intent, Long, Uri
from camphor.device.android.toolbox import android_toolbox, intent_of
from camphor.errors import ToolError, UnknownValue
from camphor.types import Call
from tests.doubles.adb_server import AdbServer, Phone
from tests.doubles.command import Camphor
from tests.doubles.companion_app import SHOWN, TOKEN, CompanionApp, FalseApp
from tests.doubles.intents import GOLDEN
from tests.doubles.terminal import Terminal

APP = Path(__file__).parents[3] / "phone" / "app" / "src" / "main"
KOTLIN = APP / "kotlin" / "org" / "camphor" / "phone"
ANDROID = "{http://schemas.android.com/apk/res/android}"
GIVEN = "content://org.camphor.phone.files/"
PHOTO = {"uri": f"{GIVEN}photo.jpg", "name": "photo.jpg", "path": "/storage/emulated/0/Android/data/x/photo.jpg"}

# adbutils leaves a connection to the server open where that refuses it
pytestmark = pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[AdbServer]:
    (tmp_path / "phone").mkdir()
    with AdbServer(Phone(tmp_path / "phone")) as server:
        yield server


@pytest.fixture
def app(server: AdbServer) -> CompanionApp:
    return CompanionApp(server.phone)


@pytest.fixture
def phone(server: AdbServer) -> CompanionPhone:
    return CompanionPhone(shell(server), SHOWN)


def shell(server: AdbServer) -> CompanionShell:
    return CompanionShell(server.phone.serial, port=server.port)


def intent(name: str, **arguments: object) -> Intent:
    asked = intent_of(Call(name, arguments))
    assert isinstance(asked, Intent)
    return asked


def started(server: AdbServer) -> list[list[str]]:
    return [words for words in server.phone.calls if words[0] == "am"]


# what comes back


def test_a_photo_comes_back_with_its_path(phone: CompanionPhone, app: CompanionApp, server: AdbServer) -> None:
    app.chosen = PHOTO
    assert phone.start(intent("ACTION_IMAGE_CAPTURE")) == {
        "intent": "android.media.action.IMAGE_CAPTURE", "answer": "ok", "result": PHOTO["uri"], "name": "photo.jpg",
        "path": PHOTO["path"],
    }  # fmt: skip
    (asked,) = app.asked
    assert (asked["output"], asked["result"], asked["seconds"]) == ("photo", True, 120)
    assert started(server) == []
    phone.start(intent("ACTION_VIDEO_CAPTURE"))
    assert app.asked[-1]["output"] == "video"


def test_a_contact_and_a_number_come_back(phone: CompanionPhone, app: CompanionApp) -> None:
    uri = "content://com.android.contacts/contacts/lookup/0r7-3A/7"
    app.chosen = {"uri": uri, "name": "Ana Vaz"}
    assert phone.start(intent("ACTION_PICK")) == {
        "intent": "android.intent.action.PICK", "answer": "ok", "result": uri, "name": "Ana Vaz"
    }  # fmt: skip
    app.chosen = {"uri": "content://com.android.contacts/data/12", "name": "Ana Vaz", "value": "+351 21 000"}
    done = phone.start(intent("ACTION_PICK", data_type="PHONE"))
    assert (done["result"], done["value"]) == ("content://com.android.contacts/data/12", "+351 21 000")


def test_one_document_is_a_value_and_several_are_a_list(phone: CompanionPhone, app: CompanionApp) -> None:
    app.chosen = {"uri": f"{GIVEN}a.pdf", "name": "a.pdf"}
    one = intent("ACTION_OPEN_DOCUMENT", mime_types=["application/pdf"])
    assert phone.start(one)["result"] == f"{GIVEN}a.pdf"
    several = intent("ACTION_GET_CONTENT", mime_type="*/*", allow_multiple=True)
    assert phone.start(several)["result"] == [f"{GIVEN}a.pdf"]
    app.chosen = {"uri": f"{GIVEN}a.pdf", "more": [{"uri": f"{GIVEN}b.pdf", "name": "b.pdf"}]}
    done = phone.start(several)
    assert (done["result"], done["name"]) == ([f"{GIVEN}a.pdf", f"{GIVEN}b.pdf"], ["", "b.pdf"])
    with pytest.raises(ToolError, match="did not answer as camphor's does"):
        phone.start(one)  # one was asked for


def test_a_new_document_and_a_sound_come_back(phone: CompanionPhone, app: CompanionApp) -> None:
    app.chosen = {"uri": "content://com.android.externalstorage.documents/document/primary%3Aa.md", "name": "a.md"}
    done = phone.start(intent("ACTION_CREATE_DOCUMENT", mime_type="text/plain", initial_name="a.md"))
    assert done["result"] == app.chosen["uri"]
    app.chosen = {"uri": "silent"}
    assert phone.start(intent("ACTION_GET_RINGTONE"))["result"] == "silent"
    with pytest.raises(ToolError, match="did not answer as camphor's does"):
        phone.start(intent("ACTION_PICK"))


def test_what_gives_no_result_goes_by_adb(phone: CompanionPhone, app: CompanionApp, server: AdbServer) -> None:
    phone.start(intent("dial", phone_number="555"))
    photo = "content://media/external/images/media/12"
    phone.start(intent("send_message", phone_number="555", subject="s", body="b", attachments=[photo]))
    assert app.asked == []
    assert len(started(server)) == 2


def test_what_the_app_gave_the_app_hands_on(phone: CompanionPhone, app: CompanionApp, server: AdbServer) -> None:
    files = [f"{GIVEN}photo.jpg", f"{GIVEN}photo-1.jpg"]
    mail = intent("send_email", to=["a@example.org"], subject="s", body="b", attachments=files)
    assert phone.start(mail) == {"intent": mail.action, "answer": "ok"}
    (asked,) = app.asked
    assert (asked["result"], asked["intent"]["grant"]) == (False, True)
    assert app.intents == [mail]
    assert started(server) == []


@pytest.mark.parametrize(("name", "arguments"), [(name, arguments) for name, arguments, _ in GOLDEN])
def test_every_intent_reaches_the_app_as_it_is(
    name: str, arguments: dict[str, Any], phone: CompanionPhone, app: CompanionApp
) -> None:
    asked = intent_of(Call(name, arguments))
    if not isinstance(asked, Intent) or not asked.gives_result:
        return
    app.chosen = {"uri": f"{GIVEN}a"}
    phone.start(asked)
    assert app.intents == [asked]


def test_every_kind_of_extra_reaches_the_app(phone: CompanionPhone, app: CompanionApp) -> None:
    extras: dict[str, Extra] = {
        "a": 1, "b": Long(2), "c": False, "d": "it's $(id) \"x\"\n\U0001f389\0", "e": Uri("content://x/1"),
        "f": ("x,y", "z\\"), "g": (1, 2), "h": (Uri("content://x/1"), Uri("content://x/2")),
    }  # fmt: skip
    app.chosen = {"uri": f"{GIVEN}a"}
    phone.start(Intent("android.intent.action.PICK", extras=extras, package="p.q"))
    (read,) = app.intents
    assert dict(read.extras) == extras
    assert {key: type(value) for key, value in read.extras.items()} == {k: type(v) for k, v in extras.items()}
    assert (read.package, app.asked[0]["intent"]["grant"]) == ("p.q", True)
    with pytest.raises(ToolError, match="no number with a fraction"):
        phone.start(Intent("android.intent.action.PICK", extras={"a": 1.5}))


DATUM = """case "$*" in
*data/12*) echo "Row: 0 contact_id=7, mimetype=vnd.android.cursor.item/phone_v2, data1=+351 21 000";;
*data/emails*) echo "Row: 0 contact_id=7, data1=ana@vaz.pt"; echo "Row: 1 contact_id=12, data1=no@x.pt";;
*contacts/contacts*) echo "Row: 0 _id=7, lookup=q, display_name=Ana"; echo "Row: 1 _id=12, lookup=r, display_name=Bo";;
*) echo "No result found.";; esac"""


def test_a_number_that_was_picked_is_of_its_contact(phone: CompanionPhone, server: AdbServer) -> None:
    """The number of a row of data is no contact's number."""
    server.phone.program("content", DATUM)
    uri = "content://com.android.contacts/data/12"
    assert phone.answer("t", ContactQuery("phone", uri=uri)) == {"result": "+351 21 000"}
    assert phone.answer("t", ContactQuery("email", uri=uri)) == {"result": "ana@vaz.pt"}
    with pytest.raises(UnknownValue):
        phone.answer("t", ContactQuery("phone", uri="content://com.android.contacts/data/13"))


# what does not come back


def refused(phone: CompanionPhone) -> str:
    with pytest.raises(ToolError) as told:
        phone.start(intent("ACTION_PICK"))
    said = str(told.value)
    assert TOKEN not in said
    assert SHOWN not in said
    assert "\n" not in said
    assert len(said) < 400
    return said


def test_an_app_that_is_not_installed(phone: CompanionPhone, server: AdbServer) -> None:
    server.phone.program("pm", "exit 1")
    assert "not installed on the phone: build and install it as phone/README.md says" in refused(phone)


def test_an_app_that_is_off(phone: CompanionPhone, app: CompanionApp) -> None:
    app.off()
    assert "is off: open it on the phone, press On" in refused(phone)


def test_a_wrong_token_and_the_fifth(server: AdbServer, app: CompanionApp) -> None:
    other = CompanionPhone(shell(server), "f" * 32)
    for _ in range(5):
        with pytest.raises(ToolError, match=f"has another token.*set {TOKEN_VARIABLE}") as told:
            other.start(intent("ACTION_PICK"))
        assert "f" * 32 not in str(told.value)
    assert app.asked == []
    with pytest.raises(ToolError, match="is off"):
        other.start(intent("ACTION_PICK"))


@pytest.mark.parametrize("token", ["", "1234", "g" * 32, "0" * 33])
def test_what_is_no_token_is_not_sent(server: AdbServer, token: str) -> None:
    app = FalseApp(server.phone, b"{}\n")
    with pytest.raises(ToolError, match="there is no token") as told:
        CompanionPhone(shell(server), token).check()
    assert app.heard == []
    assert not token or token not in str(told.value)


def test_a_locked_screen_that_adb_sees(phone: CompanionPhone, app: CompanionApp, server: AdbServer) -> None:
    server.phone.program("dumpsys", "echo '  mDreamingLockscreen=true'")
    assert refused(phone) == "the phone is locked: unlock it; nothing was sent to it"
    assert app.asked == []


@pytest.mark.parametrize("sentence", ["the phone is locked: unlock it and ask again", "nothing was chosen"])
def test_what_the_app_refuses_is_told(phone: CompanionPhone, app: CompanionApp, sentence: str) -> None:
    app.refuses = sentence
    assert refused(phone) == f"the phone's app says: {sentence}"


def test_a_phone_that_is_pulled_out(phone: CompanionPhone, server: AdbServer) -> None:
    server.phone.unplugged = True
    with pytest.raises(ToolError, match="check its cable"):
        phone.check()


@pytest.mark.parametrize("pieces", [(), (b'{"ok": ',), (b" ",) * 50])
def test_an_answer_that_does_not_come_in_time(server: AdbServer, pieces: tuple[bytes, ...]) -> None:
    """However often a piece comes."""
    FalseApp(server.phone, *pieces, pause=0.02, stays=True)
    with pytest.raises(ToolError, match="did not answer within 0 seconds: look at the phone"):
        shell(server).ask(b"{}", 0.3)


def test_values_that_are_too_long_for_the_app(phone: CompanionPhone, app: CompanionApp) -> None:
    long = Intent("android.intent.action.PICK", extras={"a": "x" * LONGEST_LINE})
    with pytest.raises(ToolError, match="the app takes 65,536; shorten them"):
        phone.start(long)
    assert app.asked == []


# an app that only looks like it


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (b"", "ended the connection without a whole answer"),
        (b'{"ok": true, "result": {"uri": "content://a/b"}}', "ended the connection without a whole answer"),
        (b"x" * 5_000_000, "more than 65,536 bytes"),
        (b"x" * (LONGEST_LINE + 1) + b"\n", "more than 65,536 bytes"),
        (bytes(range(256)) + b"\n", "no JSON"),
        (b"\xff\xfe\n", "no JSON"),
        (b"[" * 60_000 + b"\n", "no JSON"),
        (b'{"a":' * 12_000 + b"\n", "no JSON"),
        (b"1" * 60_000 + b"\n", "no JSON"),
        (b"\n", "no JSON"),
        (b"[]\n", "did not answer as camphor's does"),
        (b"NaN\n", "did not answer as camphor's does"),
        (b"{}\n", "did not answer as camphor's does"),
        (b'{"ok": true}\n', "did not answer as camphor's does"),
        (b'{"ok": "true", "result": {}}\n', "did not answer as camphor's does"),
        (b'{"ok": false}\n', "the phone's app says: nothing"),
        (b'{"ok": false, "error": {"a": 1}}\n', "the phone's app says: nothing"),
        (b'{"ok": false, "error": "a\\u001b[2J\\r\\nb\\u202ec\\u0000"}\n', "the phone's app says: a [2J b c"),
        (b'{"ok": false, "error": "\\ud800 x"}\n', "the phone's app says: x"),
    ],
)
def test_an_answer_of_a_stranger_ends_in_a_sentence(
    server: AdbServer, phone: CompanionPhone, says: bytes, told: str
) -> None:
    FalseApp(server.phone, says)
    assert told in refused(phone)


def test_a_sentence_without_an_end_is_cut(server: AdbServer, phone: CompanionPhone) -> None:
    FalseApp(server.phone, json.dumps({"ok": False, "error": "so " * 9000}).encode() + b"\n")
    assert refused(phone).endswith("so…")


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"uri": None},
        {"uri": 7},
        {"uri": ""},
        {"uri": "file:///data/x"},
        {"uri": "javascript:alert(1)"},
        {"uri": "content://a"},
        {"uri": "content://a/b\n"},
        {"uri": "content://a/b\x1b[2J"},
        {"uri": "content://a/ä"},
        {"uri": "content://a/" + "b" * 5000},
        {"uri": "silent"},
        {"uri": "content://a/b", "path": "/etc/passwd"},
        {"uri": "content://a/b", "path": "/sdcard/../etc/passwd"},
        {"uri": "content://a/b", "path": "/sdcard/a/.."},
        {"uri": "content://a/b", "path": "/sdcard/a\nb"},
        {"uri": "content://a/b", "path": "/sdcard/\u202efdp.exe"},
        {"uri": "content://a/b", "path": ["/sdcard/a"]},
        {"uri": "content://a/b", "more": "x"},
        {"uri": "content://a/b", "more": [{"uri": "content://a/c"}]},
        {"uri": "content://a/b", "more": [7]},
    ],
)
def test_a_result_that_is_none(server: AdbServer, phone: CompanionPhone, result: dict[str, Any]) -> None:
    FalseApp(server.phone, json.dumps({"ok": True, "result": result}).encode() + b"\n")
    assert "did not answer as camphor's does" in refused(phone)


def test_more_files_than_the_app_gives(server: AdbServer, phone: CompanionPhone) -> None:
    more = [{"uri": f"content://a/{number}"} for number in range(60)]
    FalseApp(server.phone, json.dumps({"ok": True, "result": {"uri": "content://a/b", "more": more}}).encode() + b"\n")
    with pytest.raises(ToolError, match="did not answer as camphor's does"):
        phone.start(intent("ACTION_GET_CONTENT", mime_type="*/*", allow_multiple=True))


def test_a_name_is_one_line_and_not_long(phone: CompanionPhone, app: CompanionApp) -> None:
    app.chosen = {"uri": "content://a/b", "name": "a\x1b[2J\n\u202eb" + "c" * 9000, "other": "x", "value": ["x"]}
    done = phone.start(intent("ACTION_PICK"))
    assert set(done) == {"intent", "answer", "result", "name"}
    assert done["name"].startswith("a [2J bcc")
    assert len(done["name"]) == 200


@pytest.mark.parametrize("written", [TOKEN, SHOWN, TOKEN.upper(), "\n".join(TOKEN), f"it is {TOKEN}."])
def test_a_stranger_cannot_have_the_token_told(server: AdbServer, phone: CompanionPhone, written: str) -> None:
    for answer in (
        {"ok": False, "error": written},
        {"ok": True, "result": {"uri": "content://a/b", "name": written}},
        {"ok": True, "result": {"uri": f"content://a/{TOKEN}"}},
        {"ok": True, "result": {"uri": "content://a/b", "path": f"/sdcard/{TOKEN}"}},
    ):
        FalseApp(server.phone, json.dumps(answer).encode() + b"\n")
        assert "did not answer as camphor's does" in refused(phone)


# the command


@pytest.fixture
def home(server: AdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAMPHOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server.port))
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    return tmp_path / "home"


def test_a_phone_is_connected_with_its_app_and_its_token_is_not_kept(
    home: Path, app: CompanionApp, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, SHOWN)
    assert run(["device", "connect", "--companion", "--name", "mine"]) == 0, capsys.readouterr().err
    assert app.asked == [{}]  # whether the token is right
    app.chosen = PHOTO
    with open_device("mine") as device:
        done = device.execute(Call("ACTION_IMAGE_CAPTURE", {}))
        assert done.error is None
        assert done.records[0]["result"] == PHOTO["uri"]
        monkeypatch.delenv(TOKEN_VARIABLE)
        assert "there is no token" in str(device.execute(Call("ACTION_IMAGE_CAPTURE", {})).error)
        assert TOKEN not in str(device.journal())
    assert not [path for path in home.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert TOKEN not in str(capsys.readouterr())


def test_a_token_that_is_typed_is_not_shown_and_its_owner_alone_can_read_it(
    home: Path, app: CompanionApp, server: AdbServer
) -> None:
    terminal = Terminal(Camphor(home), "device", "connect", "--companion", "--name", "mine")
    try:
        terminal.wait_for("The token that the phone's app shows")
        terminal.type(SHOWN + "\n")
        assert terminal.end() == 0, terminal.text
        assert SHOWN[:9] not in terminal.text
    finally:
        terminal.close()
    kept = home / "phones.json"
    assert json.loads(kept.read_text())["mine"]["token"] == TOKEN
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    app.chosen = PHOTO
    with open_device("mine") as device:
        assert device.execute(Call("ACTION_IMAGE_CAPTURE", {})).error is None


def test_what_a_connection_with_the_app_lacks_is_told(
    home: Path, app: CompanionApp, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    connect = ["device", "connect", "--companion", "--name", "mine"]
    assert run(connect) == 2
    assert f"set {TOKEN_VARIABLE} to it, or run this in a terminal" in capsys.readouterr().err
    assert run([*connect, "--here"]) == 2
    assert "leave one out" in capsys.readouterr().err
    monkeypatch.setenv(TOKEN_VARIABLE, "f" * 32)
    assert run(connect) == 1
    assert "has another token" in capsys.readouterr().err
    app.off()
    assert run(connect) == 1
    assert "is off" in capsys.readouterr().err
    assert not (home / "phones.json").exists()


# the app's own sources


def actions() -> set[str]:
    """The actions of the 24 functions: of every golden call, which are of all of them, and of every settings page."""
    assert {name for name, _, _ in GOLDEN} == {tool.name for tool in android_toolbox()}
    return {asked.action for _, _, asked in GOLDEN if isinstance(asked, Intent)}


def block(name: str) -> set[str]:
    """The texts of one of the Kotlin sets."""
    source = (KOTLIN / "Actions.kt").read_text(encoding="utf-8")
    found = re.search(rf"val {name} = [\w+ ]*setOf\((.*?)\n\)", source, re.DOTALL)
    assert found is not None
    texts = re.findall(r'"([^"]*)"', found[1])
    assert len(texts) == len(set(texts))
    return set(texts)


def test_the_golden_calls_have_every_action_that_the_functions_name() -> None:
    folder = Path(functions.__file__).parent
    sources = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    named = set(re.findall(r'"(android\.(?:intent|media)\.action\.\w+)"', sources))
    page = android_toolbox().get("open_settings").parameter("setting_type")
    assert page is not None
    settings = {action for action in actions() if action.startswith("android.settings.")}
    assert named == actions() - settings
    assert len(settings) == len(page.enum)


def test_the_app_starts_the_actions_of_the_functions_and_no_other() -> None:
    giving = block("GIVE_RESULT")
    assert giving == {action for action in actions() if Intent(action).gives_result}
    assert giving | block("ACTIONS") == actions()
    assert giving & block("ACTIONS") == set()


def test_the_manifest_names_the_same_actions() -> None:
    root = ElementTree.parse(APP / "AndroidManifest.xml").getroot()
    named = [each.get(f"{ANDROID}name") for each in root.findall("queries/intent/action")]
    assert len(named) == len(set(named))
    assert set(named) == actions()


def test_the_manifest_opens_the_screen_alone_and_asks_for_little() -> None:
    root = ElementTree.parse(APP / "AndroidManifest.xml").getroot()
    assert {each.get(f"{ANDROID}name") for each in root.findall("uses-permission")} == {
        "android.permission.FOREGROUND_SERVICE", "android.permission.FOREGROUND_SERVICE_SPECIAL_USE",
        "android.permission.POST_NOTIFICATIONS", "android.permission.SYSTEM_ALERT_WINDOW",
        "com.android.alarm.permission.SET_ALARM",
    }  # fmt: skip
    parts = [each for kind in ("activity", "service", "provider") for each in root.findall(f"application/{kind}")]
    exported = {each.get(f"{ANDROID}name"): each.get(f"{ANDROID}exported") for each in parts}
    assert exported == {
        ".MainActivity": "true", ".RequestActivity": "false", ".Listener": "false", ".GivenFiles": "false"
    }  # fmt: skip
    for name in exported:
        assert f"class {str(name).removeprefix('.')}" in (KOTLIN / f"{str(name).removeprefix('.')}.kt").read_text()


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("Listener.kt", f'"{WRONG_TOKEN}"'),
        ("Listener.kt", 'NAME = "camphor-phone"'),
        ("Listener.kt", f"LONGEST = {LONGEST_LINE:_}"),
        ("GivenFiles.kt", f'AUTHORITY = "{GIVEN[10:-1]}"'),
        ("Request.kt", '"string" ->'),
    ],
)
def test_both_sides_say_the_same(file: str, text: str) -> None:
    assert text in (KOTLIN / file).read_text(encoding="utf-8")


def test_every_text_that_the_screen_shows_is_there() -> None:
    strings = {each.get("name") for each in ElementTree.parse(APP / "res" / "values" / "strings.xml").getroot()}
    sources = [*KOTLIN.glob("*.kt"), APP / "AndroidManifest.xml"]
    used: Callable[[str], list[str]] = re.compile(r"(?:R\.string\.|@string/)(\w+)").findall
    assert {name for path in sources for name in used(path.read_text(encoding="utf-8"))} == strings
