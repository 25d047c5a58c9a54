"""What a text speaks of, and red flags: kinds of urgent trouble, with the signs by which some are known unasked.

The concepts of concepts.toml are found by words of five languages: "my chest is tight" and "me aprieta el pecho" speak
of the same two things. The net for emergencies learns from concepts and their pairs beside the words themselves.

flags.toml holds each kind with its title, what to do until help is there, and the public page that says so. A sign is a
combination of concepts; it counts where the net of `suspicion` agrees (`triage`).
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from camphor.agents.health.spelling import normal

LONGEST = 1000
"""Characters of a text that are read."""
_WORD = re.compile(r"[a-z0-9']+")
_SHORTEST = 2
Term = tuple[str, ...]


@dataclass(frozen=True)
class ConceptLexicon:
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
    return frozenset(_concepts())


@cache
def _concepts() -> dict[str, str]:
    told = (files("camphor") / "agents" / "health" / "concepts.toml").read_text(encoding="utf-8")
    words: dict[str, str] = tomllib.loads(told)["words"]
    return words


@cache
def _lexicon() -> ConceptLexicon:
    whole: defaultdict[Term, set[str]] = defaultdict(set)
    stems: defaultdict[Term, set[str]] = defaultdict(set)
    for concept, terms in _concepts().items():
        for term in terms.split(","):
            bare = term.strip()
            words = tuple(_WORD.findall(normal(bare)))
            if words:
                (stems if bare.endswith("*") else whole)[words].add(concept)
    longest = max(map(len, [*whole, *stems]))
    return ConceptLexicon(_frozen(whole), _frozen(stems), longest)


def _frozen(terms: defaultdict[Term, set[str]]) -> dict[Term, frozenset[str]]:
    return {term: frozenset(concepts) for term, concepts in terms.items()}


HOT_NUMBER = "hot_number"
"""Stands in signs beside the concepts: a temperature of 38 and more."""
_HOT = re.compile(
    r"\b(?:3[89]|4[01])(?:[.,]\d)?\b(?! ?(?:weeks?|wks?|semanas|wochen?|semaines|years?|anos|jahre|ans|ssw))"
)


@dataclass(frozen=True)
class Flag:
    """One kind of urgent trouble.

    Args:
        name: for code, data and tests. title: for people.
        advice: what to do until help is there, in a sentence or two; no diagnosis, no treatment beyond first aid.
        question: what is asked where it is not sure. source: the public page.
        lines: of "crisis" and "poison" those that must be shown.
        signs: combinations; all of one must be there. unless: concepts that take a sign back.
    """

    name: str
    title: str
    advice: str
    question: str
    source: str
    lines: tuple[str, ...] = ()
    signs: tuple[tuple[str, ...], ...] = ()
    unless: tuple[str, ...] = ()


@dataclass(frozen=True)
class RaisedFlag:
    """A flag that was raised, and by which words, where a sign raised it."""

    flag: Flag
    words: tuple[str, ...] = ()


@cache
def flags() -> dict[str, Flag]:
    """All kinds by name, in the order of flags.toml."""
    told = tomllib.loads((files("camphor") / "agents" / "health" / "flags.toml").read_text(encoding="utf-8"))
    return {name: _flag(name, data) for name, data in told["flag"].items()}


def red_flags(*said: str) -> tuple[RaisedFlag, ...]:
    """The flags whose signs are there, the first of the list first.

    Args:
        said: what was said in this conversation, a text a message, oldest first. Signs add up over messages: chest pain
            in the first and a numb arm in the second raise what both in one would.
    """
    text = ". ".join(each[:LONGEST] for each in said)[-LONGEST:]
    told = concepts_of(text)
    plain = normal(text)
    if hot := _HOT.search(plain):
        told[HOT_NUMBER] = hot[0]
    found = (_raised(flag, told, plain) for flag in flags().values())
    return tuple(finding for finding in found if finding is not None)


def affirmed(question: str, answer: str) -> str:
    """What a person says who answers a question with a bare yes: the question's own words; else the answer."""
    return question if _YES.fullmatch(normal(answer)) else answer


_YES = re.compile(
    r"\W*(?:yes|yeah|yep|yup|ye|y|sure|correct|exactly|indeed|i do|i am|i have|a bit|a little|both|all of (?:them|"
    r"that))(?:[ ,]+(?:yes|yeah|i do|i am|i have|a bit|a lot|both|all of (?:them|that|it)|very much|please|sadly|"
    r"unfortunately))*\W*"
)


def _raised(flag: Flag, told: dict[str, str], plain: str) -> RaisedFlag | None:
    if any(concept in told for concept in flag.unless):
        return None
    for sign in flag.signs:
        words = [_words(part, told, plain) for part in sign]
        if all(words):
            return RaisedFlag(flag, tuple(dict.fromkeys(filter(None, words))))
    return None


def _words(part: str, told: dict[str, str], plain: str) -> str | None:
    if not part.startswith("/"):
        return told.get(part)
    match = re.search(part.strip("/"), plain)
    return match[0] if match else None


def _flag(name: str, data: dict[str, str | Sequence[str] | Sequence[Sequence[str]]]) -> Flag:
    signs = tuple(tuple(sign) for sign in data.get("signs", ()))
    return Flag(
        name,
        str(data["title"]),
        str(data["advice"]),
        str(data["question"]),
        str(data["source"]),
        tuple(map(str, data.get("lines", ()))),
        signs,
        tuple(map(str, data.get("unless", ()))),
    )
