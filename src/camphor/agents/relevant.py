"""Queries that leave unsaid what they are about: the phone is asked which of its items matter now.

"Ring him back" names nobody, "put it on again" no song. Where an action is for somebody or something to which the
person's words do not lead (`gate.unnamed`), or nothing was found and nothing can be done, the items of the phone are
ranked for the query by time, place, habit and meaning (`retrieval.context.relevance`); one that the ranker is sure of
is looked up by its name, as if the personal-context agent had thought of it (Context Tuning, section 3), and stands in
the call; where it is not sure, the person is asked which is meant.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from camphor.agents.lookup_fallback import keyword_parameter
from camphor.device import dates
from camphor.device.text import COMMON, text_of, words
from camphor.tools.tool import MEANT_ROLES, PERSON_ROLES, Kind, Parameter, Role, Tool
from camphor.types import Agent, Call, Observation, Turn

if TYPE_CHECKING:
    from camphor.retrieval.context.relevance import Relevant

POLICIES = ("context_recall", "unclear")
"""The policies that ask for them; where the first is switched off, no answer shows what may be meant either."""
SURE, AHEAD = 0.5, 3.0
"""The least likelihood of an item from which it is taken for the one that is meant, and how many times likelier it must
be than another. Of 120 hand-written queries about one thing 33 have such an item, seven in ten of which are right; of
30 that nobody can be sure of three have one (docs/LOG.md)."""
WHOM = 0.65
"""The least likelihood of whom a call or a message goes to: a wrong song is stopped, a message that was sent is not."""
AGREED = 0.25
"""The same, where the model chose that very item by itself."""
WORTH_TELLING = 0.15
"""The least likelihood of an item that is shown as what may be meant."""
LEFT_UNSAID = 0.5
"""How likely a query must leave something unsaid for its words to be no proof.

A value that the phone does not know is a guess then, and what use speaks for is worth telling.
"""
MOST = 2
_LONGEST_NAME = 8
"""Words of an item's name by which it is looked up."""
_LONGEST_OPTION = 60  # characters
_OPTION = re.compile(r"“([^”]+)”")


def which(options: Sequence[str], known: bool = True) -> str:
    """A question back: which of at most two things is meant.

    Args:
        known: whether the phone's use is known well enough; where it is not, that is said.
    """
    ask = _words()["ask"]
    named = ask["or"].join(f"“{option}”" for option in options[:MOST])
    question = str(ask["which"]).format(options=named)
    return question if known else f"{ask['hardly_known']} {question}"


def option_of(title: str) -> str:
    """A name as it stands in `which`: one line, and no longer than can be read at a glance."""
    text = " ".join(title.replace("“", "'").replace("”", "'").split())
    return text if len(text) <= _LONGEST_OPTION else f"{text[: _LONGEST_OPTION - 1].rstrip()}…"


def picked(query: str, history: Sequence[Turn]) -> str:
    """The option that an answer to `which` picks, by its words or its place; "" where it does anything else beside."""
    asked = history[-1].response if history else ""
    options, said = _OPTION.findall(asked), set(words(query))
    if not options or asked not in (which(options), which(options, known=False)) or query.rstrip().endswith("?"):
        return ""
    answer = {kind: set(listed.split()) for kind, listed in _words()["answer"].items()}
    kinds = ("yes",) if len(options) == 1 else ("first", "second")
    found = []
    for option, kind in zip(options, kinds, strict=True):
        own = set(words(option)) - COMMON
        telling = said & (own | answer[kind])
        if telling and said <= own | answer[kind] | answer["fillers"]:
            found.append(option)
    return found[0] if len(found) == 1 else ""


def nothing_known(turn: Turn) -> bool:
    """Whether no look-up of the turn found anything, in the person's apps or outside, or none was made."""
    looked_up = (step for step in turn.steps if step.agent in (Agent.CONTEXT, Agent.KNOWLEDGE))
    return not any(found.records for step in looked_up for found in step.observations)


def is_clear(likeliest: float, next_best: float, parameter: Parameter | None = None) -> bool:
    """Whether the likeliest of some things may be taken for the one that is meant, as the value of a parameter."""
    least = WHOM if parameter is not None and parameter.role in PERSON_ROLES else SURE
    return likeliest >= least and likeliest >= AHEAD * next_best


def sure_of(items: Sequence[Relevant]) -> tuple[Relevant, ...]:
    """The ranked item that is looked up: the likeliest, where it is clear beside all that are not of the same person's;
    none otherwise."""
    if not items:
        return ()
    first, *others = items
    rival = max((item.sure for item in others if not item.person or item.person != first.person), default=0.0)
    return (first,) if is_clear(first.sure, rival) else ()


def value_of(item: Relevant, parameter: Parameter, tool: Tool) -> str:
    """What a parameter of an action says where the item is meant: its name, or the contact's; "" where it cannot be."""
    own = item.record.get(parameter.name) if item.app == tool.app else None
    if parameter.role in PERSON_ROLES:
        return item.person or (own if isinstance(own, str) else "")
    if isinstance(own, str):
        return own
    return item.title if item.app == tool.app and parameter.role in MEANT_ROLES else ""


def shares(items: Iterable[Relevant], parameter: Parameter, tool: Tool) -> dict[str, float]:
    """How sure the ranker is of each value that a parameter may have, the likeliest first."""
    found: dict[str, float] = {}
    for item in items:
        if value := value_of(item, parameter, tool):
            found[value] = found.get(value, 0.0) + item.sure
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def usual_action(item: Relevant, tools: Iterable[Tool]) -> Iterator[Call]:
    """What may be done to a sure item that needs nothing but its name: a song is played, a person is called."""
    for tool in tools:
        required = [parameter for parameter in tool.parameters if parameter.required]
        if tool.kind is not Kind.ACTION or tool.app != item.app or len(required) != 1:
            continue
        if is_clear(item.sure, 0.0, required[0]) and (value := value_of(item, required[0], tool)):
            yield Call(tool.name, {required[0].name: value})


def look_ups(item: Relevant, tools: Iterable[Tool]) -> tuple[Call, ...]:
    """Look-ups of the item's app that may find it, by its name, and by its name and day. Never an action."""
    calls = []
    name = " ".join(item.title.split()[:_LONGEST_NAME])
    for tool in tools:
        if tool.app != item.app or tool.kind is not Kind.CONTEXT or not name:
            continue
        parameter = keyword_parameter(tool) or _field(item, tool)
        if not parameter:
            continue
        calls.append(Call(tool.name, {parameter: name}))
        day = _day(item)
        period = next((each.name for each in tool.parameters if each.role is Role.TIME_RANGE), "")
        if day and period:
            calls.append(Call(tool.name, {parameter: name, period: day}))
    return tuple(calls)


def finding(item: Relevant, calls: Sequence[Call], observations: Sequence[Observation]) -> Call | None:
    """The look-up that found the item and the fewest others, the shortest of equal ones; None where none found it."""
    wanted = text_of(item.record)
    hits = [
        (len(found.records), len(call.arguments), place)
        for place, (call, found) in enumerate(zip(calls, observations, strict=True))
        if any(text_of(record) == wanted for record in found.records)
    ]
    return calls[min(hits)[2]] if hits else None


def _field(item: Relevant, tool: Tool) -> str:
    """The parameter called like the field that names the item, where it is all that must be said; "" otherwise."""
    required = {parameter.name for parameter in tool.parameters if parameter.required}
    return next(
        (p.name for p in tool.parameters if item.record.get(p.name) == item.title and required <= {p.name}),
        "",
    )


def _day(item: Relevant) -> str:
    """The day of the item's first date, as ISO 8601; "" where it has none."""
    for key in ("start", "date", "time", "when"):
        moment = dates.moment(item.record.get(key), None)
        if moment is not None:
            return moment.date().isoformat()
    return ""


@lru_cache(maxsize=1)
def _words() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
