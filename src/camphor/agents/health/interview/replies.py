"""What a person answers to an offered slot: yes, no, another time, a question, or nothing clear."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from camphor.agents.health.case import Case, UserDetails
from camphor.agents.health.cues import normal
from camphor.agents.health.interview.heard import is_drop, phrases
from camphor.agents.health.observed import Observed

_YES = re.compile(
    r"^\W*(?:(?:ugh|oh|hm+|well|right|erm?|uh)\W+)?(?:sure|ok|okay|k|ya|aye|fine|great|perfect|good|wonderful|"
    r"excellent|lovely|super|agreed|gladly|right|of course|absolutely|definitely|certainly|alright|all right|"
    r"very well|please do|go ahead|go on|do it|by all means|please)\b|\b(?:yes|yeah|yep|yup|i(?:'d)? (?:accept|"
    r"agree)|i'll (?:be there|come|take (?:it|that|this))|(?:suits|works for|fits) me|(?:book|confirm|take|schedule|"
    r"reserve) (?:it|this|that|me in)|make the appointment|let's (?:do|take) (?:it|that|this)|(?:that|this|it|time|"
    r"slot|one) (?:(?:is|sounds|would be|will be) (?:fine|good|ok|okay|perfect|great|lovely)|works)|sounds good|"
    r"that'll do|happy with)\b"
)
_YET = re.compile(
    r"\b(?:but|instead|rather|other|another|else|later|earlier|not|no|don't|can't|cannot|unless|if|before|after|"
    r"different|wait|maybe|change)\b|\?"
)
_THANKS = re.compile(r"\b(?:thanks?|thank you)(?: you)? for\b[^,;?]*|\bno (?:problem|worries)\b")


class Reply(StrEnum):
    """What an answer to an offer is."""

    YES = "yes"
    NO = "no"
    OTHER = "other"
    """Another time is wanted."""
    QUESTION = "question"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class Replied:
    """A reply; `schedule`: the time that is wanted, as calls have it, where it was named."""

    reply: Reply
    schedule: Mapping[str, str] | None = None


def is_yes(answer: str) -> bool:
    """Whether an answer to an offer is a clear yes, with no wish for anything else in it."""
    told = _THANKS.sub(" ", normal(answer))
    return _YES.search(told) is not None and _YET.search(told) is None


def replied(answer: str, user: UserDetails) -> Replied:
    """How a person takes an offer. user: whose day it is, for "tomorrow"."""
    if is_yes(answer):
        return Replied(Reply.YES)
    told, known = normal(answer), phrases()
    if is_drop(answer):
        return Replied(Reply.NO)
    schedule = next(iter(Observed(Case(user, answer)).schedules), None)
    refuses = known.offer_no.search(told) is not None
    if schedule is not None and not (refuses and _EXCUSE.search(told)):
        return Replied(Reply.OTHER, schedule)
    if known.offer_other.search(told) and not known.offer_leave.search(told):
        return Replied(Reply.OTHER)
    if refuses:
        return Replied(Reply.NO)
    return Replied(Reply.QUESTION if told.endswith("?") else Reply.UNCLEAR)


_EXCUSE = re.compile(r"\b(?:i'm|i am|i have|i've|i work|my day|that's my)\b")
