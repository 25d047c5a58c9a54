"""Text as the code of the health assistant reads it: lower case, plain letters and apostrophes, slips put right.

Slips of the finger are put right in the few words that matter in an emergency: letters left out, doubled or swapped.
"""

from __future__ import annotations

import re
import unicodedata

_SENTENCE_END = re.compile(r"(?<=[.!?;\n])\s+|\n")
_MISSING_APOSTROPHE = re.compile(
    r"\b(can|won|don|doesn|didn|isn|aren|wasn|weren|haven|hasn|hadn|couldn|wouldn|shouldn)t\b"
)
_IM = re.compile(r"\bim\b|\bi m\b")
_IVE = re.compile(r"\bive\b")
# Only words whose slips are no words themselves: "stroke" is missing because of "strike", "drooping" of "dropping".
_WORDS = [
    "allergic", "ambulance", "bleeding", "blood", "breath", "breathe", "breathing", "chest", "choking",
    "collapsed", "confused", "daughter", "overdose", "paracetamol", "pregnant", "seizure", "sentence", "slurred",
    "speech", "suicide", "swallowed", "swollen", "throat", "tongue", "unconscious", "vomiting",
]  # fmt: skip
_VOWELS = "aeiou"


def normal(text: str) -> str:
    """Lower case, plain apostrophes and letters, slips put right, each white space a blank; line breaks stay."""
    plain = unicodedata.normalize("NFKD", text.translate({0x2019: "'", 0x2018: "'", 0x60: "'", 0xB4: "'"}))
    plain = "".join(character for character in plain if not unicodedata.combining(character)).casefold()
    plain = _IVE.sub("i've", _IM.sub("i'm", _MISSING_APOSTROPHE.sub(r"\1't", plain)))
    return "\n".join(" ".join(line.split()) for line in _corrected(plain).splitlines())


def sentences(text: str) -> list[str]:
    """The sentences of a normal text, none of them empty."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


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


def _corrected(text: str) -> str:
    """A text in lower case with slips in those words put right; all else is left as it is."""
    return _WORD.sub(lambda match: _SLIPS.get(match[0], match[0]), text)
