"""Reflexion, AUTOACT and CAMPHOR's agents: what is drafted and given up never reaches the phone."""

from __future__ import annotations

import pytest

from camphor.agents.strategies.autoact import autoact
from camphor.agents.strategies.collaboration import collaborate, read_draft
from camphor.agents.strategies.reflexion import read_verdict, reflexion
from camphor.types import Agent
from tests.doubles.strategies import BOTH, LOOK, REMIND, TELL, UNCLEAR, ask

WRONG = "Verdict: wrong\nLesson: the message must say ten minutes."
BETTER = TELL.replace("I'm late", "I'm ten minutes late")


def trial(action: str) -> list[str]:
    return [f"Action: {action}", "Action: finish"]


def test_actions_of_earlier_trials_never_reach_the_device() -> None:
    ran = ask(reflexion, [*trial(TELL), WRONG, *trial(REMIND), WRONG, *trial(BETTER)])
    assert (ran.sent, ran.reminders) == (["I'm ten minutes late"], [])
    assert len(ran.device.journal()) == 1
    assert [call.name for call in ran.answered.proposed] == ["send_imessage_message"]
    assert ran.used == 8, "the third trial is submitted unjudged"


def test_a_trial_begins_afresh_with_the_lessons() -> None:
    ran = ask(reflexion, [*trial(TELL), WRONG, *trial(BETTER), "Verdict: right"])
    assert "Drafted actions: " + TELL in ran.prompt(2)
    assert "Lesson of an earlier trial: the message must say ten minutes." in ran.prompt(3)
    assert TELL not in ran.prompt(3)
    assert ran.sent == ["I'm ten minutes late"]


def test_look_ups_of_an_earlier_trial_are_made_again() -> None:
    words = [f"Action: {LOOK}", "Action: finish", WRONG, f"Action: {LOOK}", *trial(BETTER), "Verdict: right"]
    ran = ask(reflexion, words)
    assert [step.agent for step in ran.answered.trajectory.turn.steps] == [Agent.CONTEXT, Agent.TASK]


@pytest.mark.parametrize(
    ("text", "lesson"),
    [
        ("Verdict: right", ""),
        (WRONG, "the message must say ten minutes."),
        ("**Verdict:** Wrong.\n**Lesson:** ask\nfirst", "ask first"),
        ("Verdict: wrong", "the last trial was wrong"),
        ("I am not sure what is meant", ""),
    ],
)
def test_verdicts_are_read_as_models_write_them(text: str, lesson: str) -> None:
    assert read_verdict(text) == lesson


def test_drafts_that_autoact_withdraws_never_reach_the_device() -> None:
    send = "Action: send_imessage_message"
    ran = ask(autoact, [send, TELL, "Action: finish", WRONG, send, BETTER, "Action: finish", "Verdict: right"])
    assert ran.sent == ["I'm ten minutes late"]
    assert len(ran.device.journal()) == 1
    assert "withdrawn. Lesson: the message must say ten minutes." in ran.prompt(4)


def test_a_withdrawn_action_may_be_drafted_again() -> None:
    send = "Action: send_imessage_message"
    ran = ask(autoact, [send, TELL, "Action: finish", WRONG, send, TELL, "Action: finish", "Verdict: right"])
    assert ran.sent == ["I'm late"]


def test_the_tool_agent_sees_the_definition_of_the_tool_that_was_chosen() -> None:
    ran = ask(autoact, ["Action: send_imessage_message", TELL, "Action: finish", "Verdict: right"])
    full = "send_imessage_message(receiver: string, content: string)"
    assert full in ran.prompt(1)
    assert full not in ran.prompt(0)
    assert "send_imessage_message(receiver, content)" in ran.prompt(0)


def test_a_tool_without_parameters_needs_no_tool_agent() -> None:
    ran = ask(autoact, ["Action: get_time_information", "Action: finish", "Verdict: right", "It is morning."])
    assert ran.answered.trajectory.turn.steps[0].agent is Agent.DEVICE
    assert ran.used == 4


def test_perception_needs_no_model_and_works_once() -> None:
    ran = ask(
        collaborate,
        ["user_perception", "response_submit", "Response: Nothing is open.\nCalls: []"],
        query="what is open?",
    )
    assert ran.used == 3
    assert "user_perception" in (ran.model.requests[0].grammar or "")
    assert "user_perception" not in (ran.model.requests[1].grammar or "")
    assert ran.answered.response == "Nothing is open."


def test_a_draft_is_reflected_on_once_and_only_what_is_submitted_is_done() -> None:
    words = [
        "answer",
        f"Response: Done.\nCalls: {BOTH}",
        "reflection",
        "No reminder was asked for.",
        "response_submit",
        f"Response: Done.\nCalls: {TELL}",
    ]
    ran = ask(collaborate, words, query="tell my travel buddy I'm late")
    grammars = [request.grammar or "" for request in ran.model.requests]
    assert "reflection" not in grammars[0]
    assert "reflection" in grammars[2]
    assert "answer" not in grammars[2], "nothing is new since the draft"
    assert "answer" in grammars[4]
    assert "reflection: No reminder was asked for." in ran.prompt(5)
    assert (ran.sent, ran.reminders) == (["I'm late"], [])


def test_what_cannot_be_read_submits_the_last_draft() -> None:
    ran = ask(collaborate, ["answer", f"Response: Done.\nCalls: {TELL}", "response_submit", "Calls: [oh no("])
    assert ran.sent == ["I'm late"]


def test_a_submitted_action_that_is_not_understood_is_said_and_not_claimed() -> None:
    ran = ask(collaborate, ["response_submit", f"Response: I have set a reminder.\nCalls: {UNCLEAR}"])
    assert ran.reminders == []
    assert ran.answered.response.startswith("Not done:")


def test_an_agent_has_its_own_tools_only() -> None:
    ran = ask(collaborate, ["personal_context", TELL, "response_submit", "Response: No.\nCalls: []"])
    assert ran.sent == []
    assert "= error: there is no tool send_imessage_message here" in ran.prompt(2)
    assert "send_imessage_message(receiver" not in ran.prompt(1)
    assert "get_contacts_information(keyword" in ran.prompt(1)
    assert "get_contacts_information(keyword" not in ran.prompt(0)


def test_names_are_read_as_models_write_them() -> None:
    words = ["**Personal Context** agent", LOOK, "Response Submit Agent", f"Response: ok\nCalls: {TELL}"]
    assert ask(collaborate, words).sent == ["I'm late"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Response: I'll do it.\nCalls: [a()]", ("I'll do it.", "[a()]")),
        ("Response: two\nlines\nCalls:\n[a()]", ("two lines", "[a()]")),
        ("Response: no calls", ("no calls", "[]")),
        ("I'll do it: [a()]", ("I'll do it:", "[a()]")),
    ],
)
def test_drafts_are_read_as_models_write_them(text: str, expected: tuple[str, str]) -> None:
    assert read_draft(text) == expected
