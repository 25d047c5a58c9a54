"""ReAct (Yao et al., 2023, as CAMPHOR uses it in section 5.2): a thought if the model wants one, then an action.

The paper says: the static prompt, with the option of a reasoning step before each call. Here a turn is a line of
thought, which may be left out, and one call or `finish`. The paper is silent on when it ends: with `finish`, after
`turns` turns, or when two turns in a row bring nothing new. Actions are drafted, and all done at the end.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from camphor.agents.bounds import Limits
from camphor.agents.instructions import FORM
from camphor.agents.prompts import Setting
from camphor.agents.strategies.attempt import Attempt, framed, submit
from camphor.agents.strategies.base import Steps, Wanted
from camphor.agents.strategies.texts import ANSWER, GOAL, define, examples, lay_out, one_line
from camphor.agents.wants import Think
from camphor.types import Agent, Turn

TURNS = 12  # one call each: as many as six lists of two
THOUGHT_TOKENS = 80
RULES = """\
In each turn write at most one line `Thought: ...` and then one line `Action: [one call]`, or `Action: finish` when
nothing is left to be called. What the phone answers follows on lines that begin with `=`."""
ASK = "Write the next turn."
EXAMPLES = """\
Request: let my dentist know I'm running ten minutes behind
Thought: I need to know who the dentist is.
Action: [get_contacts_information(keyword="dentist")]
= name: Ruth Okafor; phone_number: 555-0175; relationship: dentist
Action: [send_imessage_message(receiver="Ruth Okafor", content="I'm running ten minutes behind")]
= understood, will be done at the end
Action: finish
Request: when did I last buy coffee filters?
Thought: The orders will tell.
Action: [get_amazon_orders(keyword="coffee filters")]
= item: Coffee filters, 80 pieces; date: Tue 4 Feb; status: delivered
Action: finish"""
_THOUGHT = re.compile(r"Thought:\s*(.*?)\s*(?=\n|Action:|$)", re.DOTALL)
# a model without a grammar may go on with observations of its own invention: they are cut off
_ACTION = re.compile(r"(?:Action:)?\s*(.*?)\s*(?=\n\s*(?:=|Thought:|Action:|Observation)|$)", re.DOTALL)


def react(query: str, history: tuple[Turn, ...], setting: Setting, limits: Limits, *, turns: int = TURNS) -> Steps:
    """Solve one query. Yields, is sent and returns what `base.Strategy` says.

    Args:
        turns: the most turns, each with one call.
    """
    attempt = Attempt(query, history, setting, limits)
    yield from think_and_act(attempt, turns)
    return (yield from submit(attempt, lay_out(setting, system_of(setting), attempt.lines, ANSWER)))


def system_of(setting: Setting) -> list[str]:
    """The lines of the system role."""
    return [GOAL, FORM, RULES, "Tools:", *define(setting.toolbox), *examples(setting, EXAMPLES)]


def think_and_act(attempt: Attempt, turns: int) -> Generator[Wanted, Any, None]:
    """One trial: turns of thought and action till the model finishes. Nothing is done on the device but look-ups."""
    setting, limits = attempt.setting, attempt.limits
    tools = tuple(setting.toolbox)
    system = system_of(setting)
    for _ in range(turns):
        frame = '("Thought:" LINE "\\n")? "Action: " ("finish" | calls)'
        grammar = framed(frame, attempt.grammar(tools, may_be_empty=False, most=1))
        prompt = lay_out(setting, system, attempt.lines, ASK)
        text = str((yield Think(Agent.HIGH_ORDER, prompt, grammar, limits.call_tokens + THOUGHT_TOKENS)))
        thought, action = read_turn(text)
        if thought:
            attempt.lines.append(f"Thought: {thought}")
        if finishes(action):
            attempt.lines.append("Action: finish")
            return
        yield from attempt.carry_out(action, tools, "Action: ")
        if attempt.stuck:
            return


def read_turn(text: str) -> tuple[str, str]:
    """Thought and action of a turn, each "" where it is missing; only the first of each counts."""
    thought = _THOUGHT.search(text)
    rest = text[thought.end() :] if thought else text
    start = rest.find("Action:")
    action = _ACTION.match(rest.strip() if start < 0 else rest[start:])
    return one_line(thought[1]) if thought else "", action[1] if action else ""


def finishes(action: str) -> bool:
    """Whether the model says that nothing is left: `finish`, an empty list, or no action at all."""
    return action.strip("[]() .").casefold() in ("", "finish", "finished", "done")
