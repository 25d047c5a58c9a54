"""Scheduling assistant: alarms, timers and the calendar.

Intents: developer.android.com, "Common intents" (alarm clock, calendar), `android.provider.AlarmClock`,
`android.provider.CalendarContract` and `android.media.RingtoneManager`.
"""
# ruff: noqa: N802, N803  the names are DroidCall's

from __future__ import annotations

from typing import Annotated

from camphor.device.android import values
from camphor.device.android.intent import Extra, Intent
from camphor.errors import ArgumentError
from camphor.tools.tool import Role

Time = Annotated[str, Role.TIME]
Emails = Annotated[list[str], Role.EMAIL]

_ALARM = "android.intent.extra.alarm."
_RINGTONE_FOR_ALARMS = 4  # RingtoneManager.TYPE_ALARM
_SILENT = "silent"  # AlarmClock.VALUE_RINGTONE_SILENT


def ACTION_SET_ALARM(
    EXTRA_HOUR: Annotated[int, Role.HOUR],
    EXTRA_MINUTES: Annotated[int, Role.MINUTE],
    EXTRA_MESSAGE: str = "",
    EXTRA_DAYS: Annotated[list[str], Role.WEEKDAYS] | None = None,
    EXTRA_RINGTONE: str | None = None,
    EXTRA_VIBRATE: bool = False,
    EXTRA_SKIP_UI: bool = True,
) -> Intent:
    """Make the phone ring at a time of day, once or on certain weekdays.

    Args:
        EXTRA_HOUR: Hour at which it rings, from 0 to 23.
        EXTRA_MINUTES: Minute of that hour, from 0 to 59.
        EXTRA_MESSAGE: What the alarm is called.
        EXTRA_DAYS: Weekdays on which it rings again and again, such as ["Monday", "Friday"]; once where left out.
        EXTRA_RINGTONE: Content URI of the sound, or "silent" for none; the usual sound where left out.
        EXTRA_VIBRATE: Whether the phone also vibrates.
        EXTRA_SKIP_UI: Whether it is set at once, without the clock app asking.
    """
    tool = "ACTION_SET_ALARM"
    extras: dict[str, Extra] = {
        _ALARM + "HOUR": values.whole(tool, "EXTRA_HOUR", EXTRA_HOUR, 0, 23),
        _ALARM + "MINUTES": values.whole(tool, "EXTRA_MINUTES", EXTRA_MINUTES, 0, 59),
    }
    if EXTRA_MESSAGE:
        extras[_ALARM + "MESSAGE"] = EXTRA_MESSAGE
    if EXTRA_DAYS:
        extras[_ALARM + "DAYS"] = values.weekdays(tool, "EXTRA_DAYS", EXTRA_DAYS)
    if EXTRA_RINGTONE:
        silent = EXTRA_RINGTONE.strip().casefold() == _SILENT
        extras[_ALARM + "RINGTONE"] = _SILENT if silent else values.uri(tool, "EXTRA_RINGTONE", EXTRA_RINGTONE)
    extras[_ALARM + "VIBRATE"] = EXTRA_VIBRATE
    extras[_ALARM + "SKIP_UI"] = EXTRA_SKIP_UI
    return Intent("android.intent.action.SET_ALARM", extras=extras)


def ACTION_SET_TIMER(
    duration: Annotated[str, Role.DURATION], EXTRA_MESSAGE: str = "", EXTRA_SKIP_UI: bool = True
) -> Intent:
    """Start a countdown that rings when it is over.

    Args:
        duration: How long it runs, as hours, minutes and seconds in words: "10 minutes", "1 hours 30 minutes 15
            seconds".
        EXTRA_MESSAGE: What the timer is called.
        EXTRA_SKIP_UI: Whether it starts at once, without the clock app asking.
    """
    extras: dict[str, Extra] = {_ALARM + "LENGTH": values.seconds("ACTION_SET_TIMER", "duration", duration)}
    if EXTRA_MESSAGE:
        extras[_ALARM + "MESSAGE"] = EXTRA_MESSAGE
    extras[_ALARM + "SKIP_UI"] = EXTRA_SKIP_UI
    return Intent("android.intent.action.SET_TIMER", extras=extras)


def ACTION_SHOW_ALARMS() -> Intent:
    """Open the list of the alarms that are set."""
    return Intent("android.intent.action.SHOW_ALARMS")


def ACTION_INSERT_EVENT(
    TITLE: str,
    DESCRIPTION: str,
    EVENT_LOCATION: str | None = None,
    EXTRA_EVENT_ALL_DAY: bool = False,
    EXTRA_EVENT_BEGIN_TIME: Time | None = None,
    EXTRA_EVENT_END_TIME: Time | None = None,
    EXTRA_EMAIL: Emails | None = None,
) -> Intent:
    """Put an event into the calendar.

    Args:
        TITLE: What the event is called.
        DESCRIPTION: What it is about.
        EVENT_LOCATION: Where it takes place.
        EXTRA_EVENT_ALL_DAY: Whether it lasts whole days instead of having hours.
        EXTRA_EVENT_BEGIN_TIME: When it begins, in ISO 8601 format.
        EXTRA_EVENT_END_TIME: When it ends, in ISO 8601 format.
        EXTRA_EMAIL: E-mail addresses of those who are invited.
    """
    tool, whole = "ACTION_INSERT_EVENT", EXTRA_EVENT_ALL_DAY
    extras: dict[str, Extra] = {"title": values.said(tool, "TITLE", TITLE), "description": DESCRIPTION}
    if EVENT_LOCATION:
        extras["eventLocation"] = EVENT_LOCATION
    if whole:
        extras["allDay"] = True
    begin = end = None
    if EXTRA_EVENT_BEGIN_TIME:
        extras["beginTime"] = begin = values.milliseconds(tool, "EXTRA_EVENT_BEGIN_TIME", EXTRA_EVENT_BEGIN_TIME, whole)
    if EXTRA_EVENT_END_TIME:
        extras["endTime"] = end = values.milliseconds(tool, "EXTRA_EVENT_END_TIME", EXTRA_EVENT_END_TIME, whole)
    if begin is not None and end is not None and end < begin:
        raise ArgumentError(tool, "EXTRA_EVENT_END_TIME", EXTRA_EVENT_END_TIME, "a time that is not before the begin")
    if EXTRA_EMAIL:
        # here, unlike in a mail, Android takes one text with commas
        extras["android.intent.extra.EMAIL"] = ",".join(values.addresses(tool, "EXTRA_EMAIL", EXTRA_EMAIL))
    return Intent("android.intent.action.INSERT", "content://com.android.calendar/events", extras=extras)


def ACTION_GET_RINGTONE() -> Intent:
    """Let the person choose a sound, such as for an alarm.

    Returns:
        Content URI of the sound chosen.
    """
    return Intent(
        "android.intent.action.RINGTONE_PICKER", extras={"android.intent.extra.ringtone.TYPE": _RINGTONE_FOR_ALARMS}
    )
