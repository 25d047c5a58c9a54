"""What maps lines of public sets onto the 24 functions: words of times and settings, and samples that are checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import time
from pathlib import Path
from typing import Any

from camphor.device.android.toolbox import android_toolbox
from camphor.device.when import WhenError
from camphor.device.when.events import weekdays_of
from camphor.errors import DatasetError, ToolError
from camphor.tools.plans import Plan, Reference, check
from camphor.trajectories.call_samples import CallSample
from camphor.types import Call
from camphor_lab.datasets.files import read_lines
from camphor_lab.datasets.instruct.said import SaidInQuery

# What each settings screen is about, as people name it; the first words of a screen are those that name it alone.
SETTINGS: Mapping[str, str] = {
    "wifi": r"wi-?fi|wireless lan",
    "bluetooth": r"bluetooth",
    "airplane_mode": r"(?:air|aero)plane mode|flight mode",
    "apn": r"apns?|access points? names?|access point",
    "date": r"time ?zones?|date(?: and |/| & )time|time and date|date(?: format)?|24-hour|the time|daylight saving",
    "locale": r"(?:system |phone'?s? |device |display |default |app |interface )?languages?|locale|regional?",
    "input_method": r"keyboards?|input methods?|autocorrect|predictive text|typing|voice input|handwriting",
    "display": r"brightness|display|dark mode|font(?: size)?|text size|screen timeout|wallpaper|night light|blue light",
    "security": r"security|screen lock|lock ?screen|fingerprint|passwords?|pin|face unlock|device admin\w*|encrypt\w*",
    "location": r"location(?: services?)?|gps",
    "memory_card": r"(?:sd|memory) ?cards?|external storage",
    "internal_storage": r"(?:internal |phone |device )?storage|disk space|free up space|space on my (?:phone|device)",
}
_WAKES = re.compile(r"\b(?:wake|get (?:me )?up|breakfast)\b", re.IGNORECASE)
_MARKS = "?!.,;: "
_COMPUTED = frozenset(("setting_type", "key", "data_type", "mime_type", "mime_types", "engine"))


class Unmapped(Exception):
    """A line that maps to none of the functions; the message is the kind of reason, for counting."""


def words_of(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


def public_lines(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """The lines of a set: of every JSONL file in folders and of every file whose name begins with the set's.

    Raises:
        DatasetError: a line that is no JSON object.
    """
    for path in sorted({*folder.glob(f"{name}*/*.jsonl"), *folder.glob(f"{name}*.jsonl")}):
        for number, line in read_lines(path):
            if not isinstance(line, dict):
                raise DatasetError(str(path), number, "expected a JSON object")
            yield line


def mapped_sample(
    identity: str, query: str, plan: Plan, said: Mapping[str, str] | None = None, tags: tuple[str, ...] = ()
) -> CallSample:
    """A sample whose values are of the functions' types and, those that are texts, in the query.

    Args:
        said: as in a sample, the words of values that were computed.

    Raises:
        Unmapped: a value is of a wrong type, a required one is missing, or a text is not in the query.
    """
    said = dict(said or {})
    try:
        checked = check(plan, android_toolbox())
    except ToolError:
        raise Unmapped("a required value is not said") from None
    for place, call in enumerate(checked):
        for name, value in call.arguments.items():
            if name not in _COMPUTED and f"{place}.{name}" not in said and not _within(value, query):
                raise Unmapped("a value is not in the query")
    for words in said.values():
        if words.casefold() not in query.casefold():
            raise Unmapped("the words of a value are not in the query")
    return CallSample(identity, query, checked, None, said, tags)


def _within(value: Any, query: str) -> bool:
    if isinstance(value, str):
        return _plain(value) in _plain(query)
    if isinstance(value, Mapping):
        return all(_within(each, query) for each in value.values())
    if isinstance(value, list | tuple):
        return all(_within(each, query) for each in value)
    return isinstance(value, bool | Reference)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w@.']+", " ", text.casefold()).split())


def find_span(query: str, text: Any) -> tuple[int, int]:
    """Where a value stands in the query, as whole words, ignoring case.

    Raises:
        Unmapped: it is no text, or is not there exactly once.
    """
    if not isinstance(text, str) or not text.strip():
        raise Unmapped("no plain value")
    found = list(re.finditer(rf"(?<!\w){re.escape(text.strip())}(?!\w)", query, re.IGNORECASE))
    if len(found) != 1:
        raise Unmapped("a value is not in the query once")
    return found[0].span()


def rest_of(query: str, *spans: tuple[int, int]) -> list[str]:
    """The words of the query outside the spans, in lower case."""
    kept = list(query.casefold())
    for start, end in spans:
        kept[start:end] = " " * (end - start)
    return re.findall(r"[\w'@]+", "".join(kept))


def need_only(words: Collection[str], carriers: Collection[str]) -> None:
    """Raises Unmapped where a word says something that the calls would lose."""
    if any(word not in carriers for word in words):
        raise Unmapped("says more than the function takes")


def one_clock(query: str) -> tuple[time, str]:
    """The one time of day in a query, and its words. Who wants to be woken at six means the morning.

    Raises:
        Unmapped: there is none, more than one, or which half of the day it is in stays open.
    """
    clocks = SaidInQuery(query).clocks
    early = min(clocks, default=(0, 0))
    if clocks == {early, (early[0] + 12, early[1])} and 4 <= early[0] <= 11 and _WAKES.search(query):
        return time(*early), _longest(query, lambda words: SaidInQuery(words).clocks == clocks)
    if len(clocks) > 1:
        raise Unmapped("more than one time of day, or a half of the day that is open")
    words = _longest(query, lambda words: SaidInQuery(words).clocks == clocks) if clocks else ""
    if not words:
        raise Unmapped("no time of day")
    return time(*early), words


def one_length(query: str) -> tuple[float, str]:
    """The one length of time in a query, in seconds, and its words.

    Raises:
        Unmapped: there is none, or several that do not make one.
    """
    lengths = SaidInQuery(query).lengths
    longest = max(lengths, default=0.0)
    words = _shortest(query, lambda words: longest in SaidInQuery(words).lengths) if longest else ""
    counted = (
        re.search(r"\b(?:an?|one|1) $", query[: query.find(words)]) if words[:4] == "hour" else None
    )  # "hour" is one hour, too
    words = (counted.group() if counted else "") + words
    unit = re.match(r" (?:minutes?|mins?|seconds?|secs?)\b", query[query.find(words) + len(words) :]) if words else None
    words += unit.group() if unit else ""
    if not words or SaidInQuery(query.replace(words, " , ")).lengths:
        raise Unmapped("no one length of time")
    return longest, words


def _longest(query: str, fits: Callable[[str], bool]) -> str:
    """The words that say a clock: the fewest that mean it, with its half of the day, without what stands around."""
    words = _shortest(query, fits)
    more = re.search(
        rf"{re.escape(words)}(?: o'?clock)?(?: ?[ap]\.?m\b\.?)?"
        r"(?: (?:in|at|of) (?:the )?(?:morning|afternoon|evening|night))?",
        query,
        re.IGNORECASE,
    )
    return more.group() if words and more and fits(more.group()) else words


def _shortest(query: str, fits: Callable[[str], bool]) -> str:
    tokens = list(re.finditer(r"\S+", query))
    for length in range(1, min(len(tokens), 9) + 1):
        for first in range(len(tokens) - length + 1):
            words = query[tokens[first].start() : tokens[first + length - 1].end()].strip(_MARKS)
            if words and fits(words):
                return words
    return ""


def days_said(query: str) -> tuple[list[str], str]:
    """The weekdays that a query names, and their words; none and "" where it names none."""
    try:
        days = weekdays_of(query)
    except WhenError:
        return [], ""

    def same(words: str) -> bool:
        try:
            return weekdays_of(words) == days
        except WhenError:
            return False

    return days, _shortest(query, same)


def setting_of(query: str) -> str:
    """The one settings screen that a query is about.

    Raises:
        Unmapped: it names none, or several.
    """
    text = query.casefold().replace("’", "'")
    found = {kind for kind, words in SETTINGS.items() if re.search(rf"\b(?:{words})\b", text)}
    if "memory_card" in found:
        found.discard("internal_storage")
    if len(found) != 1:
        raise Unmapped("no one settings screen is named")
    return next(iter(found))


def contact_then(name: str, key: str, call: Callable[[Reference], Call]) -> Plan:
    """A look-up of a contact and the call that uses what it gives."""
    return (Call("get_contact_info", {"name": name, "key": key}), call(Reference(0)))
