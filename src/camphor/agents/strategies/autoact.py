"""AUTOACT (Qiao et al., 2024, as CAMPHOR uses it in section 5.2): one agent plans, one fills in, one reflects.

The paper says: three prompt templates, for choosing a function, for its parameters, and for reflecting on the results;
the history of predictions is appended to each. The templates themselves are not given. Here what they share comes
first (the task, a line for each tool, the history), and what tells them apart last: the plan agent's rules, the full
definition of the tool that was chosen, the drafted actions. The paper is silent on when it ends: here when the reflect
agent finds the drafts right. Where it does not they are withdrawn and planning goes on with its words, `reflections`
times at most, `turns` calls at most in all. Nothing is done on the device before the end.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from camphor.agents.bounds import Limits
from camphor.agents.instructions import FORM
from camphor.agents.prompts import Setting
from camphor.agents.strategies.attempt import LINE, Attempt, submit
from camphor.agents.strategies.base import Steps, Wanted
from camphor.agents.strategies.react import THOUGHT_TOKENS, TURNS, finishes, read_turn
from camphor.agents.strategies.reflexion import VERDICT, VERDICT_TOKENS, read_verdict
from camphor.agents.strategies.texts import ANSWER, GOAL, define, examples, lay_out
from camphor.agents.wants import Think
from camphor.tools.calls import render_calls
from camphor.tools.tool import Tool
from camphor.types import Agent, Turn

REFLECTIONS = 2
PLAN = """\
You are the plan agent. Write at most one line `Thought: ...` and then one line `Action: name of one tool`, or
`Action: finish` when nothing is left to be called. Another agent writes the call itself."""
FILL = "You are the tool agent. Write one call of the tool that was chosen, with values that were said or found:"
REFLECT = """\
You are the reflect agent. Check the drafted actions against the request: is each one asked for, is none missing, is
every value said or found? Write `Verdict: right`, or `Verdict: wrong` and on the next line `Lesson: ...`, what is to be
done otherwise."""
EXAMPLES = """\
Request: let my dentist know I'm running ten minutes behind
Thought: I need to know who the dentist is.
Action: get_contacts_information
[get_contacts_information(keyword="dentist")]
= name: Ruth Okafor; phone_number: 555-0175; relationship: dentist
Action: finish
Drafted actions: []
Verdict: wrong
Lesson: the dentist was not told; send the message.
Action: send_imessage_message
[send_imessage_message(receiver="Ruth Okafor", content="I'm running ten minutes behind")]
= understood, will be done at the end
Action: finish"""


def autoact(
    query: str,
    history: tuple[Turn, ...],
    setting: Setting,
    limits: Limits,
    *,
    turns: int = TURNS,
    reflections: int = REFLECTIONS,
) -> Steps:
    """Solve one query. Yields, is sent and returns what `base.Strategy` says.

    Args:
        turns: the most calls in all. reflections: how often the drafts are looked at.
    """
    attempt = Attempt(query, history, setting, limits)
    left = turns
    for _ in range(reflections):
        left = yield from _plan_and_fill(attempt, left)
        lesson = yield from _reflect(attempt)
        if not lesson or left <= 0:
            break
        attempt.withdraw()
        attempt.lines.append(f"The drafted actions were withdrawn. Lesson: {lesson}")
        attempt.idle = 0
    else:
        yield from _plan_and_fill(attempt, left)
    return (yield from submit(attempt, lay_out(setting, _system(setting), attempt.lines, ANSWER)))


def _system(setting: Setting) -> list[str]:
    """What the three templates share: it stands first, so that a model with a cache reads it once."""
    tools = [f"- {tool.definition()}" for tool in setting.toolbox]
    return [GOAL, FORM, "Tools:", *tools, *examples(setting, EXAMPLES)]


def _plan_and_fill(attempt: Attempt, turns: int) -> Generator[Wanted, Any, int]:
    """Calls one by one till the plan agent finishes; returns how many turns are left."""
    setting = attempt.setting
    system = _system(setting)
    names = " | ".join(f'"{tool.name}"' for tool in setting.toolbox)
    grammar = f'start: ("Thought:" LINE "\\n")? "Action: " ("finish" | {names})\nLINE: {LINE}\n'
    while turns > 0 and not attempt.stuck:
        turns -= 1
        prompt = lay_out(setting, system, attempt.lines, PLAN)
        text = str((yield Think(Agent.HIGH_ORDER, prompt, grammar, THOUGHT_TOKENS + 48)))
        thought, action = read_turn(text)
        if thought:
            attempt.lines.append(f"Thought: {thought}")
        if finishes(action):
            attempt.lines.append("Action: finish")
            break
        yield from _fill(attempt, action)
    return turns


def _fill(attempt: Attempt, action: str) -> Generator[Wanted, Any, None]:
    """The call of the tool that was chosen."""
    tool = _tool_in(action, attempt.setting)
    if tool is None:
        attempt.idle += 1
        attempt.lines += [f"Action: {action[:80]}", "= error: this device has no such tool"]
        return
    attempt.lines.append(f"Action: {tool.name}")
    text = f"[{tool.name}()]"
    if tool.parameters:
        ask = "\n".join([FILL, *define([tool])])
        prompt = lay_out(attempt.setting, _system(attempt.setting), attempt.lines, ask)
        grammar = attempt.grammar([tool], may_be_empty=False, most=1)
        text = str((yield Think(tool.agent, prompt, grammar, attempt.limits.call_tokens)))
    outcome = yield from attempt.carry_out(text, [tool])
    if not outcome.calls and not outcome.failed:
        attempt.lines.append("= error: nothing was said or found that it could take")


def _tool_in(action: str, setting: Setting) -> Tool | None:
    """The tool that an action names; a model without a grammar may write a whole call."""
    name = re.match(r"[\W_]*([\w.\-]+)", action)
    return setting.toolbox.get(name[1]) if name and name[1] in setting.toolbox else None


def _reflect(attempt: Attempt) -> Generator[Wanted, Any, str]:
    """What the reflect agent would have done otherwise; "" where it is content."""
    lines = [*attempt.lines, f"Drafted actions: {render_calls(attempt.drafted)}"]
    prompt = lay_out(attempt.setting, _system(attempt.setting), lines, REFLECT)
    return read_verdict(str((yield Think(Agent.HIGH_ORDER, prompt, VERDICT, VERDICT_TOKENS))))
