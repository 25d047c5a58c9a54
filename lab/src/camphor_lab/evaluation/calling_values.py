"""Whether an argument of a predicted call is right, for the accuracies of function calling (DroidCall, section 4).

The paper compares parameters "such as title or subject" by the similarity of sentence embeddings, with 0.75 as the
threshold, and all others by equality. It names no list of the first kind and no normal form of the second. Ours:

* semantic are texts that a person composes or searches with: parameters of the roles QUERY and KEYWORD, and those with
  a word of `SEMANTIC` in their name (EXTRA_MESSAGE, event_title, search_query), of the type string without an enum. A
  gold text that is itself a number, a time, an address or a phone number is compared as one: an embedding holds "6" and
  "7" for the same. Embeddings are all-MiniLM-L6-v2's; the paper's are of the RoBERTa series.
* all others are equal after normalisation: numbers by value, phone numbers by their digits, e-mail addresses and other
  texts without case and runs of white space, dates and times as moments, lengths of time by their seconds, lists
  without regard to order and repetition (recipients, weekdays, file types: no list of the 24 functions has an order),
  objects key by key.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from camphor.tools.plans import Reference
from camphor.tools.tool import Parameter, Role
from camphor_lab.evaluation.similarity import Similarity
from camphor_lab.evaluation.values import fold

THRESHOLD = 0.75
"""Cosine from which on two semantic texts mean the same (DroidCall, section 4)."""
_COMPOSED = (
    "title",
    "description",
    "subject",
    "body",
    "message",
    "label",
    "note",
    "notes",
    "content",
    "text",
    "comment",
)
_SEARCHED = ("query", "topic", "keyword", "keywords", "caption", "reason", "summary")
SEMANTIC = frozenset((*_COMPOSED, *_SEARCHED))
"""Words of parameters' names whose texts are compared by meaning."""

Resolve = Callable[[Reference], Any]
"""What a reference of a predicted call stands for, in the gold plan's ids; None for a call without a partner."""

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?")
_PHONE = re.compile(r"\+?[\d\s().\-/]{6,}")
_EMAIL = re.compile(r"(mailto:)?[^\s@<>]+@[^\s@<>]+")
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,]*(and)?[\s,]*", re.IGNORECASE)
_SECONDS = {"h": 3600, "m": 60, "s": 1}
_TRUTHS = {"true": True, "false": False}


def seconds_of(text: str) -> float | None:
    """The seconds of a length of time such as "1 hours 30 minutes", "90 min" or "1h 5s"; None for any other text."""
    total, place = 0.0, 0
    for part in _PART.finditer(text):
        if not _BETWEEN.fullmatch(text[place : part.start()]):
            return None
        total += float(part[1]) * _SECONDS[part[2][0].lower()]
        place = part.end()
    return total if place and not text[place:].strip() else None


def is_semantic(parameter: Parameter | None, name: str) -> bool:
    """Whether values of the parameter (None: of no known tool) are right when they mean the same."""
    if parameter is not None:
        if parameter.enum or (parameter.types and "string" not in parameter.types):
            return False
        if parameter.role in (Role.QUERY, Role.KEYWORD):
            return True
        if parameter.role is not Role.TEXT:
            return False
    return not SEMANTIC.isdisjoint(name.casefold().split("_"))


def normal_form(value: Any, phone: bool = False) -> Any:
    """What two scalar values that mean the same have in common, as a tuple of a kind and a value.

    `phone` says that the value is a phone number also where it is short or is written as a number.
    """
    if isinstance(value, bool):
        return "truth", value
    if value is None:
        return "nothing", None
    text = str(value).strip()
    if moment := _moment(text):
        return "moment", moment
    if phone or (isinstance(value, str) and _PHONE.fullmatch(text) and sum(map(str.isdigit, text)) >= 6):
        digits = "".join(filter(str.isdigit, text))
        return ("phone", digits.removeprefix("00")) if digits else ("text", fold(text))
    if isinstance(value, int | float) or _NUMBER.fullmatch(text):
        number = float(text)
        return ("number", number) if math.isfinite(number) else ("text", text)
    if _EMAIL.fullmatch(text):
        return "address", fold(text).removeprefix("mailto:")
    if text.casefold() in _TRUTHS:
        return "truth", _TRUTHS[text.casefold()]
    length = seconds_of(text)
    return ("length", length) if length is not None else ("text", fold(text))


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if _MOMENT.fullmatch(text) else None
    except ValueError:  # 2026-02-30
        return None


class ArgumentMatcher:
    """Compares values of one parameter.

    Args:
        similarity: embeddings of texts. threshold: the cosine that semantic texts must reach.
    """

    def __init__(self, similarity: Similarity, threshold: float = THRESHOLD) -> None:
        self._similarity = similarity
        self._threshold = threshold

    def same(self, parameter: Parameter | None, name: str, gold: Any, predicted: Any, resolve: Resolve) -> bool:
        """Whether a predicted value of the parameter is right."""
        if isinstance(gold, Reference) or isinstance(predicted, Reference):
            both = isinstance(gold, Reference) and isinstance(predicted, Reference)
            return both and resolve(predicted) == gold.to
        if isinstance(gold, list | tuple):
            return isinstance(predicted, list | tuple) and self._lists(parameter, name, gold, predicted, resolve)
        if isinstance(gold, Mapping):
            return (
                isinstance(predicted, Mapping)
                and gold.keys() == predicted.keys()
                and all(self.same(None, str(key), gold[key], predicted[key], resolve) for key in gold)
            )
        if isinstance(predicted, list | tuple | Mapping):
            return False
        phone = parameter is not None and parameter.role is Role.PHONE
        if normal_form(gold, phone) == normal_form(predicted, phone):
            return True
        return is_semantic(parameter, name) and self._alike(gold, predicted)

    def texts(self, parameter: Parameter | None, name: str, gold: Any, predicted: Any) -> Iterator[str]:
        """The texts that `same` may have to embed for these values, for embedding many in one batch."""
        if is_semantic(parameter, name) and _composed(gold) and _composed(predicted):
            yield from (gold, predicted)

    def _lists(self, parameter: Parameter | None, name: str, gold: Any, predicted: Any, resolve: Resolve) -> bool:
        """As sets: a value that stands twice counts once."""

        def covered(these: Any, by: Any, swap: bool) -> bool:
            for one in these:
                pairs = ((other, one) if swap else (one, other) for other in by)
                if not any(self.same(parameter, name, g, p, resolve) for g, p in pairs):
                    return False
            return True

        return covered(gold, predicted, False) and covered(predicted, gold, True)

    def _alike(self, gold: Any, predicted: Any) -> bool:
        if not (_composed(gold) and _composed(predicted)):
            return False
        return self._similarity.cosine(gold, predicted) >= self._threshold


def _composed(value: Any) -> bool:
    """Whether a value is free text: no number, moment, address or length of time."""
    return isinstance(value, str) and bool(value.strip()) and normal_form(value)[0] == "text"
