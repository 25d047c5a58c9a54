"""The list of questions: what is asked about which kind of complaint, in which order, and what answers it already."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

MOST = 5
"""Questions of a talk, those that are put a second time included."""
GENERAL = ("duration", "severity", "age", "pregnancy", "medicines", "allergies", "tried")
"""Questions that can be asked about any complaint; the others belong to a kind."""
_NEVER = re.compile(r"(?!)")
_THEY = {"you": "they", "your": "their", "yourself": "themselves", "You": "They", "Your": "Their"}


@dataclass(frozen=True)
class InterviewQuestion:
    """A question of the list.

    Attributes:
        ask, again: how it is put at first, and how once more. why: answers "why do you ask?".
        source: the public page that says that this is to be asked.
        form: what an answer to it looks like; None where any may be one. told: what answers it unasked.
    """

    id: str
    ask: str
    again: str
    why: str
    source: str
    told: re.Pattern[str]
    form: re.Pattern[str] | None = None

    @property
    def is_closed(self) -> bool:
        """Whether yes or no is an answer."""
        return re.match(r"(?:which|what|when|how|since|left)\b", self.ask.casefold()) is None

    def put(self, *, again: bool, other: bool) -> str:
        """The words of the question. other: it is about somebody else."""
        words = self.again if again else self.ask
        return re.sub(r"\b(?:you|your|yourself)\b", lambda each: _THEY[each[0]], words, flags=re.I) if other else words


@dataclass(frozen=True)
class ComplaintKind:
    """A kind of complaint: the specialists whose it is, and the ids of what is asked, in order.

    `only`: a question is put only where the complaint has such words.
    """

    name: str
    of: tuple[str, ...]
    asks: tuple[str, ...]
    only: Mapping[str, re.Pattern[str]] = field(default_factory=dict)

    def fitting(self, complaint: str) -> Iterator[str]:
        """The ids of what is to be asked about a complaint, in lower case."""
        return (each for each in self.asks if each not in self.only or self.only[each].search(complaint))


@dataclass(frozen=True)
class Questions:
    """All questions, by id, and all kinds."""

    by_id: Mapping[str, InterviewQuestion]
    kinds: tuple[ComplaintKind, ...]
    words: Mapping[str, str] = field(default_factory=dict)

    def kind_of(self, specialist: str) -> ComplaintKind:
        """The kind of complaint that a specialist sees; the general one where there is none."""
        return next((kind for kind in self.kinds if specialist in kind.of), self.kinds[-1])

    def told(self, text: str) -> frozenset[str]:
        """The ids of the questions that words said unasked answer; `text` as `spelling.normal` has it."""
        return frozenset(name for name, each in self.by_id.items() if each.told.search(text))

    def topic_of(self, words: str) -> str:
        """The id of the question that words put to a person end with; "" for none."""
        for name, each in self.by_id.items():
            put = (each.put(again=again, other=other) for again in (False, True) for other in (False, True))
            if words.endswith(tuple(put)):
                return name
        return ""


@lru_cache(maxsize=1)
def read_questions() -> Questions:
    """The list that ships."""
    raw = tomllib.loads(files(__package__).joinpath("questions.toml").read_text(encoding="utf-8"))
    words = raw["words"]

    def pattern(text: str) -> re.Pattern[str]:
        return compiled(text, words)

    def question(name: str, row: Mapping[str, str]) -> InterviewQuestion:
        told = pattern(row["told"]) if "told" in row else _NEVER
        form = pattern(row["form"]) if "form" in row else None
        return InterviewQuestion(name, row["ask"], row["again"], row["why"], row["source"], told, form)

    by_id = {name: question(name, row) for name, row in raw["questions"].items()}
    kinds = tuple(
        ComplaintKind(
            row["name"],
            tuple(row["of"]),
            tuple(row["asks"]),
            {name: pattern(text) for name, text in row.get("only", {}).items()},
        )
        for row in raw["kinds"]
    )
    return Questions(by_id, kinds, words)


def compiled(text: str, words: Mapping[str, str]) -> re.Pattern[str]:
    """A pattern whose <names> stand for other patterns."""
    while found := re.search(r"(?<!\(\?P)<(\w+)>", text):
        text = text.replace(found[0], words[found[1]])
    return re.compile(text)
