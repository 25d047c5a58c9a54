"""The monitor of one phone: takes readings in, keeps them, looks whether something is wrong, and tells it once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta, tzinfo
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.device.health.vitals import AlarmRow, Minutes, VitalsStore
from camphor.health.monitor.alarms import Alarm, Alarms, Sign, Unsure, again_text, minutes, open_alarms, report, unsure
from camphor.health.monitor.baseline import TREND_DAYS, Days, Trend, daily, kinds_of_trends, span, trends, usual
from camphor.health.monitor.detect import DAY, Episode, detect, judged
from camphor.health.monitor.plausible import Fault, JudgedSeries, Quality, faults
from camphor.health.monitor.thresholds import STALE, Level, Person, RangeRule, rules_for
from camphor.health.monitor.vitals import (
    COUNTED,
    MEASURES,
    Floats,
    Mask,
    Series,
    Vital,
    Vitals,
    local,
    series,
    simulated,
)

MOVEMENT = (Vital.STEPS, Vital.EXERCISE)
_SAME = 0.005
SILENT_SINCE = 6 * 3600.0
BEFORE = 3600.0
"""How much longer than a reading is good for the monitor looks back."""


@dataclass(frozen=True)
class SoftSos:
    """What the person is told: the alarm as it stands and its plain report."""

    alarm: Alarm
    text: str


@dataclass(frozen=True)
class Intake:
    """What became of readings that came in: how many are new, of which quality, with a time that cannot be."""

    new: int
    plausible: int
    suspicious: int
    impossible: int
    missing: int
    timeless: int
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class PeriodCheck:
    """What a stretch of time shows: abnormal episodes, faults of the watch, changes over days."""

    episodes: tuple[Episode, ...]
    faults: tuple[Fault, ...]
    trends: tuple[Trend, ...]
    readings: int


@dataclass
class Monitor:
    """Looks after one person.

    Args:
        store: where readings and alarms are kept; zone: the phone's time zone; person: what the limits depend on.
        usual_of_day: what was usual before a day, where it was worked out already.
        unsure: what the last look found beyond a range by too few readings for an alarm, to be measured again.
    """

    store: VitalsStore
    zone: tzinfo | None
    person: Person = field(default_factory=Person)
    usual_of_day: tuple[date, Mapping[Vital, float]] | None = None
    unsure: list[Unsure] = field(default_factory=list)

    def take(self, vitals: Vitals, source: str, now: float, past: bool = False) -> Intake:
        """Keeps readings of a source; such with a time that cannot be are counted and not kept.

        Args:
            now: the phone's clock, epoch seconds; past: they are of an export, whose faults are not the watch's of now.
        """
        columns = judged({kind: self._unknown(column) for kind, column in vitals.items()}, now)
        found = [(column, self._keep(column, source)) for column in columns.values()]
        counts = {quality: sum(column.count(quality) for column, _ in found) for quality in Quality}
        return Intake(
            sum(new for _, new in found),
            counts[Quality.PLAUSIBLE],
            counts[Quality.SUSPICIOUS],
            counts[Quality.IMPOSSIBLE],
            counts[Quality.MISSING],
            sum(int(column.timeless.sum()) for column, _ in found),
            tuple(faults(columns, None if past else now)),
        )

    def _unknown(self, column: Series) -> Series:
        """The readings without those that another source told too: the same value at the same moment.

        What adds up is kept of each source, since of those the one that counted most is believed. Where single readings
        were thinned out, a minute of as many readings with the same mean is the same.
        """
        if not len(column) or column.kind in COUNTED:
            return column
        begin, end = float(column.at[0]), float(column.at[-1]) + 1
        kept = self.store.readings(column.kind.value, begin, end)
        minutes = self.store.minutes(column.kind.value, begin - 60, end)
        if not len(minutes.at) and not len(kept.at):
            return column
        there, told = (_pairs(each.at, each.value) for each in (kept, column))
        known = np.isin(told, there)
        thinned = ~np.isin(minutes.at // 60, np.unique(kept.at // 60))
        if thinned.any():
            known |= _in_minutes(column, minutes, thinned)
        new = ~known
        return Series(column.kind, column.at[new], column.value[new], column.source)

    def _keep(self, column: JudgedSeries, source: str) -> int:
        at, timely = column.series.at, ~column.timeless
        return self.store.add(
            column.kind.value, source, at[timely], column.series.value[timely], column.quality[timely]
        )

    def look(self, now: float) -> list[SoftSos]:
        """Looks at the last hours as of now, and gives what the person is to be told now: mostly nothing."""
        rules = self.rules(local(now, self.zone).date())
        columns = judged(self._lately(now, rules))
        kept = [_alarm(row) for row in self.store.alarms(now - 2 * DAY, now + DAY)]
        alarms = Alarms(kept, lambda alarm: self.store.save_alarm(_row(alarm)))
        told = alarms.update(detect(columns, rules), now)
        alarmed = {sign.kind for each in open_alarms(alarms.kept) for sign in each.signs}
        self.unsure = [each for each in unsure(columns, rules, now) if each.rule.kind.value not in alarmed]
        usual = self.usual(local(now, self.zone).date())
        return [SoftSos(each, report(each, self.zone, usual, self._simulated(each))) for each in told]

    def again(self) -> str:
        """What the person is told of `unsure`; "" where there is nothing."""
        if not self.unsure:
            return ""
        made_up = any(self._made_up(each.rule.kind.value, each.at, each.at) for each in self.unsure)
        return again_text(self.unsure, self.zone, made_up)

    def _simulated(self, alarm: Alarm) -> bool:
        """Whether readings that it may be of were made up."""
        return any(self._made_up(sign.kind, sign.begin, sign.end) for sign in alarm.signs)

    def _made_up(self, kind: str, begin: float, end: float) -> bool:
        return any(map(simulated, self.store.sources(kind, begin, end)))

    def silence(self, now: float) -> tuple[Fault, ...]:
        """Whether the watch has been silent for long, after readings in the last hours."""
        columns = judged(self._columns({Vital.HEART_RATE: SILENT_SINCE}, now))
        return tuple(each for each in faults(columns, now) if each.name == "silent")

    def _lately(self, now: float, rules: Sequence[RangeRule]) -> dict[Vital, Series]:
        reach = {rule.kind: STALE[rule.kind] + BEFORE for rule in rules} | dict.fromkeys(MOVEMENT, DAY + BEFORE)
        return self._columns(reach, now)

    def _columns(self, reach: Mapping[Vital, float], end: float) -> dict[Vital, Series]:
        found = {}
        for kind, seconds in reach.items():
            kept = self.store.readings(kind.value, end - seconds, end + 1)
            if len(kept.at):
                found[kind] = series(kind, kept.at, kept.value)
        return found

    def check(self, first: date, last: date) -> PeriodCheck:
        """What the days from `first` to `last`, both included, show. Nobody is told."""
        begin, end = span(first, self.zone)[0], span(last, self.zone)[1]
        found = columns_of(self.store, begin, end)
        columns = judged(found)
        days = self.days(last)
        return PeriodCheck(
            tuple(detect(columns, self.rules(first))),
            tuple(faults(columns)),
            tuple(trends(days, last)),
            sum(len(each) for each in found.values()),
        )

    def days(self, last: date, count: int = TREND_DAYS) -> dict[Vital, Days]:
        """The values of the days up to `last`; all sleep is under `Vital.SLEEP_LIGHT`."""
        kinds = set(self.store.kinds())
        first = last - timedelta(days=count - 1)
        known = [kind for kind in kinds_of_trends() if kind.value in kinds]
        return {kind: daily(self.store, kind, first, last, self.zone) for kind in known}

    def rules(self, day: date) -> tuple[RangeRule, ...]:
        """The rules for the person as of a day."""
        return rules_for(replace(self.person, usual_heart=self.usual(day).get(Vital.HEART_RATE)))

    def usual(self, day: date) -> Mapping[Vital, float]:
        """What was usual before a day, worked out once a day."""
        if self.usual_of_day is None or self.usual_of_day[0] != day:
            known = {kind: usual(kind, values, day) for kind, values in self.days(day, 29).items()}
            shown = {kind: each.median for kind, each in known.items() if each is not None and kind in STALE}
            self.usual_of_day = (day, shown)
        return self.usual_of_day[1]


def _pairs(at: Floats, value: Floats) -> npt.NDArray[np.complex128]:
    """Moments and values as one column, as they are kept: to the millisecond, in single precision."""
    pairs = np.empty(len(at), np.complex128)
    pairs.real, pairs.imag = np.rint(at * 1000), value.astype(np.float32)
    return pairs


def _in_minutes(column: Series, minutes: Minutes, rows: Mask) -> Mask:
    """Which readings are of a minute that is among these by its mean and by how many readings it has."""
    minute, place, count = np.unique(column.at // 60, return_inverse=True, return_counts=True)
    with np.errstate(invalid="ignore"):
        mean = np.add.reduceat(column.value, np.flatnonzero(np.diff(place, prepend=-1))) / count
    there = {
        (at // 60, number): value
        for at, number, value in zip(
            *(each[rows].tolist() for each in (minutes.at, minutes.count, minutes.mean)), strict=True
        )
    }
    same = [
        abs(there.get((at, number), np.inf) - value) < _SAME
        for at, number, value in zip(minute.tolist(), count.tolist(), mean.tolist(), strict=True)
    ]
    return np.array(same, np.bool_)[place]


def _row(alarm: Alarm) -> AlarmRow:
    body: dict[str, Any] = {
        "tellings": list(alarm.tellings),
        "told_level": int(alarm.told_level),
        "told_of": list(alarm.told_of),
        "signs": [asdict(each) for each in alarm.signs],
    }
    return AlarmRow(alarm.raised, alarm.last, alarm.ended, int(alarm.level), body, alarm.id)


def _alarm(row: AlarmRow) -> Alarm:
    signs = tuple(Sign(**{**each, "level": Level(each["level"])}) for each in row.body["signs"])
    body = row.body
    told_level, told_of = Level(body["told_level"]), tuple(body["told_of"])
    return Alarm(
        row.raised, row.last, Level(row.level), signs, row.ended, tuple(body["tellings"]), told_level, told_of, row.id
    )


def columns_of(store: VitalsStore, begin: float, end: float) -> dict[Vital, Series]:
    """The single readings of a time; where they were thinned out, their minutes."""
    found = {}
    for kind in Vital:
        kept, minutes = store.readings(kind, begin, end), store.minutes(kind, begin, end)
        left = ~np.isin(minutes.at // 3600, np.unique(kept.at // 3600))
        value = minutes.mean * minutes.count if kind in COUNTED else minutes.mean
        at = np.concatenate((kept.at, minutes.at[left]))
        if len(at):
            found[kind] = series(kind, at, np.concatenate((kept.value, value[left])))
    return found


def alarms_of(store: VitalsStore, begin: float, end: float) -> list[Alarm]:
    """The alarms of a time as they are kept, oldest first: for the day's report."""
    return [_alarm(row) for row in store.alarms(begin, end)]


# figures as people see them


def day_summary(monitor: Monitor, day: date) -> list[dict[str, Any]]:
    """A row for each kind that has readings of that day. Raises: StoreError."""
    begin, end = span(day, monitor.zone)
    usual, rows = monitor.usual(day), []
    for kind in Vital:
        kept = monitor.store.minutes(kind.value, begin, end)
        if not len(kept.at):
            continue
        measure = MEASURES[kind]
        sums = kept.mean * kept.count
        total = float(sums.sum()) if kind in COUNTED else float(sums.sum() / kept.count.sum())
        spread = f"{measure.told(float(kept.least.min()))} to {measure.told(float(kept.most.max()))}"
        rows.append(
            {
                "kind": kind.value,
                "name": measure.name,
                "last": measure.told(float(kept.mean[-1])),
                "at": f"{local(float(kept.at[-1]), monitor.zone):%H:%M}",
                "mean": measure.told(total),
                "range": "" if kind in COUNTED else spread,
                "usual": measure.told(usual[kind]) if kind in usual else "",
                "readings": int(kept.count.sum()),
                "simulated": any(map(simulated, monitor.store.sources(kind.value, begin, end))),
            }
        )
    return rows


def alarm_summary(alarm: Alarm, zone: tzinfo | None) -> dict[str, Any]:
    """An alarm: when it was raised, told and over, how severe, and its signs in words and figures."""
    return {
        "raised": f"{local(alarm.raised, zone):%H:%M}",
        "level": alarm.level.name.lower(),
        "told": alarm.told is not None,
        "ended": None if alarm.ended is None else f"{local(alarm.ended, zone):%H:%M}",
        "signs": [each.says for each in alarm.signs],
        "figures": [asdict(each) for each in alarm.signs],
    }


def episode_summary(episode: Episode, zone: tzinfo | None) -> dict[str, Any]:
    """An abnormal spell, in figures and in a sentence with its source."""
    measure, at = MEASURES[episode.rule.kind], local(episode.begin, zone)
    says = f"{at:%d %B %H:%M}  {episode.rule.says}: {measure.told(episode.typical)}"
    says += ", measured once: measure again" if episode.again else f" for {minutes(episode.seconds)}"
    says += ", if the watch is right" if episode.doubtful else ""
    return {
        "rule": episode.rule.name,
        "kind": episode.rule.kind.value,
        "level": episode.level.name.lower(),
        "begin": at.isoformat(timespec="seconds"),
        "seconds": episode.seconds,
        "typical": episode.typical,
        "worst": episode.worst,
        "source": episode.rule.source,
        "says": f"{says} ({episode.rule.source})",
    }
