"""A question answered from the records of a phone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import re
from datetime import datetime
import numpy as np
from functools import lru_cache
from camphor.retrieval.static import StaticEncoder
from camphor.device.text import text_of

from camphor.agents.answering.compose import compose
from camphor.agents.answering.programs import Program
from camphor.agents.answering.question import read_question
from camphor.agents.answering.ranking import FEATURES, Candidate, Sight, rank
from camphor.agents.answering.render import render
from camphor.agents.answering.tables import tables_of

if TYPE_CHECKING:
    from camphor.device.device import Device

BY_HAND = dict(coverage=4.0, whole=1.0, title=1.0, cue=1.2, likely=0.0, looked_up=0.5, found=1.0, in_time=1.5, out_of_time=-2.0, person=1.5, other_person=-2.0, fields=1.0, fits=0.8, unfit=-1.0, web=-1.5, single=-0.5, phrase=1.0, newest=0.1, coming=0.1)


def weights_by_hand() -> np.ndarray:
    return np.array([BY_HAND.get(name, 0.0) for name in FEATURES], np.float32)


COMMON = {}
WEIGHTS = None
LISTS = None


def sight_of(query, device, looked_up):
    tables = tables_of(device, query)
    encoder = StaticEncoder()
    lines = {f"{t.app}.{t.name}": [f"{t.noun} " + text_of(dict(r.record))[:300] for r in t.rows] for t in tables}
    q = encoder.encode([query])[0]
    similar = {key: _encoded(tuple(texts)) @ q for key, texts in lines.items()}
    likely = LISTS(query) if LISTS else {}
    return Sight(tables, device.people(), device.now, looked_up, likely, COMMON, similar)


@lru_cache(maxsize=4096)
def _encoded(texts):
    return StaticEncoder().encode(texts)


@dataclass(frozen=True)
class Told:
    """An answer: its words, the program that they are made of."""

    text: str
    program: Program
    ranked: Sequence[Candidate] = ()


def answer(query: str, device: Device, looked_up: Mapping[str, Sequence[Mapping[str, Any]]] | None = None) -> Told:
    """The answer to a question, in words that hold only what records hold."""
    parts = split(query)
    if len(parts) > 1:
        told = [_answer(part, device, looked_up or {}) for part in parts]
        return Told("\n".join(dict.fromkeys(each.text for each in told)), told[0].program, told[0].ranked)
    return _answer(query, device, looked_up or {})


_JOINT = re.compile(r"(?:\?\s+(?:and |also |oh and )?|,?\s+(?:and|also|plus)\s+(?:also\s+|then\s+)?)(?=(?:what|when|where|who|which|how|is|are|did|does|do i|am i|has|have i|will|was)\b)", re.IGNORECASE)


_ANY = datetime(2026, 1, 1)
_POINTING = frozenset("place address it number price cost time".split())


def split(query: str) -> list[str]:
    """The questions of a query that asks several; one that points back takes over what the first is about."""
    parts = [part.strip(" ,") for part in _JOINT.split(query) if len(part.split()) > 1]
    if len(parts) < 2:
        return [query]
    lead = " ".join(read_question(parts[0], _ANY).content.values())
    parts = [parts[0], *(part if set(read_question(part, _ANY).content) - _POINTING else f"{part} {lead}" for part in parts[1:])]
    if re.match(r"\W*(?:two|three) (?:things|questions)\b", parts[0], re.IGNORECASE):
        parts = [re.sub(r"^\W*(?:two|three) (?:things|questions)\W*", "", parts[0]), *parts[1:]]
    return parts


def _answer(query: str, device: Device, looked_up) -> Told:
    question = read_question(query, device.now)
    sight = sight_of(query, device, looked_up or {})
    ranked = rank(question, sight, WEIGHTS if WEIGHTS is not None else weights_by_hand())
    program = compose(question, sight, ranked)
    return Told(render(program, sight), program, ranked)
