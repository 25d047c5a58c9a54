"""What a language model is asked: samples of one function or of several, with examples; the words are ours.

The requirements are those of DroidCall's Appendix A: varied words and kinds of sentences, every use of the function and
its parameters, queries that the functions can solve, complete answers, optional parameters may be left out, the form of
the examples, values that follow from the query alone, ids from 0 and "#id" for an earlier result; of several functions
all are used, one may be used again, and results are passed on where that makes sense. Ours are the clock, the voice
and, for models that follow one, a grammar.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from camphor.device.when import show_time
from camphor.errors import ContextFull
from camphor.models.base import LanguageModel, Request
from camphor.tools.listing import to_listing
from camphor.tools.plan_grammar import plan_grammar
from camphor.tools.tool import Tool
from camphor.types import Prompt
from camphor_lab.datasets.instruct.sampler import Example
from camphor_lab.datasets.llm.queries import VOICES, two_turns

__all__ = ["VOICES", "SampleBrief", "Stage", "request_for"]

TOKENS_A_CALL, TOKENS_A_QUERY = 70, 50
_QUERY = r'/[^"\\\x00-\x1f\x7f]{8,240}/'  # a query under a grammar: nothing that JSON writes as an escape
MOST_CALLS = 4  # of a complex sample under a grammar


class Stage(StrEnum):
    """Where the examples come from: other data, or what was accepted so far."""

    SEED = "seed"
    SELF = "self-instruct"


@dataclass(frozen=True)
class SampleBrief:
    """What one prompt asks for.

    Args:
        tools: one function for simple samples, two or three for complex ones. complex: which of the two.
        count: how many samples. examples: shown, in this order. voice: how the people in them speak.
    """

    tools: tuple[Tool, ...]
    complex: bool
    stage: Stage
    count: int
    examples: tuple[Example, ...]
    voice: str
    now: datetime


TASK = "You write training samples for an assistant that answers requests by calling functions."
_RULES = (
    "No two queries resemble each other: change the words, the grammar, the length and the amount of detail.",
    "People ask in many ways: orders, questions, wishes, a situation that is told, a few hurried words.",
    "Taken together the samples show all that {it} can do: every parameter occurs, with values of many kinds.",
    "{It} alone must be enough to do what a query asks.",
    "Each query has its answers: the functions that are called and the value of every parameter that is given.",
    "A parameter that is not required is left out wherever the query says nothing of it.",
    "Every value is said in the query, or follows from it without guessing. No value is made up: no name, number, "
    "address, time or text that the query does not tell. A query tells all that the required parameters need.",
    'Calls have ids that count from 0. A later call may take the result of an earlier one: "#0" as the value stands '
    "for the result of call 0.",
    "Queries are what a person says: no names of functions or parameters, no blanks to fill in.",
)
_COMPLEX_RULES = (
    "Every query needs all of the functions above, and its answers call each of them.",
    "A function may be called more than once for a query.",
    "Where it makes sense, hand the result of one call to another one as an argument.",
)
_FORM = '{"query": "...", "answers": [{"id": 0, "name": "...", "arguments": {...}}]}'
# Where no other data is given: functions that no one has here, so that nothing of them can be copied.
_BUILT_IN = {
    False: (
        Example(
            "The guest room feels chilly, could you bring it up to twenty-one?",
            [{"id": 0, "name": "set_room_temperature", "arguments": {"room": "guest room", "celsius": 21}}],
        ),
        Example(
            "lights off downstairs",
            [{"id": 0, "name": "switch_lights", "arguments": {"place": "downstairs", "on": False}}],
        ),
    ),
    True: (
        Example(
            "Find out which train leaves first for Utrecht and book me two seats on it",
            [
                {"id": 0, "name": "next_train", "arguments": {"destination": "Utrecht"}},
                {"id": 1, "name": "book_seats", "arguments": {"train": "#0", "seats": 2}},
            ],
        ),
        Example(
            "water the ferns for ten minutes, then close the greenhouse roof",
            [
                {"id": 0, "name": "run_sprinkler", "arguments": {"plants": "ferns", "minutes": 10}},
                {"id": 1, "name": "move_roof", "arguments": {"closed": True}},
            ],
        ),
    ),
}


def request_for(model: LanguageModel, brief: SampleBrief, *, constrained: bool) -> Request:
    """The request of a brief, with as many examples and samples as the model's context holds.

    Args:
        constrained: whether the model follows grammars: then it can write nothing but whole samples of these functions.

    Raises:
        ContextFull: not even one sample without examples fits.
    """
    calls = len(brief.tools) + 1 if brief.complex else 1
    for shown, count in _sizes(len(brief.examples), brief.count):
        tokens = count * (TOKENS_A_QUERY + TOKENS_A_CALL * calls)
        prompt = _lay_out(brief, brief.examples[:shown], count)
        if sum(model.count_tokens(segment.text) for segment in prompt) + tokens <= model.context:
            return Request(prompt, grammar(brief, count) if constrained else None, tokens)
    raise ContextFull(
        f"a prompt for {', '.join(tool.name for tool in brief.tools)} does not fit the {model.context:,} tokens of the "
        "model's context: shorten the functions' descriptions, or use a model with a longer one"
    )


def _sizes(examples: int, count: int) -> Sequence[tuple[int, int]]:
    sizes = [(examples, count), (examples // 2, count), (examples // 2, -(-count // 2)), (1, -(-count // 4)), (0, 1)]
    return list(dict.fromkeys(sizes))


def grammar(brief: SampleBrief, count: int) -> str:
    """What a list of so many samples of a brief's functions looks like, as a Lark grammar."""
    plan = plan_grammar(
        brief.tools,
        code=False,
        most=max(MOST_CALLS, len(brief.tools)) if brief.complex else 1,
        may_be_empty=False,
        may_refer=brief.complex,
    )
    rules = re.sub(r"^start:", "plan:", plan, count=1, flags=re.MULTILINE)
    samples = ' ",\\n" '.join(["sample"] * count)
    head = f'start: "[" {samples} "]"\nsample: "{{\\"query\\": \\"" QUERY "\\", \\"answers\\": " plan "}}"\n'
    return f"{head}QUERY: {_QUERY}\n{rules}"


def _lay_out(brief: SampleBrief, examples: Sequence[Example], count: int) -> Prompt:
    several = len(brief.tools) > 1
    words = {"it": "they" if several else "it", "It": "These functions" if several else "This function"}
    rules = [rule.format(**words) for rule in _RULES] + list(_COMPLEX_RULES if brief.complex else ())
    shown = examples or (_BUILT_IN[brief.complex] if brief.stage is Stage.SEED else ())
    foreign = brief.stage is Stage.SEED
    lines = [
        f"It is {show_time(brief.now, 0)}.",
        "These are the functions:" if several else "This is the function:",
        *(f"tool: {json.dumps(to_listing(tool), ensure_ascii=False)}" for tool in brief.tools),
        "What the samples must be like:",
        *(f"{number}. {rule}" for number, rule in enumerate(rules, 1)),
        *(
            ["Samples of other functions, for their form alone:" if foreign else "Samples that are there already:"]
            if shown
            else []
        ),
        *(example.text(with_tools=foreign) for example in shown),
        f"Write {count} new samples{' for these functions' if several else ' for this function'}, by people who speak "
        f"{brief.voice}. Give nothing but a JSON list of them, each in this form:",
        _FORM,
        "Once more: "
        + ("each query is answered with all the functions, and " if brief.complex else "")
        + "no value may be made up.",
    ]
    return two_turns(TASK, lines)
