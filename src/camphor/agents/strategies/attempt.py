"""One attempt at a request: look-ups are made at once, actions are only drafted, and lines tell of both.

Nothing is acted on before `submit`, so an attempt can be abandoned without a trace on the device.
"""

from __future__ import annotations

from collections.abc import Container, Generator, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from camphor.agents.bounds import Limits, calls_grammar
from camphor.agents.policies.disambiguation import settle_people
from camphor.agents.policies.repeated_calls import call_key
from camphor.agents.prompts import Setting
from camphor.agents.strategies.base import Steps, Wanted
from camphor.agents.strategies.texts import MADE_BEFORE, UNDERSTOOD, one_line, show_earlier, show_results
from camphor.agents.wants import Act, Check, Think
from camphor.errors import ToolError
from camphor.tools.calls import parse_calls, render_calls
from camphor.tools.grammar import line_grammar
from camphor.tools.tool import Kind, Tool
from camphor.types import Agent, Call, Prompt, Step, Turn

LINE = line_grammar(240).removeprefix("start: ").strip()
"""One line of free text, as a terminal's body: about 60 tokens, what a thought or a lesson may cost."""


@dataclass(frozen=True)
class Outcome:
    """What came of a model's turn: the calls as written, whether one of them failed, whether an action was drafted."""

    calls: tuple[Call, ...]
    failed: bool
    drafted: bool


@dataclass
class Attempt:
    """What was asked, found and drafted.

    Attributes:
        lines: the message history that prompts show. steps: the look-ups made. drafted: actions that were understood
            and wait for `submit`. idle: how many turns in a row brought nothing new.
    """

    query: str
    history: tuple[Turn, ...]
    setting: Setting
    limits: Limits
    lines: list[str] = field(default_factory=list)
    steps: tuple[Step, ...] = ()
    drafted: tuple[Call, ...] = ()
    idle: int = 0
    _made: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.lines[:0] = [*show_earlier(self.history, self.setting), f"Request: {self.query}"]

    @property
    def turn(self) -> Turn:
        return Turn(self.query, self.steps)

    @property
    def stuck(self) -> bool:
        """Whether the model goes round in circles: two turns in a row brought nothing new."""
        return self.idle >= 2

    def grammar(self, tools: Iterable[Tool], *, may_be_empty: bool = True, most: int | None = None) -> str:
        """The same bounds on calls as `orchestrate` has: tools that exist, values that were said or seen."""
        turns = (*self.history, self.turn)
        return calls_grammar(tools, turns, self.setting, self.limits, may_be_empty=may_be_empty, most=most)

    def carry_out(self, text: str, tools: Iterable[Tool], said_by: str = "") -> Generator[Wanted, Any, Outcome]:
        """Read the calls that a model wrote, make its look-ups, draft its actions, and note what came of each.

        Args:
            text: what the model wrote. tools: those it may call. said_by: what its line begins with, such as "Action:
            ".
        """
        calls, problem = read_calls(text)
        calls = calls[: self.limits.calls]
        self.lines.append(said_by + (one_line(text) if problem else render_calls(calls)))
        if problem:
            self.lines.append(f"= error: {problem}")
        known = {tool.name: tool for tool in tools}
        fresh, failed, drafted = self._fresh(calls, known), bool(problem), len(self.drafted)
        self.idle = 0 if fresh else self.idle + 1
        for agent, group in groupby(fresh, key=lambda call: _reader(known[call.name])):
            if agent is None:
                failed |= yield from self._draft(tuple(group))
            else:
                yield from self._look_up(agent, tuple(group))
        failed |= any(call.name not in known for call in calls)
        return Outcome(calls, failed, len(self.drafted) > drafted)

    def _fresh(self, calls: Iterable[Call], known: Container[str]) -> list[Call]:
        """The calls of known tools that were not made before."""
        fresh = []
        for call in calls:
            if call_key(call) in self._made:
                self.lines.append(MADE_BEFORE)
            elif call.name not in known:
                self.lines.append(f"= error: there is no tool {one_line(call.name, 80)} here")
            else:
                fresh.append(call)
                self._made.add(call_key(call))
        return fresh

    def withdraw(self) -> None:
        """Give up the drafted actions; they may be drafted again."""
        self._made -= {call_key(call) for call in self.drafted}
        self.drafted = ()

    def _look_up(self, agent: Agent, calls: tuple[Call, ...]) -> Generator[Wanted, Any, None]:
        step = Step(agent, calls, (yield Act(agent, calls)))
        self.steps = (*self.steps, step)
        self.lines += show_results(step, self.query, self.setting)

    def _draft(self, calls: tuple[Call, ...]) -> Generator[Wanted, Any, bool]:
        """Note which actions are understood; whether one is not."""
        observations = yield Check(Agent.TASK, calls)
        for call, observation in zip(calls, observations, strict=True):
            if observation.error is None:
                self.drafted = (*self.drafted, call)
            self.lines.append(UNDERSTOOD if observation.error is None else f"= error: {observation.error}")
        return any(observation.error is not None for observation in observations)

    def answer(self, prompt: Prompt) -> Generator[Wanted, Any, str]:
        """One line for the person."""
        text = yield Think(Agent.TASK, prompt, line_grammar(), self.limits.answer_tokens)
        return one_line(str(text), 500)


def submit(attempt: Attempt, answer_prompt: Prompt | None = None, response: str = "") -> Steps:
    """Act on what was drafted, and end the turn.

    Where code finds that a person meant is not clear it asks instead, as for every strategy
    (`agents.policies.disambiguation`). Where there is nothing to act on, the answer is `response`, or what the model
    writes after `answer_prompt`.
    """
    calls, question = settle_people(attempt.drafted, attempt.turn, attempt.history, attempt.setting.toolbox)
    if question:
        return Turn(attempt.query, (*attempt.steps, Step(Agent.TASK)), question)
    if not calls:
        if answer_prompt is not None and not response:
            response = yield from attempt.answer(answer_prompt)
        return Turn(attempt.query, (*attempt.steps, Step(Agent.TASK)), response)
    observations = yield Act(Agent.TASK, calls)
    return Turn(attempt.query, (*attempt.steps, Step(Agent.TASK, calls, observations)))


def read_calls(text: str) -> tuple[tuple[Call, ...], str]:
    """The calls in what a model wrote, and why there are none ("" if that is right).

    A model with a grammar writes a call list and nothing else, though it may be cut off at the token limit; one without
    may put words or a code fence around it. What is whole counts.
    """
    start, end = text.find("["), text.rfind("]")
    problem = ""
    for candidate in (text.strip(), text[start : end + 1] if 0 <= start < end else "", _whole(text[max(start, 0) :])):
        if candidate:
            try:
                return parse_calls(candidate), ""
            except ToolError as error:
                problem = problem or str(error)
    return (), problem


def _whole(text: str) -> str:
    """A call list that was cut off, up to its last whole call."""
    end = text.rfind(");")
    return text[: end + 1] + "]" if end > 0 and text.startswith("[") else ""


def framed(frame: str, calls: str) -> str:
    """A grammar whose start is `frame`, in which `calls` stands for a call list and `LINE` for a line of free text."""
    return f"start: {frame}\n{calls.replace('start:', 'calls:', 1)}LINE: {LINE}\n"


def _reader(tool: Tool) -> Agent | None:
    """Who looks this up; None for an action."""
    if tool.kind is Kind.ACTION:
        return None
    return Agent.CONTEXT if tool.agent is Agent.TASK else tool.agent
