"""Abnormal values that last, found in columns of readings at once.

Readings of a quarter of a minute become one median, so that a lone artefact neither starts nor ends anything. A value
beyond a rule's limit begins an episode; one on the good side of the rule's `clear` ends it; a good spell of less than a
minute does not. An episode counts from the moment on when it has lasted the rule's time with at least half of its
values beyond the limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from camphor.health.monitor.plausible import JudgedSeries, Quality, judge, judge_pressure
from camphor.health.monitor.thresholds import RESTING_SECONDS, Level, RangeRule
from camphor.health.monitor.vitals import Floats, Mask, Vital, Vitals

BIN_SECONDS = 15.0
BRIDGE_SECONDS = 60.0
STILL_STEPS = 30.0
"""Steps in ten minutes that are no walk, our own limit."""
LEAST_SHARE = 0.5
DAY = 86_400.0
_NONE: Floats = np.empty(0)


@dataclass(frozen=True)
class Episode:
    """A stretch of abnormal values.

    Attributes:
        begin, end: first and last value of it, epoch seconds; sure: when it had lasted long enough.
        worst, typical: the value furthest off and the median; readings: how many there were.
        over: a good value came after it; doubtful: the watch may be wrong; still_known: whether steps were counted.
        again: a single value, to be measured once more; the level is a notice then.
    """

    rule: RangeRule
    level: Level
    begin: float
    sure: float
    end: float
    worst: float
    typical: float
    readings: int
    over: bool
    doubtful: bool = False
    still_known: bool = True
    again: bool = False

    @property
    def seconds(self) -> float:
        return self.end - self.begin


@dataclass(frozen=True)
class Condensed:
    """Usable readings by quarters of a minute: (n,) first and last moment, median, how many, how many suspicious."""

    first: Floats
    last: Floats
    value: Floats
    count: npt.NDArray[np.int64]
    doubtful: npt.NDArray[np.int64]

    def at(self, rows: Mask) -> Condensed:
        return Condensed(self.first[rows], self.last[rows], self.value[rows], self.count[rows], self.doubtful[rows])


def judged(vitals: Vitals, now: float | None = None) -> dict[Vital, JudgedSeries]:
    """What can be true of all columns; both blood pressures are compared."""
    found = {kind: judge(column, now) for kind, column in vitals.items()}
    if Vital.SYSTOLIC in found and Vital.DIASTOLIC in found:
        upper, lower = judge_pressure(found[Vital.SYSTOLIC], found[Vital.DIASTOLIC])
        found |= {Vital.SYSTOLIC: upper, Vital.DIASTOLIC: lower}
    return found


def detect(columns: Mapping[Vital, JudgedSeries], rules: Sequence[RangeRule]) -> list[Episode]:
    """Every episode of the rules, in the order of the moments when they became sure."""
    found: list[Episode] = []
    for kind in {rule.kind for rule in rules} & set(columns):
        condensed = condense(columns[kind])
        if not len(condensed.first):
            continue
        among = [rule for rule in rules if rule.kind is kind]
        still = known = None
        if any(rule.at_rest for rule in among):
            still, known = at_rest(condensed.last, columns)
        for rule in among:
            if rule.at_rest and still is not None and known is not None:
                chosen, certain = condensed.at(still), known[still]
            else:
                chosen, certain = condensed, np.ones(len(condensed.first), np.bool_)
            found += _episodes(chosen, rule, certain)
    return sorted(_folded(found), key=lambda each: (each.sure, each.rule.name))


def condense(column: JudgedSeries) -> Condensed:
    """The usable readings of a column by quarters of a minute."""
    rows = np.flatnonzero(column.usable)
    at, value = column.series.at[rows], column.series.value[rows]
    if not len(rows):
        none = np.empty(0, np.int64)
        return Condensed(_NONE, _NONE, _NONE, none, none)
    part = np.floor_divide(at, BIN_SECONDS)
    begins = np.flatnonzero(np.append(True, np.diff(part) != 0))
    count = np.diff(np.append(begins, len(rows)))
    ends = begins + count
    ordered = value[np.lexsort((value, part))]
    median = (ordered[begins + (count - 1) // 2] + ordered[begins + count // 2]) / 2
    suspicious = (column.quality[rows] == Quality.SUSPICIOUS).astype(np.int64)
    return Condensed(at[begins], at[ends - 1], median, count, np.add.reduceat(suspicious, begins))


def at_rest(at: Floats, columns: Mapping[Vital, JudgedSeries]) -> tuple[Mask, Mask]:
    """Whether somebody had been still for ten minutes at each moment, and whether that is known at all.

    Where steps and exercise are not told within the day before, stillness is taken for granted and not known.
    """
    still, known = np.ones(len(at), np.bool_), np.zeros(len(at), np.bool_)
    for kind, most in ((Vital.STEPS, STILL_STEPS), (Vital.EXERCISE, 0.0)):
        if kind not in columns:
            continue
        moved = columns[kind]
        times, counts = moved.series.at[moved.usable], moved.series.value[moved.usable]
        total = np.append(0.0, np.cumsum(counts))
        until = np.searchsorted(times, at, "right")
        still &= total[until] - total[np.searchsorted(times, at - RESTING_SECONDS)] <= most
        known |= until > np.searchsorted(times, at - DAY)
    return still, known


def _episodes(values: Condensed, rule: RangeRule, certain: Mask) -> Iterator[Episode]:
    if not len(values.first):
        return
    value = values.value
    beyond = value >= rule.limit if rule.above else value <= rule.limit
    good = value < rule.clear if rule.above else value > rule.clear
    if not beyond.any():
        return
    for begin, end in _runs(values, beyond, good, rule.stale):
        rows = slice(begin, end)
        lasted = values.last[rows] - values.first[begin]
        share = np.cumsum(beyond[rows]) / np.arange(1, end - begin + 1)
        several = np.cumsum(values.count[rows]) > 1
        enough = np.flatnonzero((lasted >= rule.hold) & (share >= LEAST_SHARE) & several & beyond[rows])
        over = end < len(value) and bool(values.first[end] - values.last[end - 1] <= rule.stale)
        part, readings = value[rows], int(values.count[rows].sum())
        worst = float(part.max() if rule.above else part.min())
        found = Episode(
            rule,
            rule.level,
            float(values.first[begin]),
            float(values.last[begin]),
            float(values.last[end - 1]),
            worst,
            float(np.median(part)),
            readings,
            over,
            bool(2 * values.doubtful[rows].sum() > readings),
            bool(certain[rows].all()),
        )
        if len(enough):
            yield replace(found, sure=float(values.last[begin + int(enough[0])]))
        elif readings == 1 and end == len(value):
            yield replace(found, level=Level.NOTICE, again=True)


def _runs(values: Condensed, beyond: Mask, good: Mask, stale: float) -> list[tuple[int, int]]:
    """Rows from which on and before which an episode reaches."""
    told = np.maximum.accumulate(np.where(beyond | good, np.arange(len(beyond)), -1))
    gap = np.append(False, values.first[1:] - values.last[:-1] > stale)
    stretch = np.cumsum(gap)
    inside = (told >= 0) & beyond[told] & (stretch[told] == stretch)
    begins = np.flatnonzero(inside & (gap | ~np.append(False, inside[:-1])))
    ends = np.flatnonzero(inside & np.append(gap[1:] | ~inside[1:], True)) + 1
    kept: list[tuple[int, int]] = []
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        if kept and not gap[begin] and values.first[begin] - values.last[kept[-1][1] - 1] <= BRIDGE_SECONDS:
            kept[-1] = (kept[-1][0], end)
        else:
            kept.append((begin, end))
    return kept


def _folded(episodes: Sequence[Episode]) -> list[Episode]:
    """Of one trouble at one time, the most severe episode alone, from when the first of them became sure."""
    kept: list[Episode] = []
    for each in sorted(episodes, key=lambda each: (-each.level, each.begin)):
        same = [
            row
            for row, other in enumerate(kept)
            if other.rule.family == each.rule.family and each.begin <= other.end and other.begin <= each.end
        ]
        if not same:
            kept.append(each)
        elif not each.again:
            other = kept[same[0]]
            kept[same[0]] = replace(other, begin=min(other.begin, each.begin), sure=min(other.sure, each.sure))
    return kept
