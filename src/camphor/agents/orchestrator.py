"""The loop: the high-order agent chooses an expert, the expert writes calls, the device answers, till all is done.

`orchestrate` does no I/O. It is a generator that yields what it wants next, a `Think` (some text from the model) or an
`Act` (calls to execute), and is sent the answer; `camphor.app` drives it in a few lines, and tests drive it with lists
(CAMPHOR, section 3.1).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any

from camphor.agents.answers import NOT_UNDERSTOOD, asked_back
from camphor.agents.bounds import NAME_TOKENS, USUAL, Limits, calls_grammar
from camphor.agents.gate import nothing_asked
from camphor.agents.lookup_fallback import best, by_time_alone, elsewhere
from camphor.agents.observed_facts import Known
from camphor.agents.parts import asks_to_be_told, only_asks
from camphor.agents.policies import POLICIES, Finding, Policy, Question, Revised, Situation, revise
from camphor.agents.policies.disambiguation import asks_whom_in_vain, whole_question
from camphor.agents.policies.redundant_questions import asks_in_vain
from camphor.agents.policies.repeated_calls import without_repeats
from camphor.agents.prompts import (
    TOLD,
    Setting,
    available_agents,
    open_turn,
    render_step,
    render_system,
    render_turn,
)
from camphor.agents.references import Pointed, pointed_at, title_of
from camphor.agents.sure_wishes import surely_wished
from camphor.agents.wants import Act, Seek, Tell, Think, Want
from camphor.errors import ToolError
from camphor.tools.calls import parse_calls
from camphor.tools.grammar import agent_grammar, line_grammar
from camphor.types import Agent, Call, Observation, Prompt, Segment, Step, Turn


def orchestrate(
    query: str,
    history: tuple[Turn, ...],
    setting: Setting,
    limits: Limits = USUAL,
    policies: Sequence[Policy] = POLICIES,
) -> Generator[Want, Any, Turn]:
    """Solve one query. Yields `Want`, is sent `str` for `Think` and `Tell`, `tuple[Relevant, ...]` for `Rank` and
    `tuple[Observation, ...]` for the others, returns the turn.

    The response of the turn is the model's own where no action was called, and empty otherwise: code composes it.
    """
    turn = Turn(query)
    base = _opening(query, history, setting)
    pointed = pointed_at(query, history, setting.toolbox) if limits.uses("coreference") else ()
    if pointed:
        turn = yield from _look_back(turn, pointed)
    tells = limits.uses("record_answers") and setting.form not in TOLD
    idle = tells and nothing_asked(query, history, setting.toolbox) is not None  # no action could pass the gate
    must = False  # call something, as a question back was for what had been said
    while True:
        prompt = _prompt(base, turn, setting)
        agent = yield from _choose(prompt, turn, setting, limits)
        if agent is Agent.TASK and idle and not must:
            written: tuple[Call, ...] = ()
        else:
            chosen = (*prompt, Segment(agent.value, trained=True))
            written = yield from _write_calls(agent, chosen, turn, history, setting, limits, must)
        if agent is Agent.TASK and not written and not must and _is_sure(turn, history, setting, limits):
            must = True
            continue
        before = turn
        if agent is Agent.TASK:
            situation = Situation(turn, history, setting, pointed)
            revised: Revised = yield from revise(written, situation, policies, limits.off)
        else:
            revised = without_repeats(written, turn)
        if isinstance(revised, Finding):
            turn = replace(turn, steps=(*turn.steps, revised.step))
            continue  # with this in sight other experts may come first
        if isinstance(revised, Question) and tells and only_asks(query, bool(history)):
            return replace(turn, response=(yield Tell(turn)))
        if isinstance(revised, Question):  # nothing is done before it is clear what, for whom and when
            return replace(turn, steps=(*turn.steps, Step(agent)), response=revised.text)
        observations = (yield Act(agent, revised)) if revised else ()
        turn = replace(turn, steps=(*turn.steps, Step(agent, revised, observations)))
        if limits.uses("lookup_fallback") and (others := (yield from _seek(turn, setting))):
            found = yield Act(agent, others)
            turn = replace(turn, steps=(*turn.steps, Step(agent, others, found, taught=False)))
        if agent is not Agent.TASK:
            continue
        if revised and not all(each.unasked for each in observations):
            return turn
        if revised:
            turn = replace(before, steps=(*before.steps, Step(agent)))  # a question: it is answered
        if tells and not must and asks_to_be_told(query, bool(history)):
            return replace(turn, response=(yield Tell(turn)))
        answer = yield from _write_answer(base, turn, setting, limits)
        if not must and limits.uses("redundant_questions") and _in_vain(answer, turn, setting):
            turn, must = before, True
            continue
        if setting.form not in TOLD:
            answer = _asked_back(answer, turn, history, setting)
            if tells and answer == NOT_UNDERSTOOD:
                answer = yield Tell(turn, NOT_UNDERSTOOD)
        return replace(turn, response=answer)


def _prompt(base: Prompt, turn: Turn, setting: Setting) -> Prompt:
    return base + tuple(part for step in turn.steps for part in render_step(step, turn.query, setting))


def _choose(prompt: Prompt, turn: Turn, setting: Setting, limits: Limits) -> Generator[Want, Any, Agent]:
    name = yield Think(Agent.HIGH_ORDER, prompt, agent_grammar(_next(turn, setting, limits)), NAME_TOKENS)
    return Agent(name.strip())


def _in_vain(answer: str, turn: Turn, setting: Setting) -> bool:
    """Whether an answer asks for what was said."""
    return asks_in_vain(answer, turn.query, setting.now) or asks_whom_in_vain(answer, turn)


def _asked_back(answer: str, turn: Turn, history: Sequence[Turn], setting: Setting) -> str:
    said, found = _said(turn, history), tuple(observations_of(turn))
    return asked_back(answer, said, found, _apps(setting), setting.now.year)


def _said(turn: Turn, history: Sequence[Turn]) -> str:
    return " ".join([turn.query, *(f"{earlier.query} {earlier.response}" for earlier in history)])


def _apps(setting: Setting) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tool.app for tool in setting.toolbox if tool.app))


def _seek(turn: Turn, setting: Setting) -> Generator[Want, Any, tuple[Call, ...]]:
    """Other look-ups in place of the last step's that found nothing: by time alone, or in other apps."""
    tools = setting.toolbox.of(turn.steps[-1].agent)
    if timed := by_time_alone(turn, tools, setting.now):
        found = yield Seek(timed)
        if any(each.records for each in found):
            return timed
    tries = elsewhere(turn, tools)
    return best(tries, (yield Seek(tries)), turn) if tries else ()


def _look_back(turn: Turn, pointed: Sequence[Pointed]) -> Generator[Want, Any, Turn]:
    """What a follow-up points back at, looked up by name as the first step, where it is still there."""
    calls = tuple(each.look_up for each in pointed if each.look_up)
    found = (yield Seek(calls)) if calls else ()
    titles = {each.title for each in pointed}
    there = tuple(
        call
        for call, each in zip(calls, found, strict=True)
        if any(title_of(record) in titles for record in each.records)
    )
    if not there:
        return turn
    observations = yield Act(Agent.CONTEXT, there)
    return replace(turn, steps=(Step(Agent.CONTEXT, there, observations, taught=False),))


def _opening(query: str, history: tuple[Turn, ...], setting: Setting) -> Prompt:
    earlier = tuple(part for turn in history for part in render_turn(turn, setting, trained=False))
    return (*render_system(setting), *earlier, *open_turn(query))


def _is_sure(turn: Turn, history: tuple[Turn, ...], setting: Setting, limits: Limits) -> bool:
    """Whether something is surely wished, so that to call nothing is wrong."""
    if setting.form in TOLD or not limits.uses("sure_wishes"):
        return False
    return surely_wished(turn, history, setting.toolbox, Known.of((*history, turn), setting.now))


def _next(turn: Turn, setting: Setting, limits: Limits) -> list[str]:
    """Who may work next. An agent without parameters has told all it knows; one that repeats itself is stuck."""
    agents = available_agents(setting.toolbox)
    if len(turn.steps) >= limits.steps - 1:
        return [Agent.TASK.value]
    done = {step.agent for step in turn.steps if step.agent is Agent.PERCEPTION or not step.calls}
    return [agent.value for agent in agents if agent not in done]


def _write_calls(
    agent: Agent,
    prompt: Prompt,
    turn: Turn,
    history: tuple[Turn, ...],
    setting: Setting,
    limits: Limits,
    must: bool = False,
) -> Generator[Want, Any, tuple[Call, ...]]:
    tools, turns = setting.toolbox.of(agent), (*history, turn)
    if agent is Agent.PERCEPTION:  # one tool, no parameters: no model call (CAMPHOR, Appendix B)
        return tuple(Call(tool.name) for tool in tools)
    grammar = calls_grammar(tools, turns, setting, limits, may_be_empty=agent is Agent.TASK and not must, prefix=" ")
    leaning = tuple((tool.name, setting.leaning.get(tool.name, 0.0)) for tool in tools) if setting.leaning else ()
    text = yield Think(agent, prompt, grammar, limits.call_tokens, copies=True, leaning=leaning)
    try:
        return parse_calls(text)
    except ToolError:  # cut off at the token limit: what is whole still counts
        return tuple(_whole_calls(text))


def _whole_calls(text: str) -> Iterator[Call]:
    end = text.rfind(");")
    if end > 0:
        yield from parse_calls(text[: end + 1] + "]")


def _write_answer(base: Prompt, turn: Turn, setting: Setting, limits: Limits) -> Generator[Want, Any, str]:
    answer = yield Think(Agent.TASK, _prompt(base, turn, setting), line_grammar(), limits.answer_tokens)
    return whole_question(str(answer).strip(), turn)


def observations_of(turn: Turn) -> Iterator[Observation]:
    for step in turn.steps:
        yield from step.observations
