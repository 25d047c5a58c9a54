"""Intents and look-ups as command lines of a phone's own shell, with every value quoted.

The syntax is that of Android's activity manager, `am start` (developer.android.com, "Android Debug Bridge", section
"Call activity manager", and the help text of `am`), and of `content query`. A value never leaves its quotes: what a
person or a record wrote cannot become a second command or another option.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from camphor.device.android.intent import ContactQuery, Extra, Intent, Long, Uri
from camphor.device.people import find_people
from camphor.errors import AmbiguousValue, MissingExtra, ToolError, UnknownValue, UsageError

LONGEST = 32_000
"""Bytes of a command line: adb counts them in four hexadecimal digits, and sends what it has in one piece."""

_MILLISECONDS = re.compile(r"[0-9]{1,14}")
_ROW = re.compile(r"^Row: \d+ ", re.MULTILINE)


def am_start(intent: Intent) -> str:
    """The command line that starts an intent and waits until it has been delivered.

    Raises:
        ToolError: a value that no command line can hold, one that is too long, or extras that `am` has no option for.
    """
    words = ["am", "start", "-W", "-a", intent.action]
    for option, value in (("-d", intent.data), ("-t", intent.type), ("-p", intent.package)):
        words += [option, value] if value else []
    for category in intent.categories:
        words += ["-c", category]
    for name, extra in intent.extras.items():
        words += _extra(name, extra)
    if any(uri.startswith("content:") for uri in intent.uris):  # whoever takes it must be allowed to read it
        words.append("--grant-read-uri-permission")
    return quoted(words)


def content_query(uri: str, columns: Sequence[str], order: str = "") -> str:
    """The command line that asks a content provider for some columns of all its rows."""
    words = ["content", "query", "--uri", uri, "--projection", ":".join(columns)]
    return quoted([*words, "--sort", order] if order else words)


def read_rows(output: str, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows that `content query` printed; a column without a value is left out.

    A value may hold line breaks and commas: columns are found by their names, in the order in which they were asked.
    """
    pattern = re.compile(", ".join(f"{re.escape(name)}=(.*?)" for name in columns) + r"\s*", re.DOTALL)
    rows = []
    for text in _ROW.split(output)[1:]:
        found = pattern.fullmatch(text)
        if found:
            rows.append({name: value for name, value in zip(columns, found.groups(), strict=True) if value != "NULL"})
    return rows


def quoted(words: Iterable[str]) -> str:
    """Words as one command line of a POSIX shell.

    Raises:
        ToolError: a word holds the character 0 or half a character, or the line is longer than adb can carry.
    """
    line = " ".join(shlex.quote(word) for word in words)
    try:
        size = len(line.encode())
    except UnicodeEncodeError:
        raise ToolError("a value holds half a character: it cannot be sent to a phone") from None
    if "\0" in line:
        raise ToolError("a value holds the character 0: it cannot be sent to a phone")
    if size > LONGEST:
        raise ToolError(f"the values take {size:,} bytes: adb carries {LONGEST:,} in one command; shorten them")
    return line


def _extra(name: str, value: Extra) -> list[str]:
    if isinstance(value, tuple):
        return _several(name, value)
    if isinstance(value, bool):
        return ["--ez", name, "true" if value else "false"]
    if isinstance(value, int):
        return ["--el" if isinstance(value, Long) else "--ei", name, str(int(value))]
    if isinstance(value, float):
        return ["--ef", name, repr(value)]
    return ["--eu" if isinstance(value, Uri) else "--es", name, value]


def _several(name: str, values: tuple[str, ...] | tuple[int, ...]) -> list[str]:
    if all(isinstance(value, int) for value in values):
        return ["--eial", name, ",".join(str(int(value)) for value in values)]
    texts = [str(value) for value in values]
    if any(isinstance(value, Uri) for value in values):
        if len(values) > 1:
            raise ToolError(f"am can attach one file to a message, not {len(values)}: send the others apart")
        return ["--eu", name, texts[0]]
    # the activity manager cuts at commas that no backslash precedes
    if any(text.endswith("\\") for text in texts[:-1]):
        raise ToolError("am cannot part a text that ends in a backslash from the next one: leave the backslash out")
    return ["--esa", name, ",".join(text.replace(",", "\\,") for text in texts)]


SECONDS = 20.0
"""How long a phone may take to answer one command."""
CAPTURE_SECONDS = 120.0
"""How long a person may take to make a picture or a video."""
CONTACTS = "content://com.android.contacts"
"""Android's address book, `ContactsContract.AUTHORITY_URI`."""
CALLS, TEXTS = "content://call_log/calls", "content://sms"
"""Android's call log, `CallLog.Calls.CONTENT_URI`, and its text messages, `Telephony.Sms.CONTENT_URI`."""
_HISTORY = {
    CALLS: ("number", {"1": "received", "2": "called", "3": "missed"}),
    TEXTS: ("address", {"1": "received", "2": "sent"}),
}
"""Of each the column of the other one's number, and what its column `type` says became of a call or a message."""
_FIELDS = {"phone": "phone_number"}
_DETAILS = {"phone": "data/phones", "email": "data/emails", "address": "data/postals"}
_MEDIA = {
    "android.media.action.IMAGE_CAPTURE": "content://media/external/images/media",
    "android.media.action.VIDEO_CAPTURE": "content://media/external/video/media",
}
_DENIED = ("SecurityException", "Permission Denial")
_LOCKED = ("mDreamingLockscreen=true", "isKeyguardShowing=true", "mShowingLockscreen=true", "mKeyguardShowing=true")
"""What `dumpsys window` says of a locked screen, from Android 8 to 15."""


class Shell(Protocol):
    """Runs command lines on a phone."""

    def run(self, line: str) -> tuple[int, str]:
        """Exit status and what was printed. Raises ToolError: the phone cannot be reached."""
        ...


@dataclass(frozen=True)
class Contacted:
    """A call or a text message.

    Args:
        number: of whom it was with. kind: what became of it, one of `usage_events.KINDS`. at: when, in seconds since
            the start of 1970 in UTC.
    """

    number: str
    kind: str
    at: float


@dataclass(frozen=True)
class AttachedPhone:
    """A phone that the adb server knows: its serial number and its state ("device" when it can be used)."""

    serial: str
    state: str


def connected(host: str = "127.0.0.1", port: int = 5037) -> list[AttachedPhone]:
    """The phones that the adb server on this machine knows; the server is started where it does not run.

    Raises:
        MissingExtra: adbutils is not installed. UsageError: the server cannot be started or does not answer.
    """
    client = _client(host, port)
    try:
        return [AttachedPhone(str(each.serial), str(each.state)) for each in client.list()]
    except Exception as error:  # adbutils raises errors of sockets, processes and its own
        raise UsageError(f"The adb server on {host}:{port} does not answer: {_first_line(error)}") from error


class AdbShell:
    """The shell of one phone.

    Raises:
        MissingExtra: adbutils is not installed.
    """

    def __init__(self, serial: str, host: str = "127.0.0.1", port: int = 5037) -> None:
        self.serial = serial
        self._phone = _client(host, port).device(serial=serial)

    def run(self, line: str) -> tuple[int, str]:
        """Raises ToolError: the phone is not there, went away, or does not answer in time."""
        try:
            answer = self._phone.shell2(line, timeout=SECONDS)
        except Exception as error:  # adbutils raises errors of sockets and its own, an unplugged phone gives any
            problem = _first_line(error)
            raise ToolError(
                f"the phone {self.serial} does not answer ({problem}): check its cable, and on it what was done"
            ) from error
        return int(answer.returncode), str(answer.output)


class AdbPhone:
    """Does on a real phone what the four Android apps ask of theirs: starts intents, answers look-ups.

    Args:
        wait: how to let time pass, in seconds; and `clock` to tell it: a person takes a while to make a picture.
    """

    def __init__(
        self,
        shell: Shell,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._shell, self._wait, self._clock = shell, wait, clock

    def answer(self, tool: str, query: ContactQuery) -> dict[str, Any]:
        """What the phone's address book has. Raises ToolError: it may not be read, or nobody or several fit."""
        return {"result": self._detail(tool, query)}

    def start(self, intent: Intent) -> dict[str, Any]:
        """Starts the intent and tells what the phone answered.

        Raises:
            ToolError: the screen is locked, no app takes it, the phone refused it or is gone, or no picture was made.
        """
        if self._locked():
            raise ToolError("the phone is locked: unlock it; nothing was sent to it")
        shelf = _MEDIA.get(intent.action, "")
        before = self._newest(shelf) if shelf else ""
        record: dict[str, Any] = {"intent": intent.action, "answer": self._answer(am_start(intent))}
        if shelf:
            record["result"] = f"{shelf}/{self._captured(shelf, before)}"
        elif intent.gives_result:
            record["note"] = "the phone shows what can be chosen; adb cannot read the choice"
        return record

    def contacts(self) -> list[dict[str, str]]:
        """The phone's contacts as records of the app android_contacts. Raises ToolError: they may not be read."""
        people = self._rows("contacts", ("_id", "lookup", "display_name"))
        records = {
            row["_id"]: {"contact_id": row["_id"], "name": row["display_name"]}
            for row in people
            if "_id" in row and "display_name" in row
        }
        for key, path in _DETAILS.items():
            for row in self._rows(path, ("contact_id", "data1")):
                if row.get("contact_id") in records and "data1" in row:
                    records[row["contact_id"]].setdefault(_FIELDS.get(key, key), row["data1"])
        return list(records.values())

    def history(self, uri: str) -> list[Contacted]:
        """The calls (`CALLS`) or text messages (`TEXTS`) that the phone still knows, in no order; of a message nothing
        but when and with whom.

        Raises:
            ToolError: they may not be read.
        """
        number, kinds = _HISTORY[uri]
        found = []
        for row in self._read(uri, (number, "date", "type"), "call log" if uri == CALLS else "messages"):
            kind, at = kinds.get(row.get("type", ""), ""), row.get("date", "")
            if kind and _MILLISECONDS.fullmatch(at) and row.get(number):
                found.append(Contacted(row[number], kind, int(at) / 1000))
        return found

    def facts(self) -> dict[str, str]:
        """The phone's maker, model, Android version and time zone, as it names them; "" for what it does not tell."""
        wanted = {
            "maker": "ro.product.manufacturer", "model": "ro.product.model", "android": "ro.build.version.release",
            "timezone": "persist.sys.timezone",
        }  # fmt: skip
        return {name: self._shell.run(f"getprop {key}")[1].strip() for name, key in wanted.items()}

    def _locked(self) -> bool:
        """Whether the screen is locked, as far as the phone tells: what is started then waits unseen."""
        status, output = self._shell.run("dumpsys window")
        return status == 0 and any(mark in output for mark in _LOCKED)

    def _answer(self, line: str) -> str:
        status, output = self._shell.run(line)
        lines = [each.strip() for each in output.splitlines() if each.strip()]
        wrong = next((each for each in lines if each.startswith("Error") or "Exception" in each), "")
        if "unable to resolve" in wrong:
            raise ToolError("no app on the phone takes this request: install one that does")
        if wrong or status:
            # the phone's own words may repeat the values that were sent: they are personal
            raise ToolError(f"the phone refused: {wrong.split('{')[0].strip()[:120] or f'exit status {status}'}")
        return next((each for each in lines if each.startswith("Status:")), "Status: sent").removeprefix("Status: ")

    def _detail(self, tool: str, query: ContactQuery) -> str:
        people = self._rows("contacts", ("_id", "lookup", "display_name"))
        chosen = _meant(people, query)
        if not chosen:
            shown = query.name or query.uri
            raise UnknownValue(tool, "name" if query.name else "contact_uri", shown, "a contact of the phone")
        if len(chosen) > 1:
            raise AmbiguousValue(tool, "name", query.name, [row.get("display_name", "") for row in chosen])
        if query.key == "uri":
            return f"{CONTACTS}/contacts/lookup/{chosen[0]['lookup']}/{chosen[0]['_id']}"
        rows = self._rows(_DETAILS[query.key], ("contact_id", "data1"))
        values = [row["data1"] for row in rows if row.get("contact_id") == chosen[0]["_id"] and "data1" in row]
        if not values:
            raise UnknownValue(tool, "key", query.key, f"a detail that {chosen[0]['display_name']} has")
        return values[0]

    def _rows(self, path: str, columns: Sequence[str]) -> list[dict[str, str]]:
        return self._read(f"{CONTACTS}/{path}", columns, "contacts")

    def _read(self, uri: str, columns: Sequence[str], what: str) -> list[dict[str, str]]:
        status, output = self._shell.run(content_query(uri, columns))
        if any(word in output for word in _DENIED):
            raise ToolError(f"the phone does not let adb read its {what}: allow it on the phone")
        if status or output.startswith("Error"):
            raise ToolError(f"the phone's {what} cannot be read (exit status {status})")
        return read_rows(output, columns)

    def _newest(self, shelf: str) -> str:
        _, output = self._shell.run(content_query(shelf, ("_id",), "_id DESC"))
        rows = read_rows(output, ("_id",))
        return rows[0]["_id"] if rows else ""

    def _captured(self, shelf: str, before: str) -> str:
        end = self._clock() + CAPTURE_SECONDS
        while self._clock() < end:
            newest = self._newest(shelf)
            if newest and newest != before:
                return newest
            self._wait(1.0)
        raise ToolError(f"nothing new was recorded on the phone within {CAPTURE_SECONDS:.0f} seconds")


def _meant(rows: Sequence[Mapping[str, str]], query: ContactQuery) -> list[Mapping[str, str]]:
    if query.uri:
        return [row for row in rows if row.get("_id") == query.uri.rstrip("/").rsplit("/", 1)[-1]]
    named = [{"name": row.get("display_name", ""), "row": row} for row in rows]
    return [each["row"] for each in find_people(query.name, named)]


def _client(host: str, port: int) -> Any:
    if importlib.util.find_spec("adbutils") is None:
        raise MissingExtra("What talks to phones over adb", "android")
    import adbutils

    return adbutils.AdbClient(host=host, port=port)


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:160]
