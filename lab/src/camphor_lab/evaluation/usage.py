"""What a query asked of the model: requests, tokens of its prompts, tokens that it wrote; and their means over a run.

Tokens are those that a server counts (`usage`) or a model of this process measures. A server that tells nothing leaves
them unknown, which is None and no zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Usage:
    """Of one query, each None where it is not known.

    Args:
        requests: how often the model was asked. prompt_tokens: of all prompts together, also those that a cache spared
            the model (`cached_tokens`). completion_tokens: written, those that a grammar forced among them.
    """

    requests: int | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None

    def to_json(self) -> dict[str, int | None]:
        return asdict(self)


FIGURES = tuple(Usage().to_json())


def usage_of(timing: Mapping[str, Any]) -> Usage:
    """From the `timing` of a query in a result file, one that was written before this was counted too.

    No prompt is empty: where one request's prompt counts no tokens, the server told none, and what was counted of its
    answer is an estimate.
    """
    if not isinstance(timing.get("turns"), list):
        return Usage()
    turns = timing["turns"]
    prompts = [turn["prompt_tokens"] + turn["cached_tokens"] for turn in turns]
    if not all(prompts):
        return Usage(len(turns))
    cached, written = (sum(turn[name] for turn in turns) for name in ("cached_tokens", "generated_tokens"))
    return Usage(len(turns), sum(prompts), cached, written)


def mean_usage(queries: Iterable[Usage]) -> dict[str, float | None]:
    """The mean of each figure over the queries of which it is known; None where it is of none.

    `unknown`: of how many queries the tokens are not known.
    """
    queries = list(queries)
    told: dict[str, float | None] = {}
    for name in FIGURES:
        known = [value for each in queries if (value := getattr(each, name)) is not None]
        told[name] = round(sum(known) / len(known), 2) if known else None
    return {**told, "unknown": sum(each.prompt_tokens is None for each in queries)}
