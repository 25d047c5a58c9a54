"""Red flags: what a person says that must go straight to the emergency path, found by code and never by a model.

Each flag has signs in words, what to tell the person, and the public page that says so (read for its facts; the words
are ours). The list is a safety net in front of the assistant, not a triage: it can miss what is said in other words,
and where it is not sure it speaks up. `cues` decides whether the words are meant here and now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from camphor.agents.health import cues
from camphor.agents.health.flags_illness import FLAGS as ILLNESSES
from camphor.agents.health.flags_injury import FLAGS as INJURIES
from camphor.agents.health.signs import Flag
from camphor.agents.health.spoken_illness import SPOKEN as SPOKEN_ILLNESSES
from camphor.agents.health.spoken_injury import SPOKEN as SPOKEN_INJURIES

_SPOKEN = SPOKEN_ILLNESSES | SPOKEN_INJURIES
FLAGS: tuple[Flag, ...] = tuple(
    replace(flag, signs=(*flag.signs, *_SPOKEN.get(flag.name, ()))) for flag in (*ILLNESSES, *INJURIES)
)


@dataclass(frozen=True)
class Finding:
    """A flag that was raised: by which words, and whether somebody other than the person seems to be ill."""

    flag: Flag
    words: tuple[str, ...]
    another: bool = False


def red_flags(*said: str) -> tuple[Finding, ...]:
    """The flags that a person's words raise, the first of the list first.

    Args:
        said: what was said in this conversation, a text a message, oldest first. Signs add up over messages: chest pain
            in the first and short breath in the second raise what both in one would.
    """
    told = [sentence for text in said for sentence in cues.sentences(cues.normal(text))]
    found = (_raised(flag, told) for flag in FLAGS)
    return tuple(finding for finding in found if finding is not None)


def affirmed(question: str, answer: str) -> str:
    """What a person says who answers a question with a bare yes: the question's own words; else the answer."""
    return question if _YES.fullmatch(cues.normal(answer)) else answer


_YES = re.compile(
    r"\W*(?:yes|yeah|yep|yup|ye|y|sure|correct|exactly|indeed|i do|i am|i have|a bit|a little|both|all of (?:them|"
    r"that))(?:[ ,]+(?:yes|yeah|i do|i am|i have|a bit|a lot|both|all of (?:them|that|it)|very much|please|sadly|"
    r"unfortunately))*\W*"
)


def _raised(flag: Flag, told: list[str]) -> Finding | None:
    for combination in flag.signs:
        hits = [_first(sign, flag, told) for sign in combination]
        if all(hits):
            words = tuple(dict.fromkeys(hit[0] for hit in hits if hit))
            return Finding(flag, words, any(hit[1] for hit in hits if hit))
    return None


def _first(sign: str, flag: Flag, told: Iterable[str]) -> tuple[str, bool] | None:
    """The first words that are such a sign and are meant, with whether they are about another person."""
    pattern = _compiled(sign)
    for sentence in told:
        if flag.unless and _compiled(flag.unless).search(sentence):
            continue
        for match in pattern.finditer(sentence):
            if cues.is_meant(sentence, match.start(), match.end()):
                return match[0], cues.is_about_another(sentence, match.start())
    return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
