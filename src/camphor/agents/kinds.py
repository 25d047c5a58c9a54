"""Look-ups by a word for what an app keeps: no event is called "meeting", though all of them may be meetings.

"When is my next meeting?" makes a small model ask the calendar for "meeting". Where nothing is called so, the same list
is asked by time alone: the days that were named, or else from today on.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from camphor.agents.lookup_fallback import keyword_of, telling
from camphor.device.text import words
from camphor.tools.tool import Role, Tool
from camphor.types import Agent, Call, Turn

AHEAD = timedelta(days=14)
_KINDS = {
    "calendar": "meeting meetings event events appointment appointments engagement engagements entry entries plan plans"
    " schedule agenda calendar diary date dates call calls thing things commitment commitments session sessions",
    "reminders": "reminder reminders task tasks todo todos to-do to-dos thing things due",
    "mail": "mail mails email emails e-mail e-mails message messages letter letters inbox unread new",
}
_KIND_WORDS = {app: frozenset(words(text)) for app, text in _KINDS.items()}
_ORDER = frozenset(words("next upcoming coming following first last latest any all other more"))


def by_time_alone(turn: Turn, tools: Sequence[Tool], now: datetime) -> tuple[Call, ...]:
    """The first of the last step's look-ups that found nothing under a mere word for a kind, asked by time; none where
    all is well.

    Only of lists that can be asked by time.
    """
    last = turn.steps[-1]
    if last.agent is not Agent.CONTEXT or any(found.records for found in last.observations):
        return ()
    named = {tool.name: tool for tool in tools}
    for found in last.observations:
        tool = named.get(found.call.name)
        period = next((each.name for each in tool.parameters if each.role is Role.TIME_RANGE), "") if tool else ""
        if tool is None or found.error or not period:
            continue
        said = telling(keyword_of(found.call, tools)) - _ORDER
        if said and said <= _KIND_WORDS.get(tool.app, frozenset()):
            days = found.call.arguments.get(period) or f"{now.date().isoformat()}/{(now + AHEAD).date().isoformat()}"
            return (Call(tool.name, {period: days}),)
    return ()
