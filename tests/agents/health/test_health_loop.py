"""The loop of planner and caller, driven by a list of replies."""

from __future__ import annotations

from collections.abc import Sequence

from camphor.agents.health.case import Called, Case, PlannerTurn, Seen, UserDetails
from camphor.agents.health.loop import Bounds, settle
from camphor.agents.wants import Act, Think
from camphor.device.apps import tools_of

TOOLS = tools_of("clinic")
CASE = Case(UserDetails("U1", "Ana", "2026-03-12T08:45:00"), "My knee hurts")
LOOK = ("It hurts.</reason><action>Look back.</action>", '[retrieve_past_complaints(user_id="U1", symptoms="knee")]')
TELL = ("It is done.</reason><action>Tell.</action>", '[notify_user(user_id="U1", message="Noted.")]')
END = "Told.</reason><action><END></action>"


def drive(replies: Sequence[str], bounds: Bounds | None = None) -> tuple[Case, list[Think], list[Act]]:
    """The case that comes of these replies, what was thought and what was done."""
    words = iter(replies)
    loop = settle(CASE, TOOLS, ("general physician",), bounds or Bounds())
    thoughts: list[Think] = []
    acts: list[Act] = []
    followed = CASE
    answer: str | Seen | None = None
    try:
        while True:
            want = loop.send(answer)
            answer = None
            if isinstance(want, Think):
                thoughts.append(want)
                answer = next(words)
            elif isinstance(want, Act):
                acts.append(want)
                answer = Seen(True)
            else:
                followed = followed.then(want)
    except StopIteration as stop:
        case: Case = stop.value
    assert case == followed  # whoever follows the turns has the case
    return case, thoughts, acts


def test_case_goes_on_until_the_planner_closes_it() -> None:
    case, thoughts, acts = drive([*LOOK, *TELL, END])
    assert [type(turn) for turn in case.turns] == [PlannerTurn, Called, Seen, PlannerTurn, Called, Seen, PlannerTurn]
    assert [act.calls[0].name for act in acts] == ["retrieve_past_complaints", "notify_user"]
    assert case.closed
    assert len(thoughts) == 5


def test_no_case_ends_before_the_person_was_told() -> None:
    _, thoughts, _ = drive([*LOOK, *TELL, END])
    closing = ["<END>" in thought.grammar for thought in thoughts[::2]]
    assert closing == [False, False, True]


def test_same_call_is_not_made_twice_and_stops_a_loop() -> None:
    case, _, acts = drive([*LOOK, *LOOK, *LOOK, END], Bounds(repeats=2))
    assert len(acts) == 1
    assert case.turns[5] == Seen(error="this very call was made before, and its result stands above: go on with that")
    assert case.closed


def test_every_case_ends() -> None:
    replies = [part for number in range(5) for part in (LOOK[0], LOOK[1].replace("knee", "knee" + "s" * number))]
    case, thoughts, acts = drive([*replies, LOOK[0]], Bounds(plans=3))
    assert case.closed
    assert len(acts) == 2
    assert '"<END></action>"' in thoughts[-1].grammar


def test_call_that_is_cut_off_closes_the_case() -> None:
    case, _, acts = drive([LOOK[0], '[retrieve_past_complaints(user_id="U1", symp'])
    assert case.turns == (PlannerTurn("It hurts.", "<END>"),)
    assert acts == []
