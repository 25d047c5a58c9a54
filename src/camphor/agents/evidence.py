"""Where a value of an action comes from: what a consent card shows beside it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Origin(StrEnum):
    """Where a value comes from."""

    SAID = "said"  # it stands in the person's words
    FOUND = "found"  # in a field of a record that was looked up, or of a contact
    COMPUTED = "computed"  # code made it of words that were said: times, lengths, sums
    CHOSEN = "chosen"  # one of the few values that a tool takes, or its usual one
    NOBODY = "nobody's"  # neither said nor found


@dataclass(frozen=True)
class Evidence:
    """Where one value of a call comes from.

    Attributes:
        parameter: whose value it is. value: as it is shown. source: where it is from, in plain words.
        doubt: what only the person can tell of it; "" where nothing is open.
    """

    parameter: str
    value: str
    origin: Origin
    source: str
    doubt: str = ""
