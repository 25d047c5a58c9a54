"""The phone that camphor itself runs on, in Termux: intents by its `am`, and what a person chooses there by Termux:API.

Over a cable a choice cannot be read: the screen opens, and what was picked stays on the phone. Termux:API's commands
(wiki.termux.com, "Termux:API") give it back: a photo goes into a file, a document is copied to one, a contact or a
sound is chosen in a dialog. Each is called with its values as words of their own, never through a shell.
"""

from __future__ import annotations

import json
import mimetypes
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from camphor.device.android.adb import CALLS, AdbPhone, Contacted, am_start
from camphor.device.android.intent import ContactQuery, Intent, decoded, encoded
from camphor.device.people import find_people
from camphor.errors import AmbiguousValue, ToolError, UnknownValue

ANSWER_SECONDS, CHOICE_SECONDS = 20.0, 120.0
"""How long a command may take, and how long a person may take to choose."""
PICKED = "content://termux.contacts/"
"""What a chosen contact's URI begins with: Termux:API tells names and numbers, and no place in the address book."""
_SOUNDS = (Path("/system/media/audio/alarms"), Path("/product/media/audio/alarms"))
_MOST_CHOICES = 200
_KINDS = {"OUTGOING": "called", "INCOMING": "received", "MISSED": "missed"}
HOW_TO_GET = "install the app Termux:API and run  pkg install termux-api"


class Commands(Protocol):
    """Runs a command of this phone."""

    def run(self, words: Sequence[str], seconds: float) -> tuple[int, str]:
        """Its exit status and all that it printed. Raises ToolError: it is not there, or takes too long."""
        ...


class TermuxCommands:
    """The commands that are installed here."""

    def run(self, words: Sequence[str], seconds: float) -> tuple[int, str]:
        try:
            done = subprocess.run(
                list(words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
                stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        except FileNotFoundError:
            raise ToolError(f"{words[0]} is not there: {HOW_TO_GET}") from None
        except subprocess.TimeoutExpired:
            raise ToolError(f"{words[0]} did not answer within {seconds:.0f} seconds: look at the phone") from None
        except (OSError, ValueError):
            raise ToolError(f"{words[0]} cannot be run with these values") from None
        return done.returncode, done.stdout.decode("utf-8", "replace")


class _Here:
    """The shell of this phone, for `am` and `getprop`."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def run(self, line: str) -> tuple[int, str]:
        return self._commands.run(("sh", "-c", line), ANSWER_SECONDS)


def in_termux() -> bool:
    """Whether this is Termux with its interface to the phone."""
    return shutil.which("termux-contact-list") is not None


class TermuxPhone(AdbPhone):
    """Does on this phone what the four Android apps ask of theirs.

    Args:
        commands: those of this phone. folder: where photos and chosen documents go.
        wait, clock: as of `AdbPhone`.
    """

    def __init__(
        self,
        commands: Commands,
        folder: Path,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(_Here(commands), wait, clock)
        self._commands, self._folder = commands, folder.resolve()

    def start(self, intent: Intent) -> dict[str, Any]:
        """Starts the intent; of one that gives a result, gives what the person made or chose as `result`.

        Raises:
            ToolError: no app takes it, the phone refused it, or the person chose nothing.
        """
        give = {
            "android.media.action.IMAGE_CAPTURE": self._photo,
            "android.intent.action.OPEN_DOCUMENT": self._document,
            "android.intent.action.GET_CONTENT": self._document,
            "android.intent.action.CREATE_DOCUMENT": self._new_document,
            "android.intent.action.PICK": self._person,
            "android.intent.action.RINGTONE_PICKER": self._sound,
        }.get(intent.action)
        if give is None:
            return self._started(intent)
        return {"intent": intent.action, "answer": "ok", "result": give(intent)}

    def _started(self, intent: Intent) -> dict[str, Any]:
        if intent.data.startswith(PICKED):
            raise ToolError("Termux:API tells a contact's name and number, and no place where it could be opened")
        if any(uri.startswith("file:") for uri in intent.uris):
            raise ToolError("other apps may not read camphor's files: hand it on with  termux-share FILE")
        record: dict[str, Any] = {"intent": intent.action, "answer": self._answer(am_start(intent))}
        if intent.gives_result:
            record["note"] = "the phone shows what can be made or chosen; it does not come back from there"
        return record

    def _locked(self) -> bool:
        return False  # who asks holds the phone

    def contacts(self) -> list[dict[str, str]]:
        """Names and numbers as records of the app android_contacts. Raises ToolError: they may not be read."""
        found: dict[str, dict[str, str]] = {}
        for each in self._people():
            found.setdefault(each["name"], {"contact_id": PICKED + encoded(each["name"]), "name": each["name"]})
            found[each["name"]].setdefault("phone_number", each["number"])
        return list(found.values())

    def history(self, uri: str) -> list[Contacted]:
        """The calls that the phone still knows; of text messages nothing: Termux:API would tell what they say."""
        if uri != CALLS:
            return []
        calls = self._told(("termux-call-log", "-l", "5000"))
        found = []
        for each in calls:
            kind = _KINDS.get(str(each.get("type")), "") if isinstance(each, Mapping) else ""
            if kind and each.get("phone_number"):
                found.append(Contacted(str(each["phone_number"]), kind, _seconds(str(each.get("date") or ""))))
        return found

    def _detail(self, tool: str, query: ContactQuery) -> str:
        people, name = self._people(), query.name
        if query.uri:
            name = decoded(query.uri.removeprefix(PICKED)) if query.uri.startswith(PICKED) else ""
            chosen = [each for each in people if each["name"] == name]
        else:
            chosen = [dict(each) for each in find_people(name, people)]
        if not chosen:
            raise UnknownValue(
                tool, "contact_uri" if query.uri else "name", query.uri or name, "a contact of the phone"
            )
        names = list(dict.fromkeys(each["name"] for each in chosen))
        if len(names) > 1:
            raise AmbiguousValue(tool, "name", name, names)
        if query.key == "uri":
            return PICKED + encoded(names[0])
        if query.key != "phone":
            raise UnknownValue(tool, "key", query.key, "phone: Termux:API tells names and numbers alone")
        return str(chosen[0]["number"])

    def _people(self) -> list[dict[str, str]]:
        return [
            {"name": str(each["name"]), "number": str(each["number"])}
            for each in self._told(("termux-contact-list",))
            if isinstance(each, Mapping) and each.get("name") and each.get("number")
        ]

    def _ran(self, words: Sequence[str], seconds: float) -> Any:
        """What a command tells: JSON, or its text. Raises ToolError: it fails, or tells of an error, as of a permission
        that it lacks."""
        status, text = self._commands.run(words, seconds)
        try:
            found = json.loads(text) if text.strip() else None
        except ValueError:
            found = text
        if isinstance(found, Mapping) and (problem := found.get("error") or found.get("API_ERROR")):
            raise ToolError(f"the phone does not allow {words[0]}: {str(problem)[:160]}")
        if status:
            raise ToolError(f"{words[0]} failed with exit status {status}")
        return found

    def _told(self, words: Sequence[str]) -> list[Any]:
        """The list that a command tells. Raises ToolError: as `_ran`, or it tells none."""
        found = self._ran(words, ANSWER_SECONDS)
        if not isinstance(found, list):
            raise ToolError(f"{words[0]} did not answer as it should: update Termux:API")
        return found

    # what a person makes or chooses

    def _photo(self, intent: Intent) -> str:
        path = self._free("photo", ".jpg")
        self._ran(("termux-camera-photo", str(path)), CHOICE_SECONDS)
        return self._made(path, "no photo was made")

    def _document(self, intent: Intent) -> str:
        path = self._free("document", mimetypes.guess_extension(intent.type) or "")
        self._ran(("termux-storage-get", str(path)), CHOICE_SECONDS)
        return self._made(path, "no document was chosen")

    def _new_document(self, intent: Intent) -> str:
        title = str(intent.extras.get("android.intent.extra.TITLE") or "document")
        name = Path(title.replace("\0", "")).name.lstrip(".") or "document"
        path = self._free(Path(name).stem, Path(name).suffix or mimetypes.guess_extension(intent.type) or "")
        path.touch(exist_ok=False)
        return path.as_uri()

    def _person(self, intent: Intent) -> str:
        names = list(dict.fromkeys(each["name"] for each in self._people()))
        return PICKED + encoded(self._chosen("Which contact?", names))

    def _sound(self, intent: Intent) -> str:
        sounds = {path.stem: path for folder in _SOUNDS if folder.is_dir() for path in sorted(folder.iterdir())}
        return sounds[self._chosen("Which sound?", list(sounds))].as_uri()

    def _chosen(self, title: str, options: Sequence[str]) -> str:
        if not options:
            raise ToolError("there is nothing on the phone that could be chosen")
        if len(options) > _MOST_CHOICES:
            raise ToolError(f"{len(options)} are too many to choose from here: say which by name")
        shown = [option.replace(",", ";").replace("\\", "/") for option in options]  # the dialog parts them at commas
        told = self._ran(("termux-dialog", "radio", "-t", title, "-v", ",".join(shown)), CHOICE_SECONDS)
        place = told.get("index") if isinstance(told, Mapping) else None
        if not isinstance(place, int) or not 0 <= place < len(shown) or told.get("text") != shown[place]:
            raise ToolError("nothing was chosen on the phone")
        return options[place]

    def _free(self, stem: str, suffix: str) -> Path:
        """A file of that name that is not there yet."""
        self._folder.mkdir(parents=True, exist_ok=True)
        stem, suffix = stem[:80], suffix[:20]
        names = (f"{stem}{f'-{number}' if number else ''}{suffix}" for number in range(100_000))
        return next(path for path in (self._folder / name for name in names) if not path.exists())

    def _made(self, path: Path, otherwise: str) -> str:
        """The file, once it is there: Termux:API answers before the person has chosen."""
        end, size = self._clock() + CHOICE_SECONDS, 0
        while True:
            before, size = size, path.stat().st_size if path.is_file() else 0
            if size and size == before:  # it is no longer being written
                return path.as_uri()
            if self._clock() >= end:
                raise ToolError(f"{otherwise} within {CHOICE_SECONDS:.0f} seconds")
            self._wait(0.5)


def _seconds(told: str) -> float:
    """`2026-03-12 08:30:00` of this phone's clock as seconds since 1970; 0 for anything else."""
    try:
        return time.mktime(time.strptime(told[:19], "%Y-%m-%d %H:%M:%S"))
    except (ValueError, OverflowError):
        return 0.0
