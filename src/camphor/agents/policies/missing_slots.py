"""A reminder that nobody gave a time: "remind me to repot the aloe" is asked about, whatever the model makes of it.

Of 38 such wishes in training data, hand-written and generated, for which nothing is looked up, none is acted on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from camphor.agents.policies.base import Policy, Question, Situation, at_once
from camphor.device.when.fragments import fragments
from camphor.tools.tool import Toolbox
from camphor.types import Call, Turn

_TOOL = "create_reminders"
_WISH = re.compile(
    r"\b(?:remind me|reminders?|nudge me|give me a nudge|poke me|ping me|remember me to|don['’]?t let me forget)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"^\W*(?:what|which|when|where|who|how|do|did|is|are|was|have|has|any|show|list)\b", re.IGNORECASE)
_QUESTION = "When shall I remind you?"


def lacks_time(turn: Turn, history: Sequence[Turn], toolbox: Toolbox, now: datetime) -> str:
    """A question back where a reminder is wished for and neither the query nor anything found says when; "" elsewhere.

    In a conversation the time may have been said before, and the agents decide.
    """
    query = turn.query
    if history or _TOOL not in toolbox or not _WISH.search(query) or _ASKS.search(query):
        return ""
    found = any(each.records for step in turn.steps for each in step.observations)
    return "" if found or fragments(query, now) else _QUESTION


def _revise(situation: Situation, calls: tuple[Call, ...]) -> tuple[Call, ...] | Question:
    question = lacks_time(situation.turn, situation.history, situation.toolbox, situation.now)
    return Question(question) if question else calls


MISSING_SLOTS = Policy("missing_slots", at_once(_revise))
