"""The plain report of a soft SOS: what was measured, why it matters, what is usual, what to do. Never a diagnosis.

And what is told of a reading or two beyond a limit, too few for an alarm, as of a cuff or a thermometer: measure again.
An alarm needs values that last. Somebody who measures by hand would hear nothing of the first one, however bad it is,
and never take the second that makes it sure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

import numpy as np

from camphor.health.monitor.alarms import Alarm, Sign
from camphor.health.monitor.plausible import Judged
from camphor.health.monitor.thresholds import Level, Rule
from camphor.health.monitor.vitals import MEASURES, SIMULATED, Kind, local

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


def report(alarm: Alarm, zone: tzinfo | None, usual: Mapping[Kind, float] | None = None, made_up: bool = False) -> str:
    """The report that the person reads.

    Args:
        usual: what is usual for the person, by kind. made_up: whether the readings are simulated.
    """
    head = "Urgent" if alarm.level is Level.URGENT else "Please look after yourself"
    lines = [f"{head}, {local(alarm.last, zone):%H:%M on %d %B %Y}", *([SIMULATED] if made_up else [])]
    for sign in sorted(alarm.signs, key=lambda each: (-each.level, each.begin)):
        lines.append(f"- {_told(sign, usual or {})}")
    if any(each.doubtful for each in alarm.signs):
        lines.append(_DOUBT)
    if any(not each.still_known and "still" in each.says for each in alarm.signs):
        lines.append(_MOVING)
    lines += [_URGENT if alarm.level is Level.URGENT else _WARNING, NO_DIAGNOSIS]
    return "\n".join(lines)


def _told(sign: Sign, usual: Mapping[Kind, float]) -> str:
    kind = Kind(sign.kind)
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

    rule: Rule
    at: float
    value: float

    @property
    def urgent(self) -> bool:
        return self.rule.level is Level.URGENT


def unsure(columns: Mapping[Kind, Judged], rules: Sequence[Rule], now: float) -> list[Unsure]:
    """What is to be measured again, the most severe first; of each vital sign its most severe rule."""
    found: dict[Kind, Unsure] = {}
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
