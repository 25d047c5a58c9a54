"""CAMPHOR's agents (sections 3.1 and 5.2, Appendix B) for a model that converses: each has tools in its own right.

The high-order agent names who works next, as JSON of one name. An expert is asked with the tools of its own alone; what
it calls and what comes back joins the conversation that all of them read. Then the answer agent drafts, the reflection
agent says what is wrong with the draft, and what the response-submit agent calls is done, once the person agrees.

Who may be chosen and when it ends is `rota.py`'s, as for `collaboration.py`, which writes one text under a grammar;
reading calls, making look-ups, proposing actions and ending are `single_agent.py`'s.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from camphor.agents.bounds import Limits
from camphor.agents.chat_messages import WrittenCall, chat_tools, read_calls
from camphor.agents.prompts import Setting
from camphor.agents.strategies.base import Steps, Wanted
from camphor.agents.strategies.roles import ANSWER, REFLECTION, SUBMIT, first_named, roles
from camphor.agents.strategies.rota import take_turns
from camphor.agents.strategies.single_agent import Conversation, converse
from camphor.agents.strategies.texts import one_line
from camphor.agents.wants import Chat, Check
from camphor.models.chat import ChatReply, ChatRequest, Message
from camphor.tools.calls import render_calls
from camphor.tools.tool import Toolbox
from camphor.types import Agent, Call, Turn

WORKS_AS = {ANSWER: Agent.TASK, SUBMIT: Agent.TASK, REFLECTION: Agent.HIGH_ORDER}
SUBMISSIONS = 3  # what is submitted, once more where it cannot be carried out, and the answer to what was no wish


def agents(query: str, history: tuple[Turn, ...], setting: Setting, limits: Limits) -> Steps:
    """Solve one query. Yields, is sent and returns what `base.Strategy` says."""
    return (yield from take_turns(_Agents(query, history, setting, limits), setting.toolbox, limits))


@dataclass
class _Agents(Conversation):
    """The agents at work on one query. `speaker`: whose turn it is. `drafted`: the last draft, `judgement` of it."""

    speaker: str = Agent.HIGH_ORDER.value
    drafted: str = ""
    judgement: str = ""

    @property
    def toolbox(self) -> Toolbox:
        """The tools of whose turn it is."""
        return Toolbox(self.setting.toolbox.of(self._agent))

    @property
    def _agent(self) -> Agent:
        """Whose turn it is, as section 3.1 counts the agents."""
        return WORKS_AS.get(self.speaker) or Agent(self.speaker)

    def choose(self, names: list[str]) -> Generator[Wanted, Any, str]:
        """Who works next. Words that name nobody end the request."""
        self.speaker = Agent.HIGH_ORDER.value
        reply = yield from self._asked(names=names)
        return first_named(reply.text, names) or SUBMIT

    def look_up(self, agent: Agent) -> Generator[Wanted, Any, bool]:
        """An expert's calls, and what comes back; whether there were any."""
        self.speaker, found = agent.value, len(self.steps)
        if agent is Agent.PERCEPTION:  # one tool without parameters: no model call (CAMPHOR, Appendix B)
            reply = ChatReply()
            calls = [WrittenCall(f"seen_{at}", tool.name, Call(tool.name)) for at, tool in enumerate(self.toolbox)]
        else:
            reply = yield from self._asked("required")
            calls, _ = read_calls(reply, self.toolbox, self.limits.calls)
        if calls:
            yield from self.carry_out(calls, reply, "")
        return len(self.steps) > found

    def draft(self) -> Generator[Wanted, Any, None]:
        """A draft in place of the last; its actions are tried and not done."""
        self.speaker = ANSWER
        reply = yield from self._asked()
        written, text = read_calls(reply, self.toolbox, self.limits.calls)
        calls = tuple(each.call for each in written if each.call is not None)
        problems = [each.problem for each in written if each.problem]
        if calls:
            problems += [seen.error for seen in (yield Check(Agent.TASK, calls)) if seen.error is not None]
        self.drafted = "\n".join([f"Response: {one_line(text, 500)}", f"Calls: {render_calls(calls)}", *problems])
        self.judgement = ""

    def reflect(self) -> Generator[Wanted, Any, None]:
        """What is to be changed."""
        self.speaker = REFLECTION
        reply = yield from self._asked()
        self.judgement = one_line(reply.text)

    def submit(self) -> Steps:
        """What the response-submit agent calls is done, once the person agrees; else what it says is the answer."""
        self.speaker, self.repaired, self.idle = SUBMIT, False, 0
        return (yield from converse(self, SUBMISSIONS))

    def ask(self, may_call: bool) -> Generator[Wanted, Any, ChatReply]:
        """The next message of whose turn it is."""
        return (yield from self._asked("auto" if may_call else "none"))

    def _asked(self, choice: str = "auto", names: list[str] | None = None) -> Generator[Wanted, Any, ChatReply]:
        """The next message of whose turn it is: with its own tools, or as one of the names where there are some."""
        schema = _one_of(names) if names else None
        told = self._told(", ".join(names or ()))
        reply = yield Chat(self._agent, ChatRequest(told, chat_tools(self.toolbox), choice, schema))
        assert isinstance(reply, ChatReply)
        return reply

    def _told(self, names: str) -> tuple[Message, ...]:
        """Appendix B's template: task and agents; the history; then what the agent is to do, with the last draft."""
        system, *history = self.messages
        introduced = "\n".join([system.content, *roles().introduced(self.setting.toolbox)])
        role = roles().named[self.speaker]
        lines = [f"{role.turn} {role.call.format(names=names)}"]
        lines += [f"The last draft:\n{self.drafted}"] if self.drafted else []
        lines += [f"The reflection agent says of it: {self.judgement}"] if self.judgement else []
        turn = "\n\n".join(lines)
        if history[-1].role == "user":  # many models' templates know no two messages of a person in a row
            turn = f"{history.pop().content}\n\n{turn}"
        return (Message("system", introduced), *history, Message("user", turn))


def _one_of(names: list[str]) -> dict[str, Any]:
    """The JSON schema of an object that names one of these."""
    properties = {"agent": {"type": "string", "enum": names}}
    return {"type": "object", "properties": properties, "required": ["agent"], "additionalProperties": False}
