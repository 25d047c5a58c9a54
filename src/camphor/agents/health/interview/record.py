"""What is kept of a talk: the person's own words, each with the message it came from, behind the question asked.

Nothing else can stand in a record: it is assembled from quotes and from the questions of the list. Written, it is a
line a quote, which reads back without loss, whatever the person wrote (messages have no line breaks):

    “My knee is swollen. No fever.” (1)
    Since when? – “two weeks or so” (2)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_LINE = re.compile(r"(?:(?P<asked>[^“”]+) – )?“(?P<said>.*)” \((?P<message>[1-9]\d*)\)")


@dataclass(frozen=True)
class Quote:
    """What the person said, word for word, in the message of that number (from 1); `asked`: the question before it."""

    message: int
    said: str
    asked: str = ""


def written(quotes: Iterable[Quote]) -> str:
    """The text of a record, as the clinic app keeps it."""
    return "\n".join(f"{each.asked} – {_quoted(each)}" if each.asked else _quoted(each) for each in quotes)


def read(text: str) -> tuple[Quote, ...]:
    """The quotes of a record's text; none where it is no such text, as what was noted by hand."""
    found = [_LINE.fullmatch(line) for line in text.split("\n")]
    if not all(found):
        return ()
    return tuple(Quote(int(each["message"]), each["said"], each["asked"] or "") for each in found if each)


def _quoted(quote: Quote) -> str:
    return f"“{' '.join(quote.said.split())}” ({quote.message})"
