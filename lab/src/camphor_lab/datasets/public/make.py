"""The mix: how much of which set, which requests are joined, and where the needed tool is missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from camphor.errors import UsageError
from camphor.trajectories.items import Item
from camphor_lab.datasets.bank import fill
from camphor_lab.datasets.files import tables_beside
from camphor_lab.datasets.public.build import build, too_near
from camphor_lab.datasets.public.endings import NotBuilt
from camphor_lab.datasets.public.lines import (
    FoundLater,
    PublicRequest,
    PublicTool,
    ToolUse,
    check_sets,
    read_requests,
    span,
)

SHARES = {
    "slurp": 15, "hwu64": 21, "ms_lu": 16, "droidcall_early": 10, "snips2017": 11, "seal_tools": 17, "toolalpaca": 3,
    "glaive_demo": 2, "nestful": 1, "firefox_voice": 2, "clinc_oos": 3,
}  # fmt: skip
"""Of a hundred items, how many come from each set, as long as it lasts."""
MOST_USES = 3
"""How often one request is used, each time on another phone with other names."""
CHAINED, JOINED, WITHOUT, CHAT = 0.3, 0.12, 0.12, 0.3
"""Shares: of look-ups that suit it, those with an action after them that needs what they find; two requests joined into
one; the needed tool missing; of requests that are mere chat, those kept."""
JOINTS = (
    " and ", " and ", " and ", " then ", ", and then ", ". also ", ", also ", " and also ", ". oh and ", ", then ",
    " plus ",
)  # fmt: skip
LONGEST = 12
"""Words of a look-up that a second wish is put after."""
_HAS_TWO = re.compile(r"\b(and|then|also)\b|[.?!;].*\w", re.IGNORECASE)
_ORDER = re.compile(
    r"(please )?(add|set|create|turn|switch|play|book|order|call|send|remove|delete|cancel|put|make|start|rate|open"
    r"|mute|lower|raise|increase|decrease|dim|post|tweet|schedule|clean|vacuum|change|buy|reserve|move|accept|decline"
    r"|forward|reply|mark|take|record|show|navigate|join|invite|find|get|pause|shuffle|brew|stop) \S"
)


def make(folder: Path | str, *, limit: int = 8000, seed: int = 7, counts: Counter[str] | None = None) -> Iterator[Item]:
    """Items for training from the public sets in `folder`, each with its own made-up phone inside.

    Args:
        folder: has a folder for each set, `slurp/train.jsonl` and so on (`camphor_lab.datasets.public.lines.SETS`).
        limit: at most so many items.
        counts: learns, by set and reason, what was used and what was left out.

    Raises:
        UsageError: there are none of the sets in the folder, or no line of them can be used.
    """
    folder, counts = Path(folder), Counter() if counts is None else counts
    check_sets(folder)
    rng = Random(f"{seed}:public")
    requests = read_requests(folder, rng, counts)
    if not any(requests.values()):
        raise UsageError(f"{folder}: no line of its public sets can be used: see data/README.md for their form")
    pools = {name: _tools(found) for name, found in requests.items()}
    queues = {name: _spread(found) for name, found in requests.items() if found}
    places = dict.fromkeys(queues, 0)
    made = 0
    while made < limit and places:
        name = rng.choices(list(places), [SHARES[name] for name in places])[0]
        queue, at = queues[name], places[name]
        places[name] += 1
        if at + 1 >= MOST_USES * len(queue):
            del places[name]
        item = _item(queue[at % len(queue)], queue, pools, rng, f"public-{seed}-{made:05d}", counts)
        if item is not None:
            made += 1
            yield item


def _item(
    request: PublicRequest,
    queue: Sequence[PublicRequest],
    pools: dict[str, tuple[PublicTool, ...]],
    rng: Random,
    identity: str,
    counts: Counter[str],
) -> Item | None:
    if not request.uses and request.source in ("hwu64", "slurp") and rng.random() > CHAT:
        return None
    missing = bool(request.uses) and rng.random() < WITHOUT
    chain = None
    if not missing and rng.random() < CHAINED:
        chain = chained(request, {tool.name: tool for pool in pools.values() for tool in pool}, rng)
    if chain is not None:
        request = chain
    elif not missing and rng.random() < JOINED * 2:
        request = _joined(request, queue, rng) or request
    request = _written(request, rng)
    own = pools[request.source]
    others = [pool for name, pool in pools.items() if pool and name != request.source]
    try:
        item = build(request, identity, [*([own] if own else []), *others], rng, without=missing)
    except NotBuilt as reason:
        counts[f"{request.source}: not built: {re.sub(r'[(=].*?: ', ': ', str(reason))[:60]}"] += 1
        return None
    counts[f"{request.source}: made"] += 1
    counts[f"kind {'chain' if chain else item.tags[-1]}"] += 1
    return item


def chained(request: PublicRequest, tools: Mapping[str, PublicTool], rng: Random) -> PublicRequest | None:
    """The request with an action after it that needs what it finds; None where none suits it.

    Args:
        tools: what can be called then, by name in its set.
    """
    if len(request.uses) != 1 or not request.uses[0].tool.reads or _HAS_TWO.search(request.query):
        return None
    domain = request.uses[0].tool.domain
    suiting = [
        chain
        for chain in tables_beside(__file__, "chains.toml")["chain"]
        if domain in chain["after"] and chain["tool"] in tools
    ]
    if not suiting or len(request.query.split()) > LONGEST:
        return None
    chain = rng.choice(suiting)
    drawn = {slot: str(rng.choice(words)) for slot, words in chain.get("draw", {}).items()}
    arguments: dict[str, Any] = {}
    for name, value in chain["give"].items():
        arguments[name] = FoundLater(value[1:]) if value.startswith("@") else fill(value, drawn)
    query = f"{request.query.rstrip(' .?!')} {fill(str(rng.choice(chain['say'])), drawn)}"
    if any(isinstance(value, str) and value not in query for value in arguments.values()):
        return None  # this way of saying it leaves a value out
    return replace(request, query=query, uses=(*request.uses, ToolUse(tools[chain["tool"]], arguments)))


def _tools(requests: Sequence[PublicRequest]) -> tuple[PublicTool, ...]:
    """All tools that a set's requests use or list, once each."""
    found: dict[str, PublicTool] = {}
    for request in requests:
        for tool in (*(use.tool for use in request.uses), *request.beside):
            before = found.get(tool.name)
            if before is None or len(before.parameters) < len(tool.parameters):
                found[tool.name] = tool
    return tuple(found.values())


def _spread(requests: Sequence[PublicRequest]) -> list[PublicRequest]:
    """Every tool in turn, so that the many requests of one pattern come last."""
    seen: Counter[str] = Counter()
    ranked = []
    for request in requests:
        key = "+".join(use.tool.name for use in request.uses) or "none"
        ranked.append((seen[key], request))
        seen[key] += 1
    return [request for _, request in sorted(ranked, key=lambda pair: pair[0])]


def _joined(request: PublicRequest, queue: Sequence[PublicRequest], rng: Random) -> PublicRequest | None:
    """The request and another short order of the same set in one sentence."""

    def short(other: PublicRequest) -> bool:
        return (
            len(other.uses) == 1
            and not other.uses[0].tool.reads
            and len(other.query.split()) <= 11
            and _ORDER.match(other.query.lower()) is not None
        )

    if not short(request):
        return None
    for _ in range(12):
        other = rng.choice(queue)
        if short(other) and not too_near(request.uses[0].tool, other.uses[0].tool):
            first = request.query.rstrip(" .!?")
            second = re.sub(r"^please ", "", other.query, flags=re.IGNORECASE)
            second = second[:1].lower() + second[1:]
            return replace(
                request,
                id=f"{request.id}+{other.id}",
                query=f"{first}{rng.choice(JOINTS)}{second}",
                uses=(*request.uses, *other.uses),
            )
    return None


def _written(request: PublicRequest, rng: Random) -> PublicRequest:
    """The same words with other capitals and signs at the ends; the values follow."""
    query = request.query
    if query.islower() and rng.random() < 0.4:
        query = query[:1].upper() + query[1:]
        query += rng.choice(("", ".", ".", "!")) if query[-1].isalnum() else ""
    elif rng.random() < 0.12:
        query = query.lower()
    uses = tuple(
        ToolUse(use.tool, {name: _again(value, query) for name, value in use.arguments.items()}) for use in request.uses
    )
    return replace(request, query=query, uses=uses)


def _again(value: object, query: str) -> object:
    if isinstance(value, list):
        return [_again(item, query) for item in value]
    return (span(value, query) or value) if isinstance(value, str) else value
