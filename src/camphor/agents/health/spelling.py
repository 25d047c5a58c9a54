"""Slips of the finger in the few words that matter in an emergency: letters left out, doubled or swapped."""

from __future__ import annotations

import re

# Only words whose slips are no words themselves: "stroke" is missing because of "strike", "drooping" of "dropping".
_WORDS = [
    "allergic",
    "ambulance",
    "bleeding",
    "blood",
    "breath",
    "breathe",
    "breathing",
    "chest",
    "choking",
    "collapsed",
    "confused",
    "daughter",
    "overdose",
    "paracetamol",
    "pregnant",
    "seizure",
    "sentence",
    "slurred",
    "speech",
    "suicide",
    "swallowed",
    "swollen",
    "throat",
    "tongue",
    "unconscious",
    "vomiting",
]
_VOWELS = "aeiou"


def corrected(text: str) -> str:
    """A text in lower case with slips in those words put right; all else is left as it is."""
    return _WORD.sub(lambda match: _SLIPS.get(match[0], match[0]), text)


def _slips(word: str) -> set[str]:
    """Ways to mistype a word with its first letter right and its last one there."""
    found = set()
    for at in range(1, len(word) - 1):
        head, letter, tail = word[:at], word[at], word[at + 1 :]
        found |= {head + tail, head + letter * 2 + tail, head + tail[0] + letter + tail[1:]}
        found |= {head + vowel + word[at:] for vowel in _VOWELS}
        if letter in _VOWELS:
            found |= {head + vowel + tail for vowel in _VOWELS}
    return found - set(_WORDS) - {"threat", "coking"}


_WORD = re.compile(r"[a-z]{4,}")
_SLIPS = {slip: word for word in _WORDS for slip in _slips(word)} | {"tounge": "tongue", "chocking": "choking"}
