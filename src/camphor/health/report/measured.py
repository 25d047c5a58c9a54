"""What was measured on one day, worked out of the readings: figures, curves, silences, abnormal spells, changes.

All of it is numbers and the sentences that the monitor makes of numbers. It is what is kept of a day (`to_json`), since
single readings are thinned out after some days. What was not measured is no number anywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta, tzinfo
from typing import Any

import numpy as np

from camphor.device.health.vitals import Minutes, VitalsStore
from camphor.health.monitor.baseline import USUAL_DAYS, Baseline, Days, daily, kinds_of_trends, span, trends, usual
from camphor.health.monitor.detect import Episode, detect, judged
from camphor.health.monitor.monitor import columns_of
from camphor.health.monitor.plausible import faults
from camphor.health.monitor.thresholds import Person, RangeRule, rules_for
from camphor.health.monitor.vitals import ASLEEP, COUNTED, SLEEP, Vital, simulated

HOUR = 3600.0
POINT_SECONDS = 600.0
"""One point of a curve stands for so long."""
OFTEN_SECONDS = 600.0
"""A kind whose readings mostly follow each other within this time is measured all the time: its silence tells."""
SILENCE = 1800.0
"""So long a silence of such a kind is told."""
EVENING = 6 * HOUR
"""A night is told on the day of waking, from 18 o'clock on the day before to 18 o'clock."""
CURVES = tuple(kind for kind in Vital if kind not in COUNTED)


@dataclass(frozen=True)
class Point:
    """Some minutes of a curve: epoch seconds of their begin or of the one reading, least, mean and greatest minute."""

    at: float
    least: float
    mean: float
    most: float


@dataclass(frozen=True)
class Range:
    """A range that was looked for: `limit` and beyond (`above` or below), held for some seconds. level: of `Level`."""

    above: bool
    limit: float
    level: int
    hold: float
    at_rest: bool
    source: str


@dataclass(frozen=True)
class Figure:
    """One kind on one day, by minutes that have usable readings.

    Attributes:
        value: the mean of the minutes, or the sum of a counted kind; least, most: the extreme minutes, with times.
        minutes: how many minutes have readings. often: measured all the time; gaps: its silences, epoch seconds.
        own: the value that is compared over days: of a night at rest where the kind is one of the night.
        usual, spread: of the days before, None where there are fewer than seven.
        points: the curve; empty for counted kinds. ranges: what was looked for.
    """

    kind: Vital
    value: float
    least: float
    least_at: float
    most: float
    most_at: float
    last: float
    last_at: float
    minutes: int
    often: bool
    gaps: tuple[tuple[float, float], ...]
    own: float | None
    usual: float | None
    spread: float | None
    points: tuple[Point, ...]
    ranges: tuple[Range, ...]


@dataclass(frozen=True)
class SleepStage:
    """A piece of sleep or of lying awake: its kind, its begin and its seconds."""

    kind: Vital
    at: float
    seconds: float


@dataclass(frozen=True)
class Spell:
    """A stretch of abnormal values: what the monitor calls an episode."""

    kind: Vital
    level: int
    begin: float
    end: float
    typical: float
    worst: float
    above: bool
    says: str
    source: str
    doubtful: bool
    again: bool


@dataclass(frozen=True)
class DayChange:
    """A change over days that ends today: the sentence and its source."""

    says: str
    source: str


@dataclass(frozen=True)
class MeasuredDay:
    """What was measured on one day.

    Attributes:
        begin, end: of the local day; until: up to where it was looked at, `end` once the day is over; epoch seconds.
        steps: those of each hour that has any told: its begin and their number. night: the sleep, of the day of waking.
        watch: what was wrong with the watch. absent: kinds that were measured in the weeks before and not on the day.
        usual_sleep: minutes, None where it is not known. simulated: kinds of which readings were made up.
    """

    day: date
    begin: float
    end: float
    until: float
    figures: Mapping[Vital, Figure]
    steps: tuple[tuple[float, float], ...]
    night: tuple[SleepStage, ...]
    spells: tuple[Spell, ...]
    watch: tuple[str, ...]
    changes: tuple[DayChange, ...]
    absent: tuple[Vital, ...] = ()
    usual_sleep: float | None = None
    simulated: tuple[Vital, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.figures or self.night or self.watch)

    @property
    def asleep(self) -> float | None:
        """Minutes asleep in the night; None where none are told."""
        total = sum(stage.seconds for stage in self.night if stage.kind in ASLEEP)
        return total / 60 if total else None

    def to_json(self) -> dict[str, Any]:
        told = asdict(self)
        told["day"] = self.day.isoformat()
        told["figures"] = {kind.value: asdict(figure) for kind, figure in self.figures.items()}
        for figure in told["figures"].values():
            figure["points"] = [list(point.values()) for point in figure["points"]]
        return told

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> MeasuredDay:
        """Raises: KeyError, TypeError, ValueError: it is no day."""
        return cls(
            date.fromisoformat(told["day"]),
            told["begin"],
            told["end"],
            told["until"],
            {Vital(kind): _figure(figure) for kind, figure in told["figures"].items()},
            tuple((at, count) for at, count in told["steps"]),
            tuple(SleepStage(Vital(each["kind"]), each["at"], each["seconds"]) for each in told["night"]),
            tuple(Spell(**{**each, "kind": Vital(each["kind"])}) for each in told["spells"]),
            tuple(told["watch"]),
            tuple(DayChange(**each) for each in told["changes"]),
            tuple(map(Vital, told["absent"])),
            told["usual_sleep"],
            tuple(map(Vital, told["simulated"])),
        )


def _figure(told: Mapping[str, Any]) -> Figure:
    return Figure(
        **{
            **told,
            "kind": Vital(told["kind"]),
            "gaps": tuple((begin, end) for begin, end in told["gaps"]),
            "points": tuple(Point(*each) for each in told["points"]),
            "ranges": tuple(Range(**each) for each in told["ranges"]),
        }
    )


# working it out


def values_of(store: VitalsStore, day: date, zone: tzinfo | None) -> dict[Vital, float]:
    """The value of each kind that is compared over days; all sleep is under `Vital.SLEEP_LIGHT`."""
    found = {kind: daily(store, kind, day, day, zone) for kind in kinds_of_trends()}
    return {kind: days[day] for kind, days in found.items() if day in days}


def measure(
    store: VitalsStore, day: date, zone: tzinfo | None, person: Person, days: Mapping[Vital, Days], until: float
) -> MeasuredDay:
    """What was measured on a day.

    Args:
        days: values of earlier days and of this one, as `values_of` gives them.
        until: epoch seconds; what is later is not looked at.
    """
    begin, end = span(day, zone)
    until = min(until, end)
    before = {kind: usual(kind, values, day) for kind, values in days.items()}
    heart = before.get(Vital.HEART_RATE)
    rules = rules_for(replace(person, usual_heart=heart.median if heart else None))
    figures, often = {}, {}
    for kind in (*CURVES, Vital.STEPS, Vital.EXERCISE):
        minutes = _minutes(store, kind, begin, until)
        if len(minutes.at):
            own = days.get(kind, {}).get(day)
            figures[kind] = _worked_out(kind, minutes, (begin, until), own, before.get(kind), rules)
            often[kind] = minutes
    wide = judged(columns_of(store, begin - HOUR, until))
    spells = [_spell(each) for each in detect(wide, rules) if each.end >= begin]
    watch = [each.says for each in faults(judged(columns_of(store, begin, until)))]
    changes = [DayChange(each.says, each.source) for each in trends(days, day)]
    steps = _hourly(often[Vital.STEPS], begin) if Vital.STEPS in often else ()
    night = night_of(store, begin, until)
    slept = before.get(Vital.SLEEP_LIGHT)
    return MeasuredDay(
        day,
        begin,
        end,
        until,
        figures,
        steps,
        night,
        tuple(spells),
        tuple(watch),
        tuple(changes),
        _absent(days, day, {*figures, *((Vital.SLEEP_LIGHT,) if night else ())}),
        slept.median if slept else None,
        simulated_of(store, begin - EVENING, until),
    )


def simulated_of(store: VitalsStore, begin: float, end: float) -> tuple[Vital, ...]:
    """The kinds of which readings of a time are made up."""
    return tuple(kind for kind in Vital if any(map(simulated, store.sources(kind, begin, end))))


def _absent(days: Mapping[Vital, Days], day: date, there: Collection[Vital]) -> tuple[Vital, ...]:
    first = day - timedelta(days=USUAL_DAYS)
    before = {kind for kind, values in days.items() if any(first <= each < day for each in values)}
    return tuple(kind for kind in Vital if kind in before and kind not in there)


def _minutes(store: VitalsStore, kind: Vital, begin: float, end: float) -> Minutes:
    """The minutes of a kind; of a counted one those of the source that counted most, since several count the same."""
    if kind not in COUNTED:
        return store.minutes(kind, begin, end)
    parts = [store.minutes(kind, begin, end, source) for source in store.sources(kind, begin, end)]
    return max(parts, key=lambda each: float((each.mean * each.count).sum()), default=store.minutes(kind, begin, begin))


def _worked_out(
    kind: Vital,
    minutes: Minutes,
    looked: tuple[float, float],
    own: float | None,
    before: Baseline | None,
    rules: Sequence[RangeRule],
) -> Figure:
    low, high = int(minutes.mean.argmin()), int(minutes.mean.argmax())
    counted = kind in COUNTED
    often = not counted and len(minutes.at) > 2 and float(np.median(np.diff(minutes.at))) <= OFTEN_SECONDS
    return Figure(
        kind,
        float((minutes.mean * minutes.count).sum() if counted else minutes.mean.mean()),
        float(minutes.mean[low]),
        float(minutes.at[low]),
        float(minutes.mean[high]),
        float(minutes.at[high]),
        float(minutes.mean[-1]),
        float(minutes.at[-1]),
        len(minutes.at),
        often,
        _silences(minutes, looked) if often else (),
        own,
        before.median if before else None,
        before.spread if before else None,
        () if counted else _points(minutes, looked[0], often),
        tuple(
            Range(rule.above, rule.limit, int(rule.level), rule.hold, rule.at_rest, rule.source)
            for rule in rules
            if rule.kind is kind
        ),
    )


def _silences(minutes: Minutes, looked: tuple[float, float]) -> tuple[tuple[float, float], ...]:
    ends = np.concatenate(([looked[0]], minutes.at + 60))
    begins = np.concatenate((minutes.at, [looked[1]]))
    long = begins - ends >= SILENCE
    return tuple((float(first), float(last)) for first, last in zip(ends[long], begins[long], strict=True))


def _points(minutes: Minutes, begin: float, often: bool) -> tuple[Point, ...]:
    """Ten minutes a point, or each minute of a kind that is measured now and then."""
    part = np.floor_divide(minutes.at - begin, POINT_SECONDS) if often else np.arange(len(minutes.at))
    first = np.flatnonzero(np.append(True, np.diff(part) != 0))
    count = np.diff(np.append(first, len(part)))
    mean = np.add.reduceat(minutes.mean, first) / count
    least, most = np.minimum.reduceat(minutes.mean, first), np.maximum.reduceat(minutes.mean, first)
    at = begin + part[first] * POINT_SECONDS if often else minutes.at
    return tuple(
        Point(float(moment), round(float(low), 2), round(float(middle), 2), round(float(high), 2))
        for moment, low, middle, high in zip(at, least, mean, most, strict=True)
    )


def _spell(episode: Episode) -> Spell:
    return Spell(
        episode.rule.kind,
        int(episode.level),
        episode.begin,
        episode.end,
        episode.typical,
        episode.worst,
        episode.rule.above,
        episode.rule.says,
        episode.rule.source,
        episode.doubtful,
        episode.again,
    )


def _hourly(minutes: Minutes, begin: float) -> tuple[tuple[float, float], ...]:
    """Hours counted from the day's begin, so that a day of 23 or 25 hours has as many."""
    hour = np.floor_divide(minutes.at - begin, HOUR)
    steps = minutes.mean * minutes.count
    return tuple((float(begin + each * HOUR), float(steps[hour == each].sum())) for each in np.unique(hour))


def total_of(store: VitalsStore, kind: Vital, begin: float, end: float) -> float | None:
    """The sum of a counted kind over a time; None where none is told."""
    minutes = _minutes(store, kind, begin, end)
    return float((minutes.mean * minutes.count).sum()) if len(minutes.at) else None


def night_of(store: VitalsStore, begin: float, until: float) -> tuple[SleepStage, ...]:
    """The pieces of the night that ended on the day, of the source that saw most sleep."""
    first, last = begin - EVENING, min(begin + 3 * EVENING, until)
    sources = {source for kind in SLEEP for source in store.sources(kind, first, last)}
    found: list[list[SleepStage]] = []
    for source in sorted(sources):
        pieces = []
        for kind in SLEEP:
            minutes = store.minutes(kind, first, last, source)
            lengths = (minutes.mean * minutes.count * 60).tolist()
            pieces += [SleepStage(kind, at, length) for at, length in zip(minutes.at.tolist(), lengths, strict=True)]
        found.append(sorted(pieces, key=lambda each: each.at))
    return tuple(max(found, key=_slept)) if found else ()


def _slept(pieces: Iterable[SleepStage]) -> float:
    return sum(each.seconds for each in pieces if each.kind in ASLEEP)
