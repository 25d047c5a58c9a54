"""What the gate says of a call: frozen values, without words that it reads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from camphor.agents.parts import Part


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


class Asked(StrEnum):
    """Whether a query asks for a call."""

    YES = "yes"
    UNSURE = "unsure"
    NO = "no"


@dataclass(frozen=True)
class Verdict:
    """What the gate says of one call.

    Attributes:
        asked: whether it is asked for. part: of the query that asks, or that says otherwise; None where none does.
        evidence: of every value, in the order of the call. refusal: why it is not proposed at all, in a sentence; "".
        doubt: what only the person can tell; `--yes` is no answer to it. "" where nothing is open.
    """

    asked: Asked
    part: Part | None
    evidence: tuple[Evidence, ...] = ()
    refusal: str = ""
    doubt: str = ""
