"""The caller with a model that says what it was told to: whatever that is, there is a plan or a problem."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from camphor.agents.calling.caller import Caller
from camphor.agents.calling.prompts import CallForm
from camphor.errors import ContextFull, ModelMissing
from camphor.models.base import Finish, Reply, ScriptedModel, Timing
from camphor.models.constraint import accepts
from camphor.tools.plans import Reference
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Agent, Call

NOW = datetime(2026, 3, 12, 8, 45)
FIND = Tool(
    "find", "Find a person.", (Parameter("name"), Parameter("key", enum=("email", "phone"))), Kind.CONTEXT, Agent.TASK
)
EVENT = Tool(
    "add_event",
    "Add an event.",
    (
        Parameter("title"),
        Parameter("start", role=Role.TIME, required=False),
        Parameter("end", role=Role.TIME, required=False),
        Parameter("guests", "array", required=False, items="string"),
        Parameter("alert", "integer", required=False),
    ),
    Kind.ACTION,
    Agent.TASK,
)
TOOLS = (FIND, EVENT)
ANSWER = (
    'result0 = find(name="Ana", key="email")\n'
    'result1 = add_event(title="Lunch", start="tomorrow at noon", end="an hour", guests=[result0], alert="7")'
)


def test_a_request_becomes_calls_with_times_and_types() -> None:
    model = ScriptedModel([Reply(ANSWER, Timing(sampled_tokens=9), Finish.END)])
    planned = Caller(model, TOOLS).plan("Lunch with Ana tomorrow at noon for an hour, alert me 7 minutes before", NOW)
    assert planned.problem is None
    assert planned.plan == (
        Call("find", {"name": "Ana", "key": "email"}),
        Call(
            "add_event",
            {"title": "Lunch", "start": "2026-03-13T12:00:00", "end": "2026-03-13T13:00:00",
             "guests": [Reference(0)], "alert": 7},
        ),
    )  # fmt: skip
    assert (planned.text, planned.timing.sampled_tokens, planned.written) == (ANSWER, 9, planned.plan)
    assert planned.tools == ("find", "add_event")
    (request,) = model.requests
    assert request.grammar is not None
    assert accepts(request.grammar, ANSWER.replace('"7"', "7"))


def test_tools_are_retrieved_for_each_request_and_the_grammar_is_of_them() -> None:
    asked: list[str] = []

    def retrieve(query: str) -> tuple[Tool, ...]:
        asked.append(query)
        return (FIND,)

    model = ScriptedModel(['[{"id": 0, "name": "add_event", "arguments": {"title": "x"}}]'] * 2)
    planned = Caller(model, retrieve, CallForm.JSON, constrained=False).plan("add x")
    assert asked == ["add x"]
    assert planned.plan == ()
    assert planned.written == (Call("add_event", {"title": "x"}),)
    assert "no tool add_event" in str(planned.problem)
    assert model.requests[0].grammar is None


@pytest.mark.parametrize("form", CallForm)
@pytest.mark.parametrize("text", ["", "Sorry, that is beyond me.", '[{"id": 0, "na', "result0 = find(", "[[[", "\0"])
def test_what_is_no_plan_is_a_problem(form: CallForm, text: str) -> None:
    planned = Caller(ScriptedModel([text]), TOOLS, form).plan("find Ana", NOW)
    assert planned.problem
    assert (planned.plan, planned.text) == ((), text)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=60) | st.text(alphabet="result01 =find(name\"',)[]{}#:\n", max_size=60))
def test_nothing_that_is_written_crashes(text: str) -> None:
    for form in (CallForm.JSON_SHORT, CallForm.COMPACT):
        planned = Caller(ScriptedModel([text]), TOOLS, form, constrained=False).plan("x", NOW)
        assert planned.problem is None or planned.plan == ()


def test_one_problem_leaves_the_rest_readable() -> None:
    text = 'result0 = add_event(title="x", start="blue")\nresult1 = add_event(title="y", start="tomorrow at 5 pm")'
    planned = Caller(ScriptedModel([text]), TOOLS).plan("x and y", NOW)
    assert "blue" in str(planned.problem)
    assert planned.plan == ()
    assert planned.written[1].arguments["start"] == "2026-03-13T17:00:00"


def test_where_a_call_must_be_made_the_grammar_has_no_empty_plan() -> None:
    models = [ScriptedModel(["# none"]), ScriptedModel(["# none"])]
    for model, may_be_empty in zip(models, (True, False), strict=True):
        Caller(model, TOOLS, may_be_empty=may_be_empty).plan("hello")
    assert [accepts(str(model.requests[0].grammar), "# none") for model in models] == [True, False]


def test_texts_are_copied_in_the_compact_form_and_free_where_told_or_in_others() -> None:
    plan = 'result0 = find(name="Ana Example", key="email")'
    forms = {CallForm.COMPACT: [(None, False), (False, True)], CallForm.CODE_SHORT: [(None, True), (True, False)]}
    for form, cases in forms.items():
        for copied, free in cases:
            model = ScriptedModel(["# none"])
            Caller(model, TOOLS, form, copied=copied).plan("find ana", NOW)
            assert accepts(str(model.requests[0].grammar), plan) is free


def test_an_address_that_was_dictated_can_be_copied() -> None:
    model = ScriptedModel(["# none"])
    Caller(model, TOOLS).plan("find ana@example dot org", NOW)
    assert accepts(str(model.requests[0].grammar), 'result0 = find(name="ana@example.org", key="email")')


def test_no_call_is_a_plan() -> None:
    assert Caller(ScriptedModel(["# none"]), TOOLS).plan("hello").problem is None


def test_an_answer_that_breaks_off_is_a_problem() -> None:
    reply = Reply('result0 = find(name="Ana", key="email")', Timing(sampled_tokens=5), Finish.LENGTH)
    planned = Caller(ScriptedModel([reply]), TOOLS).plan("find Ana")
    assert planned.plan == ()
    assert "broke off after 5 tokens" in str(planned.problem)


def test_a_prompt_that_does_not_fit_is_a_problem_and_no_model_is_an_error() -> None:
    caller = Caller(ScriptedModel([ContextFull("too long"), ModelMissing("no server")]), TOOLS)
    assert caller.plan("x").problem == "too long"
    with pytest.raises(ModelMissing):
        caller.plan("x")
