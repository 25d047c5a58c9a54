"""The Android apps of the phone itself: search, maps, camera, settings and files; the clock and the calendar."""

from __future__ import annotations

import mimetypes
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, ClassVar

from camphor.device.android.intent import Extra, Intent, decoded
from camphor.device.apps.android_people import AndroidApp, next_number, text_extra, without_blanks
from camphor.device.text import Record, keyword
from camphor.device.when.lexicon import WEEKDAYS
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
        asked = {"query": decoded(query)}
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


_ALARM = "android.intent.extra.alarm."
_DEFAULT_SOUND = "content://settings/system/alarm_alert"  # Settings.System.DEFAULT_ALARM_ALERT_URI


class AndroidScheduling(AndroidApp):
    name = "android_scheduling"
    lists: ClassVar = {
        "alarms": ("time", "label", "days", "ringtone", "vibrate", "enabled"),
        "timers": ("seconds", "label", "started", "ends"),
        "events": ("title", "description", "location", "all_day", "start", "end", "guests"),
        "ringtones": ("title", "uri"),
        "opened": ("screen", "date"),
    }
    spans: ClassVar = {"events": ("start", "end"), "timers": ("started", "ends"), "opened": ("date", "date")}

    def start(self, tool: str, intent: Intent) -> Record:
        match intent.action:
            case "android.intent.action.SET_ALARM":
                return self._set_alarm(intent)
            case "android.intent.action.SET_TIMER":
                return self._set_timer(intent)
            case "android.intent.action.SHOW_ALARMS":
                return self.records.add("opened", {"screen": "alarms", "date": self.stamp()})
            case "android.intent.action.INSERT":
                return self._insert_event(intent)
            case "android.intent.action.RINGTONE_PICKER":
                return self._pick_ringtone()
        return super().start(tool, intent)

    def _set_alarm(self, intent: Intent) -> Record:
        """Sets the alarm; the same one that is there already is switched on instead, as clock apps do."""
        days = intent.extras.get(_ALARM + "DAYS", ())
        alarm = without_blanks(
            time=f"{intent.extras[_ALARM + 'HOUR']:02}:{intent.extras[_ALARM + 'MINUTES']:02}",
            label=text_extra(intent, _ALARM + "MESSAGE"),
            days=[_weekday(day) for day in days] if isinstance(days, tuple) else [],
            ringtone=text_extra(intent, _ALARM + "RINGTONE"),
            vibrate=intent.extras[_ALARM + "VIBRATE"],
            enabled=True,
        )
        for ordinal, other in self.records.rows("alarms", *keyword(str(alarm["time"]))):
            if all(other.get(field) == alarm.get(field) for field in ("time", "label", "days")):
                changed = {**other, **alarm}
                self.records.change("alarms", ordinal, changed)
                return changed
        return self.records.add("alarms", alarm)

    def _set_timer(self, intent: Intent) -> Record:
        seconds = int(str(intent.extras[_ALARM + "LENGTH"]))
        ends = (self.phone.now + timedelta(seconds=seconds)).isoformat(timespec="seconds")
        label = text_extra(intent, _ALARM + "MESSAGE")
        return self.records.add("timers", without_blanks(seconds=seconds, label=label, started=self.stamp(), ends=ends))

    def _insert_event(self, intent: Intent) -> Record:
        whole = intent.extras.get("allDay") is True
        event = without_blanks(
            title=text_extra(intent, "title"),
            description=text_extra(intent, "description"),
            location=text_extra(intent, "eventLocation"),
            all_day=whole or None,
            start=self._moment(intent.extras.get("beginTime"), whole),
            end=self._moment(intent.extras.get("endTime"), whole),
            guests=[each for each in text_extra(intent, "android.intent.extra.EMAIL").split(",") if each],
        )
        return self.records.add("events", event)

    def _moment(self, milliseconds: Extra | None, whole: bool) -> str:
        """Milliseconds as the phone's local time; of whole days the day, which Android counts in UTC."""
        if not isinstance(milliseconds, int):
            return ""
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
        if whole:
            return moment.date().isoformat()
        return moment.astimezone(self.phone.zone).replace(tzinfo=None).isoformat(timespec="seconds")

    def _pick_ringtone(self) -> Record:
        """The sound that most of the alarms have, else the first of the list, else the phone's usual one."""
        sounds = [record for record in self.records.find("ringtones") if record.get("uri")]
        used = Counter(record.get("ringtone") for record in self.records.find("alarms"))
        if not sounds:
            return {"title": "Default alarm sound", "result": _DEFAULT_SOUND}
        chosen = max(sounds, key=lambda sound: used[sound["uri"]])
        return without_blanks(title=chosen.get("title"), result=chosen["uri"])


def _weekday(number: object) -> str:
    """The name of a `java.util.Calendar` weekday, of which Sunday is 1."""
    return WEEKDAYS[(int(str(number)) + 5) % 7].capitalize()
