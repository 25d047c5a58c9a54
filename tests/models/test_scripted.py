"""The scripted model says its lines and remembers what it was asked."""

from __future__ import annotations

import pytest

from camphor.errors import ContextFull, ModelError
from camphor.models import LanguageModel, Reply, Request, ScriptedModel, Timing
from camphor.types import Segment

ASK = Request((Segment("hello"),))


def test_replies_come_in_order_and_requests_are_kept() -> None:
    model: LanguageModel = (script := ScriptedModel(["one", Reply("two", Timing(prompt_tokens=3))]))
    assert [model.complete(ASK).text, model.complete(Request((), 'start: "x"')).text] == ["one", "two"]
    assert [request.grammar for request in script.requests] == [None, 'start: "x"']


def test_an_exception_in_the_script_is_raised_and_the_script_goes_on() -> None:
    model = ScriptedModel([ContextFull("full"), "after"])
    with pytest.raises(ContextFull):
        model.complete(ASK)
    assert model.complete(ASK).text == "after"


def test_a_script_at_its_end_says_so() -> None:
    model = ScriptedModel(["one"])
    model.complete(ASK)
    with pytest.raises(ModelError, match="1 replies"):
        model.complete(ASK)


def test_a_request_that_cannot_be_met_is_refused() -> None:
    with pytest.raises(ValueError, match="max_tokens"):
        Request((), max_tokens=0)
    with pytest.raises(ValueError, match="stop"):
        Request((), stop=("",))


def test_timings_add_up() -> None:
    assert Timing(1, 2, 3, 4, 5, 0.5, 0.25) + Timing(1, 1, 1, 1, 1, 1.0, 1.0) == Timing(2, 3, 4, 5, 6, 1.5, 1.25)
    assert Timing(prompt_seconds=0.5, generation_seconds=0.25).seconds == 0.75
