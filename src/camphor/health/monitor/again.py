"""A reading or two beyond a limit, too few for an alarm, as of a cuff or a thermometer: measure again.

An alarm needs values that last. Somebody who measures by hand would hear nothing of the first one, however bad it is,
and never take the second that makes it sure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

import numpy as np

from camphor.health.monitor.plausible import Judged
from camphor.health.monitor.thresholds import Level, Rule
from camphor.health.monitor.vitals import MEASURES, SIMULATED, Kind, local

LATELY = 1800.0
"""Seconds for which a reading is fresh enough to be measured again."""
_ALONE = 3600.0
_MOST = 3
"""So many readings in that time are taken by hand; more of them come from something that measures by itself."""


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
