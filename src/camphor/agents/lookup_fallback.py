"""Where else the words of a look-up stand, when the app that was asked has nothing under them.

Which app keeps a thing is what a small model guesses worst, and the phone knows at once: the same words are asked of
every other app, and the one that has them all is looked up as if the model had thought of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from camphor.device.text import COMMON, text_of, words
from camphor.tools.tool import Kind, Role, Tool
from camphor.types import Agent, Call, Observation, Step, Turn

_MOST_KEPT = 2
_ENOUGH = 0.6  # of the words asked for; a record with fewer is about something else
_MOST_RECORDS = 12  # words that so many records of an app hold name nothing


@dataclass(frozen=True)
class _LookupFit:
    share: float  # of the words, in the record that has most
    within: int  # words of the shortest field that has them: a name is nearer than a letter that mentions it
    records: int  # that many have so many
    place: int


def elsewhere(turn: Turn, tools: Sequence[Tool]) -> tuple[Call, ...]:
    """Look-ups of other apps with the words that the turn's last step found nothing under; none where all was found."""
    last = turn.steps[-1]
    if last.agent is not Agent.CONTEXT:
        return ()
    observations = [found for step in turn.steps for found in step.observations]
    asked = {(found.call.name, telling(keyword_of(found.call, tools))) for found in observations}
    known = {telling(keyword_of(found.call, tools)) for found in observations if found.records}
    calls = []
    for text in dict.fromkeys(keyword_of(call, tools) for call in _vain(last)):
        wanted = telling(text)
        if wanted in known or not wanted:
            continue
        calls += [
            Call(tool.name, {parameter: text})
            for tool in tools
            if (parameter := keyword_parameter(tool)) and (tool.name, wanted) not in asked
        ]
    return tuple(calls)


def best(calls: Sequence[Call], observations: Sequence[Observation], turn: Turn) -> tuple[Call, ...]:
    """Those of the look-ups that `elsewhere` gave which hit best, at most two; one alone if it has more of the words.

    What the turn has seen already counts for nothing.
    """
    seen = {text_of(record) for step in turn.steps for found in step.observations for record in found.records}
    fits: dict[str, list[_LookupFit]] = {}
    for place, (call, found) in enumerate(zip(calls, observations, strict=True)):
        text = str(next(iter(call.arguments.values())))
        wanted = telling(text)
        fresh = [record for record in found.records if text_of(record) not in seen]
        shares = [_share(wanted, record) for record in fresh]
        share = max(shares, default=0.0)
        if share >= _ENOUGH and shares.count(share) <= _MOST_RECORDS:
            within = min(_within(wanted, record) for record in fresh)
            fits.setdefault(text, []).append(_LookupFit(share, within, shares.count(share), place))
    kept: list[int] = []
    for found_under in fits.values():
        top = max(fit.share for fit in found_under)
        equal = sorted(
            (fit for fit in found_under if fit.share == top), key=lambda fit: (fit.within, fit.records, fit.place)
        )
        kept += [fit.place for fit in equal[:_MOST_KEPT]]
    return tuple(calls[place] for place in sorted(kept))


def sought_in_vain(turn: Turn) -> list[str]:
    """The words that look-ups of the turn went by, of which none found anything: the phone has nothing so called.

    In 2,300 gold queries no action is on a name that was looked up so (392 of 392 songs, episodes and places to be
    played or shown had been found; of shop articles and apps to download 110 of 206 had not been looked up).
    """
    looked_up = [
        (str(value), bool(found.records))
        for step in turn.steps
        if step.agent is not Agent.TASK
        for found in step.observations
        if found.error is None and len(found.call.arguments) == 1
        for value in found.call.arguments.values()
    ]
    known = {words(text) for text, found in looked_up if found}
    return list(dict.fromkeys(text for text, _ in looked_up if words(text) not in known and telling(text)))


def without(text: str, names: Sequence[str]) -> str:
    """The text with a line break in the place of each of these runs of words: nothing can then be copied across it."""
    for name in names:
        run = r"\W+".join(map(re.escape, name.split()))
        text = re.sub(rf"(?<!\w){run}(?!\w)", "\n", text, flags=re.IGNORECASE)
    return text


def _share(wanted: frozenset[str], record: object) -> float:
    return len(wanted.intersection(words(text_of(record)))) / len(wanted)


def _within(wanted: frozenset[str], record: Mapping[str, object]) -> int:
    """How many words the shortest field has that holds most of those wanted."""
    fields = [words(text_of(value)) for value in record.values()]
    return min((-len(wanted.intersection(field)), len(field)) for field in fields)[1] if fields else 0


def _vain(step: Step) -> list[Call]:
    return [found.call for found in step.observations if not found.records and not found.error]


def telling(text: str) -> frozenset[str]:
    """The words that name something: without those that every sentence has."""
    return frozenset(words(text)) - COMMON


def keyword_of(call: Call, tools: Sequence[Tool]) -> str:
    """The words that a look-up goes by; "" if it goes by something else."""
    parameter = next((keyword_parameter(tool) for tool in tools if tool.name == call.name), "")
    return str(call.arguments.get(parameter, "")) if parameter else ""


def keyword_parameter(tool: Tool) -> str:
    """The parameter that takes words to be found, where it is all that must be said; "" otherwise."""
    if tool.kind is not Kind.CONTEXT:
        return ""
    required = {parameter.name for parameter in tool.parameters if parameter.required}
    return next((p.name for p in tool.parameters if p.role is Role.KEYWORD and required <= {p.name}), "")


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
