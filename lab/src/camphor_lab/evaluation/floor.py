"""The least that an evaluation must reach, in a small committed file, so that what ships cannot get worse unseen.

`{"answers_right": 0.9, "actions_right": 0.8, "false_statement_rate": 0.02, "unwished_actions": 0}`: shares from 0 to 1
that must be reached, and for false statements and unwished actions what may not be passed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from camphor.errors import UsageError

AT_LEAST = ("answers_right", "actions_right", "no_call_accuracy")
AT_MOST = ("false_statement_rate", "unwished_actions")


def read_floor(path: Path) -> dict[str, float]:
    """The bounds of a floor file. Raises UsageError: it cannot be read, or names something else."""
    try:
        bounds = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as JSON ({error}): give one as data/everyday/floor.json") from error
    unknown = set(bounds) - {*AT_LEAST, *AT_MOST} if isinstance(bounds, dict) else {"that"}
    if unknown:
        raise UsageError(f"{path} bounds {sorted(unknown)[0]!r}: known are {', '.join((*AT_LEAST, *AT_MOST))}")
    return {name: float(value) for name, value in bounds.items()}


def fallen(metrics: Mapping[str, Any], floor: Mapping[str, float]) -> list[str]:
    """What is worse than the floor, a sentence each; what was not measured is worse."""
    told = []
    for name, bound in floor.items():
        value = metrics.get(name)
        if value is None:
            told.append(f"{name} was not measured")
        elif name in AT_LEAST and value < bound:
            told.append(f"{name} is {value:.3f}, at least {bound:g} is wanted")
        elif name in AT_MOST and value > bound:
            told.append(f"{name} is {value:g}, at most {bound:g} is allowed")
    return told
