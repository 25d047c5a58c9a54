"""The planner: from a request, the tools found for it and the items it is about to one call (Context Tuning, 3.4).

Prompt and answer are those of function calling in its compact form, with the items behind the clock:

    <|im_start|>system
    get_event_details(title): When and where an event is, who takes part, and its notes.
    call_contact(contact): Ring a person or service that is known by name.
    Now: Mon 16 Mar 2026 21:05
    calendar: Guitar class, Tue 17 Mar 18:00, Studio 3, Ana Silva<|im_end|>
    <|im_start|>user
    when do I have to be there?<|im_end|>
    <|im_start|>assistant
    result0 = get_event_details(title="Guitar class")<|im_end|>

Decoding is constrained: exactly one call, of a tool that there is, whose texts are whole values of the items or words
of the request. A tool that does not exist cannot be called, and a title cannot be misspelt.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from camphor.agents.calling.caller import Caller, Planned
from camphor.agents.calling.prompts import CallForm
from camphor.models.base import LanguageModel
from camphor.tools.tool import Tool
from camphor_lab.context.background import Shown, background_of

FORM = CallForm.COMPACT
MOST_TOKENS = 160
"""Of one call; the longest of the training set, a message with its event, has some 60."""


class Planner:
    """Makes plans of one call, with any language model.

    Args:
        model: completes the prompts. tools: all that can be called.
    """

    def __init__(self, model: LanguageModel, tools: Iterable[Tool]) -> None:
        self.model, self.tools = model, tuple(tools)

    def plan(
        self, query: str, now: datetime, tools: Iterable[Tool] | None = None, items: Iterable[Shown] = ()
    ) -> Planned:
        """The call that does what a request means.

        Args:
            tools: those found for the request, the best first. None shows none: the model must know from its training
                which there are, and any can be called ("direct plan generation", section 4.3).
            items: what the request is about, the most relevant first.

        Raises:
            ModelMissing, ModelError: nothing answers. That the prompt does not fit is a problem of the request.
        """
        caller = Caller(
            self.model,
            self.tools if tools is None else tuple(tools),
            FORM,
            may_be_empty=False,
            most=1,
            max_tokens=MOST_TOKENS,
            shown=tools is not None,
        )
        return caller.plan(query, now, background_of(items, now))
