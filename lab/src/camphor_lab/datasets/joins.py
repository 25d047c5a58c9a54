"""Clauses made into queries: wrapped ("could you ..."), joined ("..., then ..."), never one frame upon another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from camphor_lab.datasets.bank import Bank, fill

BARE = 0.5  # of imperatives are said as they are
LISTED = 0.3  # of three and more are said as a list
_NEUTRAL = ("{a} and {b}", "{a}, and {b}", "{a}, then {b}", "{a} and then {b}")
_NO_COMMAND = frozenset(
    ("if", "i", "don't", "only", "once", "when", "double", "reminder", "please", "never", "own", "let's")
)
_POLITE = re.compile(r"\b(please|pls|thanks|thank|kindly|would you|could you|can you)\b", re.IGNORECASE)
_BREAK = re.compile(r"\.(?=\s)|[:;/?]|\bboth\b|^first\b")
_ADDED = re.compile(r"\b(also|too|as well|instead|please)\b")
_OPEN_END = re.compile(r"\{(tell|ask|to|quote|note|post|task|thing|query|question)\}$")


def wrap(bank: Bank, rng: Random, text: str, skeleton: str) -> str:
    """Put a frame around one imperative, or none."""
    if rng.random() < BARE:
        return text
    frames = [line for line in bank.lines("joins", "wrappers") if _suits(line, text, skeleton)]
    return _put(rng.choice(frames), text) if frames else text


def _suits(line: str, text: str, skeleton: str) -> bool:
    before, _, after = line.partition("{a}")
    if _POLITE.search(text) and (_POLITE.search(line) or before):
        return False
    if before and text.split()[0].lower().strip(",:") in _NO_COMMAND:
        return False
    # what ends in free words would swallow the frame's end, save for a mark or a comma and thanks
    return not (_OPEN_END.search(skeleton) or text[-1:] in "?!\"'") or after in ("", "?") or after.startswith(", tha")


def _put(line: str, text: str) -> str:
    filled = fill(line, {"a": text})
    return re.sub(r"([?!])\?$", r"\1", filled)


def join(bank: Bank, rng: Random, texts: Sequence[str], skeletons: Sequence[str], *, clause: bool) -> str:
    """Several wishes as one query; all but the first are imperatives, `clause` tells whether the first is one too."""
    if not clause:
        return _after_sentence(rng, texts)
    lines = bank.lines("joins", "pairs")
    if rng.random() < BARE:
        return _chain(rng, texts, (*lines, *_NEUTRAL) if len(texts) == 2 else _first(lines), skeletons[-1])
    frames = [line for line in bank.lines("joins", "wrappers") if _suits(line, " ".join(texts), skeletons[-1])]
    frames = [line for line in frames if _suits(line, texts[0], "")]
    plain = tuple(line for line in _first(lines) if not _BREAK.search(line.replace("{a}", "").strip()))
    text = _chain(rng, texts, plain, skeletons[-1])
    return _put(rng.choice(frames), text) if frames else text


def _first(lines: Sequence[str]) -> tuple[str, ...]:
    return (*(line for line in lines if line.startswith("{a}")), *_NEUTRAL)


def _chain(rng: Random, texts: Sequence[str], lines: Sequence[str], last: str = "") -> str:
    """`last` is the skeleton of the last text: what ends in free words takes nothing after it."""
    inner = [line for line in lines if line.endswith("{b}")]
    if len(texts) > 2 and rng.random() < LISTED:
        return ", ".join(texts[:-1]) + rng.choice((" and ", ", and ", " and then ", ", then ")) + texts[-1]
    text = texts[0]
    for place, part in enumerate(texts[1:], start=2):
        line = rng.choice(inner if place < len(texts) or _OPEN_END.search(last) or _ADDED.search(part) else lines)
        ended = text[-1] in "?!" and line.startswith("{a}.")
        text = fill(line.replace("{a}.", "{a}", 1) if ended else line, {"a": text, "b": part})
    return text


def _after_sentence(rng: Random, texts: Sequence[str]) -> str:
    first = texts[0].rstrip()
    mark = "" if first[-1] in ".?!" else "."
    rest = _chain(rng, texts[1:], _NEUTRAL)
    lead = rng.choice(
        ("Also, {b}", "And {b}", "Then {b}", "{B}", "{B}", "Oh, and {b}", "After that {b}", "Please also {b}")
    )
    return f"{first}{mark} {fill(lead, {'b': rest, 'B': rest[:1].upper() + rest[1:]})}"
