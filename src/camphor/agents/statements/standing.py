"""What a capable model may tell: its sentences, each held against what was said and what was found.

A sentence is *found* where all its values (times, figures, names) stand in records or in the person's words, or can be
reckoned from them. It is *general* where it has others and does not speak of the person or their phone: knowledge of
the world, which is the model's own. Else it is *unchecked*, and is told with the values that the phone does not have
beside what it has: what a good model reckons is right far more often than code can follow. *Made up* are an hour or a
day of the phone where nothing was looked up, and numbers and addresses that can only be copied and stand nowhere: these
are not told; nor is that something was done, which code alone tells.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from camphor.agents.answers import ASKS_OF_DEEDS, claims
from camphor.agents.gate.scene import Scene
from camphor.agents.gate.words import content, stem
from camphor.agents.parts import PartKind, asks_to_be_told
from camphor.agents.statements.support import Support, ValueKind
from camphor.agents.statements.times import values_of_time, without_times
from camphor.agents.statements.words import pattern, word_list
from camphor.device.text import fold, without_unseen, words
from camphor.device.when.fragments import TimeKind

_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)\]*_]*\s+(?=[\"'“‘(\[*_¿¡]*[^\sa-z])|\n+")
_SHORT = re.compile(r"(?:\b(?:mr|mrs|ms|dr|st|prof|no|vs|etc|approx|e\.g|i\.e|a\.m|p\.m|[A-Z])\.)$", re.IGNORECASE)
_REPEATED = 300  # characters
_REPEATS = 12  # times as long as it is when packed; prose is two to four times
LONGEST = 4000
"""Characters of an answer that are told."""


class Standing(StrEnum):
    """What a sentence rests on."""

    FOUND = "found"
    GENERAL = "general"
    UNCHECKED = "unchecked"
    MADE_UP = "made up"
    CLAIMED = "claimed"  # says that something was done


def sentences(text: str) -> list[str]:
    """The sentences and lines of an answer, in order."""
    found: list[str] = []
    for piece in _SENTENCE.split(text):
        if not piece.strip():
            continue
        if found and _SHORT.search(found[-1]):
            found[-1] += f" {piece.strip()}"
        else:
            found.append(piece.strip())
    return found


@dataclass(frozen=True)
class Judged:
    """What a sentence rests on, and its values that nothing bears out, as written."""

    standing: Standing
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Statements:
    """What an answer to a query can rest on.

    Args:
        scene: the query with what was said and found. looked_up: whether something was looked up for this query;
            web_alone: in the web only, whose answers go with what the model knows of the calendar. attempted: whether
            the model called an action, done or not.
    """

    scene: Scene
    looked_up: bool
    web_alone: bool = False
    attempted: bool = False
    _known: dict[str, Judged] = field(default_factory=dict)

    def standing(self, sentence: str) -> Standing:
        """What one sentence of an answer rests on."""
        return self.judge(sentence).standing

    def judge(self, sentence: str) -> Judged:
        """The same with its unknown values; kept, as a sentence that is being written is asked about again."""
        if sentence not in self._known:
            self._known[sentence] = self._judged(sentence)
        return self._known[sentence]

    def _judged(self, sentence: str) -> Judged:
        if self._claims(sentence):
            return Judged(Standing.CLAIMED)
        sentence = pattern("emergency").sub(" ", sentence)
        if pattern("opinion").search(sentence):
            sentence = without_times(sentence, self.scene.now)
        if self.web_alone:
            sentence = without_times(sentence, self.scene.now, TimeKind.DAY)
        personal = self.personal(sentence)
        unknown = self._support.unknown(sentence, names=personal)
        if not unknown:
            return Judged(Standing.FOUND)
        if not personal:
            return Judged(Standing.GENERAL)
        kinds = {each.kind for each in unknown}
        nowhere = ValueKind.COPIED in kinds or (ValueKind.TIME in kinds and not self.scene.records)
        texts = tuple(dict.fromkeys(each.text for each in unknown))
        return Judged(Standing.MADE_UP if nowhere else Standing.UNCHECKED, texts)

    def personal(self, sentence: str) -> bool:
        """Whether a sentence speaks of the person, or of what is on their phone."""
        if self.of_the_phone or self._people & set(words(sentence)):
            return True
        told = pattern("person").search(sentence)
        kept = {fold(word) for word in words(sentence)} & word_list("kept")
        return bool(kept and (told or values_of_time(sentence, self.scene.now))) or bool(
            told and values_of_time(sentence, self.scene.now)
        )

    @cached_property
    def _support(self) -> Support:
        return Support(self.scene)

    @cached_property
    def of_the_phone(self) -> bool:
        """Whether the query is about what is on the phone, as far as its words and the look-ups tell."""
        return self.looked_up or bool(pattern("own").search(self.scene.query))

    @cached_property
    def nothing_done(self) -> bool:
        """Where no action was done: whether the query wishes for one, or the model called one."""
        wishes = any(part.kind is PartKind.WISH and part.orders for part in self.scene.parts)
        return self.attempted or (wishes and not asks_to_be_told(self.scene.query))

    def _claims(self, sentence: str) -> bool:
        """Whether a sentence says that something was done for the person, which only earlier turns can bear out."""
        query = self.scene.query
        wishes = any(part.kind is PartKind.WISH or part.orders for part in self.scene.parts)
        wished = wishes and not asks_to_be_told(query)
        if not (wished or self.of_the_phone or self.scene.turn.actions):
            return False  # a tale, a joke
        if claims(sentence, "") or pattern("deeds").search(sentence):
            return not (ASKS_OF_DEEDS.search(query) and any(turn.actions for turn in self.scene.history))
        done = pattern("done").search(sentence)
        if done is None:
            return False
        if wished or not self.looked_up:
            return True
        known = {stem(word) for word in self._support.known_words}  # a record may say that something was paid
        return any(stem(word) not in known for word in content(done[0]))

    @cached_property
    def _people(self) -> frozenset[str]:
        return frozenset(
            word for each in self.scene.people for word in words(str(each.get("name") or "")) if len(word) > 2
        )


def so_far(text: str, statements: Statements) -> str:
    """What of an answer that is still being written may be shown: up to its first sentence that is not told as it is.

    A figure is held back until it is whole.
    """
    if "<|" in text or degenerate(text):
        return ""
    last = re.split(r"\s", text)[-1]
    text = plain_text(text[:LONGEST])
    if text.endswith(last) and any(each.isdigit() for each in last[-40:]):
        text = text[: len(text) - len(last)]
    told: list[str] = []
    for sentence in sentences(text):
        if statements.standing(sentence) not in (Standing.FOUND, Standing.GENERAL):
            break
        told.append(sentence)
    else:
        return plain_text(text)
    return plain_text(" ".join(told))


def degenerate(text: str) -> bool:
    """Whether a text is a few words over and over, as a model writes that has lost its way."""
    return len(text) > _REPEATED and len(zlib.compress(text.encode())) * _REPEATS < len(text.encode())


def plain_text(text: str) -> str:
    """A model's answer as a person may be shown it: no control characters, no pictures from elsewhere."""
    text = without_unseen(text)
    text = re.sub(r"<(script|style)\b.*?(?:</\1\s*>|$)", "", text, flags=re.DOTALL | re.IGNORECASE)
    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^\]]+)\]\((?:https?:)?//[^)]*\)", r"\1", text)
    text = re.sub(r"<[a-zA-Z!/][^>]{0,400}>", "", text)
    return text.strip()
