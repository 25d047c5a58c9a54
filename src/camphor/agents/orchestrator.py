"""The loop: the high-order agent chooses an expert, the expert writes calls, the device answers, till all is done.

`orchestrate` does no I/O. It is a generator that yields what it wants next, a `Think` (some text from the model) or an
`Act` (calls to execute), and is sent the answer; `camphor.app` drives it in a few lines, and tests drive it with lists
(CAMPHOR, section 3.1).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from camphor.agents.absent import absent_app
from camphor.agents.ambiguity import asks_whom_in_vain, settle_people, whole_question
from camphor.agents.answers import NOT_UNDERSTOOD, asked_back
from camphor.agents.bounds import USUAL, Limits, calls_grammar
from camphor.agents.corrections import instead
from camphor.agents.elsewhere import best, elsewhere
from camphor.agents.gate import nothing_asked
from camphor.agents.kinds import by_time_alone
from camphor.agents.lacking import lacks_time
from camphor.agents.meant import as_found
from camphor.agents.parts import asks_to_be_told, only_asks
from camphor.agents.plausible import plausible
from camphor.agents.prompts import (
    TOLD,
    Setting,
    available_agents,
    open_turn,
    render_step,
    render_system,
    render_turn,
)
from camphor.agents.references import Pointed, pointed_at, put_right, title_of
from camphor.agents.relevant import finding, look_ups, nothing_known, sure_of
from camphor.agents.unsaid import completed
from camphor.agents.vain import asks_in_vain
from camphor.errors import ToolError
from camphor.tools.calls import parse_calls
from camphor.tools.grammar import agent_grammar, line_grammar
from camphor.types import Agent, Call, Observation, Prompt, Segment, Step, Turn


@dataclass(frozen=True)
class Think:
    """Wanted: text from the model. `agent` says whose words they are; what is quoted `copies` words of the prompt;
    `leaning` has names of calls, each with its nats."""

    agent: Agent
    prompt: Prompt
    grammar: str
    max_tokens: int
    copies: bool = False
    leaning: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Act:
    """Wanted: these calls executed, the independent look-ups of one step together; answered by their observations."""

    agent: Agent
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Seek:
    """Wanted: what these look-ups would find, to choose among them; nobody is told of those that find nothing."""

    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Rank:
    """Wanted: which items of the phone matter for this query now; answered by the best of them, best first."""

    query: str


@dataclass(frozen=True)
class Check:
    """Wanted: whether these actions would be understood. Nothing is done, nobody is asked.

    Answered by one observation for each: `call` normalised, or `error`. This is what lets a strategy draft actions,
    hear that a receiver is unknown, think again, and still act only once, at its end.
    """

    agent: Agent
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Tell:
    """Wanted: the answer to what this turn asks, which an answer program makes of the phone's records.

    `otherwise`: what is told where it asks nothing by its form and no record is found; "" to say that none is.
    """

    turn: Turn
    otherwise: str = ""


Want = Think | Act | Seek | Rank | Check | Tell


def orchestrate(
    query: str, history: tuple[Turn, ...], setting: Setting, limits: Limits = USUAL
) -> Generator[Want, Any, Turn]:
    """Solve one query. Yields `Want`, is sent `str` for `Think` and `Tell`, `tuple[Relevant, ...]` for `Rank` and
    `tuple[Observation, ...]` for the others, returns the turn.

    The response of the turn is the model's own where no action was called, and empty otherwise: code composes it.
    """
    turn = Turn(query)
    base = _opening(query, history, setting)
    pointed = pointed_at(query, history, setting.toolbox) if limits.refers else ()
    if pointed:
        turn = yield from _look_back(turn, pointed)
    tells = limits.tells and setting.form not in TOLD
    idle = tells and nothing_asked(query, history, setting.toolbox) is not None  # no action could pass the gate
    must = False  # call something, as a question back was for what had been said
    while True:
        prompt = base + tuple(part for step in turn.steps for part in render_step(step, query, setting))
        name = yield Think(
            Agent.HIGH_ORDER,
            prompt,
            agent_grammar(_next(turn, setting, limits)),
            8,
        )
        agent = Agent(name.strip())
        chosen = (*prompt, Segment(agent.value, trained=True))
        if agent is Agent.TASK and idle and not must:
            written: tuple[Call, ...] = ()
        else:
            written = yield from _write_calls(agent, chosen, turn, history, setting, limits, must)
        # A large model knows better than words do, and a follow-up leaves unsaid what it asks for.
        if agent is Agent.TASK and limits.plausible and setting.form not in TOLD and not history:
            if missing := absent_app(query, written, setting.toolbox):
                return replace(turn, steps=(*turn.steps, Step(agent)), response=missing)
            written = plausible(written, query)
        calls, before = _without_repeats(written, turn), turn
        question = ""
        if agent is Agent.TASK and limits.refers:
            calls = instead(calls, turn, history, setting.toolbox, setting.now)
            calls = put_right(calls, turn, pointed, history, setting.toolbox, setting.now)
            calls = completed(calls, turn, setting.toolbox, setting.now)
        unknown = agent is Agent.TASK and limits.recalls and not pointed and nothing_known(turn)
        if unknown and (recalled := (yield from _recall(calls, turn, setting))):
            turn = replace(turn, steps=(*turn.steps, recalled))
            continue  # with this in sight other experts may come first
        if agent is Agent.TASK:
            calls, question = settle_people(calls, turn, history, setting.toolbox)
            question = question or lacks_time(turn, history, setting.toolbox, setting.now)
        if question and tells and only_asks(query, bool(history)):
            return replace(turn, response=(yield Tell(turn)))
        if question:  # nothing is done before it is clear for whom, and when
            return replace(turn, steps=(*turn.steps, Step(agent)), response=question)
        if agent is Agent.TASK and limits.refers:
            calls = yield from _understood(calls, turn, setting)
        observations = (yield Act(agent, calls)) if calls else ()
        turn = replace(turn, steps=(*turn.steps, Step(agent, calls, observations)))
        if limits.seeks and (others := (yield from _seek(turn, setting))):
            observations = yield Act(agent, others)
            turn = replace(turn, steps=(*turn.steps, Step(agent, others, observations, taught=False)))
        if agent is Agent.TASK and calls and all(each.unasked for each in observations):
            turn = replace(before, steps=(*before.steps, Step(agent)))  # a question: it is answered
        elif agent is Agent.TASK and calls:
            return turn
        if agent is Agent.TASK:
            if tells and not must and asks_to_be_told(query, bool(history)):
                return replace(turn, response=(yield Tell(turn)))
            answer = yield from _write_answer(base, turn, setting, limits)
            in_vain = asks_in_vain(answer, query, setting.now) or asks_whom_in_vain(answer, turn)
            if must or not limits.refers or not in_vain:
                if setting.form not in TOLD:
                    answer = asked_back(
                        answer, _said(turn, history), tuple(observations_of(turn)), _apps(setting), setting.now.year
                    )
                    if tells and answer == NOT_UNDERSTOOD:
                        answer = yield Tell(turn, NOT_UNDERSTOOD)
                return replace(turn, response=answer)
            turn, must = before, True


def _said(turn: Turn, history: tuple[Turn, ...]) -> str:
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


def _recall(calls: tuple[Call, ...], turn: Turn, setting: Setting) -> Generator[Want, Any, Step | None]:
    """A step that looks up the items that matter now; None where these calls can be done, or no item is sure."""
    if calls and all(found.error is None for found in (yield Check(Agent.TASK, calls))):
        return None
    tools, looked_up = setting.toolbox.of(Agent.CONTEXT), []
    for item in sure_of((yield Rank(turn.query))):
        tries = look_ups(item, tools)
        if tries and (call := finding(item, tries, (yield Seek(tries)))):
            looked_up.append(call)
    fresh = _without_repeats(tuple(looked_up), turn)
    return Step(Agent.CONTEXT, fresh, (yield Act(Agent.CONTEXT, fresh)), taught=False) if fresh else None


def _understood(calls: tuple[Call, ...], turn: Turn, setting: Setting) -> Generator[Want, Any, tuple[Call, ...]]:
    """The calls, those that the phone would not understand with the names of what was found, where words mean that."""
    named = tuple(as_found(call, turn, setting.toolbox) for call in calls)
    if named == calls:
        return calls
    seen = yield Check(Agent.TASK, calls)
    return tuple(other if each.error else call for call, other, each in zip(calls, named, seen, strict=True))


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
    prompt = base + tuple(part for step in turn.steps for part in render_step(step, turn.query, setting))
    answer = yield Think(Agent.TASK, prompt, line_grammar(), limits.answer_tokens)
    return whole_question(str(answer).strip(), turn)


def _without_repeats(calls: tuple[Call, ...], turn: Turn) -> tuple[Call, ...]:
    """Drop calls made before in this turn, and twins within one list: nothing is looked up or done twice."""
    seen = {call_key(call) for step in turn.steps for call in step.calls}
    fresh = []
    for call in calls:
        if call_key(call) not in seen:
            seen.add(call_key(call))
            fresh.append(call)
    return tuple(fresh)


def call_key(call: Call) -> tuple[str, str]:
    """Equal for calls that are the same but for the order of their arguments."""
    return call.name, repr(sorted(call.arguments.items()))


def observations_of(turn: Turn) -> Iterator[Observation]:
    for step in turn.steps:
        yield from step.observations
