"""Plans that a person puts right: their text is read as a model's would be, and the request's words are remembered.

A prompt in the compact form has times in the words of the request (`prompts.render_answer`). What is to be learnt from
must keep them: `said` holds, by "PLACE.PARAMETER", the words from which a time was computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from camphor.agents.calling.caller import PlannedCalls
from camphor.agents.calling.prompts import CallForm, read_answer, render_answer
from camphor.agents.calling.times import settle_times
from camphor.errors import ToolError
from camphor.tools.call_formats import read_code
from camphor.tools.plans import Plan, check
from camphor.tools.tool import COMPUTED, Toolbox
from camphor.types import Call


@dataclass(frozen=True)
class Correction:
    """A plan that can be executed, and the request's words for its times."""

    plan: Plan
    said: Mapping[str, str] = field(default_factory=dict)


def read_correction(text: str, query: str, toolbox: Toolbox, now: datetime | None = None) -> Correction:
    """The plan that a person wrote as code, a line each call; times may be in words.

    Args:
        now: the clock that words of time are understood by.

    Raises:
        ToolError: it cannot be read, calls what there is not, or has values that a function does not take; says which.
    """
    written = read_code(text, toolbox)
    plan = check(settle_times(written, toolbox, now), toolbox)
    return Correction(plan, said_words(written, plan, query, toolbox))


def predicted(planned: PlannedCalls, query: str, form: CallForm, toolbox: Toolbox) -> Correction:
    """A prediction as if the person had written it: with the words that the model copied from the request."""
    return Correction(planned.plan, _copied(planned, planned.plan, query, form, toolbox))


def editable(planned: PlannedCalls, query: str, form: CallForm, toolbox: Toolbox) -> list[str]:
    """What a person begins a correction from: the calls as lines of code, times in the request's words.

    Of an answer that could not be used these are its calls as far as they can be read; none where there is no call.
    """
    plan = planned.plan or planned.written
    said = _copied(planned, plan, query, form, toolbox)
    try:
        return render_answer(plan, toolbox, CallForm.COMPACT, said).splitlines() if plan else []
    except ToolError:
        return []


def said_words(written: Plan, plan: Plan, query: str, toolbox: Toolbox) -> dict[str, str]:
    """The words of the request for the times of a plan, by "PLACE.PARAMETER".

    Args:
        written: the same calls before their times were computed. Words that are not in the request are left out.
    """
    asked = _plain(query)
    return {
        f"{place}.{name}": value
        for place, (before, after) in enumerate(zip(written, plan, strict=False))
        for name, value in _times(before, toolbox).items()
        if before.name == after.name and name in after.arguments
        if after.arguments[name] != value and _plain(value) in asked
    }


def _copied(planned: PlannedCalls, plan: Plan, query: str, form: CallForm, toolbox: Toolbox) -> dict[str, str]:
    try:
        return said_words(read_answer(planned.text, form, toolbox), plan, query, toolbox)
    except ToolError:
        return {}


def _times(call: Call, toolbox: Toolbox) -> dict[str, str]:
    if call.name not in toolbox:
        return {}
    timed = {each.name for each in toolbox.get(call.name).parameters if each.role in COMPUTED} & call.arguments.keys()
    return {name: call.arguments[name] for name in timed if isinstance(call.arguments[name], str)}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
