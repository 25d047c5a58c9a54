"""Flattened pairs say what the one renderer says."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.agents.prompts import Form, Setting, render
from camphor.tools.tool import Toolbox
from camphor.types import Agent, Call, Observation, Step, Trajectory, Turn
from camphor_lab.training.data import count_pairs
from camphor_lab.training.samples import pairs

LOOK = Step(Agent.CONTEXT, (Call("find", {"keyword": "Ana"}),), (Observation(Call("find"), ({"name": "Ana"},)),))
INTENT = Step(Agent.PERCEPTION, (Call("get_intent"),), (Observation(Call("get_intent"), ({"intent": "music"},)),))
CALL = Call("send", {"to": "Ana"})
ACT = Step(Agent.TASK, (CALL,), (Observation(CALL),))
ASKED = Turn("who is Ana?", (LOOK, Step(Agent.TASK)), "A friend.")
DONE = Turn("write to her", (INTENT, ACT), "Sent.")


@pytest.mark.parametrize("form", [Form.NAMES, Form.DEFINITIONS, Form.FULL])
@pytest.mark.parametrize("turns", [(ASKED, DONE), (DONE, ASKED), (ASKED,), (DONE,)])
def test_pairs_are_the_trained_parts_in_order(form: Form, turns: tuple[Turn, ...]) -> None:
    trajectory = Trajectory(turns[-1], turns[:-1])
    setting = Setting(Toolbox(), datetime(2026, 3, 12, 8, 45), "Dublin", form=form)
    found, rendered = pairs(trajectory, setting), render(trajectory, setting)
    whole = "".join(segment.text for segment in rendered)
    for pair in found:
        assert whole.startswith(pair.prompt + pair.completion)
    assert whole == found[-1].prompt + found[-1].completion
    written = "".join(pair.completion for pair in found).replace("\n", "")
    assert written == "".join(segment.text for segment in rendered if segment.trained).replace("\n", "")
    assert count_pairs(rendered) == len(found)


def test_who_writes_what() -> None:
    found = pairs(Trajectory(DONE, (ASKED,)), Setting(Toolbox(), datetime(2026, 3, 12)))
    assert [(pair.agent.value, pair.completion) for pair in found] == [
        ("high_order_reasoning", "personal_context"),
        ("personal_context", ' [find(keyword="Ana")]'),
        ("high_order_reasoning", "task_completion"),
        ("task_completion", " []\nA friend.<|im_end|>"),
        ("high_order_reasoning", "user_perception"),  # its call is written by code
        ("high_order_reasoning", "task_completion"),
        ("task_completion", ' [send(to="Ana")]'),
    ]
    with pytest.raises(ValueError, match="function tokens"):
        pairs(Trajectory(DONE), Setting(Toolbox(), datetime(2026, 3, 12), form=Form.COMPRESSED))
