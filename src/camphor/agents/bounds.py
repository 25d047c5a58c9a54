"""What bounds a query, and the one grammar of call lists that all strategies write under.

A call can only name tools that exist and hold values that were said or seen: what a model of any size writes is then
never a receiver, a time, a figure or a name that it made up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from camphor.agents.allowed_values import copied_numbers, copied_words, observed_choices, said_by_person, seen_values
from camphor.agents.calling.numbers import NumbersSaid
from camphor.agents.lookup_fallback import sought_in_vain, without
from camphor.agents.observed_facts import Known
from camphor.agents.prompts import Setting
from camphor.agents.times import time_words
from camphor.tools.grammar import call_list_grammar
from camphor.tools.rules import Numbers
from camphor.tools.tool import Kind, Role, Tool
from camphor.types import Agent, Turn

SWITCHES = {
    "allowed_words": "look-ups use only words that were said or seen",
    "allowed_times": "so do the times of actions",
    "allowed_numbers": "so do the figures in texts",
    "allowed_names": "so do names and titles",
    "lookup_fallback": "words under which an app has nothing are looked up where they stand",
    "sure_wishes": "nothing is no answer to a reminder that is ordered with its time",
    "redundant_questions": "a question back for what was said is thought over",
    "topic_shift": "a query that has nothing to do with the turns before is asked without them; for tuned models alone",
    "tool_priors": "the words of a query speak for tools of apps that are not built in; for tuned models alone",
    "record_answers": "questions are answered by code from the phone's records, and no action is written where none is"
    " asked for; for tuned models alone",
}
"""What can be switched off beside the policies, each with what it does."""


@dataclass(frozen=True)
class Limits:
    """Bounds that make every query end: steps of a query, calls of a step, tokens of a call list and of an answer.

    `off`: names of what is switched off: of policies (agents.policies), and of the rest of `SWITCHES`.
    """

    steps: int = 6
    calls: int = 6
    call_tokens: int = 320
    answer_tokens: int = 96
    off: frozenset[str] = frozenset()

    def uses(self, name: str) -> bool:
        """Whether a policy, or another of the switches, is on."""
        return name not in self.off

    def without(self, *names: str) -> Limits:
        """The same with these switched off too."""
        return replace(self, off=self.off | frozenset(names))


USUAL = Limits()
NAME_TOKENS = max(len(agent.value) for agent in Agent)
"""Of an agent's name: a model that was not made for it may write it letter by letter."""


def _figures(known: Known) -> Numbers:
    """The numbers of an action: those that the person said, in other units too, and of what must be given also those
    that were found."""
    found = (shown for each in known.records for _, shown in each.shown)
    said, both = NumbersSaid(said_by_person(known)), NumbersSaid(said_by_person(known), found)
    return lambda parameter, whole: (both if parameter.required else said).allowed(parameter, whole)


def calls_grammar(
    tools: Iterable[Tool],
    turns: Sequence[Turn],
    setting: Setting,
    limits: Limits,
    *,
    may_be_empty: bool = True,
    most: int | None = None,
    prefix: str = "",
) -> str:
    """The grammar of a list of calls of these tools, with values of these turns, oldest first.

    Times, figures, names and titles are bounded where one of the tools acts: a look-up that asks for something else
    finds nothing and does no harm. A list that may hold both is bounded as a whole. What was looked up in vain in the
    last turn names nothing that could be acted on.

    Args:
        may_be_empty: whether `[]` is accepted too. most: the largest number of calls; None for that of `limits`.
        prefix: text that comes first, such as a space.
    """
    tools = tuple(tools)
    acts = any(tool.kind is Kind.ACTION for tool in tools)
    known = Known.of(turns, setting.now)
    choices = observed_choices(tools, known)
    if limits.uses("allowed_words"):
        choices[Role.KEYWORD] = copied_words(known)
    return call_list_grammar(
        tools,
        choices=choices,
        times=time_words(known) if acts and limits.uses("allowed_times") else None,
        numbers=copied_numbers(known) if acts and limits.uses("allowed_numbers") else None,
        figures=_figures(known) if acts and limits.uses("allowed_numbers") else None,
        said=without(said_by_person(known), sought_in_vain(turns[-1]) if acts and limits.uses("allowed_names") else ()),
        seen=seen_values(known) if acts and limits.uses("allowed_names") else None,
        may_be_empty=may_be_empty,
        most=limits.calls if most is None else most,
        prefix=prefix,
    )
