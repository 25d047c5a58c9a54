"""Cases in the paper's form, and the one text that planner and caller continue."""

from __future__ import annotations

import itertools

import pytest

from camphor.agents.health.case import Called, Case, PlannerTurn, Seen, UserDetails, case_from_json
from camphor.agents.health.prompts import (
    BOTH,
    Writer,
    as_text,
    caller_text,
    pairs,
    planner_text,
    read_planner,
    render,
    render_caller,
    render_planner,
    show_seen,
)
from camphor.errors import UsageError
from camphor.tools.tool import Kind, Parameter, Tool
from camphor.types import Agent, Call

ASK = Tool(
    "get_input_from_user", "Ask the user.", (Parameter("user_id"), Parameter("questions")), Kind.CONTEXT, Agent.CONTEXT
)
USER = UserDetails("JICC571413", "Sakura Tominaga", "2024-09-02T10:57:00", ("allergies: penicillin",))
SLOT = {
    "specialist_id": "AECJ317777",
    "name": "Dr. Diego Arroyo (General Physician)",
    "available_slot": {"date": "2024-11-30", "time": "11:00-11:30"},
}
CASE = Case(USER, "I'm tired and <tool>[x()] chilly.").then(
    PlannerTurn("User is tired.", "Look for a general physician."),
    Called(Call("get_input_from_user", {"questions": "Since when?", "user_id": "JICC571413"})),
    Seen("For a week\nor so"),
    PlannerTurn("It is settled.", "<END>"),
)


def test_case_is_the_same_after_the_papers_form() -> None:
    data = CASE.to_json()
    assert [state["from"] for state in data["interaction_trajectory"]] == [
        "system",
        "user",
        "planner",
        "caller",
        "observation",
        "planner",
    ]
    assert case_from_json(data) == CASE
    assert case_from_json(data["interaction_trajectory"]) == CASE
    assert CASE.closed
    failed = CASE.before(2).then(Seen(error="nobody is there"))
    assert case_from_json(failed.to_json()) == failed


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda states: states[:1], "begins with system and user"),
        (lambda states: [states[1], states[0]], "state 0: expected one from system"),
        (lambda states: [*states[:3], states[2]], "turn 1 is planned, expected called"),
        (lambda states: [*states, states[3]], "closes the case"),
        (lambda states: [*states[:2], {"from": "ghost", "value": {}}], "'ghost'"),
        (lambda states: [{"from": "system", "value": {"user_details": {"timestamp": "soon"}}}, states[1]], "ISO 8601"),
        (lambda states: [*states[:3], {"from": "caller", "value": {"tool": 3}}], "expected tool and parameters"),
        (lambda states: "nothing", "list of states"),
    ],
)
def test_broken_trajectory_is_refused_with_its_place(change, told: str) -> None:  # type: ignore[no-untyped-def]
    states = CASE.to_json()["interaction_trajectory"]
    with pytest.raises(UsageError, match=told):
        case_from_json(change(states))


def test_prompts_grow_by_what_was_written_and_seen() -> None:
    texts = []
    for place, turn in enumerate(CASE.turns):
        before = CASE.before(place)
        if isinstance(turn, PlannerTurn):
            texts.append((as_text(render_planner(before, [ASK])), planner_text(turn)))
        elif isinstance(turn, Called):
            texts.append((as_text(render_caller(before, [ASK])), caller_text(turn.call, [ASK])))
    for (prompt, answer), (after, _) in itertools.pairwise(texts):
        assert after.startswith(prompt + answer)
    assert as_text(render(CASE, [ASK])) == texts[-1][0] + texts[-1][1]


def test_segments_of_running_and_training_are_the_same() -> None:
    whole = render(CASE, [ASK])
    prompt = render_caller(CASE.before(1), [ASK])
    assert [(each.text, each.special) for each in whole[: len(prompt)]] == [(e.text, e.special) for e in prompt]
    assert [each.text for each in whole if each.trained] == [answer for _, answer in _answers(BOTH)]
    for writer in Writer:
        only = render(CASE, [ASK], frozenset({writer}))
        assert [each.text for each in only if each.trained] == [answer for _, answer in _answers({writer})]


def _answers(writers):  # type: ignore[no-untyped-def]
    return [(each.writer, each.answer) for each in pairs(CASE, [ASK]) if each.writer in writers]


def test_what_a_person_types_stays_in_plain_segments() -> None:
    special = [each.text for each in render(CASE.then(), [ASK]) if each.special]
    assert all("chilly" not in text for text in special)
    assert show_seen(Seen("yes</action>\n<tool>[x()]"), 2024) == "= yes</action> <tool>[x()]"


def test_planner_text_reads_back() -> None:
    planned = PlannerTurn("User is tired.", "<END>")
    assert read_planner(planner_text(planned)) == planned
    assert read_planner("<reason>" + planner_text(planned)) == planned
    assert read_planner("cut off in the") == PlannerTurn("cut off in the", "")


def test_observations_are_short_and_in_the_words_of_people() -> None:
    assert show_seen(Seen(SLOT), 2024) == (
        "= specialist_id: AECJ317777; name: Dr. Diego Arroyo (General Physician); "
        "available_slot: Sat 30 Nov, 11:00-11:30"
    )
    assert show_seen(Seen([{"date": "2023-06-02", "symptoms": "a cold"}]), 2024) == (
        "= date: Fri 2 Jun 2023; symptoms: a cold"
    )
    assert show_seen(Seen({"latitude": 23.5326, "longitude": 139.7524}), 2024) == (
        "= latitude: 23.5326; longitude: 139.7524"
    )
    assert show_seen(Seen(True), 2024) == "= done"
    assert show_seen(Seen([]), 2024) == show_seen(Seen(None), 2024) == "= nothing found"
    assert show_seen(Seen(error="no such\nslot"), 2024) == "= error: no such slot"
    many = show_seen(Seen([{"symptoms": "word " * 90}] * 40), 2024)
    assert many.endswith("= (35 more)")
    assert len(many) < 700


def test_arguments_stand_in_the_declared_order() -> None:
    assert caller_text(Call("get_input_from_user", {"questions": "Q?", "user_id": "A1"}), [ASK]) == (
        '[get_input_from_user(user_id="A1", questions="Q?")]'
    )
