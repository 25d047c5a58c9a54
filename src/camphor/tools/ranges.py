"""Regular expressions for numbers within bounds, as the grammar needs them."""

from __future__ import annotations

import math

_LARGEST = 10**15 - 1  # beyond it a float no longer writes every whole number in plain digits
_LONG = 10**9  # from here on without decimals: a float keeps 15 digits in all
_DECIMALS = "\\.(0|[0-9]{0,5}[1-9])"


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
    """Matches numbers from `low` to `high` as `calls.render_value` writes them, with up to six decimals, or none.

    Exact for whole bounds. A bound with a fraction lets through what shares its whole part; `values.check` refuses
    that. An empty string where there is nothing between.
    """
    least = -float(_LARGEST) if low is None else max(low, -_LARGEST)
    most = float(_LARGEST) if high is None else min(high, _LARGEST)
    if least > most:
        return ""
    parts = _magnitudes(max(least, 0.0), most) if most >= 0 else []
    if least < 0:
        parts += [f"-({part})" for part in _magnitudes(max(-most, 0.0), -least, negative=True)]
    return "|".join(parts)


def _magnitudes(low: float, high: float, *, negative: bool = False) -> list[str]:
    first, last = math.floor(low), math.floor(high)
    broken = first == 0 and last == high == 0
    # numbers that any decimals may follow: all but the last where that is the bound itself
    parts = [f"({part})({_DECIMALS})?" for part in _between(max(first, 1), min(last - (last == high), _LONG - 1))]
    if first == 0 and not broken:
        parts.append(f"0{_DECIMALS}" if negative else f"0({_DECIMALS})?")
    if last == high and last < _LONG and not (negative and last == 0):
        parts.append(f"{last}(\\.0)?")
    return parts + [f"({part})(\\.0)?" for part in _between(max(first, _LONG), last)]


def _between(low: int, high: int) -> list[str]:
    """Patterns of the whole numbers from `low` to `high`, neither negative, a pattern for each run of equal digits."""
    if low > high:
        return []
    digits = len(str(high))
    if high == 10**digits - 1 and low in (0, 1):
        return ["0"] * (1 - low) + [f"[1-9][0-9]{{0,{digits - 1}}}"]
    if high == 10**digits - 1 and low == 10 ** (len(str(low)) - 1):
        return [f"[1-9][0-9]{{{len(str(low)) - 1},{digits - 1}}}"]
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
