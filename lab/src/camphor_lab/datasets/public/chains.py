"""A look-up and an action with what it finds: "find a cafe nearby and take me there"."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from camphor_lab.datasets.bank import fill
from camphor_lab.datasets.public.lines import Known, Request, Use

LONGEST = 12
"""Words of a look-up that a second wish is put after."""
_HAS_TWO = re.compile(r"\b(and|then|also)\b|[.?!;].*\w", re.IGNORECASE)


@dataclass(frozen=True)
class Found:
    """Stands for a value that is known once the look-up before was made: a field of the record, or its first news."""

    field: str


@lru_cache(maxsize=1)
def _chains() -> list[dict[str, Any]]:
    with (Path(__file__).parent / "chains.toml").open("rb") as stream:
        found: list[dict[str, Any]] = tomllib.load(stream)["chain"]
    return found


def chained(request: Request, tools: Mapping[str, Known], rng: Random) -> Request | None:
    """The request with an action after it that needs what it finds; None where none suits it.

    Args:
        tools: what can be called then, by name in its set.
    """
    if len(request.uses) != 1 or not request.uses[0].tool.reads or _HAS_TWO.search(request.query):
        return None
    domain = request.uses[0].tool.domain
    suiting = [chain for chain in _chains() if domain in chain["after"] and chain["tool"] in tools]
    if not suiting or len(request.query.split()) > LONGEST:
        return None
    chain = rng.choice(suiting)
    drawn = {slot: str(rng.choice(words)) for slot, words in chain.get("draw", {}).items()}
    arguments: dict[str, Any] = {}
    for name, value in chain["give"].items():
        arguments[name] = Found(value[1:]) if value.startswith("@") else fill(value, drawn)
    query = f"{request.query.rstrip(' .?!')} {fill(str(rng.choice(chain['say'])), drawn)}"
    if any(isinstance(value, str) and value not in query for value in arguments.values()):
        return None  # this way of saying it leaves a value out
    return replace(request, query=query, uses=(*request.uses, Use(tools[chain["tool"]], arguments)))
