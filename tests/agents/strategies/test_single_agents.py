"""Static and ReAct: how they read what a model writes, recover from errors and end."""

from __future__ import annotations

import itertools

import pytest

from camphor.agents.strategies.attempt import read_calls
from camphor.agents.strategies.react import finishes, react, read_turn
from camphor.agents.strategies.registry import static
from camphor.agents.strategies.texts import LEFT_OUT, MOST_CHARACTERS
from camphor.types import Agent, Call
from tests.doubles.strategies import BOTH, LOOK, QUERY, REMIND, TELL, UNCLEAR, ask, phone_with


def test_static_hears_of_an_error_and_mends_it() -> None:
    ran = ask(static, [LOOK, TELL[:-1] + "; " + UNCLEAR[1:], REMIND])
    assert "= understood" in ran.prompt(2)
    assert "= error: create_reminders(time='at the blue hour')" in ran.prompt(2)
    assert (ran.sent, ran.reminders) == (["I'm late"], ["Call Alice"])


def test_static_ends_with_an_empty_list_and_then_answers() -> None:
    ran = ask(static, [LOOK, "[]", "Her number is 555-123-4567."], query="what is my travel buddy's number?")
    assert ran.answered.response == "Her number is 555-123-4567."
    assert ran.answered.proposed == ()
    assert ran.answered.trajectory.turn.steps[-1].agent is Agent.TASK


def test_look_ups_and_actions_in_one_list_are_both_carried_out() -> None:
    ran = ask(static, [LOOK[:-1] + "; " + BOTH[1:]])
    assert ran.sent == ["I'm late"]
    assert [step.agent for step in ran.answered.trajectory.turn.steps] == [Agent.CONTEXT, Agent.TASK]


def test_an_action_is_done_once_however_often_it_is_called() -> None:
    ran = ask(react, [f"Action: {TELL}", f"Action: {TELL}", f"Action: {TELL}"])
    assert ran.sent == ["I'm late"]
    assert ran.used == 3


def test_a_thought_may_be_left_out_and_is_shown_where_it_was_had() -> None:
    ran = ask(react, [f"Thought: I need Alice.\nAction: {LOOK}", f"Action: {TELL}", "Action: finish"])
    assert f"Thought: I need Alice.\nAction: {LOOK}\n= name: Alice Johnson" in ran.prompt(1)
    assert ran.prompt(2).count("Thought: ") - ran.prompt(1).count("Thought: ") == 0


def test_prompts_only_grow() -> None:
    ran = ask(react, [f"Action: {LOOK}", f"Action: {TELL}", "Action: finish"])
    for earlier, later in itertools.pairwise(ran.model.requests):
        assert later.prompt[: len(earlier.prompt) - 2] == earlier.prompt[:-2]


def test_observations_that_a_model_invents_are_not_read() -> None:
    invented = f"Thought: first\nAction: {LOOK}\n= name: Mallory; phone_number: 555-666\nAction: {TELL}\nAction: finish"
    ran = ask(react, [invented, "Action: finish", "I found Alice."])
    assert ran.sent == []
    assert "Mallory" not in ran.prompt(1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thought: a b\nAction: [x()]", ("a b", "[x()]")),
        ("Action: [x()]", ("", "[x()]")),
        ("Thought: a\n\nAction:\n```\n[x()]\n```", ("a", "```\n[x()]\n```")),
        ("Thought: a Action: [x()]", ("a", "[x()]")),
        ("[x()]", ("", "[x()]")),
        ("Thought: only", ("only", "")),
        ("Action: [x()]\nObservation: y", ("", "[x()]")),
        ("", ("", "")),
    ],
)
def test_a_turn_is_read_as_models_write_it(text: str, expected: tuple[str, str]) -> None:
    assert read_turn(text) == expected


@pytest.mark.parametrize("action", ["finish", "Finish[]", "[finish]", "", "[]", "finish."])
def test_ways_to_finish(action: str) -> None:
    assert finishes(action)
    assert not finishes("[get_time_information()]")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[a(); b()]", ["a", "b"]),
        ("Here you are: [a()] Done.", ["a"]),
        ('```\n[a(x="1")]\n```', ["a"]),
        ('a(x="[1]")', ["a"]),
        ('[a(x="1"); b(x="cut o', ["a"]),
        ("[]", []),
    ],
)
def test_calls_are_found_in_what_surrounds_them(text: str, names: list[str]) -> None:
    calls, problem = read_calls(text)
    assert ([call.name for call in calls], problem) == (names, "")


@pytest.mark.parametrize("text", ["I cannot do that", "[a(", "[a(x=]"])
def test_what_is_no_call_list_is_said(text: str) -> None:
    calls, problem = read_calls(text)
    assert calls == ()
    assert problem


def test_long_results_leave_the_prompt_but_not_what_was_called() -> None:
    words = ("Alice", "Ben", "travel", "buddy")
    pairs = [" ".join(pair) for pair in itertools.combinations(words, 2)]
    calls = [f'[get_contacts_information(keyword="{text}")]' for text in (*words, *pairs)]
    people = [{"person_id": str(n), "name": f"Alice Ben travel buddy {n} {'x' * 80}"} for n in range(60)]
    ran = ask(react, [*(f"Action: {call}" for call in calls), "Action: finish", "Many."], phone=phone_with(people))
    said = ran.prompt(-1)
    said = said[said.index("Request: " + QUERY) :]
    assert LEFT_OUT in said
    assert all(call in said for call in calls)
    assert len(said) < MOST_CHARACTERS + 500
    assert LEFT_OUT not in said[said.index(calls[-1]) :], "the newest results stay"


def test_a_person_who_is_not_clear_is_asked_for() -> None:
    people = [
        {"person_id": "1", "name": "Alice Johnson", "phone_number": "555-1", "relationship": "friend"},
        {"person_id": "2", "name": "Alice Murphy", "phone_number": "555-2", "relationship": "colleague"},
    ]
    words = ['[get_contacts_information(keyword="Alice")]', TELL]
    ran = ask(static, words, query="tell Alice I'm late", phone=phone_with(people))
    assert ran.sent == []
    assert "Which one do you mean" in ran.answered.response


def test_a_call_of_a_tool_that_is_not_there_is_told() -> None:
    ran = ask(static, ["[fly()]", "[]", "That I cannot do."])
    assert "= error: there is no tool fly here" in ran.prompt(1)
    assert ran.answered.trajectory.turn.steps[0].calls == ()
    assert Call("fly") not in ran.answered.proposed
