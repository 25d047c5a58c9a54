"""What the parts of a query are: a wish, a question, a "don't", a report, a thought, thanks...

A query is cut into clauses by signs and words that are data (`parts.toml`), and a linear model over their words, with
those around them, says of what kind each is. `camphor_lab.training.parts` trains it. Nothing here knows of tools.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from camphor.agents.model_file import Arrays, read_model_file, write_model_file
from camphor.device.when.fragments import fragments

SHIPPED = Path(__file__).parent / "parts.npz"
FORM = "camphor.parts/1"
LONGEST = 2000
"""Characters of a query that are read as more than one part."""


class PartKind(StrEnum):
    """What a part of a query does."""

    WISH = "wish"  # asks that something be done
    QUESTION = "question"  # asks to be told something
    NEGATED = "negated"  # says not to do it
    DECIDED_NOT = "decided_not"  # says that it is decided against
    REPORT = "report"  # tells what another did, wants or said
    QUOTE = "quote"  # words of another, or of a title
    PAST = "past"  # tells what was done
    MUSING = "musing"  # thinks aloud: maybe, one day, I wonder
    CONDITION = "condition"  # "if it rains"
    FACT = "fact"  # tells how something is
    THANKS = "thanks"  # thanks, greets, small talk


KINDS = tuple(PartKind)

_ANY_TIME = datetime(2026, 1, 1)
_TIMED = 40  # characters in which a clause may say its time first


@dataclass(frozen=True)
class Part:
    """A clause of a query.

    Attributes:
        text: its words as written. start, end: characters of the query, the end excluded.
        kind: what it most likely does. wish: the probability that it asks for something to be done, 0 to 1.
        orders: whether it begins as an order does ("text Ana", "can you remind me").
    """

    text: str
    start: int
    end: int
    kind: PartKind
    wish: float
    orders: bool


@dataclass(frozen=True)
class PartModel:
    """A trained model.

    Attributes:
        marks: uint32, (V,), ascending: features that it knows. weights: float32, (kinds, V). bias: float32, (kinds,).
        floors: of a part's wish: where no part of a query reaches the first it asks for nothing; where one that begins
            as an order does not reach the second, or another the third, that is doubtful.
        about: settings and figures of the training.
    """

    marks: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]
    floors: tuple[float, float, float]
    about: Mapping[str, Any] = field(default_factory=dict)

    def places(self, marks: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
        """Where in `marks` those stand that are known."""
        at = np.searchsorted(self.marks, marks)
        known = self.marks[np.minimum(at, len(self.marks) - 1)] == marks
        return np.asarray(at[known], np.intp)

    def chances(self, marks: npt.NDArray[np.uint32]) -> npt.NDArray[np.float32]:
        """The probability of each kind, shape (kinds,)."""
        places = self.places(marks)
        odds = self.weights[:, places].sum(axis=1) / max(len(places), 1) ** 0.5 + self.bias
        grown = np.exp(odds - odds.max())
        return np.asarray(grown / grown.sum(), np.float32)

    def save(self, path: Path) -> None:
        """Write the model to a file, whole or not at all. Raises OSError: it cannot be written."""
        arrays: Arrays = {"marks": self.marks, "weights": self.weights.astype(np.float16), "bias": self.bias}
        facts = {"kinds": [kind.value for kind in KINDS], "floors": self.floors, "about": self.about}
        write_model_file(path, FORM, facts, arrays)


@lru_cache(maxsize=256)
def parts_of(query: str, follows: bool = False) -> tuple[Part, ...]:
    """The clauses of a query with their kinds, in order; together they hold all its words.

    Args:
        follows: whether the query follows on earlier turns of a conversation.
    """
    spans = cut(query)
    model = read_parts()
    found = []
    for at, (start, end) in enumerate(spans):
        chances = model.chances(marks_of(query, spans, at, follows))
        kind = KINDS[int(chances.argmax())]
        kind, wish = _certain(query[start:end], kind, float(chances[KINDS.index(PartKind.WISH)]))
        found.append(Part(query[start:end], start, end, kind, wish, orders(query[start:end])))
    return tuple(found)


def asks_to_be_told(query: str, follows: bool = False) -> bool:
    """Whether a query asks to be told something: by a question, or by an order to show, read or list."""
    parts = parts_of(query, follows)
    if any(part.kind is PartKind.QUESTION for part in parts) or query.rstrip().endswith("?"):
        return True
    return any(_pattern("telling").match(part.text) for part in parts if part.kind is PartKind.WISH)


def only_asks(query: str, follows: bool = False) -> bool:
    """Whether a query asks to be told something and no part of it looks like a wish."""
    wishes = any(part.kind is PartKind.WISH for part in parts_of(query, follows))
    return not wishes and asks_to_be_told(query, follows)


def tells_manner(clause: str) -> bool:
    """Whether a clause says how the thing before it is to be done: "but make it polite"."""
    return bool(_pattern("manner").match(clause))


def _certain(clause: str, kind: PartKind, wish: float) -> tuple[PartKind, float]:
    """The kind and the chance of a wish, where the structure of a clause leaves no more doubt, or no less."""
    said = " ".join(_WITH_COLONS.findall(clause[:300].casefold().replace("’", "'")))
    for rule in _rules():
        if rule.pattern.match(said):
            if wish < rule.least or wish > rule.most:
                return rule.kind, min(max(wish, rule.least), rule.most)
            return kind, wish
    return kind, wish


def orders(clause: str) -> bool:
    """Whether a clause begins as an order does, or goes on as one behind its time: "in 40 minutes remind me"."""
    read, rest = lexicon(), clause[:100]
    while timed := [each.text for each in fragments(rest[:_TIMED], _ANY_TIME) if rest.startswith(each.text)]:
        rest = rest[len(max(timed, key=len)) :].lstrip(" ,")
    said = words_of(rest)
    while said and said[0] in read.fillers:
        said.pop(0)
    opening = any(said[: len(each)] == list(each) for each in read.openings)
    return opening or (bool(said) and "acts.base" in read.classes.get(said[0], ()))


# where a query is cut


@dataclass(frozen=True)
class Lexicon:
    """The words of `parts.toml`: those that begin a clause, the classes of each word, and how an order begins."""

    starts: frozenset[str]
    classes: Mapping[str, tuple[str, ...]]
    fillers: frozenset[str]
    openings: tuple[tuple[str, ...], ...]


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    tables = tomllib.loads((Path(__file__).parent / "parts.toml").read_text(encoding="utf-8"))
    classes: dict[str, list[str]] = {}
    for table in ("acts", "marks"):
        for name, listed in tables[table].items():
            for word in listed.split():
                classes.setdefault(word.replace("-", " "), []).append(f"{table}.{name}")
    starts = {word for listed in tables["starts"].values() for word in listed.split()} | set(
        tables["acts"]["base"].split()
    )
    return Lexicon(
        frozenset(starts),
        {word: tuple(each) for word, each in classes.items()},
        frozenset(tables["orders"]["fillers"].split()),
        tuple(tuple(each.split()) for each in tables["orders"]["openings"]),
    )


@dataclass(frozen=True)
class _Rule:
    """Structure that is certain. `least`, `most`: bounds of the chance of a wish."""

    kind: PartKind
    pattern: re.Pattern[str]
    least: float
    most: float


@lru_cache(maxsize=4)
def _pattern(table: str) -> re.Pattern[str]:
    """How a clause of a kind begins: one that orders to show, read or list, or one that says how."""
    tables = tomllib.loads((Path(__file__).parent / "parts.toml").read_text(encoding="utf-8"))
    return re.compile(tables[table]["pattern"], re.IGNORECASE)


@lru_cache(maxsize=1)
def _rules() -> tuple[_Rule, ...]:
    tables = tomllib.loads((Path(__file__).parent / "parts.toml").read_text(encoding="utf-8"))
    lists = {**tables["acts"], "filler": tables["orders"]["fillers"]}
    names = {name: f"(?:{'|'.join(map(re.escape, listed.split()))})" for name, listed in lists.items()}
    names["act"] = tables["names"]["act"].replace("{base}", names["base"])
    names["who"] = tables["names"]["who"]
    rules = []
    for rule in tables["certain"]:
        pattern = rule["clause"].strip()
        for name, words in names.items():
            pattern = pattern.replace(f"{{{name}}}", words)
        rules.append(_Rule(PartKind(rule["kind"]), re.compile(pattern), rule.get("least", 0.0), rule["most"]))
    return tuple(rules)


_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|\?")
_WITH_COLONS = re.compile(rf"{_WORD.pattern}|:(?=\s)")
_DIGITS = re.compile(r"\d+")
_QUOTED = re.compile(r"\"[^\"]{2,}\"|“[^”]{2,}”|«[^»]{2,}»|(?<!\w)'[^']{2,}'(?!\w)|(?<!\w)‘[^’]{2,}’(?!\w)")
_SENTENCE = re.compile(r"(?:[!?…]+|\.{1,}(?!\w)|;)[\"'”’)]*\s+|\s+[-–—]+\s+|\n")
_COMMA = re.compile(
    r",\s*(?:(?:and|but|so|then|or|because|cause|cos|since)\s+)?|\s+(?:and then|and|but|so|then|because|cause|cos)\s+",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\b(?:mr|mrs|ms|dr|st|prof|no|vs|etc|approx|e\.g|i\.e|a\.m|p\.m|[a-z])\.$", re.IGNORECASE)


def cut(query: str) -> tuple[tuple[int, int], ...]:
    """Where the clauses of a query begin and end, signs and joining words left out of them."""
    if len(query) > LONGEST:
        return ((0, len(query)),)
    quoted = [each.span() for each in _QUOTED.finditer(query)]
    spans: list[tuple[int, int]] = []
    for start, end in _sentences(query, quoted):
        spans += _clauses(query, start, end, quoted)
    return tuple(spans) or ((0, len(query)),)


def _sentences(query: str, quoted: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    begin = 0
    for sign in _SENTENCE.finditer(query):
        inside = any(start < sign.start() < end - 1 for start, end in quoted)
        if inside or _SHORT.search(query[: sign.start() + 1]):
            continue
        end = sign.start() + len(sign[0].rstrip()) if sign[0].strip()[:1] in "!?" else sign.start()
        if query[begin:end].strip():
            yield begin, end
        begin = sign.end()
    if query[begin:].strip():
        yield begin, len(query)


def _clauses(query: str, start: int, end: int, quoted: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """A sentence cut where a comma or a joining word is followed by what may begin a clause.

    Nothing is cut after a colon: what stands there is what is to be written.
    """
    colon = re.search(r":\s", query[start:end])
    last, begin = (start + colon.start() if colon else end), start
    for joint in _COMMA.finditer(query, start, last):
        if any(a < joint.start() < b for a, b in quoted) or not _begins(query[joint.end() : end]):
            continue
        if len(_WORD.findall(query[begin : joint.start()])) < 1:
            continue
        yield begin, joint.start()
        begin = joint.end()
    yield begin, end


def _begins(rest: str) -> bool:
    words = words_of(rest[:60])
    return len(words) > 1 and words[0] in lexicon().starts


# what the model reads


def words_of(text: str) -> list[str]:
    """Folded words and question marks; any figure is like another."""
    return _WORD.findall(_DIGITS.sub("0", text.casefold().replace("’", "'")))


def marks_of(query: str, spans: Sequence[tuple[int, int]], at: int, follows: bool) -> npt.NDArray[np.uint32]:
    """The features of one clause: its words, runs of them, their classes, and the words around it."""
    features = set(_own(query[spans[at][0] : spans[at][1]]))
    features.update(
        f"q {word}" for start, end in (*spans[:at], *spans[at + 1 :]) for word in words_of(query[start:end])
    )
    for name, other in (("before", at - 1), ("after", at + 1)):
        if 0 <= other < len(spans):
            features.update(f"{name} {each}" for each in _classes(words_of(query[slice(*spans[other])])))
            features.update(f"{name} {' '.join(words_of(query[slice(*spans[other])])[:2])}" for _ in (0,))
        else:
            features.add(f"{name} none")
    features.add("follows" if follows else "first")
    features.add("asks at its end" if query[spans[at][1] - 1 : spans[at][1]] == "?" else "no mark")
    return np.array(sorted({crc32(each.encode()) for each in features}), np.uint32)


def _own(text: str) -> Iterator[str]:
    plain = _QUOTED.sub(" quotedtext ", text)
    words = ["<", *words_of(plain), ">"]
    for size in (1, 2, 3):
        yield from (" ".join(words[at : at + size]) for at in range(len(words) - size + 1))
    classed = ["<", *_classes(words[1:-1]), ">"]
    for size in (2, 3, 4):
        yield from ("c " + " ".join(classed[at : at + size]) for at in range(len(classed) - size + 1))
    yield "head " + " ".join(words[:4])
    yield "classed head " + " ".join(classed[:4])
    yield f"length {min(len(words), 12) // 2}"


def _classes(words: Sequence[str]) -> list[str]:
    """Each word's class; a word without one as itself where it is common, else a sign for any word."""
    classes = lexicon().classes
    return ["+".join(classes[word]) if word in classes else word if len(word) <= 4 else "*" for word in words]


@lru_cache(maxsize=4)
def read_parts(path: Path = SHIPPED) -> PartModel:
    """The model of a file, read once. Raises ModelMissing: there is none, or it is none of these."""
    return read_model_file(path, FORM, _model, name="the model of a query's parts", command="train-parts")


def _model(facts: Mapping[str, Any], arrays: Arrays) -> PartModel:
    marks, bias = arrays["marks"].astype(np.uint32), arrays["bias"].astype(np.float32)
    weights = arrays["weights"].astype(np.float32)
    if facts["kinds"] != [kind.value for kind in KINDS] or weights.shape != (len(KINDS), len(marks)) or not len(marks):
        raise ValueError("of other kinds")
    least, order, other = map(float, facts["floors"])
    return PartModel(marks, weights, bias, (least, order, other), facts["about"])
