"""Ranks within groups, for tables of items of several stores."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


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
