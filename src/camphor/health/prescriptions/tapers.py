"""Doses that fall or rise by the same amount: "30 mg, reduce by 5 mg every 3 days until finished"."""

from __future__ import annotations

from camphor.health.prescriptions.meanings import IN_MG, Amount, Taper

_MOST_STEPS = 40


def tapered(first: Amount, change: Taper) -> tuple[Amount, ...] | None:
    """The amounts one after the other, with the first; None where it is not said, or not possible, where they end.

    The last is what is taken for good, where the change ends at an amount; else the last one before nothing.
    """
    unit = first.unit or change.amount.unit
    by, end = _in(change.amount, unit), _in(change.end, unit) if change.end else None
    if first.low != first.high or by is None or end is None or (change.up and not end):
        return None
    steps = (end - first.low) / by if change.up else (first.low - end) / by
    count = round(steps)
    if abs(steps - count) > 1e-6 or not 1 <= count <= _MOST_STEPS:
        return None
    sign = by if change.up else -by
    amounts = [round(first.low + sign * number, 6) for number in range(count + 1)]
    return tuple(Amount(each, each, unit) for each in amounts if each)


def _in(amount: Amount, unit: str) -> float | None:
    """An amount in another unit; None where the two do not measure the same."""
    if amount.unit in ("", unit) or not unit:
        return amount.low
    if amount.unit in IN_MG and unit in IN_MG:
        return amount.low * IN_MG[amount.unit] / IN_MG[unit]
    return None
