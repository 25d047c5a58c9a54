"""A question back for what was said: "When shall I remind you?" after "remind me at 6 to water the plants".

A small model takes a short wish for one that lacks its time. Code sees that the time is there, and has it try again.
"""

from __future__ import annotations

import re
from datetime import datetime

from camphor.agents.references import moment

_WHEN = re.compile(r"(?:^|[.!,;] )(?:and |so )?(?:at |for |from )?(?:when|what time|what day|which day)\b.*\?$", re.I)
_LONGEST = 3  # words of a time


def asks_in_vain(answer: str, query: str, now: datetime) -> bool:
    """Whether an answer asks when, and the query says so."""
    if not _WHEN.search(answer.strip()):
        return False
    said = query.split()
    spans = (said[at : at + length] for at in range(len(said)) for length in range(1, _LONGEST + 1))
    return any(_says_when(" ".join(span).strip(",.;:!?"), now) for span in spans)


def _says_when(words: str, now: datetime) -> bool:
    counts = words.lower().removeprefix("the ").isdecimal()  # "3" and "the 3" can be of anything
    return not counts and moment(words, now) is not None
