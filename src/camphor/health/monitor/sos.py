"""The plain report of a soft SOS: what was measured, why it matters, what is usual, what to do. Never a diagnosis."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo

from camphor.health.monitor.alarms import Alarm, Sign
from camphor.health.monitor.thresholds import Level
from camphor.health.monitor.vitals import MEASURES, SIMULATED, Kind, local

NO_DIAGNOSIS = "This is no diagnosis: a watch can be wrong, and only a doctor can say what it means."
_URGENT = (
    "Do you need help now? If you feel unwell, for example pain in the chest, short of breath, faint or confused, "
    "call your emergency number, or start the emergency call with  camphor health sos start"
)
_WARNING = "Rest, and measure again in a while. If it goes on or you feel unwell, ask a doctor:  camphor health talk"
_DOUBT = "Readings like these are rare and the watch may be wrong: see how it sits and measure again."
_MOVING = "Whether you were moving is not known, as no steps were counted; after exercise this may be as it should."


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
