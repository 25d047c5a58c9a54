"""Grammars of plans: complete for what is written, and closed to everything else."""

from __future__ import annotations

import pytest
from hypothesis import given

from camphor.models.constraint import accepts
from camphor.tools.call_formats import NO_CALL, write_code, write_json
from camphor.tools.plan_grammar import plan_grammar
from camphor.tools.plans import Plan, Reference, check
from camphor.tools.tool import Parameter
from camphor.tools.toolbox import Toolbox
from camphor.types import Call
from tests.doubles.plans import FIND, PLACE, RING, SEND, TOOLS, UNHURRIED, make, plans
from tests.doubles.vocabulary import Vocabulary, follow

CODE, JSON = plan_grammar(TOOLS), plan_grammar(TOOLS, code=False)
LOOK = Call("find", {"name": "Ana", "key": "email"})
NESTED: Plan = (LOOK, Call("send", {"to": ["a@b", Reference(0)], "body": "x"}))


def test_a_small_number_in_plain_digits_is_accepted() -> None:
    plan = (Call("place-it", {"at": {"street": "0"}, "weight": 1.3544617801210134e-19}),)
    assert accepts(CODE, write_code(plan, TOOLS)), write_code(plan, TOOLS)


@UNHURRIED
@given(plans())
def test_all_that_is_written_for_a_plan_is_accepted(plan: Plan) -> None:
    assert accepts(CODE, write_code(plan, TOOLS)), write_code(plan, TOOLS)
    assert accepts(JSON, write_json(plan, TOOLS)), write_json(plan, TOOLS)


def test_the_nested_plan_of_both_forms() -> None:
    assert check(NESTED, Toolbox(TOOLS)) == NESTED
    assert accepts(CODE, write_code(NESTED))
    assert accepts(JSON, write_json(NESTED))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sure",
        "ring()",
        "result1 = ring()",
        "result0 = ring()\n",
        "result0 = ring()\nresult2 = ring()",
        "result0 = rang()",
        'result0 = find(name="Ana")',
        'result0 = find(name="Ana", key="fax")',
        'result0 = find(key="email", name="Ana")',
        'result0 = find(name="Ana", key="email", age=3)',
        'result0 = find(name=result0, key="email")',
        'result0 = find(name="Ana", key="email")\nresult1 = find(name=result1, key="email")',
        'result0 = find(name=3, key="email")',
        'result0 = find(name="", key="email")',
        'result0 = send(to=["a"], body="x", copies=1.5)',
        'result0 = send(to="a", body="x")',
        'result0 = place-it(at={"zip": 3})',
        'result0 = place-it(at={"street": "x", "door": 3})',
    ],
)
def test_code_that_would_be_wrong_cannot_be_written(text: str) -> None:
    assert not accepts(CODE, text)


def test_json_that_would_be_wrong_cannot_be_written() -> None:
    right = write_json(NESTED)
    assert accepts(JSON, right)
    for old, new in [
        ("#0", "#1"), ("#0", "#5"), ('"id": 1', '"id": 2'), ("send", "sned"), ('"email"', '"fax"'), ('"Ana"', "3"),
        (', "key": "email"', ""), ('"body"', '"text"'), ("}]", "}"), ('"Ana"', '"#0"'),
    ]:  # fmt: skip
        assert not accepts(JSON, right.replace(old, new)), new
    assert accepts(JSON, right.replace("#0", "#77"))  # a text like any other


def test_a_plan_ends_where_it_may_and_has_no_more_calls_than_allowed() -> None:
    for code, write in ((True, write_code), (False, write_json)):
        grammar = plan_grammar([RING], code=code, most=2)
        assert [accepts(grammar, write((Call("ring"),) * count)) for count in range(4)] == [True, True, True, False]
        some = plan_grammar([RING], code=code, may_be_empty=False)
        assert not accepts(some, write(()))
        assert accepts(plan_grammar([], code=code), write(()))


def test_results_are_taken_only_where_one_can_fit() -> None:
    plan = (LOOK, Call("send", {"to": [Reference(0)], "body": "x"}))
    send = make("send", *SEND.parameters, result="null")
    assert accepts(plan_grammar([FIND, send]), write_code(plan))
    assert accepts(plan_grammar([make("find", *FIND.parameters), send]), write_code(plan))  # it does not say
    assert not accepts(plan_grammar([make("find", *FIND.parameters, result="boolean"), send]), write_code(plan))
    without = plan_grammar(TOOLS, may_refer=False)
    assert not accepts(without, write_code(NESTED))


def test_bounds_and_a_tool_that_cannot_be_called() -> None:
    volume = make("volume", Parameter("level", "integer", minimum=0, maximum=10))
    broken = make("broken", Parameter("level", "integer", minimum=0.2, maximum=0.8))
    grammar = plan_grammar([volume, broken])
    assert accepts(grammar, "result0 = volume(level=10)")
    assert not accepts(grammar, "result0 = volume(level=11)")
    assert not accepts(grammar, "result0 = broken(level=0)")
    assert accepts(plan_grammar([broken]), NO_CALL)
    assert accepts(plan_grammar([PLACE]), 'result0 = place-it(at={"street": "x", "zip": 3}, weight=1.25)')


def test_code_is_forced_in_the_tokens_that_a_model_is_trained_on() -> None:
    vocabulary = Vocabulary()
    try:
        forced = follow(vocabulary.tokenizer, CODE, write_code(NESTED, TOOLS))
    finally:
        vocabulary.close()
    assert sum(forced) > len(forced) / 3
