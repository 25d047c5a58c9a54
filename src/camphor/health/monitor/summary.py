"""A day's vitals, alarms and abnormal spells as people see them: figures with their units, times of the phone."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date, tzinfo
from typing import Any

from camphor.health.monitor.alarms import Alarm
from camphor.health.monitor.baseline import span
from camphor.health.monitor.detect import Episode
from camphor.health.monitor.monitor import Monitor
from camphor.health.monitor.sos import minutes
from camphor.health.monitor.vitals import COUNTED, MEASURES, Kind, local, simulated


def day_summary(monitor: Monitor, day: date) -> list[dict[str, Any]]:
    """A row for each kind that has readings of that day. Raises: StoreError."""
    begin, end = span(day, monitor.zone)
    usual, rows = monitor.usual(day), []
    for kind in Kind:
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
