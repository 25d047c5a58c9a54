"""The one renderer: a trajectory becomes a prompt, the same for running and for training.

A prompt is a tuple of segments (`camphor.types.Segment`), each tokenised on its own. The history only grows, and what
is particular to an agent (its name, then its calls) stands at the end of it, so no token is evaluated twice in a query.

    <|im_start|>system
    Apps: calendar, contacts                      apps whose tools a tuned model knows by heart
    set_job_status(job_id, status: open|done): Change a job's status.      tools of every other app
    Now: Thu 12 Mar 2026 08:45, Dublin<|im_end|>
    <|im_start|>user
    ...<|im_end|>
    <|im_start|>assistant
    personal_context [get_contacts_information(keyword="travel buddy")]
    = name: Alice Johnson; phone_number: 555-123-4567
    task_completion [send_imessage_message(receiver="Alice Johnson", content="I'll be late")]
    Message to Alice Johnson sent.<|im_end|>

CAMPHOR section 3.2 writes an agent's prompt as f(instruction, history, tool definitions). Here all that is fixed comes
first and is shared by the agents, the history follows, and the agent's name is all that is particular to its turn. How
much is fixed is the `Form`: the four of the paper's Table 4, the names of apps that a tuned model knows by heart, and
function tokens with hints, which are the query's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from camphor.agents.display import fit_records, show_record
from camphor.agents.instructions import instructions
from camphor.device.when import show_time
from camphor.tools.calls import render_calls
from camphor.tools.tool import Tool, Toolbox
from camphor.types import Agent, Prompt, Segment, Step, Trajectory, Turn

SYSTEM, USER, ASSISTANT, END = "<|im_start|>system\n", "<|im_start|>user\n", "<|im_start|>assistant\n", "<|im_end|>"
OBSERVATION_CHARACTERS = 700  # about 220 tokens: six contacts, or four mails


class Form(StrEnum):
    """What a prompt says before the history (CAMPHOR, Table 4)."""

    FULL = "full"
    """Task, instructions of every agent, all definitions, worked examples: for a large model that was not tuned."""
    INSTRUCTED = "instructed"
    """Instructions and definitions."""
    DEFINITIONS = "definitions"
    """Full definitions of the tools that differ from phone to phone, nothing else."""
    COMPRESSED = "compressed"
    """The same definitions, each as one function token."""
    HINTED = "hinted"
    """Function tokens, and in words the tools of apps that a tuned model does not know. Not in the paper."""
    NAMES = "names"
    """Known apps by name, short definitions of the others' tools. Not in the paper."""


@dataclass(frozen=True)
class Setting:
    """What is fixed during one query: whose device it is, what can be called there, and how it is written down.

    `known` are the apps whose tools the model was tuned on; of the others `Form.NAMES` has short definitions. `hints`
    are those of the others' tools that `Form.HINTED` puts in words (`tool_priors`); None for all, as in training.
    `leaning` has nats by tool for the query (`agents.tool_priors`). `owner`: whose phone it is; `context`: the most
    tokens of a chat model's conversation; `remembered`: what the person told before that the query may need; `meant`:
    the person or thing that they picked when asked which they mean.
    """

    toolbox: Toolbox
    now: datetime
    place: str = ""
    known: frozenset[str] = frozenset()
    form: Form = Form.NAMES
    hints: frozenset[str] | None = None
    leaning: Mapping[str, float] = field(default_factory=dict)
    owner: str = ""
    context: int = 0
    remembered: tuple[str, ...] = ()
    meant: str = ""


TOKENISED = (Form.COMPRESSED, Form.HINTED)  # the forms with function tokens, which are not text
TOLD = (Form.FULL, Form.INSTRUCTED)  # those that tell a model how to work: it was not tuned, a large one as a rule
DYNAMIC = (Agent.CONTEXT, Agent.TASK)  # whose tools come from the installed apps; the others' are always the same


def render(trajectory: Trajectory, setting: Setting) -> Prompt:
    """The whole conversation, with every turn closed: what a training sample is made of."""
    segments = list(render_system(setting))
    for turn in trajectory.history:
        segments += render_turn(turn, setting, trained=True)
    segments += render_turn(trajectory.turn, setting, trained=True)
    while segments and not segments[-1].trained:  # nothing after the last word of the model is left to learn
        segments.pop()
    return tuple(segments)


def render_system(setting: Setting) -> Prompt:
    """Everything before the first query; the clock stands last so that all before it can be cached for a toolbox.

    With hints, so can the function tokens alone.
    """
    now = setting.now
    clock = f"Now: {show_time(now, 0)}" + (f", {setting.place}" if setting.place else "")
    return (
        *(Segment(text, compressed=True) for text in function_tokens(setting)),
        Segment(SYSTEM, special=True),
        Segment(_tool_text(setting)),
        Segment(clock),
        Segment(END + "\n", special=True),
    )


def render_turn(turn: Turn, setting: Setting, *, trained: bool) -> list[Segment]:
    segments = [*open_turn(turn.query)]
    for step in turn.steps:
        segments += render_step(step, turn.query, setting, trained=trained)
    answered_by_model = not (turn.steps and turn.steps[-1].agent is Agent.TASK and turn.steps[-1].calls)
    segments += [
        Segment(turn.response, trained=trained and answered_by_model),
        Segment(END, trained=trained and answered_by_model, special=True),
        Segment("\n", special=True),
    ]
    return segments


def open_turn(query: str) -> Prompt:
    return (Segment(USER, special=True), Segment(query), Segment(f"{END}\n{ASSISTANT}", special=True))


def render_step(step: Step, query: str, setting: Setting, *, trained: bool = True) -> Prompt:
    """One expert's turn: its name as the orchestrator chose it, its calls, and what came back."""
    trained = trained and step.taught
    fixed = step.agent is Agent.PERCEPTION  # one tool without parameters: code writes the call (CAMPHOR, Appendix B)
    return (
        Segment(step.agent.value, trained=trained),
        Segment(" " + render_calls(step.calls), trained=trained and not fixed),
        Segment(_observation_text(step, query, setting.now.year)),
    )


def function_tokens(setting: Setting) -> tuple[str, ...]:
    """The definitions that stand in the prompt as one vector each."""
    return _dynamic_definitions(setting) if setting.form in TOKENISED else ()


def available_agents(toolbox: Toolbox) -> list[Agent]:
    """The experts that can do something on this device; task completion is always there, because it also answers."""
    return [agent for agent in Agent if agent is Agent.TASK or (agent is not Agent.HIGH_ORDER and toolbox.of(agent))]


def _tool_text(setting: Setting) -> str:
    if setting.form is Form.NAMES:
        lines = _names(setting)
    elif setting.form is Form.COMPRESSED:
        lines = []
    elif setting.form is Form.HINTED:
        lines = [
            tool.definition() for tool in unknown_tools(setting) if setting.hints is None or tool.name in setting.hints
        ]
    elif setting.form is Form.DEFINITIONS:
        lines = list(_dynamic_definitions(setting))
    else:
        lines = instructions(setting.toolbox, available_agents(setting.toolbox), examples=setting.form is Form.FULL)
    return "".join(line + "\n" for line in lines)


def _names(setting: Setting) -> list[str]:
    apps = sorted({tool.app for tool in setting.toolbox if tool.app and tool.app in setting.known})
    lines = ["Apps: " + ", ".join(apps)] if apps else []
    return lines + [tool.definition() for tool in unknown_tools(setting)]


def unknown_tools(setting: Setting) -> list[Tool]:
    """The tools of apps that a tuned model does not know by heart."""
    return [tool for tool in setting.toolbox if tool.app and tool.app not in setting.known]


def _dynamic_definitions(setting: Setting) -> tuple[str, ...]:
    return tuple(tool.full_definition() for agent in DYNAMIC for tool in setting.toolbox.of(agent))


def _observation_text(step: Step, query: str, year: int) -> str:
    wanted = set(re.findall(r"\w+", query.casefold()))
    lines = []
    for observation in step.observations:
        if observation.error is not None:
            lines.append(f"= error: {observation.error}")
            continue
        if step.agent is Agent.TASK:  # what was done stands in the answer
            continue
        shown = [show_record(record, year) for record in observation.records]
        kept, left_out = fit_records(shown, wanted, OBSERVATION_CHARACTERS)
        lines += [f"= {shown[position]}" for position in kept] or ["= nothing found"]
        if left_out:
            lines.append(f"= ({left_out} more)")
    return "\n" + "".join(line + "\n" for line in lines)
