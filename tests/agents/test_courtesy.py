"""Words that ask for nothing."""

from __future__ import annotations

import pytest

from camphor.agents.small_talk import courtesy


@pytest.mark.parametrize(
    ("query", "reply"),
    [
        ("thanks!", "You're welcome."),
        ("ok great, thank you so much camphor", "You're welcome."),
        ("Many thanks.", "You're welcome."),
        ("thank you, that's all", "You're welcome."),
        ("hi there", "Hello. Tell me what you need."),
        ("Good morning!", "Hello. Tell me what you need."),
        ("good night", "Goodbye."),
        ("see you tomorrow", "Goodbye."),
        ("ok", "Good."),
        ("perfect, well done!", "Good."),
    ],
)
def test_courtesies_are_answered(query: str, reply: str) -> None:
    assert courtesy(query) == reply


@pytest.mark.parametrize(
    "query",
    [
        "thank Nora for the cake",
        "thanks, and tell Tom too",
        "tell mum thank you",
        "hello to Ana from me",
        "good evening news podcast",
        "ok send it",
        "remind me to say goodbye",
        "morning meetings",
        "see you at nine, text Sam",
        "no thanks",
        "yes",
    ],
)
def test_requests_are_not(query: str) -> None:
    assert courtesy(query) == ""
