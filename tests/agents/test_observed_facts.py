"""One pass gathers what was said and found."""

from __future__ import annotations

from datetime import datetime

from camphor.agents.observed_facts import Known
from camphor.types import Agent, Call, Observation, Step, Turn

NOW = datetime(2026, 3, 12, 8, 45)


def found(agent: Agent, *records: dict[str, object]) -> Step:
    return Step(agent, (Call("look"),), (Observation(Call("look"), records),))


EARLIER = Turn("who is it?", (found(Agent.CONTEXT, {"name": "Ana"}, {"name": "Bea"}),), "Ana or Bea?")
LATER = Turn("Bea", (found(Agent.DEVICE, {"city": "Dublin"}), found(Agent.KNOWLEDGE, {"result": "rain"})))
KNOWN = Known.of([EARLIER, LATER], NOW)


def test_texts_and_records_stand_in_order_and_the_newest_turn_can_come_first() -> None:
    assert KNOWN.texts == ["who is it?", "Ana or Bea?", "Bea", ""]
    assert [dict(each.record) for each in KNOWN.records][:2] == [{"name": "Ana"}, {"name": "Bea"}]
    assert [next(iter(each.record.values())) for each in KNOWN.newest] == ["Dublin", "rain", "Ana", "Bea"]
    assert [each.agent for each in KNOWN.newest] == [Agent.DEVICE, Agent.KNOWLEDGE, Agent.CONTEXT, Agent.CONTEXT]


def test_values_are_shown_as_prompts_show_them() -> None:
    record = {"start": "2026-03-14T16:30:00", "done": False, "to": ["Ana", "Bea"], "cost": 4.5}
    (each,) = Known.of([Turn("x", (found(Agent.CONTEXT, record),))], NOW).records
    assert [shown for _, shown in each.shown] == ["Sat 14 Mar 16:30", "no", "Ana, Bea", "4.5"]
    assert [value for value, _ in each.shown] == list(record.values())


def test_a_call_that_failed_brings_nothing() -> None:
    refused = Step(Agent.TASK, (Call("send"),), (Observation(Call("send"), error="nobody of that name"),))
    assert Known.of([Turn("x", (refused,))], NOW).records == ()
