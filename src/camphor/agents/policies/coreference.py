"""What a follow-up points back at ("her", "that one", "there") stands in its calls by name, where one can be meant."""

from __future__ import annotations

from camphor.agents.policies.base import Policy, Situation, at_once
from camphor.agents.references import put_right
from camphor.types import Call


def _revise(situation: Situation, calls: tuple[Call, ...]) -> tuple[Call, ...]:
    each = situation
    return put_right(calls, each.turn, each.pointed, each.history, each.toolbox, each.now)


COREFERENCE = Policy("coreference", at_once(_revise))
