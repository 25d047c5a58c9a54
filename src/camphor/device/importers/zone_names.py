"""Time zones as exports write them: "CET", "GMT+5:30"."""

from __future__ import annotations

import re
from datetime import timedelta, timezone

# Of the names that several zones share the one that Google and American programs mean: CST is Chicago's.
_HOURS: dict[str, float] = {
    "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2,
    "EEST": 3, "OEZ": 2, "OESZ": 3, "MSK": 3, "TRT": 3, "IST": 5.5, "WIB": 7, "HKT": 8, "SGT": 8, "AWST": 8, "JST": 9,
    "KST": 9, "ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "SAST": 2, "BRT": -3,
    "ART": -3, "NST": -3.5, "NDT": -2.5, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7,
    "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
}  # fmt: skip
_OFFSET = re.compile(r"(?:GMT|UTC)?(?P<sign>[+\-−])(?P<hours>\d{1,2}):?(?P<minutes>\d\d)?")


def zone_named(name: str) -> timezone | None:
    """The zone of that name or offset; None where it is not known."""
    name = name.strip().upper()
    hours = _HOURS.get(name)
    if hours is not None:
        return timezone(timedelta(hours=hours))
    offset = _OFFSET.fullmatch(name)
    if offset is None:
        return None
    away = timedelta(hours=int(offset["hours"]), minutes=int(offset["minutes"] or 0))
    return timezone(-away if offset["sign"] != "+" else away) if away < timedelta(hours=24) else None
