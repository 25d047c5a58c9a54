"""A simulated watch: days of a person's vitals, with scripted emergencies and faults.

Curves of a day as physiology has them: the heart is slowest before dawn, follows movement within a minute and calms
down in deep sleep; temperature is lowest about five and highest about five in the evening; sleep goes in cycles of an
hour and a half. The numbers are made up for a healthy adult, and one seed gives one day.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, tzinfo

import numpy as np

from camphor.health.monitor.vitals import COUNTED, Floats, Series, Vital, Vitals, epoch, series

Seconds = np.ndarray[tuple[int], np.dtype[np.int64]]
DAY = 86_400
SOURCE = "simulated watch"
EVERY: Mapping[Vital, int] = {
    Vital.HEART_RATE: 1, Vital.OXYGEN: 60, Vital.RESPIRATORY_RATE: 60, Vital.TEMPERATURE: 300, Vital.HRV: 300,
    Vital.SYSTOLIC: 7200, Vital.DIASTOLIC: 7200, Vital.GLUCOSE: 300, Vital.STEPS: 60,
}  # fmt: skip
"""Seconds between the readings of each kind."""
DECIMALS: Mapping[Vital, int] = {Vital.TEMPERATURE: 1}
MEASURED_AGAIN = 300
"""In an emergency of the pressure somebody measures it so often, seconds."""


@dataclass(frozen=True)
class Wearer:
    """Who wears it. resting: bpm at rest by day; wake, bed: local times; walks, workout: how much they move."""

    resting: float = 64.0
    most: float = 185.0
    upper: float = 118.0
    lower: float = 76.0
    glucose: bool = False
    wake: time = time(6, 45)
    bed: time = time(22, 50)
    walks: int = 22
    workout: bool = True
    temperature: float = 36.6


@dataclass(frozen=True)
class WatchScene:
    """Something that happens: an emergency or a fault by its name, from a local time on, for some minutes."""

    name: str
    at: time
    minutes: float = 30.0


EMERGENCIES: Mapping[str, Mapping[Vital, float]] = {
    "tachycardia": {Vital.HEART_RATE: 152},
    "bradycardia": {Vital.HEART_RATE: 34},
    "hypoxia": {Vital.OXYGEN: 86, Vital.RESPIRATORY_RATE: 27, Vital.HEART_RATE: 108},
    "fever": {Vital.TEMPERATURE: 39.7, Vital.HEART_RATE: 100, Vital.RESPIRATORY_RATE: 19},
    "hypertension": {Vital.SYSTOLIC: 196, Vital.DIASTOLIC: 126},
    "hypotension": {Vital.SYSTOLIC: 83, Vital.DIASTOLIC: 50, Vital.HEART_RATE: 118},
    "hypoglycaemia": {Vital.GLUCOSE: 47, Vital.HEART_RATE: 98},
    "slow_breathing": {Vital.RESPIRATORY_RATE: 6, Vital.OXYGEN: 88},
}
"""What each emergency brings the values to, within a minute or two."""
CLOCK_FAULTS = ("clock_ahead", "clock_back")
FAULTS = ("off", "stuck", "zeros", "spikes", "nonsense", "missing", *CLOCK_FAULTS)
RAMP = 90.0
CLOCK_JUMP = 3 * 3600.0


@dataclass
class Watch:
    """A watch on somebody's wrist. Days of one seed are always the same."""

    wearer: Wearer = field(default_factory=Wearer)
    zone: tzinfo | None = None
    seed: int = 1
    scenes: Sequence[WatchScene] = ()
    every: Mapping[Vital, int] = field(default_factory=lambda: EVERY)

    def day(self, day: date, scenes: Sequence[WatchScene] | None = None) -> dict[Vital, Series]:
        """The readings of a local day, midnight to midnight; scenes are the watch's own unless given.

        Raises:
            ValueError: there is no scene of that name.
        """
        scenes = self.scenes if scenes is None else scenes
        for scene in scenes:
            if scene.name not in EMERGENCIES and scene.name not in FAULTS:
                raise ValueError(f"no scene {scene.name!r}: one of {', '.join((*EMERGENCIES, *FAULTS))}")
        chance = np.random.default_rng((self.seed, day.toordinal()))
        begin = epoch(datetime.combine(day, time()), self.zone)
        curves = _Day(self.wearer, chance, [scene for scene in scenes if scene.name in EMERGENCIES])
        found = {}
        for kind, every in self.every.items():
            if kind is Vital.GLUCOSE and not self.wearer.glucose:
                continue
            rows = np.arange(0, DAY, every) if kind is not Vital.STEPS else np.arange(every - 1, DAY, every)
            if kind in (Vital.SYSTOLIC, Vital.DIASTOLIC):
                rows = curves.cuff_times(rows, scenes)
            found[kind] = series(kind, begin + rows, curves.values(kind, rows), SOURCE)
        for kind, (at, minutes) in curves.sleep().items():
            found[kind] = series(kind, begin + at, minutes, SOURCE)
        for scene in scenes:
            if scene.name in FAULTS:
                found = {kind: _faulty(column, scene, begin, chance) for kind, column in found.items()}
        return found

    def live(
        self, day: date, seconds: float = 60.0, since: float | None = None
    ) -> Iterator[tuple[float, dict[Vital, Series]]]:
        """The readings of a day as they come in: the time by a right clock, and what came since the time before.

        Args:
            since: epoch seconds from which on they are given; the day's begin unless given.
        """
        wrong = [scene for scene in self.scenes if scene.name in CLOCK_FAULTS]
        begin = epoch(datetime.combine(day, time()), self.zone)
        chance = np.random.default_rng((self.seed, day.toordinal(), 1))
        for now, part in chunks(self.day(day, [scene for scene in self.scenes if scene not in wrong]), seconds, since):
            for scene in wrong:
                part = {kind: _faulty(column, scene, begin, chance) for kind, column in part.items()}
            yield now, part


def chunks(vitals: Vitals, seconds: float, since: float | None = None) -> Iterator[tuple[float, dict[Vital, Series]]]:
    """The readings as they come in, from `since` on: the end of each stretch of time, and what was read in it."""
    if not vitals:
        return
    begin = min(float(column.at[0]) for column in vitals.values() if len(column))
    end = max(float(column.at[-1]) for column in vitals.values() if len(column))
    begin = begin if since is None else max(begin, since)
    while begin <= end:
        part = {kind: column.between(begin, begin + seconds) for kind, column in vitals.items()}
        begin += seconds
        yield begin, {kind: column for kind, column in part.items() if len(column)}


class _Day:
    """One day's curves, a value a second."""

    def __init__(self, wearer: Wearer, chance: np.random.Generator, scenes: Sequence[WatchScene]) -> None:
        self.wearer, self.chance, self.scenes = wearer, chance, scenes
        second = np.arange(DAY, dtype=np.float64)
        self.hour = second / 3600
        wake = _seconds(wearer.wake) + chance.normal(0, 900)
        bed = _seconds(wearer.bed) + chance.normal(0, 1200)
        self.asleep = (second < wake) | (second >= bed)
        self.wake, self.bed = int(np.clip(wake, 0, DAY)), int(np.clip(bed, 0, DAY))
        self.stages = self._stages()
        self.effort, self.cadence = self._movement()
        kernel = np.exp(-np.arange(300) / 60.0)
        self.strain = np.convolve(self.effort, kernel / kernel.sum())[:DAY]

    def _stages(self) -> list[tuple[Vital, int, int]]:
        """Stage, first second and seconds of each piece of sleep."""
        found = []
        for begin, end in ((0, self.wake), (self.bed, DAY)):
            at, cycle = begin, 1 if begin == 0 else 0
            while at < end - 300:
                deep = max(5, 28 - 8 * cycle) * 60
                dream = min(35, 8 + 7 * cycle) * 60
                pieces = ((Vital.SLEEP_LIGHT, 2100), (Vital.SLEEP_DEEP, deep), (Vital.SLEEP_LIGHT, 1200))
                for kind, length in (*pieces, (Vital.SLEEP_REM, dream), (Vital.SLEEP_AWAKE, 120)):
                    length = min(int(length * self.chance.uniform(0.8, 1.2)), end - at)
                    if length > 0:
                        found.append((kind, at, length))
                        at += length
                cycle += 1
        return found

    def _movement(self) -> tuple[Floats, Floats]:
        """Effort from 0 to 1 and steps a second."""
        effort = np.where(self.asleep, 0.0, 0.03)
        cadence = np.zeros(DAY)
        bouts = [
            (
                self.chance.uniform(self.wake, self.bed),
                self.chance.uniform(60, 420),
                self.chance.uniform(0.2, 0.4),
                1.75,
            )
            for _ in range(self.wearer.walks)
        ]
        bouts += [(self.wake + 4500, 1100, 0.38, 1.85), (self.bed - 19_000, 1100, 0.38, 1.85)]
        if self.wearer.workout:
            bouts.append((self.bed - 15_000 + self.chance.normal(0, 900), 2100, 0.78, 2.65))
        for begin, length, strength, rate in bouts:
            first, last = int(begin), min(int(begin + length), self.bed)
            effort[first:last] = np.maximum(effort[first:last], strength)
            cadence[first:last] = rate
        for scene in self.scenes:  # who is ill lies still, and did before
            first = int(_seconds(scene.at))
            rows = slice(max(0, first - 900), first + int(scene.minutes * 60) + 900)
            effort[rows], cadence[rows] = np.minimum(effort[rows], 0.03), 0
        return effort, cadence

    def values(self, kind: Vital, rows: Seconds) -> Floats:
        """The readings at some seconds of the day, as the watch rounds them."""
        if kind is Vital.STEPS:
            walked = np.floor(np.cumsum(self.cadence))
            steps: Floats = np.diff(walked[rows], prepend=0.0)
            return steps
        curve, noise = self._curve(kind)
        value = curve[rows] + self.chance.normal(0, noise, len(rows))
        for scene in self.scenes:
            target = EMERGENCIES[scene.name].get(kind)
            if target is not None:
                value += self._pull(scene, rows) * (target + self.chance.normal(0, noise, len(rows)) - value)
        value = np.clip(value, 3, 100 if kind is Vital.OXYGEN else None)
        rounded: Floats = np.round(value, DECIMALS.get(kind, 0))
        return rounded

    def _pull(self, scene: WatchScene, rows: Seconds) -> Floats:
        since, left = rows - _seconds(scene.at), _seconds(scene.at) + scene.minutes * 60 - rows
        pull: Floats = np.clip(np.minimum(since, left) / RAMP, 0, 1)
        return pull

    def _curve(self, kind: Vital) -> tuple[Floats, float]:
        """A value a second, and how much a reading strays from it."""
        wearer, asleep, strain = self.wearer, self.asleep, self.strain
        late = np.cos((self.hour - 17) / 24 * 2 * np.pi)  # 1 at five in the evening, -1 before dawn
        if kind is Vital.HEART_RATE:
            depth = np.zeros(DAY)
            for stage, begin, length in self.stages:
                depth[begin : begin + length] = {Vital.SLEEP_DEEP: -3, Vital.SLEEP_REM: 3}.get(stage, 0)
            at_ease = wearer.resting + 2 * late - np.where(asleep, 8.0, 0.0) + depth + self._drift(2.5)
            return at_ease + strain * (wearer.most - wearer.resting), 1.2
        if kind is Vital.OXYGEN:
            return np.where(asleep, 96.4, 97.4) - 0.8 * strain, 0.5
        if kind is Vital.RESPIRATORY_RATE:
            return np.where(asleep, 13.0, 14.8) + 22 * strain + self._drift(0.5), 0.5
        if kind is Vital.TEMPERATURE:
            return wearer.temperature + 0.3 * late + 0.5 * strain, 0.05
        if kind is Vital.HRV:
            return np.where(asleep, 52.0, 38.0) * np.exp(-strain) + self._drift(4), 3.0
        if kind is Vital.SYSTOLIC:
            return wearer.upper + 5 * late - np.where(asleep, 8.0, 0.0) + 60 * strain, 4.0
        if kind is Vital.DIASTOLIC:
            return wearer.lower + 3 * late - np.where(asleep, 6.0, 0.0) + 15 * strain, 3.0
        meals = sum(_meal(self.hour - hour) * size for hour, size in ((7.6, 38), (12.8, 45), (19.2, 50)))
        return 94.0 + meals + self._drift(4), 2.0

    def _drift(self, size: float) -> Floats:
        """A slow wander about 0: a value each five minutes, joined."""
        knots = self.chance.normal(0, size, DAY // 300 + 2)
        smooth = np.convolve(knots, (0.25, 0.5, 0.25), "same")
        joined: Floats = np.interp(np.arange(DAY), np.arange(len(smooth)) * 300.0, smooth)
        return joined

    def cuff_times(self, rows: Seconds, scenes: Sequence[WatchScene]) -> Seconds:
        """When the pressure is measured: not asleep, and again and again while it is in an emergency."""
        parts = [rows[~self.asleep[rows]] if len(rows) < DAY else rows]
        for scene in scenes:
            if Vital.SYSTOLIC in EMERGENCIES.get(scene.name, {}):
                first = int(_seconds(scene.at)) + 2 * int(RAMP)
                parts.append(np.arange(first, first + int(scene.minutes * 60) - 3 * int(RAMP), MEASURED_AGAIN))
        found = np.unique(np.concatenate(parts))
        return found[found < DAY]

    def sleep(self) -> dict[Vital, tuple[Floats, Floats]]:
        """For each stage the seconds of the day at which its pieces begin, and their minutes."""
        found: dict[Vital, tuple[Floats, Floats]] = {}
        for kind in {stage for stage, _, _ in self.stages}:
            pieces = [(begin, length / 60) for stage, begin, length in self.stages if stage is kind]
            at, minutes = zip(*pieces, strict=True)
            found[kind] = (np.asarray(at, np.float64), np.asarray([round(each, 1) for each in minutes], np.float64))
        return found


def _meal(hours: Floats) -> Floats:
    """The rise of glucose after a meal: its greatest value, 1, after an hour."""
    since = np.maximum(hours, 0)
    rise: Floats = since * np.exp(1 - since)
    return rise


def _faulty(column: Series, scene: WatchScene, begin: float, chance: np.random.Generator) -> Series:
    """The column as a watch with that fault tells it."""
    first = begin + _seconds(scene.at)
    rows = np.flatnonzero((column.at >= first) & (column.at < first + scene.minutes * 60))
    at, value = column.at.copy(), column.value.copy()
    if not len(rows) or (column.kind in COUNTED and scene.name != "off"):
        return column
    if scene.name == "off":
        keep = np.ones(len(at), np.bool_)
        keep[rows] = False
        return Series(column.kind, at[keep], value[keep], column.source)
    if scene.name in CLOCK_FAULTS:
        at[rows] += CLOCK_JUMP if scene.name == "clock_ahead" else -CLOCK_JUMP
        return series(column.kind, at, value, column.source)
    if scene.name == "stuck":
        value[rows] = value[rows[0]]
    elif scene.name == "zeros":
        value[rows] = 0
    elif scene.name == "missing":
        value[rows] = np.nan
    elif scene.name == "spikes":
        hit = rows[chance.random(len(rows)) < 0.02]
        value[hit] = value[hit] * chance.uniform(1.6, 2.4, len(hit))
    else:
        value[rows] = chance.choice((np.nan, np.inf, -np.inf, -1.0, 65_535.0, 0.0, 1e9), len(rows))
    return Series(column.kind, at, value, column.source)


def _seconds(moment: time) -> float:
    return moment.hour * 3600 + moment.minute * 60 + moment.second
