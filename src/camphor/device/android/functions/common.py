"""Common operations: search, maps, camera, settings and documents.

Intents: developer.android.com, "Common intents" (maps, camera, settings, file storage), `android.provider.Settings`
and `android.provider.MediaStore`.
"""
# ruff: noqa: N802  the names are DroidCall's

from __future__ import annotations

from typing import Annotated, Literal

from camphor.device.android import values
from camphor.device.android.intent import Extra, Intent
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
    address = values.one_of("web_search", "engine", engine, _ENGINES)
    return Intent("android.intent.action.VIEW", address + values.encoded(values.said("web_search", "query", query)))


def search_location(query: Annotated[str, Role.QUERY]) -> Intent:
    """Find a place on the map.

    Args:
        query: The place to look for: a name, an address, or a kind of place.
    """
    place = values.encoded(values.said("search_location", "query", query))
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
    return Intent("android.settings." + values.one_of("open_settings", "setting_type", setting_type, _SETTINGS))


def ACTION_CREATE_DOCUMENT(mime_type: str, initial_name: str) -> Intent:
    """Make a new, empty document in a place that the person chooses.

    Args:
        mime_type: MIME type of the document, such as "text/plain" or "application/pdf".
        initial_name: Name suggested for the document.

    Returns:
        Content URI of the new document.
    """
    tool = "ACTION_CREATE_DOCUMENT"
    kind = values.mime(tool, "mime_type", mime_type, whole=True)
    extras: dict[str, Extra] = {"android.intent.extra.TITLE": values.said(tool, "initial_name", initial_name)}
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
    kinds = tuple(dict.fromkeys(values.mime(tool, "mime_types", each) for each in mime_types))
    extras: dict[str, Extra] = {"android.intent.extra.ALLOW_MULTIPLE": True} if allow_multiple else {}
    if len(kinds) == 1:
        return Intent("android.intent.action.OPEN_DOCUMENT", type=kinds[0], extras=extras, categories=_OPENABLE)
    extras["android.intent.extra.MIME_TYPES"] = values.some(tool, "mime_types", kinds)
    return Intent("android.intent.action.OPEN_DOCUMENT", type="*/*", extras=extras, categories=_OPENABLE)


def ACTION_GET_CONTENT(mime_type: str, allow_multiple: bool = False) -> Intent:
    """Let the person choose one or more files of a type.

    Args:
        mime_type: MIME type of the files, such as "image/*", "audio/*", "video/*" or "*/*".
        allow_multiple: Whether several may be chosen.

    Returns:
        Content URIs of the files chosen.
    """
    kind = values.mime("ACTION_GET_CONTENT", "mime_type", mime_type)
    extras: dict[str, Extra] = {"android.intent.extra.ALLOW_MULTIPLE": True} if allow_multiple else {}
    return Intent("android.intent.action.GET_CONTENT", type=kind, extras=extras, categories=_OPENABLE)
