"""How people write and speak: a wish made terse, chatty, formal, dictated, lower case, or with slips."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from random import Random

from camphor_lab.datasets.files import tables_beside

STYLES = ("plain", "plain", "plain", "terse", "chatty", "formal", "teen", "elderly", "lower", "dictated", "nonnative")
LOWERED = frozenset(("lower", "teen", "dictated"))
_WORDS = tables_beside(__file__, "style.toml")
_SHORT: Mapping[str, str] = _WORDS["short"]
_OPENERS: Mapping[str, Sequence[str]] = _WORDS["openers"]
_ASKS: Mapping[str, Sequence[str]] = _WORDS["asks"]
_THANKS: Mapping[str, Sequence[str]] = _WORDS["thanks"]
_OPENED = re.compile(
    r"(hey|hi|hello|good|ok|okay|so|um|uh|oh|ah|well|right|listen|alright|yo|ugh|sorry|quick|quickly|now|be so|do me|"
    r"help me|excuse|before|thought|thanks|thank|bye|no|yes|and|also|my god|damn|dear|let|kindly|right)\b",
    re.IGNORECASE,
)
_POLITE = re.compile(r"\b(please|pls|plz|thanks|thank you|thx|cheers|kindly|so kind|favou?r|trouble)\b", re.IGNORECASE)
_QUESTION = re.compile(
    r"(what|where|when|who|whose|which|how|why|is|are|was|were|do|does|did|am|have|has|had|may|any|anything|until|under)"
    r"\b|.*\?$",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"(can|could|would|will)( you|\b)", re.IGNORECASE)
_HIDDEN = 0xE000  # private use: each kept value stands as one sign while the rest is restyled


def restyle(text: str, style: str, rng: Random, kept: Collection[str] = (), *, later: bool = False) -> str:
    """Say `text` in a style; `later` in a conversation nobody greets again.

    Values of `kept` that stand in the text stay whole: only their case and what is not spoken may change.
    """
    text, values = _hide(text.strip(), kept)
    text = _close(text, style, rng)
    if not later:
        text = _open(text, style, rng)
    if style == "terse":
        text = re.sub(
            r"^(please|can you|could you|would you|hey,?|I need you to) ", "", text, flags=re.IGNORECASE
        ).rstrip(".?!")
    if style == "teen":
        for long, short in _SHORT.items():
            if rng.random() < 0.3:
                text = text.replace(long, short)
    if style == "nonnative" and rng.random() < 0.5:
        text = re.sub(r"\b(the|a) ", "", text, count=1)
    if rng.random() < {"teen": 0.3, "lower": 0.3, "elderly": 0.12, "nonnative": 0.15}.get(style, 0.05):
        text = slip(text, rng, kept)
    for number, value in enumerate(values):
        text = text.replace(chr(_HIDDEN + number), value)
    text = as_said(text, style)
    if style in ("plain", "formal", "elderly", "chatty") and rng.random() < 0.6:
        text = text[:1].upper() + text[1:]
    return text


def as_said(text: str, style: str) -> str:
    """What a style leaves of a text's letters: some have no capitals, the dictated one no marks either."""
    if style in LOWERED:
        text = text.lower().replace("i\u0307", "i")  # what is left of a Turkish capital I
    if style == "dictated":
        text = re.sub(r"[,;!?\"]|[.:](?=\s|$)|(?<=\s)-\s", "", text)
    return text


def _hide(text: str, kept: Collection[str]) -> tuple[str, list[str]]:
    values: list[str] = []
    for value in sorted({value for value in kept if value}, key=lambda value: (-len(value), value)):
        at = _whole(text, value)
        while at >= 0 and len(values) < 0x1000:
            values.append(text[at : at + len(value)])
            text = text[:at] + chr(_HIDDEN + len(values) - 1) + text[at + len(value) :]
            at = _whole(text, value)
    return text, values


def _whole(text: str, value: str) -> int:
    """Where a value stands as whole words, whatever its case; -1 where it does not."""
    lowered, wanted = text.lower(), value.lower()
    if len(lowered) != len(text) or len(wanted) != len(value):  # a few letters have longer small forms
        lowered, wanted = text, value
    at = lowered.find(wanted)
    while at >= 0:
        end = at + len(value)
        if not (at and text[at - 1].isalnum()) and not text[end : end + 1].isalnum():
            return at
        at = lowered.find(wanted, at + 1)
    return -1


def _open(text: str, style: str, rng: Random) -> str:
    if style not in _OPENERS or rng.random() >= 0.45 or _OPENED.match(text):
        return text
    opener = rng.choice(_OPENERS[style])
    if opener.endswith((". ", "! ", ": ")) or not opener:
        return opener + (text[:1].upper() + text[1:] if opener.endswith(". ") else text)
    lowered = text if re.match(r"(I\b|I'|[A-Z][a-z]+ [A-Z]|[A-Z]{2})", text) else text[:1].lower() + text[1:]
    return opener + lowered


def _close(text: str, style: str, rng: Random) -> str:
    """A polite end; the mark of a question stays, and who asked politely already does not ask again."""
    if style not in _ASKS or rng.random() >= 0.4 or _POLITE.search(text) or not text:
        return text
    mark = text[-1] if text[-1] in "?!" else ""
    body = text.rstrip(".?!") if not text.endswith("...") else text
    asks = _REQUEST.match(text) or not _QUESTION.match(text)
    if asks and rng.random() < 0.5:
        return body + rng.choice(_ASKS[style]) + (mark if mark == "?" and style != "teen" else "")
    end = rng.choice(_THANKS[style])
    if style in ("teen", "dictated"):
        return body + end
    return body + (mark or ".") + end


def slip(text: str, rng: Random, kept: Collection[str] = ()) -> str:
    """One slip of the finger in a word that no call needs."""
    safe = {part.lower() for word in kept for part in re.findall(r"\w+", word)}
    words = [found for found in re.finditer(r"\b[a-z]{4,}\b", text) if found.group().lower() not in safe]
    if not words:
        return text
    word = rng.choice(words)
    place = rng.randrange(1, len(word.group()) - 1)
    letters = list(word.group())
    kind = rng.random()
    if kind < 0.4:
        letters[place], letters[place + 1] = letters[place + 1], letters[place]
    elif kind < 0.7:
        del letters[place]
    else:
        letters.insert(place, letters[place])
    return text[: word.start()] + "".join(letters) + text[word.end() :]
