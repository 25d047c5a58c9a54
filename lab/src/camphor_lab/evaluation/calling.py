"""Accuracy and soft accuracy of function calling (DroidCall, section 4), for a sample and for a dataset.

Accuracy is the share of samples whose calls are all right, and no others. Soft accuracy is the mean, over calls, of the
share of a call's parameters that are right. What the paper leaves open, and what is done here:

* Order. Gold and predicted calls of one name are paired as gives the highest sum of shares; the order in which calls
  stand does not matter.
* References. The result of an earlier call is right where it is the result of the call that is paired with the gold
  one; what the ids are does not matter.
* P_total is the union of the parameters that the gold and the predicted call give: one that stands in only one of them
  is wrong, also where it says what the default is. A null is not given. A call without parameters on both sides is
  right, 1 of 1.
* A gold call that no predicted call is paired with counts 0, and so does a predicted call that no gold call is paired
  with: F is the number of gold calls and superfluous ones.
* A sample without gold calls is right when nothing is called. It adds no call to the soft accuracy unless something is.

How values are compared is in `calling_values`.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from camphor.tools.plans import Plan, Reference, references
from camphor.tools.tool import Parameter, Role, Tool
from camphor.types import Call
from camphor_lab.evaluation.metrics import percentiles, resample
from camphor_lab.evaluation.values import Similarity, fold, given

# Whether an argument of a predicted call is right, for the accuracies of function calling (DroidCall, section 4).
#
# The paper compares parameters "such as title or subject" by the similarity of sentence embeddings, with 0.75 as the
# threshold, and all others by equality. It names no list of the first kind and no normal form of the second. Ours:
#
# * semantic are texts that a person composes or searches with: parameters of the roles QUERY and KEYWORD, and those
#   with a word of `SEMANTIC` in their name (EXTRA_MESSAGE, event_title, search_query), of the type string without an
#   enum. A gold text that is itself a number, a time, an address or a phone number is compared as one: an embedding
#   holds "6" and "7" for the same. Embeddings are all-MiniLM-L6-v2's; the paper's are of the RoBERTa series.
# * all others are equal after normalisation: numbers by value, phone numbers by their digits, e-mail addresses and
#   other texts without case and runs of white space, dates and times as moments, lengths of time by their seconds,
#   lists without regard to order and repetition (recipients, weekdays, file types: no list of the 24 functions has an
#   order), objects key by key.

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


MOST_PAIRINGS = 5000
"""Pairings that are tried; beyond it calls of one name are paired in order (a model that repeats itself endlessly)."""


@dataclass(frozen=True)
class CallScore:
    """One gold call with what was predicted for it, or a superfluous call, whose `correct` is 0."""

    name: str
    correct: int
    total: int
    superfluous: bool = False

    @property
    def share(self) -> float:
        return self.correct / self.total


@dataclass(frozen=True)
class PlanScore:
    """One sample: its calls, gold ones in order first; `right` as accuracy counts."""

    calls: tuple[CallScore, ...]

    @property
    def right(self) -> bool:
        return all(call.correct == call.total for call in self.calls)

    def to_json(self) -> dict[str, Any]:
        shown = [[c.name, c.correct, c.total, *([True] if c.superfluous else [])] for c in self.calls]
        return {"right": self.right, "calls": shown}


class PlanScorer:
    """Scores plans of calls.

    Args:
        tools: all that a dataset's calls may name; what a parameter means is read off them.
        matcher: compares values.
    """

    def __init__(self, tools: Sequence[Tool], matcher: ArgumentMatcher) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._matcher = matcher

    def score(self, gold: Plan, predicted: Plan) -> PlanScore:
        """The score under the best pairing of the calls."""
        return max((self._paired(gold, predicted, pairs) for pairs in _pairings(gold, predicted)), key=_sum)

    def texts(self, gold: Plan, predicted: Plan) -> Iterator[str]:
        """The texts that `score` may have to embed, for embedding those of many samples in one batch."""
        for one, other in itertools.product(gold, predicted):
            wanted, got = given(one), given(other)
            if one.name == other.name:
                for name in wanted.keys() & got.keys():
                    yield from self._matcher.texts(self._parameter(one.name, name), name, wanted[name], got[name])

    def _paired(self, gold: Plan, predicted: Plan, pairs: Mapping[int, int]) -> PlanScore:
        """`pairs` has the predicted call of each gold call that has one."""
        back = {p: g for g, p in pairs.items()}
        scores = []
        for place, call in enumerate(gold):
            other = predicted[pairs[place]] if place in pairs else None
            scores.append(self._call(call, other, lambda reference: back.get(reference.to)))
        extra = [call for place, call in enumerate(predicted) if place not in back]
        scores += [CallScore(call.name, 0, max(1, len(given(call))), superfluous=True) for call in extra]
        return PlanScore(tuple(scores))

    def _call(self, gold: Call, predicted: Call | None, resolve: Callable[[Reference], Any]) -> CallScore:
        wanted = given(gold)
        if predicted is None:
            return CallScore(gold.name, 0, max(1, len(wanted)))
        got = given(predicted)
        if not wanted and not got:
            return CallScore(gold.name, 1, 1)
        right = sum(
            self._matcher.same(self._parameter(gold.name, name), name, wanted[name], got[name], resolve)
            for name in wanted.keys() & got.keys()
        )
        return CallScore(gold.name, right, len(wanted.keys() | got.keys()))

    def _parameter(self, tool: str, name: str) -> Parameter | None:
        return self._tools[tool].parameter(name) if tool in self._tools else None


def _sum(score: PlanScore) -> float:
    return sum(call.share for call in score.calls)


def _pairings(gold: Plan, predicted: Plan) -> Iterator[dict[int, int]]:
    """The ways to pair as many calls of equal names as there are; only that in order where there are too many."""
    by_name = []
    for name in dict.fromkeys(call.name for call in gold):
        mine = [place for place, call in enumerate(gold) if call.name == name]
        theirs = [place for place, call in enumerate(predicted) if call.name == name]
        by_name.append((mine, theirs))
    ways = math.prod(math.perm(max(len(m), len(t)), min(len(m), len(t))) for m, t in by_name)
    if ways > MOST_PAIRINGS:
        yield {m: t for mine, theirs in by_name for m, t in zip(mine, theirs, strict=False)}
        return
    for choice in itertools.product(*(list(_ways(mine, theirs)) for mine, theirs in by_name)):
        yield {m: t for part in choice for m, t in part}


def _ways(mine: Sequence[int], theirs: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    if len(mine) <= len(theirs):
        for chosen in itertools.permutations(theirs, len(mine)):
            yield tuple(zip(mine, chosen, strict=True))
    else:
        for chosen in itertools.permutations(mine, len(theirs)):
            yield tuple(zip(chosen, theirs, strict=True))


@dataclass(frozen=True)
class ScoredSample:
    """A sample's score, and what tables group by. `error` is what broke, if something did."""

    id: str
    gold: Plan
    score: PlanScore
    tags: tuple[str, ...] = ()
    seconds: float = 0.0
    error: str | None = None


def kinds_of(gold: Plan) -> tuple[str, ...]:
    """Which of the reported kinds a sample is: none, simple (one call), complex (more), nested (a call uses another's
    result)."""
    if not gold:
        return ("none",)
    kinds = ["simple" if len(gold) == 1 else "complex"]
    if len(gold) > 1:
        kinds.append(f"{len(gold)} calls")
    return (*kinds, "nested") if any(any(references(call)) for call in gold) else tuple(kinds)


def measure(samples: Sequence[ScoredSample], seed: int = 0) -> dict[str, Any]:
    """All metrics as JSON values, from 0 to 1, None where there is nothing to count; intervals are 95% bootstrap ones
    over samples (Efron 1979; `seed` decides the resamples).

    `by_kind` has "simple", "complex", "2 calls", "nested" and "none"; `by_tag` the dataset's own tags; `by_function`
    for each function its gold calls, the share of them that is all right, the
    soft accuracy, and its superfluous calls.
    """
    groups: dict[str, dict[str, list[ScoredSample]]] = {"by_kind": {}, "by_tag": {}}
    for sample in samples:
        for key in kinds_of(sample.gold):
            groups["by_kind"].setdefault(key, []).append(sample)
        for key in sample.tags:
            groups["by_tag"].setdefault(key, []).append(sample)
    times = [sample.seconds for sample in samples]
    return {
        **_summary(samples, seed),
        "errors": sum(sample.error is not None for sample in samples),
        "seconds": {"mean": round(float(np.mean(times)), 4) if times else None},
        **{group: {key: _summary(made[key], seed) for key in sorted(made)} for group, made in groups.items()},
        "by_function": _by_function(samples),
    }


def _summary(samples: Sequence[ScoredSample], seed: int) -> dict[str, Any]:
    right = np.array([sample.score.right for sample in samples], dtype=float)
    shares = np.array([sum(call.share for call in sample.score.calls) for sample in samples])
    calls = np.array([len(sample.score.calls) for sample in samples], dtype=float)
    size = len(samples)
    if not size:
        return {"items": 0, "calls": 0, "accuracy": None, "soft_accuracy": None, "interval_95": {}}
    weights = resample(size, seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        soft = (weights @ shares) / (weights @ calls)
    return {
        "items": size,
        "calls": int(calls.sum()),
        "accuracy": round(float(right.mean()), 4),
        "soft_accuracy": round(float(shares.sum() / calls.sum()), 4) if calls.sum() else None,
        "interval_95": {"accuracy": percentiles(weights @ right / size), "soft_accuracy": percentiles(soft)},
    }


def _by_function(samples: Sequence[ScoredSample]) -> dict[str, dict[str, Any]]:
    found: dict[str, list[CallScore]] = {}
    extra: dict[str, int] = {}
    for call in (call for sample in samples for call in sample.score.calls):
        if call.superfluous:
            extra[call.name] = extra.get(call.name, 0) + 1
        else:
            found.setdefault(call.name, []).append(call)
    return {
        name: {
            "calls": len(calls := found.get(name, [])),
            "right": round(sum(c.correct == c.total for c in calls) / len(calls), 4) if calls else None,
            "soft_accuracy": round(sum(c.share for c in calls) / len(calls), 4) if calls else None,
            "superfluous": extra.get(name, 0),
        }
        for name in sorted(found.keys() | extra.keys())
    }
