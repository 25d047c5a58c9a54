"""Text as the code of the health assistant reads it: lower case, plain letters and apostrophes, slips put right."""

from __future__ import annotations

import re
import unicodedata

from camphor.agents.health.spelling import corrected

_SENTENCE_END = re.compile(r"(?<=[.!?;\n])\s+|\n")
_MISSING_APOSTROPHE = re.compile(
    r"\b(can|won|don|doesn|didn|isn|aren|wasn|weren|haven|hasn|hadn|couldn|wouldn|shouldn)t\b"
)
_IM = re.compile(r"\bim\b|\bi m\b")
_IVE = re.compile(r"\bive\b")


def normal(text: str) -> str:
    """Lower case, plain apostrophes and letters, slips put right, each white space a blank; line breaks stay."""
    plain = unicodedata.normalize("NFKD", text.translate({0x2019: "'", 0x2018: "'", 0x60: "'", 0xB4: "'"}))
    plain = "".join(character for character in plain if not unicodedata.combining(character)).casefold()
    plain = _IVE.sub("i've", _IM.sub("i'm", _MISSING_APOSTROPHE.sub(r"\1't", plain)))
    return "\n".join(" ".join(line.split()) for line in corrected(plain).splitlines())


def sentences(text: str) -> list[str]:
    """The sentences of a normal text, none of them empty."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]
