"""A phone over adb that has camphor's companion app (the folder `phone` of the repository).

Over a cable a choice cannot be read: the screen opens, and what was picked stays on the phone. The app starts such an
intent itself and gives back what the person chose or made. One request is one line of JSON to a local socket of the
phone, which adb leads to; each brings the token that the app shows. An app of the same name may be anybody's: what it
answers is read as a stranger's.
"""

from __future__ import annotations

import json
import re
import time
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any, Protocol

from camphor.device.android.adb import CONTACTS, SECONDS, AdbPhone, AdbShell, Shell
from camphor.device.android.intent import ContactQuery, Extra, Intent, Long, Uri
from camphor.errors import ToolError, UnknownValue

APP, SOCKET = "org.camphor.phone", "camphor-phone"
TOKEN_VARIABLE = "CAMPHOR_PHONE_TOKEN"
LONGEST_LINE = 65_536
"""Bytes of a request and of an answer, without the end of the line."""
CHOICE_SECONDS, COPY_SECONDS = 120, 60.0
"""How long a person may take to choose, and how much longer the app may take to open the screen and copy a file."""
WRONG_TOKEN = "wrong token"
"""What the app says to a token that is not its own."""

_TOKEN = re.compile(r"[0-9a-f]{32}")
_URI = re.compile(r"content://[\w.\-@]{1,200}/[\w\-.~!$&'()*+,;=:@/?#%]{1,4000}", re.ASCII)
_PATH = re.compile(r"(?!.*/\.\.(?:/|$))/(?:sdcard|storage)/[^\0-\x1f\x7f]{1,1000}")
_LONGEST_TEXT, _LONGEST_SENTENCE = 200, 300
_MOST_FILES = 50
_OUTPUT = {"android.media.action.IMAGE_CAPTURE": "photo", "android.media.action.VIDEO_CAPTURE": "video"}
_SILENT = "silent"  # AlarmClock.VALUE_RINGTONE_SILENT
_DATUM = re.compile(re.escape(CONTACTS) + r"/data/(\d{1,18})")
_KINDS = {
    "vnd.android.cursor.item/phone_v2": "phone",
    "vnd.android.cursor.item/email_v2": "email",
    "vnd.android.cursor.item/postal-address_v2": "address",
}
_HOW_TO_INSTALL = "build and install it as phone/README.md says"
_STRANGE = f"the phone's app did not answer as camphor's does: {_HOW_TO_INSTALL}"


class Companion(Shell, Protocol):
    """Runs command lines on a phone, and takes requests to the app there."""

    def ask(self, line: bytes, seconds: float) -> bytes:
        """The line that the app answers to one. Raises ToolError: the app is not there or off, or gives no answer."""
        ...


class CompanionShell(AdbShell):
    """The shell of one phone, and the way to the app on it."""

    def ask(self, line: bytes, seconds: float) -> bytes:
        end = time.monotonic() + seconds
        try:
            opened = self._phone.open_transport(timeout=seconds)  # create_connection would wait ten minutes
            opened.send_command(f"localabstract:{SOCKET}")
            opened.check_okay()
            connection = opened.conn
        except Exception as error:  # adbutils raises errors of sockets and its own
            raise ToolError(self._why_closed()) from error
        try:
            with closing(connection):
                connection.settimeout(seconds)
                connection.sendall(line + b"\n")
                return _answer(connection, end)
        except TimeoutError:
            raise ToolError(
                f"the phone's app did not answer within {seconds:.0f} seconds: look at the phone, and at what was done"
            ) from None
        except OSError as error:
            raise ToolError(
                "the connection to the phone's app broke: check the cable, and on the phone what was done"
            ) from error

    def _why_closed(self) -> str:
        """Raises ToolError: the phone itself is gone."""
        status, output = self.run(f"pm path {APP}")
        if status or not output.startswith("package:"):
            return f"camphor's app is not installed on the phone: {_HOW_TO_INSTALL}"
        return "camphor's app is off: open it on the phone, press On and give the new token that it shows"


def _answer(connection: Any, end: float) -> bytes:
    """The first line that comes. Raises TimeoutError: it is not whole in time, however often a piece comes."""
    got = bytearray()
    while b"\n" not in got:
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        piece = connection.recv(LONGEST_LINE)
        if not piece:
            raise ToolError(
                "the phone's app ended the connection without a whole answer: open it on the phone, see what was done"
                " there, and whether it is on"
            )
        got += piece
        if len(got) > LONGEST_LINE and b"\n" not in got[: LONGEST_LINE + 1]:
            raise ToolError(f"the phone's app answers with more than {LONGEST_LINE:,} bytes: {_HOW_TO_INSTALL}")
    return bytes(got.split(b"\n", 1)[0])


def plain_token(text: str) -> str:
    """The token without the spaces between its groups, in small letters."""
    return re.sub(r"[\s-]", "", text).lower()


class CompanionPhone(AdbPhone):
    """Does on a real phone what the four Android apps ask of theirs; choices come back through the app.

    Args:
        app: the phone's shell, and the app there. token: what the app shows; it is sent to the app alone.
        wait, clock: as of `AdbPhone`.
    """

    def __init__(
        self,
        app: Companion,
        token: str,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(app, wait, clock)
        self._app, self._token = app, plain_token(token)

    def check(self) -> None:
        """Raises ToolError: the app is not there, is off, or has another token."""
        self._asked({}, SECONDS)

    def start(self, intent: Intent) -> dict[str, Any]:
        """Starts the intent; of one that gives a result, gives what the person made or chose as `result`.

        Raises:
            ToolError: as `AdbPhone`, or the app is not there, is off, takes another token or gives no good answer, or
                nothing was chosen.
        """
        # what the app gave only the app can hand on
        own = any(uri.startswith(f"content://{APP}.") for uri in intent.uris)
        if not intent.gives_result and not own:
            return super().start(intent)
        if self._locked():
            raise ToolError("the phone is locked: unlock it; nothing was sent to it")
        output = _OUTPUT.get(intent.action)
        found = self._asked(
            {"intent": _told(intent), "result": intent.gives_result, "output": output, "seconds": CHOICE_SECONDS},
            CHOICE_SECONDS + COPY_SECONDS,
        )
        record: dict[str, Any] = {"intent": intent.action, "answer": "ok"}
        return {**record, **self._chosen(intent, found)} if intent.gives_result else record

    def _detail(self, tool: str, query: ContactQuery) -> str:
        """Also of a number or an address that was picked, whose URI is no contact's."""
        datum = _DATUM.fullmatch(query.uri)
        if datum is None:
            return super()._detail(tool, query)
        rows = self._rows(f"data/{datum[1]}", ("contact_id", "mimetype", "data1"))
        if not rows or "contact_id" not in rows[0]:
            raise UnknownValue(tool, "contact_uri", query.uri, "a contact of the phone")
        if _KINDS.get(rows[0].get("mimetype", "")) == query.key and "data1" in rows[0]:
            return rows[0]["data1"]
        return super()._detail(tool, ContactQuery(query.key, uri=f"{CONTACTS}/contacts/{rows[0]['contact_id']}"))

    # the app

    def _asked(self, request: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        """What the app gives. Raises ToolError: nothing, or what it says is no answer of camphor's app."""
        if not _TOKEN.fullmatch(self._token):
            raise ToolError(
                "there is no token of the phone's app, which is 32 digits and letters from a to f: set"
                f" {TOKEN_VARIABLE} to the one that it shows, or connect the phone anew with --companion --replace"
            )
        line = json.dumps({"token": self._token, **request}).encode("ascii")
        if len(line) > LONGEST_LINE:
            raise ToolError(f"the values take {len(line):,} bytes: the app takes {LONGEST_LINE:,}; shorten them")
        told = _read(self._app.ask(line, seconds))
        if told.get("ok") is True and isinstance(told.get("result"), Mapping):
            return dict(told["result"])
        if told.get("ok") is not False:
            raise ToolError(_STRANGE)
        if told.get("error") == WRONG_TOKEN:
            raise ToolError(
                f"the phone's app has another token, a new one each time it is switched on: set {TOKEN_VARIABLE} to the"
                " one that it shows, or connect the phone anew with --companion --replace"
            )
        raise ToolError(f"the phone's app says: {self._text(told.get('error'), _LONGEST_SENTENCE) or 'nothing'}")

    def _chosen(self, intent: Intent, found: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a record: URIs, names and paths, in lists where several could be chosen."""
        more = found.get("more", [])
        several = intent.extras.get("android.intent.extra.ALLOW_MULTIPLE") is True
        if not isinstance(more, list) or len(more) >= _MOST_FILES or (more and not several):
            raise ToolError(_STRANGE)
        files = [self._one(intent, each) for each in (found, *more)]
        if not several:
            return files[0]
        return {key: [file.get(key, "") for file in files] for key in ("result", "name", "path")}

    def _one(self, intent: Intent, found: Any) -> dict[str, str]:
        if not isinstance(found, Mapping):
            raise ToolError(_STRANGE)
        uri, path = (str(found.get(key) or "") for key in ("uri", "path"))
        silent = uri == _SILENT and intent.action == "android.intent.action.RINGTONE_PICKER"
        if not silent and not _URI.fullmatch(uri):
            raise ToolError(_STRANGE)
        if path and not (_PATH.fullmatch(path) and _plain(path) == path):
            raise ToolError(_STRANGE)
        for exact in (uri, path):
            self._without_token(exact)
        texts = {key: self._text(found.get(key), _LONGEST_TEXT) for key in ("name", "value")}
        return {key: value for key, value in {"result": uri, **texts, "path": path}.items() if value}

    def _text(self, text: Any, longest: int) -> str:
        """A text of the app's as one line, without what steers a terminal. Raises ToolError: the token is in it."""
        if not isinstance(text, str):
            return ""
        self._without_token(text)
        line = " ".join(_plain(text).split())
        return line if len(line) <= longest else line[: longest - 1] + "…"

    def _without_token(self, text: str) -> None:
        if self._token in re.sub(r"[^0-9a-f]", "", text.lower()):
            raise ToolError(_STRANGE)


def _plain(text: str) -> str:
    """The text with spaces for what is no letter or sign: control characters, marks of direction, line ends."""
    return "".join(" " if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp") else each for each in text)


def _read(line: bytes) -> Mapping[str, Any]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise ToolError(f"the phone's app answers with something that is no JSON: {_HOW_TO_INSTALL}") from None
    if not isinstance(told, Mapping):
        raise ToolError(_STRANGE)
    return told


def _told(intent: Intent) -> dict[str, Any]:
    """An intent as the app reads it."""
    return {
        "action": intent.action,
        "data": intent.data,
        "type": intent.type,
        "package": intent.package,
        "categories": list(intent.categories),
        "extras": {name: _extra(extra) for name, extra in intent.extras.items()},
        "grant": any(uri.startswith("content:") for uri in intent.uris),
    }


def _extra(value: Extra) -> dict[str, Any]:
    if isinstance(value, tuple):
        whole = all(isinstance(each, int) for each in value)
        uris = any(isinstance(each, Uri) for each in value)
        return {"kind": "ints" if whole else "uris" if uris else "strings", "value": list(value)}
    if isinstance(value, float):
        raise ToolError("the phone's app takes no number with a fraction: round it")
    # the narrower one first: a boolean is an int, a `Uri` is a text
    kinds = {bool: "boolean", Long: "long", int: "int", Uri: "uri", str: "string"}
    return {"kind": next(kind for type_, kind in kinds.items() if isinstance(value, type_)), "value": value}
