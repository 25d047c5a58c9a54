import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from camphor.device.android.adb import AdbPhone, AdbShell, am_start, connected, content_query, quoted, read_rows
from camphor.device.android.intent import ContactQuery, Intent, Long, Uri
from camphor.device.android.toolbox import intent_of
from camphor.errors import AmbiguousValue, ToolError, UnknownValue
from camphor.types import Call
from tests.doubles.adb_server import AdbServer, Phone

HOSTILE = 'it\'s $(reboot) `id` "x"; am force-stop a && b | c > d\n--ez y true \U0001f389 %s \\ $HOME *'
PEOPLE = """cat <<'END'
Row: 0 _id=7, lookup=3i2a, display_name=Ana Vaz
Row: 1 _id=8, lookup=9c, display_name=Ana Reis, dentist
END"""


@pytest.fixture
def phone(tmp_path: Path) -> Phone:
    return Phone(tmp_path)


@pytest.fixture
def server(phone: Phone) -> Iterator[AdbServer]:
    with AdbServer(phone) as server:
        yield server


def shell(server: AdbServer) -> AdbShell:
    return AdbShell(server.phone.serial, port=server.port)


def intent(name: str, **arguments: object) -> Intent:
    asked = intent_of(Call(name, arguments))
    assert isinstance(asked, Intent)
    return asked


def started(phone: Phone) -> list[str]:
    return next(words for words in phone.calls if words[0] == "am")


def test_the_server_says_which_phones_there_are(server: AdbServer) -> None:
    assert [(each.serial, each.state) for each in connected(port=server.port)] == [("emulator-5554", "device")]


@pytest.mark.parametrize("body", [HOSTILE, "'", "''; rm -rf /", "-a", "--", "naïve “quotes”", "\\'"])
def test_a_value_reaches_the_phone_as_it_is_and_nothing_else(server: AdbServer, body: str) -> None:
    AdbPhone(shell(server)).start(intent("send_message", phone_number="+351 21 000", subject="s", body=body))
    words = started(server.phone)
    assert words[words.index("sms_body") - 1 : words.index("sms_body") + 2] == ["--es", "sms_body", body]
    assert len(server.phone.calls) == 1


@pytest.mark.parametrize("body", [HOSTILE, "'", "$(id)"])
def test_the_real_adb_client_carries_the_same_line(server: AdbServer, body: str) -> None:
    from adbutils import adb_path

    line = am_start(Intent("a.b.C", extras={"text": body}))
    adb = [adb_path(), "-P", str(server.port), "-s", server.phone.serial]
    done = subprocess.run([*adb, "shell", line], capture_output=True, check=True, timeout=30, stdin=subprocess.DEVNULL)
    assert b"Status: ok" in done.stdout
    assert started(server.phone) == ["am", "start", "-W", "-a", "a.b.C", "--es", "text", body]


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (
            Call("ACTION_SET_ALARM", {"EXTRA_HOUR": 7, "EXTRA_MINUTES": 5, "EXTRA_DAYS": ["Monday", "Friday"]}),
            "am start -W -a android.intent.action.SET_ALARM --ei android.intent.extra.alarm.HOUR 7 "
            "--ei android.intent.extra.alarm.MINUTES 5 --eial android.intent.extra.alarm.DAYS 2,6 "
            "--ez android.intent.extra.alarm.VIBRATE false --ez android.intent.extra.alarm.SKIP_UI true",
        ),
        (
            Call("dial", {"phone_number": "(212) 555 1212"}),
            "am start -W -a android.intent.action.DIAL -d 'tel:(212)5551212'",
        ),
        (Call("open_settings", {"setting_type": "wifi"}), "am start -W -a android.settings.WIFI_SETTINGS"),
    ],
)
def test_command_lines(call: Call, line: str) -> None:
    assert am_start(intent(call.name, **call.arguments)) == line


def test_every_kind_of_extra_has_its_option() -> None:
    extras = {"a": 1, "b": Long(2), "c": False, "d": 1.5, "e": Uri("content://x/1"), "f": ("x,y", "z"), "g": (1, 2)}
    assert am_start(Intent("A", extras=extras)) == (
        "am start -W -a A --ei a 1 --el b 2 --ez c false --ef d 1.5 --eu e content://x/1 --esa f 'x\\,y,z' "
        "--eial g 1,2 --grant-read-uri-permission"
    )


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "x" * 40_000])
def test_what_no_command_line_can_hold_is_refused(value: str) -> None:
    with pytest.raises(ToolError):
        quoted(["am", value])


def test_two_attachments_are_refused_in_words() -> None:
    with pytest.raises(ToolError, match="one file"):
        am_start(Intent("A", extras={"s": (Uri("content://a"), Uri("content://b"))}))


def test_rows_may_hold_commas_and_line_breaks() -> None:
    output = "Row: 0 contact_id=1, data1=12 Rua A, 3\nLisboa\nRow: 1 contact_id=NULL, data1=x\n"
    assert read_rows(output, ("contact_id", "data1")) == [
        {"contact_id": "1", "data1": "12 Rua A, 3\nLisboa"},
        {"data1": "x"},
    ]
    assert content_query("content://a", ("b", "c")) == "content query --uri content://a --projection b:c"


def test_contacts_are_looked_up_by_name(server: AdbServer) -> None:
    server.phone.program(
        "content", f'case "$*" in *emails*) echo "Row: 0 contact_id=7, data1=ana@vaz.pt";; *) {PEOPLE}\n;; esac'
    )
    app = AdbPhone(shell(server))
    assert app.answer("t", ContactQuery("email", "Ana Vaz")) == {"result": "ana@vaz.pt"}
    uri = "content://com.android.contacts/contacts/lookup/9c/8"
    assert app.answer("t", ContactQuery("uri", "the dentist")) == {"result": uri}
    with pytest.raises(AmbiguousValue, match="Ana Vaz; Ana Reis"):
        app.answer("t", ContactQuery("phone", "Ana"))
    with pytest.raises(UnknownValue):
        app.answer("t", ContactQuery("phone", "Bruno"))
    with pytest.raises(UnknownValue, match="detail"):
        app.answer("t", ContactQuery("email", "Ana Reis"))
    assert AdbPhone(shell(server)).contacts()[0]["email"] == "ana@vaz.pt"


def test_contacts_that_may_not_be_read_are_told(server: AdbServer) -> None:
    server.phone.program("content", "echo 'java.lang.SecurityException: Permission Denial: opening provider'; exit 1")
    with pytest.raises(ToolError, match="does not let adb read"):
        AdbPhone(shell(server)).contacts()


def test_a_request_that_no_app_takes(server: AdbServer) -> None:
    server.phone.program("am", 'echo "Error: Activity not started, unable to resolve Intent { act=x dat=secret }"')
    with pytest.raises(ToolError, match="no app on the phone") as told:
        AdbPhone(shell(server)).start(intent("ACTION_SHOW_ALARMS"))
    assert "secret" not in str(told.value)


def test_what_the_phone_refuses_is_told_without_the_values(server: AdbServer) -> None:
    server.phone.program("am", 'echo "java.lang.SecurityException: Permission Denial { dat=secret }"; exit 255')
    with pytest.raises(ToolError, match="refused: java") as told:
        AdbPhone(shell(server)).start(intent("ACTION_SHOW_ALARMS"))
    assert "secret" not in str(told.value)


@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")  # adbutils leaks it
def test_a_phone_that_is_pulled_out_in_the_middle(server: AdbServer) -> None:
    app = AdbPhone(shell(server))
    server.phone.unplugged = True
    with pytest.raises(ToolError, match="check its cable"):
        app.start(intent("ACTION_SHOW_ALARMS"))


@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")  # adbutils leaks it
def test_a_phone_that_is_pulled_out_while_it_works(server: AdbServer) -> None:
    app = AdbPhone(shell(server))
    server.phone.pulled_out_by = "SHOW_ALARMS"
    with pytest.raises(ToolError, match=r"does not answer.*on it what was done"):
        app.start(intent("ACTION_SHOW_ALARMS"))
    assert len(server.phone.calls) == 1  # it may have been done: it is not asked again


def test_a_picture_is_waited_for_and_handed_on(server: AdbServer, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    server.phone.program(
        "content", f'echo x >> {counter}; n=$(wc -l < {counter}); [ $n -gt 2 ] && n=9 || n=4; echo "Row: 0 _id=$n"'
    )
    done = AdbPhone(shell(server), wait=lambda _: None).start(intent("ACTION_IMAGE_CAPTURE"))
    assert done["result"] == "content://media/external/images/media/9"


def test_a_picture_that_never_comes(server: AdbServer) -> None:
    server.phone.program("content", 'echo "Row: 0 _id=4"')
    times = iter(range(0, 10_000, 60))
    app = AdbPhone(shell(server), wait=lambda _: None, clock=lambda: next(times))
    with pytest.raises(ToolError, match="nothing new"):
        app.start(intent("ACTION_IMAGE_CAPTURE"))


def test_a_choice_that_adb_cannot_read_is_said(server: AdbServer) -> None:
    done = AdbPhone(shell(server)).start(intent("ACTION_PICK"))
    assert "cannot read the choice" in done["note"]
    assert "result" not in done


def test_facts_of_a_phone(server: AdbServer) -> None:
    assert AdbPhone(shell(server)).facts()["timezone"] == "Europe/Lisbon"


def test_a_locked_phone_is_told_apart_and_gets_nothing(server: AdbServer) -> None:
    server.phone.program("dumpsys", "echo '  mDreamingLockscreen=true'")
    with pytest.raises(ToolError, match="the phone is locked: unlock it"):
        AdbPhone(shell(server)).start(intent("dial", phone_number="555"))
    assert not [words for words in server.phone.calls if words[0] == "am"]
