"""Every grammar that a strategy asks for accepts what the strategy hopes for, and refuses what it could not read."""

from __future__ import annotations

import pytest

from camphor.agents.strategies.base import Strategy
from camphor.agents.strategies.react import react
from camphor.agents.strategies.reflexion import VERDICT
from camphor.agents.strategies.registry import static
from camphor.models.constraint import accepts
from tests.doubles.strategies import GOOD, LOOK, TELL, ask, each


@each
def test_what_was_hoped_for_is_accepted(strategy: Strategy) -> None:
    ran = ask(strategy, GOOD[strategy])
    for request, words in zip(ran.model.requests, GOOD[strategy], strict=True):
        assert accepts(request.grammar or "", words), words


@pytest.mark.parametrize(
    "text",
    [
        "Thought: why\nAction:",
        "Action: [fly()]",
        f"Action: {LOOK}\nAction: finish",
        "Thought: a\nThought: b",
        LOOK,
        "Action: []",
    ],
)
def test_react_writes_one_call_or_finish(text: str) -> None:
    grammar = ask(react, GOOD[react]).model.requests[0].grammar or ""
    assert not accepts(grammar, text)
    assert accepts(grammar, "Action: finish")


def test_a_receiver_must_have_been_said_or_seen() -> None:
    requests = ask(static, GOOD[static]).model.requests
    assert not accepts(requests[0].grammar or "", TELL)
    assert accepts(requests[1].grammar or "", TELL)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Verdict: right", True),
        ("Verdict: wrong\nLesson: ask", True),
        ("Verdict: wrong", False),
        ("Verdict: maybe", False),
    ],
)
def test_a_wrong_verdict_has_a_lesson(text: str, right: bool) -> None:
    assert accepts(VERDICT, text) is right


@pytest.mark.parametrize(
    ("copied", "invented"),
    [('time="6"', 'time="7 pm"'), ("I'm late", "I'm 20 minutes late")],
    ids=["a time", "a figure"],
)
@each
def test_an_action_holds_only_what_was_said_or_seen(strategy: Strategy, copied: str, invented: str) -> None:
    requests = ask(strategy, GOOD[strategy]).model.requests
    wrong = [(asked.grammar or "", words) for asked, words in zip(requests, GOOD[strategy], strict=True)]
    wrong = [(grammar, words.replace(copied, invented)) for grammar, words in wrong if copied in words]
    assert wrong
    assert not any(accepts(grammar, words) for grammar, words in wrong)
