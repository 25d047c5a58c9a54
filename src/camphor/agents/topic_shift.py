"""Whether a query stands alone, in a conversation about something else until now.

A small model takes words of the turns before into a query that has nothing to do with them: "add milk to a note", after
a word about the dentist, became a note with the dentist's name. So of a query that neither points back nor speaks of
what was spoken of, the agents do not see the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from camphor.agents.parts import PartKind, parts_of
from camphor.device.text import COMMON, words
from camphor.types import Turn

_SHORTEST = 4  # words; "and Tom?", "at nine then" and "the blue" live on what was said before
_BACK = 3  # turns
_STEM = 5  # letters by which "bookings" and "booked" are of one matter
_POINTING = re.compile(
    r"\b(?:it|its|it's|this|these|those|them|they|theirs?|hers|then|thence|there|same|again|also|too|another|others?|else"
    r"|instead|actually|both|either|neither|so|such|former|latter|earlier|second|third|last|back|already|still|more"
    r"|just|only|rather|now|half|later|sooner|prior|ahead|early|beforehand|advance|thanks?|first|whole|"
    # "that" with a clause behind it, "the one who", "at one o'clock" point at nothing
    r"that(?! (?:i|i'm|we|you|he|she|it|they|the|my|our|his|her|there|a|an|\w+ (?:is|are|was|will|has|have|can))\b)|"
    r"ones?(?! (?:who|that|at|from|with|in|about|i|we|my|o'?clock|hour|minute|day|week|month)\b))\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(r"\b(?:he|she|him|her|his|he's|she's)\b", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?:mum|mom|mother|dad|father|sister|brother|wife|husband|son|daughter|boss|aunt\w*|uncle|gran\w*|nephew|niece|"
    r"friend|partner|colleague|neighbou?r|doctor|dentist|landlord|landlady|boy|girl|guy|man|woman|lady)\b"
    r"|(?<=\w )[A-Z]\w+"
)
_GOES_ON = re.compile(
    r"\W*(?:and|or|but|no|nope|nah|not|yes|yeah|yep|ok|okay|sorry|wait|oh|ah|ugh|crap|oops|then|also|plus|hm+|well"
    r"|what about|how about|make|forget|undo|never ?mind|haha\w*|lol|i see|i meant)\b",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"\b(?:(?:show|send|tell|remind|give|play|call|ring|text|read|buy|get)(?: me| us)?|before)\W*$", re.IGNORECASE
)
_ASKED = re.compile(r"\?|\b(?:tell me|say|let me know)\b.*\b(?:which|who|when|what|where)\b", re.IGNORECASE)
_QUOTED = re.compile(r"“[^”]*”")
_SLIPS = frozenset(map("".join, map(sorted, ("that", "then", "them", "this", "there", "these", "those"))))
"""The letters of words that point back, in order: "thta" does too."""
_ASKING = frozenset(
    words(
        "tell text send message write mail email call ring remind reminder note notes show open play find look need"
        " want would like could should please make give know have today tomorrow tonight morning afternoon evening"
        " week weekend month year monday tuesday wednesday thursday friday saturday sunday hour hours minutes much many"
        " does will with about from into before after next calendar event appointment meeting contacts contact phone"
        " nothing found sent done cancel cancelled fitting your mine they been were that what when where which"
    )
)
"""What people ask with, whatever it is about."""


def stands_alone(query: str, history: Sequence[Turn]) -> bool:
    """True where the turns before have nothing to do with a query; False in doubt."""
    if not history:
        return True
    if len(words(query)) < _SHORTEST or asks(history) or _GOES_ON.match(query) or _points_back(query):
        return False
    if history[-1].actions and not _wishes_or_asks(query):
        return False  # a remark after an action is about that
    before = {stem for turn in history[-_BACK:] for stem in _matter(f"{turn.query} {turn.response}")}
    return not before & _matter(query)


def _wishes_or_asks(query: str) -> bool:
    return query.rstrip().endswith("?") or any(p.orders or p.kind is PartKind.QUESTION for p in parts_of(query, True))


def asks(history: Sequence[Turn]) -> bool:
    """Whether the last turn asked something, also "say which, please", which a query may answer.

    What others wrote, and is quoted, asks nothing.
    """
    return bool(history) and bool(_ASKED.search(_QUOTED.sub("", history[-1].response)))


def _points_back(query: str) -> bool:
    if _POINTING.search(query) or _UNFINISHED.search(query):
        return True
    somebody = _SOMEBODY.search(query)
    if somebody and not _NAMED.search(query[: somebody.start()]):
        return True
    plain = ("that", "there")  # these were looked at in their places
    return any("".join(sorted(word)) in _SLIPS for word in words(query) if word not in plain)


def _matter(text: str) -> set[str]:
    """The beginnings of the words that tell what a text is about."""
    return {word[:_STEM] for word in words(text) if len(word) >= _SHORTEST and word not in COMMON | _ASKING}
