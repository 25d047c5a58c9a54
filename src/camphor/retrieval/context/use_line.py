"""The use of an item in one line, as a language model reads it: how often, what became of it, how long ago, and how
much of it was at such an hour, on this weekday and here."""

from __future__ import annotations

import numpy as np

from camphor.device.usage_events import ItemRef, Signals
from camphor.retrieval.context.query import UseSituation

_MOST_KINDS = 3
_SPANS = ((86_400 * 14, 86_400 * 7, "weeks"), (86_400 * 2, 86_400, "days"), (7200, 3600, "hours"), (120, 60, "minutes"))
"""From how many seconds on a time is told in what."""


def use_line(signals: Signals, ref: ItemRef, situation: UseSituation) -> str:
    """How an item was used up to the situation: `4 times: called 3, missed 1; 20 minutes ago; at this hour 2; ...`;
    "never" of one without use."""
    row = signals.row_of.get(ref)
    if row is None:
        return "never"
    now, count = situation.now, int(signals.count[row])
    kinds = signals.kinds[row]
    first = [int(each) for each in np.argsort(-kinds, kind="stable")[:_MOST_KINDS] if kinds[each]]
    hours = signals.hours[row, [(now.hour - 1) % 24, now.hour, (now.hour + 1) % 24]].sum()
    parts = [
        f"{count} times: " + ", ".join(f"{signals.kind_names[each]} {int(kinds[each])}" for each in first),
        _ago(situation.seconds - float(signals.last[row])),
        f"at this hour {int(hours)}",
        f"on {now:%A}s {int(signals.weekdays[row, now.weekday()])}",
    ]
    if situation.place in signals.place_names:
        parts.append(f"here {int(signals.places[row, signals.place_names.index(situation.place)])}")
    return "; ".join(parts)


def _ago(seconds: float) -> str:
    for least, unit, name in _SPANS:
        if seconds >= least:
            return f"{int(seconds // unit)} {name} ago"
    return "just now"
