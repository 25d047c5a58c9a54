"""Prompts of one request, in DroidCall's four forms and in ours, and the answers that belong to them.

The paper's forms have the same parts (section 4.1, Appendix B): task instructions, functions, description of the
output, examples, the request. `json` and `code` have all, their short forms leave instructions and description to
training. Ours, `compact`, has a line a function and the request alone:

    <|im_start|>system
    get_contact_info(name, key): Get information about a contact. key: one of "email", "phone".
    send_email(to: list, subject, body): Write and send an e-mail.
    Now: Thu 12 Mar 2026 08:45<|im_end|>
    <|im_start|>user
    mail Ana that the train is late<|im_end|>
    <|im_start|>assistant
    result0 = get_contact_info(name="Ana", key="email")
    result1 = send_email(to=[result0], subject="Train", body="The train is late.")<|im_end|>
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from camphor.agents.calling.definitions import docstring_definition, json_definition, short_definition
from camphor.agents.prompts import ASSISTANT, END, SYSTEM, USER
from camphor.device.when import show_time
from camphor.tools.call_formats import NO_CALL, read_code, read_json, write_code, write_json
from camphor.tools.plans import Plan
from camphor.tools.tool import COMPUTED, Tool
from camphor.types import Call, Prompt, Segment


class CallForm(StrEnum):
    """How functions are shown, how much is explained, and how calls are written (DroidCall, Table 1)."""

    JSON = "json"
    """Instructions; functions and calls as JSON."""
    CODE = "code"
    """Instructions; functions as docstrings, calls as code."""
    JSON_SHORT = "json_short"
    """The first without instructions."""
    CODE_SHORT = "code_short"
    """The second without instructions."""
    COMPACT = "compact"
    """A line a function, calls as code; times are written in the request's own words. Not in the paper."""

    @property
    def is_json(self) -> bool:
        """Whether calls are written as JSON; else as code."""
        return self in (CallForm.JSON, CallForm.JSON_SHORT)

    @property
    def is_short(self) -> bool:
        """Whether instructions are left out."""
        return self not in (CallForm.JSON, CallForm.CODE)


Examples = Sequence[tuple[str, Plan]]
"""Requests with the plans that answer them."""

_TASK = (
    "You turn what a person asks for into function calls. You are given the request and the functions that can be "
    "called. Find out which of them, one or several, do what is asked, and with which arguments. Every argument comes "
    "from the request; an optional one that the request says nothing about is left out. Never call a function that "
    "does not fit the request. Where no function fits, or the request does not say what a required argument needs, "
    "call nothing. Write the calls and nothing else."
)
_SHORT_TASK = "You turn requests into function calls."
_FUNCTIONS = "These functions can be called:"
_CLOSING = "Answer with the calls in exactly this form. Write no explanation and nothing before or after them."
_JSON_FORMAT = """Calls are written as a JSON list, one object a call, numbered from 0 by "id":
[{"id": 0, "name": "first_function", "arguments": {"text": "some words", "count": 2}}, \
{"id": 1, "name": "second_function", "arguments": {"flag": true}}]
An argument that is what an earlier call gives back is "#" and that call's id. Here the second call uses the first's \
result:
[{"id": 0, "name": "first_function", "arguments": {"text": "some words"}}, \
{"id": 1, "name": "second_function", "arguments": {"source": "#0"}}]
Where nothing is to be called, the list is empty: []"""
_CODE_FORMAT = f"""Calls are written as Python, one call a line, each result under a name of its own:
result0 = first_function(text="some words", count=2)
result1 = second_function(flag=True)
An argument that is what an earlier call gives back is that result's name. Here the second call uses the first's result:
result0 = first_function(text="some words")
result1 = second_function(source=result0)
Where nothing is to be called, write: {NO_CALL}"""


def render_query(
    query: str,
    tools: Iterable[Tool],
    form: CallForm,
    now: datetime | None = None,
    examples: Examples = (),
    background: Sequence[str] = (),
) -> Prompt:
    """The prompt up to where the assistant's turn begins.

    Args:
        tools: those that can be called, in the order in which they are shown.
        now: the clock of the person who asks; None leaves it out.
        examples: for few-shot prompting.
        background: lines on what is known beside the request, such as the items of the phone that it is about.
    """
    roles = {"system": SYSTEM, "user": USER, "assistant": ASSISTANT}
    segments: list[Segment] = []
    for role, text in _turns(query, tuple(tools), form, now, examples, background):
        segments += [Segment(roles[role], special=True), Segment(text), Segment(END + "\n", special=True)]
    return (*segments[:-1], Segment(f"{END}\n{ASSISTANT}", special=True))


def messages(
    query: str,
    tools: Iterable[Tool],
    form: CallForm,
    now: datetime | None = None,
    examples: Examples = (),
) -> list[dict[str, str]]:
    """The same prompt as chat messages, for models that bring their own template."""
    turns = _turns(query, tuple(tools), form, now, examples)
    return [{"role": role, "content": text} for role, text in turns]


def render_answer(plan: Plan, tools: Iterable[Tool], form: CallForm, said: Mapping[str, str] | None = None) -> str:
    """What the assistant writes for a plan.

    Args:
        said: the request's words for values that were computed, by "PLACE.PARAMETER". In the compact form such
            a value is written in them: the model copies, code computes. The paper's forms have the value itself.

    Raises:
        ArgumentError: a value that is not JSON.
    """
    known = tuple(tools)
    if form.is_json:
        return write_json(plan, known)
    return write_code(_as_said(plan, known, said or {}) if form is CallForm.COMPACT else plan, known)


def read_answer(text: str, form: CallForm, tools: Iterable[Tool] = ()) -> Plan:
    """The plan that an assistant wrote; nothing of it is checked against the tools.

    Raises:
        CallSyntaxError: no calls in that form; says what is wrong and where.
    """
    return read_json(text) if form.is_json else read_code(text, tools)


def _as_said(plan: Plan, tools: Sequence[Tool], said: Mapping[str, str]) -> Plan:
    timed = {
        (tool.name, parameter.name) for tool in tools for parameter in tool.parameters if parameter.role in COMPUTED
    }
    return tuple(
        Call(
            call.name,
            {
                name: said.get(f"{place}.{name}", value) if (call.name, name) in timed else value
                for name, value in call.arguments.items()
            },
        )
        for place, call in enumerate(plan)
    )


def _turns(
    query: str,
    tools: Sequence[Tool],
    form: CallForm,
    now: datetime | None,
    examples: Examples,
    background: Sequence[str] = (),
) -> list[tuple[str, str]]:
    """Role and text of each message."""
    clock = f"Now: {show_time(now, 0)}" if now else ""
    answered = [(asked, render_answer(plan, tools, form)) for asked, plan in examples]
    if form is CallForm.COMPACT:
        system = "\n".join([*map(short_definition, tools), *filter(None, [clock]), *background]) or _SHORT_TASK
        shown = [turn for asked, answer in answered for turn in (("user", asked), ("assistant", answer))]
        return [("system", system), *shown, ("user", query)]
    define = json_definition if form.is_json else docstring_definition
    functions = "\n\n".join([_FUNCTIONS, *map(define, tools)])
    shots = "\n\n".join(f"Request: {asked}\n{answer}" for asked, answer in answered)
    explained = "" if form.is_short else _JSON_FORMAT if form.is_json else _CODE_FORMAT
    closing = "" if form.is_short else _CLOSING
    parts = [
        functions,
        explained,
        shots and f"Examples:\n\n{shots}",
        closing,
        clock,
        "\n".join(background),
        f"Request: {query}",
    ]
    system = _SHORT_TASK if form.is_short else _TASK
    return [("system", system), ("user", "\n\n".join(filter(None, parts)))]
