"""What Android is asked for: an intent, or a look-up in its address book."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timezone
from typing import Any, Protocol, TypeVar

from camphor.device.when import WhenError
from camphor.device.when.events import seconds_of
from camphor.device.when.lexicon import WEEKDAYS
from camphor.errors import ArgumentError


class Long(int):
    """A whole number that Android reads as a long (`getLongExtra`); a plain int it reads as an int."""


class Uri(str):
    """A text that Android reads as an `android.net.Uri` (`getParcelableExtra`); a plain str it reads as a String."""

    __slots__ = ()


Extra = str | int | bool | float | tuple[str, ...] | tuple[int, ...]
"""`Long` and `Uri` among them. A tuple of texts is a String[], of `Uri`s an ArrayList<Uri>, of numbers an
ArrayList<Integer>: what the documented extras of the 24 functions take."""

_GIVES_RESULT = frozenset(
    (
        "android.intent.action.PICK", "android.intent.action.CREATE_DOCUMENT", "android.intent.action.OPEN_DOCUMENT",
        "android.intent.action.GET_CONTENT", "android.intent.action.RINGTONE_PICKER",
        "android.media.action.IMAGE_CAPTURE", "android.media.action.VIDEO_CAPTURE",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Intent:
    """A request to Android, in the terms of `android.content.Intent`.

    Args:
        action: the whole action string, such as `android.intent.action.SET_ALARM`.
        data: the data URI, percent-encoded; "" for none.
        type: the MIME type; "" for none.
        extras: by the extra's whole name.
        package: the only app that may answer; "" for any.
    """

    action: str
    data: str = ""
    type: str = ""
    extras: Mapping[str, Extra] = field(default_factory=dict)
    categories: tuple[str, ...] = ()
    package: str = ""

    @property
    def gives_result(self) -> bool:
        """Whether it must be started for its result: the person chooses or makes something, and its URI comes back."""
        return self.action in _GIVES_RESULT

    @property
    def uris(self) -> tuple[Uri, ...]:
        """What is handed on among the extras: files and other content."""
        extras = (each for extra in self.extras.values() for each in (extra if isinstance(extra, tuple) else (extra,)))
        return tuple(each for each in extras if isinstance(each, Uri))


@dataclass(frozen=True)
class ContactQuery:
    """A look-up in the address book, which is no intent: Android's contacts provider answers it.

    Args:
        key: what is wanted: "email", "phone", "address" or "uri".
        name: of the contact; "" where `uri` says who is meant.
        uri: a content URI of a contact, or of one of a contact's data, as picking gives them.
    """

    key: str
    name: str = ""
    uri: str = ""


class RealPhone(Protocol):
    """A phone that is there: what the Android apps of a connected device hand their work to."""

    def start(self, intent: Intent) -> dict[str, Any]:
        """What was started, and a `result` where one can be had. Raises ToolError: it was not."""
        ...

    def answer(self, tool: str, query: ContactQuery) -> dict[str, Any]:
        """What the address book has, as `result`. Raises ToolError: it has nothing, or may not be read."""
        ...


# Values as Android takes them, and what it would refuse refused.
#
# Every reader takes the tool's and the parameter's name for its error, and raises ArgumentError: tool, parameter,
# value, and what would be right.

# RFC 3986: what needs no escape anywhere in a URI
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# what a telephone number may also hold (RFC 3966, and "," and ";" for the dialler's pauses)
_IN_NUMBER = frozenset(b"+()*,;") | _PLAIN
_NUMBER = re.compile(r"\+?[\d\s().\-/]*")
_DIALLED = re.compile(r"\+?[\d\s().\-/*#,;]*")
_ADDRESS = re.compile(r"[^\s@<>,;\"]+@[^\s@<>,;\"]+\.[^\s@<>,;\".]+")
_PATH = r"/(?:[\w\-.~!$&'()*+,;=:@/?#]|%[0-9A-Fa-f]{2})+"
# the three schemes that Android's ContentResolver opens
_URI = re.compile(rf"(?:(?:content|android\.resource)://[\w.\-@]+|file://){_PATH}", re.ASCII)
_CONTACT = re.compile(rf"content://[\w.\-@]*contacts[\w.\-]*{_PATH}", re.ASCII)
_MIME = re.compile(r"(?:\*|[a-z0-9][a-z0-9!#$&\-^_.+]*)/(?:\*|[a-z0-9][a-z0-9!#$&\-^_.+]*)", re.IGNORECASE)
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_MOST_DIGITS = 40  # E.164 has fifteen; pauses and extensions may follow
_LONGEST_ADDRESS = 320  # RFC 3696
_LONGEST_TIMER = 86_400  # AlarmClock.EXTRA_LENGTH: 1 to 86400 seconds, 24 hours

_Value = TypeVar("_Value")

_BETWEEN_DAYS = re.compile(r"\s*(?:[,;&/]|\band\b)\s*")
_ALL, _WORK, _FREE = range(7), range(5), range(5, 7)
_DAYS = {
    "every day": _ALL, "everyday": _ALL, "daily": _ALL, "weekdays": _WORK, "weekday": _WORK, "weekend": _FREE,
    "weekends": _FREE,
}  # fmt: skip

CONTACT_EXTRAS = {"name": "name", "phone": "phone", "email": "email", "company": "company", "address": "postal"}
"""DroidCall's keys of a contact, and the extras of `ContactsContract.Intents.Insert` that they are."""


def encoded(text: str, plain: frozenset[int] = _PLAIN) -> str:
    """The text percent-encoded as UTF-8 (RFC 3986); a lone surrogate becomes a question mark."""
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in text.encode("utf-8", "replace"))


def decoded(text: str) -> str:
    """A percent-encoded text as it was before."""
    return _ESCAPES.sub(lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace"), text)


def said(tool: str, parameter: str, text: str) -> str:
    """The text, which must not be blank."""
    if not isinstance(text, str) or not text.strip():
        raise ArgumentError(tool, parameter, text, "some text")
    return text


def one_of(tool: str, parameter: str, value: str, known: Mapping[str, str]) -> str:
    """What the value stands for."""
    if value not in known:
        raise ArgumentError(tool, parameter, value, "one of " + ", ".join(known))
    return known[value]


def some(tool: str, parameter: str, values: Sequence[_Value]) -> tuple[_Value, ...]:
    """The values, of which there must be one."""
    if not values:
        raise ArgumentError(tool, parameter, list(values), "a list with at least one value")
    return tuple(values)


def whole(tool: str, parameter: str, value: int, least: int, most: int) -> int:
    """A whole number within bounds, both allowed."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ArgumentError(tool, parameter, value, f"a whole number from {least} to {most}")
    return value


def weekdays(tool: str, parameter: str, names: Iterable[str]) -> tuple[int, ...]:
    """Days of the week as `java.util.Calendar` counts them, Sunday 1 to Saturday 7, each once, in the order given.

    Short names are read ("Mon", "thurs"), "weekdays", "weekend" and "every day", and several in one text.
    """
    numbers = []
    for name in [names] if isinstance(names, str) else names:
        for part in _BETWEEN_DAYS.split(str(name).strip().casefold()):
            plain = part.rstrip(".")
            found = [place for place, day in enumerate(WEEKDAYS) if _is_day(plain, day)]
            if not found and plain not in _DAYS:
                raise ArgumentError(tool, parameter, name, "names of weekdays: Monday, Tuesday, ..., Sunday")
            numbers += [(place + 1) % 7 + 1 for place in found or _DAYS[plain]]
    return some(tool, parameter, tuple(dict.fromkeys(numbers)))


def _is_day(text: str, day: str) -> bool:
    return len(text) >= 3 and day.startswith(text.removesuffix("s"))


def seconds(tool: str, parameter: str, duration: str) -> int:
    """A length of time in seconds, at most a day: "1 hours 30 minutes 15 seconds", "90 min", "an hour and a half"."""
    try:
        length = seconds_of(str(duration))
    except WhenError:
        expected = 'a length of time such as "1 hours 30 minutes 15 seconds"'
        raise ArgumentError(tool, parameter, duration, expected) from None
    if length > _LONGEST_TIMER:
        raise ArgumentError(tool, parameter, duration, "a length of time of at most 24 hours")
    return length


def milliseconds(tool: str, parameter: str, moment: str, whole_day: bool = False) -> Long:
    """An ISO 8601 time in milliseconds since 1970, UTC.

    A time without an offset is the machine's local time: `intents.intent_of` gives it the phone's offset beforehand. Of
    whole days Android counts midnight in UTC (`CalendarContract.Events.ALL_DAY`).
    """
    try:
        found = datetime.fromisoformat(str(moment).strip())
        if whole_day:
            found = datetime.combine(found.date(), time(), UTC)
        return Long(round(found.timestamp() * 1000))
    except (ValueError, OverflowError, OSError):
        raise ArgumentError(tool, parameter, moment, "a time in ISO 8601, such as 2026-03-12T18:00:00") from None


def in_zone(moment: str, zone: Any) -> str:
    """An ISO 8601 time with its offset in a time zone (a `tzinfo`); text that is none, or has one, stays as it is."""
    try:
        found = datetime.fromisoformat(moment.strip())
    except ValueError:
        return moment
    if found.tzinfo is not None:
        return moment
    offset = found.replace(tzinfo=zone).utcoffset()
    return found.replace(tzinfo=timezone(offset)).isoformat() if offset is not None else moment


def number_part(tool: str, parameter: str, number: str, dialled: bool = False) -> str:
    """A telephone number as it stands in a `tel:` or `smsto:` URI: without spaces, signs like # percent-encoded.

    Only what is dialled may have codes and pauses (*, #, comma, semicolon): in `smsto:` they would part two receivers.
    """
    text = str(number).strip()
    digits = sum(char.isdigit() for char in text)
    known = (_DIALLED if dialled else _NUMBER).fullmatch(text) is not None
    if not known or not 1 <= digits <= _MOST_DIGITS or not text.isascii():
        raise ArgumentError(tool, parameter, number, "a phone number")
    return encoded("".join(text.split()), _IN_NUMBER)


def addresses(tool: str, parameter: str, given: Sequence[str]) -> tuple[str, ...]:
    """E-mail addresses, at least one."""
    found = tuple(str(each).strip() for each in ([given] if isinstance(given, str) else given))
    for each in found:
        if len(each) > _LONGEST_ADDRESS or not _ADDRESS.fullmatch(each):
            raise ArgumentError(tool, parameter, each, "e-mail addresses such as alice@example.org")
    return some(tool, parameter, found)


def uri(tool: str, parameter: str, text: str) -> str:
    """A URI with its scheme, as Android's content resolver opens: content:, file:, android.resource: and so on."""
    if not isinstance(text, str) or not _URI.fullmatch(text.strip()):
        raise ArgumentError(tool, parameter, text, "a URI such as content://media/external/images/media/12")
    return text.strip()


def contact_uri(tool: str, parameter: str, text: str) -> str:
    """The content URI of a contact, or of one of a contact's data."""
    if not isinstance(text, str) or not _CONTACT.fullmatch(text.strip()):
        raise ArgumentError(tool, parameter, text, "a contact's URI such as content://com.android.contacts/contacts/3")
    return text.strip()


def mime(tool: str, parameter: str, text: str, whole: bool = False) -> str:
    """A MIME type in small letters, as Android compares them; `whole` allows no star."""
    if not isinstance(text, str) or not _MIME.fullmatch(text.strip()) or (whole and "*" in text):
        example = "text/plain" if whole else 'text/plain, "image/*" or "*/*"'
        raise ArgumentError(tool, parameter, text, f"a MIME type such as {example}")
    return text.strip().lower()


def contact(tool: str, parameter: str, info: Mapping[str, object]) -> dict[str, str]:
    """What is known of a contact, as extras of the contact form."""
    extras = {}
    for key, value in info.items():
        if key not in CONTACT_EXTRAS:
            raise ArgumentError(tool, parameter, key, "only the keys " + ", ".join(CONTACT_EXTRAS))
        if not isinstance(value, str | int) or isinstance(value, bool) or not str(value).strip():
            raise ArgumentError(tool, parameter, value, f"some text for {key}")
        extras[CONTACT_EXTRAS[key]] = str(value).strip()
    if not extras:
        raise ArgumentError(tool, parameter, dict(info), "an object with name, phone, email, company or address")
    if "email" in extras:
        addresses(tool, parameter, [extras["email"]])
    if "phone" in extras:
        number_part(tool, parameter, extras["phone"])
    return extras
