"""A table of what can be told about items in view of a query and a situation: (items, features), float32, no NaN.

Besides plain values there are ranks within an item's store: which song is the one of this hour is a comparison with
the other songs, whatever the numbers. Times are hours on a logarithmic scale with their sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.device.usage_events import DAYPARTS, HALF_LIVES, HOURS_OF_PART, KINDS, screen_name
from camphor.errors import ModelMissing
from camphor.retrieval.context.candidates import Candidates
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.query import SIDES, QueryReader, UseSituation

# What can be told about items by how they were used: how often, how lately, at which hours, days and places.


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


def recency(picked: Candidates, situation: UseSituation) -> Named:
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


def habit(picked: Candidates, situation: UseSituation) -> Named:
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


OTHER = "the ranker of items was trained for another camphor: train it anew with  camphor lab train-ranker"
DAY = 86_400.0
LAST_RANK = 20.0
"""Ranks beyond it are all one: the tail of a long list says nothing."""


@dataclass(frozen=True)
class Features:
    """A table, (items, features), and the names of its columns.

    Attributes:
        named: how likely it is that the query leaves nothing unsaid that an item is meant by, 0 to 1.
    """

    names: tuple[str, ...]
    table: Floats
    named: float = 0.0

    def column(self, name: str) -> Floats:
        return self.table[:, self.names.index(name)]


def features(
    query: str, picked: Candidates, situation: UseSituation, index: ContextIndex, reader: QueryReader | None = None
) -> Features:
    """What can be told about the candidates; with a `reader`, also how they fit what it makes of the query.

    Raises:
        ModelMissing: the reader was trained with other features, or its encoder is not there.
    """
    base = tabled(base_features(query, picked, situation, index))
    if reader is None:
        return base
    if base.names != reader.features:
        raise ModelMissing(OTHER)
    vectors = index.columns.vectors[picked.rows].astype(np.float32)
    reading = reader.read(query, situation)
    sides = reader.scores(reading, vectors, index.store_vectors(), picked.store, base.table)
    return with_reading(base, sides, picked.store, reading.named)


def with_reading(base: Features, sides: Floats, store: npt.NDArray[np.int16], named_fit: float = -np.inf) -> Features:
    """Base features, and those of how items fit a reading of their query.

    Args:
        sides: what `QueryReader.scores` gave. store: the number of each item's store. named_fit: `QueryReading.named`.
    """
    fit = sides.sum(axis=1)
    every = float(np.logaddexp.reduce([named_fit, *fit]))
    alone = np.zeros_like(store)
    raised = np.exp(fit - fit.max(initial=-np.inf))
    named: Named = {f"asked_{side}": column for side, column in zip(SIDES, sides.T, strict=True)}
    named |= {
        "asked_gap": fit - fit.max(initial=-np.inf),
        "asked_store_gap": fit - most_within(fit, store),
        "asked_share": raised / raised.sum(),
        "rank_asked": ranks_within(fit, store),
        "rank_asked_all": ranks_within(fit, alone),
    }
    for side, column in zip(SIDES, sides.T, strict=True):
        named[f"rank_asked_{side}"] = ranks_within(column, alone)
    more = tabled(named)
    table = np.concatenate([base.table, more.table], axis=1)
    return Features((*base.names, *more.names), table, float(np.exp(named_fit - every)))


def base_features(query: str, picked: Candidates, situation: UseSituation, index: ContextIndex) -> Named:
    """The features that need no reading of the query but its words, by name."""
    named = {
        **_time(picked, situation, index),
        **recency(picked, situation),
        **kinds(picked),
        **habit(picked, situation),
        **_text(query, picked, situation, index),
    }
    for fact, rank in (
        ("is_next", "rank_next"), ("is_latest", "rank_latest"), ("is_last_used", "rank_last"),
        ("is_habit", "rank_habit"), ("is_of_week", "rank_week"), ("is_quiet", "rank_quiet"),
    ):  # fmt: skip
        named[fact] = (named[rank] == 1).astype(np.float32)
    return named


def tabled(named: Named) -> Features:
    """Named columns as a table; ranks end at `LAST_RANK`."""
    table = np.empty((len(next(iter(named.values()))), len(named)), np.float32)
    for place, (name, column) in enumerate(named.items()):
        table[:, place] = np.minimum(column, LAST_RANK) if name.startswith("rank_") else column
    return Features(tuple(named), np.nan_to_num(table, copy=False, posinf=1e9, neginf=-1e9))


def _time(picked: Candidates, situation: UseSituation, index: ContextIndex) -> Named:
    """When an item's moments are, seen from now; an item without any is neither ahead nor past."""
    columns, now = index.columns, situation.seconds
    begin, end = columns.begin[picked.rows], columns.end[picked.rows]
    dated = ~np.isnan(begin)
    ahead = np.where(dated, begin - now, 0.0)
    over = np.where(dated, end - now, 0.0)
    future, past = dated & (ahead > 0), dated & (over <= 0)
    days = np.where(dated, np.floor(begin / DAY) - np.floor(now / DAY), -999.0)
    done = columns.done[picked.rows]
    upcoming = np.where(dated & (over > 0), -np.maximum(ahead, 0), -1e12)
    waiting = np.where(dated & ~done, -np.abs(ahead), -1e12)
    gone = np.where(past, over, -1e12)
    return {
        "dated": dated,
        "future": future,
        "past": past,
        "ongoing": dated & ~future & ~past,
        "soon": future & (ahead < DAY / 2),
        "late": past & (over > -DAY / 2),
        "today": days == 0,
        "tomorrow": days == 1,
        "done": done,
        "days": np.clip(days, -60, 60),
        "ahead": np.where(dated, _hours(ahead), -99.0),
        "over": np.where(dated, _hours(over), -99.0),
        "length": np.where(dated, np.log1p((end - begin) / 3600), -1.0),
        "hour": np.where(dated, begin % DAY / 3600, -1.0),
        "rank_next": np.where(upcoming > -1e12, ranks_within(upcoming, picked.store), LAST_RANK),
        "rank_due": np.where(waiting > -1e12, ranks_within(waiting, picked.store), LAST_RANK),
        "rank_latest": np.where(past, ranks_within(gone, picked.store), LAST_RANK),
        "now_hour": np.full(len(picked), situation.now.hour + situation.now.minute / 60),
        "now_weekend": np.full(len(picked), situation.now.weekday() >= 5),
    }


def _hours(seconds: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Seconds as hours on a logarithmic scale, with their sign."""
    return np.asarray(np.sign(seconds) * np.log1p(np.abs(seconds) / 3600))


def _text(query: str, picked: Candidates, situation: UseSituation, index: ContextIndex) -> Named:
    """How the words and meanings of the query, the screen and the last activity fit the item and its store."""
    groups, rows = picked.store, picked.rows
    seen = "\n".join((situation.screen, *situation.activity[-5:]))
    shown = index.words.scores(seen)[rows] if seen.strip() else np.zeros(len(rows), np.float32)
    about = (index.store_vectors() @ picked.vector)[groups]
    labelled = index.labels.scores(query)[index.columns.label[rows]]
    sizes = np.bincount(groups) if len(rows) else np.zeros(1)
    return {
        "bm25": picked.bm25,
        "bm25_share": picked.bm25 / (picked.bm25.max(initial=0) + 1e-6),
        "cosine": picked.cosine,
        "cosine_gap": picked.cosine - picked.cosine.max(initial=-1),
        "cosine_store_gap": picked.cosine - most_within(picked.cosine, groups),
        "shown": shown,
        "shown_share": shown / (shown.max(initial=0) + 1e-6),
        "about": about,
        "about_gap": about - about.max(initial=-1),
        "labelled": labelled,
        "rank_labelled": np.where(labelled > 0, ranks_within(labelled, groups), LAST_RANK),
        "store_size": np.log(sizes[groups]),
        "rank_bm25": ranks_within(picked.bm25, groups),
        "rank_cosine": ranks_within(picked.cosine, groups),
        "rank_cosine_all": ranks_within(picked.cosine, np.zeros_like(groups)),
        "rank_shown": ranks_within(shown, groups),
    }
