"""A question for what was said is not put to the person."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.agents.policies.redundant_questions import asks_in_vain

NOW = datetime(2026, 3, 12, 8, 45)


@pytest.mark.parametrize(
    ("answer", "query"),
    [
        ("When shall I remind you?", "remind me at 6 to water the plants"),
        ("Sure, at what time?", "Remind me to ring Nora tomorrow at noon."),
        ("Gladly. For when?", "set a reminder in 20 minutes for the oven"),
    ],
)
def test_a_time_that_was_said_is_not_asked_for(answer: str, query: str) -> None:
    assert asks_in_vain(answer, query, NOW)


@pytest.mark.parametrize(
    ("answer", "query"),
    [
        ("When shall I remind you?", "remind me to water the 3 plants"),
        ("When shall I remind you?", "remind me to call mum"),
        ("Which Nora do you mean?", "text Nora at 6"),
        ("It is on Friday at 6.", "when is my lesson on Friday"),
    ],
)
def test_other_questions_and_answers_stay(answer: str, query: str) -> None:
    assert not asks_in_vain(answer, query, NOW)
