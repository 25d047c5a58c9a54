"""What bounds a query, and the one grammar of call lists that all strategies write under.

A call can only name tools that exist and hold values that were said or seen: what a model of any size writes is then
never a receiver, a time, a figure or a name that it made up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from camphor.agents.choices import copied_numbers, copied_words, observed_choices, said_by_person, seen_values
from camphor.agents.elsewhere import sought_in_vain, without
from camphor.agents.known import Known
from camphor.agents.prompts import Setting
from camphor.agents.times import time_words
from camphor.tools.grammar import call_list_grammar
from camphor.tools.tool import Kind, Role, Tool
from camphor.types import Turn


@dataclass(frozen=True)
class Limits:
    """Bounds that make every query end: steps of a query, calls of a step, tokens of a call list and of an answer.

    `copied_keywords`: look-ups use only words that were said or seen (agents.choices.copied_words). `copied_times`: so
    do the times of actions (agents.times). `copied_numbers`, `copied_names`: so do the figures in texts, and names and
    titles. `seeks`: words under which an app has nothing are looked up where they stand (agents.elsewhere). `refers`:
    what a follow-up points back at is resolved by code where it is clear (agents.references). `recalls`: of a query
    that leaves unsaid what it is about, the items that matter now are looked up (agents.relevant). `apart`: a query
    that has nothing to do with the turns before is asked without them (agents.alone). `plausible`: an action of a first
    query is one that its words could ask for (agents.plausible), in an app that is there (agents.absent). `leans`: the
    words of a query speak for tools of apps that are not built in (agents.leaning). `tells`: a question is answered
    by code from the phone's records (agents.answering), and no action is written where none is asked for (agents.gate).
    These three are for tuned models alone.
    """

    steps: int = 6
    calls: int = 6
    call_tokens: int = 320
    answer_tokens: int = 96
    copied_keywords: bool = True
    copied_times: bool = True
    copied_numbers: bool = True
    copied_names: bool = True
    seeks: bool = True
    refers: bool = True
    recalls: bool = True
    apart: bool = True
    plausible: bool = True
    leans: bool = True
    tells: bool = True


USUAL = Limits()


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
    if limits.copied_keywords:
        choices[Role.KEYWORD] = copied_words(known)
    return call_list_grammar(
        tools,
        choices=choices,
        times=time_words(known) if acts and limits.copied_times else None,
        numbers=copied_numbers(known) if acts and limits.copied_numbers else None,
        said=without(said_by_person(known), sought_in_vain(turns[-1]) if acts and limits.copied_names else ()),
        seen=seen_values(known) if acts and limits.copied_names else None,
        may_be_empty=may_be_empty,
        most=limits.calls if most is None else most,
        prefix=prefix,
    )
