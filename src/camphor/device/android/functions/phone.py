"""Common operations: search, maps, camera, settings and documents.

Intents: developer.android.com, "Common intents" (maps, camera, settings, file storage), `android.provider.Settings`
and `android.provider.MediaStore`.
"""
# ruff: noqa: N802, N803  the names are DroidCall's

from __future__ import annotations

from typing import Annotated, Literal

from camphor.device.android import intent
from camphor.device.android.intent import Extra, Intent
from camphor.errors import ArgumentError
from camphor.tools.tool import Role

_OPENABLE = ("android.intent.category.OPENABLE",)
_ENGINES = {"baidu": "https://www.baidu.com/s?wd=", "google": "https://www.google.com/search?q="}
_SETTINGS = {
    "general": "SETTINGS",
    "wireless": "WIRELESS_SETTINGS",
    "airplane_mode": "AIRPLANE_MODE_SETTINGS",
    "wifi": "WIFI_SETTINGS",
    "apn": "APN_SETTINGS",
    "bluetooth": "BLUETOOTH_SETTINGS",
    "date": "DATE_SETTINGS",
    "locale": "LOCALE_SETTINGS",
    "input_method": "INPUT_METHOD_SETTINGS",
    "display": "DISPLAY_SETTINGS",
    "security": "SECURITY_SETTINGS",
    "location": "LOCATION_SOURCE_SETTINGS",
    "internal_storage": "INTERNAL_STORAGE_SETTINGS",
    "memory_card": "MEMORY_CARD_SETTINGS",
}


def web_search(query: Annotated[str, Role.QUERY], engine: Literal["baidu", "google"] = "baidu") -> Intent:
    """Search the web and show what is found in the browser.

    Args:
        query: What to search for.
        engine: The search engine: baidu or google.
    """
    # ACTION_WEB_SEARCH leaves the engine to the phone; a page of the engine's own is what honours the parameter
    address = intent.one_of("web_search", "engine", engine, _ENGINES)
    return Intent("android.intent.action.VIEW", address + intent.encoded(intent.said("web_search", "query", query)))


def search_location(query: Annotated[str, Role.QUERY]) -> Intent:
    """Find a place on the map.

    Args:
        query: The place to look for: a name, an address, or a kind of place.
    """
    place = intent.encoded(intent.said("search_location", "query", query))
    return Intent("android.intent.action.VIEW", f"geo:0,0?q={place}")


def ACTION_IMAGE_CAPTURE() -> Intent:
    """Take a photo with the camera and keep it.

    Returns:
        Content URI of the photo.
    """
    return Intent("android.media.action.IMAGE_CAPTURE")


def ACTION_VIDEO_CAPTURE() -> Intent:
    """Record a video with the camera and keep it.

    Returns:
        Content URI of the video.
    """
    return Intent("android.media.action.VIDEO_CAPTURE")


def INTENT_ACTION_STILL_IMAGE_CAMERA() -> Intent:
    """Open the camera, ready for photos."""
    return Intent("android.media.action.STILL_IMAGE_CAMERA")


def INTENT_ACTION_VIDEO_CAMERA() -> Intent:
    """Open the camera, ready for videos."""
    return Intent("android.media.action.VIDEO_CAMERA")


def open_settings(
    setting_type: Literal[
        "general", "wireless", "airplane_mode", "wifi", "apn", "bluetooth", "date", "locale", "input_method",
        "display", "security", "location", "internal_storage", "memory_card",
    ] = "general",
) -> Intent:  # fmt: skip
    """Open a page of the phone's settings.

    Args:
        setting_type: Which page: general for the whole settings, wireless for networks, airplane_mode, wifi, apn for
            mobile access points, bluetooth, date for date and time, locale for languages, input_method for keyboards,
            display, security, location, internal_storage or memory_card.
    """
    return Intent("android.settings." + intent.one_of("open_settings", "setting_type", setting_type, _SETTINGS))


def ACTION_CREATE_DOCUMENT(mime_type: str, initial_name: str) -> Intent:
    """Make a new, empty document in a place that the person chooses.

    Args:
        mime_type: MIME type of the document, such as "text/plain" or "application/pdf".
        initial_name: Name suggested for the document.

    Returns:
        Content URI of the new document.
    """
    tool = "ACTION_CREATE_DOCUMENT"
    kind = intent.mime(tool, "mime_type", mime_type, whole=True)
    extras: dict[str, Extra] = {"android.intent.extra.TITLE": intent.said(tool, "initial_name", initial_name)}
    return Intent("android.intent.action.CREATE_DOCUMENT", type=kind, extras=extras, categories=_OPENABLE)


def ACTION_OPEN_DOCUMENT(mime_types: list[str], allow_multiple: bool = False) -> Intent:
    """Let the person choose one or more documents of certain types, to be read and written from then on.

    Args:
        mime_types: MIME types of which the documents may be; a list, even of one.
        allow_multiple: Whether several may be chosen.

    Returns:
        Content URIs of the documents chosen.
    """
    tool = "ACTION_OPEN_DOCUMENT"
    kinds = tuple(dict.fromkeys(intent.mime(tool, "mime_types", each) for each in mime_types))
    extras: dict[str, Extra] = {"android.intent.extra.ALLOW_MULTIPLE": True} if allow_multiple else {}
    if len(kinds) == 1:
        return Intent("android.intent.action.OPEN_DOCUMENT", type=kinds[0], extras=extras, categories=_OPENABLE)
    extras["android.intent.extra.MIME_TYPES"] = intent.some(tool, "mime_types", kinds)
    return Intent("android.intent.action.OPEN_DOCUMENT", type="*/*", extras=extras, categories=_OPENABLE)


def ACTION_GET_CONTENT(mime_type: str, allow_multiple: bool = False) -> Intent:
    """Let the person choose one or more files of a type.

    Args:
        mime_type: MIME type of the files, such as "image/*", "audio/*", "video/*" or "*/*".
        allow_multiple: Whether several may be chosen.

    Returns:
        Content URIs of the files chosen.
    """
    kind = intent.mime("ACTION_GET_CONTENT", "mime_type", mime_type)
    extras: dict[str, Extra] = {"android.intent.extra.ALLOW_MULTIPLE": True} if allow_multiple else {}
    return Intent("android.intent.action.GET_CONTENT", type=kind, extras=extras, categories=_OPENABLE)


# Scheduling assistant: alarms, timers and the calendar.
#
# Intents: developer.android.com, "Common intents" (alarm clock, calendar), `android.provider.AlarmClock`,
# `android.provider.CalendarContract` and `android.media.RingtoneManager`.


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
        _ALARM + "HOUR": intent.whole(tool, "EXTRA_HOUR", EXTRA_HOUR, 0, 23),
        _ALARM + "MINUTES": intent.whole(tool, "EXTRA_MINUTES", EXTRA_MINUTES, 0, 59),
    }
    if EXTRA_MESSAGE:
        extras[_ALARM + "MESSAGE"] = EXTRA_MESSAGE
    if EXTRA_DAYS:
        extras[_ALARM + "DAYS"] = intent.weekdays(tool, "EXTRA_DAYS", EXTRA_DAYS)
    if EXTRA_RINGTONE:
        silent = EXTRA_RINGTONE.strip().casefold() == _SILENT
        extras[_ALARM + "RINGTONE"] = _SILENT if silent else intent.uri(tool, "EXTRA_RINGTONE", EXTRA_RINGTONE)
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
    extras: dict[str, Extra] = {_ALARM + "LENGTH": intent.seconds("ACTION_SET_TIMER", "duration", duration)}
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
    extras: dict[str, Extra] = {"title": intent.said(tool, "TITLE", TITLE), "description": DESCRIPTION}
    if EVENT_LOCATION:
        extras["eventLocation"] = EVENT_LOCATION
    if whole:
        extras["allDay"] = True
    begin = end = None
    if EXTRA_EVENT_BEGIN_TIME:
        extras["beginTime"] = begin = intent.milliseconds(tool, "EXTRA_EVENT_BEGIN_TIME", EXTRA_EVENT_BEGIN_TIME, whole)
    if EXTRA_EVENT_END_TIME:
        extras["endTime"] = end = intent.milliseconds(tool, "EXTRA_EVENT_END_TIME", EXTRA_EVENT_END_TIME, whole)
    if begin is not None and end is not None and end < begin:
        raise ArgumentError(tool, "EXTRA_EVENT_END_TIME", EXTRA_EVENT_END_TIME, "a time that is not before the begin")
    if EXTRA_EMAIL:
        # here, unlike in a mail, Android takes one text with commas
        extras["android.intent.extra.EMAIL"] = ",".join(intent.addresses(tool, "EXTRA_EMAIL", EXTRA_EMAIL))
    return Intent("android.intent.action.INSERT", "content://com.android.calendar/events", extras=extras)


def ACTION_GET_RINGTONE() -> Intent:
    """Let the person choose a sound, such as for an alarm.

    Returns:
        Content URI of the sound chosen.
    """
    return Intent(
        "android.intent.action.RINGTONE_PICKER", extras={"android.intent.extra.ringtone.TYPE": _RINGTONE_FOR_ALARMS}
    )
