"""The clock and the calendar of an Android phone."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import ClassVar

from camphor.device.android.intent import Extra, Intent
from camphor.device.apps.android.base import AndroidApp, text_extra, without_blanks
from camphor.device.conditions import keyword
from camphor.device.records import Record
from camphor.device.when.lexicon import WEEKDAYS

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
