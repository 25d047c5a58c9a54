"""What to do about a person's words before anything else: an emergency, a question first, or neither.

Only the rules of `red_flags` raise an alarm by themselves. Where they find nothing and the second net (`suspicion`)
finds the words suspicious, the person is asked, in words of code, and any answer but a no counts as yes: a false
suspicion costs one question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from camphor.agents.health.cues import normal
from camphor.agents.health.red_flags import Finding, red_flags
from camphor.agents.health.signs import CALL, NHS, Flag
from camphor.agents.health.suspicion import read_suspicion

QUESTION = "Is this happening now, and is it an emergency? If so I call for help at once. Yes or no?"
CONFIRMED = Flag(
    "confirmed",
    "you said that it is one",
    (),
    CALL
    + " If you think of ending your life, do not stay alone: 988 in the USA and Canada, Samaritans on 116 123 in the "
    "UK and Ireland listen at any hour.",
    NHS + "nhs-services/urgent-and-emergency-care-services/when-to-call-999/",
)
"""What a person raises who says yes to `QUESTION`."""


class Verdict(StrEnum):
    """What the words call for: `ASK` is to put `QUESTION` before anything else."""

    EMERGENCY = "emergency"
    ASK = "ask"
    NONE = "none"


@dataclass(frozen=True)
class Triage:
    """A verdict, and the flags behind an `EMERGENCY`."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()


def triage(*said: str) -> Triage:
    """The verdict on what was said in a conversation: a text a message, oldest first.

    Signs of the rules add up over the messages; the second net reads the last one.

    Raises:
        ModelMissing: the second net cannot be read, and the rules found nothing.
    """
    if findings := red_flags(*said):
        return Triage(Verdict.EMERGENCY, findings)
    return Triage(Verdict.ASK if said and read_suspicion().suspects(said[-1]) else Verdict.NONE)


def confirms(answer: str) -> bool:
    """Whether an answer to `QUESTION` starts the emergency path: all but a no, and saying nothing, do."""
    told = normal(answer).strip()
    if not told or _NO.match(told):
        return False
    return _UNSURE.search(told) is not None or _NOT_SO.search(told) is None


_NO = re.compile(r"\W*(?:no|nope|nah|na|n|never)\b(?! (?:idea|pulse|breath\w*|air|answer|response))")
_UNSURE = re.compile(r"\b(?:not sure|don't know|dunno|might be|could be|maybe|perhaps|yes|yeah|help)\b")
_NOT_SO = re.compile(
    r"\bnot (?:an emergency|now|urgent|happening|today|really|at all|any ?more)\b|\b(?:isn't|wasn't) (?:an emergency|"
    r"urgent|happening)\b|\b(?:appointment|last (?:week|month|year)|(?:weeks|months|years) ago|long ago|in the past|"
    r"it's over|i'm (?:fine|ok|okay|all right|alright))\b"
)
