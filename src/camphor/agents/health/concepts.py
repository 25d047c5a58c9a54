"""What a text speaks of: the concepts of concepts.toml, found by words of five languages.

"My chest is tight" and "me aprieta el pecho" speak of the same two things. The net for emergencies learns from concepts
and their pairs beside the words themselves, and the signs of flags.toml are combinations of them.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from camphor.agents.health.cues import normal

LONGEST = 1000
"""Characters of a text that are read."""
_WORD = re.compile(r"[a-z0-9']+")
_SHORTEST = 2
Term = tuple[str, ...]


@dataclass(frozen=True)
class Lexicon:
    """Which concepts a term stands for: `whole` terms, and `stems`, whose last word may go on; `longest`: in words."""

    whole: dict[Term, frozenset[str]]
    stems: dict[Term, frozenset[str]]
    longest: int


def concepts_of(text: str) -> dict[str, str]:
    """The concepts of a text in order, each with the words that told it."""
    words = _WORD.findall(normal(text[:LONGEST]))
    lexicon, found = _lexicon(), dict[str, str]()
    for start in range(len(words)):
        for end in range(start + 1, min(start + lexicon.longest, len(words)) + 1):
            term = tuple(words[start:end])
            last = term[-1]
            named = set(lexicon.whole.get(term, ()))
            for size in range(_SHORTEST, len(last) + 1):
                named |= lexicon.stems.get((*term[:-1], last[:size]), frozenset())
            for concept in sorted(named):
                found.setdefault(concept, " ".join(term))
    return found


def all_concepts() -> frozenset[str]:
    """The names of all concepts."""
    return frozenset(_words())


@cache
def _words() -> dict[str, str]:
    told = (files("camphor") / "agents" / "health" / "concepts.toml").read_text(encoding="utf-8")
    words: dict[str, str] = tomllib.loads(told)["words"]
    return words


@cache
def _lexicon() -> Lexicon:
    whole: defaultdict[Term, set[str]] = defaultdict(set)
    stems: defaultdict[Term, set[str]] = defaultdict(set)
    for concept, terms in _words().items():
        for term in terms.split(","):
            bare = term.strip()
            words = tuple(_WORD.findall(normal(bare)))
            if words:
                (stems if bare.endswith("*") else whole)[words].add(concept)
    longest = max(map(len, [*whole, *stems]))
    return Lexicon(_frozen(whole), _frozen(stems), longest)


def _frozen(terms: defaultdict[Term, set[str]]) -> dict[Term, frozenset[str]]:
    return {term: frozenset(concepts) for term, concepts in terms.items()}
