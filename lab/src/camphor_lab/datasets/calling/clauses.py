"""Filled phrases made into one query: wrapped ("could you ..."), joined by words, or as sentences of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from camphor_lab.datasets.bank import Bank
from camphor_lab.datasets.calling.bank import Filled
from camphor_lab.datasets.joins import join, wrap
from camphor_lab.datasets.wording import listed

_ASKING = re.compile(
    r"(what|where|when|who|whose|which|how|why|is|are|can|could|would|will|do (?:i|you|we|they|any|my)|does|did|am i|"
    r"have you|has|may|might|shall|should)\b",
    re.IGNORECASE,
)
_BROKEN = re.compile(r"[.?!:;](?=\s)|\bplease\b|^if\b")
_LEADS = ("", "", "", "Also, ", "And ", "Oh, and ", "Then ", "Next: ", "Another thing: ", "Besides that: ", "Plus: ")
_OPEN_SKELETON, _SHUT_SKELETON = "{tell}", ""


def form_of(part: Filled) -> str:
    """`command`, `question` or `statement`: what the phrase says, else a guess from its words."""
    if part.phrase.form:
        return part.phrase.form
    text = part.text.lower()
    if text.endswith("?") or _ASKING.match(text):
        return "question"
    words = re.findall(r"[\w'-]+", text)
    return "command" if words and words[0] in listed("commands") and not _BROKEN.search(part.text) else "statement"


def connect(bank: Bank, rng: Random, parts: Sequence[Filled]) -> tuple[str, list[Filled]]:
    """One query from all parts, and the parts in the order in which they are said.

    Commands are joined by "and", "then" and the like, the one that ends in free words last; all else is a sentence.
    """
    commands = [part for part in parts if form_of(part) == "command"]
    others = [part for part in parts if form_of(part) != "command"]
    commands.sort(key=lambda part: part.open_end)
    if len(parts) == 1:
        text = parts[0].text
        return (wrap(bank, rng, _lowered(text), _skeleton(parts[0])) if commands else text), list(parts)
    apart = sum(part.open_end for part in commands) > 1 or rng.random() < 0.2
    if others or apart:
        return _sentences(bank, rng, [*others, *commands])
    skeletons = [_skeleton(part) for part in commands]
    return join(bank, rng, [_lowered(part.text) for part in commands], skeletons, clause=True), commands


def _skeleton(part: Filled) -> str:
    return _OPEN_SKELETON if part.open_end else _SHUT_SKELETON


def _lowered(text: str) -> str:
    """A command as it stands inside a sentence."""
    return text[:1].lower() + text[1:]


def _sentences(bank: Bank, rng: Random, parts: list[Filled]) -> tuple[str, list[Filled]]:
    """Each part as a sentence of its own."""
    if rng.random() < 0.4:
        rng.shuffle(parts)
    said = []
    for number, part in enumerate(parts):
        form, text = form_of(part), part.text.rstrip(".")
        if form == "command":
            text = wrap(bank, rng, _lowered(text), _skeleton(part))
        lead = rng.choice(_LEADS) if number else ""
        text = f"{lead}{_lowered(text) if lead and form != 'statement' else text}"
        mark = "" if text[-1] in "?!" else "?" if form == "question" and not _BROKEN.search(text) else "."
        said.append(f"{text[:1].upper()}{text[1:]}{mark}")
    return " ".join(said), parts
