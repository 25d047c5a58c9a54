"""Plans as JSON and as code: what is written is read back, and what is not certain is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from camphor.errors import ArgumentError, CallSyntaxError
from camphor.tools.call_formats import NO_CALL, read_code, read_json, write_code, write_json
from camphor.tools.plans import Plan, Reference
from camphor.types import Call
from tests.doubles.plans import FIND, SEND, TOOLS, UNHURRIED, plans

NESTED: Plan = (
    Call("find", {"name": "Ana", "key": "email"}),
    Call("send", {"to": [Reference(0)], "body": 'She said "hi"\n#1'}),
)
CODE = 'result0 = find(name="Ana", key="email")\nresult1 = send(to=[result0], body="She said \\"hi\\"\\n#1")'


@UNHURRIED
@given(plans())
def test_every_plan_is_read_back_as_it_was(plan: Plan) -> None:
    assert read_code(write_code(plan), TOOLS) == plan
    assert read_json(write_json(plan)) == plan
    json.loads(write_json(plan))


def test_the_two_forms() -> None:
    assert write_code(NESTED) == CODE
    assert json.loads(write_json(NESTED))[1] == {
        "id": 1,
        "name": "send",
        "arguments": {"to": ["#0"], "body": NESTED[1].arguments["body"]},
    }
    assert (write_code(()), write_json(())) == (NO_CALL, "[]")


def test_arguments_are_written_in_the_order_of_the_parameters() -> None:
    plan = (Call("find", {"key": "email", "name": "Ana"}),)
    assert write_code(plan, [FIND]) == 'result0 = find(name="Ana", key="email")'
    assert write_code(plan) == 'result0 = find(key="email", name="Ana")'


def test_what_is_no_value_is_not_written() -> None:
    for write in (write_code, write_json):
        with pytest.raises(ArgumentError, match="finite"):
            write((Call("f", {"a": float("nan")}),))


@pytest.mark.parametrize(
    "text",
    [
        f"Of course!\n```python\n{CODE}\n```\nThe second call (send) uses the first.",
        f"I would call these (two of them):\n\n{CODE}\n\nDone.",
        CODE.replace("result0", "contact").replace("result1", "sent"),
        'send(to=[find(name="Ana", key="email")], body="She said \\"hi\\"\\n#1")',
        CODE.replace('"Ana"', "'Ana'").replace("\n", "  # look her up\n"),
        CODE.replace('name="Ana", key=', '"Ana", '),
        CODE.replace("\nresult1", "; result1"),
        CODE.replace(", ", ",\n    "),
        CODE.replace('"She said \\"hi\\"\\n#1"', '"""She said "hi"\n#1"""'),
    ],
)
def test_code_is_read_as_models_write_it(text: str) -> None:
    assert read_code(text, TOOLS) == NESTED


def test_calls_within_calls_come_first() -> None:
    assert read_code("a(x=b(y=c()), z=d())") == (
        Call("c"),
        Call("b", {"y": Reference(0)}),
        Call("d"),
        Call("a", {"x": Reference(1), "z": Reference(2)}),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "nothing was written"),
        ("Sorry, I cannot do that.", "there is no call: the text is 'Sorry"),
        ('x = f(a="it is', r'line 1, character 16: .*closes? the text|line 1, character \d+: expected " to close'),
        ('f(a="1")\ng(b=late)\nlate = f()', "line 2, character 5.*no earlier line says what late is"),
        ("a = f()\ng(b=a[0])", "line 2, character 6: expected a as a whole"),
        ("a = f()\ng(b=a.uri)", "what a.uri is"),
        ('f("x")', "parameter=value"),
        ('find("x", "email", 3)', "has 2 parameters"),
        ('find(name="x", "email")', "parameter=value"),
        ('find("x", name="y")', "name only once"),
        ("x = 1 + 2", "expected a call"),
        ("x =", "expected a value"),
        ('f(a="x") and more', "end of the line"),
        ("f(a=__import__('os').system('true'))", r"expected|parameter=value"),
        ("f(a=" + "[" * 5000, "nested"),
        ("f(a=" * 5000, "nested|expected"),
    ],
)
def test_broken_code_is_refused_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(CallSyntaxError, match=problem):
        read_code(text, TOOLS)


@pytest.mark.parametrize("around", ["{}", "Sure, here it is:\n{}\nAnything else?", "```json\n{}\n```"])
def test_json_is_found_in_prose(around: str) -> None:
    assert read_json(around.format(write_json(NESTED))) == NESTED


def test_json_in_other_spellings() -> None:
    assert read_json("[{'id': 3, 'name': 'f', 'arguments': {'a': True, 'b': None,}}]") == (
        Call("f", {"a": True, "b": None}),
    )
    lines = '{"id": 0, "name": "f", "arguments": {}}\n{"id": 1, "name": "g", "arguments": {"x": "#0"}}'
    assert read_json(lines) == (Call("f"), Call("g", {"x": Reference(0)}))
    assert read_json(json.dumps([{"name": "f", "arguments": {"a": "\U0001f600"}}])) == (Call("f", {"a": "\U0001f600"}),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "nothing was written"),
        ("I can't [really] help", "there is no JSON list"),
        (write_json(NESTED)[:-1], "before it 2 of the calls are complete"),
        (write_json(NESTED)[:90], "before it 1 of the calls"),
        ('[{"name": "f", "arguments": {"a": NaN}}]', "NaN"),
        ('[{"name": "f", "arguments": {"a": 1, "a": 2}}]', "'a' stands twice"),
        ('[{"id": 0, "name": "f"}, {"id": 0, "name": "g"}]', "id 0 is taken"),
        ("[]\n[]", "found 2 values"),
        ("[" * 100_000, "there is no JSON list|nested|expected"),
        ('[{"a": ' * 5000, "nested"),
    ],
)
def test_broken_json_is_refused(text: str, problem: str) -> None:
    with pytest.raises(CallSyntaxError, match=problem):
        read_json(text)


def test_an_answer_without_calls_is_told_from_no_answer() -> None:
    assert read_code(NO_CALL) == read_code("# nothing fits the request") == read_json("[]") == ()


def test_a_text_cannot_become_a_call() -> None:
    sly = (Call("send", {"to": ["a@b"], "body": '"\nring()\n```\nring()\n```'}),)
    assert read_code(write_code(sly), [SEND]) == sly
    assert read_json(write_json(sly)) == sly
