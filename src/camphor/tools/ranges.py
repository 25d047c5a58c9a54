"""Regular expressions for numbers within bounds, as the grammar needs them."""

from __future__ import annotations

import math

_LARGEST = 10**15 - 1  # beyond it a float no longer writes every whole number in plain digits
_FRACTION = "(\\.[0-9]{1,9})?"
_NO_FRACTION = "(\\.0)?"


def whole_numbers(low: float | None = None, high: float | None = None) -> str:
    """Matches the whole numbers from `low` to `high`, both included, without leading zeros; of 15 digits at most.

    An empty string where there is none.
    """
    least = -_LARGEST if low is None else max(math.ceil(low), -_LARGEST)
    most = _LARGEST if high is None else min(math.floor(high), _LARGEST)
    parts = _between(max(least, 0), most) if most >= 0 else []
    if least < 0:
        parts += [f"-({part})" for part in _between(max(-most, 1), -least)]
    return "|".join(parts)


def decimals(low: float | None = None, high: float | None = None) -> str:
    """Matches numbers from `low` to `high` with up to nine decimals, or none.

    Exact for whole bounds. A bound with a fraction lets through what shares its whole part; `values.check` refuses
    that.
    """
    least = -float(_LARGEST) if low is None else max(low, -_LARGEST)
    most = float(_LARGEST) if high is None else min(high, _LARGEST)
    parts = _magnitudes(max(least, 0.0), most) if most >= 0 else []
    if least < 0:
        parts += [f"-({part})" for part in _magnitudes(max(-most, 0.0), -least)]
    return "|".join(parts)


def _magnitudes(low: float, high: float) -> list[str]:
    if (low, high) == (0, _LARGEST):
        return [f"(0|[1-9][0-9]{{0,14}}){_FRACTION}"]
    last = math.floor(high)
    parts = [f"({part}){_FRACTION}" for part in _between(math.floor(low), last - (last == high))]
    return [*parts, f"{last}{_NO_FRACTION}"] if last == high else parts


def _between(low: int, high: int) -> list[str]:
    """Patterns of the whole numbers from `low` to `high`, neither negative, a pattern for each run of equal digits."""
    if low <= 1 and high == _LARGEST:
        return ["0"] * (1 - low) + ["[1-9][0-9]{0,14}"]
    parts = []
    while low <= high:
        # the longest run low..top in which only the last digits vary, each from its own to 9
        size = 1
        while low % (size * 10) == 0 and low + size * 10 - 1 <= high and low > 0:
            size *= 10
        top = min(low // size % 10 + (high - low + 1) // size - 1, 9)
        head = str(low // size)[:-1]
        first = low // size % 10
        digit = str(first) if first == top else f"[{first}-{top}]"
        parts.append(head + digit + "[0-9]" * (len(str(size)) - 1))
        low += (top - first + 1) * size
    return parts
