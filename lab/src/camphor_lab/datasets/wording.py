"""Which words a record is remembered by, and questions as clauses."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from camphor.device.text import words
from camphor_lab.datasets.bank import load
from camphor_lab.datasets.files import tables_beside

RARE = 40  # a word that stands in more lines of the bank's content than this names nothing by itself


@lru_cache(maxsize=16)
def listed(name: str) -> frozenset[str]:
    """A word list of `words.toml`."""
    return frozenset(tables_beside(__file__, "words.toml")[name].split())


@lru_cache(maxsize=1)
def _counts() -> Counter[str]:
    return Counter(word for lines in load()["content"].values() for line in lines for word in set(words(line)))


def weight(word: str) -> bool:
    """True where a word names something: long enough, rare in the bank, no participle, no adverb."""
    plain = word.lower()
    if len(plain) < 4 or plain in listed("thin") or not plain[0].isalpha():
        return False
    if plain.endswith(("ing", "ly")) and len(plain) > 5 and plain not in listed("nouns"):
        return False
    return _counts()[words(plain)[0] if words(plain) else plain] <= RARE


_INVERTED = re.compile(
    r"(what|where|when|until when|(?:which|what|how) \w+) (is|are|was|were) (.+?)"
    r"( now| due| parked| off| valid| booked| in| on| \w+ing)?"
)
_VERB = re.compile(r"\b(is|are|was|were|do|does|did|can|could|will|would|has|have|should|may|must)\b")


def as_clause(question: str) -> str | None:
    """A question as it stands inside a sentence ("where the key is"); None where that takes more than a new order.

    Questions without a verb ("the gate code") and about a subject ("who's bringing the salad") stay as they are.
    """
    if "," in question or question.startswith(("what's up", "how's")):
        return None
    if found := re.fullmatch(r"(what|where|when)'s (?!on\b)(.+)", question):
        return f"{found[1]} {found[2]} is"
    if re.match(r"(who|what)'s \w+ ?", question):
        return question
    if question.endswith(" mine"):
        return question
    if found := _INVERTED.fullmatch(question):
        asked, verb, subject, tail = found[1], found[2], found[3], found[4] or ""
        if subject in ("the", "a", "an", "my", "our", "that"):
            subject, tail = subject + tail, ""
        return None if subject.split()[0] == "I" or " to be" in subject else f"{asked} {subject} {verb}{tail}"
    if found := re.fullmatch(r"(where|when) do (we|you) (.+)", question):
        return f"{found[1]} {found[2]} {found[3]}"
    return None if _VERB.search(question) else question
