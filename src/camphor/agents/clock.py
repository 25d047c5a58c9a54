"""What time and day it is: code reads the clock, where nothing else is asked.

A small model asked for the day tells what is on the calendar.
"""

from __future__ import annotations

import re
from datetime import datetime

_BEFORE = (
    r"(?:(?:hi|hey|hello|ok|okay|so|and|um|please|sorry|excuse me|good (?:morning|afternoon|evening|day))\W+)*"
    r"(?:(?:can|could|would|will) you (?:please )?(?:tell|give) me |(?:please )?(?:tell|give|show) me "
    r"|do you (?:know|have) (?=the )|i need (?:to know )?(?=the ))?"
)
_THING = (
    r"(?:(?:the |today['’]?s )?(?:exact |current |right )?(?:time|hour|date|day|day of the week|weekday|year|month))"
)
_AFTER = (
    r"(?:,? (?:is it|it is|do we have|is today|today is))?(?:,? (?:today|now|right now|just now|at the moment|here))*"
    r"(?:\W+(?:please|pls|plz|thanks|thank you|cheers|mate|dear|love))*"
)
_ASKED = re.compile(
    rf"\W*{_BEFORE}(?:(?:what|which)(?:['’]?s| is)? )?{_THING}(?:(?: and |, ){_THING})*{_AFTER}\W*", re.IGNORECASE
)
_WHAT = re.compile(r"\b(?:what|which|tell|give|show|know|have|need)", re.IGNORECASE)


def clock(query: str, now: datetime) -> str:
    """Day and time, where that is all that is asked for; "" elsewhere."""
    if not (_ASKED.fullmatch(query) and _WHAT.search(query)):
        return ""
    return f"It is {now:%A} {now.day} {now:%B %Y}, {now:%H:%M}."
