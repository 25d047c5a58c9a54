"""What Android is asked for: an intent, or a look-up in its address book."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


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
