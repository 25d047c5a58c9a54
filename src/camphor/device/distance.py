"""How far two places on the earth lie apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_EARTH_KM = 6371.0088  # mean radius (IUGG)

Point = tuple[float, float]
"""Latitude and longitude in degrees, north and east positive."""


def point_of(record: Mapping[str, Any]) -> Point | None:
    """Where a record says that it is; None where it does not, or where no such place is on the earth."""
    found = []
    for field, most in (("latitude", 90), ("longitude", 180)):
        value = record.get(field)
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= most:
            return None
        found.append(float(value))
    return found[0], found[1]


def distance_km(one: Point, other: Point) -> float:
    """Length of the great circle between two places, in kilometres (haversine formula, right for near places too)."""
    (lat1, lon1), (lat2, lon2) = (tuple(map(math.radians, each)) for each in (one, other))
    half = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * _EARTH_KM * math.asin(math.sqrt(min(1.0, half)))
