"""Nothing is looked up or done twice in a turn."""

from __future__ import annotations

from camphor.agents.policies.repeated_calls import call_key, without_repeats
from camphor.types import Agent, Call, Step, Turn

ASKED = Call("get_songs", {"keyword": "red", "limit": 3})


def test_twins_and_what_was_called_before_are_dropped() -> None:
    turn = Turn("play Red", (Step(Agent.CONTEXT, (ASKED,)),))
    fresh = Call("get_songs", {"keyword": "blue"})
    assert without_repeats((ASKED, fresh, fresh), turn) == (fresh,)


def test_the_order_of_arguments_is_no_difference() -> None:
    assert call_key(ASKED) == call_key(Call("get_songs", {"limit": 3, "keyword": "red"}))
