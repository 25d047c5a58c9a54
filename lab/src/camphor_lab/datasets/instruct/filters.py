"""Filters stand in a row between what a language model wrote and what is kept (DroidCall, sections 3.2.1 and 3.2.3).

A filter is anything that takes a draft and gives it back, changed or not, or several in its place, or says why it is
refused. One may also remember what was kept in the end, by a method `keep`. `Chain` runs them and counts each one's
yield.

The first takes JSON out of prose, code fences, several lists and lists that break off: a scanner tries the standard
decoder wherever an object or a list may begin, and a list that is broken loses the broken entry alone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from typing import Any

from camphor.errors import CallSyntaxError, ToolError, UnknownTool
from camphor.tools import plans
from camphor.tools.plans import Plan
from camphor.tools.tool import Tool, Toolbox
from camphor.trajectories.call_samples import CallSample, sample_from_json
from camphor_lab.datasets.instruct.inferable import not_inferable
from camphor_lab.datasets.similarity import MOST, Similar

LONGEST = 1_000_000  # characters of an answer that are looked through; models write a few thousand
_DEEPEST = 64  # brackets in a row; keeps hostile text from exhausting the stack
_MOST_BROKEN = 1000  # beginnings that lead nowhere; with each the rest of the text may be read once


def json_values(text: str) -> Iterator[Any]:
    """The outermost complete JSON objects and lists in a text, in order.

    In a list or object that never closes, those that are whole within it are the outermost. Numbers that JSON does not
    know (NaN) make a value incomplete.
    """
    decoder = json.JSONDecoder(parse_constant=_refuse)
    text = text[:LONGEST]
    place, end, broken = 0, len(text), 0
    while (place := _next_opening(text, place)) < end and broken < _MOST_BROKEN:
        if _too_deep(text, place):
            place += 1
            continue
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            broken += 1
            place += 1
            continue
        yield value


def objects_with(key: str, text: str) -> list[Mapping[str, Any]]:
    """The objects in a text that have a key, in order, however lists and objects without it are wrapped around them."""
    return [found for value in json_values(text) for found in _within(value, key)]


def _within(value: Any, key: str) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        if key in value:
            yield value
        else:
            for each in value.values():
                yield from _within(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from _within(each, key)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _next_opening(text: str, place: int) -> int:
    found = [at for at in (text.find("{", place), text.find("[", place)) if at >= 0]
    return min(found, default=len(text))


def _too_deep(text: str, place: int) -> bool:
    """Whether so many brackets open at once that no answer means it."""
    run = text[place : place + _DEEPEST]
    return len(run) == _DEEPEST and not run.strip("[{ \n")


LONGEST_QUERY = 2000  # characters; people say less
_LOOKS_LIKE_A_REFERENCE = re.compile(r"#\d{1,6}")


@dataclass(frozen=True)
class Draft:
    """Something on its way through the filters.

    Args:
        text: what the model wrote, at first a whole answer, later one object.
        tools: the functions that it was offered. now: the clock that it was told.
        complex: whether every one of the functions is to be used, else one in one call.
        sample: what was read from the text, once it was.
    """

    text: str
    tools: tuple[Tool, ...] = ()
    now: datetime | None = None
    complex: bool = False
    sample: CallSample | None = None

    @property
    def query(self) -> str:
        return self.sample.query if self.sample else ""


@dataclass(frozen=True)
class DraftRefused:
    """A draft goes no further. `reason` is the kind of fault, which is counted; `why` the evidence, in words."""

    reason: str
    why: str = ""


Filter = Callable[[Draft], "Draft | Sequence[Draft] | DraftRefused"]


@dataclass(frozen=True)
class FilterOutcome:
    """What became of a draft: kept, or refused by the filter of that name."""

    draft: Draft
    refused: DraftRefused | None = None
    by: str = ""


@dataclass
class Count:
    """A filter's yield: drafts that came in and that went out, and why others did not."""

    taken: int = 0
    passed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        return {"in": self.taken, "out": self.passed, "reasons": dict(self.reasons.most_common())}


class Chain:
    """Filters in a row. `counts` has each one's yield by its name, in the order of the row."""

    def __init__(self, filters: Iterable[Filter]) -> None:
        self._filters: list[tuple[str, Filter]] = []
        for each in filters:
            name = getattr(each, "__name__", type(each).__name__)
            same = sum(known.partition(" ")[0] == name for known, _ in self._filters)
            self._filters.append((f"{name} {same + 1}" if same else name, each))
        self.counts = {name: Count() for name, _ in self._filters}

    def __call__(self, draft: Draft) -> Iterator[FilterOutcome]:
        """What becomes of a draft and of those that are made from it, one after the other.

        A draft goes through all filters before the next one does: what is kept is known to the filters at once.
        """
        return self._from(0, draft)

    def _from(self, place: int, draft: Draft) -> Iterator[FilterOutcome]:
        if place == len(self._filters):
            for _, each in self._filters:
                keep = getattr(each, "keep", None)
                if keep is not None:
                    keep(draft)
            yield FilterOutcome(draft)
            return
        name, filter_ = self._filters[place]
        count, made = self.counts[name], filter_(draft)
        count.taken += 1
        if isinstance(made, DraftRefused):
            count.reasons[made.reason] += 1
            yield FilterOutcome(draft, made, name)
            return
        drafts = [made] if isinstance(made, Draft) else list(made)
        count.passed += len(drafts)
        for one in drafts:
            yield from self._from(place + 1, one)


class JsonExtractor:
    """Takes the complete JSON objects that have a query out of an answer, whatever stands around them."""

    def __call__(self, draft: Draft) -> list[Draft] | DraftRefused:
        found = objects_with("query", draft.text)
        if found:
            return [replace(draft, text=json.dumps(each, ensure_ascii=False)) for each in found]
        if not draft.text.strip():
            return DraftRefused("nothing was written")
        broken = "{" in draft.text
        return DraftRefused("no whole JSON object with a query" if broken else "prose", _shown(draft.text))


class FormatFilter:
    """Reads a sample from an object and holds it to its functions.

    Known functions and parameters, the required ones given, values of their types, ids once each, references to earlier
    calls; of a simple sample one call, of a complex one two or more with every function used. Values in another type
    that say the same ("8" for 8) are put right. Keys that DroidCall's form does not have are left out.
    """

    def __call__(self, draft: Draft) -> Draft | DraftRefused:
        try:
            data = json.loads(draft.text)
            sample = sample_from_json({key: data.get(key) for key in ("query", "answers") if key in data})
        except (ValueError, AttributeError, TypeError, RecursionError) as error:
            return DraftRefused("not in the form of a sample", str(error))
        query = " ".join(sample.query.split())
        if len(query) > LONGEST_QUERY:
            return DraftRefused("too long", f"{len(query):,} characters, and {LONGEST_QUERY:,} are allowed")
        if broken := _amiss(draft, sample):
            return broken
        try:
            answers = _typed(sample.answers, draft.tools)
        except ToolError as error:
            return DraftRefused(_problem_of(error), str(error))
        tags = ("complex",) if draft.complex else ("simple",)
        nested = ("nested",) if '"#' in json.dumps(sample.to_json()["answers"]) else ()
        return replace(draft, sample=replace(sample, query=query, answers=answers, now=draft.now, tags=tags + nested))


def _amiss(draft: Draft, sample: CallSample) -> DraftRefused | None:
    """What is wrong with the number of calls."""
    names = [call.name for call in sample.answers]
    if not names:
        return DraftRefused("no calls")
    offered = {tool.name for tool in draft.tools}
    if strange := next((name for name in names if name not in offered), None):
        return DraftRefused("a function that was not offered", strange[:80])
    if not draft.complex:
        return DraftRefused("more than one call", ", ".join(names)) if len(names) > 1 else None
    if unused := sorted(offered.difference(names)):
        return DraftRefused("a function is not used", ", ".join(unused))
    return DraftRefused("only one call", names[0]) if len(names) < 2 else None


def _typed(plan: Plan, tools: Sequence[Tool]) -> Plan:
    """The plan with its values in the types that the functions declare.

    Raises:
        UnknownTool: no such function. ArgumentError: a parameter is unknown or missing, a value of another type, or a
        reference that is not to an earlier call. CallSyntaxError: a value that looks like a reference and is none.
    """
    for place, call in enumerate(plan):
        for text in _texts(call.arguments):
            if _LOOKS_LIKE_A_REFERENCE.fullmatch(text):
                raise CallSyntaxError(f"call {place} ({call.name[:80]}) uses {text}, and there is no such call")
    return plans.check(plan, Toolbox(tools))


def _problem_of(error: ToolError) -> str:
    """The kind of fault that an error of `_typed` tells of."""
    if isinstance(error, UnknownTool):
        return "an unknown function"
    if isinstance(error, CallSyntaxError):
        return "a reference to no call"
    return "a parameter or value that the function does not take"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from _texts(each)


class SimilarityFilter:
    """Refuses a query that is too like one that was kept: ROUGE-L F above `most`.

    Args:
        queries: those that are kept already, such as a test set's.
    """

    def __init__(self, queries: Iterable[str] = (), most: Fraction | float = MOST) -> None:
        self._similar = Similar(most)
        for query in queries:
            self._similar.add(query)

    def __call__(self, draft: Draft) -> Draft | DraftRefused:
        found = self._similar.find(draft.query)
        return DraftRefused("like an earlier query", f"{found.score:.2f}: {found.text}") if found else draft

    def keep(self, draft: Draft) -> None:
        self._similar.add(draft.query)


class InferableFilter:
    """Refuses a sample with a value that nobody could know from its query.

    What a value was computed from is kept with the sample, as `said`.
    """

    def __call__(self, draft: Draft) -> Draft | DraftRefused:
        if draft.sample is None:
            return DraftRefused("no sample was read")
        said: dict[str, str] = {}
        faults = not_inferable(draft.sample.query, draft.sample.answers, draft.tools, draft.now, said)
        if faults:
            return DraftRefused("a value that the query does not tell", "; ".join(map(str, faults)))
        clock = draft.sample.now
        if clock and not not_inferable(draft.sample.query, draft.sample.answers, draft.tools, None):
            clock = None  # the answer does not turn on it
        return replace(draft, sample=replace(draft.sample, said=said, now=clock))


class PlainQueryFilter:
    """Refuses a query that no person says: one with names of functions, blanks to fill in, or a call."""

    _BLANK = re.compile(r"\[[^\]]*\]|\{[^}]*\}|<[^>]*>|_{3,}|\bX{3,}\b")

    def __call__(self, draft: Draft) -> Draft | DraftRefused:
        said = draft.query.casefold()
        for tool in draft.tools:
            name = tool.name.casefold()
            if name in said and "_" in name:
                return DraftRefused("names a function", tool.name)
        if found := self._BLANK.search(draft.query):
            return DraftRefused("a blank to fill in", found[0])
        return draft


def usual_filters(queries: Iterable[str] = ()) -> list[Filter]:
    """The paper's three and ours, the one that remembers last.

    Args:
        queries: what new queries must also differ from.
    """
    return [JsonExtractor(), FormatFilter(), PlainQueryFilter(), InferableFilter(), SimilarityFilter(queries)]


def yields(counts: Mapping[str, Count]) -> dict[str, Any]:
    """The yield of each filter as JSON."""
    return {name: count.to_json() for name, count in counts.items()}


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:157] + "..."
