import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from camphor.cli.home import open_device
from camphor.cli.root import app
from camphor.types import Call
from tests.doubles.adb_server import AdbServer, Phone
from tests.doubles.command import Camphor

ANA = "_id=7, lookup=q, display_name=Ana Vaz"
PEOPLE = f'case "$*" in *data/*) echo "Row: 0 contact_id=7, data1=+351 21 5";; *) echo "Row: 0 {ANA}";; esac'


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AdbServer]:
    monkeypatch.setenv("CAMPHOR_HOME", str(tmp_path / "home"))
    (tmp_path / "phone").mkdir()
    phone = Phone(tmp_path / "phone")
    phone.program("content", PEOPLE)
    with AdbServer(phone) as server:
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server.port))
        yield server


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["device", "connect", *words])
    return done.exit_code, done.output + (str(done.exception) if done.exception else "")


def test_a_connected_phone_is_a_device_whose_actions_reach_it(server: AdbServer) -> None:
    status, told = run("--name", "mine", "--json")
    assert status == 0, told
    assert json.loads(told)["contacts"] == 1
    with open_device("mine") as device:
        assert [each["name"] for each in device.people()] == ["Ana Vaz"]
        done = device.execute(Call("dial", {"phone_number": "Ana Vaz"}))
        assert done.error is None
        assert done.records[0]["answer"] == "ok"
        found = device.execute(Call("get_contact_info", {"name": "Ana", "key": "email"}))
        assert found.records == ({"result": "+351 21 5"},)
        assert [entry.state.value for entry in device.journal()] == ["done"]
    assert server.phone.calls[-3][:7] == ["am", "start", "-W", "-a", "android.intent.action.DIAL", "-d", "tel:+351215"]


@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")  # adbutils leaks it
def test_an_action_on_a_phone_that_is_gone_is_journalled_as_failed(server: AdbServer) -> None:
    assert run("--name", "mine")[0] == 0
    server.phone.unplugged = True
    with open_device("mine") as device:
        assert "does not answer" in str(device.execute(Call("ACTION_SHOW_ALARMS")).error)
        assert [entry.state.value for entry in device.journal()] == ["failed"]


ALL = "show my alarms, set a timer for 5 minutes and dial 555"


def test_a_plan_goes_on_to_its_end_when_the_phone_is_pulled_out(
    server: AdbServer, camphor: Camphor, script: Callable[[Sequence[str]], str]
) -> None:
    assert run("--name", "mine")[0] == 0
    server.phone.pulled_out_by = "SET_TIMER"
    code = 'ACTION_SHOW_ALARMS()\nACTION_SET_TIMER(duration="5 minutes")\ndial(phone_number="555")'
    ran = camphor("call", ALL, "--device", "mine", "--model", script([code]), "--form", "compact", "--yes", "--json")
    assert ran.status == 1
    told = json.loads(ran.out)["plan"]
    assert [each["outcome"] for each in told] == ["done", "failed", "failed"]
    assert "check its cable, and on it what was done" in told[1]["error"]
    with open_device("mine") as device:
        assert [entry.state.value for entry in device.journal()] == ["done", "failed", "failed"]
    started = [words[4] for words in server.phone.calls if words[0] == "am"]
    assert started == ["android.intent.action.SHOW_ALARMS", "android.intent.action.SET_TIMER"]


LOG = """case "$*" in
*call_log*) echo "Row: 0 number=215, date=1773300600000, type=3"; echo "Row: 1 number=999, date=1773300700000, type=2";;
*sms*) echo "Row: 0 address=+351215, date=1773304200000, type=2"; echo "Row: 1 address=+351215, date=0x, type=9";;
*data/*) echo "Row: 0 contact_id=7, data1=+351 21 5";;
*) echo "Row: 0 _id=7, lookup=q, display_name=Ana Vaz";; esac"""


def test_calls_and_texts_are_read_as_use_of_its_contacts_where_the_person_allows(server: AdbServer) -> None:
    server.phone.program("content", LOG.replace("number=215", "number=+351215"))
    status, told = run("--name", "quiet")
    assert (status, "calls and texts" in told) == (0, False)
    assert not any("call_log" in " ".join(words) for words in server.phone.calls)
    status, told = run("--name", "mine", "--history")
    assert status == 0, told
    assert "1 contacts read, 2 calls and texts with them" in told
    with open_device("mine") as device:
        usage = device.usage.export()
    assert [(each["kind"], each["at"]) for each in usage] == [
        ("missed", "2026-03-12T07:30:00"),
        ("sent", "2026-03-12T08:30:00"),
    ]


def test_history_without_contacts_is_of_nobody(server: AdbServer) -> None:
    status, told = run("--history", "--no-contacts")
    assert status != 0
    assert "leave --no-contacts out" in told
    assert server.phone.calls == []


def test_a_call_log_that_may_not_be_read_does_not_stop_it(server: AdbServer) -> None:
    denied = "*call_log*) echo 'java.lang.SecurityException: Permission Denial'; exit 1;; *data/*)"
    server.phone.program("content", PEOPLE.replace("*data/*)", denied))
    status, told = run("--name", "mine", "--history")
    assert status == 0
    assert "does not let adb read its call log" in told
    assert "1 contacts read, 0 calls and texts with them" in told


def test_contacts_that_may_not_be_read_do_not_stop_it(server: AdbServer) -> None:
    server.phone.program("content", "echo 'java.lang.SecurityException: Permission Denial'; exit 1")
    status, told = run("--name", "mine")
    assert status == 0
    assert "does not let adb read" in told


@pytest.mark.parametrize(
    ("words", "said"),
    [(["elsewhere"], "There is no phone elsewhere"), (["--server", "x:y"], "no address")],
)
def test_wrong_words(server: AdbServer, words: list[str], said: str) -> None:
    status, told = run(*words)
    assert status != 0
    assert said in told


def test_a_phone_that_is_not_allowed_yet(server: AdbServer) -> None:
    server.phone.state = "unauthorized"
    assert "allow debugging" in run()[1]


def test_no_phone(server: AdbServer) -> None:
    server.phone.unplugged = True
    assert "No phone is plugged in" in run()[1]
