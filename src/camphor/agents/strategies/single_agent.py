"""One agent with all tools of the phone, for a capable model: the conversation goes on until nothing is left to do.

Look-ups of one message are made together, and so are actions; what came back goes to the model in full. A call that
cannot be carried out goes back to it once, with the reason. A wish for one action costs one message where all was said
and two where something had to be looked up: after the actions that a query asks for, nothing more is asked of the
model, for code tells what was done.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from camphor.agents.bounds import Limits
from camphor.agents.chat_messages import (
    WrittenCall,
    answer_to,
    as_written,
    chat_tools,
    opening,
    read_calls,
    show,
    tells_of_calls,
)
from camphor.agents.gate import leaves_open
from camphor.agents.parts import Part, PartKind, begins_as_question, parts_of, tells_manner
from camphor.agents.policies.repeated_calls import call_key
from camphor.agents.prompts import Setting
from camphor.agents.strategies.base import Steps, Wanted
from camphor.agents.wants import Act, Chat, Check
from camphor.models.chat import ChatReply, ChatRequest, Message
from camphor.tools.tool import Kind, Tool, Toolbox
from camphor.types import Agent, Call, Observation, Step, Turn

EXTRA_REQUESTS = 4  # beside a query's steps: a repair, an answer, and look-ups that led nowhere
_AGAIN = "this was called before: use what it returned, or answer"
_LIKELY = 0.8  # that an order asks for an action
_TOO_MANY = "too many calls at once: what is still needed can be called in the next message"


def single_agent(query: str, history: tuple[Turn, ...], setting: Setting, limits: Limits) -> Steps:
    """Solve one query. Yields, is sent and returns what `base.Strategy` says."""
    return (yield from converse(Conversation(query, history, setting, limits), limits.steps + EXTRA_REQUESTS))


def converse(work: Conversation, requests: int) -> Steps:
    """Ask and carry out till the query is solved, with so many requests at most; nothing may be called in the last."""
    for left in range(requests - 1, -1, -1):
        reply = yield from work.ask(may_call=left > 0 and work.idle < 2)
        if reply.refusal and not reply.calls:
            return work.ended(reply.refusal)
        calls, text = read_calls(reply, work.toolbox, work.limits.calls)
        if not calls or not left:
            if tells_of_calls(text) and left and not work.repaired:
                work.repair(reply)
                continue
            return work.ended("" if tells_of_calls(text) else text)
        if (yield from work.carry_out(calls, reply, text)):
            return work.ended(text)
    return work.ended("")


@dataclass
class Conversation:
    """A query being worked on.

    `idle`: how many messages in a row brought nothing new. `repaired`: whether a call was sent back. `made`: keys of
    the calls that were carried out.
    """

    query: str
    history: tuple[Turn, ...]
    setting: Setting
    limits: Limits
    idle: int = 0
    repaired: bool = False
    steps: tuple[Step, ...] = ()
    messages: list[Message] = field(default_factory=list)
    made: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.messages = opening(self.query, self.history, self.setting)

    @property
    def toolbox(self) -> Toolbox:
        """What may be called."""
        return self.setting.toolbox

    def ask(self, may_call: bool) -> Generator[Wanted, Any, ChatReply]:
        """The model's next message."""
        tools = chat_tools(self.toolbox)
        reply = yield Chat(Agent.HIGH_ORDER, ChatRequest(tuple(self.messages), tools, "auto" if may_call else "none"))
        assert isinstance(reply, ChatReply)
        return reply

    def ended(self, response: str) -> Turn:
        """The turn; its last step is task completion's, as for every strategy."""
        acted = any(step.agent is Agent.TASK and step.calls for step in self.steps)
        steps = self.steps if acted else (*self.steps, Step(Agent.TASK))
        return Turn(self.query, steps, response)

    def repair(self, reply: ChatReply) -> None:
        """Ask for calls in the form that a server reads."""
        self.repaired = True
        self.messages += [
            Message("assistant", reply.text),
            Message("user", "That is not readable here. Use the tools themselves, or answer in plain words."),
        ]

    def carry_out(self, written: list[WrittenCall], reply: ChatReply, text: str) -> Generator[Wanted, Any, bool]:
        """Make the look-ups of a message and propose its actions; whether that, with its text, ends the query."""
        answers: dict[str, str | Message] = {each.id: each.problem for each in written}
        fresh: list[tuple[str, Call]] = []
        for each in written:
            if each.call is None:
                continue
            if call_key(each.call) in self.made:
                answers[each.id] = _AGAIN
                continue
            self.made.add(call_key(each.call))
            fresh.append((each.id, each.call))
        for call in reply.calls[self.limits.calls :]:
            answers[call.id] = _TOO_MANY
        self.idle = 0 if fresh else self.idle + 1
        tools = self.setting.toolbox
        actions = [each for each in fresh if tools.get(each[1].name).kind is Kind.ACTION]
        for agent, group in groupby(
            (each for each in fresh if each not in actions), lambda each: _reader(tools.get(each[1].name))
        ):
            yield from self._look_up(agent, list(group), answers)
        broken = yield from self._check(actions, answers)
        if (broken or any(each.problem for each in written)) and not self.repaired:
            self.repaired = True  # once: whole, so that what belongs together is done together
            self.made -= {call_key(call) for _, call in actions}
            actions = []
        ends = bool(actions) and (yield from self._act(actions, answers, text))
        self._note(written, reply, answers)
        return ends

    def _look_up(
        self, agent: Agent, calls: list[tuple[str, Call]], answers: dict[str, str | Message]
    ) -> Generator[Wanted, Any, None]:
        wanted = tuple(call for _, call in calls)
        observations = yield Act(agent, wanted)
        self.steps = (*self.steps, Step(agent, wanted, observations))
        for (name, _), seen in zip(calls, observations, strict=True):
            answers[name] = self._shown(name, seen)

    def _check(
        self, actions: list[tuple[str, Call]], answers: dict[str, str | Message]
    ) -> Generator[Wanted, Any, bool]:
        """Whether the device refuses one of the actions; each is told why."""
        if not actions:
            return False
        observations = yield Check(Agent.TASK, tuple(call for _, call in actions))
        for (name, _), seen in zip(actions, observations, strict=True):
            answers[name] = seen.error or "nothing was done yet: another call of this message was wrong"
        return any(seen.error is not None for seen in observations)

    def _act(
        self, actions: list[tuple[str, Call]], answers: dict[str, str | Message], text: str
    ) -> Generator[Wanted, Any, bool]:
        """Propose the actions; whether nothing that the query asks for is left."""
        wanted = tuple(call for _, call in actions)
        observations = yield Act(Agent.TASK, wanted)
        for (name, _), seen in zip(actions, observations, strict=True):
            answers[name] = self._shown(name, seen)
        if all(seen.unasked for seen in observations):
            return False  # a question: it is answered
        self.steps = (*self.steps, Step(Agent.TASK, wanted, observations))
        tools = self.setting.toolbox
        return not (self._open(text) or leaves_open(self.query, [tools.get(call.name) for call in wanted]))

    def _open(self, text: str) -> bool:
        """Whether the query asks for more than was done: for further actions, or to be told what no text tells."""
        parts = parts_of(self.query, bool(self.history))
        called = [call.name for step in self.steps if step.agent is Agent.TASK for call in step.calls]
        asks = any(_asks(each) for each in parts) and not text
        wishes = [each for each in parts if each.kind is PartKind.WISH and each.orders and not tells_manner(each.text)]
        return asks or len(called) < len(wishes) or any(_asks_for_another(each, called) for each in wishes)

    def _shown(self, name: str, seen: Observation) -> Message:
        return Message("tool", show(seen, self.setting), call_id=name)

    def _note(self, written: list[WrittenCall], reply: ChatReply, answers: dict[str, str | Message]) -> None:
        """The message and what came of each of its calls, for the conversation to go on."""
        known = {each.id: each for each in written}
        listed = [known.get(call.id) or WrittenCall(call.id, call.name, None, _TOO_MANY) for call in reply.calls]
        self.messages.append(as_written(listed or written, reply))
        for each in listed or written:
            answer = answers.get(each.id, "")
            self.messages.append(answer if isinstance(answer, Message) else answer_to(each.id, answer))


def _asks(part: Part) -> bool:
    """Whether a part of a query asks to be told something: not "can you text Ana?"."""
    wishes = part.kind is PartKind.WISH and part.orders
    asks = part.text.rstrip().endswith("?") or begins_as_question(part.text)
    return part.kind is PartKind.QUESTION or (asks and not wishes)


def _asks_for_another(part: Part, called: Sequence[str]) -> bool:
    """Whether what an order most likely asks for was not called."""
    return max(part.acts) >= _LIKELY and all(part.asks_for(name) < max(part.acts) for name in called)


def _reader(tool: Tool) -> Agent:
    """Who looks this up."""
    return Agent.CONTEXT if tool.agent is Agent.TASK else tool.agent
