"""CAMPHOR's agents for a model that was not tuned (sections 3.1 and 5.2, Appendix B): each has a prompt of its own.

The high-order agent chooses who works next. Experts look things up. The answer agent drafts a response and actions, the
reflection agent says what is wrong with the draft, and the response-submit agent writes what is submitted. Each sees
the task, who the agents are, its own instruction and definitions, the message history, and an example of its output.
Who may be chosen, and when it ends, is `rota.py`'s.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from camphor.agents.bounds import Limits
from camphor.agents.instructions import FORM
from camphor.agents.policies.repeated_calls import call_key
from camphor.agents.prompts import Setting
from camphor.agents.strategies.attempt import LINE, Attempt, framed, read_calls, submit
from camphor.agents.strategies.base import Steps, Wanted
from camphor.agents.strategies.roles import ANSWER, REFLECTION, SUBMIT, first_named, roles
from camphor.agents.strategies.rota import take_turns
from camphor.agents.strategies.texts import GOAL, define, examples, lay_out, one_line
from camphor.agents.wants import Think
from camphor.tools.grammar import agent_grammar
from camphor.types import Agent, Prompt, Turn


def collaborate(query: str, history: tuple[Turn, ...], setting: Setting, limits: Limits) -> Steps:
    """Solve one query. Yields, is sent and returns what `base.Strategy` says."""
    attempt = Attempt(query, history, setting, limits)
    return (yield from take_turns(_Collaboration(attempt), setting.toolbox, limits))


@dataclass
class _Collaboration:
    """The agents at work on one attempt."""

    attempt: Attempt

    def choose(self, names: list[str]) -> Generator[Wanted, Any, str]:
        """Who works next. Words of a model without a grammar that name nobody end the request."""
        prompt = self._prompt(Agent.HIGH_ORDER.value, [], ", ".join(names))
        text = yield Think(Agent.HIGH_ORDER, prompt, agent_grammar(names), 16)
        name = first_named(str(text), names) or SUBMIT
        if name != SUBMIT:
            self._chose(name)
        return name

    def _chose(self, name: str) -> None:
        self.attempt.lines.append(f"{Agent.HIGH_ORDER.value}: {name}")

    def look_up(self, agent: Agent) -> Generator[Wanted, Any, bool]:
        """An expert's calls, and what comes back; whether there were any."""
        attempt = self.attempt
        tools = attempt.setting.toolbox.of(agent)
        if agent is Agent.PERCEPTION:  # one tool without parameters: no model call (CAMPHOR, Appendix B)
            text = f"[{'; '.join(f'{tool.name}()' for tool in tools)}]"
        else:
            prompt = self._prompt(agent.value, define(tools))
            grammar = attempt.grammar(tools, may_be_empty=False)
            text = str((yield Think(agent, prompt, grammar, attempt.limits.call_tokens)))
        found = len(attempt.steps)
        yield from attempt.carry_out(text, tools, f"{agent.value}: ")
        return len(attempt.steps) > found

    def draft(self) -> Generator[Wanted, Any, None]:
        """A draft in place of the last."""
        self.attempt.withdraw()
        response, calls = read_draft((yield from self._written(ANSWER)))
        self.attempt.lines.append(f"{ANSWER}: {response}")
        yield from self.attempt.carry_out(calls, self.attempt.setting.toolbox.of(Agent.TASK), f"{ANSWER}: ")

    def reflect(self) -> Generator[Wanted, Any, None]:
        """What is to be changed."""
        grammar = f"start: LINE\nLINE: {LINE}\n"
        prompt = self._prompt(REFLECTION, [])
        text = yield Think(Agent.HIGH_ORDER, prompt, grammar, self.attempt.limits.answer_tokens)
        self.attempt.lines.append(f"{REFLECTION}: {one_line(str(text))}")

    def submit(self) -> Steps:
        """What the response-submit agent writes is done, once the person agrees; the last draft if it cannot be read.

        It goes to the device as written: where an action is not understood there, the person is told.
        """
        attempt = self.attempt
        self._chose(SUBMIT)
        text = yield from self._written(SUBMIT)
        response, listed = read_draft(text)
        calls, problem = read_calls(listed)
        if not problem:
            tools = {tool.name for tool in attempt.setting.toolbox.of(Agent.TASK)}
            named = {call_key(call): call for call in calls[: attempt.limits.calls] if call.name in tools}
            attempt.drafted = tuple(named.values())
            response = "" if calls else response  # words about actions that do not exist are not to be believed
        return (yield from submit(attempt, response=response))

    def _written(self, name: str) -> Generator[Wanted, Any, str]:
        """Response and actions as the agent of that name writes them."""
        attempt, limits = self.attempt, self.attempt.limits
        tools = attempt.setting.toolbox.of(Agent.TASK)
        prompt = self._prompt(name, define(tools))
        grammar = framed('"Response:" LINE "\\nCalls: " calls', attempt.grammar(tools))
        return str((yield Think(Agent.TASK, prompt, grammar, limits.answer_tokens + limits.call_tokens)))

    def _prompt(self, name: str, definitions: list[str], names: str = "") -> Prompt:
        """Appendix B's template: task, agents and definitions; then instruction, history, example and what to write."""
        setting, role = self.attempt.setting, roles().named[name]
        system = [GOAL, *roles().introduced(setting.toolbox)]
        system += ["Tools:", *definitions] if definitions else []
        turn = f"{role.turn} {FORM}" if definitions else role.turn
        lines = [turn, "What happened so far:", *self.attempt.lines, *examples(setting, role.example)]
        return lay_out(setting, system, lines, role.write.format(names=names))


def read_draft(text: str) -> tuple[str, str]:
    """Response and call list of a draft; a draft without calls has an empty list."""
    head, mark, calls = text.partition("Calls:")
    if not mark:
        start = text.find("[")
        head, calls = (text[:start], text[start:]) if start >= 0 else (text, "[]")
    return one_line(re.sub(r"^\s*Response:", "", head), 500), calls.strip() or "[]"
