"""How people write and speak: a wish made terse, chatty, formal, dictated, lower case, or with slips."""

from __future__ import annotations

import re
from collections.abc import Collection
from random import Random

STYLES = ("plain", "plain", "plain", "terse", "chatty", "formal", "teen", "elderly", "lower", "dictated", "nonnative")
_OPENERS = {
    "chatty": (
        "hey, ",
        "hi! ",
        "ok so ",
        "alright, ",
        "um ",
        "so ",
        "oh, ",
        "quick one: ",
        "hey there, ",
        "listen, ",
        "right, ",
    ),
    "formal": ("Good day. ", "Would you kindly help: ", "Excuse me, ", "If I may: ", "Kindly note: "),
    "teen": ("yo ", "ok ", "bruh ", "ugh ", "omg ", "hey "),
    "elderly": ("Hello dear, ", "Now then, ", "My dear, ", "Good morning, ", "Let me see. "),
    "nonnative": ("Hello, ", "Sorry, ", "Ok, ", ""),
    "dictated": ("uh ", "um ", "okay ", "hey ", ""),
}
_ENDS = {
    "chatty": (" thanks!", " :)", ", would be great", ", cheers", " - thanks", ", ta", "!"),
    "formal": (". Thank you.", ", if you please.", ". Many thanks."),
    "teen": (" pls", " lol", " thx", "!!", " asap", " plz"),
    "elderly": (", please and thank you.", ", if it's no trouble.", ". Thank you, dear."),
    "nonnative": (", please", ". Thank you", " please"),
    "dictated": (" thanks", " please", ""),
}
_SHORT = (
    (" you ", " u "),
    (" tomorrow", " tmrw"),
    (" please", " pls"),
    (" are ", " r "),
    (" because ", " cuz "),
    (" message", " msg"),
    (" and ", " n "),
)


def restyle(text: str, style: str, rng: Random, kept: Collection[str] = ()) -> str:
    """Say `text` in a style. Words of `kept` (values the calls need letter by letter) are not misspelt or shortened."""
    text = text.strip()
    if style in _OPENERS and rng.random() < 0.45:
        opener = rng.choice(_OPENERS[style])
        lowered = (
            text
            if re.match(r"(I\b|I'|[A-Z][a-z]+ [A-Z])", text) or _first(text) in kept
            else text[:1].lower() + text[1:]
        )
        text = opener + lowered if opener else text
    if style in _ENDS and rng.random() < 0.4:
        text = text.rstrip(".!?") + rng.choice(_ENDS[style])
    if style == "terse":
        text = re.sub(
            r"^(please|can you|could you|would you|hey,?|I need you to) ", "", text, flags=re.IGNORECASE
        ).rstrip(".?!")
    if style == "teen":
        for long, short in _SHORT:
            if rng.random() < 0.3 and not any(long.strip() in word for word in kept):
                text = text.replace(long, short)
    if style in ("lower", "teen", "dictated"):
        text = text.lower()
    if style == "dictated":
        text = re.sub(r"[,;!?\"]|\.(?=\s|$)", "", text)
    if style in ("plain", "formal", "elderly", "chatty") and rng.random() < 0.6:
        text = text[:1].upper() + text[1:]
    if style == "nonnative" and rng.random() < 0.5:
        text = re.sub(r"\b(the|a) ", "", text, count=1)
    if rng.random() < {"teen": 0.3, "lower": 0.3, "elderly": 0.12, "nonnative": 0.15}.get(style, 0.05):
        text = slip(text, rng, kept)
    return text


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


def _first(text: str) -> str:
    return text.split(" ", 1)[0] if text else ""
