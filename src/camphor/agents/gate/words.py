"""The words of `gate.toml`, read once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from camphor.device.text import fold, words


@dataclass(frozen=True)
class Words:
    """What `gate.toml` holds.

    Attributes:
        told: templates by table and name. verbs: by tool. orders: the only tools that carry out what begins so.
        negations, opposites: folded words. common: words that say nothing of what a text is about; small: fewer,
            without which no sentence is. shows: questions that ask a tool to show something.
        agreeing: how a reply begins that agrees. withdrawing: a part of a reply that leaves the
            matter. taking_back: stands in what takes back the wish before it.
        languages: in which a text may be wanted. anything: words of `verbs` that go with many things.
        moves: words by which an event is moved. several: of a wish for more than one action.
        early, late: words for the halves of the day.
        first_person, other_persons: who is spoken of. limits: words that turn a sense; fillers: that change none.
        ways: that make the figure behind them another. opening: how an order may open with a "not".
        function_words: that no action needs to have; asking: that a text has where it is a question. beside: by tool,
            words that ask for its action and for others too.
        idle: matches what has a "not" and says nothing about what is to be written.
    """

    told: Mapping[str, Mapping[str, str]]
    verbs: Mapping[str, frozenset[str]]
    negations: frozenset[str]
    opposites: frozenset[str]
    common: frozenset[str]
    idle: re.Pattern[str]
    orders: Mapping[str, frozenset[str]]
    small: frozenset[str]
    shows: Mapping[str, re.Pattern[str]]
    agreeing: frozenset[str]
    withdrawing: re.Pattern[str]
    taking_back: re.Pattern[str]
    anything: frozenset[str]
    moves: re.Pattern[str]
    several: re.Pattern[str]
    languages: frozenset[str]
    early: frozenset[str]
    late: frozenset[str]
    first_person: frozenset[str]
    other_persons: frozenset[str]
    limits: frozenset[str]
    fillers: frozenset[str]
    ways: frozenset[str]
    opening: re.Pattern[str]
    function_words: frozenset[str]
    asking: frozenset[str]
    beside: Mapping[str, frozenset[str]]

    def tell(self, table: str, which: str, /, **values: object) -> str:
        """A template with its slots filled."""
        return self.told[table][which].format(**values)


@lru_cache(maxsize=1)
def gate_words() -> Words:
    raw: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "gate.toml").read_text(encoding="utf-8"))
    negation = raw["negation"]
    return Words(
        {name: raw[name] for name in ("refused", "idle", "marked", "source")},
        {name: frozenset(listed.split()) for name, listed in raw["verbs"].items()},
        frozenset(negation["words"].split()),
        frozenset(negation["opposites"].split()),
        frozenset(words(raw["common"]["words"])),
        re.compile("|".join(re.escape(each) for each in negation["idle"])),
        {verb: frozenset(tools.split()) for verb, tools in raw["orders"].items()},
        frozenset(stem(word) for word in negation["small"].split()),
        {tool: re.compile(asked) for tool, asked in raw["shows"].items()},
        frozenset(raw["agreeing"]["words"].split()),
        re.compile(raw["withdrawing"]["part"].strip()),
        re.compile(raw["taking_back"]["part"].strip()),
        frozenset(raw["anything"]["words"].split()),
        re.compile(raw["moves"]["part"].strip()),
        re.compile(raw["several"]["part"].strip()),
        frozenset(raw["languages"]["words"].split()),
        frozenset(raw["halves"]["early"].split()),
        frozenset(raw["halves"]["late"].split()),
        frozenset(raw["sense"]["first_person"].split()),
        frozenset(raw["sense"]["other_persons"].split()),
        frozenset(raw["sense"]["limits"].split()),
        frozenset(raw["sense"]["fillers"].split()),
        frozenset(raw["sense"]["ways"].split()),
        re.compile(raw["coverage"]["opening"].strip()),
        frozenset(raw["coverage"]["function_words"].split()),
        frozenset(raw["coverage"]["asking"].split()),
        {name: frozenset(listed.split()) for name, listed in raw["beside"].items()},
    )


def content(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, folded, cut to what their forms share."""
    common = gate_words().common
    return frozenset(stem(word) for word in words(text) if word not in common and (len(word) > 2 or word.isdigit()))


def stem(word: str) -> str:
    """What a word's forms share: "rehearsals", "rehearsal" and "rehearse" begin alike."""
    for ending in ("ings", "ing", "ies", "ers", "ed", "es", "er", "s", "ly", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def plain(text: str) -> str:
    """Folded, with straight apostrophes and single spaces."""
    return " ".join(fold(text.replace("’", "'").replace("‘", "'")).split())


def spaced(name: str) -> str:
    """The words of a tool's name: "create_reminders" and "createReminders" are "create reminders"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").casefold()


def quoted(text: str, longest: int = 80) -> str:
    """A piece of a query as it is told of: one line, not too long, without the sign at its end."""
    line = " ".join(text.split()).strip(' ,;.!"“”')
    return line if len(line) <= longest else line[: longest - 2].rsplit(" ", 1)[0] + " …"


def any_of(texts: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(texts))
