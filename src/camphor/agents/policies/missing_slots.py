"""A reminder that nobody gave a time is asked about: "remind me to repot the aloe", whatever the model makes of it.

Of 38 such wishes in training data, hand-written and generated, for which nothing is looked up, none is acted on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from camphor.agents.gate.words import plain
from camphor.agents.parts import PartKind, parts_of
from camphor.agents.policies.base import Policy, Question, Situation, at_once
from camphor.agents.policies.missing_action import MAKE, WORD, thing_words, wishes_for_things
from camphor.device.when.fragments import fragments
from camphor.tools.tool import Toolbox
from camphor.types import Call, Turn

_TOOL = "create_reminders"
_ASKS = re.compile(r"^\W*(?:what|which|when|where|who|how|do|did|is|are|was|have|has|any|show|list)\b", re.IGNORECASE)
_IDLE = frozenset({PartKind.NEGATED, PartKind.DECIDED_NOT, PartKind.PAST, PartKind.QUESTION, PartKind.THANKS})


def lacks_time(turn: Turn, history: Sequence[Turn], toolbox: Toolbox, now: datetime) -> str:
    """A question back where a reminder is wished for and neither the query nor anything found says when; "" elsewhere.

    In a conversation the time may have been said before, and the agents decide.
    """
    query, known = turn.query, thing_words()
    if history or _TOOL not in toolbox or _ASKS.search(query):
        return ""
    wishes = list(wishes_for_things(query))
    others = {wish.part for wish in wishes if wish.thing == "reminder" and wish.act != MAKE}
    made = any(wish.act == MAKE and "reminder" in known.actions[wish.thing] for wish in wishes)
    named = any(
        known.things.get(word) == "reminder"
        for part in parts_of(query)
        if part not in others and part.kind not in _IDLE
        for word in WORD.findall(plain(part.text))
    )
    if not named and not made and not known.remind.search(plain(query)):
        return ""
    found = any(each.records for step in turn.steps for each in step.observations)
    return "" if found or fragments(query, now) else known.told["time"]


def _revise(situation: Situation, calls: tuple[Call, ...]) -> tuple[Call, ...] | Question:
    question = lacks_time(situation.turn, situation.history, situation.toolbox, situation.now)
    return Question(question) if question else calls


MISSING_SLOTS = Policy("missing_slots", at_once(_revise))
