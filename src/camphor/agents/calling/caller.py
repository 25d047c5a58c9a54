"""From a request to a plan of calls: prompt, completion, reading, times, types (DroidCall, sections 3.3 and 4).

What a model writes may be anything; what cannot be used becomes a `problem`, a sentence for a person, never a crash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from camphor.agents.calling.numbers import NumbersSaid
from camphor.agents.calling.prompts import CallForm, Examples, read_answer, render_query
from camphor.agents.calling.times import settle_times, words_of_time
from camphor.errors import ContextFull, ToolError
from camphor.models.base import Finish, LanguageModel, Request, Timing
from camphor.tools.plan_grammar import plan_grammar
from camphor.tools.plans import Plan, check, without_repeats
from camphor.tools.tool import Tool, Toolbox

_SPOKEN_DOT = re.compile(r"(?<=[\w-])\s+dot\s+(?=\w)", re.IGNORECASE)  # "ana@example dot org", as dictated

MOST_CALLS = 6
MOST_TOKENS = 512
"""Of one answer; three calls of DroidCall with all their arguments take some 200."""


@dataclass(frozen=True)
class PlannedCalls:
    """What came of one request.

    Args:
        plan: calls that can be executed, times as ISO 8601 and values in their types; empty where there is a problem.
        text: what the model wrote.
        problem: why there is no plan that can be executed; None where there is one, which may be empty.
        written: the calls as far as they could be read and settled, also those that a problem was found in.
        tools: names of the functions that the model was shown.
    """

    plan: Plan
    text: str = ""
    problem: str | None = None
    timing: Timing = field(default_factory=Timing)
    written: Plan = ()
    tools: tuple[str, ...] = ()


@dataclass(frozen=True)
class Background:
    """What is known beside a request.

    Args:
        lines: for the prompt. values: what a call may copy, whole, beside words of the request.
    """

    lines: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


class Caller:
    """Turns requests into plans, with any language model.

    Args:
        model: completes the prompts. tools: those that can be called, or what finds those for a request.
        form: how functions are shown and calls are written. examples: for few-shot prompting.
        constrained: whether a grammar keeps the model to tools, parameters, types and results that there are. A model
            behind a server pays no heed to it.
        may_be_empty: whether the grammar allows that nothing is called. most: the largest number of calls it allows.
        max_tokens: of one answer. shown: whether prompts show the tools; a tuned model may know them.
        copied: whether the grammar makes texts words of the request, or one word; None for where the form is compact,
            which is what a model was taught to copy in. Functions whose arguments must be composed need False.
    """

    def __init__(
        self,
        model: LanguageModel,
        tools: Iterable[Tool] | Callable[[str], Iterable[Tool]],
        form: CallForm = CallForm.COMPACT,
        examples: Examples = (),
        *,
        constrained: bool = True,
        may_be_empty: bool = True,
        most: int = MOST_CALLS,
        max_tokens: int = MOST_TOKENS,
        shown: bool = True,
        copied: bool | None = None,
    ) -> None:
        self.model, self.form, self.examples = model, form, tuple(examples)
        self.constrained, self.may_be_empty, self.most, self.max_tokens = constrained, may_be_empty, most, max_tokens
        self.shown = shown
        self.copied = form is CallForm.COMPACT if copied is None else copied
        self._retrieve: Callable[[str], Iterable[Tool]]
        if callable(tools):
            self._retrieve = tools
        else:
            fixed = tuple(tools)
            self._retrieve = lambda query: fixed

    def plan(self, query: str, now: datetime | None = None, background: Background | None = None) -> PlannedCalls:
        """The calls that do what a request asks for.

        Args:
            now: the clock of the person who asks; without one, words of time are a problem.
            background: what the prompt tells beside the request. With one, a call's texts are copied from it or from
                the request.

        Raises:
            ModelMissing, ModelError: nothing answers. That the prompt does not fit is a problem of the request.
        """
        toolbox = Toolbox(self._retrieve(query))
        names = tuple(tool.name for tool in toolbox) if self.shown else ()
        lines = background.lines if background else ()
        request = Request(
            render_query(query, toolbox if self.shown else (), self.form, now, self.examples, lines),
            self._grammar(toolbox, query, now, background) if self.constrained else None,
            self.max_tokens,
        )
        try:
            reply = self.model.complete(request)
        except ContextFull as error:
            return PlannedCalls((), problem=str(error), tools=names)
        if reply.finish is Finish.LENGTH:
            problem = f"the answer broke off after {reply.timing.generated_tokens or self.max_tokens} tokens"
            return PlannedCalls(
                (), reply.text, f"{problem}: allow more, or ask for less at a time", reply.timing, (), names
            )
        plan, written, trouble = self._settled(reply.text, toolbox, now)
        return PlannedCalls(plan, reply.text, trouble, reply.timing, written, names)

    def _grammar(self, toolbox: Toolbox, query: str, now: datetime | None, background: Background | None) -> str:
        return answer_grammar(
            toolbox,
            query,
            self.form,
            now,
            background,
            most=self.most,
            may_be_empty=self.may_be_empty,
            copied=self.copied,
        )

    def _settled(self, text: str, toolbox: Toolbox, now: datetime | None) -> tuple[Plan, Plan, str | None]:
        """The plan that can be executed, as far as it got, and what kept it from that."""
        try:
            read = without_repeats(read_answer(text, self.form, toolbox))
        except ToolError as error:
            return (), (), str(error)
        written: Plan = ()
        problem = None
        for call in read:
            try:
                written += settle_times((call,), toolbox, now)
            except ToolError as error:
                written, problem = (*written, call), problem or str(error)
        try:
            checked = check(written, toolbox)
        except ToolError as error:
            return (), written, problem or str(error)
        return (() if problem else checked), checked, problem


def answer_grammar(
    tools: Iterable[Tool],
    query: str,
    form: CallForm = CallForm.COMPACT,
    now: datetime | None = None,
    background: Background | None = None,
    *,
    most: int = MOST_CALLS,
    may_be_empty: bool = True,
    copied: bool = True,
) -> str:
    """What an answer to a request may be, as Lark text; arguments as of `Caller` and `Caller.plan`."""
    shown = tuple(tools)
    coined = background is None and copied
    roles = (parameter.role for tool in shown for parameter in tool.parameters)
    return plan_grammar(
        shown,
        code=not form.is_json,
        most=most,
        may_be_empty=may_be_empty,
        values=background.values if background else () if copied else None,
        said=f"{query}\n{_SPOKEN_DOT.sub('.', query)}",
        coined=coined,
        worded=words_of_time(query, roles, now) if coined else None,
        numbers=NumbersSaid(query).allowed if coined else None,
    )
