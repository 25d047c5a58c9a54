"""What the health data teaches can be written: the grammars of planner and caller allow every turn of every flow."""

from __future__ import annotations

import pytest
from llguidance import LLMatcher, LLTokenizer

from camphor.agents.health.case import SPECIALISTS, Called, PlannerTurn, case_from_json
from camphor.agents.health.loop import caller_grammar, planner_grammar
from camphor.agents.health.prompts import caller_text, planner_text
from camphor_lab.datasets.health.cases import draw
from camphor_lab.datasets.health.diseases import read_diseases
from camphor_lab.datasets.health.flows import UseCase
from camphor_lab.training.health import shuffled_tools


def writes(grammar: str, text: str) -> bool:
    matcher = LLMatcher(LLTokenizer("byte"), LLMatcher.grammar_from_lark(grammar), log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return bool(matcher.consume_tokens(list(text.encode())) and matcher.is_accepting())


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("use_case", UseCase)
def test_the_grammars_allow_every_turn(use_case: UseCase, number: int) -> None:
    record, _ = draw("train", use_case, number, 7, read_diseases())
    case, tools = case_from_json(record), shuffled_tools(record["id"])
    for place, turn in enumerate(case.turns):
        before = case.before(place)
        if isinstance(turn, PlannerTurn):
            text, grammar = planner_text(turn), planner_grammar(before, may_close=turn.closes)
        elif isinstance(turn, Called):
            text, grammar = caller_text(turn.call, tools), caller_grammar(before, tools, SPECIALISTS)
        else:
            continue
        assert writes(grammar, text), text
