"""What the gate says of a call: frozen values, without words that it reads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from camphor.agents.evidence import Evidence
from camphor.agents.parts import Part


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
