"""Scores the reading of directions of prescriptions against what careful hands say that they mean.

An item is *silently wrong* where the reader is certain of a field and the gold says otherwise, or says nothing,
without a doubt of it, where the gold has something. Only what the README of the data calls open may differ.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camphor.errors import DatasetError, UsageError

FIELDS = (
    "stop",
    "amount",
    "unit",
    "times",
    "at",
    "by_time",
    "days",
    "as_needed",
    "max",
    "gap_hours",
    "for_days",
    "ongoing",
    "steps",
    "site",
)
RIGHT, DOUBT, WRONG = "right and certain", "in doubt", "silently wrong"
INCOMPLETE = "certain, but a place or that it goes on is left out"
OUTCOMES = (RIGHT, INCOMPLETE, DOUBT, WRONG)
_SPOON = {
    "teaspoon": "spoonful",
    "pill": "tablet",
    "applicatorful": "application",
    "vial": "nebule",
    "dose": "puff",
    "fingertip": "fingertip unit",
}
_PLACES = {
    "vagina": "vaginal",
    "passage": "rectal",
    "buccal": "mouth",
    "gum": "mouth",
    "cheek": "mouth",
    "cheeks": "mouth",
    "lip": "mouth",
    "skin": "",
    "area": "",
    "affected": "",
    "the": "",
    "eyes": "eye",
    "ears": "ear",
    "nose": "nostril",
    "nostrils": "nostril",
    "both": "each",
    "oral": "mouth",
    "hands": "hand",
    "arms": "arm",
    "legs": "leg",
    "feet": "foot",
}


@dataclass(frozen=True)
class ReadDirections:
    """What a reader says of a text: the fields of the gold, and the names of those that are in doubt, with why."""

    fields: Mapping[str, Any]
    doubtful: frozenset[str]
    whys: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScoredDirections:
    """One item: its outcome, and the fields that are wrong with what was read and what is right."""

    id: str
    text: str
    tags: tuple[str, ...]
    outcome: str
    wrong: tuple[tuple[str, Any, Any], ...] = ()
    whys: tuple[str, ...] = ()


def read_items(folder: Path) -> list[tuple[str, Mapping[str, Any]]]:
    """The items of a folder's files, or of one file, each with its place "a.jsonl:12".

    Raises:
        UsageError: there are none. DatasetError: one breaks the form.
    """
    paths = sorted(folder.glob("*.jsonl")) if folder.is_dir() else [folder] if folder.is_file() else []
    found = [each for path in paths for each in _items(path)]
    if not found:
        raise UsageError(f"{folder} has no directions: give a folder such as data/directions-development")
    return found


def fingerprint(folder: Path) -> str:
    """SHA-256 over the items."""
    told = [json.dumps(item, sort_keys=True) for _, item in read_items(folder)]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def _items(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except json.JSONDecodeError:
            raise DatasetError(str(path), number, "expected one JSON object") from None
        gold = item.get("gold") if isinstance(item, dict) else None
        if not isinstance(gold, dict) or not set(FIELDS) <= gold.keys() or not isinstance(item.get("text"), str):
            raise DatasetError(str(path), number, "expected text, and gold with all fields that the README names")
        yield f"{path.name}:{number}", item


def score(item: Mapping[str, Any], said: ReadDirections) -> ScoredDirections:
    """One item against its gold."""
    gold = item["gold"]
    open_ = _FieldComparison(item["text"], gold, said.fields)
    differ = [name for name in FIELDS if not open_.same(name)]
    wrong = [(name, said.fields[name], gold[name]) for name in differ if name not in said.doubtful]
    if gold["unclear"] and not said.doubtful:
        wrong.append(("unclear", False, True))
    left_out = [each for each in wrong if each[0] in ("site", "ongoing") and not each[1]]
    wrong = [each for each in wrong if each not in left_out]
    outcome = WRONG if wrong else DOUBT if said.doubtful else INCOMPLETE if left_out else RIGHT
    tags = tuple(map(str, item.get("tags", ())))
    return ScoredDirections(str(item["id"]), item["text"], tags, outcome, tuple(wrong), said.whys)


def evaluate(folder: Path, reader: Callable[[str], ReadDirections]) -> list[ScoredDirections]:
    """Every item of a folder. Raises: as `read_items`."""
    return [score(item, reader(item["text"])) for _, item in read_items(folder)]


def metrics(scored: Sequence[ScoredDirections], outcomes: Sequence[str] = OUTCOMES) -> dict[str, Any]:
    """Counts and shares of the outcomes, by tag, and which fields were silently wrong."""
    counts = Counter(each.outcome for each in scored)
    tags = sorted({tag for each in scored for tag in each.tags})
    by_tag = {
        tag: {name: sum(each.outcome == name for each in scored if tag in each.tags) for name in outcomes}
        for tag in tags
    }
    return {
        "items": len(scored),
        "outcomes": {name: counts[name] for name in outcomes},
        "shares": {name: counts[name] / len(scored) if scored else 0.0 for name in outcomes},
        "wrong_fields": dict(Counter(name for each in scored for name, _, _ in each.wrong).most_common()),
        "by_tag": by_tag,
    }


class _FieldComparison:
    """Whether fields are the same, with the points that the README of the data leaves open."""

    def __init__(self, text: str, gold: Mapping[str, Any], said: Mapping[str, Any]) -> None:
        self._text, self._gold, self._said = text.casefold(), gold, said

    def same(self, name: str) -> bool:
        one, other = self._said[name], self._gold[name]
        check: Callable[[Any, Any], bool] | None = getattr(self, f"_{name}", None)
        return check(one, other) if check else one == other

    def _amount(self, one: Any, other: Any) -> bool:
        """A ribbon of ointment so long is an amount, or none."""
        return one == other or (other is None and self._said["unit"] in ("cm", "inch"))

    def _unit(self, one: Any, other: Any) -> bool:
        """A form that is not said may be known of the medicine."""
        if other is None and one in ("cm", "inch"):
            return True
        known = {_unit(one), _unit(other)} in ({"", "tablet"}, {"", "capsule"})
        return _unit(one) == _unit(other) or (known and not re.search(r"tab|cap|softgel", self._text))

    def _times(self, one: Any, other: Any) -> bool:
        days = len(self._gold["days"])
        # "on Monday to Friday" is five times a week
        named = bool(days and not other and _times(one, days) == ("per", "week", days))
        same = named or _times(one, days) == _times(other, days)
        return same or self._up_to(one, other) or self._twice_said(one, other)

    def _up_to(self, one: Any, other: Any) -> bool:
        """ "Up to three times a day" is 3 or 1 to 3, or no more than 3 doses."""
        most = self._said["max"] or {}
        if not one and other and (most.get("unit"), most.get("hours")) == ("dose", 24.0):
            return bool("per" in other and most["amount"] == _high(other["n"]))
        if not (one and other) or "up to" not in self._text or one.get("per") != other.get("per") or "per" not in one:
            return False
        return bool(_high(one["n"]) == _high(other["n"]))

    def _twice_said(self, one: Any, other: Any) -> bool:
        """ "Twice a day (every 12 hours)" is either."""
        both = re.search(r"hour|hrly|\dh|q\d", self._text) and re.search(
            r"times|twice|daily|\bb\.?d|tds|qds|[bt]id", self._text
        )
        told = sorted((each for each in (one, other) if each), key=lambda each: "every" in each)
        if not both or len(told) < 2 or told[0].get("per") != "day" or told[1].get("of") != "hour":
            return False
        return (
            bool(told[0]["n"] and told[0]["n"] * told[1]["every"] == 24)
            if not isinstance(told[0]["n"], list) and not isinstance(told[1]["every"], list)
            else False
        )

    def _ongoing(self, one: Any, other: Any) -> bool:
        """A caution not to stop is no length, or one."""
        return one == other or "not stop" in self._text

    def _max(self, one: Any, other: Any) -> bool:
        if one and other:
            units = {_unit(one["unit"]), _unit(other["unit"])}
            one_each = "dose" in (one["unit"], other["unit"]) and self._said["amount"] == 1
            same = len(units) == 1 or one_each or units <= {"", "puff"} or ("" in units and not self._said["unit"])
            return same and (one["amount"], one["hours"]) == (other["amount"], other["hours"])
        told = one or other
        return not told or ("up to" in self._text and told["unit"] == "dose")

    def _gap_hours(self, one: Any, other: Any) -> bool:
        """ "12 hours apart" is how often, too."""
        times = self._gold["times"] or {}
        if "apart" in self._text and one and not other and times.get("per") == "day":
            return bool(one * _high(times["n"]) == 24)
        return one == other or (bool(one and other) and abs(one - other) < 0.01)

    def _at(self, one: Any, other: Any) -> bool:
        mine, gold = set(one), set(other)
        if any(
            f"at {each}" in self._text for each in ("breakfast", "lunch", "dinner", "supper", "tea", "evening meal")
        ):
            mine, gold = mine - {"with food"}, gold - {"with food"}
        if "or after" in self._text:
            mine, gold = mine - {"with food", "after food"}, gold - {"with food", "after food"}
        clocks = {each for each in mine if ":" in each}
        if clocks and clocks == {each for each in gold if ":" in each}:
            mine, gold = (each & {"before food", "with food", "after food", "empty stomach"} for each in (mine, gold))
        if re_scheme(self._text) or (self._gold["steps"] and self._said["steps"]):
            meals = {"before food", "with food", "after food", "empty stomach"}
            return mine & meals == gold & meals
        return mine == gold

    def _by_time(self, one: Any, other: Any) -> bool:
        return sorted(map(list, one or [])) == sorted(map(list, other or []))

    def _days(self, one: Any, other: Any) -> bool:
        """With doses by weekday the days are named beside the steps, or not."""
        return set(one) == set(other) or bool(self._gold["steps"] and self._said["steps"])

    def _steps(self, one: Any, other: Any) -> bool:
        if not (one and other):
            return not one and not other
        return len(one) == len(other) and all(
            mine["amount"] == gold["amount"]
            and _unit(mine["unit"]) == _unit(gold["unit"])
            and (_times(mine["times"], 0) == _times(gold["times"], 0) or self._on_a_day(mine, gold))
            and mine["for_days"] == gold["for_days"]
            for mine, gold in zip(one, other, strict=True)
        )

    def _on_a_day(self, mine: Any, gold: Any) -> bool:
        """On one day, and no more said, is once on that day."""
        return gold["times"] is None and gold["for_days"] == 1 and mine["times"] == {"per": "day", "n": 1}

    def _site(self, one: Any, other: Any) -> bool:
        mine, gold = _place(one), _place(other)
        if mine | gold <= {"each", "nostril", "eye"} and mine and gold and ("each" in mine | gold):
            return mine == gold or "eyes" in self._text or "nostril" in mine & gold
        injected = "injection" in mine | gold and bool(mine and gold)
        return (
            mine == gold
            or injected
            or (bool(mine & gold - {"left", "right", "each"}) and _side(mine) == _side(gold))
            or (bool(one and other) and not (mine and gold))
        )


def re_scheme(text: str) -> bool:
    """Whether a text has meals by dashes: 1-0-1."""
    return bool(re.search(r"[\d½]\s?[-+]\s?[\d½/ ]+\s?[-+]\s?[\d½]", text))


def _unit(unit: str | None) -> str:
    return _SPOON.get(unit or "", unit or "")


def _high(number: Any) -> Any:
    return number[-1] if isinstance(number, list) else number


def _times(times: Any, days: int) -> tuple[Any, ...]:
    """One form for what is the same: every 7 days and once a week, daily on three days and three times a week."""
    if not times:
        return ()
    if times.get("once"):
        return ("once",)
    if "every" in times:
        number, period = times["every"], times["of"]
        factor, base = {
            "minute": (1 / 60, "hour"),
            "hour": (1, "hour"),
            "day": (24, "hour"),
            "week": (168, "hour"),
            "month": (1, "month"),
            "year": (12, "month"),
        }[period]
        span = tuple(factor * each for each in number) if isinstance(number, list) else (factor * number,) * 2
        if (base == "hour" and span[0] >= 48) or base == "month":
            return ("every", base, *span)
        return ("every", period, number) if span != (24, 24) or period == "hour" else ("per", "day", 1)
    if times["per"] == "day" and times["n"] == 1 and days:
        return ("per", "week", days)
    if times["n"] == 1 and times["per"] in ("week", "month", "year") and not days:
        return {
            "week": ("every", "hour", 168, 168),
            "month": ("every", "month", 1, 1),
            "year": ("every", "month", 12, 12),
        }[times["per"]]
    return ("per", times["per"], tuple(times["n"]) if isinstance(times["n"], list) else times["n"])


def _place(site: str | None) -> set[str]:
    return {told for each in (site or "").casefold().replace("-", " ").split() if (told := _PLACES.get(each, each))}


def _side(place: set[str]) -> set[str]:
    return place & {"left", "right"}
