"""What can be told about items by how they were used: how often, how lately, at which hours, days and places."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.device.usage_events import DAYPARTS, HALF_LIVES, HOURS_OF_PART, KINDS, screen_name
from camphor.retrieval.context.candidates import Candidates
from camphor.retrieval.context.query import Situation


def ranks_within(values: npt.NDArray[Any], groups: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """The rank of each value among those of its group, 1 for the highest; equal values have the best of their ranks."""
    if not len(values):
        return np.zeros(0, np.float32)
    order = np.lexsort((-values, groups))
    sorted_values, sorted_groups = values[order], groups[order]
    places = np.arange(len(values))
    new = np.ones((2, len(values)), bool)
    np.not_equal(sorted_groups[1:], sorted_groups[:-1], out=new[0, 1:])
    np.not_equal(sorted_values[1:], sorted_values[:-1], out=new[1, 1:])
    new[1] |= new[0]
    start, first = np.maximum.accumulate(new * places, axis=1)
    ranks = np.empty(len(values), np.float32)
    ranks[order] = first - start + 1
    return ranks


def most_within(values: npt.NDArray[Any], groups: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """For each value the highest of its group, for groups numbered from 0."""
    most = np.full(int(groups.max(initial=-1)) + 1, -np.inf, np.float32)
    np.maximum.at(most, groups, values.astype(np.float32))
    return np.asarray(most[groups], np.float32)


def sum_within(values: npt.NDArray[Any], groups: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """For each value the sum of its group, for groups numbered from 0."""
    total = np.bincount(groups, values) if len(values) else np.zeros(0)
    return np.asarray(total[groups], np.float32)


Floats = npt.NDArray[np.float32]
Named = dict[str, npt.NDArray[np.floating]]

NEVER = 1e9
"""Seconds in the place of a time that is not known: some thirty years."""
_HOUR = 3600.0
_PRIOR = 1.0
"""Uses at no particular time that are added to each item's, so that one use makes no habit."""


def recency(picked: Candidates, situation: Situation) -> Named:
    """Times since the first and last use, counts, and counts that fade."""
    signals, used, at = picked.signals, picked.use >= 0, picked.use
    age, first, count = (np.full(len(picked), empty) for empty in (NEVER, NEVER, 0.0))
    fading = np.zeros((len(picked), len(HALF_LIVES)))
    if used.any():
        age[used] = np.maximum(situation.seconds - signals.last[at[used]], 0)
        first[used] = np.maximum(situation.seconds - signals.first[at[used]], 0)
        count[used] = signals.count[at[used]]
        fading[used] = signals.decayed[at[used]] * np.exp2(-age[used, None] / np.array(HALF_LIVES))
    every = (first - age) / np.maximum(count - 1, 1)
    found: Named = {
        "used": used.astype(np.float32),
        "log_count": np.log1p(count),
        "last_age": np.log1p(age / _HOUR),
        "first_age": np.log1p(first / _HOUR),
        "first_use": (count == 1).astype(np.float32),
        "beat": np.where(count > 1, np.minimum(age / np.maximum(every, _HOUR), 20.0), -1.0),
        "trend_day": fading[:, 1] / (fading[:, 3] + 0.5),
        "trend_week": fading[:, 2] / (fading[:, 3] + 0.5),
        "lately": np.log1p(fading[:, 1]),
        "this_week": np.log1p(fading[:, 2]),
        "this_month": np.log1p(fading[:, 3]),
        "gone_quiet": np.log1p(count) - np.log1p(fading[:, 3]),
        "rank_last": ranks_within(-age, picked.store),
        "rank_last_all": ranks_within(-age, np.zeros(len(picked), np.int16)),
        "rank_week": ranks_within(fading[:, 2], picked.store),
        "rank_count": ranks_within(count, picked.store),
        "rank_quiet": ranks_within(np.log1p(count) - np.log1p(fading[:, 3]), picked.store),
    }
    return found


def kinds(picked: Candidates) -> Named:
    """How often each kind of use was, on a logarithmic scale."""
    table = np.zeros((len(picked), len(KINDS)), np.float32)
    used = picked.use >= 0
    table[used] = np.log1p(picked.signals.kinds[picked.use[used]])
    return {f"times_{kind}": table[:, place] for place, kind in enumerate(KINDS)}


def habit(picked: Candidates, situation: Situation) -> Named:
    """The share of an item's use that is at this hour, weekday, part of the week and place, and its rank by each.

    Shares are smoothed by `_PRIOR` uses of no habit; masses are a share times how often the item is used of late.
    """
    now, signals = situation.now, picked.signals
    weekday, part = now.weekday(), now.hour // HOURS_OF_PART
    used = picked.use >= 0
    at = picked.use[used]
    hours, place, screen = (np.zeros(len(picked)) for _ in range(3))
    days, parts, count, strength = (np.zeros(len(picked)) for _ in range(4))
    minutes = now.minute / 60
    for step, weight in ((-1, 0.75 - minutes / 2), (0, 1.0), (1, 0.25 + minutes / 2)):
        hours[used] += weight * signals.hours[at, (now.hour + step) % 24]
    days[used], parts[used] = signals.weekdays[at, weekday], signals.dayparts[at, weekday * len(DAYPARTS) + part]
    count[used] = signals.count[at]
    age = np.maximum(situation.seconds - signals.last[at], 0)
    strength[used] = signals.decayed[at, 3] * np.exp2(-age / HALF_LIVES[3])
    if situation.place in signals.place_names:
        place[used] = signals.places[at, signals.place_names.index(situation.place)]
    if screen_name(situation.screen) in signals.screen_names:
        screen[used] = signals.screens[at, signals.screen_names.index(screen_name(situation.screen))]
    total = count + _PRIOR
    found: Named = {
        "at_hour": (hours + _PRIOR / 12) / total,
        "at_weekday": (days + _PRIOR / 7) / total,
        "at_part": (parts + _PRIOR / 28) / total,
        "at_place": (place + _PRIOR / 5) / total,
        "at_screen": screen / total,
        "place_known": np.full(len(picked), float(situation.place in signals.place_names)),
    }
    together = found["at_hour"] * found["at_place"] * np.sqrt(found["at_part"])
    found["habit"] = np.log(together * (strength + 0.1))
    found["hour_mass"] = np.log1p(hours)
    found["place_mass"] = np.log1p(place)
    found["hour_lift"] = hours / (sum_within(hours, picked.store) + _PRIOR)
    found["place_lift"] = place / (sum_within(place, picked.store) + _PRIOR)
    for name in ("at_hour", "at_weekday", "at_part", "at_place", "habit", "hour_mass", "place_mass"):
        found[f"rank_{name}"] = ranks_within(found[name], picked.store)
    found["rank_habit_all"] = ranks_within(found["habit"], np.zeros(len(picked), np.int16))
    found["rank_hour_all"] = ranks_within(found["hour_mass"], np.zeros(len(picked), np.int16))
    return found
