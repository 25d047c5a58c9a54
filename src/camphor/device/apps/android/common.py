"""Search, maps, camera, settings and files of an Android phone."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

from camphor.device.android import values
from camphor.device.android.intent import Intent
from camphor.device.apps.android.base import AndroidApp, next_number, text_extra, without_blanks
from camphor.device.records import Record
from camphor.errors import ToolError, UnknownValue

_FILES = {
    "photos": ("content://media/external/images/media/", "image/jpeg", "taken"),
    "videos": ("content://media/external/video/media/", "video/mp4", "taken"),
    "documents": ("content://com.android.providers.downloads.documents/document/", "text/plain", "modified"),
}
"""Each list of files: where its URIs begin, the type of a file that says none, the field with its time."""
_SETTINGS = "android.settings."
_ENGINES = {"www.baidu.com": "baidu", "www.google.com": "google"}
_EXTRA = "android.intent.extra."


class AndroidCommon(AndroidApp):
    name = "android_common"
    lists: ClassVar = {
        "searches": ("query", "engine", "date"),
        "map_searches": ("query", "date"),
        "photos": ("uri", "name", "type", "taken"),
        "videos": ("uri", "name", "type", "taken"),
        "documents": ("uri", "name", "type", "modified"),
        "settings_opened": ("page", "date"),
        "cameras_opened": ("mode", "date"),
    }
    spans: ClassVar = {
        "photos": ("taken", "taken"),
        "videos": ("taken", "taken"),
        "documents": ("modified", "modified"),
    }

    def start(self, tool: str, intent: Intent) -> Record:
        if intent.action.startswith(_SETTINGS):
            page = intent.action.removeprefix(_SETTINGS).removesuffix("_SETTINGS").lower()
            return self.records.add("settings_opened", {"page": page, "date": self.stamp()})
        match intent.action:
            case "android.intent.action.VIEW":
                return self._view(intent)
            case "android.media.action.IMAGE_CAPTURE":
                return self._capture("photos", "IMG_{}.jpg")
            case "android.media.action.VIDEO_CAPTURE":
                return self._capture("videos", "VID_{}.mp4")
            case "android.media.action.STILL_IMAGE_CAMERA":
                return self.records.add("cameras_opened", {"mode": "photo", "date": self.stamp()})
            case "android.media.action.VIDEO_CAMERA":
                return self.records.add("cameras_opened", {"mode": "video", "date": self.stamp()})
            case "android.intent.action.CREATE_DOCUMENT":
                return self._create(tool, intent)
            case "android.intent.action.OPEN_DOCUMENT" | "android.intent.action.GET_CONTENT":
                return self._choose(tool, intent)
        return super().start(tool, intent)

    def _view(self, intent: Intent) -> Record:
        address, _, query = intent.data.partition("=")
        asked = {"query": values.decoded(query)}
        if address.startswith("geo:"):
            return self.records.add("map_searches", {**asked, "date": self.stamp()})
        engine = _ENGINES.get(address.removeprefix("https://").partition("/")[0])
        if engine is None:
            raise ToolError(f"{self.name} has no page {intent.data[:80]}")
        return self.records.add("searches", {**asked, "engine": engine, "date": self.stamp()})

    def _capture(self, name: str, pattern: str) -> Record:
        """A file named after the moment, as cameras do."""
        begin, kind, when = _FILES[name]
        called = pattern.format(self.phone.now.strftime("%Y%m%d_%H%M%S"))
        uri = begin + str(next_number([file["uri"] for file in self._files(name)]))
        file = {"uri": uri, "name": called, "type": kind, when: self.stamp()}
        return {**self.records.add(name, file), "result": uri}

    def _create(self, tool: str, intent: Intent) -> Record:
        """A new document; where the name is taken, with a number behind it, as Android does."""
        title = text_extra(intent, _EXTRA + "TITLE")
        begin, _, when = _FILES["documents"]
        files = self._files("documents")
        taken = {str(file.get("name")) for file in files}
        stem, dot, ending = title.rpartition(".") if "." in title.strip(".") else (title, "", "")
        called = next(
            name
            for name in (title, *(f"{stem} ({number}){dot}{ending}" for number in range(1, len(taken) + 2)))
            if name not in taken
        )
        uri = begin + str(next_number([file["uri"] for file in files]))
        file = {"uri": uri, "name": called, "type": intent.type, when: self.stamp()}
        return {**self.records.add("documents", file), "result": uri}

    def _choose(self, tool: str, intent: Intent) -> Record:
        """The newest file of the types asked for; where several may be chosen, all files of the newest one's day."""
        kinds = intent.extras.get(_EXTRA + "MIME_TYPES", (intent.type,))
        wanted = [str(kind) for kind in kinds] if isinstance(kinds, tuple) else [intent.type]
        files = [file for name in _FILES for file in self._files(name)]
        fitting = [file for file in files if any(_fits(file["type"], kind) for kind in wanted)]
        if not fitting:
            there = ", ".join(dict.fromkeys(file["type"] for file in files)) or "no file at all"
            parameter = "mime_types" if tool == "ACTION_OPEN_DOCUMENT" else "mime_type"
            raise UnknownValue(tool, parameter, ", ".join(wanted), f"a type of which the phone has files: {there}")
        # of equally new ones the last of the list was added last
        newest = max(enumerate(fitting), key=lambda placed: (placed[1]["when"], placed[0]))[1]
        if intent.extras.get(_EXTRA + "ALLOW_MULTIPLE") is not True:
            return without_blanks(name=newest.get("name"), result=newest["uri"])
        day = newest["when"][:10]
        chosen = [file for file in fitting if file["when"][:10] == day]
        return {"name": [file.get("name", "") for file in chosen], "result": [file["uri"] for file in chosen]}

    def _files(self, name: str) -> list[dict[str, Any]]:
        """The files of a list, each with its URI, its type and, as `when`, its time, whatever its record leaves out."""
        begin, usual, field = _FILES[name]
        return [
            {
                **file,
                "uri": str(file.get("uri") or f"{begin}{ordinal + 1}"),
                "type": str(file.get("type") or _type_of(file) or usual).lower(),
                "when": str(file.get(field) or ""),
            }
            for ordinal, file in self.records.rows(name)
        ]


@cache
def _types() -> mimetypes.MimeTypes:
    # Python's own table: that of `mimetypes.guess_type` differs from machine to machine
    return mimetypes.MimeTypes()


def _type_of(file: Mapping[str, Any]) -> str:
    return _types().guess_type(str(file.get("name") or ""))[0] or ""


def _fits(kind: str, wanted: str) -> bool:
    """Whether a MIME type is one of those that a pattern with stars means."""
    return all(want in ("*", have) for have, want in zip(kind.split("/"), wanted.split("/"), strict=False))
