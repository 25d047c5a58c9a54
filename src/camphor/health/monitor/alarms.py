"""When the person is told: soft SOS, without storms.

An alarm is one spell of trouble, whatever signs it shows in. It is told when it begins and when it becomes more severe,
never because another reading came in. Signs that turn up together are one alarm; a sign that returns soon after it was
gone is the same alarm. Beyond some alarms an hour, or some hours after the same warning, only urgent ones are told; the
report has the rest. An urgent alarm that goes on is told again each hour.

The report that the person reads says what was measured, why it matters, what is usual and what to do; it is never a
diagnosis. Of a reading or two beyond a limit, too few for an alarm, it is told to measure again: somebody who measures
by hand would else hear nothing of the first one, and never take the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo

import numpy as np

from camphor.health.monitor.detect import Episode
from camphor.health.monitor.plausible import JudgedSeries
from camphor.health.monitor.thresholds import Level, RangeRule
from camphor.health.monitor.vitals import MEASURES, SIMULATED, Vital, local

TOGETHER = 900.0
"""Signs that become sure within this time of an alarm belong to it."""
COOL_DOWN = 1800.0
"""A sign that returns within this time after it ended is the same alarm."""
GONE = 300.0
"""An alarm has ended when its signs have been good for so long."""
HOUR = 3600.0
MOST_AN_HOUR = 3
REPEAT = 4 * HOUR
"""A warning of the same signs is told once in this time."""
AGAIN = HOUR


@dataclass(frozen=True)
class Sign:
    """One abnormal vital sign of an alarm, as it stands: the figures of its episode."""

    family: str
    rule: str
    kind: str
    level: Level
    begin: float
    end: float
    worst: float
    typical: float
    source: str
    says: str
    over: bool
    doubtful: bool
    still_known: bool
    again: bool


@dataclass(frozen=True)
class Alarm:
    """A spell of trouble.

    Attributes:
        raised, last, ended: epoch seconds; tellings: when the person was told of it, none while it was held back.
        told_level, told_of: how severe it was then, and the families of its signs. id: 0 until it is kept.
    """

    raised: float
    last: float
    level: Level
    signs: tuple[Sign, ...]
    ended: float | None = None
    tellings: tuple[float, ...] = ()
    told_level: Level = Level.NOTICE
    told_of: tuple[str, ...] = ()
    id: int = 0

    @property
    def told(self) -> float | None:
        """When the person was last told of it."""
        return self.tellings[-1] if self.tellings else None


@dataclass
class Alarms:
    """Turns episodes into alarms, and says which are to be told.

    Args:
        kept: alarms of the last hours, from the disk. save: keeps an alarm and gives its id.
    """

    kept: list[Alarm] = field(default_factory=list)
    save: Callable[[Alarm], int] = lambda alarm: alarm.id

    def update(self, episodes: Iterable[Episode], now: float) -> list[Alarm]:
        """The alarms to tell the person now, new ones and such as became worse.

        Args:
            episodes: what was found in the last hours, whether it goes on or not; single values to measure again too.
        """
        signs = [sign_of(each) for each in episodes if each.level > Level.NOTICE]
        changed: set[int] = set()
        for sign in sorted(signs, key=lambda each: (-each.level, each.begin)):
            row = self._place(sign, now)
            if row is None:
                if sign.over and now - sign.end > COOL_DOWN:
                    continue  # long over when it was first seen: the report has it
                self.kept.append(Alarm(now, sign.end, sign.level, ()))
                row = len(self.kept) - 1
            if self._put(row, sign):
                changed.add(row)
        changed |= {row for row, alarm in enumerate(self.kept) if alarm.ended is None and self._end(row, now)}
        told = [row for row in range(len(self.kept)) if self._tell(row, now)]
        for row in sorted(changed | set(told)):
            self.kept[row] = replace(self.kept[row], id=self.save(self.kept[row]))
        return [self.kept[row] for row in told]

    def _place(self, sign: Sign, now: float) -> int | None:
        """The alarm that a sign belongs to."""
        for row, alarm in reversed(list(enumerate(self.kept))):
            same = [each for each in alarm.signs if each.family == sign.family]
            if any(_apart(sign, each) <= COOL_DOWN for each in same):
                return row
            near = abs(now - alarm.raised) <= TOGETHER or alarm.ended is None
            if not same and near and any(_apart(sign, each) <= TOGETHER for each in alarm.signs):
                return row
        return None

    def _put(self, row: int, sign: Sign) -> bool:
        """Brings an alarm up to date with a sign; whether that changed it."""
        alarm = self.kept[row]
        others = tuple(each for each in alarm.signs if each.family != sign.family)
        before = next((each for each in alarm.signs if each.family == sign.family), None)
        if before is not None:
            if (sign.begin, sign.end) == (before.begin, before.end) and sign.level <= before.level:
                sign = replace(before, over=sign.over)
            sign = replace(sign, begin=min(before.begin, sign.begin), level=max(before.level, sign.level))
            sign = replace(sign, worst=_worse(before, sign))
        if sign == before:
            return False
        returned = alarm.ended is not None and not sign.over
        self.kept[row] = replace(
            alarm,
            signs=(*others, sign),
            last=max(alarm.last, sign.end),
            level=max(alarm.level, sign.level),
            ended=None if returned else alarm.ended,
        )
        return True

    def _end(self, row: int, now: float) -> bool:
        alarm = self.kept[row]
        quiet = now - alarm.last
        good = all(each.over for each in alarm.signs)
        # without any reading for longer than the cool-down nothing is known of it; nor where the clock was put back
        if -COOL_DOWN <= quiet <= (GONE if good else COOL_DOWN):
            return False
        self.kept[row] = replace(alarm, ended=alarm.last)
        return True

    def _tell(self, row: int, now: float) -> bool:
        """Whether the person is to be told of an alarm now; notes that they are."""
        alarm = self.kept[row]
        families = tuple(sorted({each.family for each in alarm.signs}))
        since = abs(now - alarm.told) if alarm.told is not None else 0.0
        urgent, going_on = alarm.level is Level.URGENT, alarm.ended is None
        if alarm.told is None or alarm.level > alarm.told_level:
            tell = urgent or (going_on and not self._enough(alarm, now))
        elif urgent and going_on and since >= AGAIN:
            tell = True
        else:
            more = not set(families) <= set(alarm.told_of)
            tell = more and going_on and since >= TOGETHER and (urgent or not self._enough(alarm, now))
        if tell:
            self.kept[row] = replace(alarm, tellings=(*alarm.tellings, now), told_level=alarm.level, told_of=families)
        elif alarm.told is not None and since < TOGETHER:
            self.kept[row] = replace(alarm, told_of=families)  # what turns up together was told with it
        return tell

    def _enough(self, alarm: Alarm, now: float) -> bool:
        """Whether the person has been told of as much already: of others this hour, or of this not long ago."""
        families = {each.family for each in alarm.signs}
        others = [each for each in self.kept if each is not alarm and each.told is not None]
        hour = [at for each in self.kept for at in each.tellings if 0 <= now - at < HOUR]
        same = [each for each in others if 0 <= now - (each.told or 0) < REPEAT and each.told_level >= alarm.level]
        return len(hour) >= MOST_AN_HOUR or any(families <= {sign.family for sign in each.signs} for each in same)


def sign_of(episode: Episode) -> Sign:
    rule = episode.rule
    return Sign(
        rule.family,
        rule.name,
        rule.kind.value,
        episode.level,
        episode.begin,
        episode.end,
        episode.worst,
        episode.typical,
        rule.source,
        rule.says,
        episode.over,
        episode.doubtful,
        episode.still_known,
        episode.again,
    )


def _apart(one: Sign, other: Sign) -> float:
    """Seconds between two spells; 0 where they overlap."""
    return max(one.begin - other.end, other.begin - one.end, 0.0)


def _worse(one: Sign, other: Sign) -> float:
    return max(one.worst, other.worst) if one.family.endswith(":high") else min(one.worst, other.worst)


def open_alarms(alarms: Sequence[Alarm]) -> list[Alarm]:
    """Those that have not ended."""
    return [each for each in alarms if each.ended is None]


# what the person reads


NO_DIAGNOSIS = "This is no diagnosis: a watch can be wrong, and only a doctor can say what it means."
_URGENT = (
    "Do you need help now? If you feel unwell, for example pain in the chest, short of breath, faint or confused, "
    "call your emergency number, or start the emergency call with  camphor health sos start"
)
_WARNING = "Rest, and measure again in a while. If it goes on or you feel unwell, ask a doctor:  camphor health talk"
_DOUBT = "Readings like these are rare and the watch may be wrong: see how it sits and measure again."
_MOVING = "Whether you were moving is not known, as no steps were counted; after exercise this may be as it should."
LATELY = 1800.0
"""Seconds for which a reading is fresh enough to be measured again."""
_ALONE = 3600.0
_MOST = 3
"""So many readings in that time are taken by hand; more of them come from something that measures by itself."""


def report(alarm: Alarm, zone: tzinfo | None, usual: Mapping[Vital, float] | None = None, made_up: bool = False) -> str:
    """The report that the person reads.

    Args:
        usual: what is usual for the person, by kind. made_up: whether the readings are simulated.
    """
    head = "Urgent" if alarm.level is Level.URGENT else "Please look after yourself"
    lines = [f"{head}, {local(alarm.last, zone):%H:%M on %d %B %Y}", *([SIMULATED] if made_up else [])]
    for sign in sorted(alarm.signs, key=lambda each: (-each.level, each.begin)):
        lines.append(f"- {_sign_text(sign, usual or {})}")
    if any(each.doubtful for each in alarm.signs):
        lines.append(_DOUBT)
    if any(not each.still_known and "still" in each.says for each in alarm.signs):
        lines.append(_MOVING)
    lines += [_URGENT if alarm.level is Level.URGENT else _WARNING, NO_DIAGNOSIS]
    return "\n".join(lines)


def _sign_text(sign: Sign, usual: Mapping[Vital, float]) -> str:
    kind = Vital(sign.kind)
    measure = MEASURES[kind]
    far = "at most" if sign.family.endswith(":high") else "at least"
    text = f"{sign.says}: {measure.told(sign.typical)} for {minutes(sign.end - sign.begin)}"
    if measure.told(sign.worst) != measure.told(sign.typical):
        text += f", {far} {measure.told(sign.worst)}"
    if kind in usual:
        text += f"; usual for you is {measure.told(usual[kind])}"
    return f"{text}. ({sign.source})"


def minutes(seconds: float) -> str:
    """A time as a person says it."""
    whole = max(1, round(seconds / 60))
    if whole < 120:
        return f"{whole} minute{'' if whole == 1 else 's'}"
    return f"{whole // 60} h {whole % 60:02d} min"


# measure again


@dataclass(frozen=True)
class Unsure:
    """The last reading of a kind, which is beyond the limit of a rule while no alarm is sure yet."""

    rule: RangeRule
    at: float
    value: float

    @property
    def urgent(self) -> bool:
        return self.rule.level is Level.URGENT


def unsure(columns: Mapping[Vital, JudgedSeries], rules: Sequence[RangeRule], now: float) -> list[Unsure]:
    """What is to be measured again, the most severe first; of each vital sign its most severe rule."""
    found: dict[Vital, Unsure] = {}
    for rule in sorted(rules, key=lambda each: each.level):
        column = columns.get(rule.kind)
        if column is None or rule.at_rest or rule.level < Level.WARNING:
            continue
        rows = column.usable & (column.series.at > now - _ALONE) & (column.series.at <= now)
        at, value = column.series.at[rows], column.series.value[rows]
        if not 0 < len(at) <= _MOST or at[-1] <= now - LATELY:
            continue
        beyond = value >= rule.limit if rule.above else value <= rule.limit
        first = at[np.flatnonzero(~beyond)[-1] + 1 :] if not beyond.all() else at
        if beyond[-1] and at[-1] - first[0] < rule.hold:
            found[rule.kind] = Unsure(rule, float(at[-1]), float(value[-1]))
    return sorted(found.values(), key=lambda each: -each.rule.level)


def again_text(found: Sequence[Unsure], zone: tzinfo | None, made_up: bool = False) -> str:
    """What the person reads: the values, why no alarm was raised, what to do."""
    values = ", ".join(f"{MEASURES[each.rule.kind].name} {MEASURES[each.rule.kind].told(each.value)}" for each in found)
    minutes = max(1, round(max(each.rule.hold for each in found) / 60))
    lines = [
        f"Measured at {local(max(each.at for each in found), zone):%H:%M on %d %B %Y}: {values}. "
        "That is beyond the range, and one reading alone can be wrong, so it raises no alarm.",
        *([SIMULATED] if made_up else []),
        f"Sit still for {minutes} minutes and measure again: if it is still so, I tell you what to do.",
    ]
    if any(each.urgent for each in found):
        lines.append(
            "If you feel unwell now, for example pain in the chest, short of breath, weak on one side, faint or "
            "confused, do not wait: call your emergency number."
        )
    sources = dict.fromkeys(each.rule.source for each in found)
    return "\n".join([*lines, f"({'; '.join(sources)})"])
