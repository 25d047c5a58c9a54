"""What the parts of a query are: a wish, a question, a "don't", a report, a thought, thanks...

A query is cut into clauses by signs and words that are data (`parts.toml`), and a small network that reads all of them
says of what kind each is: the reader's encoder with changes of low rank. `camphor_lab.training.parts` trains it.
Nothing here knows of tools.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from camphor.agents.answers import BUILT_IN_ACTIONS
from camphor.device.when.fragments import fragments
from camphor.models.model_file import Arrays, read_model_file, write_model_file
from camphor.retrieval.reading.encoder import SPECIAL, Changes, Encoder, Floats, shares, word_pieces
from camphor.retrieval.reading.reader import LONGEST as MOST_PIECES
from camphor.retrieval.reading.reader import read_reader

SHIPPED = Path(__file__).parent / "parts.npz"
FORM = "camphor.parts/2"
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
OTHER = "other"
ACTS = (*BUILT_IN_ACTIONS, OTHER)
"""What a clause may ask for: the actions of the apps that every phone has, and any other."""
Spans = Sequence[tuple[int, int]]

_ANY_TIME = datetime(2026, 1, 1)
_UNKNOWN = SPECIAL.index("[UNK]")
_QUOTATION = 4  # words of a quotation that is no title
_MOSTLY = 8  # a clause with less than this share beside its quotations is one
_FEWEST = 8  # pieces that are left for a clause
_TIMED = 40  # characters in which a clause may say its time first


@dataclass(frozen=True)
class Part:
    """A clause of a query.

    Attributes:
        text: its words as written. start, end: characters of the query, the end excluded.
        kind: what it most likely does. wish: the probability that it asks for something to be done, 0 to 1.
        orders: whether it begins as an order does ("text Ana", "can you remind me").
        acts: of each of `ACTS` the probability that it asks for that, 0 to 1.
    """

    text: str
    start: int
    end: int
    kind: PartKind
    wish: float
    orders: bool
    acts: tuple[float, ...]

    def asks_for(self, action: str) -> float:
        """The probability that it asks for an action, by its tool's name."""
        return self.acts[ACTS.index(action if action in ACTS else OTHER)]


@dataclass(frozen=True, eq=False)
class PartModel:
    """A trained model.

    Attributes:
        changes: of the reader's encoder. head: float32, (kinds + acts, 2 x width), of the mean over a clause's pieces
            and the first piece of all. bias: float32, (kinds + acts,).
        floors: of a part's wish: where no part of a query reaches the first it asks for nothing; where one that begins
            as an order does not reach the second, or another the third, that is doubtful.
        act_floors: of each of `ACTS`: where no part of a query reaches it, it is doubtful whether that is asked for.
        about: settings and figures of the training.
    """

    changes: Changes
    head: Floats
    bias: Floats
    floors: tuple[float, float, float]
    act_floors: tuple[float, ...] = (0.0,) * len(ACTS)
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def encoder(self) -> Encoder:
        """The changed encoder. Raises ModelMissing: there is no reader, or another than the one that was changed."""
        return self.changes.on(read_reader())

    def chances(self, query: str, spans: Spans, follows: bool) -> tuple[Floats, Floats]:
        """The probability that each clause is of each kind, (clauses, kinds), and asks for each act, (clauses, acts).

        Raises:
            ModelMissing: as `encoder`.
        """
        read = list(windows(query, spans, follows))
        hidden = self.encoder.hidden([window.pieces for window in read])
        means = [
            np.concatenate([hidden[at, start:end].mean(0), hidden[at, 0]])
            for at, window in enumerate(read)
            for start, end in window.clauses
        ]
        told = np.stack(means) @ self.head.T + self.bias
        return shares(told[:, : len(KINDS)]), np.asarray(1 / (1 + np.exp(-told[:, len(KINDS) :])), np.float32)

    def save(self, path: Path) -> None:
        """Write the model to a file, whole or not at all. Raises OSError: it cannot be written."""
        arrays: Arrays = {**self.changes.arrays(), "head": self.head.astype(np.float16), "bias": self.bias}
        facts = {"kinds": [kind.value for kind in KINDS], "acts": ACTS, "reader": self.changes.mark}
        told = {"floors": self.floors, "act_floors": self.act_floors, "about": self.about}
        write_model_file(path, FORM, {**facts, **told}, arrays)


@lru_cache(maxsize=256)
def parts_of(query: str, follows: bool = False) -> tuple[Part, ...]:
    """The clauses of a query with their kinds, in order; together they hold all its words.

    Args:
        follows: whether the query follows on earlier turns of a conversation.
    """
    spans = cut(query)
    found = []
    kinds, asks = read_parts().chances(query, spans, follows)
    if follows:  # few of the texts that were learnt from follow on others, and most that do could stand alone
        alone = read_parts().chances(query, spans, False)
        kinds, asks = np.asarray((kinds + alone[0]) / 2, np.float32), np.maximum(asks, alone[1])
    for (start, end), chances, acts in zip(spans, kinds, asks, strict=True):
        kind = KINDS[int(chances.argmax())]
        kind, wish = _certain(query[start:end], kind, float(chances[KINDS.index(PartKind.WISH)]))
        asks_for = tuple(map(float, acts))
        found.append(Part(query[start:end], start, end, kind, wish, orders(query[start:end]), asks_for))
    return tuple(found)


def asks_to_be_told(query: str, follows: bool = False) -> bool:
    """Whether a query asks to be told something: by a question, or by an order to show, read or list."""
    parts = parts_of(query, follows)
    if any(part.kind is PartKind.QUESTION for part in parts) or query.rstrip().endswith("?"):
        return True
    return any(_pattern("telling").match(part.text) for part in parts if part.kind is PartKind.WISH)


def asks_by_form(query: str, follows: bool = False) -> bool:
    """Whether a part of a query has the form of a question, or of an order to show, read or list."""
    texts = [part.text for part in parts_of(query, follows)]
    return "?" in query or any(begins_as_question(text) or _pattern("telling").match(text) for text in texts)


def only_asks(query: str, follows: bool = False) -> bool:
    """Whether a query asks to be told something and no part of it looks like a wish."""
    wishes = any(part.kind is PartKind.WISH for part in parts_of(query, follows))
    return not wishes and asks_to_be_told(query, follows)


def tells_manner(clause: str) -> bool:
    """Whether a clause says how the thing before it is to be done: "but make it polite"."""
    return bool(_pattern("manner").match(clause))


def begins_as_question(clause: str) -> bool:
    """Whether a clause begins as a question does: "till when is it open"."""
    return bool(_pattern("asking").match(clause.casefold()))


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
    subjects: frozenset[str]
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
        frozenset(tables["starts"]["subjects"].split()),
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


def _unquoted(clause: str) -> str:
    """A clause without the words of others in it: nothing is wished in a quotation, except where that is the whole."""
    left = _QUOTED.sub(lambda found: found[0] if len(found[0].split()) < _QUOTATION else "“…”", clause)
    return left if len(left) > len(clause) / _MOSTLY else clause


@dataclass(frozen=True)
class Window:
    """Pieces of a query that are read at once, by their numbers, and where in them each clause stands."""

    pieces: tuple[int, ...]
    clauses: tuple[tuple[int, int], ...]


def windows(query: str, spans: Spans, follows: bool) -> Iterator[Window]:
    """A query as the model reads it: clause by clause with what stands between, in one window where they fit.

    Args:
        follows: whether it follows on earlier turns, which a mark at its beginning tells.
    """
    first, between = SPECIAL.index("[CLS]"), SPECIAL.index("[SEP]")
    opening = [first, between] if follows else [first]
    pieces, clauses, after = list(opening), list[tuple[int, int]](), 0
    for start, end in spans:
        joint, clause = (
            word_pieces().cut(query[after:start]),
            word_pieces().cut(_unquoted(query[start:end])) or [_UNKNOWN],
        )
        if clauses and len(pieces) + len(joint) + len(clause) >= MOST_PIECES:
            yield Window((*pieces, between), tuple(clauses))
            pieces, clauses = list(opening), []
        pieces += joint[: MOST_PIECES - len(pieces) - _FEWEST]
        clause = clause[: MOST_PIECES - len(pieces) - 1]
        clauses.append((len(pieces), len(pieces) + len(clause)))
        pieces += clause
        after = end
    pieces += word_pieces().cut(query[after:])[: MOST_PIECES - len(pieces) - 1]
    yield Window((*pieces, between), tuple(clauses))


@lru_cache(maxsize=4)
def read_parts(path: Path = SHIPPED) -> PartModel:
    """The model of a file, read once. Raises ModelMissing: there is none, or it is none of these."""
    return read_model_file(path, FORM, _model, name="the model of a query's parts", command="train-parts")


def _model(facts: Mapping[str, Any], arrays: Arrays) -> PartModel:
    head, bias = arrays["head"].astype(np.float32), arrays["bias"].astype(np.float32)
    known = facts["kinds"] == [kind.value for kind in KINDS] and tuple(facts["acts"]) == ACTS
    if not known or not len(head) == len(bias) == len(KINDS) + len(ACTS) or len(facts["act_floors"]) != len(ACTS):
        raise ValueError("of other kinds")
    least, order, other = map(float, facts["floors"])
    act_floors = tuple(map(float, facts["act_floors"]))
    changes = Changes.of(arrays, str(facts["reader"]))
    return PartModel(changes, head, bias, (least, order, other), act_floors, facts["about"])
