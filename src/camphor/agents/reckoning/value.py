"""What a reader gives back."""

from __future__ import annotations

from dataclasses import dataclass

from camphor.types import Call


@dataclass(frozen=True)
class Reckoning:
    """A question that code reckons: the call of one of the device's tools that does it, and the answer in words.

    `call` is None where nothing can be reckoned and the answer says so: exchange rates are not known.
    """

    call: Call | None
    text: str
